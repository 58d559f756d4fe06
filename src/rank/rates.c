/*
 * rates: with public systems a number is compared with the phase of io500 that does the same: its own phases, and
 * glance's large transfers and names in directories of their own. Other numbers have nothing to be compared with there.
 */
#include "rank/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

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

static void name_world(struct pario_rate *f)
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

static int compare_addresses(const void *a, const void *b)
{
	return (a > b) - (a < b);
}

/* Strings of an archive are equal where their addresses are. */
static int compare_measurements(const struct pario_kind *a, const struct pario_kind *b)
{
	int order = (a->volume > b->volume) - (a->volume < b->volume);

	if (order == 0)
		order = compare_addresses(a->test, b->test);
	if (order == 0)
		order = compare_addresses(a->phase, b->phase);
	return order ? order : compare_addresses(a->point, b->point);
}

/* The numbers of clients of one measurement beside each other, the best of them first. */
static int by_measurement(const void *x, const void *y)
{
	const struct pario_group *a = ((const struct pario_rate *)x)->group;
	const struct pario_group *b = ((const struct pario_rate *)y)->group;
	int order = compare_measurements(a->first->of, b->first->of);

	if (order == 0)
		order = (a->median < b->median) - (a->median > b->median);
	return order ? order : compare_addresses(a, b);
}

static int by_place(const void *x, const void *y)
{
	return compare_addresses(((const struct pario_rate *)x)->group,
				 ((const struct pario_rate *)y)->group);
}

size_t pario_rates_of(struct pario_groups *groups, struct pario_rate *rates)
{
	size_t all = 0, count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		if (is_rate(&groups->group[i]))
			rates[all++].group = &groups->group[i];
	}
	qsort(rates, all, sizeof(*rates), by_measurement);
	for (size_t i = 0; i < all; i++) {
		if (count == 0 || compare_measurements(rates[count - 1].group->first->of,
						       rates[i].group->first->of) != 0)
			rates[count++].group = rates[i].group;
	}
	qsort(rates, count, sizeof(*rates), by_place);
	for (size_t i = 0; i < count; i++) {
		const struct pario_group *g = rates[i].group;

		rates[i] = (struct pario_rate){
			.group = g,
			.unit = g->unit,
			.value = g->median,
			.nodes = nodes_of(groups->archive, g->first),
			.clients =
				g->first->of->clients ? (double)g->first->of->clients : (double)NAN,
		};
		name_world(&rates[i]);
	}
	return count;
}

double pario_rate_per(const struct pario_rate *f, enum pario_rank_per per)
{
	return f->value / (per == PARIO_RANK_NODE     ? f->nodes
			   : per == PARIO_RANK_CLIENT ? f->clients
						      : 1);
}

bool pario_rate_alike(const struct pario_rate *a, const struct pario_rate *b)
{
	return strcmp(a->group->first->of->test, b->group->first->of->test) == 0 &&
	       strcmp(a->group->first->of->phase, b->group->first->of->phase) == 0 &&
	       strcmp(a->group->first->of->point, b->group->first->of->point) == 0 &&
	       strcmp(a->unit, b->unit) == 0;
}

void pario_rate_name(const struct pario_rate *f, struct pario_text *out)
{
	const struct pario_kind *r = f->group->first->of;

	if (strcmp(r->test, "io500") != 0)
		pario_text_add(out, "%s ", r->test);
	pario_text_add(out, "%s%s%s", r->phase, *r->point ? ", " : "", r->point);
}

int pario_rank_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double pario_rank_share(const double *sorted, size_t count, double value)
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
