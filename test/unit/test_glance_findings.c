/*
 * Findings stand on numbers that are trusted and repeated.
 */
#include "report/text/findings.h"
#include "report/text/limit.h"
#include "report/text/scaling.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static struct pario_region region(const char *id, double value, size_t numbers)
{
	struct pario_region r = {
		.id = id, .region = "metadata", .what = id, .value = PARIO_REGION_RATE
	};

	r.count = 1;
	r.clients[0] = 2;
	r.numbers[0] = r.all[0] = numbers;
	r.median[0] = value;
	r.low[0] = value * 0.9;
	r.high[0] = value * 1.1;
	return r;
}

static size_t found(const struct pario_region *regions)
{
	struct pario_finding findings[PARIO_FINDINGS_MAX];

	return pario_findings_of(regions, 2, findings);
}

static void only_trusted_and_repeated_numbers_make_a_finding(void **state)
{
	struct pario_region regions[2] = { region("mpiio_write", 10, 5),
					   region("write", 17510, 5) };

	(void)state;
	assert_int_equal(found(regions), 1);
	regions[1].suspect = true;
	assert_int_equal(found(regions), 0);
	regions[1] = region("write", 17510, 1);
	assert_int_equal(found(regions), 0);
}

/* True of every file system, and so no weakness of this one. */
static void kinds_of_operations_are_not_compared(void **state)
{
	struct pario_region metadata[2] = { region("file_create", 10, 5),
					    region("file_stat", 17510, 5) };
	struct pario_region large[2] = { region("write", 10, 5), region("read", 17510, 5) };

	(void)state;
	assert_int_equal(found(metadata), 0);
	assert_int_equal(found(large), 0);
}

/* The better way is what the system can do, whichever it is. */
static void either_way_may_be_the_better_one(void **state)
{
	struct pario_region regions[2] = { region("write", 1000, 5),
					   region("mpiio_write", 2000, 5) };
	struct pario_finding findings[PARIO_FINDINGS_MAX];

	(void)state;
	assert_int_equal(pario_findings_of(regions, 2, findings), 1);
	assert_string_equal(
		findings[0].text,
		"POSIX writes with a file per client reach 50 % of MPI-IO writes into one "
		"shared file: 1 000 MiB/s against 2 000 MiB/s, from 5 and 5 values whose "
		"intervals do not touch.");
}

/* The storage itself counts where no other way is better by much; memory only for what should be as fast as that. */
static void the_raw_rate_is_a_limit(void **state)
{
	struct pario_region regions[3] = { region("write", 1000, 5), region("mpiio_write", 1100, 5),
					   region("direct_write", 3000, 5) };
	struct pario_region memory[2] = { region("write", 100, 5), region("memory", 9000, 5) };
	struct pario_finding findings[PARIO_FINDINGS_MAX];

	(void)state;
	assert_int_equal(pario_findings_of(regions, 3, findings), 2);
	assert_non_null(strstr(findings[0].text,
			       "POSIX writes with a file per client reach 33 % of "
			       "the same writes past the page cache"));
	assert_non_null(strstr(findings[0].next, "--direct 1"));
	assert_int_equal(pario_findings_of(memory, 2, findings), 0);
	memory[0].in_memory = true;
	assert_int_equal(pario_findings_of(memory, 2, findings), 1);
	assert_non_null(strstr(findings[0].text, "reach 1.1 % of copies of memory"));
	memory[0] = region("cached_write", 500, 5);
	assert_int_equal(pario_findings_of(memory, 2, findings), 0); /* 18 copies: pages are new */
	memory[0] = region("cached_write", 100, 5);
	assert_int_equal(pario_findings_of(memory, 2, findings), 1);
}

