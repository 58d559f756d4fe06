/*
 * test_detail: clients are ranked and bounded, idle ones left out, and what is written stays small.
 */
#include "journal/detail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "unit.h"

enum { MANY = 1000 };

static struct pario_detail detail;
static struct pario_detail_client clients[MANY];

static void fill(unsigned count)
{
	memset(&detail, 0, sizeof(detail));
	memset(clients, 0, sizeof(clients));
	detail.bytes = true;
	for (unsigned i = 0; i < count; i++) {
		clients[i] = (struct pario_detail_client){
			.client = i, .node = i / 10, .bytes = 64 << 20, .ops = 64, .seconds = 1
		};
		snprintf(clients[i].host, sizeof(clients[i].host), "n%u", i / 10);
	}
}

/* As a tree of clients would add them: neighbours first. */
static void add_up(struct pario_detail_part *part, unsigned from, unsigned to)
{
	struct pario_detail_part other;

	pario_detail_part_of(part, &clients[from], detail.bytes);
	part->behind = pario_detail_straggles(part->slowest[0].rate, detail.median_rate);
	for (unsigned step = 1; from + step < to; step *= 2) {
		add_up(&other, from + step, from + 2 * step < to ? from + 2 * step : to);
		pario_detail_part_add(part, &other);
	}
}

static void take(unsigned count)
{
	static struct pario_detail_part all;

	add_up(&all, 0, count);
	pario_detail_take(&detail, &all);
}

static void a_slow_client_lags(void **state)
{
	(void)state;
	fill(4);
	clients[2].seconds = 2;
	take(4);
	assert_int_equal(detail.rows, 4);
	assert_int_equal(detail.row[0].client, 2);
	assert_true(detail.median_rate == 64 && detail.row[0].rate == 32);
	assert_true(pario_detail_straggles(detail.row[0].rate, detail.median_rate));
	assert_false(pario_detail_straggles(detail.row[1].rate, detail.median_rate));
	assert_int_equal(detail.hosts, 1);
	assert_true(detail.host[0].clients == 4 && detail.host[0].rate_low == 32);
}

static void idle_clients_are_not_slow(void **state)
{
	(void)state;
	fill(4);
	clients[1].bytes = clients[1].ops = 0;
	clients[3].bytes = clients[3].ops = 0;
	take(4);
	assert_true(detail.clients == 2 && detail.rows == 2 && detail.median_rate == 64);
	assert_true(detail.row[0].client == 0 && detail.row[1].client == 2);
}

static void many_clients_stay_bounded(void **state)
{
	struct pario_json json = { 0 };
	json_t *read, *by_client;
	char *text;

	(void)state;
	fill(MANY);
	for (unsigned i = 100; i < 140; i++)
		clients[i].seconds = 2;
	clients[777].seconds = 9;
	for (unsigned i = 0; i < 5000; i++)
		pario_histogram_add(&detail.latency, (int64_t)i * i * 1000);
	detail.steps = PARIO_DETAIL_STEPS;
	detail.step_s = 0.5;
	detail.median_rate = 64; /* as all clients find it together, before they are added up */
	for (unsigned q = 0; q < PARIO_DETAIL_QUANTILES; q++)
		detail.quantile[q] = 10 * q + 1;
	take(MANY);
	assert_int_equal(detail.rows, PARIO_DETAIL_NAMED);
	assert_int_equal(detail.stragglers, 41);
	assert_int_equal(detail.hosts, PARIO_DETAIL_HOSTS);
	assert_int_equal(detail.row[0].client, 777);
	pario_json_open(&json, NULL, '{');
	pario_detail_write(&json, &detail);
	pario_json_close(&json, '}');
	assert_true(json.text.length < 10240);
	read = json_loads(pario_text_string(&json.text), 0, NULL);
	assert_non_null(read);
	by_client = json_object_get(json_object_get(read, "detail"), "by_client");
	assert_int_equal(json_array_size(json_object_get(by_client, "rows")), PARIO_DETAIL_NAMED);
	assert_int_equal(json_array_size(json_object_get(by_client, "quantiles")), 7);
	assert_int_equal(json_integer_value(json_object_get(by_client, "stragglers")), 41);
	text = json_dumps(by_client, JSON_COMPACT);
	assert_true(strlen(text) < 1024);
	free(text);
	json_decref(read);
	pario_json_release(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_client_lags),
		cmocka_unit_test(idle_clients_are_not_slow),
		cmocka_unit_test(many_clients_stay_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
