/*
 * result_lines: what a person should know about one number, in three lines.
 */
#include "report/text/result_lines.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "report/text/disturbed.h"
#include "report/text/quantity.h"
#include "report/text/repetitions.h"
#include "report/text/spark.h"

enum { SPARK_MAX = 24 };

#define NOTABLE_SHARE 0.01

/* A time below this share of the whole, and below a microsecond, is no work that was done. */
#define NOTHING_SHARE 1e-3
#define NOTHING_S     1e-6

struct pario_summary pario_summary_of(const struct pario_result *results, size_t count)
{
	struct pario_summary s = {
		.all = count, .reason = "", .median = NAN, .low = NAN, .high = NAN, .maximum = NAN
	};
	double *rates = malloc((count ? count : 1) * sizeof(*rates));
	struct pario_stats stats;

	for (size_t i = 0; rates && i < count; i++) {
		if (results[i].outcome == PARIO_SUSPECT)
			s.suspect++;
		if (results[i].outcome == PARIO_FAIL && s.failed++ == 0)
			s.reason = results[i].reason;
		if ((results[i].outcome == PARIO_PASS || results[i].outcome == PARIO_SUSPECT) &&
		    isfinite(pario_quantity_of(&results[i])))
			rates[s.count++] = pario_quantity_of(&results[i]);
	}
	if (rates && s.count) {
		s.median = pario_stats_median(rates, s.count);
		s.coverage = pario_stats_median_interval(rates, s.count, &s.low, &s.high);
		stats = pario_stats_of(rates, s.count);
		s.maximum = stats.max;
		s.minimum = stats.min;
		s.mean = stats.mean;
		s.deviation = sqrt(stats.variance);
	}
	free(rates);
	return s;
}

/* The repetition whose rate is nearest to the median speaks for the rest. */
static const struct pario_result *typical(const struct pario_result *results, size_t count,
					  double median)
{
	const struct pario_result *best = results;
	double nearest = INFINITY;

	for (size_t i = 0; i < count; i++) {
		double away = fabs(pario_quantity_of(&results[i]) - median);

		if (isfinite(away) && away < nearest) {
			nearest = away;
			best = &results[i];
		}
	}
	return best;
}

static void add_repeated(struct pario_text *out, const struct pario_summary *s)
{
	if (s->all > 1)
		pario_repetitions_add(out, s->count, s->all, s->failed, s->reason);
	else
		pario_text_add(out, "one repetition: no spread known");
}

static void add_rate(struct pario_text *out, const struct pario_style *style,
		     const struct pario_summary *s, const struct pario_result *r)
{
	const char *unit = pario_quantity_unit(r);
	char number[PARIO_QUANTITY_CAPACITY], interval[PARIO_QUANTITY_CAPACITY];

	pario_text_clean(out, r->headline);
	pario_text_add(out, "%s%s%s%s", r->headline[0] ? " " : "",
		       pario_style_tone(style, PARIO_TONE_STRONG),
		       pario_quantity_text(number, s->median, unit),
		       pario_style_tone(style, PARIO_TONE_PLAIN));
	if (s->count > 1)
		pario_text_add(out, "  %s",
			       pario_quantity_range(interval, s->median, s->low, s->high, unit));
}

/* How much the interval holds, and of how many numbers it is. */
static void add_coverage(struct pario_text *out, const struct pario_summary *s)
{
	pario_text_add(out,
		       s->count > 1 ? " (%.0f %% for this run, "
		       : s->all > 1 ? "  (no spread known, "
				    : "  (",
		       100 * s->coverage);
	add_repeated(out, s);
	pario_text_add(out, ")");
}

/* What is most to be said against the number: its outcome, else what others used. */
static void add_mark(struct pario_text *out, const struct pario_style *style,
		     const struct pario_summary *s, const struct pario_result *results,
		     size_t count)
{
	double others = pario_disturbed_others(results, count);
	size_t doubtful = s->failed ? s->failed : s->suspect;

	if (!doubtful && !(others >= PARIO_DISTURBANCE_OTHERS))
		return;
	pario_text_add(out, "  %s◀ ", pario_style_tone(style, PARIO_TONE_LOOK));
	if (doubtful)
		pario_text_add(out, "%s",
			       pario_outcome_name(s->failed ? PARIO_FAIL : PARIO_SUSPECT));
	if (doubtful && doubtful < count)
		pario_text_add(out, ", %zu of %zu", doubtful, count);
	if (!doubtful)
		pario_text_add(out, "others used %.0f %% of the processors", 100 * others);
	pario_text_add(out, "%s", pario_style_tone(style, PARIO_TONE_PLAIN));
}

