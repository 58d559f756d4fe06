/*
 * clients: what each client and each host did, and which clients lag behind.
 *
 * A client lags when its own rate is below three quarters of the median client's (PARIO_DETAIL_STRAGGLER). It is named
 * as a straggler when it did so in most of the repetitions: once is chance.
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "journal/detail.h"
#include "report/page/detail.h"
#include "report/page/markup.h"
#include "report/page/page.h"

enum { TABLES_SHOWN = 3, TABLES_MAX = 24, HOSTS = 64 };

/* One client or host over the repetitions. */
struct row {
	uint64_t number; /* of the client, or how many clients the host has */
	char host[PARIO_DETAIL_HOST_NAME];
	double low, high, sum, seconds, bytes, ops;
	size_t times, behind;
};

struct tally {
	struct row client[PARIO_DETAIL_CLIENTS], host[HOSTS];
	size_t clients, hosts, repetitions;
	uint64_t all;  /* clients of the group */
	double median; /* of the clients, mean over the repetitions */
	double quantile[PARIO_DETAIL_QUANTILES];
	const char *unit;
};

static struct row *row_of(struct row *rows, size_t *count, size_t most, uint64_t number,
			  const char *host)
{
	struct row *r = rows;

	while (r < rows + *count && (r->number != number || strcmp(r->host, host) != 0))
		r++;
	if (r == rows + most)
		return NULL;
	if (r == rows + *count) {
		++*count;
		*r = (struct row){ .number = number, .low = INFINITY, .high = -INFINITY };
		snprintf(r->host, sizeof(r->host), "%s", host);
	}
	return r;
}

static void add_to(struct row *r, double low, double rate, double high, const json_t *cells,
		   size_t bytes_at)
{
	r->low = fmin(r->low, low);
	r->high = fmax(r->high, high);
	r->sum += rate;
	r->bytes += pario_detail_number(cells, bytes_at);
	r->ops += pario_detail_number(cells, bytes_at + 1);
	r->times++;
}

static const char *host_of(const json_t *cells, size_t at)
{
	const char *host = json_string_value(json_array_get(cells, at));

	return host ? host : "";
}

static void take_clients(struct tally *t, const json_t *by_client)
{
	const json_t *rows = json_object_get(by_client, "rows");
	double median = json_number_value(json_object_get(by_client, "median_rate"));

	t->repetitions++;
	t->median += median;
	for (size_t q = 0; q < PARIO_DETAIL_QUANTILES; q++)
		t->quantile[q] += pario_detail_number(
			json_array_get(json_object_get(by_client, "quantiles"), q), 1);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *cells = json_array_get(rows, i);
		double number = pario_detail_number(cells, 0), rate = pario_detail_number(cells, 5);
		struct row *r = number >= 0 && number < 1e15 && isfinite(rate)
					? row_of(t->client, &t->clients, PARIO_DETAIL_CLIENTS,
						 (uint64_t)number, host_of(cells, 1))
					: NULL;

		if (!r)
			continue;
		add_to(r, rate, rate, rate, cells, 2);
		r->seconds += pario_detail_number(cells, 4);
		r->behind += pario_detail_straggles(rate, median);
	}
}

static void take_hosts(struct tally *t, const json_t *by_host)
{
	const json_t *rows = json_object_get(by_host, "rows");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *cells = json_array_get(rows, i);
		double number = pario_detail_number(cells, 1);
		struct row *r = number >= 0 && number < 1e15
					? row_of(t->host, &t->hosts, HOSTS, (uint64_t)number,
						 host_of(cells, 0))
					: NULL;

		if (r)
			add_to(r, pario_detail_number(cells, 4), pario_detail_number(cells, 5),
			       pario_detail_number(cells, 6), cells, 2);
	}
}

static bool take(const struct pario_section *s, const struct pario_group *g, struct tally *t)
{
	*t = (struct tally){ .unit = "MiB/s", .all = g->first->of->clients };
	for (size_t i = 0; g->first->of->clients > 1 && i < g->count; i++) {
		json_t *detail = pario_reading_detail(s->groups->member[g->begin + i]);
		const json_t *by_client = json_object_get(detail, "by_client");
		const char *unit = json_string_value(json_object_get(detail, "unit"));

		if (by_client) {
			t->unit = unit && strcmp(unit, "ops/s") == 0 ? "ops/s" : "MiB/s";
			take_clients(t, by_client);
			take_hosts(t, json_object_get(detail, "by_host"));
		}
		json_decref(detail);
	}
	if (t->repetitions)
		t->median /= (double)t->repetitions;
	return t->repetitions > 0;
}

static bool straggler(const struct tally *t, const struct row *r)
{
	return 2 * r->behind > t->repetitions;
}

/* A page for others shows no names of hosts. */
static void add_host(const struct pario_section *s, const struct tally *t, const char *host,
		     struct pario_text *out)
{
	size_t i = 0;

	if (!s->groups->archive->anonymous) {
		pario_text_add(out, "%s", host);
		return;
	}
	while (i < t->hosts && strcmp(t->host[i].host, host) != 0)
		i++;
	pario_text_add(out, "host %zu", i + 1);
}

