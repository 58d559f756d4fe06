/*
 * model: what the time of an operation follows from, in few numbers.
 *
 *	time of an operation = (T_call · f · f ... + bytes · T_trans · f · f ...) · f · f ...
 *
 * T_call and T_trans (the law of the size, as in the overlap study) for each direction. A factor f >= 1 belongs to a
 * set of points, given by the levels of at most two axes and a direction, and slows down the call, the bytes, or both.
 * Clients share: a factor may also be a power of their number.
 */
#ifndef PARIO_SURVEY_MODEL_H
#define PARIO_SURVEY_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "survey/space.h"

enum { PARIO_MODEL_TERMS = 14, PARIO_MODEL_NUMBERS = 2 * PARIO_SPACE_MEASURES + PARIO_MODEL_TERMS };

enum pario_survey_part { PARIO_PART_ALL, PARIO_PART_CALL, PARIO_PART_BYTES };

struct pario_term {
	uint64_t
		levels[PARIO_AXES + 1]; /* of every axis and, last, the direction: where it holds */
	enum pario_survey_part part;
	bool sharing; /* the factor is clients to the power of beta, not e to it */
	double beta;
};

struct pario_survey_model {
	double call[PARIO_SPACE_MEASURES], byte[PARIO_SPACE_MEASURES]; /* ln of seconds */
	struct pario_term term[PARIO_MODEL_TERMS];
	unsigned terms;
	double scatter; /* of the points about it, as a standard deviation of the logarithm, robust */
};

/* A place in the space, which need not be one of its points: what model and terms ask about it. */
struct pario_spot {
	uint64_t at[PARIO_AXES + 1]; /* its level on each axis, as a bit */
	double log_bytes, log_clients;
	unsigned measure;
};

struct pario_spot pario_spot_of(const struct pario_space *space, size_t cell, unsigned measure);

/* What is known, for fitting: points with a number that are not held back. */
struct pario_rows {
	size_t count;
	size_t *cell;
	struct pario_spot *place;
	double *cost, *weight; /* 1 unless somebody draws them anew */
	unsigned *fold;
};

enum { PARIO_FOLDS = 5 };

int pario_rows_of(const struct pario_space *space, uint64_t seed, struct pario_rows *rows,
		  struct pario_err *err);
void pario_rows_release(struct pario_rows *rows);

/* Every level of the axis, or every direction: as a term's `levels`. */
uint64_t pario_levels_all(const struct pario_space *space, unsigned axis);

/* Axes, beyond the direction, on which a term does not hold everywhere. */
unsigned pario_term_axes(const struct pario_space *space, const struct pario_term *term);

bool pario_term_holds(const struct pario_term *term, const struct pario_spot *place);
bool pario_term_same(const struct pario_term *a, const struct pario_term *b);

/* ln of seconds; without the terms whose bits are set in `without`. */
double pario_model_cost(const struct pario_survey_model *model, const struct pario_spot *place,
			unsigned without);

/* By how much the cost grows with each of the model's numbers: the two parts of the law, then the terms. */
void pario_model_slope(const struct pario_survey_model *model, const struct pario_spot *place,
		       double slope[PARIO_MODEL_NUMBERS]);

/*
 * Fits all numbers of the model to the rows that are not of fold `without` (PARIO_FOLDS = to all), beginning where the
 * model stands. Single disturbed rows count less, the further off they are.
 */
void pario_model_fit(struct pario_survey_model *model, const struct pario_space *space,
		     const struct pario_rows *rows, unsigned without);

/* A model without terms, near the rows. */
void pario_model_begin(struct pario_survey_model *model, const struct pario_space *space,
		       const struct pario_rows *rows);

/*
 * The whole: a law, and terms as long as one stands out from the scatter by more than the best of all those tried would
 * by chance, and predicts left-out points better. `most` terms at most; what one of `barred` says is not tried.
 */
int pario_model_search(struct pario_survey_model *model, const struct pario_space *space,
		       const struct pario_rows *rows, unsigned most,
		       const struct pario_term *barred, size_t barred_count, struct pario_err *err);

#endif
