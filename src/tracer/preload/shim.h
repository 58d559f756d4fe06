/*
 * shim: what libraries of wrappers beside the tracer share. They link nothing; "next" counts from the shim itself.
 */
#ifndef PARIO_TRACER_PRELOAD_SHIM_H
#define PARIO_TRACER_PRELOAD_SHIM_H

struct pario_symbol;
static void *pario_shim_resolve(struct pario_symbol *symbol) __attribute__((unused));
#ifndef PARIO_RESOLVE
#define PARIO_RESOLVE pario_shim_resolve
#endif
#include "tracer/preload/trace.h"

#include <dlfcn.h>

static void *pario_shim_resolve(struct pario_symbol *symbol)
{
	int error = errno;
	void *next = dlsym(RTLD_NEXT, symbol->name);

	errno = error;
	__atomic_store_n(&symbol->next, next, __ATOMIC_RELAXED);
	return next;
}

/* Files by the library's own numbers, which it uses again; what does not fit is unknown. */
enum { PARIO_SHIM_FILES = 4096 };
static struct {
	int64_t handle;
	uint32_t file;
} pario_shim_files[PARIO_SHIM_FILES];

static inline void pario_shim_remember(int64_t handle, uint32_t file)
{
	size_t at = (size_t)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 52) % PARIO_SHIM_FILES;

	pario_shim_files[at].handle = handle;
	pario_shim_files[at].file = file;
}

static inline uint32_t pario_shim_file(int64_t handle)
{
	size_t at = (size_t)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 52) % PARIO_SHIM_FILES;

	return pario_shim_files[at].handle == handle ? pario_shim_files[at].file : 0;
}

#endif
