/*
 * guess: what would a point take that was not measured? The model's word, moved by how far off it was at measured
 * points near it, and an interval that comes from how far off such guesses are at the measured points, each guessed
 * without itself.
 */
#ifndef PARIO_SURVEY_GUESS_H
#define PARIO_SURVEY_GUESS_H

#include "base/text.h"
#include "survey/model.h"

struct pario_guesser {
	const struct pario_space *space;
	const struct pario_survey_model *model;
	struct pario_rows rows;
	double *left; /* what the model leaves of each row */
	double *off;  /* how far off each row's own guess is */
};

struct pario_guess {
	double cost, low, high; /* ln of seconds; 90 % of points lie within */
};

int pario_guesser_init(struct pario_guesser *guesser, const struct pario_space *space,
		       const struct pario_survey_model *model, struct pario_err *err);
void pario_guesser_release(struct pario_guesser *guesser);

struct pario_guess pario_guess_at(const struct pario_guesser *guesser,
				  const struct pario_spot *place);

/* How well the model, and how well guesses, do at the points that were held back. */
struct pario_test_of_model {
	size_t points;
	double median;	  /* half of them lie within this factor of the model, minus 1 */
	double explained; /* share of the variance of their log rates that the model explains */
	double within;	  /* share of them that lie in the interval of their guess */
};

struct pario_test_of_model pario_guess_test(const struct pario_guesser *guesser);

/* Half of the points that were held back lie so far from the model that neither what it says nor its silence counts. */
bool pario_guess_doubted(const struct pario_test_of_model *test);

/*
 * What is said where no statement beyond the law of the size is made: that nothing slows access down this much, or,
 * where the model missed its test by more than that, or had none, that this cannot be said. `law` = the law is stated.
 */
void pario_guess_none_text(const struct pario_test_of_model *test, double threshold, bool law,
			   struct pario_text *out);

/*
 * "read random 64k shared mpiio 8": a point in words, in any order. Words name levels; a size and a number of
 * clients may lie between those of the survey. What is not named stays open: then the answer is an error that says
 * what is missing.
 */
int pario_guess_parse(const struct pario_space *space, const char *question,
		      struct pario_spot *place, struct pario_err *err);

#endif
