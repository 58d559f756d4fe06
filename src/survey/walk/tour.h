/*
 * tour: the measuring of a survey. A balanced start; then the points about which the model is least sure; then the
 * points that could show that a statement is wrong, alternated with their neighbours; last the points held back, which
 * test the whole.
 */
#ifndef PARIO_SURVEY_WALK_TOUR_H
#define PARIO_SURVEY_WALK_TOUR_H

#include "survey/record.h"
#include "survey/walk/walk.h"

struct pario_tour {
	struct pario_session *session;
	struct pario_walk *walk;
	size_t visits;	    /* of points, in this run */
	bool short_of_time; /* it was over before the points that were wanted were measured */
	/* what results are handed on to, once they are numbered */
	int (*hand_on)(struct pario_sink *sink, const struct pario_bound *bound,
		       const struct pario_result *result, struct pario_err *err);
};

/* Measures until nothing is left or the time is over, and finds what there is to say. */
int pario_tour_make(struct pario_tour *tour, struct pario_finding_set *found,
		    struct pario_err *err);

#endif
