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
#include "report/text/limit.h"
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

static void rename_disk(struct pario_region *region, const char *medium)
{
	static const char disk[] = "disk";
	const char *at = strstr(region->what, disk);

	if (!at || region->what == region->named)
		return;
	snprintf(region->named, sizeof(region->named), "%.*s%s%s", (int)(at - region->what),
		 region->what, medium, at + strlen(disk));
	region->what = region->named;
}

/* Only where every cache is excluded, what was read came from disk. */
static void take_caches(struct pario_region *region, const struct pario_result *r)
{
	if (!strstr(region->what, "from disk") || !r->cache.not_excluded[0] ||
	    region->not_excluded[0])
		return;
	snprintf(region->not_excluded, sizeof(region->not_excluded), "%s", r->cache.not_excluded);
	rename_disk(region, "storage");
}

/* A file system in memory is what it is: its numbers are compared, and no disk is named. */
static const char *take_memory(struct pario_region *region, const struct pario_result *r)
{
	static const char in_memory[] = PARIO_RESULT_IN_MEMORY;
	const char *rest = r->reason + strlen(in_memory);

	if (strncmp(r->reason, in_memory, strlen(in_memory)) != 0)
		return r->reason;
	region->in_memory = true;
	rename_disk(region, "memory");
	return rest[strspn(rest, "; ")] ? rest + strspn(rest, "; ") : "";
}

static void take_doubt(struct pario_region *region, const struct pario_result *r)
{
	const char *reason = r->outcome == PARIO_PASS ? "" : take_memory(region, r);

	if (r->outcome == PARIO_PASS || (r->outcome == PARIO_SUSPECT && !reason[0]))
		return;
	if (!region->reason[0] || (r->outcome == PARIO_FAIL && !region->failed))
		snprintf(region->reason, sizeof(region->reason), "%.*s",
			 (int)sizeof(region->reason) - 1, reason);
	region->failed |= r->outcome == PARIO_FAIL;
	region->suspect |= r->outcome == PARIO_SUSPECT;
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
		take_doubt(region, r);
		take_caches(region, r);
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
		region->op_bytes = r->ops ? (double)r->bytes / (double)r->ops : 0;
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

bool pario_region_proves(const struct pario_region *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->numbers[i] < PARIO_REGION_LEAST)
			return false;
	}
	return r->count > 0 && !r->suspect;
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

/* Widths of columns and of the line below the head of the table, and client counts whose bars are shown. */
enum {
	REGION = 14,
	WHAT = 25,
	NUMBER = 15,
	INTERVAL = 17,
	BARS = 6,
	LIMIT = 13,
	OTHERS = 7,
	RULE = 99
};

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
	pario_text_add(out, " with");
	for (size_t i = 0; i < r->count; i++)
		pario_text_add(out, "%s %llu", i ? "," : "", (unsigned long long)r->clients[i]);
	pario_text_add(out, " clients");
}

static void add_failures(struct pario_text *out, const struct pario_region *r)
{
	pario_repetitions_add(out, r->numbers[r->count - 1], r->all[r->count - 1], r->failures,
			      r->reason);
}

static void add_look(struct pario_text *out, const struct pario_region *r)
{
	char time[PARIO_UNITS_CAPACITY];

	add_scaling(out, r);
	if (r->count && r->value == PARIO_REGION_OPS && isfinite(r->p99_ns))
		pario_text_add(out, "%sp99 %s", out->length ? "  " : "",
			       pario_units_time(time, r->p99_ns * 1e-9));
	if (r->count)
		pario_disturbed_mark(out, r->others);
	if (r->suspect || r->failed)
		pario_text_add(out, "%s◀ ", out->length ? "  " : "");
	if (r->count && r->failures)
		add_failures(out, r);
	else if (r->suspect || r->failed)
		pario_text_add(out, "%s", r->failed ? "failed" : "suspect");
}

static void write_limit(const char *limit, double share, char text[PARIO_REGION_LIMIT])
{
	if (share > 1 && strcmp(limit, PARIO_LIMIT_LINEAR) != 0)
		snprintf(text, PARIO_REGION_LIMIT, "best");
	else if (isfinite(share))
		snprintf(text, PARIO_REGION_LIMIT, "%3.*f %% %.20s", share < 0.0095 ? 1 : 0,
			 100 * share, limit);
	else
		text[0] = '\0';
}

