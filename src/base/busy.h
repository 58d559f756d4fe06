/*
 * busy: passes time as a program that computes does.
 *
 * It uses memory, and what the kernel needs for the next call is no longer in the processor's cache. After a loop that
 * only looks at the clock it still is: calls of a microsecond were a fifth faster.
 */
#ifndef PARIO_BASE_BUSY_H
#define PARIO_BASE_BUSY_H

#include <stddef.h>

enum {
	PARIO_BUSY_BYTES = 1 << 20, /* half of a usual second-level cache */
	PARIO_BUSY_LINE = 64,
	PARIO_BUSY_LINES = 8 /* between two looks at the clock */
};

struct pario_busy {
	char *memory;
	size_t bytes, at; /* 0 bytes: no memory was to be had; then it only passes time */
};

/* Pages come as they are used. */
void pario_busy_init(struct pario_busy *c, size_t bytes);
void pario_busy_release(struct pario_busy *c);

/* A little; the caller looks at the clock. */
static inline void pario_busy_some(struct pario_busy *c)
{
	for (unsigned i = 0; i < PARIO_BUSY_LINES && c->bytes; i++) {
		((volatile char *)c->memory)[c->at] = 1;
		c->at = (c->at + PARIO_BUSY_LINE) % c->bytes;
	}
}

#endif
