/*
 * mixture: expectation and maximisation over the bins of a histogram.
 */
#include "base/mixture.h"

#include <math.h>

enum { STEPS = 100, LEAST_OBSERVATIONS = 5 };

static const double LEAST_DEVIATION = 0.05; /* of a logarithm: bins are not narrower */
static const double LEAST_FACTOR = 4;	    /* between the two */
static const double LEAST_SHARE = 0.02;
static const double LEAST_GAIN = 10; /* of the criterion: very strong, by its usual reading */
static const double LEAST_APART = 2; /* of their common deviation */

/* One normal distribution with its share. */
struct part {
	double share, mean, deviation;
};

static double density(const struct part *p, double x)
{
	double z = (x - p->mean) / p->deviation;

	return p->share * exp(-z * z / 2) / (p->deviation * sqrt(2 * M_PI));
}

/* Mean and deviation of the bins from `from` up to `to`. */
static struct part part_of(const double *logs, const double *weights, size_t from, size_t to,
			   double all)
{
	double n = 0, sum = 0, squares = 0;
	struct part p = { 0, 0, LEAST_DEVIATION };

	for (size_t i = from; i < to; i++) {
		n += weights[i];
		sum += weights[i] * logs[i];
	}
	if (!(n > 0))
		return p;
	p.share = n / all;
	p.mean = sum / n;
	for (size_t i = from; i < to; i++)
		squares += weights[i] * (logs[i] - p.mean) * (logs[i] - p.mean);
	p.deviation = fmax(LEAST_DEVIATION, sqrt(squares / n));
	return p;
}

/* The cut with the least variance on both sides together, which is the greatest between them. */
static size_t best_cut(const double *logs, const double *weights, size_t count, double all,
		       double sum)
{
	double n = 0, below = 0, best = -1;
	size_t cut = 0;

	for (size_t i = 0; i + 1 < count; i++) {
		double rest, between;

		n += weights[i];
		below += weights[i] * logs[i];
		rest = all - n;
		if (!(n > 0) || !(rest > 0) || !(weights[i] > 0))
			continue;
		between = n * rest * pow(below / n - (sum - below) / rest, 2);
		if (between > best) {
			best = between;
			cut = i + 1;
		}
	}
	return cut;
}

static void improve(struct part parts[2], const double *logs, const double *weights, size_t count,
		    double all)
{
	double n[2] = { 0 }, sum[2] = { 0 }, squares[2] = { 0 };

	for (size_t i = 0; i < count; i++) {
		double a, b, slow;

		if (!(weights[i] > 0))
			continue;
		a = density(&parts[0], logs[i]);
		b = density(&parts[1], logs[i]);
		slow = a + b > 0 ? b / (a + b) : logs[i] > parts[1].mean;
		for (int k = 0; k < 2; k++) {
			double w = weights[i] * (k ? slow : 1 - slow);

			n[k] += w;
			sum[k] += w * logs[i];
			squares[k] += w * logs[i] * logs[i];
		}
	}
	for (int k = 0; k < 2; k++) {
		if (!(n[k] > 0))
			continue;
		parts[k].share = n[k] / all;
		parts[k].mean = sum[k] / n[k];
		parts[k].deviation =
			fmax(LEAST_DEVIATION,
			     sqrt(fmax(0, squares[k] / n[k] - parts[k].mean * parts[k].mean)));
	}
}

static double likelihood(const struct part *parts, int count, const double *logs,
			 const double *weights, size_t bins)
{
	double sum = 0;

	for (size_t i = 0; i < bins; i++) {
		double d = 0;

		for (int k = 0; weights[i] > 0 && k < count; k++)
			d += density(&parts[k], logs[i]);
		if (weights[i] > 0)
			sum += weights[i] * log(fmax(d, 1e-300));
	}
	return sum;
}

/* The first bin between both means that is rather of the slower one. */
static size_t border_of(const struct part parts[2], const double *logs, size_t count)
{
	size_t i = 0;

	while (i < count && (logs[i] <= parts[0].mean ||
			     (logs[i] < parts[1].mean &&
			      density(&parts[0], logs[i]) >= density(&parts[1], logs[i]))))
		i++;
	return i;
}

static bool believable(const struct part parts[2], double gain, double all)
{
	double least = fmin(parts[0].share, parts[1].share);
	double common = sqrt((parts[0].deviation * parts[0].deviation +
			      parts[1].deviation * parts[1].deviation) /
			     2);
	double apart = parts[1].mean - parts[0].mean;

	return gain > LEAST_GAIN && apart >= log(LEAST_FACTOR) && apart > LEAST_APART * common &&
	       least >= LEAST_SHARE && least * all >= LEAST_OBSERVATIONS;
}

struct pario_mixture pario_mixture_fit(const double *logs, const double *weights, size_t count)
{
	struct part one, two[2];
	struct pario_mixture m = { .share = 1, .border = count };
	double all = 0, sum = 0;
	size_t cut;

	for (size_t i = 0; i < count; i++) {
		all += weights[i];
		sum += weights[i] * logs[i];
	}
	if (!(all > 0))
		return m;
	one = part_of(logs, weights, 0, count, all);
	m.mean[0] = m.mean[1] = one.mean;
	m.deviation[0] = m.deviation[1] = one.deviation;
	cut = best_cut(logs, weights, count, all, sum);
	if (!cut || all < 2 * LEAST_OBSERVATIONS)
		return m;
	two[0] = part_of(logs, weights, 0, cut, all);
	two[1] = part_of(logs, weights, cut, count, all);
	for (int i = 0; i < STEPS; i++)
		improve(two, logs, weights, count, all);
	/* two have three numbers more */
	m.gain = 2 * (likelihood(two, 2, logs, weights, count) -
		      likelihood(&one, 1, logs, weights, count)) -
		 3 * log(all);
	if (!believable(two, m.gain, all))
		return m;
	m.two = true;
	m.share = two[0].share;
	for (int k = 0; k < 2; k++) {
		m.mean[k] = two[k].mean;
		m.deviation[k] = two[k].deviation;
	}
	m.border = border_of(two, logs, count);
	return m;
}