static void a_line_has_its_share_of_what_the_machine_could_do(void **state)
{
	struct pario_region r[6] = {
		region("write", 1000, 5),	 region("mpiio_write", 500, 5),
		region("random_read", 25600, 5), region("read", 400, 5),
		region("memory", 9000, 5),	 region("file_create", 3000, 5)
	};
	static const double shares[] = { 1000 / 9000.0, 0.5, 0.25, 400 / 9000.0, 0, 0.5 };
	static const char *const limits[] = { "memory", "write", "read", "memory", NULL, "linear" };
	struct pario_region_cells cells;

	(void)state;
	r[2].value = r[5].value = PARIO_REGION_OPS;
	r[2].op_bytes = 4096; /* 100 MiB/s */
	r[5].count = 2;
	r[5].clients[0] = 1;
	r[5].clients[1] = 2;
	r[5].median[1] = r[5].median[0];
	r[5].numbers[1] = 5;
	pario_limits_find(r, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(r[i].limit != NULL, limits[i] != NULL);
		if (!limits[i])
			continue;
		assert_string_equal(r[i].limit, limits[i]);
		assert_float_equal(r[i].share, shares[i], 1e-9);
	}
	pario_region_cells(&r[2], &cells);
	assert_string_equal(cells.limit, " 25 % read");
	pario_text_release(&cells.look);
	/* nothing that is not trusted is a limit, and what nothing exceeds is the best */
	r[4].suspect = true;
	pario_limits_find(r, 6);
	assert_null(r[0].limit);
	r[1].median[0] = 900;
	r[0].median[0] = 1000;
	r[4] = region("direct_write", 950, 5);
	pario_limits_find(r, 6);
	assert_string_equal(r[0].limit, "direct");
	pario_region_cells(&r[0], &cells);
	assert_string_equal(cells.limit, "best");
	pario_text_release(&cells.look);
}

/* A file system in memory is compared like any other, and no disk is named. */
static void memory_is_no_doubt(void **state)
{
	struct pario_result result = { .clients = 2,
				       .rate_mib_s = 10,
				       .phase = "read",
				       .outcome = PARIO_SUSPECT,
				       .reason = PARIO_RESULT_IN_MEMORY };
	struct pario_region taken[2] = { { .what = "read, from disk" },
					 { .what = "write, to disk" } };

	(void)state;
	pario_region_take(&taken[0], &result, 1, "read");
	assert_string_equal(taken[0].what, "read, from memory");
	assert_true(taken[0].in_memory && !taken[0].suspect && !taken[0].reason[0]);
	strcat(result.reason, "; too short: 2 operations in 87 us");
	pario_region_take(&taken[1], &result, 1, "read");
	assert_string_equal(taken[1].what, "write, to memory");
	assert_true(taken[1].suspect);
	assert_string_equal(taken[1].reason, "too short: 2 operations in 87 us");
}

static void no_line_of_the_table_is_wider_than_100_columns(void **state)
{
	struct pario_region r = region("file_stat", 2810000, 5);
	struct pario_style style = { 0 };
	struct pario_text out = { 0 };

	(void)state;
	r.value = PARIO_REGION_OPS;
	r.region = "noncontiguous";
	r.what = "4 KiB read, from storage";
	r.count = 9;
	for (size_t i = 0; i < 9; i++) {
		r.clients[i] = 1u << i;
		r.numbers[i] = 5;
		r.median[i] = 2810000;
		r.low[i] = 48880;
		r.high[i] = 2849000;
	}
	r.limit = "memory";
	r.share = 1;
	r.others = 0.62;
	r.suspect = true;
	pario_region_table(&out, &style, &r, 1);
	for (const char *at = pario_text_string(&out); *at;) {
		size_t length = strcspn(at, "\n"), shown = 0;

		for (size_t i = 0; i < length; i++)
			shown += ((unsigned char)at[i] & 0xc0) != 0x80;
		if (strstr(at, "of limit: ") == at + 1)
			break; /* wrapped by whoever prints it */
		assert_true(shown <= 100);
		at += length + (at[length] != 0);
	}
	pario_text_release(&out);
}

