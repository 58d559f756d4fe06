/*
 * modules: what is mapped where, so that addresses can be named later, on another machine, without the program.
 *
 * Every object the loader has mapped is written down once with its build-id. Asking the loader takes a lock of its,
 * which a child of fork may find held for ever by a thread it does not have. So it is asked as rarely as can be: at the
 * start, after a dlopen, and when a call that names a new file comes from a place nobody knows. A child takes over its
 * parent's list and asks only after a dlopen of its own; and no fork() happens while a thread asks.
 *
 * dlopen looks at its caller to find libraries, and a wrapper would be the wrong caller: ours jumps there and is not on
 * the stack.
 */
#include "tracer/preload/trace.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "tracer/preload/raw.h"
#include "tracer/preload/window.h"

enum { MODULES = 1024, CAPACITY = 256 * 1024, PATIENCE = 100, STEP_NS = 100000 };

/* What was found so far. A child of fork has its own copy; entries are added behind, and `count` moves last. */
static struct list {
	unsigned count;
	size_t used;
	unsigned long long adds; /* the loader's own count of objects */
	struct pario_trace_record note[MODULES];
	uint32_t text[MODULES];
	char texts[CAPACITY];
} * list;

bool pario_modules_stale;
static bool child, busy;	 /* busy: a thread changes the list */
static unsigned asking, forking; /* threads that do so now */

static void hex(char *to, const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		*to++ = "0123456789abcdef"[bytes[i] >> 4];
		*to++ = "0123456789abcdef"[bytes[i] & 15];
	}
}

/* The build-id as hex digits; their number. */
static size_t build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * segment, char *to)
{
	const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
	const char *end = at + segment->p_memsz;

	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		size_t name = (note->n_namesz + 3u) & ~3u, content = (note->n_descsz + 3u) & ~3u;

		at += sizeof(*note);
		if (name + content > (size_t)(end - at))
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(at, "GNU", 4) == 0 && note->n_descsz <= 32) {
			hex(to, (const unsigned char *)at + name, note->n_descsz);
			return 2 * note->n_descsz;
		}
		at += name + content;
	}
	return 0;
}

/* Path, newline, build-id; its length is note->size. */
static void describe(const struct dl_phdr_info *info, struct pario_trace_record *note, char *text)
{
	size_t length = strnlen(info->dlpi_name, 4000), id = 0;
	char digits[64];

	*note = (struct pario_trace_record){ .op = PARIO_TRACE_MODULE, .offset = UINT64_MAX };
	memcpy(text, info->dlpi_name, length);
	if (!length) {
		long n = pario_raw3(SYS_readlink, (long)"/proc/self/exe", (long)text, 4000);

		length = n > 0 ? (size_t)n : 0;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && from < note->offset)
			note->offset = from;
		if (p->p_type == PT_LOAD && from + p->p_memsz > note->site)
			note->site = from + p->p_memsz;
		if (p->p_type == PT_NOTE && !id)
			id = build_id(info, p, digits);
	}
	/* `file` and `result` hold what is added to addresses of the file: zero for programs at fixed places. */
	note->file = (uint32_t)info->dlpi_addr;
	note->result = (int32_t)(info->dlpi_addr >> 32);
	note->t0 = pario_ticks();
	text[length++] = '\n';
	memcpy(text + length, digits, id);
	note->size = length + id;
}

static bool is_known(const struct pario_trace_record *note, const char *text)
{
	for (unsigned i = 0; i < list->count; i++) {
		const struct pario_trace_record *n = &list->note[i];

		if (n->offset == note->offset && n->site == note->site && n->size == note->size &&
		    memcmp(list->texts + list->text[i], text, note->size) == 0)
			return true;
	}
	return false;
}

/* Only noted here: the loader's lock is held. */
static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct pario_trace_record note;
	bool *changed = data;
	PARIO_SCRATCH(char, text, PARIO_TRACE_TEXT_MAX);

	(void)size;
	if (!*changed && info->dlpi_adds == list->adds)
		return 1;
	*changed = true;
	list->adds = info->dlpi_adds;
	describe(info, &note, text);
	if (is_known(&note, text) || list->count == MODULES || list->used + note.size > CAPACITY)
		return 0;
	memcpy(list->texts + list->used, text, note.size);
	list->note[list->count] = note;
	list->text[list->count] = (uint32_t)list->used;
	list->used += note.size;
	__atomic_store_n(&list->count, list->count + 1, __ATOMIC_RELEASE);
	return 0;
}