static void add_summary(struct pario_section *s, size_t i, const struct tally *t)
{
	struct pario_text text = { 0 };
	size_t found = 0;

	pario_text_add(&text, "%s ", s->group[i]->first->of->phase);
	pario_section_name(s, i, ~pario_dim_bit(PARIO_DIM_PHASE), &text);
	for (size_t k = 0; k < t->clients; k++) {
		const struct row *r = &t->client[k];

		if (!straggler(t, r))
			continue;
		pario_text_add(&text, "%sclient %llu on ", found++ ? ", " : ": straggler ",
			       (unsigned long long)r->number);
		add_host(s, t, r->host, &text);
		pario_text_add(&text, " at %.0f %% of the median client",
			       100 * r->sum / (double)r->times / t->median);
	}
	if (!found)
		pario_text_add(&text, ": no straggler among %llu clients",
			       (unsigned long long)t->all);
	pario_text_add(s->canvas->out, "<details%s><summary>", found ? " open" : "");
	pario_markup_text(s->canvas->out, pario_text_string(&text));
	pario_text_add(s->canvas->out, "</summary>");
	pario_text_release(&text);
}

static void open_table(struct pario_section *s, const char *first, const char *second,
		       const char *unit)
{
	pario_text_add(s->canvas->out,
		       "<div class=\"wide\" tabindex=\"0\"><table class=\"sortable\"><thead><tr>"
		       "<th scope=\"col\">%s</th><th scope=\"col\">%s</th><th scope=\"col\">%s</th>"
		       "<th scope=\"col\">low</th><th scope=\"col\">high</th>"
		       "<th scope=\"col\">of the median</th><th scope=\"col\">%s</th>"
		       "<th scope=\"col\">remark</th></tr></thead><tbody>\n",
		       first, second, unit, strcmp(unit, "ops/s") == 0 ? "operations" : "bytes");
}

static void add_row(struct pario_section *s, const struct tally *t, const struct row *r, bool host)
{
	struct pario_text name = { 0 }, remark = { 0 };
	char number[32];

	if (!host && straggler(t, r))
		pario_text_add(&remark, "straggler in %zu of %zu repetitions", r->behind,
			       t->repetitions);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)r->number);
	add_host(s, t, r->host, &name);
	pario_text_add(s->canvas->out, "<tr%s>", remark.length ? " class=\"suspect\"" : "");
	if (host)
		pario_page_cell(s->canvas->out, NULL, pario_text_string(&name));
	pario_page_cell(s->canvas->out, "n", number);
	if (!host)
		pario_page_cell(s->canvas->out, NULL, pario_text_string(&name));
	pario_table_chart_cell(s, r->sum / (double)r->times);
	pario_table_chart_cell(s, r->low);
	pario_table_chart_cell(s, r->high);
	snprintf(number, sizeof(number), "%.0f %%", 100 * r->sum / (double)r->times / t->median);
	pario_page_cell(s->canvas->out, "n", t->median > 0 ? number : "–");
	if (strcmp(t->unit, "ops/s") == 0)
		pario_table_chart_cell(s, r->ops / (double)r->times);
	else
		pario_table_chart_bytes(s, r->bytes / (double)r->times);
	pario_page_cell(s->canvas->out, NULL, pario_text_string(&remark));
	pario_text_add(s->canvas->out, "</tr>\n");
	pario_text_release(&name);
	pario_text_release(&remark);
}

/* What stands for the clients that have no row. */
static void add_rest(struct pario_section *s, const struct tally *t)
{
	if (t->all <= t->clients)
		return;
	pario_text_add(s->canvas->out, "<p class=\"hint\">The slowest %zu of %llu clients.",
		       t->clients, (unsigned long long)t->all);
	for (size_t q = 0;
	     t->quantile[PARIO_DETAIL_QUANTILES - 1] > 0 && q < PARIO_DETAIL_QUANTILES; q++)
		pario_text_add(s->canvas->out, "%s%.0f %%: %.4g",
			       q ? ", " : " Rates of all, by the share that has less: ",
			       100 * pario_detail_shares[q],
			       t->quantile[q] / (double)t->repetitions);
	pario_text_add(s->canvas->out, "</p>");
}

static void add_tables(struct pario_section *s, const struct tally *t)
{
	add_rest(s, t);
	open_table(s, "client", "host", t->unit);
	for (size_t k = 0; k < t->clients; k++)
		add_row(s, t, &t->client[k], false);
	pario_text_add(s->canvas->out, "</tbody></table></div>");
	if (t->hosts > 1) {
		open_table(s, "host", "clients", t->unit);
		for (size_t k = 0; k < t->hosts; k++)
			add_row(s, t, &t->host[k], true);
		pario_text_add(s->canvas->out, "</tbody></table></div>");
	}
	pario_text_add(s->canvas->out, "</details>\n");
}

void pario_picture_clients(struct pario_section *s, const struct pario_picture *p)
{
	size_t drawn = 0;
	struct tally tally;

	for (size_t i = 0; i < s->count && drawn < TABLES_MAX; i++) {
		if (!take(s, s->group[i], &tally))
			continue;
		if (!drawn) {
			pario_text_add(s->canvas->out,
				       "<figure class=\"broad\"><figcaption><h3>%s</h3><p>The rate "
				       "of each client by itself, from its start to its end: mean, "
				       "lowest and highest of the repetitions. A client is called "
				       "a straggler when it stays below %.0f %% of the median "
				       "client in most repetitions.</p></figcaption>\n",
				       p->title, 100 * PARIO_DETAIL_STRAGGLER);
		}
		pario_table_chart_turn(s, &drawn, TABLES_SHOWN);
		add_summary(s, i, &tally);
		add_tables(s, &tally);
	}
	pario_table_chart_done(s, drawn, TABLES_SHOWN);
	if (drawn)
		pario_text_add(s->canvas->out, "</figure>\n");
}
