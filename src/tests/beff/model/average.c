/*
 * average: the steps, each a function of one pattern, and the double logarithmic mean over them.
 */
#include "tests/beff/model/average.h"

#include <math.h>
#include <string.h>

double pario_beff_logavg(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			return NAN;
		sum += log(values[i]);
	}
	return count ? exp(sum / (double)count) : NAN;
}

double pario_beff_best(const struct pario_beff_table *table, unsigned pattern, unsigned length,
		       int method)
{
	double best = NAN;

	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++)
		for (unsigned r = 0; r < table->repetitions; r++)
			if (method < 0 || (unsigned)method == m)
				best = fmax(best,
					    pario_beff_at(table, pattern, length, m, r)->bandwidth);
	return best;
}

/* What is averaged over the patterns: a number of one pattern; `which` is a length or a method. */
typedef double figure(const struct pario_beff_table *table, unsigned pattern, unsigned which);

static double at_length(const struct pario_beff_table *table, unsigned pattern, unsigned length)
{
	return pario_beff_best(table, pattern, length, -1);
}

static double over_lengths(const struct pario_beff_table *table, unsigned pattern, int method)
{
	double sum = 0;

	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		sum += pario_beff_best(table, pattern, i, method);
	return sum / PARIO_BEFF_LENGTHS;
}

double pario_beff_mean(const struct pario_beff_table *table, unsigned pattern)
{
	return over_lengths(table, pattern, -1);
}

static double mean(const struct pario_beff_table *table, unsigned pattern, unsigned which)
{
	(void)which;
	return pario_beff_mean(table, pattern);
}

static double of_method(const struct pario_beff_table *table, unsigned pattern, unsigned method)
{
	return over_lengths(table, pattern, (int)method);
}

static double best_method(const struct pario_beff_table *table, unsigned pattern, unsigned which)
{
	double best = NAN;

	(void)which;
	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++)
		best = fmax(best, over_lengths(table, pattern, (int)m));
	return best;
}

static double best_repetition(const struct pario_beff_table *table, unsigned pattern,
			      unsigned which)
{
	double best = NAN;

	(void)which;
	for (unsigned r = 0; r < table->repetitions; r++) {
		double sum = 0;

		for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++) {
			double most = NAN;

			for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++)
				most = fmax(most,
					    pario_beff_at(table, pattern, i, m, r)->bandwidth);
			sum += most;
		}
		best = fmax(best, sum / PARIO_BEFF_LENGTHS);
	}
	return best;
}

/* The logarithmic mean over the complete patterns of one kind, step by step as pario_beff_logavg does it. */
static double over_patterns(const struct pario_beff_table *table,
			    const struct pario_beff_pattern *patterns, enum pario_beff_kind kind,
			    figure *of, unsigned which)
{
	double sum = 0;
	unsigned count = 0;

	for (unsigned p = 0; p < table->patterns; p++) {
		double value;

		if (patterns[p].kind != kind)
			continue;
		if (kind == PARIO_BEFF_RANDOM && isnan(pario_beff_mean(table, p)))
			continue;
		value = of(table, p, which);
		if (!(value > 0))
			return NAN;
		sum += log(value);
		count++;
	}
	return count ? exp(sum / count) : NAN;
}

static double both(double rings, double random)
{
	return pario_beff_logavg((const double[]){ rings, random }, 2);
}

static double final(const struct pario_beff_table *table, const struct pario_beff_pattern *patterns,
		    figure *of, unsigned which)
{
	return both(over_patterns(table, patterns, PARIO_BEFF_RING, of, which),
		    over_patterns(table, patterns, PARIO_BEFF_RANDOM, of, which));
}

static void ping_pong(const struct pario_beff_table *table,
		      const struct pario_beff_pattern *patterns, struct pario_beff_figures *f)
{
	f->ping_pong = f->latency_ping_pong_s = NAN;
	for (unsigned p = 0; p < table->patterns; p++) {
		if (patterns[p].kind != PARIO_BEFF_PING_PONG)
			continue;
		f->ping_pong = at_length(table, p, PARIO_BEFF_LENGTHS - 1);
		/* One byte at a time: half a round trip is the time of one byte. */
		f->latency_ping_pong_s = 1 / at_length(table, p, 0);
	}
}

bool pario_beff_average(const struct pario_beff_table *table,
			const struct pario_beff_pattern *patterns, struct pario_beff_figures *f)
{
	unsigned n = table->patterns ? patterns[0].n : 0, last = PARIO_BEFF_LENGTHS - 1;

	memset(f, 0, sizeof(*f));
	for (unsigned p = 0; p < table->patterns; p++)
		f->randoms +=
			patterns[p].kind == PARIO_BEFF_RANDOM && !isnan(pario_beff_mean(table, p));
	f->rings = over_patterns(table, patterns, PARIO_BEFF_RING, mean, 0);
	f->random = over_patterns(table, patterns, PARIO_BEFF_RANDOM, mean, 0);
	f->b_eff = both(f->rings, f->random);
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++) {
		f->rings_by_length[i] =
			over_patterns(table, patterns, PARIO_BEFF_RING, at_length, i);
		f->random_by_length[i] =
			over_patterns(table, patterns, PARIO_BEFF_RANDOM, at_length, i);
		f->by_length[i] = both(f->rings_by_length[i], f->random_by_length[i]);
	}
	f->lmax = f->by_length[last];
	f->lmax_rings = f->rings_by_length[last];
	f->lmax_random = f->random_by_length[last];
	f->latency_s = n / f->by_length[0];
	f->latency_rings_s = n / f->rings_by_length[0];
	ping_pong(table, patterns, f);
	f->method_after_length = final(table, patterns, best_method, 0);
	f->repetition_after_length = final(table, patterns, best_repetition, 0);
	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++)
		f->by_method[m] = final(table, patterns, of_method, m);
	return f->b_eff > 0;
}
