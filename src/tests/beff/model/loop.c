/*
 * loop: computes the length of the next loop, by the paper's rule or release 3.6's.
 */
#include "tests/beff/model/loop.h"

#include <math.h>

/* The paper's window is 2.5 to 5 ms, its middle 3.5. */
#define SHORTEST (2.5 / 3.5)

void pario_beff_pace_clear(struct pario_beff_pace *pace)
{
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		pace->seconds[i] = NAN;
}

/* The nearest known length below; -1 = none. */
static int known_below(const struct pario_beff_pace *pace, int length)
{
	while (--length >= 0 && isnan(pace->seconds[length]))
		;
	return length;
}

double pario_beff_pace_expect(const struct pario_beff_pace *pace,
			      const uint64_t lengths[PARIO_BEFF_LENGTHS], unsigned length)
{
	int near, far;
	double slope, expected, most;

	if (!isnan(pace->seconds[length]))
		return pace->seconds[length];
	near = known_below(pace, (int)length);
	if (near < 0)
		return NAN;
	far = known_below(pace, near);
	if (far < 0)
		return pace->seconds[near];
	slope = (pace->seconds[near] - pace->seconds[far]) / (double)(lengths[near] - lengths[far]);
	expected = pace->seconds[near];
	if (slope > 0)
		expected += slope * (double)(lengths[length] - lengths[near]);
	most = pace->seconds[near] * (double)lengths[length] / (double)lengths[near];
	return expected < most ? expected : most;
}

uint64_t pario_beff_loop_paper(double expected_s, double aim_s)
{
	double loops;

	if (isnan(expected_s))
		return PARIO_BEFF_FIRST;
	/* A clock that did not move says only that much more is needed. */
	if (expected_s <= aim_s / 1e7)
		return 10000000;
	loops = floor(aim_s / expected_s);
	/* Of a few long iterations one more ends within the window where one less ends before it. */
	return (uint64_t)(loops * expected_s < aim_s * SHORTEST ? loops + 1 : loops);
}

void pario_beff_loop36_init(struct pario_beff_loop36 *state, double target_s, double a)
{
	*state = (struct pario_beff_loop36){ .target_s = target_s,
					     .a = a,
					     .loop = PARIO_BEFF_PREPHASE };
}

/* After the first look at length 0; its time stays in the account of that length. */
static uint64_t first(struct pario_beff_loop36 *s)
{
	double loops = PARIO_BEFF_PREPHASE * (s->target_s / s->spent_s);

	s->most = PARIO_BEFF_PREPHASE;
	if (s->spent_s > 0 && loops > PARIO_BEFF_PREPHASE)
		s->most = (uint64_t)loops;
	s->loop = s->most / 2;
	return s->loop;
}

uint64_t pario_beff_loop36_next(struct pario_beff_loop36 *s, unsigned length)
{
	double loops;

	if (length == 0)
		return first(s);
	if (s->spent_s > 0) {
		loops = (double)s->loop / (length <= 12 ? 2 : s->a) *
			fmax(1, s->target_s / s->spent_s);
		s->loop = (uint64_t)fmax(1, fmin(loops, (double)s->most));
	}
	s->spent_s = 0;
	return s->loop;
}
