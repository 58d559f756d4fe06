/*
 * rank: numbers are divided by nodes or clients and looked up in a distribution, given by quantiles or by values.
 */
#include "rank/rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rank/rates.h"
#include "rank/world.h"

/* A score is one already. */
static enum pario_rank_per per_of(const struct pario_rate *f, enum pario_rank_per wanted)
{
	if (strcmp(f->unit, "score") == 0)
		return PARIO_RANK_WHOLE;
	if (wanted != PARIO_RANK_AUTO)
		return wanted;
	return isfinite(f->nodes) ? PARIO_RANK_NODE : PARIO_RANK_CLIENT;
}

static struct pario_standing *add(struct pario_ranking *r, struct pario_err *err)
{
	if (!pario_grow(r->standing, r->count, r->capacity)) {
		pario_err_memory(err, NULL);
		return NULL;
	}
	r->standing[r->count] = (struct pario_standing){ 0 };
	return &r->standing[r->count++];
}

/* ---- a distribution: sorted values at equal steps of the share ---- */

/* The value below which a share lies; between two on a log scale. */
static double at_share(const double *sorted, size_t count, double share)
{
	double place = share * (double)(count - 1);
	size_t low = (size_t)place, high = low + 1 < count ? low + 1 : low;

	return sorted[low] * pow(sorted[high] / sorted[low], place - (double)low);
}

/* The bars leave out the outermost: single systems are a thousand times beside the others. */
#define TAIL 0.05

static void place(struct pario_standing *s, const double *sorted, size_t count)
{
	double step;

	s->better = pario_rank_share(sorted, count, s->value);
	s->low = at_share(sorted, count, 0.25);
	s->high = at_share(sorted, count, 0.75);
	s->lowest = at_share(sorted, count, TAIL);
	s->highest = at_share(sorted, count, 1 - TAIL);
	step = log(s->highest / s->lowest) / PARIO_RANK_BARS;
	for (int i = 0; i < PARIO_RANK_BARS && step > 0; i++)
		s->bars[i] = pario_rank_share(sorted, count, s->lowest * exp(step * (i + 1))) -
			     pario_rank_share(sorted, count, s->lowest * exp(step * i));
}

/* ---- the world ---- */

static const struct pario_world_row *world_row(const char *phase, enum pario_rank_per per,
					       const char *kind)
{
	const char *by = per == PARIO_RANK_NODE ? "node" : "client";

	for (const struct pario_world_row *row = pario_world; row->phase; row++) {
		if (strcmp(row->phase, phase) == 0 && strcmp(row->per, by) == 0 &&
		    strcmp(row->kind, kind) == 0)
			return row;
	}
	return NULL;
}

/* The kind as the table spells it. */
static int know_kind(const char *kind, const char **spelled, struct pario_err *err)
{
	struct pario_text known = { 0 };

	for (const struct pario_world_row *row = pario_world; row->phase; row++) {
		if (strcasecmp(row->kind, kind) == 0) {
			*spelled = row->kind;
			pario_text_release(&known);
			return 0;
		}
		if (*row->kind && !strstr(pario_text_string(&known), row->kind))
			pario_text_add(&known, "%s%s", known.length ? ", " : "", row->kind);
	}
	pario_err_set(err, PARIO_USAGE, "of %s there are not enough public systems; known are %s.",
		      kind, pario_text_string(&known));
	pario_text_release(&known);
	return -1;
}

static int stand_in_world(struct pario_ranking *r, const struct pario_rate *f,
			  enum pario_rank_per wanted, struct pario_err *err)
{
	enum pario_rank_per per = per_of(f, wanted);
	const struct pario_world_row *row = f->world ? world_row(f->world, per, r->kind) : NULL;
	struct pario_standing *s;