static void findings_are_ranked_and_say_both_numbers_and_what_to_try(void **state)
{
	struct pario_region regions[4] = { region("independent_write", 10, 5),
					   region("collective_write", 30, 5),
					   region("strided_write", 10, 5),
					   region("write", 17510, 5) };
	struct pario_finding findings[PARIO_FINDINGS_MAX];
	struct pario_text out = { 0 };

	(void)state;
	assert_int_equal(pario_findings_of(regions, 4, findings), 3);
	assert_string_equal(
		findings[0].text,
		"Strided 64 KiB writes into a shared file reach 0.1 % of POSIX writes with a file "
		"per client: 10 MiB/s against 17 510 MiB/s, from 5 and 5 values whose intervals do "
		"not touch.");
	assert_non_null(strstr(findings[1].text, "Collective noncontiguous writes reach 0.2 %"));
	assert_non_null(strstr(findings[2].text, "Independent noncontiguous writes reach 33 % of "
						 "collective noncontiguous writes"));
	assert_true(findings[0].next[0] && findings[1].next[0]);
	pario_findings_verdict(&out, 2, regions, 4);
	assert_string_equal(pario_text_string(&out),
			    "2 weaknesses on this storage, the largest first.");
	/* intervals wider than a fifth of the number: said, since they hide smaller differences */
	for (size_t i = 0; i < 4; i++)
		regions[i].high[0] = 2 * regions[i].median[0];
	pario_findings_verdict(&out, 2, regions, 4);
	assert_non_null(strstr(pario_text_string(&out),
			       "half of the intervals reach over a factor of 2.2 or more"));
	/* what the table shows counts, whatever is thought of the number */
	regions[0].suspect = true;
	regions[1].numbers[0] = 2;
	regions[2].numbers[0] = 1;
	regions[2].high[0] = regions[2].low[0];
	pario_text_clear(&out);
	pario_findings_verdict(&out, 2, regions, 4);
	assert_non_null(strstr(pario_text_string(&out), "over a factor of 2.2 or more"));
	assert_null(strstr(pario_text_string(&out), "Others"));
	regions[3].others = 0.4;
	pario_text_clear(&out);
	pario_findings_verdict(&out, 2, regions, 4);
	assert_non_null(
		strstr(pario_text_string(&out),
		       "Others used this machine while 1 of 4 numbers were measured, for up "
		       "to 40 % of the processors' time"));
	pario_text_release(&out);
}

static void more_clients_that_are_slower_are_a_finding(void **state)
{
	struct pario_region r = region("write", 1000, 5);
	struct pario_finding findings[PARIO_FINDINGS_MAX];

	(void)state;
	r.count = 2;
	r.clients[0] = 1;
	r.clients[1] = 4;
	r.numbers[1] = r.all[1] = 5;
	r.median[1] = 500;
	r.low[1] = 450;
	r.high[1] = 550;
	assert_int_equal(pario_findings_of(&r, 1, findings), 1);
	assert_string_equal(
		findings[0].text,
		"Metadata, write: 4 clients are 2 × slower than 1: 500 MiB/s against 1 000 "
		"MiB/s, from 5 and 5 values whose intervals do not touch.");
	assert_string_equal(findings[0].next, "1 client for this kind of work");
}

static void where_nothing_is_proved_that_is_said(void **state)
{
	struct pario_region regions[2] = { region("file_create", 10, 1),
					   region("file_stat", 17510, 1) };
	struct pario_text out = { 0 };

	(void)state;
	pario_findings_add(&out, NULL, 0, regions, 2);
	assert_non_null(
		strstr(pario_text_string(&out), "2 of 2 numbers are suspect, missing or rest"));
	pario_text_release(&out);
}

static void a_line_has_its_interval_in_the_unit_of_its_number(void **state)
{
	struct pario_region r = region("file_stat", 18200, 5);
	struct pario_region_cells cells;

	(void)state;
	r.value = PARIO_REGION_OPS;
	r.low[0] = 9400;
	r.high[0] = 21000;
	pario_region_cells(&r, &cells);
	assert_string_equal(cells.number, "18.2 k/s");
	assert_string_equal(cells.interval, "[9.4, 21]");
	pario_text_release(&cells.look);
}