void pario_region_cells(const struct pario_region *r, struct pario_region_cells *cells)
{
	size_t last = r->count ? r->count - 1 : 0;
	char text[PARIO_QUANTITY_CAPACITY];

	*cells = (struct pario_region_cells){ .number = "skipped" };
	if (r->count && r->limit)
		write_limit(r->limit, r->share, cells->limit);
	else if (r->count && r->unofficial)
		snprintf(cells->limit, sizeof(cells->limit), "not official");
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
	size_t bars = r->count > BARS ? BARS : r->count;
	struct pario_region_cells cells;
	struct pario_text scaling = { 0 };
	bool doubt = r->suspect || r->failed;
	char others[16] = "";

	pario_region_cells(r, &cells);
	if (r->value != PARIO_REGION_TIME)
		pario_spark_add(&scaling, r->median + r->count - bars, bars);
	if (r->count && r->others >= PARIO_DISTURBANCE_OTHERS)
		snprintf(others, sizeof(others), "%2.0f %%", 100 * r->others);
	pario_text_add(out, " ");
	add_padded(out, named ? r->region : "", REGION);
	add_padded(out, r->what, WHAT);
	add_padded(out, cells.number, NUMBER);
	add_padded(out, cells.interval, INTERVAL);
	add_padded(out, pario_text_string(&scaling), BARS + 1);
	add_padded(out, cells.limit, LIMIT);
	add_padded(out, others, doubt ? OTHERS - 2 : 0);
	pario_text_add(out, "%s%s%s\n", doubt ? pario_style_tone(style, PARIO_TONE_LOOK) : "",
		       doubt ? "◀" : "", doubt ? pario_style_tone(style, PARIO_TONE_PLAIN) : "");
	pario_text_release(&scaling);
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
	pario_text_add(out, "\n ◀ %s, %s", regions[from].region, regions[from].what);
	if (alike > 1)
		pario_text_add(out, ", and %zu other line%s", alike - 1, alike == 2 ? "" : "s");
	pario_text_add(out, ": ");
	if (regions[from].failures && regions[from].count)
		add_failures(out, &regions[from]);
	else
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

/* What the words of the table mean, as far as they occur in it. */
static void add_legend(struct pario_text *out, const struct pario_region *regions, size_t count)
{
	bool limits = false, linear = false, memory = false, others = false;

	for (size_t i = 0; i < count; i++) {
		const struct pario_region *r = &regions[i];
		bool scaled = r->limit && strcmp(r->limit, PARIO_LIMIT_LINEAR) == 0;

		linear |= scaled;
		limits |= r->limit && !scaled;
		memory |= r->in_memory;
		others |= r->count && r->others >= PARIO_DISTURBANCE_OTHERS;
	}
	if (limits)
		pario_text_add(
			out,
			"\n of limit: share of the fastest other way by which this run moved bytes: "
			"large files by write and read, MPI-IO, direct I/O, the other of two, or a copy "
			"of memory; best: none was faster");
	if (linear)
		pario_text_add(out, "\n linear: share of what as many clients would do if each did "
				    "what one alone does");
	if (others)
		pario_text_add(out, "\n others: processors' time that went to other programs");
	if (memory)
		pario_text_add(out, "\n to memory, from memory: " PARIO_RESULT_IN_MEMORY);
	if (limits || linear || others || memory)
		pario_text_add(out, "\n");
}

void pario_region_table(struct pario_text *out, const struct pario_style *style,
			const struct pario_region *regions, size_t count)
{
	static const struct {
		const char *text;
		unsigned width;
	} heads[] = { { "region", REGION },	{ "what", WHAT },     { "result", NUMBER },
		      { "interval", INTERVAL }, { "look", BARS + 1 }, { "of limit", LIMIT },
		      { "others", 0 } };
	unsigned rule = style->columns && style->columns < RULE ? style->columns : RULE;

	pario_text_add(out, "%s ", pario_style_tone(style, PARIO_TONE_STRONG));
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		add_padded(out, heads[i].text, heads[i].width);
	pario_text_add(out, "%s\n", pario_style_tone(style, PARIO_TONE_PLAIN));
	for (unsigned i = 0; i < rule; i++)
		pario_text_add(out, "%s", i ? "─" : " ");
	pario_text_add(out, "\n");
	for (size_t i = 0; i < count; i++)
		add_line(out, style, &regions[i],
			 i == 0 || strcmp(regions[i].region, regions[i - 1].region) != 0);
	for (size_t i = 0; i < count; i++)
		add_reason(out, regions, count, i);
	add_caches(out, regions, count);
	add_legend(out, regions, count);
}
