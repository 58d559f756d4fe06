/*
 * disturbance: members and columns have the same names, from one table.
 */
#include "journal/disturbance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct share {
	const char *group, *name;
	size_t offset;
} shares[] = {
	{ NULL, "others", offsetof(struct pario_disturbance, others) },
	{ NULL, "steal", offsetof(struct pario_disturbance, steal) },
	{ NULL, "throttled", offsetof(struct pario_disturbance, throttled) },
	{ NULL, "waited", offsetof(struct pario_disturbance, waited) },
	{ "pressure", "cpu", offsetof(struct pario_disturbance, cpu) },
	{ "pressure", "io", offsetof(struct pario_disturbance, io) },
	{ "pressure", "memory", offsetof(struct pario_disturbance, memory) },
};

enum { SHARES = sizeof(shares) / sizeof(shares[0]) };

static double of(const struct pario_disturbance *d, size_t i)
{
	return *(const double *)((const char *)d + shares[i].offset);
}

/* What is not known comes last. */
static bool is_more(const struct pario_disturbance *a, const struct pario_disturbance *b)
{
	return (isnan(a->others) ? -1 : a->others) >= (isnan(b->others) ? -1 : b->others);
}

void pario_disturbances_add(struct pario_disturbances *to, const struct pario_disturbances *other)
{
	struct pario_disturbances merged = { 0 };
	unsigned i = 0, k = 0;

	while (merged.count < PARIO_DISTURBANCE_NODES && (i < to->count || k < other->count)) {
		bool own = k == other->count ||
			   (i < to->count && is_more(&to->node[i], &other->node[k]));

		merged.node[merged.count++] = own ? to->node[i++] : other->node[k++];
	}
	*to = merged;
}

/* Four digits: the counters have no more. */
static double rounded(double share)
{
	return round(share * 1e4) / 1e4;
}

static void write_row(struct pario_json *json, const struct pario_disturbance *d)
{
	pario_json_open(json, NULL, '[');
	pario_json_string(json, NULL, d->host);
	for (size_t i = 0; i < SHARES; i++)
		pario_json_real(json, NULL, rounded(of(d, i)));
	pario_json_u64(json, NULL, d->switches);
	pario_json_u64(json, NULL, d->running);
	pario_json_close(json, ']');
}

static void write_nodes(struct pario_json *json, const struct pario_disturbances *all)
{
	pario_json_open(json, "nodes", '{');
	pario_json_open(json, "columns", '[');
	pario_json_string(json, NULL, "host");
	for (size_t i = 0; i < SHARES; i++)
		pario_json_string(json, NULL, shares[i].name);
	pario_json_string(json, NULL, "switches");
	pario_json_string(json, NULL, "running");
	pario_json_close(json, ']');
	pario_json_open(json, "rows", '[');
	for (unsigned i = 0; i < all->count; i++)
		write_row(json, &all->node[i]);
	pario_json_close(json, ']');
	pario_json_close(json, '}');
}

void pario_disturbances_write(struct pario_json *json, const struct pario_disturbances *all)
{
	const struct pario_disturbance *d = &all->node[0];
	bool within = false;

	pario_json_open(json, "disturbance", '{');
	pario_json_string(json, "host", d->host);
	for (size_t i = 0; i < SHARES; i++) {
		if (shares[i].group && !within)
			pario_json_open(json, shares[i].group, '{');
		within = shares[i].group != NULL;
		pario_json_real(json, shares[i].name, rounded(of(d, i)));
	}
	pario_json_close(json, '}');
	pario_json_u64(json, "switches", d->switches);
	pario_json_u64(json, "running", d->running);
	if (all->count > 1)
		write_nodes(json, all);
	pario_json_close(json, '}');
}

static uint64_t count_of(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) > 0
		       ? (uint64_t)json_integer_value(value)
		       : 0;
}

void pario_disturbance_read(const json_t *line, struct pario_disturbance *first)
{
	const json_t *from = json_object_get(line, "disturbance");
	const char *host = json_string_value(json_object_get(from, "host"));

	*first = (struct pario_disturbance){ .host = "" };
	if (host)
		snprintf(first->host, sizeof(first->host), "%.63s", host);
	for (size_t i = 0; i < SHARES; i++) {
		const json_t *holder =
			shares[i].group ? json_object_get(from, shares[i].group) : from;
		const json_t *value = json_object_get(holder, shares[i].name);

		*(double *)((char *)first + shares[i].offset) =
			json_is_number(value) ? json_number_value(value) : (double)NAN;
	}
	first->switches = count_of(json_object_get(from, "switches"));
	first->running = count_of(json_object_get(from, "running"));
}