static void write_down(unsigned from)
{
	for (unsigned i = from; i < __atomic_load_n(&list->count, __ATOMIC_ACQUIRE); i++) {
		struct pario_trace_record note = list->note[i];

		pario_trace_note(&note, list->texts + list->text[i], note.size);
	}
}

/* No handler may jump out of it, which would keep the loader's lock. */
static void ask(void)
{
	uint64_t old = pario_signals_hold();
	bool changed = false;
	unsigned before;

	if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
		pario_modules_stale = true; /* its turn comes */
		pario_signals_release(old);
		return;
	}
	before = list->count;
	__atomic_fetch_add(&asking, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&forking, __ATOMIC_SEQ_CST))
		pario_modules_stale = true;
	else
		dl_iterate_phdr(visit, &changed);
	__atomic_fetch_sub(&asking, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&busy, false, __ATOMIC_RELEASE);
	write_down(before);
	pario_signals_release(old);
}

void pario_modules_begin(void)
{
	long p;

	if (list) { /* our parent's, by fork; so are the counts of what its threads did */
		child = true;
		busy = pario_modules_stale = false;
		asking = forking = 0;
		write_down(0);
		return;
	}
	p = pario_raw6(SYS_mmap, 0, sizeof(*list), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p < 0 && p > -4096)
		return;
	list = (struct list *)p;
	ask();
}

static bool is_place_known(uint64_t site)
{
	for (unsigned i = __atomic_load_n(&list->count, __ATOMIC_ACQUIRE); i-- > 0;) {
		if (site >= list->note[i].offset && site < list->note[i].site)
			return true;
	}
	return false;
}

void pario_modules_see(uint64_t site)
{
	if (!list || pario_trace_mute)
		return;
	if (pario_modules_stale || (!child && !is_place_known(site))) {
		pario_modules_stale = false;
		ask();
	}
}

bool pario_modules_have(const char *word)
{
	for (unsigned i = 0; list && i < list->count; i++) {
		if (memmem(list->texts + list->text[i], list->note[i].size, word, strlen(word)))
			return true;
	}
	return false;
}

void pario_modules_end(void)
{
	if (list && (!child || pario_modules_stale))
		ask();
}

/* Bounded: a handler that forks may have interrupted the very thread that asks. */
void pario_modules_fork(void)
{
	const struct timespec step = { 0, STEP_NS };

	__atomic_fetch_add(&forking, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < PATIENCE && __atomic_load_n(&asking, __ATOMIC_SEQ_CST); i++)
		pario_raw3(SYS_nanosleep, (long)&step, 0, 0);
}

void pario_modules_forked(bool in_child)
{
	if (in_child)
		forking = 0;
	else
		__atomic_fetch_sub(&forking, 1, __ATOMIC_SEQ_CST);
}

/* ---- dlopen ---- */

PARIO_SYMBOL(dlopen);
PARIO_SYMBOL(dlmopen);

#if defined(__x86_64__)
#define JUMP(name)                                                                  \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" \
		"	endbr64\n"                                                        \
		"	movb $1, pario_modules_stale(%rip)\n"                             \
		"	movq pario_symbol_" #name "+8(%rip), %rax\n"                \
		"	testq %rax, %rax\n"                                               \
		"	jne 1f\n"                                                         \
		"	pushq %rdi\n	pushq %rsi\n	pushq %rdx\n"                           \
		"	leaq pario_symbol_" #name "(%rip), %rdi\n"                  \
		"	call pario_trace_resolve\n"                                       \
		"	popq %rdx\n	popq %rsi\n	popq %rdi\n"                              \
		"1:	jmp *%rax\n"                                                    \
		".size " #name ", . - " #name "\n")
#else
#define JUMP(name)                                                                  \
	__asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" \
		"	adrp x16, pario_modules_stale\n"                                  \
		"	mov w17, #1\n"                                                    \
		"	strb w17, [x16, :lo12:pario_modules_stale]\n"                     \
		"	adrp x16, pario_symbol_" #name "\n"                         \
		"	add x16, x16, :lo12:pario_symbol_" #name "\n"               \
		"	ldr x17, [x16, #8]\n"                                             \
		"	cbnz x17, 1f\n"                                                   \
		"	stp x0, x1, [sp, #-32]!\n	stp x2, x30, [sp, #16]\n"               \
		"	mov x0, x16\n"                                                    \
		"	bl pario_trace_resolve\n"                                         \
		"	mov x17, x0\n"                                                    \
		"	ldp x2, x30, [sp, #16]\n	ldp x0, x1, [sp], #32\n"                 \
		"1:	br x17\n"                                                       \
		".size " #name ", . - " #name "\n")
#endif

JUMP(dlopen);
JUMP(dlmopen);