/* Over the repetitions, in the consortium's own terms. */
static void add_deviation(struct pario_text *out, const struct pario_summary *s,
			  const struct pario_result *r)
{
	const char *unit = pario_quantity_unit(r);
	char most[PARIO_QUANTITY_CAPACITY], deviation[PARIO_QUANTITY_CAPACITY];

	if (s->count > 1)
		pario_text_add(out, "        maximum %s, deviation %s over %zu repetitions\n",
			       pario_quantity_text(most, s->maximum, unit),
			       pario_quantity_text(deviation, s->deviation, unit), s->count);
}

/* The repetitions in their order, as small bars: is it noise, a trend, or one that is unlike the others? */
static void add_repetitions(struct pario_text *out, const struct pario_style *style,
			    const struct pario_result *results, size_t count)
{
	double values[SPARK_MAX];
	size_t n = 0;

	for (size_t i = 0; i < count && n < SPARK_MAX; i++) {
		if (isfinite(pario_quantity_of(&results[i])))
			values[n++] = pario_quantity_of(&results[i]);
	}
	if (n > 2) {
		pario_text_add(out, "  %s", pario_style_tone(style, PARIO_TONE_QUIET));
		pario_spark_add(out, values, n);
		pario_text_add(out, "%s", pario_style_tone(style, PARIO_TONE_PLAIN));
	}
	pario_text_add(out, "\n");
}

/* What is part of the headline's time and not the storage's doing, where it is more than a hundredth of it. */
static void add_shares(struct pario_text *out, const struct pario_result *r)
{
	const struct pario_metric *apart = pario_result_find(r, "barrier_exit_spread_s");
	const struct pario_metric *bare = pario_result_find(r, "rate_without_fill_mib_s");
	char text[PARIO_UNITS_CAPACITY];

	if (r->clients > 1 && apart && apart->value > NOTABLE_SHARE * r->seconds.total)
		pario_text_add(out, " · started %s apart (%.3g %%)",
			       pario_units_time(text, apart->value),
			       100 * apart->value / r->seconds.total);
	if (bare && bare->value * (1 - NOTABLE_SHARE) > r->rate_mib_s)
		pario_text_add(out, " · without making the data %s",
			       pario_units_rate(text, bare->value));
}

static bool is_nothing(const struct pario_result *r, double seconds)
{
	return !(seconds >= NOTHING_S || seconds >= NOTHING_SHARE * r->seconds.total);
}

static void add_part(struct pario_text *out, const struct pario_result *r, const char *what,
		     double seconds, bool first)
{
	char text[PARIO_UNITS_CAPACITY];

	if (!is_nothing(r, seconds))
		pario_text_add(out, "%s%s %s", first ? " · " : "  ", what,
			       pario_units_time(text, seconds));
}

static void add_timing(struct pario_text *out, const struct pario_result *r)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	if (r->clients > 1)
		pario_text_add(out, "        slowest client %s, fastest %s",
			       pario_units_time(a, r->between_clients.max_s),
			       pario_units_time(b, r->between_clients.min_s));
	else
		pario_text_add(out, "        %s %s", r->bytes ? "open to close" : "took",
			       pario_units_time(a, r->seconds.total));
	if (r->clients > 1 && isfinite(r->rate_first_done_mib_s))
		pario_text_add(out, " · first done %s",
			       pario_units_rate(a, r->rate_first_done_mib_s));
	add_shares(out, r);
	if (r->bytes && !pario_result_find(r, "open_mean_s")) {
		add_part(out, r, "open", r->seconds.open, true);
		add_part(out, r, "transfer", r->seconds.transfer, is_nothing(r, r->seconds.open));
	}
	if (r->bytes)
		add_part(out, r, "sync", r->seconds.sync, pario_result_find(r, "open_mean_s"));
	if (r->bytes && !pario_result_find(r, "open_mean_s"))
		add_part(out, r, "close", r->seconds.close, false);
	if (r->latency_ns.count)
		pario_text_add(out, " · p50 %s  p99 %s",
			       pario_units_time(a, r->latency_ns.p50 * 1e-9),
			       pario_units_time(b, r->latency_ns.p99 * 1e-9));
	pario_text_add(out, "\n");
}

