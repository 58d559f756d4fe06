/*
 * detail: which clients are kept, and how a detail is written. Rates have four digits: they are for pictures.
 */
#include "journal/detail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* Buckets of the histogram that are written as one: eight steps per octave are enough for a picture. */
enum { BUCKETS_JOINED = 8, LATENCIES_LEAST = 8 };

const double pario_detail_shares[PARIO_DETAIL_QUANTILES] = { 0, 0.05, 0.25, 0.5, 0.75, 0.95, 1 };

static bool is_slower(const struct pario_detail_client *a, const struct pario_detail_client *b)
{
	return a->rate != b->rate ? a->rate < b->rate : a->client < b->client;
}

/* Two sorted lists, slowest first or fastest first, become the first `most` of both. */
static unsigned merge_clients(struct pario_detail_client *list, unsigned count,
			      const struct pario_detail_client *other, unsigned others,
			      unsigned most, bool slowest)
{
	struct pario_detail_client merged[PARIO_DETAIL_CLIENTS] = { 0 };
	unsigned n = 0, i = 0, k = 0;

	while (n < most && (i < count || k < others)) {
		bool own = k == others || (i < count && is_slower(&list[i], &other[k]) == slowest);

		merged[n++] = own ? list[i++] : other[k++];
	}
	memcpy(list, merged, n * sizeof(*list));
	return n;
}

static void add_host(struct pario_detail_host *h, const struct pario_detail_host *other)
{
	h->clients += other->clients;
	h->bytes += other->bytes;
	h->ops += other->ops;
	h->rate_sum += other->rate_sum;
	h->rate_low = fmin(h->rate_low, other->rate_low);
	h->rate_high = fmax(h->rate_high, other->rate_high);
}

static void merge_hosts(struct pario_detail_part *p, const struct pario_detail_part *other)
{
	struct pario_detail_host merged[PARIO_DETAIL_HOSTS] = { 0 };
	unsigned n = 0, i = 0, k = 0;

	while (n < PARIO_DETAIL_HOSTS && (i < p->hosts || k < other->hosts)) {
		bool own = k == other->hosts ||
			   (i < p->hosts && p->host[i].node <= other->host[k].node);

		merged[n] = own ? p->host[i++] : other->host[k++];
		if (own && k < other->hosts && other->host[k].node == merged[n].node)
			add_host(&merged[n], &other->host[k++]);
		n++;
	}
	memcpy(p->host, merged, n * sizeof(*merged));
	p->hosts = n;
}

void pario_detail_part_of(struct pario_detail_part *part, const struct pario_detail_client *client,
			  bool bytes)
{
	struct pario_detail_client own = *client;
	double amount = bytes ? own.bytes / PARIO_MIB : own.ops;

	memset(part, 0, sizeof(*part));
	/* Those who had nothing to do in this phase are not slow. */
	if (own.ops <= 0)
		return;
	own.rate = own.seconds > 0 ? amount / own.seconds : 0;
	part->clients = part->slow = part->fast = part->hosts = 1;
	part->slowest[0] = part->fastest[0] = own;
	part->host[0] = (struct pario_detail_host){ .node = own.node,
						    .clients = 1,
						    .bytes = own.bytes,
						    .ops = own.ops,
						    .rate_low = own.rate,
						    .rate_sum = own.rate,
						    .rate_high = own.rate };
	memcpy(part->host[0].name, own.host, sizeof(own.host));
}

void pario_detail_part_add(struct pario_detail_part *part, const struct pario_detail_part *other)
{
	part->clients += other->clients;
	part->behind += other->behind;
	part->slow = merge_clients(part->slowest, part->slow, other->slowest, other->slow,
				   PARIO_DETAIL_CLIENTS, true);
	part->fast = merge_clients(part->fastest, part->fast, other->fastest, other->fast,
				   PARIO_DETAIL_HISTORIES / 2, false);
	merge_hosts(part, other);
}

void pario_detail_take(struct pario_detail *d, const struct pario_detail_part *all)
{
	uint64_t n = all->clients;

	d->clients = n;
	d->hosts = all->hosts;
	memcpy(d->row, all->slowest, sizeof(d->row));
	memcpy(d->host, all->host, sizeof(d->host));
	if (n > 0 && n <= PARIO_DETAIL_MEDIAN)
		d->median_rate = (all->slowest[(n - 1) / 2].rate + all->slowest[n / 2].rate) / 2;
	d->rows = 0;
	while (d->rows < all->slow &&
	       pario_detail_straggles(all->slowest[d->rows].rate, d->median_rate))
		d->rows++;
	d->stragglers = all->behind > d->rows ? all->behind : d->rows;
	if (n <= PARIO_DETAIL_CLIENTS)
		d->rows = all->slow;
	else if (d->rows > PARIO_DETAIL_NAMED)
		d->rows = PARIO_DETAIL_NAMED;
}

static double brief(double value)
{
	double scale;

	if (!isfinite(value) || value == 0)
		return value;
	scale = pow(10, 3 - floor(log10(fabs(value))));
	return isfinite(scale) && scale > 0 ? round(value * scale) / scale : value;
}

