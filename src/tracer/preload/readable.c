/*
 * readable: memory that can be read for certain. Names lie on the stack, among the program's constants or on its heap
 * most of the time; the kernel is asked about anything else.
 */
#include "tracer/preload/readable.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { PARTS = 8, STACK = 1 << 20, THREAD_STACK = 1 << 18 };

extern void *__libc_stack_end; /* the loader's: of the first thread */

static struct {
	uintptr_t from, to;
} parts[PARTS];
static uintptr_t heap;

/* The program itself is mapped as long as it runs. */
__attribute__((constructor(101))) static void find_parts(void)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR), *p = headers;
	size_t count = headers ? getauxval(AT_PHNUM) : 0, found = 0;
	uintptr_t base = 0;

	for (size_t i = 0; i < count; i++) {
		if (p[i].p_type == PT_PHDR)
			base = (uintptr_t)headers - p[i].p_vaddr;
	}
	for (size_t i = 0; i < count && found < PARTS; i++) {
		if (p[i].p_type != PT_LOAD || !(p[i].p_flags & PF_R))
			continue;
		parts[found].from = base + p[i].p_vaddr;
		parts[found++].to = base + p[i].p_vaddr + p[i].p_memsz;
	}
	__atomic_store_n(&heap, (uintptr_t)sbrk(0), __ATOMIC_RELEASE);
}

static bool on_stack(uintptr_t at)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0), end = (uintptr_t)__libc_stack_end,
		  self = (uintptr_t)pthread_self();

	return at >= frame &&
	       ((at < end && end - frame < STACK) || (at < self && self - frame < THREAD_STACK));
}

bool pario_surely_readable(const void *memory)
{
	uintptr_t at = (uintptr_t)memory, from = __atomic_load_n(&heap, __ATOMIC_ACQUIRE);

	if (on_stack(at))
		return true;
	for (int i = 0; i < PARTS; i++) {
		if (at >= parts[i].from && at < parts[i].to)
			return true;
	}
	return from && at >= from && at < (uintptr_t)sbrk(0);
}
