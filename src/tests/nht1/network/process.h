/*
 * process: a program that runs beside this one, and ends with it whatever happens.
 *
 * The child gets its end from the kernel when the thread that started it is gone (PR_SET_PDEATHSIG), also when that was
 * killed. It leads a process group of its own, so that its children can be ended with it. No shell is involved.
 */
#ifndef PARIO_TESTS_NHT1_NETWORK_PROCESS_H
#define PARIO_TESTS_NHT1_NETWORK_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* How to start it. Descriptors of -1 stand for /dev/null and the current directory. */
struct pario_process_start {
	const char *const *argv;      /* argv[0] is a path */
	int directory, input, output; /* output takes standard error too */
};

/* All zero is a process that was never started. */
struct pario_process {
	pid_t pid;  /* 0 = none that is not waited for */
	int status; /* as waitpid gives it, once it has ended */
	const char *name;
};

/*
 * The path of a program: of the directories on PATH the first that has it, or whose sister does (daemons lie in
 * /usr/sbin, which is on few users' PATH). False when there is none.
 */
bool pario_process_find(const char *name, char *path, size_t capacity);

/* `name` is for sentences and must outlive the process. */
int pario_process_start(struct pario_process *process, const char *name,
			const struct pario_process_start *launch, struct pario_err *err);

/* True when it has ended, within so many milliseconds; a signal to this process ends the waiting early. */
bool pario_process_wait(struct pario_process *process, int milliseconds);

/* Waits for at most so long until it has no children of its own any more, where the kernel tells. */
void pario_process_calm(const struct pario_process *process, int milliseconds);

/* Ends it and its group: asks first, and insists after a moment. Fine when it has ended already, or never was. */
void pario_process_end(struct pario_process *process);

/* "status 1", "signal 9 (Killed)" of a process that has ended. */
void pario_process_describe(const struct pario_process *process, char *text, size_t capacity);

#endif
