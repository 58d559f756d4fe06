/*
 * busy: memory of its own, straight from the kernel, so that no allocator is touched while others measure; see busy.h
 * for why.
 */
#include "base/busy.h"

#include <sys/mman.h>

void pario_busy_init(struct pario_busy *c, size_t bytes)
{
	*c = (struct pario_busy){ .bytes = bytes };
	if (!bytes)
		return;
	c->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->memory == MAP_FAILED)
		*c = (struct pario_busy){ 0 };
}

void pario_busy_release(struct pario_busy *c)
{
	if (c->bytes)
		munmap(c->memory, c->bytes);
	*c = (struct pario_busy){ 0 };
}
