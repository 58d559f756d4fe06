/*
 * loop: how often a message is sent in one measurement (docs/beff.md).
 *
 * The paper's rule is stated for one loop: about 3.5 ms (2.5 to 5), 300 iterations for the first, at least one. The
 * next loop is predicted from the time of one iteration at shorter lengths. Release 3.6 plans one method over all
 * patterns at once.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_LOOP_H
#define PARIO_TESTS_BEFF_MODEL_LOOP_H

#include <stdint.h>

#include "tests/beff/model/constants.h"

/* Seconds of one iteration by length, of one pattern and method; NaN = not measured yet. */
struct pario_beff_pace {
	double seconds[PARIO_BEFF_LENGTHS];
};

void pario_beff_pace_clear(struct pario_beff_pace *pace);

/*
 * What one iteration will take: as last time, or further along the line through the last two shorter lengths, but not
 * above proportional to the length. NaN when nothing is known.
 */
double pario_beff_pace_expect(const struct pario_beff_pace *pace,
			      const uint64_t lengths[PARIO_BEFF_LENGTHS], unsigned length);

/* The paper's loop length for a loop of `aim_s`. */
uint64_t pario_beff_loop_paper(double expected_s, double aim_s);

/* Release 3.6: the state of one method. */
struct pario_beff_loop36 {
	double target_s, a;
	double spent_s; /* process 0's time at this length, over all patterns */
	uint64_t most, loop;
};

void pario_beff_loop36_init(struct pario_beff_loop36 *state, double target_s, double a);

/* Asked once before each length; for length 0 after its first look was timed. */
uint64_t pario_beff_loop36_next(struct pario_beff_loop36 *state, unsigned length);

#endif
