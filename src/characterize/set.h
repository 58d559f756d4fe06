/*
 * set: what `pario characterize` measures, as data. Every part is a plan of some test; its phases say which operation
 * of a SYSTEM they are the cost of. The measuring makes plans of the parts, the fit knows by them what a result means.
 */
#ifndef PARIO_CHARACTERIZE_SET_H
#define PARIO_CHARACTERIZE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "predict/system/system.h"

/* Raised whenever a part changes: a journal of another set is not fitted. */
#define PARIO_SET_VERSION "5"

#define PARIO_SET_MINUTES "5"
enum { PARIO_SET_PHASES = 12, PARIO_SET_REPETITIONS = 5 };

enum pario_set_clients {
	PARIO_SET_ONE,
	PARIO_SET_SWEEP,  /* 1, 2, 4 ... and all */
	PARIO_SET_SEVERAL /* all, where they are two or more */
};

enum pario_set_role {
	PARIO_SET_CALLS,	/* the time of calls over their size */
	PARIO_SET_FSYNC,	/* the time of fsync over the bytes before it */
	PARIO_SET_SMALL,	/* files of one call: the first read, and closing after the write */
	PARIO_SET_FOUND,	/* the first read of files that were written a while ago */
	PARIO_SET_ENGINE,	/* what pario itself takes of a call */
	PARIO_SET_DEVICE_BYTES, /* throughput over requests in flight */
	PARIO_SET_DEVICE_OPS,	/* likewise */
	PARIO_SET_NAMES,	/* operations on names */
	PARIO_SET_MESSAGES,
	PARIO_SET_FILL, /* more than may be dirty, or than stays in memory */
};

struct pario_set_phase {
	const char *name; /* NULL: there are no more */
	enum pario_system_op op;
	enum pario_system_path path;
};

struct pario_set_part {
	const char *name; /* in the journal: part=NAME */
	const char *what; /* for people */
	const char *test;
	const char *settings; /* "name=value name=value"; lists become points */
	enum pario_set_role role;
	enum pario_set_clients clients;
	enum pario_system_locality locality;
	uint64_t distance_bytes; /* of operations on names: bytes in each file */
	bool shared;
	struct pario_set_phase phases[PARIO_SET_PHASES];
};

extern const struct pario_set_part pario_set[];
extern const size_t pario_set_count;

/* The part of this name; NULL: there is none. */
const struct pario_set_part *pario_set_find(const char *name);

/* What stands in a setting for the size of the part PARIO_SET_FILL, which the machine decides. */
#define PARIO_SET_FILL_SIZE "@FILL@"

#endif
