/*
 * temporary: where a test program may make files. The runner gives each a directory of its own as TMPDIR and removes it
 * whatever happens: a program that fails half way leaves nothing behind.
 */
#ifndef PARIO_TEST_TEMPORARY_H
#define PARIO_TEST_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>

enum { TEMPORARY_CAPACITY = 1024 };

/* A template for mkdtemp and mkstemp. */
static inline char *temporary(char to[TEMPORARY_CAPACITY], const char *name)
{
	const char *place = getenv("TMPDIR");

	snprintf(to, TEMPORARY_CAPACITY, "%.900s/pario-%.64s-XXXXXX",
		 place && *place ? place : "/tmp", name);
	return to;
}

#endif
