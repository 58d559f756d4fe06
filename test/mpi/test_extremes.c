/*
 * test_extremes: can a plan be talked into a wrapped number?
 *
 * Every option that is a size or a count, of every test, the access options and the backends, alone and in pairs, gets
 * values up to the largest there is. Each is refused with a sentence, or the plan's needs are believable: below 2^63,
 * and growing one option 1024-fold never more than halves what the plan needs, unless it did so from the start (an
 * overlap, say, makes files smaller step by step). A sum that wrapped breaks one of the two.
 *
 * The clients share the work, which does not depend on their number. With CHECK_SANITIZED, pairs hold every
 * eighth value instead of every second: numbers that wrap are found by the other builds.
 * clients: 2
 * run: plan
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan.h"
#include "tests/tests.h"

static const char *const values[] = {
	"1",
	"2",
	"8",
	"4k",
	"4m",
	"4g",
	"4t",
	"4p",
	"4194304t",
	"9223372036854775807",
	"8388608t",
	"18446744073709547520",
	"16777215t",
	"18446744073709551608",
	"18446744073709551614",
	"18446744073709551615",
};

enum { VALUES = sizeof(values) / sizeof(values[0]) };

static const uint64_t clients[] = { 1, 3, 1 << 20 };

static int failures, accepted, refused;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void fail(const char *format, ...)
{
	va_list args;

	failures++;
	fputs("FAIL extremes: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* What the plan would need with these values; false when it is refused. */
static bool need_of(struct pario_plan *plan, const char *what, uint64_t count,
		    struct pario_need *need)
{
	struct pario_err err = { 0 };

	if (pario_plan_settle(plan, count, &err) == 0 && pario_plan_need(plan, need, &err) == 0) {
		accepted++;
		if (need->disk_bytes <= INT64_MAX && need->memory_bytes <= INT64_MAX &&
		    need->moved_bytes <= INT64_MAX && need->files <= INT64_MAX &&
		    need->operations <= INT64_MAX)
			return true;
		fail("%s with %llu clients needs %llu bytes of space, %llu of memory, %llu files, "
		     "moves %llu in %llu operations",
		     what, (unsigned long long)count, (unsigned long long)need->disk_bytes,
		     (unsigned long long)need->memory_bytes, (unsigned long long)need->files,
		     (unsigned long long)need->moved_bytes, (unsigned long long)need->operations);
		return false;
	}
	refused++;
	if (!strchr(err.text, '.') && !strchr(err.text, '?'))
		fail("%s is refused without a sentence: %s", what, err.text);
	return false;
}

static bool shrank(uint64_t now, uint64_t then)
{
	return now < then / 2;
}

/* One option through all its values, the others as they are. */
static void walk(struct pario_plan *plan, const char *name, const char *what, uint64_t count)
{
	struct pario_need need, last = { 0 };
	bool any = false, shrinking = false;

	for (size_t i = 0; i < VALUES; i++) {
		struct pario_err err = { 0 };
		char label[256];

		snprintf(label, sizeof(label), "%s --%s %s", what, name, values[i]);
		if (pario_config_set(&plan->config, name, values[i], PARIO_ORIGIN_PLAN, &err) < 0 ||
		    !need_of(plan, label, count, &need))
			continue;
		if (any && (shrank(need.disk_bytes, last.disk_bytes) ||
			    shrank(need.memory_bytes, last.memory_bytes) ||
			    shrank(need.moved_bytes, last.moved_bytes))) {
			if (!shrinking && i > 3)
				fail("%s with %llu clients needs %llu bytes of space, %llu of memory and "
				     "moves %llu, less than with a smaller value",
				     label, (unsigned long long)count,
				     (unsigned long long)need.disk_bytes,
				     (unsigned long long)need.memory_bytes,
				     (unsigned long long)need.moved_bytes);
			shrinking = true;
		}
		last = need;
		any = true;
	}
}

static bool is_size(const struct pario_plan *plan, size_t setting)
{
	const struct pario_setting *s = &plan->config.settings[setting];

	return s->option->type == PARIO_TYPE_U64 && s->table + 1 < plan->table_count;
}

static bool is_own_size(const struct pario_plan *plan, size_t setting)
{
	return is_size(plan, setting) && plan->config.settings[setting].table == 0;
}

