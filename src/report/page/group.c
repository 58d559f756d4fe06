/*
 * group: one pass finds the groups by hash, a second deals the readings out.
 */
#include "report/page/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/stats.h"

/* Strings are kept once, so pointers stand for them. */
static uint64_t key_of(const struct pario_reading *r)
{
	uint64_t h = pario_random_join((uintptr_t)r->of->test, (uintptr_t)r->of->point);

	h = pario_random_join(h, (uintptr_t)r->of->phase);
	return pario_random_join(h, pario_random_join(r->of->clients, r->of->volume));
}

static bool same(const struct pario_reading *a, const struct pario_reading *b)
{
	return a->of->test == b->of->test && a->of->point == b->of->point &&
	       a->of->phase == b->of->phase && a->of->clients == b->of->clients &&
	       a->of->volume == b->of->volume;
}

struct finder {
	size_t *slot; /* group + 1, 0 = free */
	size_t capacity;
};

/* The group of a reading, a new one at its first; SIZE_MAX without memory is impossible: all is allocated before. */
static size_t find(struct finder *f, struct pario_groups *g, const struct pario_reading *r)
{
	size_t i = (size_t)key_of(r) & (f->capacity - 1);

	while (f->slot[i] && !same(g->group[f->slot[i] - 1].first, r))
		i = (i + 1) & (f->capacity - 1);
	if (!f->slot[i]) {
		g->group[g->count] = (struct pario_group){
			.first = r, .reason = "", .unit = "", .headline = "", .better = 1
		};
		f->slot[i] = ++g->count;
	}
	return f->slot[i] - 1;
}

static double median_by(const struct pario_groups *g, const struct pario_group *group,
			double *values, size_t offset)
{
	size_t n = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct pario_reading *r = g->member[group->begin + i];
		double value;

		memcpy(&value, (const char *)&r->more->latency_ns + offset, sizeof(value));
		if (isfinite(value))
			values[n++] = value;
	}
	return n ? pario_stats_median(values, n) : (double)NAN;
}

static void fold_latency(const struct pario_groups *g, struct pario_group *group, double *values)
{
	struct pario_latency *l = &group->latency_ns;
	static const size_t offsets[] = {
		offsetof(struct pario_latency, min),  offsetof(struct pario_latency, p50),
		offsetof(struct pario_latency, p90),  offsetof(struct pario_latency, p99),
		offsetof(struct pario_latency, p999), offsetof(struct pario_latency, max),
	};
	double *const fields[] = { &l->min, &l->p50, &l->p90, &l->p99, &l->p999, &l->max };

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		*fields[i] = median_by(g, group, values, offsets[i]);
}

/* The first number says in which unit all are: a repetition that ended early may have another. */
static bool has_number(struct pario_group *group, const struct pario_reading *r)
{
	if ((r->outcome != PARIO_PASS && r->outcome != PARIO_SUSPECT) ||
	    !isfinite(pario_reading_value(r)))
		return false;
	if (group->numbers == 0) {
		group->unit = pario_reading_unit(r);
		group->headline = r->of->headline;
		group->better = r->of->better;
	}
	return strcmp(group->headline, r->of->headline) == 0 &&
	       strcmp(group->unit, pario_reading_unit(r)) == 0;
}

static bool was_stopped(const struct pario_reading *r)
{
	return r->outcome == PARIO_SUSPECT && strstr(r->reason, PARIO_RESULT_EARLY);
}

struct turn {
	uint64_t repetition;
	size_t at;
};

