/*
 * changes: which places of which lines are changes. Sums over the runs before any place make each test a matter of a
 * few operations, so that hundreds of thousands are tested in a fraction of a second.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/stats.h"
#include "history/chronicle.h"
#include "report/compare/difference.h"

/* Runs on each side that the Mann-Whitney test looks at, nearest first. */
enum { RANKED = 20 };

/* Two levels that differ by less than the numbers' own digits are no observation of noise. */
#define SPREAD_LEAST 1e-4

/* The runs of a line that count, with sums of their logarithms and of their squares. */
struct track {
	size_t *at; /* place in the line's moments */
	double *sum, *squares;
	size_t count;
};

/* A stretch between two changes, and the best place in it. */
struct stretch {
	size_t track, from, to, best;
	double p, ratio, low, high;
};

struct search {
	struct pario_chronicle *c;
	struct track *track;
	struct stretch *stretch;
	size_t count, capacity;
	double least;
};

static bool counts(const struct pario_moment *m, bool suspects)
{
	return m->value > 0 && isfinite(m->value) && (suspects || !m->suspect);
}

/* Suspect numbers are left out, unless hardly any others are there. */
static bool take_suspects(const struct pario_line *line)
{
	size_t good = 0;

	for (size_t i = 0; i < line->count; i++)
		good += counts(&line->moment[i], false);
	return good <= PARIO_CHANGE_BEFORE;
}

static int lay_track(struct track *t, const struct pario_line *line)
{
	bool suspects = take_suspects(line);
	double middle = NAN;

	t->at = malloc((line->count + 1) * sizeof(*t->at));
	t->sum = calloc(line->count + 1, sizeof(*t->sum));
	t->squares = calloc(line->count + 1, sizeof(*t->squares));
	if (!t->at || !t->sum || !t->squares)
		return -1;
	for (size_t i = 0; i < line->count; i++) {
		double value;

		if (!counts(&line->moment[i], suspects))
			continue;
		/* counted from the first one: squares of large logarithms would lose digits */
		middle = isnan(middle) ? log(line->moment[i].value) : middle;
		value = log(line->moment[i].value) - middle;
		t->at[t->count] = i;
		t->sum[t->count + 1] = t->sum[t->count] + value;
		t->squares[t->count + 1] = t->squares[t->count] + value * value;
		t->count++;
	}
	return 0;
}

/* Sum of squares around the mean of from..to-1. */
static double scatter(const struct track *t, size_t from, size_t to)
{
	double sum = t->sum[to] - t->sum[from], n = (double)(to - from);

	return fmax(t->squares[to] - t->squares[from] - sum * sum / n, 0);
}

/* Student's t of a shift at `at` within from..to-1, and its degrees of freedom; the error goes to *error. */
static double shift_at(const struct track *t, size_t from, size_t at, size_t to, double *shift,
		       double *error)
{
	double before = (double)(at - from), after = (double)(to - at);
	double freedom = before + after - 2;
	double variance = (scatter(t, from, at) + scatter(t, at, to)) / freedom;

	variance = fmax(variance, SPREAD_LEAST * SPREAD_LEAST);
	*shift = (t->sum[to] - t->sum[at]) / after - (t->sum[at] - t->sum[from]) / before;
	*error = sqrt(variance * (1 / before + 1 / after));
	return *shift / *error;
}

