/*
 * resume: taking up an interrupted survey from its journal.
 */
#ifndef PARIO_CMD_RESUME_H
#define PARIO_CMD_RESUME_H

#include "cmd/walk.h"

struct pario_resume {
	uint64_t seed, clients; /* of the survey that is taken up; 0 = there is none */
	uint64_t results;	/* lines in its journal */
};

/* Reads what the survey was started with into the frame's options; an option that contradicts it is refused. */
int pario_resume_begin(struct pario_resume *resume, struct pario_walk *walk, const char *path,
		       struct pario_err *err);

/* Reads its results into the space. */
int pario_resume_results(struct pario_resume *resume, struct pario_walk *walk,
			 struct pario_err *err);

#endif
