/*
 * statement: what the model says that is worth saying: at most seven statements, each about a set of points that are
 * slower than they would be otherwise, or about what a call costs.
 */
#ifndef PARIO_SURVEY_STATEMENT_H
#define PARIO_SURVEY_STATEMENT_H

#include "base/text.h"
#include "survey/model.h"

enum { PARIO_STATEMENTS = 7, PARIO_STATEMENT_COLUMNS = 100 };

/* A factor and its 95 % interval. */
struct pario_factor {
	double value, low, high;
};

enum pario_survey_standing {
	PARIO_STANDS_UNTRIED, /* there was no time to measure its points again beside their neighbours */
	PARIO_STANDS_CONFIRMED, /* they were, and it held */
	PARIO_STANDS_NOT,	/* they were, and it did not */
	PARIO_STANDS_LAW,	/* the size law, which every point confirms */
};

struct pario_statement {
	struct pario_term where; /* its levels; part and beta mean nothing */
	unsigned axes; /* how many it names, a direction as half of one: the fewer, the simpler */
	enum pario_survey_standing standing;
	struct pario_factor
		at[PARIO_AXIS_LEVELS]; /* by level of the sizes; NaN where there is no such point */
	struct pario_factor
		same; /* of the law, instead: as many bytes cost as much as a call, for `direction` */
	double call_s;	    /* of the law: what a call costs */
	unsigned direction; /* of the law */
	unsigned support;   /* how many models of half of the points make it too */
	double costs;	    /* over the grid: mean logarithm of the factor */
	size_t points;	    /* measured ones that it is about, by direction */
	int axis;	    /* the remedy: another level on this axis; -1 = none was measured */
	unsigned level;
	double gain; /* of the remedy: median factor of the measured pairs of points */
};

/* Finds them, the dearest first, at most PARIO_STATEMENTS; returns how many, negative without memory. */
int pario_statements_of(const struct pario_space *space, const struct pario_survey_model *model,
			const struct pario_rows *rows, uint64_t seed, struct pario_statement *found,
			struct pario_err *err);

/* The largest factor of a statement over the sizes, and where. */
struct pario_factor pario_statement_worst(const struct pario_space *space,
					  const struct pario_statement *statement, unsigned *level);

/*
 * By how much it slows down this point of its set, as a logarithm: over the next best way outside the set. NaN where an
 * axis of the set has no such way (a file per client is not strided).
 */
double pario_statement_effect(const struct pario_space *space,
			      const struct pario_survey_model *model,
			      const struct pario_statement *statement, size_t cell,
			      unsigned measure);

/* The largest factor that a model has for a set of points over the sizes, whether or not it is stated. */
double pario_statement_factor(const struct pario_space *space,
			      const struct pario_survey_model *model,
			      const struct pario_term *where);

/* "Random reads through posix": what it is about. */
void pario_statement_name(const struct pario_space *space, const struct pario_statement *statement,
			  struct pario_text *out);

/* "38 × [31, 46] slower at 4 KiB, 4 × at 512 KiB, none from 4 MiB"; `detail` 0 says least, 2 all. */
void pario_statement_effect_text(const struct pario_space *space,
				 const struct pario_statement *statement, unsigned detail,
				 struct pario_text *out);

/* "align transfers (2.1 ×)"; nothing where nothing was measured to be faster. */
void pario_statement_remedy(const struct pario_space *space,
			    const struct pario_statement *statement, bool gain,
			    struct pario_text *out);

/* All of them, one line each, none wider than PARIO_STATEMENT_COLUMNS. */
void pario_statements_add(const struct pario_space *space, const struct pario_statement *statements,
			  size_t count, struct pario_text *out);

#endif
