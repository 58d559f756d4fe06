/*
 * overhead: from passes over a file to transfer rates and CPU overhead per sector, with errors.
 */
#include "tests/overlap/model/overhead.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

enum {
	PASSES = 1024, /* of one size; more add nothing */
	ENOUGH = 3,    /* quiet passes of a kind that make the others unneeded */
};

/* The median of a normal sample scatters by this much more than its mean, sqrt(pi / 2). */
#define MEDIAN_WIDTH 1.2533141373155

static double half_width(const double *values, size_t n)
{
	return n < 2 ? (double)NAN : pario_stats_mean_halfwidth(values, n);
}

struct pario_estimate pario_overlap_centre(double *values, size_t n, size_t *kept)
{
	double distance[PASSES], median, spread;
	size_t left = 0;

	if (n > PASSES)
		n = PASSES;
	median = pario_stats_median(values, n);
	for (size_t i = 0; i < n; i++)
		distance[i] = fabs(values[i] - median);
	spread = pario_stats_median(distance, n);
	/* Where most values are equal nothing can be called skewed by its distance. */
	for (size_t i = 0; i < n; i++)
		if (!(spread > 0) || fabs(values[i] - median) <= PARIO_SKEW * spread)
			values[left++] = values[i];
	if (kept)
		*kept = left;
	return (struct pario_estimate){ pario_stats_median(values, left),
					MEDIAN_WIDTH * half_width(values, left) };
}

static double sectors(const struct pario_overlap_pass *p, double sector)
{
	return p->calls * p->size / sector;
}

bool pario_overlap_control_quiet(const struct pario_overlap_pass *p)
{
	return !(p->idle_late_ns > PARIO_QUIET * p->idle_loops * p->idle_ns);
}

bool pario_overlap_quiet(const struct pario_overlap_pass *p)
{
	return pario_overlap_control_quiet(p) && !(p->queue_ns > PARIO_QUIET * p->elapsed_ns);
}

/* CPU time of the loops of a pass. */
static double computed_ns(const struct pario_overlap_pass *p)
{
	return p->loops * (p->idle_cpu_ns > 0 ? p->idle_cpu_ns : p->idle_ns);
}

/* Which kinds have so many quiet passes of this size that the others are left out? */
static void find_quiet(const struct pario_overlap_pass *passes, size_t n, double size,
		       bool enough[PARIO_PARTS])
{
	size_t quiet[PARIO_PARTS] = { 0 };

	for (size_t i = 0; i < n; i++)
		if (passes[i].size == size && passes[i].calls > 0)
			quiet[passes[i].part] += pario_overlap_quiet(&passes[i]);
	for (int part = 0; part < PARIO_PARTS; part++)
		enough[part] = quiet[part] >= ENOUGH;
}

double pario_overlap_difference(const struct pario_overlap_pass *p, double sector)
{
	if (p->part == PARIO_PART_SYNC)
		return NAN;
	return (p->elapsed_ns - p->loops * p->idle_ns) / sectors(p, sector);
}

double pario_overlap_scheduled(const struct pario_overlap_pass *p, double sector)
{
	double asleep_ns = p->blocking ? p->elapsed_ns - p->thread_ns - p->queue_ns : 0;

	if (p->part == PARIO_PART_SYNC)
		return NAN;
	return (p->thread_ns + fmax(asleep_ns, 0) - computed_ns(p)) / sectors(p, sector);
}

double pario_overlap_cpu(const struct pario_overlap_pass *p, double sector)
{
	if (p->part == PARIO_PART_SYNC)
		return NAN;
	return (p->process_ns - computed_ns(p)) / sectors(p, sector);
}

/* Time per operation of one channel, which the other channels' operations share. */
static double per_operation(const struct pario_overlap_pass *p)
{
	return p->elapsed_ns * p->channels / p->calls;
}

static double rate_of(const struct pario_overlap_pass *p)
{
	return p->calls * p->size / p->elapsed_ns * 1e9;
}

struct collected {
	double value[PASSES];
	size_t count;
};

struct later {
	struct collected rate, calls;
};

static struct pario_estimate centre(struct collected *c)
{
	return pario_overlap_centre(c->value, c->count, NULL);
}

static void collect(struct collected *c, double value)
{
	if (c->count < PASSES && isfinite(value))
		c->value[c->count++] = value;
}

static bool differ(const struct pario_estimate *a, const struct pario_estimate *b)
{
	return fabs(a->value - b->value) > a->error + b->error;
}

double pario_overlap_bound(const struct pario_estimate *e)
{
	return fmax(e->value, 0) + e->error;
}

static struct pario_estimate ratio(const struct pario_estimate *full,
				   const struct pario_estimate *half)
{
	double value = full->value / half->value;

	return (struct pario_estimate){ value - 1, value * hypot(full->error / full->value,
								 half->error / half->value) };
}

