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

static int slowest_first(const void *a, const void *b)
{
	const struct pario_detail_client *left = a, *right = b;

	if (left->rate != right->rate)
		return left->rate < right->rate ? -1 : 1;
	return left->client < right->client ? -1 : 1;
}

static void add_to_host(struct pario_detail *d, const struct pario_detail_client *c)
{
	struct pario_detail_host *h = d->host;

	while (h < d->host + d->hosts && strcmp(h->name, c->host) != 0)
		h++;
	if (h == d->host + PARIO_DETAIL_HOSTS)
		return;
	if (h == d->host + d->hosts) {
		*h = (struct pario_detail_host){ .rate_low = INFINITY, .rate_high = -INFINITY };
		memcpy(h->name, c->host, sizeof(h->name));
		d->hosts++;
	}
	h->clients++;
	h->bytes += c->bytes;
	h->ops += c->ops;
	h->rate_sum += c->rate;
	h->rate_low = fmin(h->rate_low, c->rate);
	h->rate_high = fmax(h->rate_high, c->rate);
}

/* Those who had nothing to do in this phase are not slow. Returns how many are left. */
static uint64_t drop_idle(struct pario_detail_client *clients, uint64_t count)
{
	uint64_t left = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (clients[i].ops > 0)
			clients[left++] = clients[i];
	}
	return left;
}

void pario_detail_take_clients(struct pario_detail *d, struct pario_detail_client *clients,
			       uint64_t count)
{
	count = drop_idle(clients, count);
	d->clients = count;
	d->rows = d->hosts = 0;
	for (uint64_t i = 0; i < count; i++) {
		double amount = d->bytes ? clients[i].bytes / PARIO_MIB : clients[i].ops;

		clients[i].rate = clients[i].seconds > 0 ? amount / clients[i].seconds : 0;
		add_to_host(d, &clients[i]);
	}
	qsort(clients, count, sizeof(*clients), slowest_first);
	d->median_rate = count ? (clients[(count - 1) / 2].rate + clients[count / 2].rate) / 2 : 0;
	for (uint64_t i = 0; i < count && d->rows < PARIO_DETAIL_CLIENTS; i++)
		d->row[d->rows++] = clients[i];
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

static void write_clients(struct pario_json *j, const struct pario_detail *d)
{
	pario_json_open(j, "by_client", '{');
	pario_json_u64(j, "clients", d->clients);
	pario_json_real(j, "median_rate", brief(d->median_rate));
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