static int by_repetition(const void *x, const void *y)
{
	const struct turn *a = x, *b = y;

	if (a->repetition != b->repetition)
		return a->repetition < b->repetition ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Marks what was stopped and has a later result of the same repetition; few groups have any. */
static bool mark_redone(struct pario_groups *g, const struct pario_group *group)
{
	const struct pario_reading **member = g->member + group->begin;
	struct turn *turns;
	size_t stopped = 0;

	for (size_t i = 0; i < group->count; i++)
		stopped += was_stopped(member[i]);
	if (!stopped)
		return true;
	turns = malloc(group->count * sizeof(*turns));
	if (!turns)
		return false;
	for (size_t i = 0; i < group->count; i++)
		turns[i] = (struct turn){ member[i]->repetition, i };
	qsort(turns, group->count, sizeof(*turns), by_repetition);
	for (size_t i = 0; i + 1 < group->count; i++)
		g->redone[group->begin + turns[i].at] =
			turns[i].repetition == turns[i + 1].repetition &&
			was_stopped(member[turns[i].at]);
	free(turns);
	return true;
}

bool pario_group_redone(const struct pario_groups *groups, const struct pario_group *group,
			size_t i)
{
	return groups->redone[group->begin + i];
}

static void fold(const struct pario_groups *g, struct pario_group *group, double *values)
{
	struct pario_stats stats;

	group->median = group->low = group->high = group->maximum = group->deviation = NAN;
	for (size_t i = 0; i < group->count; i++) {
		const struct pario_reading *r = g->member[group->begin + i];

		if (pario_group_redone(g, group, i))
			continue;
		if (r->outcome != PARIO_PASS &&
		    (!*group->reason || (r->outcome == PARIO_FAIL && !group->failures)))
			group->reason = r->reason;
		group->repetitions++;
		group->suspects += r->outcome == PARIO_SUSPECT;
		group->failures += r->outcome == PARIO_FAIL;
		group->skips += r->outcome == PARIO_SKIP;
		group->latency_ns.count += r->more->latency_ns.count;
		if (has_number(group, r))
			values[group->numbers++] = pario_reading_value(r);
	}
	if (group->numbers) {
		group->median = pario_stats_median(values, group->numbers);
		group->coverage = pario_stats_median_interval(values, group->numbers, &group->low,
							      &group->high);
		stats = pario_stats_of(values, group->numbers);
		group->maximum = stats.max;
		group->deviation = sqrt(stats.variance);
	}
	fold_latency(g, group, values);
}

static void deal(struct pario_groups *g, const size_t *of)
{
	const struct pario_archive *a = g->archive;
	size_t begin = 0;

	for (size_t i = 0; i < a->reading_count; i++)
		g->group[of[i]].count++;
	for (size_t i = 0; i < g->count; i++) {
		g->group[i].begin = begin;
		begin += g->group[i].count;
		g->group[i].count = 0;
	}
	for (size_t i = 0; i < a->reading_count; i++) {
		struct pario_group *group = &g->group[of[i]];

		g->member[group->begin + group->count++] = &a->reading[i];
	}
}

int pario_groups_of(struct pario_archive *archive, struct pario_groups *groups,
		    struct pario_err *err)
{
	size_t n = archive->reading_count, capacity = 64;
	struct finder finder = { 0 };
	bool memory;
	double *values = malloc((n + 1) * sizeof(*values));
	size_t *of = malloc((n + 1) * sizeof(*of));

	while (capacity < 2 * n)
		capacity *= 2;
	*groups = (struct pario_groups){ .archive = archive };
	finder = (struct finder){ calloc(capacity, sizeof(size_t)), capacity };
	groups->group = calloc(n + 1, sizeof(*groups->group));
	groups->member = calloc(n + 1, sizeof(const struct pario_reading *));
	groups->redone = calloc(n + 1, sizeof(*groups->redone));
	memory = values && of && finder.slot && groups->group && groups->member && groups->redone;
	for (size_t i = 0; memory && i < n; i++)
		of[i] = find(&finder, groups, &archive->reading[i]);
	if (memory)
		deal(groups, of);
	for (size_t i = 0; memory && i < groups->count; i++) {
		memory = mark_redone(groups, &groups->group[i]);
		fold(groups, &groups->group[i], values);
	}
	free(values);
	free(of);
	free(finder.slot);
	if (memory)
		return 0;
	pario_groups_release(groups);
	return pario_err_memory(err, "%zu results", n);
}

void pario_groups_release(struct pario_groups *groups)
{
	free(groups->group);
	free(groups->member);
	free(groups->redone);
	*groups = (struct pario_groups){ 0 };
}

double pario_group_amount(const struct pario_groups *groups, const struct pario_group *group,
			  const char *name, double *low, double *high)
{
	double *values = malloc((group->count + 1) * sizeof(*values)), median = NAN;
	size_t n = 0;

	*low = *high = NAN;
	for (size_t i = 0; values && i < group->count; i++) {
		double value = pario_reading_find(groups->member[group->begin + i], name).value;

		if (isfinite(value))
			values[n++] = value;
	}
	if (n) {
		median = pario_stats_median(values, n);
		pario_stats_median_interval(values, n, low, high);
	}
	free(values);
	return median;
}

const char *pario_group_remark(const struct pario_group *group)
{
	if (group->numbers)
		return group->suspects ? "suspect" : "";
	return group->failures ? "failed" : group->skips == group->count ? "skipped" : "no number";
}

/* A time that is not positive is noise. */
static bool trusted(const struct pario_group *g)
{
	return !g->suspects && (g->better >= 0 || g->median > 0);
}

bool pario_group_better(const struct pario_group *a, const struct pario_group *b)
{
	if (trusted(a) != trusted(b))
		return trusted(a);
	return a->better < 0 ? a->median < b->median : a->median > b->median;
}