	if (!row || !isfinite(pario_rate_per(f, per))) {
		r->without++;
		return 0;
	}
	s = add(r, err);
	if (!s)
		return -1;
	snprintf(s->name, sizeof(s->name), "%s", f->world);
	s->unit = f->unit;
	s->per = per;
	s->value = pario_rate_per(f, per);
	s->others = row->systems;
	s->suspect = f->group->suspects > 0;
	place(s, row->quantile, PARIO_WORLD_QUANTILES);
	return 0;
}

int pario_rank_world(struct pario_archive *archive, enum pario_rank_per per, const char *kind,
		     struct pario_ranking *ranking, struct pario_err *err)
{
	struct pario_groups groups;
	struct pario_rate *figures;
	size_t count;
	int status = 0;

	*ranking = (struct pario_ranking){ .world = true, .kind = "" };
	if ((*kind && know_kind(kind, &ranking->kind, err) < 0) ||
	    pario_groups_of(archive, &groups, err) < 0)
		return -1;
	figures = calloc(groups.count + 1, sizeof(*figures));
	count = figures ? pario_rates_of(&groups, figures) : 0;
	if (!figures)
		status = pario_err_memory(err, NULL);
	for (size_t i = 0; status == 0 && i < count; i++)
		status = stand_in_world(ranking, &figures[i], per, err);
	free(figures);
	pario_groups_release(&groups);
	return status;
}

/* ---- other runs ---- */

static int stand_among(struct pario_ranking *r, const struct pario_rate *f,
		       const struct pario_rate *others, size_t count, enum pario_rank_per wanted,
		       double *values, struct pario_err *err)
{
	enum pario_rank_per per = per_of(f, wanted);
	struct pario_text name = { 0 };
	struct pario_standing *s;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (pario_rate_alike(f, &others[i]) && isfinite(pario_rate_per(&others[i], per)))
			values[n++] = pario_rate_per(&others[i], per);
	}
	if (n == 0 || !isfinite(pario_rate_per(f, per))) {
		r->without++;
		return 0;
	}
	s = add(r, err);
	if (!s)
		return -1;
	qsort(values, n, sizeof(*values), pario_rank_ascending);
	pario_rate_name(f, &name);
	snprintf(s->name, sizeof(s->name), "%s", pario_text_string(&name));
	pario_text_release(&name);
	s->unit = f->unit;
	s->per = per;
	s->value = pario_rate_per(f, per);
	s->others = n;
	s->suspect = f->group->suspects > 0;
	place(s, values, n);
	s->better = 0;
	for (size_t i = 0; i < n; i++)
		s->better += (values[i] < s->value) / (double)n;
	return 0;
}

int pario_rank_others(struct pario_archive *archive, struct pario_archive *others,
		      enum pario_rank_per per, struct pario_ranking *ranking, struct pario_err *err)
{
	struct pario_groups own = { 0 }, theirs = { 0 };
	struct pario_rate *figures = NULL, *other = NULL;
	double *values = NULL;
	size_t count, other_count;
	int status = -1;

	*ranking = (struct pario_ranking){ .kind = "" };
	if (pario_groups_of(archive, &own, err) < 0 || pario_groups_of(others, &theirs, err) < 0)
		goto out;
	figures = calloc(own.count + 1, sizeof(*figures));
	other = calloc(theirs.count + 1, sizeof(*other));
	values = calloc(theirs.count + 1, sizeof(*values));
	if (!figures || !other || !values) {
		pario_err_memory(err, NULL);
		goto out;
	}
	count = pario_rates_of(&own, figures);
	other_count = pario_rates_of(&theirs, other);
	status = 0;
	for (size_t i = 0; status == 0 && i < count; i++)
		status = stand_among(ranking, &figures[i], other, other_count, per, values, err);
out:
	free(figures);
	free(other);
	free(values);
	pario_groups_release(&own);
	pario_groups_release(&theirs);
	return status;
}

void pario_ranking_release(struct pario_ranking *ranking)
{
	free(ranking->standing);
	*ranking = (struct pario_ranking){ 0 };
}