static void write_rates(struct pario_json *j, const double *rates, unsigned count)
{
	pario_json_open(j, "rates", '[');
	for (unsigned i = 0; i < count; i++)
		pario_json_real(j, NULL, brief(rates[i]));
	pario_json_close(j, ']');
}

static void write_over_time(struct pario_json *j, const struct pario_detail *d)
{
	pario_json_open(j, "over_time", '{');
	pario_json_real(j, "step_s", d->step_s);
	write_rates(j, d->rates, d->steps);
	pario_json_open(j, "clients", '[');
	for (unsigned i = 0; i < d->histories; i++) {
		pario_json_open(j, NULL, '{');
		pario_json_u64(j, "client", d->history[i].client);
		write_rates(j, d->history[i].rates, d->steps);
		pario_json_close(j, '}');
	}
	pario_json_close(j, ']');
	pario_json_close(j, '}');
}

/* Blank-separated words as an array. */
static void write_columns(struct pario_json *j, const char *words)
{
	char name[32];

	pario_json_open(j, "columns", '[');
	for (; *words; words += strcspn(words, " ") + (words[strcspn(words, " ")] == ' ')) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(words, " "), words);
		pario_json_string(j, NULL, name);
	}
	pario_json_close(j, ']');
}

static void write_quantiles(struct pario_json *j, const double *rates)
{
	pario_json_open(j, "quantiles", '[');
	for (unsigned i = 0; i < PARIO_DETAIL_QUANTILES; i++) {
		pario_json_open(j, NULL, '[');
		pario_json_real(j, NULL, pario_detail_shares[i]);
		pario_json_real(j, NULL, brief(rates[i]));
		pario_json_close(j, ']');
	}
	pario_json_close(j, ']');
}

static void write_clients(struct pario_json *j, const struct pario_detail *d)
{
	pario_json_open(j, "by_client", '{');
	pario_json_u64(j, "clients", d->clients);
	pario_json_real(j, "median_rate", brief(d->median_rate));
	pario_json_u64(j, "stragglers", d->stragglers);
	if (d->clients > PARIO_DETAIL_CLIENTS && d->quantile[PARIO_DETAIL_QUANTILES - 1] > 0)
		write_quantiles(j, d->quantile);
	write_columns(j, "client host bytes ops seconds rate");
	pario_json_open(j, "rows", '[');
	for (unsigned i = 0; i < d->rows; i++) {
		const struct pario_detail_client *c = &d->row[i];

		pario_json_open(j, NULL, '[');
		pario_json_u64(j, NULL, c->client);
		pario_json_string(j, NULL, c->host);
		pario_json_real(j, NULL, c->bytes);
		pario_json_real(j, NULL, c->ops);
		pario_json_real(j, NULL, brief(c->seconds));
		pario_json_real(j, NULL, brief(c->rate));
		pario_json_close(j, ']');
	}
	pario_json_close(j, ']');
	pario_json_close(j, '}');
}

static void write_hosts(struct pario_json *j, const struct pario_detail *d)
{
	pario_json_open(j, "by_host", '{');
	write_columns(j, "host clients bytes ops rate_low rate rate_high");
	pario_json_open(j, "rows", '[');
	for (unsigned i = 0; i < d->hosts; i++) {
		const struct pario_detail_host *h = &d->host[i];

		pario_json_open(j, NULL, '[');
		pario_json_string(j, NULL, h->name);
		pario_json_u64(j, NULL, h->clients);
		pario_json_real(j, NULL, h->bytes);
		pario_json_real(j, NULL, h->ops);
		pario_json_real(j, NULL, brief(h->rate_low));
		pario_json_real(j, NULL, brief(h->rate_sum / (double)h->clients));
		pario_json_real(j, NULL, brief(h->rate_high));
		pario_json_close(j, ']');
	}
	pario_json_close(j, ']');
	pario_json_close(j, '}');
}

static void write_latency(struct pario_json *j, const struct pario_histogram *h)
{
	pario_json_open(j, "latency", '[');
	for (unsigned i = 0; i < PARIO_HISTOGRAM_BUCKETS; i += BUCKETS_JOINED) {
		uint64_t count = 0;

		for (unsigned k = 0; k < BUCKETS_JOINED; k++)
			count += h->bucket[i + k];
		if (!count)
			continue;
		pario_json_open(j, NULL, '[');
		pario_json_u64(j, NULL, pario_histogram_from(i));
		pario_json_u64(j, NULL, count);
		pario_json_close(j, ']');
	}
	pario_json_close(j, ']');
}

void pario_detail_write(struct pario_json *json, const struct pario_detail *d)
{
	pario_json_open(json, "detail", '{');
	pario_json_string(json, "unit", d->bytes ? "MiB/s" : "ops/s");
	if (d->steps)
		write_over_time(json, d);
	if (d->clients > 1) {
		write_clients(json, d);
		write_hosts(json, d);
	}
	if (d->latency.count >= LATENCIES_LEAST)
		write_latency(json, &d->latency);
	pario_json_close(json, '}');
}
