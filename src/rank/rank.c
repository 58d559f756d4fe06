/*
 * rank: numbers are divided by nodes or clients and looked up in a distribution, given by quantiles or by values.
 *
 * Of several client counts of one point the best total counts, as in lists of results. With public systems a number is
 * compared with the phase of io500 that does the same: its own phases, and glance's large transfers and names in
 * directories of their own. Other numbers have nothing to be compared with there.
 */
#include "rank/rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "rank/world.h"
#include "report/page/group.h"

/* What of pario's own tests does the same as a phase of io500. */
static const struct {
	const char *test, *part, *phase, *world;
	double unit; /* of the world in units of the result */
} same[] = {
	{ "transfer", "part=large", "write", "ior-easy-write", 1024 },
	{ "transfer", "part=large", "read", "ior-easy-read", 1024 },
	{ "metadata", "part=metadata", "file_create", "mdtest-easy-write", 1000 },
	{ "metadata", "part=metadata", "file_stat", "mdtest-easy-stat", 1000 },
	{ "metadata", "part=metadata", "file_remove", "mdtest-easy-delete", 1000 },
};

/* A number of the run before it is compared. */
struct figure {
	const struct pario_group *group;
	const char *world; /* phase; NULL = none */
	const char *unit;
	double value, nodes, clients;
};

static double nodes_of(struct pario_archive *archive, const struct pario_reading *reading)
{
	const char *told = pario_reading_param(archive, reading, "nodes");
	struct pario_amount used = pario_reading_find(reading, "nodes_used");
	double nodes;

	if (used.name)
		return used.value;
	if (pario_units_parse_real("", told, &nodes, NULL) < 0)
		return (double)NAN;
	return nodes > 0 ? nodes : (double)NAN;
}

static void name_world(struct figure *f)
{
	const struct pario_kind *r = f->group->first->of;

	if (strcmp(r->test, "io500") == 0) {
		f->world = r->phase;
		return;
	}
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		if (strcmp(r->test, same[i].test) == 0 && strcmp(r->phase, same[i].phase) == 0 &&
		    strcmp(r->point, same[i].part) == 0) {
			f->world = same[i].world;
			f->value /= same[i].unit;
			f->unit = strncmp(f->world, "ior", 3) == 0 ? "GiB/s" : "kops/s";
		}
	}
}

static bool is_rate(const struct pario_group *g)
{
	return g->better > 0 && isfinite(g->median) && g->median > 0 &&
	       (strstr(g->unit, "/s") || strcmp(g->unit, "score") == 0);
}

/* Of the same measurement the best number of clients. */
static bool beaten(const struct pario_groups *groups, const struct pario_group *g)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct pario_group *o = &groups->group[i];

		if (o != g && o->first->of->volume == g->first->of->volume &&
		    o->first->of->test == g->first->of->test &&
		    o->first->of->phase == g->first->of->phase &&
		    o->first->of->point == g->first->of->point && is_rate(o) &&
		    (o->median > g->median || (o->median == g->median && o < g)))
			return true;
	}
	return false;
}

/* The rates of a run; `figures` has room for all groups. */
static size_t figures_of(struct pario_groups *groups, struct figure *figures)
{
	size_t count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];

		if (!is_rate(g) || beaten(groups, g))
			continue;
		figures[count] = (struct figure){ .group = g, .unit = g->unit, .value = g->median };
		figures[count].nodes = nodes_of(groups->archive, g->first);
		figures[count].clients =
			g->first->of->clients ? (double)g->first->of->clients : (double)NAN;
		name_world(&figures[count++]);
	}
	return count;
}

static double divided(const struct figure *f, enum pario_rank_per per)
{
	return f->value / (per == PARIO_RANK_NODE     ? f->nodes
			   : per == PARIO_RANK_CLIENT ? f->clients
						      : 1);
}

/* A score is one already. */
static enum pario_rank_per per_of(const struct figure *f, enum pario_rank_per wanted)
{
	if (strcmp(f->unit, "score") == 0)
		return PARIO_RANK_WHOLE;
	if (wanted != PARIO_RANK_AUTO)
		return wanted;
	return isfinite(f->nodes) ? PARIO_RANK_NODE : PARIO_RANK_CLIENT;
}

