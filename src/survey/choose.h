/*
 * choose: where to measure next, from the model and what is known: it measures nothing and knows no clock.
 */
#ifndef PARIO_SURVEY_CHOOSE_H
#define PARIO_SURVEY_CHOOSE_H

#include "survey/model.h"
#include "survey/statement.h"

/*
 * The points to begin with, in an order whose every beginning has the levels of all axes, and pairs of them, about
 * equally often; returns how many. `list` has room for space->cells. Held points and those tried are left out.
 */
size_t pario_choose_start(const struct pario_space *space, uint64_t seed, size_t *list,
			  struct pario_err *err);

/*
 * At most `most` points where the model is least sure: where models of points drawn anew disagree, where little was
 * measured near, and points that lie far off it, which are measured again. Returns how many; 0 = nothing is left.
 */
size_t pario_choose_next(const struct pario_space *space, const struct pario_survey_model *model,
			 uint64_t seed, size_t most, size_t *list, struct pario_err *err);

/* Two points that differ on one axis: one where a statement holds and one where it does not. */
struct pario_beside {
	size_t in, out;
	unsigned measure;
	double says,
		effect; /* ln of the factor between them, by the model; and what the statement has in it */
};

/*
 * Pairs that could show that the statement is wrong: the most doubtful ones and others in turn; returns how
 * many, at most `most`.
 */
size_t pario_choose_pairs(const struct pario_space *space, const struct pario_survey_model *model,
			  const struct pario_statement *statement, uint64_t seed, size_t most,
			  struct pario_beside *pairs);

#endif