/* Over the clients: minimum, mean, maximum and variance of the three times that the consortium asks for. */
static void add_between(struct pario_text *out, const struct pario_result *r)
{
	static const char *const parts[] = { "open", "transfer", "close" };
	const char *before = "";

	if (!pario_result_find(r, "open_mean_s"))
		return;
	pario_text_add(out, "        over clients, min / mean / max, variance:");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		static const char *const ends[] = { "min_s", "mean_s", "max_s", "variance_s2" };
		char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], c[PARIO_UNITS_CAPACITY];
		const char *name = " s";
		double v[4], unit;

		for (size_t k = 0; k < 4; k++) {
			const struct pario_metric *m;

			snprintf(a, sizeof(a), "%s_%s", parts[i], ends[k]);
			m = pario_result_find(r, a);
			v[k] = m ? m->value : (double)NAN;
		}
		if (is_nothing(r, v[2]) && r->seconds.total > 0 && !(v[2] > 0))
			continue;
		unit = pario_units_time_unit(v[2], &name);
		unit = unit > 0 ? unit : 1;
		pario_text_add(out, "%s %s %s / %s / %s%s, %.3g s²", before, parts[i],
			       pario_units_number(a, v[0] / unit),
			       pario_units_number(b, v[1] / unit),
			       pario_units_number(c, v[2] / unit), name, v[3]);
		before = " ·";
	}
	pario_text_add(out, "\n");
}

/* What a person waits, where the test says it. */
static void add_waits(struct pario_text *out, const struct pario_result *r)
{
	const struct pario_metric *cold = pario_result_find(r, "cold_median_s");
	const struct pario_metric *cold_worst = pario_result_find(r, "cold_worst_s");
	const struct pario_metric *warm = pario_result_find(r, "warm_median_s");
	const struct pario_metric *warm_worst = pario_result_find(r, "warm_worst_s");
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], c[PARIO_UNITS_CAPACITY],
		d[PARIO_UNITS_CAPACITY];

	if (cold && cold_worst && warm && warm_worst)
		pario_text_add(
			out, "        cold %s, at worst %s · warm %s, at worst %s\n",
			pario_units_time(a, cold->value), pario_units_time(b, cold_worst->value),
			pario_units_time(c, warm->value), pario_units_time(d, warm_worst->value));
}

static void add_proof(struct pario_text *out, const struct pario_result *r)
{
	const struct pario_metric *verified = pario_result_find(r, "verified_bytes");
	const struct pario_metric *sampled = pario_result_find(r, "sampled_bytes");
	const struct pario_metric *limit = pario_result_find(r, "rate_at_limit_mib_s");
	const struct pario_metric *official = pario_result_find(r, "official");
	const struct pario_cache_state *c = &r->cache;
	char a[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "        ");
	if (strcmp(c->wanted, "none") == 0)
		pario_text_add(out, "no storage");
	else if (c->pages_total == 0 && pario_result_find(r, "caches_dropped"))
		pario_text_add(out, "cold: all caches of the machine were dropped before");
	else if (pario_result_find(r, "seen_max_same_node_s") &&
		 !pario_result_find(r, "seen_max_other_node_s"))
		pario_text_add(out, "all clients on one node: this proves nothing about a network");
	else if (r->bytes == 0 && c->pages_total == 0)
		pario_text_add(out, "caches were left to work");
	else if (strcmp(c->wanted, "warm") == 0)
		pario_text_add(out, "warm: what was cached of the file stayed so");
	else if (strcmp(c->wanted, "cold") != 0)
		pario_text_add(out, "cached: caches were left to work");
	else if (strcmp(c->method, "new file") == 0)
		pario_text_add(out, "durable: fsync inside the time, new file");
	else if (strcmp(c->method, "fsync") == 0)
		pario_text_add(out, "durable: fsync inside the time");
	else if (strcmp(c->method, "none") == 0 || !c->method[0])
		pario_text_add(out, "no cache state");
	else {
		pario_text_add(out, "%s: %llu of %llu pages resident before, counted with ",
			       c->pages_resident ? "not cold" : "cold",
			       (unsigned long long)c->pages_resident,
			       (unsigned long long)c->pages_total);
		pario_text_clean(out, c->method);
		if (c->not_excluded[0])
			pario_text_add(out, "; not excluded: ");
		pario_text_clean(out, c->not_excluded);
	}
	if (official && !(official->value > 0))
		pario_text_add(out, " · not official: less than the definition asks for");
	if (limit)
		pario_text_add(out, " · at the time limit %s", pario_units_rate(a, limit->value));
	if (verified)
		pario_text_add(out, " · verified %s",
			       pario_units_size(a, (uint64_t)verified->value));
	else if (sampled)
		pario_text_add(out, " · not verified, a sample of %s compared",
			       pario_units_size(a, (uint64_t)sampled->value));
}

