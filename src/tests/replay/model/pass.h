/*
 * pass: what is known while a scan goes over the merged calls, for the parts of it.
 */
#ifndef PARIO_TESTS_REPLAY_MODEL_PASS_H
#define PARIO_TESTS_REPLAY_MODEL_PASS_H

#include <fcntl.h>

#include "tests/replay/model/scan.h"

/* That are remembered of those that relied on a thing since it was changed. */
enum { PARIO_REPLAY_USERS = 8 };

struct pario_replay_use {
	uint64_t number;
	double end_ns;
	uint32_t thread; /* 0 = none */
	bool makes;	 /* a name that was not there */
	bool finds;	 /* it meant to, and was told that it is */
};

struct pario_replay_resource {
	struct pario_replay_use change, users[PARIO_REPLAY_USERS];
};

struct pario_replay_pass {
	struct pario_replay_scan *scan;
	const struct pario_trace *trace;
	struct pario_map resource_of, waited_of, place_of;
	uint32_t *file_of; /* a place */
	struct pario_replay_resource *resources;
	uint64_t *waited; /* the highest number that one thread waits for of another, plus 1 */
	uint32_t resource_capacity, waited_capacity;
	uint32_t *threads_of; /* a process */
	struct pario_replay_nest *nests;
	double now_ns; /* when the call began that is its turn */
	bool no_memory;
};

static inline bool pario_replay_creates(const struct pario_trace_call *call)
{
	return call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
	       call->arguments.open.flags & (O_CREAT | O_TRUNC);
}

static inline bool pario_replay_two_names(uint16_t op)
{
	return op == PARIO_OP_rename || op == PARIO_OP_renameat || op == PARIO_OP_renameat2 ||
	       op == PARIO_OP_link || op == PARIO_OP_linkat;
}

/* Is it a call that makes a name anew (or fails), of two names the second? */
bool pario_replay_makes(const struct pario_trace_call *call, bool second);
/* Numbers of the directories that files are in; -1 when there is no memory. */
int pario_replay_find_parents(struct pario_replay_pass *s);
/* The first call that names a file shows whether it was there. */
void pario_replay_settle(struct pario_replay_pass *s, const struct pario_trace_call *call,
			 uint32_t number, bool second);
void pario_replay_first_read(struct pario_replay_file *f, const struct pario_trace_call *call);
/* What files are in is a directory, also where only its name was asked for. */
void pario_replay_mark_directories(struct pario_replay_pass *s, uint32_t number);

/* What a call waits for: by the descriptors that threads share, and by names and ends of files. */
void pario_replay_order_descriptors(struct pario_replay_pass *s,
				    const struct pario_trace_call *call);
void pario_replay_order_files(struct pario_replay_pass *s, const struct pario_trace_call *call);

#endif