static double two_sided(double t, double freedom)
{
	return pario_stats_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/* Finds the place of the largest |t| and judges it. The degrees of freedom are the same everywhere in the stretch. */
static void look(const struct search *s, struct stretch *w)
{
	const struct track *t = &s->track[w->track];
	double best = 0, shift, error, half;

	w->best = 0;
	w->p = 1;
	for (size_t at = w->from + PARIO_CHANGE_BEFORE; at < w->to; at++) {
		double here = fabs(shift_at(t, w->from, at, w->to, &shift, &error));

		if (here > best && fabs(expm1(shift)) >= s->least) {
			best = here;
			w->best = at;
		}
	}
	if (!w->best)
		return;
	shift_at(t, w->from, w->best, w->to, &shift, &error);
	half = error * pario_stats_student(0.975, (double)(w->to - w->from) - 2);
	w->p = two_sided(best, (double)(w->to - w->from) - 2);
	w->ratio = exp(shift);
	w->low = exp(shift - half);
	w->high = exp(shift + half);
}

/* Do the ranks agree? Where there are too few of them to say anything, they are not asked. */
static bool ranks_agree(const struct search *s, const struct stretch *w)
{
	const struct track *t = &s->track[w->track];
	const struct pario_line *line = &s->c->line[w->track];
	double a[RANKED], b[RANKED];
	size_t before = w->best - w->from, after = w->to - w->best;

	before = before < RANKED ? before : RANKED;
	after = after < RANKED ? after : RANKED;
	if (pario_difference_least_p(before, after) > PARIO_CHANGE_LEVEL)
		return true;
	for (size_t i = 0; i < before; i++)
		a[i] = line->moment[t->at[w->best - 1 - i]].value;
	for (size_t i = 0; i < after; i++)
		b[i] = line->moment[t->at[w->best + i]].value;
	return pario_difference_mann_whitney(a, before, b, after) <= PARIO_CHANGE_LEVEL;
}

static int add_stretch(struct search *s, size_t track, size_t from, size_t to)
{
	if (to < from + PARIO_CHANGE_BEFORE + 1)
		return 0;
	if (!pario_grow(s->stretch, s->count, s->capacity))
		return -1;
	s->stretch[s->count] = (struct stretch){ .track = track, .from = from, .to = to };
	look(s, &s->stretch[s->count++]);
	return 0;
}

static int mark(struct search *s, const struct stretch *w)
{
	struct pario_chronicle *c = s->c;
	const struct track *t = &s->track[w->track];
	struct pario_line *line = &c->line[w->track];
	struct pario_change *more = realloc(c->change, (c->changes + 1) * sizeof(*more));
	bool grows = w->ratio > 1;

	if (!more)
		return -1;
	c->change = more;
	c->change[c->changes++] = (struct pario_change){
		.line = w->track,
		.at = t->at[w->best],
		.from = t->at[w->from],
		.to = t->at[w->to - 1] + 1,
		.ratio = w->ratio,
		.low = w->low,
		.high = w->high,
		.p = w->p,
		.worse = line->better && grows != (line->better > 0),
		.better = line->better && grows == (line->better > 0),
	};
	line->changes++;
	if (t->at[w->best] > line->last_begin)
		line->last_begin = t->at[w->best];
	return 0;
}

/* Holm: the i-th smallest p is held against level / (places - i), and the first that fails ends it. */
static int step_down(struct search *s)
{
	while (s->count) {
		struct stretch *best = s->stretch, w;

		for (size_t i = 1; i < s->count; i++) {
			if (s->stretch[i].p < best->p)
				best = &s->stretch[i];
		}
		w = *best;
		if (!w.best || w.p * (double)(s->c->places - s->c->changes) > PARIO_CHANGE_LEVEL)
			return 0;
		*best = s->stretch[--s->count];
		if (!ranks_agree(s, &w))
			continue;
		if (mark(s, &w) < 0 || add_stretch(s, w.track, w.from, w.best) < 0 ||
		    add_stretch(s, w.track, w.best, w.to) < 0)
			return -1;
	}
	return 0;
}

static int latest_first(const void *x, const void *y, void *lines)
{
	const struct pario_change *a = x, *b = y;
	const struct pario_line *line = lines;
	int64_t at = line[a->line].moment[a->at].time_s, bt = line[b->line].moment[b->at].time_s;

	if (at != bt)
		return at > bt ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

int pario_changes_find(struct pario_chronicle *c, double least, struct pario_err *err)
{
	struct search s = { .c = c, .least = least };
	int status = 0;

	s.track = calloc(c->lines + 1, sizeof(*s.track));
	for (size_t i = 0; s.track && status == 0 && i < c->lines; i++) {
		status = lay_track(&s.track[i], &c->line[i]);
		if (status == 0 && s.track[i].count > PARIO_CHANGE_BEFORE)
			c->places += s.track[i].count - PARIO_CHANGE_BEFORE;
	}
	for (size_t i = 0; s.track && status == 0 && i < c->lines; i++)
		status = add_stretch(&s, i, 0, s.track[i].count);
	if (s.track && status == 0)
		status = step_down(&s);
	if (c->changes)
		qsort_r(c->change, c->changes, sizeof(*c->change), latest_first, c->line);
	for (size_t i = 0; s.track && i < c->lines; i++) {
		free(s.track[i].at);
		free(s.track[i].sum);
		free(s.track[i].squares);
	}
	free(s.stretch);
	if (!s.track || status < 0)
		status = pario_err_memory(err, NULL);
	free(s.track);
	return status;
}

size_t pario_changes_recent(const struct pario_chronicle *c, size_t recent)
{
	size_t count = 0;

	for (size_t i = 0; i < c->changes; i++)
		count += c->change[i].worse &&
			 c->change[i].at + recent >= c->line[c->change[i].line].count &&
			 c->change[i].at == c->line[c->change[i].line].last_begin;
	return count;
}

void pario_chronicle_release(struct pario_chronicle *c)
{
	for (size_t i = 0; i < c->lines; i++) {
		struct pario_line *l = &c->line[i];

		free(l->test);
		free(l->phase);
		free(l->words);
		free(l->place);
		free(l->unit);
		free(l->moment);
	}
	for (size_t i = 0; i < c->changes; i++)
		free(c->change[i].with);
	for (size_t i = 0; i < c->skips; i++)
		free(c->skipped[i]);
	for (size_t i = 0; i < c->paths; i++)
		free(c->path[i]);
	free(c->path);
	free(c->common);
	free(c->line);
	free(c->change);
	free(c->skipped);
	*c = (struct pario_chronicle){ 0 };
}
