/*
 * resume: continuing an interrupted run from its journal: its options here, what it has measured in resume_state.
 */
#ifndef PARIO_SESSION_RESUME_H
#define PARIO_SESSION_RESUME_H

#include "engine/plan.h"

struct pario_resume {
	uint64_t seed, clients; /* of the run that is taken up; 0 = there is none */
	uint64_t results;	/* lines in its journal */
};

/*
 * Reads what the run was started with into the options; an option that contradicts it is refused, and so is the journal
 * of anything but `command` ("survey", or the name of a test).
 */
int pario_resume_begin(struct pario_resume *resume, struct pario_config *config,
		       const char *command, const char *path, struct pario_err *err);

/* Are there as many clients as there were? */
int pario_resume_clients(const struct pario_resume *resume, const struct pario_plan *plan,
			 uint64_t clients, struct pario_err *err);

#endif
