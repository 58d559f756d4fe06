/*
 * The lines of a number: its interval, the repetitions that failed, the consortium's statistics.
 */
#include "report/text/result_lines.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

enum { ALL = 200, GOOD = 8 };

static struct pario_result results[ALL];

static void measured(struct pario_result *r, uint64_t repetition, double rate)
{
	pario_result_init(r);
	snprintf(r->phase, sizeof(r->phase), "write");
	r->repetition = repetition;
	r->clients = 1;
	r->bytes = 1 << 20;
	r->seconds.total = 1;
	r->rate_mib_s = rate;
}

static void says(const struct pario_result *list, size_t count, const char *text)
{
	const struct pario_style style = { 0 };
	struct pario_text out = { 0 };

	pario_result_lines_add(&out, &style, list, count, true);
	if (!strstr(pario_text_string(&out), text))
		fail_msg("\"%s\" is not in\n%s", text, pario_text_string(&out));
	pario_text_release(&out);
}

static void a_number_shows_both_ends_of_its_interval(void **state)
{
	static const double rates[] = { 264, 502, 644, 652, 1492 };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		measured(&results[i], i, rates[i]);
	says(results, 5, "644 MiB/s  [264, 1 492] MiB/s (94 % for this run, 5 repetitions)");
	/* mean 710.8, squares of the distances over 5: 172 284 */
	says(results, 5, "maximum 1 492 MiB/s, deviation 415.1 MiB/s over 5 repetitions");
	says(results, 1, "264 MiB/s  (one repetition: no spread known)");
}

static void counts(const char *text, const char *letter, size_t expected)
{
	size_t found = 0;

	for (; (text = strstr(text, letter)); text++)
		found++;
	assert_int_equal(found, expected);
}

/* Without --verbose: the number with at most one mark, its proof, and why it is suspect. */
static void a_line_and_its_proof_are_enough(void **state)
{
	const struct pario_style style = { 0 };
	struct pario_text out = { 0 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		measured(&results[i], i, 500 + (double)i);
		snprintf(results[i].cache.wanted, sizeof(results[i].cache.wanted), "cold");
		snprintf(results[i].cache.method, sizeof(results[i].cache.method), "new file");
		snprintf(results[i].disturbance.host, sizeof(results[i].disturbance.host), "n1");
		results[i].disturbance.others = 0.6;
	}
	pario_result_lines_add(&out, &style, results, 5, false);
	assert_string_equal(
		pario_text_string(&out),
		" write   1 client   502 MiB/s  [500, 504] MiB/s  ◀ others used 60 % of "
		"the processors\n        durable: fsync inside the time, new file · "
		"94 % interval, 5 repetitions\n");
	results[1].outcome = PARIO_SUSPECT;
	snprintf(results[1].reason, sizeof(results[1].reason), "too short");
	pario_text_clear(&out);
	pario_result_lines_add(&out, &style, results, 5, false);
	counts(pario_text_string(&out), "◀", 1);
	counts(pario_text_string(&out), "too short", 1);
	counts(pario_text_string(&out), "\n", 3);
	pario_text_release(&out);
}

/* A read syncs nothing, and no time went by: that is no number. */
static void zeros_that_mean_nothing_are_left_out(void **state)
{
	static const char *const names[] = { "open", "transfer", "close" };
	static const char *const ends[] = { "min_s", "mean_s", "max_s", "variance_s2" };
	const struct pario_style style = { 0 };
	struct pario_text out = { 0 };
	char name[64];

	(void)state;
	measured(&results[0], 0, 100);
	results[0].seconds.sync = 1e-8;
	for (size_t i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "%s_%s", names[i / 4], ends[i % 4]);
		pario_result_metric(&results[0], name, "s", i / 4 == 1 ? 0.5 : 0);
	}
	pario_result_lines_add(&out, &style, results, 1, true);
	assert_null(strstr(pario_text_string(&out), "sync"));
	assert_null(strstr(pario_text_string(&out), "open 0"));
	assert_non_null(strstr(pario_text_string(&out), "variance: transfer 500 / 500 / 500 ms"));
	pario_text_release(&out);
}

static void repetitions_that_failed_are_counted_and_say_why(void **state)
{
	static const char why[] = "pwrite of 65536 bytes failed in data at offset 1 MiB: "
				  "no space left on device (ENOSPC).";
	struct pario_text out = { 0 };

	(void)state;
	for (size_t i = 0; i < ALL; i++) {
		measured(&results[i], i, 100);
		/* another reason first: it must not stand for the failures */
		if (i == 0) {
			results[i].outcome = PARIO_SUSPECT;
			snprintf(results[i].reason, sizeof(results[i].reason), "too short");
		}
		if (i < GOOD)
			continue;
		pario_result_init(&results[i]);
		snprintf(results[i].phase, sizeof(results[i].phase), "write");
		results[i].clients = 1;
		results[i].outcome = PARIO_FAIL;
		snprintf(results[i].reason, sizeof(results[i].reason), "%s", why);
	}
	says(results, ALL, "(99 % for this run, 8 of 200, 192 failed: ENOSPC)");
	says(results, ALL, "fail, 192 of 200: pwrite of 65536 bytes failed");
	says(results, ALL, "suspect, 1 of 200: too short");
	pario_result_failures_add(&out, results, ALL);
	assert_string_equal(
		pario_text_string(&out),
		"write, 1 client: 8 of 200, 192 failed: pwrite of 65536 bytes failed in "
		"data at offset 1 MiB: no space left on device (ENOSPC).");
	pario_text_clear(&out);
	pario_result_failures_add(&out, results, GOOD);
	assert_int_equal(out.length, 0);
	pario_text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_shows_both_ends_of_its_interval),
		cmocka_unit_test(a_line_and_its_proof_are_enough),
		cmocka_unit_test(zeros_that_mean_nothing_are_left_out),
		cmocka_unit_test(repetitions_that_failed_are_counted_and_say_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