/* How long others kept the thread from running, of a pass that counts. */
static double waited(const struct pario_overlap_pass *p)
{
	double control = p->idle_late_ns / (p->idle_loops * p->idle_ns);

	return fmax(p->queue_ns / p->elapsed_ns, control);
}

/* What the passes of one size say, each of them. */
struct gathered {
	struct collected sync, rate, busy, full, half, diff, sched, cpu, long_loop, short_loop,
		length, waited;
	struct later later, busy_later;
};

static void gather_later(struct later *l, const struct pario_overlap_pass *p)
{
	double calls = p->calls - p->channels * p->walks;

	if (!(p->walks > 0 && calls > 0))
		return;
	collect(&l->rate, calls * p->size / (p->elapsed_ns - p->first_ns) * 1e9);
	collect(&l->calls, calls / (p->channels * p->walks));
}

static struct pario_overlap_later later_of(struct later *l)
{
	return (struct pario_overlap_later){ centre(&l->rate), centre(&l->calls).value };
}

static void gather_computing(struct gathered *g, const struct pario_overlap_pass *p, double sector)
{
	bool full = p->part == PARIO_PART_FULL;

	collect(full ? &g->full : &g->half, per_operation(p));
	if (full) {
		collect(&g->busy, rate_of(p));
		gather_later(&g->busy_later, p);
	}
	collect(&g->diff, pario_overlap_difference(p, sector));
	collect(full ? &g->long_loop : &g->short_loop, pario_overlap_difference(p, sector));
	collect(&g->sched, pario_overlap_scheduled(p, sector));
	collect(&g->cpu, pario_overlap_cpu(p, sector));
}

/* The passes of this size; those that count go into *g, and all of them are counted. */
static void gather(struct gathered *g, struct pario_overlap_point *point,
		   const struct pario_overlap_pass *passes, size_t n, double sector)
{
	bool enough[PARIO_PARTS];

	find_quiet(passes, n, point->size, enough);
	for (size_t i = 0; i < n; i++) {
		const struct pario_overlap_pass *p = &passes[i];

		if (p->size != point->size || !(p->calls > 0))
			continue;
		point->channels = p->channels;
		point->passes++;
		collect(&g->length, p->elapsed_ns);
		point->disturbed += !pario_overlap_quiet(p);
		point->late_controls += !pario_overlap_control_quiet(p);
		if (p->part == PARIO_PART_FULL)
			point->loop_ns = p->loop_ns;
		if (enough[p->part] && !pario_overlap_quiet(p))
			continue;
		collect(&g->waited, waited(p));
		if (p->part != PARIO_PART_SYNC) {
			gather_computing(g, p, sector);
			continue;
		}
		collect(&g->sync, per_operation(p));
		collect(&g->rate, rate_of(p));
		gather_later(&g->later, p);
	}
}

/* Less what the procedure costs, which is known no better than its error. */
static struct pario_estimate without(struct pario_estimate e, double own, double error)
{
	return (struct pario_estimate){ e.value - own, hypot(e.error, error) };
}

static struct pario_estimate mean(const struct collected *c)
{
	return (struct pario_estimate){ pario_stats_of(c->value, c->count).mean,
					half_width(c->value, c->count) };
}

struct pario_overlap_point pario_overlap_point(const struct pario_overlap_pass *passes, size_t n,
					       double size, double sector,
					       const struct pario_overlap_own *own)
{
	struct pario_overlap_point point = { .size = size, .channels = 1, .loop_ns = NAN };
	struct gathered *g = calloc(1, sizeof(*g));
	struct pario_estimate a, b;
	double per_op = size / sector, call = own->call_ns / per_op, error = own->error_ns / per_op;

	if (!g)
		return point;
	gather(g, &point, passes, n, sector);
	point.pass_ns = centre(&g->length).value;
	point.sync_op_ns = without(centre(&g->sync), own->wait_ns * point.channels,
				   own->error_ns * point.channels);
	point.rate = centre(&g->rate);
	point.overlap_rate = centre(&g->busy);
	point.later = later_of(&g->later);
	point.overlap_later = later_of(&g->busy_later);
	point.difference_ns = without(centre(&g->diff), call, error);
	point.scheduled_ns = without(centre(&g->sched), call, error);
	point.cpu_ns = without(mean(&g->cpu), call, error);
	a = centre(&g->full);
	b = centre(&g->half);
	point.slowing = ratio(&a, &b);
	a = without(centre(&g->long_loop), call, error);
	b = without(centre(&g->short_loop), call, error);
	point.unlike = differ(&a, &b);
	point.disagree = differ(&point.difference_ns, &point.scheduled_ns);
	point.noisy = !(point.difference_ns.value > point.difference_ns.error);
	point.loud = mean(&g->waited).value > PARIO_LOUD;
	free(g);
	return point;
}
