/*
 * test_many_clients: names and places of the data of 100,000 clients, planted; nothing is cut off, nothing meets.
 * run:
 * clients: 2
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/plan.h"
#include "engine/rate_history.h"
#include "tests/tests.h"

enum { MANY = 100000 };

static int failures;

static void check(bool right, const char *what)
{
	if (!right) {
		printf("test_many_clients: %s\n", what);
		failures++;
	}
}

static bool bind_transfer(struct pario_plan *plan, struct pario_bound *bound, const char *layout)
{
	struct pario_err err = { 0 };
	bool bound_it =
		pario_plan_init(plan, pario_test_by_name("transfer"), &err) == 0 &&
		pario_config_set(&plan->config, "layout", layout, PARIO_ORIGIN_PLAN, &err) == 0 &&
		pario_config_set(&plan->config, "block_size", "1t", PARIO_ORIGIN_PLAN, &err) == 0 &&
		pario_plan_settle(plan, MANY, &err) == 0 &&
		pario_plan_bind(plan, 0, MANY, bound, &err) == 0;

	check(bound_it, err.text);
	return bound_it;
}

/* With the largest numbers a sweep may have. */
static void names(const struct pario_bound *transfer)
{
	struct pario_engine *e = calloc(1, sizeof(*e));
	struct pario_bound bound = *transfer;
	struct pario_workspace workspace = { .path = "/somewhere/pario-0123abcd" };
	char first[64], last[64], before[64];

	bound.point.index = 999999;
	e->bound = &bound;
	e->workspace = &workspace;
	e->run.engine = e;
	e->run.repetition = 99999;
	workspace.apart = e->layout.per_client = true;
	pario_access_name(e, 0, first);
	pario_access_name(e, MANY - 2, before);
	pario_access_name(e, MANY - 1, last);
	check(strstr(last, ".00099999") && strstr(before, ".00099998") &&
		      strstr(first, ".00000000"),
	      "the name of a client's file is cut off");
	free(e);
}

/* 1 TiB each in one file: every client begins where the one before it ends. */
static void places(const struct pario_bound *bound)
{
	const struct pario_test *test = bound->point.test;
	struct pario_layout layout = { 0 }, last = { 0 };
	struct pario_err err = { 0 };

	for (uint64_t i = 0; i < MANY; i += i < 2 || i == MANY - 2 ? 1 : MANY - 4) {
		memset(&layout, 0, sizeof(layout));
		check(test->plan(&bound->point, i, &layout, &err) == 0, err.text);
		check(layout.view.displacement == i << 40, "a client's data are elsewhere");
		last = layout;
	}
	check(last.file_bytes == (uint64_t)MANY << 40 && last.data_bytes == (uint64_t)MANY << 40,
	      "the sizes of file and data are other ones");
}

static void shifts(const struct pario_bound *bound)
{
	struct pario_comm comm = { .client = MANY - 1, .clients = MANY, .partner = 127 };
	struct pario_engine *e = calloc(1, sizeof(*e));
	struct pario_bound copy = *bound;

	e->bound = &copy;
	e->comm = &comm;
	snprintf(copy.access.read_shift, sizeof(copy.access.read_shift), "auto");
	check(pario_engine_read_target(e) == 127, "the partner is another one");
	snprintf(copy.access.read_shift, sizeof(copy.access.read_shift), "18446744073709551615");
	check(pario_engine_read_target(e) < MANY, "a shift leads beyond the last client");
	snprintf(copy.access.read_shift, sizeof(copy.access.read_shift), "1");
	check(pario_engine_read_target(e) == 0, "the last client does not read from the first");
	free(e);
}

/* Client c has the rate 10^c; one has nothing to do when there are more than two. */
static void quantiles(const struct pario_comm *world)
{
	uint64_t n = world->clients, busy = n > 2 ? n - 1 : n;
	double rate = world->client < busy ? pow(10, (double)world->client) : -1;
	double found[PARIO_DETAIL_QUANTILES];

	pario_rate_history_quantiles(world, rate, found);
	for (unsigned q = 0; q < PARIO_DETAIL_QUANTILES; q++) {
		double want = pow(10, floor(pario_detail_shares[q] * (double)(busy - 1)));
		double most = pow(10, (double)(busy - 1)) / (64.0 * 64 * 64 * 64);

		check(fabs(found[q] - want) <= fmax(1e-4 * want, most),
		      "a quantile is another one");
	}
	pario_rate_history_quantiles(world, 7, found);
	check(found[0] == 7 && found[PARIO_DETAIL_QUANTILES - 1] == 7,
	      "the quantiles of equal rates are others");
}

int main(int argc, char **argv)
{
	struct pario_bound own = { 0 }, shared = { 0 };
	struct pario_plan plans[2] = { 0 };
	struct pario_comm world;
	struct pario_err err = { 0 };

	if (pario_comm_init(&world, &argc, &argv, &err) < 0) {
		printf("test_many_clients: %s\n", err.text);
		return 1;
	}
	if (bind_transfer(&plans[0], &own, "per_client"))
		names(&own);
	if (bind_transfer(&plans[1], &shared, "shared")) {
		places(&shared);
		shifts(&shared);
	}
	quantiles(&world);
	pario_bound_release(&own);
	pario_bound_release(&shared);
	pario_plan_release(&plans[0]);
	pario_plan_release(&plans[1]);
	MPI_Finalize();
	return failures ? 1 : 0;
}
