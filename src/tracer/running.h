/*
 * running: which traces run on this machine? Those of this user, for `pario top`, from the environment and the open
 * files of processes.
 */
#ifndef PARIO_TRACER_RUNNING_H
#define PARIO_TRACER_RUNNING_H

#include <stddef.h>

enum { PARIO_RUNNING_MAX = 16 };

/* A directory of segments, and a process that is traced into it. */
struct pario_running {
	char directory[4096], program[64];
	int pid;
};

/* Those of this user's processes, of all for root; how many. */
size_t pario_running_find(struct pario_running running[PARIO_RUNNING_MAX]);

#endif
