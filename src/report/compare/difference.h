/*
 * difference: is b another number than a, or the same one measured twice?
 *
 * A number is point + run + repetition: runs of the same thing differ by more than their repetitions explain, for they
 * share a minute, a place on the device and neighbours. So a run is one observation, the median of its repetitions'
 * logarithms, and what decides is how far runs scatter (docs/methodology.md, "Is B faster than A?"). That comes, in
 * this order, from
 *   - pairs of runs measured alternately: the scatter of their ratios,
 *   - several runs of a side: their scatter about its mean, both sides together,
 *   - earlier runs of the same point: their scatter,
 *   - the runs themselves: as far as repetitions scatter, times what was measured on systems, or more where the
 *     repetitions drift.
 * The interval is Student's, with the degrees of freedom of that estimate. Misleads when the two sides were measured
 * at times further apart than what the scatter was taken from.
 */
#ifndef PARIO_REPORT_COMPARE_DIFFERENCE_H
#define PARIO_REPORT_COMPARE_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#define PARIO_DIFFERENCE_LEVEL 0.05

/* Fewer pairs do not show how far they scatter: `pario compare --run` measures at least so many. */
enum { PARIO_PAIRS_LEAST = 5 };

/*
 * An interval that holds 1 must lie within this factor of it for "no difference found": then a difference that large is
 * overlooked in 2.5 % at most. One that reaches further found nothing because nothing could be.
 */
#define PARIO_DIFFERENCE_RESOLUTION 1.2

enum pario_spread_source {
	PARIO_SPREAD_NONE, /* nothing is known: no verdict */
	PARIO_SPREAD_PAIRS,
	PARIO_SPREAD_RUNS,
	PARIO_SPREAD_HISTORY,
	PARIO_SPREAD_DRIFT,
	PARIO_SPREAD_USUAL,
	PARIO_SPREAD_SOURCES,
};

/* The repetitions of one run, in order. */
struct pario_run_values {
	const double *value;
	size_t count;
};

/* What earlier runs say: variances of the logarithms. */
struct pario_past {
	double between; /* of a run's median */
	double within;	/* of a repetition about its run's median; 0 = not known */
	double freedom; /* of `between`; 0 = too few runs */
	size_t runs;
};

/* Sums over points: do repetitions far apart in a run differ by more than neighbours do? */
struct pario_drift {
	double far, near;
	size_t points;
};

struct pario_question {
	const struct pario_run_values *a, *b;
	size_t a_count, b_count;
	bool paired; /* a[i] and b[i] were measured one after the other; the counts are equal */
	const struct pario_past *past;
	const struct pario_drift *drift;
};

struct pario_difference {
	double before,
		after; /* each side's number: the median of one run, the geometric mean of several */
	double ratio, low, high; /* after over before; NaN where there is none */
	double p;		 /* two-sided; 1 where nothing is known */
	double scatter; /* deviation of a run's number (its logarithm, or itself); NaN = not known */
	enum pario_spread_source source;
	bool differs;
	bool blurred; /* no difference was found, and one beyond the resolution could hide */
	bool apart;   /* every value of b is above, or every one below, all values of a */
	bool grows;   /* after is above before */
};

/*
 * Where a value is not positive there is no ratio, no logarithm is taken, and history does not apply. The same values
 * give the same answer.
 */
struct pario_difference pario_difference_of(const struct pario_question *question);

/* Needs five earlier runs; with fewer the freedom is 0. */
struct pario_past pario_past_of(const struct pario_run_values *runs, size_t count);

/* Adds a run's repetitions of one point. */
void pario_drift_add(struct pario_drift *drift, const struct pario_run_values *run);

/* Variance of a run's number, as a share of its repetitions' variance, that the drift makes likely; 0 = not known. */
double pario_drift_share(const struct pario_drift *drift);

/* Runs of each side after which an interval would reach no further than this factor from the ratio. */
size_t pario_difference_runs(double scatter, double factor);

/*
 * Benjamini and Hochberg: marks those of `count` p-values that stay when on average at most `rate` of the marked may
 * be false. Returns how many.
 */
size_t pario_difference_discover(const double *p, size_t count, double rate, bool *marked);

/*
 * Two-sided p of the Mann-Whitney test; exact (by counting, ties included) up to 40 values in all, normal approximation
 * beyond.
 */
double pario_difference_mann_whitney(const double *a, size_t a_count, const double *b,
				     size_t b_count);

/* The smallest p that so many values can give: 2 over the number of ways to deal them out. */
double pario_difference_least_p(size_t a_count, size_t b_count);

#endif
