/*
 * measure: the set of a characterization, measured: all parts once, then all again, so that what changes with time
 * changes all of them alike. What the time does not allow is left out, and the last rounds first.
 */
#ifndef PARIO_CHARACTERIZE_MEASURE_MEASURE_H
#define PARIO_CHARACTERIZE_MEASURE_MEASURE_H

#include "session/session.h"

struct pario_characterization {
	struct pario_plan frame; /* the command's own options, settled */
	uint64_t clients;
	double minutes;
};

/* At most so much of the disk is used at a time. */
uint64_t pario_characterization_space(const struct pario_characterization *c);

/* Client 0, between pario_session_begin and pario_session_end. */
int pario_characterization_measure(struct pario_characterization *c, struct pario_session *session,
				   struct pario_err *err);

#endif
