/*
 * steady: metadata operations on data sets that stay as large as they are.
 *
 * Every client owns `sets` directories of `items` objects. A step works on each set number d in turn: it stats,
 * reads and deletes the oldest object of the client d + 1 before this one, and creates the newest of the client
 * d + 1 after it. No client meets its own objects unless there are too few clients. Objects are deleted in the
 * order they were created and no more steps are made than objects were there at first, so no client waits for
 * another (md-workbench's scheme).
 */
#ifndef PARIO_TESTS_METADATA_STEADY_H
#define PARIO_TESTS_METADATA_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pario_phase;
struct pario_run;
struct pario_steady; /* one client's state */

struct pario_steady_shape {
	uint64_t items, sets, steps,
		bytes; /* objects of a set, sets of a client, steps, bytes of an object */
	bool fsync;
};

/* The hooks of a test that is in this mode. */
unsigned pario_steady_phases(struct pario_phase *list);
struct pario_steady *pario_steady_new(struct pario_run *run, const struct pario_steady_shape *shape,
				      struct pario_err *err);
int pario_steady_before(struct pario_run *run, struct pario_steady *steady, struct pario_err *err);
int pario_steady_body(struct pario_run *run, struct pario_steady *steady, struct pario_err *err);
int pario_steady_verify(struct pario_run *run, struct pario_steady *steady, struct pario_err *err);
void pario_steady_free(struct pario_steady *steady);

#endif
