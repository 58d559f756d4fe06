/*
 * region: many repetitions and client counts, folded into one line a person can take in.
 */
#include "report/text/region.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "report/text/disturbed.h"
#include "report/text/quantity.h"
#include "report/text/repetitions.h"
#include "report/text/spark.h"

static double value_of(const struct pario_region *region, const struct pario_result *r)
{
	const struct pario_metric *m = region->metric ? pario_result_find(r, region->metric) : NULL;

	double value = m ? m->value : (double)NAN;

	if (region->metric) {
		pario_quantity_scaled(m ? m->unit : "", &value);
		return value;
	}
	if (region->value == PARIO_REGION_OPS)
		return r->seconds.total > 0 ? (double)r->ops / r->seconds.total : NAN;
	return r->rate_mib_s;
}

/* Only where every cache is excluded, what was read came from disk. */
static void take_caches(struct pario_region *region, const struct pario_result *r)
{
	static const char disk[] = "from disk";
	const char *at = strstr(region->what, disk);

	if (!at || !r->cache.not_excluded[0] || region->not_excluded[0])
		return;
	snprintf(region->not_excluded, sizeof(region->not_excluded), "%s", r->cache.not_excluded);
	snprintf(region->named, sizeof(region->named), "%.*sfrom storage%s",
		 (int)(at - region->what), region->what, at + strlen(disk));
	region->what = region->named;
}

static void take_count(struct pario_region *region, uint64_t clients,
		       const struct pario_result *results, size_t count, const char *phase)
{
	double *values = malloc((count + 1) * sizeof(*values));
	size_t n = 0, all = 0, failures = 0, at = region->count;
	double others = 0, told = 0;

	for (size_t i = 0; values && i < count; i++) {
		const struct pario_result *r = &results[i];

		if (r->clients != clients ||
		    (strcmp(r->phase, phase) != 0 && r->outcome != PARIO_SKIP))
			continue;
		if (r->outcome != PARIO_PASS &&
		    (!region->reason[0] || (r->outcome == PARIO_FAIL && !region->failed)))
			snprintf(region->reason, sizeof(region->reason), "%.*s",
				 (int)sizeof(region->reason) - 1, r->reason);
		take_caches(region, r);
		region->failed |= r->outcome == PARIO_FAIL;
		region->suspect |= r->outcome == PARIO_SUSPECT;
		region->unofficial |= pario_result_find(r, "official") &&
				      !(pario_result_find(r, "official")->value > 0);
		failures += r->outcome == PARIO_FAIL;
		all++;
		if (isfinite(value_of(region, r)))
			values[n++] = value_of(region, r);
		if (r->disturbance.host[0] && isfinite(r->disturbance.others)) {
			others += r->disturbance.others;
			told++;
		}
		region->p99_ns = r->latency_ns.p99;
	}
	if (n > 0) {
		region->clients[at] = clients;
		region->numbers[at] = n;
		region->all[at] = all;
		region->failures = failures;
		region->others = told > 0 ? others / told : (double)NAN;
		region->median[at] = pario_stats_median(values, n);
		pario_stats_median_interval(values, n, &region->low[at], &region->high[at]);
		region->count++;
	}
	free(values);
}

void pario_region_take(struct pario_region *region, const struct pario_result *results,
		       size_t count, const char *phase)
{
	uint64_t last = 0;

	while (region->count < PARIO_REGION_COUNTS) {
		uint64_t next = UINT64_MAX;

		for (size_t i = 0; i < count; i++) {
			if (results[i].clients > last && results[i].clients < next)
				next = results[i].clients;
		}
		if (next == UINT64_MAX)
			return;
		take_count(region, next, results, count, phase);
		last = next;
	}
}

double pario_region_best(const struct pario_region *region, uint64_t *clients)
{
	double best = NAN;

	for (size_t i = 0; i < region->count; i++) {
		if (!(region->median[i] <= best)) {
			best = region->median[i];
			if (clients)
				*clients = region->clients[i];
		}
	}
	return best;
}

double pario_region_last(const struct pario_region *region)
{
	return region->count ? region->median[region->count - 1] : NAN;
}

enum { WHAT = 27, RULE = 98 }; /* widths of a column and of the line below the head of the table */

/* Pads to `width` columns; counts characters, not bytes. */
static void add_padded(struct pario_text *out, const char *text, unsigned width)
{
	unsigned shown = 0;

	for (const char *c = text; *c; c++)
		shown += ((unsigned char)*c & 0xc0) != 0x80;
	pario_text_add(out, "%s", text);
	while (shown++ < width)
		pario_text_add(out, " ");
}

static const char *unit_of(const struct pario_region *r)
{
	switch (r->value) {
	case PARIO_REGION_TIME:
		return "s";
	case PARIO_REGION_OPS:
		return "ops/s";
	case PARIO_REGION_VALUE:
		return r->unit ? r->unit : "MB/s";
	default:
		return "MiB/s";
	}
}

