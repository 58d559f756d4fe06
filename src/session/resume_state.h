/*
 * resume_state: what an interrupted run has already measured, read from its journal. Complete repetitions are not
 * measured again when the run is resumed.
 */
#ifndef PARIO_SESSION_RESUME_STATE_H
#define PARIO_SESSION_RESUME_STATE_H

#include "engine/plan.h"
#include "journal/result.h"

struct pario_resume_state {
	struct pario_result *list;
	size_t count;
	uint64_t lines; /* results in the journal */
};

/* Reads the results of the journal at `path`, a file or a run directory. */
int pario_resume_state_read(struct pario_resume_state *earlier, const char *path,
			    struct pario_err *err);
void pario_resume_state_release(struct pario_resume_state *earlier);

/* How many repetitions of a point are complete, counted from the first and up to `most`; `most` when it was skipped. */
uint64_t pario_resume_state_repetitions(const struct pario_resume_state *earlier,
					const struct pario_bound *bound, uint64_t most);

/* The next result of a point's first `repetitions`, from *at on; NULL = there are no more. */
const struct pario_result *pario_resume_state_next(const struct pario_resume_state *earlier,
						   const struct pario_bound *bound,
						   uint64_t repetitions, size_t *at);

#endif