/* All of a test's sizes and counts at once, each the largest that its row takes. */
static void all_at_most(const struct pario_test *test, uint64_t count)
{
	struct pario_plan plan;
	struct pario_need need;
	struct pario_err err = { 0 };
	char what[128];

	if (pario_plan_init(&plan, test, &err) < 0)
		return;
	for (size_t k = 0; k < plan.config.setting_count; k++) {
		const struct pario_option *row = plan.config.settings[k].option;

		if (is_own_size(&plan, k) &&
		    pario_config_set(&plan.config, row->name,
				     row->max ? row->max : values[VALUES - 1], PARIO_ORIGIN_PLAN,
				     &err) < 0)
			fail("%s --%s is refused its own largest value: %s", test->name, row->name,
			     err.text);
	}
	snprintf(what, sizeof(what), "%s with the largest of all values", test->name);
	need_of(&plan, what, count, &need);
	pario_plan_release(&plan);
}

/* A setting that walks while another, unless it is NULL, is held at a value. */
static void walk_from(const struct pario_test *test, size_t walking, const size_t *held,
		      const char *value, uint64_t count)
{
	struct pario_plan plan;
	struct pario_err err = { 0 };
	char what[128];

	if (pario_plan_init(&plan, test, &err) < 0) {
		fail("%s has no plan: %s", test->name, err.text);
		return;
	}
	snprintf(what, sizeof(what), "%s", test->name);
	if (held)
		snprintf(what, sizeof(what), "%s --%s %s", test->name,
			 plan.config.settings[*held].option->name, value);
	if (!held || pario_config_set(&plan.config, plan.config.settings[*held].option->name, value,
				      PARIO_ORIGIN_PLAN, &err) == 0)
		walk(&plan, plan.config.settings[walking].option->name, what, count);
	pario_plan_release(&plan);
}

static int rank, ranks;

/* The clients share the work: is the next piece of it mine? */
static bool mine(void)
{
	static int pieces;

	return pieces++ % ranks == rank;
}

/* Every size alone; then the test's own in pairs, one held at each value, the other walking. */
static void try_all(const struct pario_test *test, const struct pario_plan *plan)
{
	size_t settings = plan->config.setting_count;

	for (size_t c = 0; c < sizeof(clients) / sizeof(clients[0]); c++) {
		if (mine())
			all_at_most(test, clients[c]);
	}
	for (size_t k = 0; k < settings; k++) {
		for (size_t c = 0; c < sizeof(clients) / sizeof(clients[0]); c++) {
			if (is_size(plan, k) && mine())
				walk_from(test, k, NULL, NULL, clients[c]);
		}
	}
	for (size_t k = 0; k < settings; k++) {
		for (size_t held = 0; held < settings && is_own_size(plan, k); held++) {
			if (held == k || !is_own_size(plan, held) || !mine())
				continue;
			for (size_t i = 1; i < VALUES; i += getenv("CHECK_SANITIZED") ? 8 : 2)
				walk_from(test, k, &held, values[i], 3);
		}
	}
}

/* A row that claims to shape no measurement, of a name that whoever compares runs does not know as such. */
static void refuses_untold_role(void)
{
	struct params {
		uint64_t depth;
	};
	static const struct pario_option rows[] = {
		PARIO_OPTION(struct params, depth, .def = "1", .flags = PARIO_OPTION_ASIDE,
			     .help = "how deep"),
		{ 0 },
	};
	static const struct pario_test test = { .name = "sample",
						.options = rows,
						.params_size = sizeof(struct params) };
	struct pario_plan plan;
	struct pario_err err = { 0 };

	if (pario_plan_init(&plan, &test, &err) == 0 || !strstr(err.text, "--depth"))
		fail("a row and pario_option_role disagree, and nobody is told: %s", err.text);
	pario_plan_release(&plan);
}

int main(int argc, char **argv)
{
	int sums[3];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	refuses_untold_role();
	for (size_t t = 0; pario_tests[t]; t++) {
		struct pario_plan plan;
		struct pario_err err = { 0 };

		if (pario_plan_init(&plan, pario_tests[t], &err) < 0) {
			fail("%s has no plan: %s", pario_tests[t]->name, err.text);
			continue;
		}
		try_all(pario_tests[t], &plan);
		pario_plan_release(&plan);
	}
	MPI_Allreduce((int[]){ accepted, refused, failures }, sums, 3, MPI_INT, MPI_SUM,
		      MPI_COMM_WORLD);
	if (rank == 0)
		printf("extremes: %d plans accepted, %d refused, %d failures\n", sums[0], sums[1],
		       sums[2]);
	MPI_Finalize();
	return sums[2] ? 1 : 0;
}