/* Who else used the machine. */
static void add_disturbed(struct pario_text *out, const struct pario_summary *s,
			  const struct pario_result *results, size_t count)
{
	struct pario_text line = { 0 };

	pario_disturbed_add(&line, results, count,
			    s->count > 1 && s->high - s->low > PARIO_WIDE * s->median);
	if (line.length)
		pario_text_add(out, "        %s\n", pario_text_string(&line));
	pario_text_release(&line);
}

/* The first reason of an outcome, and how many repetitions have it where not all do. */
static void add_reason(struct pario_text *out, const struct pario_style *style,
		       const struct pario_result *results, size_t count, enum pario_outcome outcome)
{
	const struct pario_result *first = NULL;
	size_t alike = 0;

	for (size_t i = 0; i < count; i++) {
		if (results[i].outcome == outcome && alike++ == 0)
			first = &results[i];
	}
	if (!first)
		return;
	pario_text_add(out, "        %s%s", pario_style_tone(style, PARIO_TONE_LOOK),
		       pario_outcome_name(outcome));
	if (alike < count)
		pario_text_add(out, ", %zu of %zu", alike, count);
	pario_text_add(out, ": ");
	pario_text_clean(out, first->reason);
	pario_text_add(out, "%s\n", pario_style_tone(style, PARIO_TONE_PLAIN));
}

static void add_all(struct pario_text *out, const struct pario_style *style,
		    const struct pario_summary *s, const struct pario_result *results, size_t count)
{
	const struct pario_result *r = typical(results, count, s->median);

	add_coverage(out, s);
	add_repetitions(out, style, results, count);
	add_deviation(out, s, r);
	add_waits(out, r);
	add_timing(out, r);
	add_between(out, r);
	add_proof(out, r);
	pario_text_add(out, "\n");
	add_disturbed(out, s, results, count);
}

/* One line for the number, which has begun, and one for its proof. */
static void add_brief(struct pario_text *out, const struct pario_style *style,
		      const struct pario_summary *s, const struct pario_result *results,
		      size_t count)
{
	const struct pario_result *r = typical(results, count, s->median);

	add_mark(out, style, s, results, count);
	pario_text_add(out, "\n");
	add_waits(out, r);
	add_proof(out, r);
	pario_text_add(out, " · ");
	if (s->count > 1)
		pario_text_add(out, "%.0f %% interval, ", 100 * s->coverage);
	add_repeated(out, s);
	pario_text_add(out, "\n");
}

static void add_outcome(struct pario_text *out, const struct pario_style *style,
			enum pario_outcome outcome)
{
	pario_text_add(
		out, "%s%s%s\n",
		pario_style_tone(style, outcome == PARIO_SKIP ? PARIO_TONE_QUIET : PARIO_TONE_BAD),
		pario_outcome_name(outcome), pario_style_tone(style, PARIO_TONE_PLAIN));
}

void pario_result_lines_add(struct pario_text *out, const struct pario_style *style,
			    const struct pario_result *results, size_t count, bool verbose)
{
	struct pario_summary s = pario_summary_of(results, count);
	const struct pario_result *r = &results[0];

	pario_text_add(out, " ");
	pario_text_clean(out, r->phase);
	pario_text_add(out, "%*s", strlen(r->phase) < 8 ? 8 - (int)strlen(r->phase) : 1, "");
	if (r->point[0]) {
		pario_text_clean(out, r->point);
		pario_text_add(out, "   ");
	}
	pario_text_count(out, r->clients, "client");
	pario_text_add(out, "   ");
	if (s.count) {
		add_rate(out, style, &s, typical(results, count, s.median));
		(verbose ? add_all : add_brief)(out, style, &s, results, count);
	} else {
		add_outcome(out, style, results[0].outcome);
	}
	add_reason(out, style, results, count, PARIO_FAIL);
	add_reason(out, style, results, count, PARIO_SUSPECT);
	add_reason(out, style, results, count, PARIO_SKIP);
}

void pario_result_failures_add(struct pario_text *out, const struct pario_result *results,
			       size_t count)
{
	struct pario_summary s = pario_summary_of(results, count);

	if (!s.failed)
		return;
	pario_text_clean(out, results[0].phase);
	pario_text_add(out, "%s", results[0].point[0] ? ", " : "");
	pario_text_clean(out, results[0].point);
	pario_text_add(out, ", ");
	pario_text_count(out, results[0].clients, "client");
	pario_text_add(out, ": %zu of %zu, %zu failed: ", s.count, s.all, s.failed);
	pario_text_clean(out, s.reason);
}
