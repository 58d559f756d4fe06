/*
 * launch: without a launcher, pario re-executes itself under that of its MPI; under one, it uses the clients it got.
 */
#ifndef PARIO_COMM_LAUNCH_H
#define PARIO_COMM_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* How many processes the environment says were started together; 0 when no launcher is at work. */
uint64_t pario_launch_promised(void);

/* This process's number according to the launcher's environment, 0 when there is none. */
uint64_t pario_launch_rank(void);

/*
 * What a batch system gave this process: tasks and nodes of the whole allocation (0 and 0 outside one), and whether it
 * is itself a task that the batch system started, one of so many. Where a task was not told about the others (srun
 * without PMI), they cannot find each other.
 */
struct pario_launch_batch {
	uint64_t tasks, nodes;
	uint64_t job_nodes;  /* of the whole job, whatever a step uses */
	uint64_t step_tasks; /* 0 = started by nobody, as in a batch script */
	uint64_t step_rank;
};

struct pario_launch_batch pario_launch_batch(void);

const char *pario_launch_flavour(void); /* "openmpi", "mpich" or "other" */
const char *pario_launch_program(void); /* the launcher's name, for sentences and for starting it */

/* Cores this process may use; at least 1. */
uint64_t pario_launch_cores(void);

/*
 * Signals that come so shortly after each other are one: a program between (timeout, a shell, a launcher) hands a
 * Ctrl-C on as well, and batch systems ask twice. Who means it waits longer.
 */
#define PARIO_LAUNCH_ONE_SIGNAL_NS 2000000000

struct pario_launch {
	uint64_t clients;
	const char *io_component; /* Open MPI: value for OMPI_MCA_io, NULL = its default */
	unsigned columns;	  /* width of the terminal, 0 = not a terminal */
	bool color, progress;
	double deadline; /* seconds without a sign of life after which the clients are ended; 0 = never */
	const char *dir; /* for `pario clean` */
};

/*
 * Runs this program again with the same arguments under the launcher, passes signals on (the first asks for a
 * stop after the current operation, once there are clients that can do so; the second ends it at once) and waits.
 * *status gets the exit code.
 * Returns 1 without starting anything when no launcher is found: then the caller goes on as a single client.
 */
int pario_launch_self(const struct pario_launch *launch, int argc, char *const *argv, int *status,
		      struct pario_err *err);

/*
 * In a client: tells the front of its own run (comm/relay.h has the letters); nothing happens where there is none.
 * May be called by any thread.
 */
void pario_launch_sign(char letter, const char *text);

/* The deadline of the front that started this client, in seconds; negative when there is no front. */
double pario_launch_deadline(void);

/* How long ago the front that started this client began, in seconds; 0 when there is no front. */
double pario_launch_began_ago(void);

/* Is the front that started this client gone? Only on its own machine that can be told. */
bool pario_launch_orphaned(void);
/* How many signals came meanwhile; after the second the clients had no time to say anything. */
int pario_launch_signals(void);
/* Did the run end by a signal before its clients could say anything? */
bool pario_launch_unbegun(void);
/* From now on, and until the launcher is started, a signal ends this process with a sentence. */
void pario_launch_catch(void);

/* What pario_launch_self passed on: columns of the terminal (0 = none) whether to use colour and a progress line. */
unsigned pario_launch_columns(void);
bool pario_launch_color(void);
bool pario_launch_progress(void);

#endif