/* Medians at 1, 2 and 6 clients, with intervals of `wide` to both sides. */
static struct pario_region counts(double a, double b, double c, double wide, size_t numbers)
{
	const double medians[] = { a, b, c };
	static const uint64_t clients[] = { 1, 2, 6 };
	struct pario_region r = { .id = "", .region = "", .what = "write", .count = 3 };

	for (size_t i = 0; i < 3; i++) {
		r.clients[i] = clients[i];
		r.numbers[i] = r.all[i] = numbers;
		r.median[i] = medians[i];
		r.low[i] = medians[i] * (1 - wide);
		r.high[i] = medians[i] * (1 + wide);
	}
	return r;
}

static void scaling_is_judged_by_all_counts_and_their_intervals(void **state)
{
	const struct {
		struct pario_region region;
		enum pario_scaling scaling;
		uint64_t knee;
	} rows[] = {
		{ counts(403, 34, 758, 0.01, 5), PARIO_SCALING_OPEN, 0 },
		{ counts(403, 34, 758, 0.01, 1), PARIO_SCALING_FEW, 0 },
		{ counts(400, 410, 405, 0.01, 5), PARIO_SCALING_KNEE, 1 },
		{ counts(400, 800, 790, 0.01, 5), PARIO_SCALING_KNEE, 2 },
		{ counts(400, 800, 790, 0.2, 5), PARIO_SCALING_OPEN, 0 },
		{ counts(100, 200, 600, 0.05, 5), PARIO_SCALING_GROWS, 0 },
		{ counts(100, 120, 600, 0.2, 5), PARIO_SCALING_OPEN, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pario_text out = { 0 };
		uint64_t knee;

		assert_int_equal(pario_scaling_of(&rows[i].region, &knee), rows[i].scaling);
		assert_int_equal(knee, rows[i].knee);
		pario_scaling_add(&out, &rows[i].region);
		assert_int_equal(strstr(pario_text_string(&out), "beyond") != NULL, knee > 0);
		pario_text_release(&out);
	}
}

static void from_disk_is_said_where_every_cache_is_excluded(void **state)
{
	struct pario_result result = { .clients = 2, .rate_mib_s = 10, .phase = "read" };
	struct pario_region taken[2] = { { .what = "4 KiB read, from disk" },
					 { .what = "4 KiB read, from disk" } };
	struct pario_style style = { 0 };
	struct pario_text out = { 0 };

	(void)state;
	pario_region_take(&taken[0], &result, 1, "read");
	snprintf(result.cache.not_excluded, sizeof(result.cache.not_excluded), "the servers");
	pario_region_take(&taken[1], &result, 1, "read");
	assert_string_equal(taken[0].what, "4 KiB read, from disk");
	assert_string_equal(taken[1].what, "4 KiB read, from storage");
	taken[0].region = taken[1].region = "small random";
	pario_region_table(&out, &style, taken, 2);
	assert_non_null(strstr(pario_text_string(&out), "not excluded: the servers\n"));
	pario_text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_raw_rate_is_a_limit),
		cmocka_unit_test(a_line_has_its_share_of_what_the_machine_could_do),
		cmocka_unit_test(memory_is_no_doubt),
		cmocka_unit_test(no_line_of_the_table_is_wider_than_100_columns),
		cmocka_unit_test(scaling_is_judged_by_all_counts_and_their_intervals),
		cmocka_unit_test(from_disk_is_said_where_every_cache_is_excluded),
		cmocka_unit_test(only_trusted_and_repeated_numbers_make_a_finding),
		cmocka_unit_test(kinds_of_operations_are_not_compared),
		cmocka_unit_test(either_way_may_be_the_better_one),
		cmocka_unit_test(findings_are_ranked_and_say_both_numbers_and_what_to_try),
		cmocka_unit_test(more_clients_that_are_slower_are_a_finding),
		cmocka_unit_test(where_nothing_is_proved_that_is_said),
		cmocka_unit_test(a_line_has_its_interval_in_the_unit_of_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
