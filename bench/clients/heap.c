/*
 * heap: how much memory had the program's own code asked for, at most? What libraries ask for is left alone: MPI's
 * buffers come and go with the order in which messages happen to arrive, and hide everything else. A part of the
 * library of count.c.
 */
#define _GNU_SOURCE
#include "heap.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

enum { PLACES = 1 << 16 };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static struct {
	void *at; /* NULL = never used, GONE = free again */
	size_t bytes;
} places[PLACES];

#define GONE ((void *)1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t program_begin, program_end;
static uint64_t live, most;

static int first_is_the_program(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	program_begin = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		program_begin = at < program_begin ? at : program_begin;
		if (at + info->dlpi_phdr[i].p_memsz > program_end)
			program_end = at + info->dlpi_phdr[i].p_memsz;
	}
	return 1;
}

__attribute__((constructor)) static void find_program(void)
{
	dl_iterate_phdr(first_is_the_program, NULL);
}

static size_t place_of(const void *at)
{
	return ((uintptr_t)at >> 4) * 2654435761u % PLACES;
}

static void took(void *at, const void *caller)
{
	size_t i = place_of(at);

	if (!at || (uintptr_t)caller < program_begin || (uintptr_t)caller >= program_end)
		return;
	pthread_mutex_lock(&lock);
	while (places[i].at && places[i].at != GONE)
		i = (i + 1) % PLACES;
	places[i].at = at;
	places[i].bytes = malloc_usable_size(at);
	live += places[i].bytes;
	most = live > most ? live : most;
	pthread_mutex_unlock(&lock);
}

static void gave_back(const void *at)
{
	size_t i = place_of(at);

	if (!at)
		return;
	pthread_mutex_lock(&lock);
	while (places[i].at && places[i].at != at)
		i = (i + 1) % PLACES;
	if (places[i].at) {
		live -= places[i].bytes;
		places[i].at = GONE;
	}
	pthread_mutex_unlock(&lock);
}

uint64_t scale_heap_most(void)
{
	return most;
}

void *malloc(size_t bytes)
{
	void *at = __libc_malloc(bytes);

	took(at, __builtin_return_address(0));
	return at;
}

void *calloc(size_t count, size_t bytes)
{
	void *at = __libc_calloc(count, bytes);

	took(at, __builtin_return_address(0));
	return at;
}

void *realloc(void *old, size_t bytes)
{
	void *at;

	gave_back(old);
	at = __libc_realloc(old, bytes);
	took(at, __builtin_return_address(0));
	return at;
}

int posix_memalign(void **at, size_t alignment, size_t bytes)
{
	*at = __libc_memalign(alignment, bytes);
	took(*at, __builtin_return_address(0));
	return *at ? 0 : ENOMEM;
}

void free(void *at)
{
	gave_back(at);
	__libc_free(at);
}