static struct pario_standing *add(struct pario_ranking *r, struct pario_err *err)
{
	if (r->count == r->capacity) {
		size_t capacity = r->capacity ? 2 * r->capacity : 32;
		struct pario_standing *more = realloc(r->standing, capacity * sizeof(*more));

		if (!more) {
			pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
			return NULL;
		}
		r->standing = more;
		r->capacity = capacity;
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

/* The share that lies below a value. */
static double share_of(const double *sorted, size_t count, double value)
{
	size_t i = 0;

	if (value <= sorted[0])
		return 0;
	while (i + 1 < count && sorted[i + 1] < value)
		i++;
	if (i + 1 >= count)
		return 1;
	return ((double)i + log(value / sorted[i]) / log(sorted[i + 1] / sorted[i])) /
	       (double)(count - 1);
}

/* The bars leave out the outermost: single systems are a thousand times beside the others. */
#define TAIL 0.05

static void place(struct pario_standing *s, const double *sorted, size_t count)
{
	double step;

	s->better = share_of(sorted, count, s->value);
	s->low = at_share(sorted, count, 0.25);
	s->high = at_share(sorted, count, 0.75);
	s->lowest = at_share(sorted, count, TAIL);
	s->highest = at_share(sorted, count, 1 - TAIL);
	step = log(s->highest / s->lowest) / PARIO_RANK_BARS;
	for (int i = 0; i < PARIO_RANK_BARS && step > 0; i++)
		s->bars[i] = share_of(sorted, count, s->lowest * exp(step * (i + 1))) -
			     share_of(sorted, count, s->lowest * exp(step * i));
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

static int stand_in_world(struct pario_ranking *r, const struct figure *f,
			  enum pario_rank_per wanted, struct pario_err *err)
{
	enum pario_rank_per per = per_of(f, wanted);
	const struct pario_world_row *row = f->world ? world_row(f->world, per, r->kind) : NULL;
	struct pario_standing *s;

	if (!row || !isfinite(divided(f, per))) {
		r->without++;
		return 0;
	}
	s = add(r, err);
	if (!s)
		return -1;
	snprintf(s->name, sizeof(s->name), "%s", f->world);
	s->unit = f->unit;
	s->per = per;
	s->value = divided(f, per);
	s->others = row->systems;
	s->suspect = f->group->suspects > 0;
	place(s, row->quantile, PARIO_WORLD_QUANTILES);
	return 0;
}

int pario_rank_world(struct pario_archive *archive, enum pario_rank_per per, const char *kind,
		     struct pario_ranking *ranking, struct pario_err *err)
{
	struct pario_groups groups;
	struct figure *figures;
	size_t count;
	int status = 0;

	*ranking = (struct pario_ranking){ .world = true, .kind = "" };
	if ((*kind && know_kind(kind, &ranking->kind, err) < 0) ||
	    pario_groups_of(archive, &groups, err) < 0)
		return -1;
	figures = calloc(groups.count + 1, sizeof(*figures));
	count = figures ? figures_of(&groups, figures) : 0;
	if (!figures)
		status = pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
	for (size_t i = 0; status == 0 && i < count; i++)
		status = stand_in_world(ranking, &figures[i], per, err);
	free(figures);
	pario_groups_release(&groups);
	return status;
}

/* ---- other runs ---- */

static bool alike(const struct figure *a, const struct figure *b)
{
	return strcmp(a->group->first->of->test, b->group->first->of->test) == 0 &&
	       strcmp(a->group->first->of->phase, b->group->first->of->phase) == 0 &&
	       strcmp(a->group->first->of->point, b->group->first->of->point) == 0 &&
	       strcmp(a->unit, b->unit) == 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int stand_among(struct pario_ranking *r, const struct figure *f, const struct figure *others,
		       size_t count, enum pario_rank_per wanted, double *values,
		       struct pario_err *err)
{
	enum pario_rank_per per = per_of(f, wanted);
	const struct pario_kind *first = f->group->first->of;
	struct pario_standing *s;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (alike(f, &others[i]) && isfinite(divided(&others[i], per)))
			values[n++] = divided(&others[i], per);
	}
	if (n == 0 || !isfinite(divided(f, per))) {
		r->without++;
		return 0;
	}
	s = add(r, err);
	if (!s)
		return -1;
	qsort(values, n, sizeof(*values), ascending);
	snprintf(s->name, sizeof(s->name), "%s%s%s%s%.180s",
		 strcmp(first->test, "io500") == 0 ? "" : first->test,
		 strcmp(first->test, "io500") == 0 ? "" : " ", first->phase,
		 *first->point ? ", " : "", first->point);
	s->unit = f->unit;
	s->per = per;
	s->value = divided(f, per);
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
	struct figure *figures = NULL, *other = NULL;
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
		pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
		goto out;
	}
	count = figures_of(&own, figures);
	other_count = figures_of(&theirs, other);
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
