/*
 * past: what an interrupted run has measured already, from its journal. Repetitions that are complete are not measured
 * again when the run is taken up.
 */
#ifndef PARIO_CMD_PAST_H
#define PARIO_CMD_PAST_H

#include "record/result.h"
#include "run/plan.h"

struct pario_past {
	struct pario_result *list;
	size_t count;
	uint64_t lines; /* results in the journal */
};

/* Reads the results of the journal at `path`, a file or a run directory. */
int pario_past_read(struct pario_past *past, const char *path, struct pario_err *err);
void pario_past_release(struct pario_past *past);

/* How many repetitions of a point are complete, counted from the first; all of them when it was skipped. */
uint64_t pario_past_repetitions(const struct pario_past *past, const struct pario_bound *bound);

/* The next result of a point's first `repetitions`, from *at on; NULL = there are no more. */
const struct pario_result *pario_past_next(const struct pario_past *past,
					   const struct pario_bound *bound, uint64_t repetitions,
					   size_t *at);

#endif