/* One bar per client count, scaled to the best of them. */
static void add_scaling(struct pario_text *out, const struct pario_region *r)
{
	if (r->count < 2 || r->value == PARIO_REGION_TIME)
		return;
	pario_spark_add(out, r->median, r->count);
	pario_text_add(out, " ");
	for (size_t i = 0; i < r->count; i++)
		pario_text_add(out, " %llu", (unsigned long long)r->clients[i]);
	pario_text_add(out, " clients");
}

static void add_look(struct pario_text *out, const struct pario_region *r)
{
	size_t last = r->count ? r->count - 1 : 0;
	char time[PARIO_UNITS_CAPACITY];

	add_scaling(out, r);
	if (r->count && r->value == PARIO_REGION_OPS && isfinite(r->p99_ns))
		pario_text_add(out, "%sp99 %s", out->length ? "  " : "",
			       pario_units_time(time, r->p99_ns * 1e-9));
	if (r->count)
		pario_disturbed_mark(out, r->others);
	if (r->count && r->unofficial)
		pario_text_add(out, "%snot official", out->length ? "  " : "");
	if (r->suspect || r->failed)
		pario_text_add(out, "%s◀ ", out->length ? "  " : "");
	if (r->count && r->failures)
		pario_repetitions_add(out, r->numbers[last], r->all[last], r->failures, r->reason);
	else if (r->suspect || r->failed)
		pario_text_add(out, "%s", r->failed ? "failed" : "suspect");
}

void pario_region_cells(const struct pario_region *r, struct pario_region_cells *cells)
{
	size_t last = r->count ? r->count - 1 : 0;
	char text[PARIO_QUANTITY_CAPACITY];

	*cells = (struct pario_region_cells){ .number = "skipped" };
	if (r->count == 0 && r->failed)
		snprintf(cells->number, sizeof(cells->number), "failed");
	if (r->count > 0) {
		snprintf(cells->number, sizeof(cells->number), "%.60s",
			 pario_quantity_text(text, r->median[last], unit_of(r)));
		snprintf(cells->interval, sizeof(cells->interval), "%s",
			 r->numbers[last] > 1
				 ? pario_quantity_interval(text, r->median[last], r->low[last],
							   r->high[last], unit_of(r))
				 : "one value");
	}
	add_look(&cells->look, r);
}

static void add_line(struct pario_text *out, const struct pario_style *style,
		     const struct pario_region *r, bool named)
{
	struct pario_region_cells cells;
	bool doubt = r->suspect || r->failed;

	pario_region_cells(r, &cells);
	pario_text_add(out, " ");
	add_padded(out, named ? r->region : "", 18);
	add_padded(out, r->what, WHAT);
	add_padded(out, cells.number, 15);
	add_padded(out, cells.interval, 18);
	pario_text_add(out, " %s%s%s\n", doubt ? pario_style_tone(style, PARIO_TONE_LOOK) : "",
		       pario_text_string(&cells.look),
		       doubt ? pario_style_tone(style, PARIO_TONE_PLAIN) : "");
	pario_text_release(&cells.look);
}

/* A reason that several lines have is given once. */
static void add_reason(struct pario_text *out, const struct pario_region *regions, size_t count,
		       size_t from)
{
	size_t alike = 0;

	if (!regions[from].reason[0])
		return;
	for (size_t i = 0; i < count; i++) {
		if (!pario_reasons_alike(regions[i].reason, regions[from].reason))
			continue;
		if (i < from)
			return;
		alike++;
	}
	pario_text_add(out, "\n %s, %s", regions[from].region, regions[from].what);
	if (alike > 1)
		pario_text_add(out, ", and %zu other line%s", alike - 1, alike == 2 ? "" : "s");
	pario_text_add(out, ": ");
	pario_text_clean(out, regions[from].reason);
	pario_text_add(out, "\n");
}

/* Of all lines together: what may stand between them and a disk. */
static void add_caches(struct pario_text *out, const struct pario_region *regions, size_t count)
{
	const struct pario_region *most = NULL;

	for (size_t i = 0; i < count; i++) {
		if (regions[i].not_excluded[0] &&
		    (!most || strlen(regions[i].not_excluded) > strlen(most->not_excluded)))
			most = &regions[i];
	}
	if (!most)
		return;
	pario_text_add(out, "\n from storage, and not from disk: not excluded: ");
	pario_text_clean(out, most->not_excluded);
	pario_text_add(out, "\n");
}

void pario_region_table(struct pario_text *out, const struct pario_style *style,
			const struct pario_region *regions, size_t count)
{
	unsigned rule = style->columns && style->columns < RULE ? style->columns : RULE;

	pario_text_add(
		out,
		"%s region            what                       result         interval           look%s\n",
		pario_style_tone(style, PARIO_TONE_STRONG),
		pario_style_tone(style, PARIO_TONE_PLAIN));
	for (unsigned i = 0; i < rule; i++)
		pario_text_add(out, "%s", i ? "─" : " ");
	pario_text_add(out, "\n");
	for (size_t i = 0; i < count; i++)
		add_line(out, style, &regions[i],
			 i == 0 || strcmp(regions[i].region, regions[i - 1].region) != 0);
	for (size_t i = 0; i < count; i++)
		add_reason(out, regions, count, i);
	add_caches(out, regions, count);
}
