/*
 * The table of many numbers: one line each, one unit in a line, what does not fit is left out.
 */
#include "report/text/number_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

enum { REPETITIONS = 5, PHASES = 2 };

static struct pario_result results[PHASES][REPETITIONS];

static void fill(void)
{
	static const double rates[] = { 264, 502, 644, 652, 1492 };
	static const char *const phases[] = { "write", "rewrite" };

	for (size_t k = 0; k < PHASES; k++) {
		for (size_t i = 0; i < REPETITIONS; i++) {
			struct pario_result *r = &results[k][i];

			pario_result_init(r);
			snprintf(r->phase, sizeof(r->phase), "%s", phases[k]);
			r->repetition = i;
			r->clients = 2;
			r->bytes = 1 << 20;
			r->seconds.total = 1;
			r->rate_mib_s = rates[i];
		}
	}
}

static char *table(unsigned columns, bool verbose, char *text, size_t capacity)
{
	const struct pario_style style = { .columns = columns };
	struct pario_number_table t = { 0 };
	struct pario_text out = { 0 };

	for (size_t k = 0; k < PHASES; k++)
		pario_number_table_take(&t, results[k], REPETITIONS);
	pario_number_table_add(&out, &style, &t, verbose);
	snprintf(text, capacity, "%s", pario_text_string(&out));
	pario_text_release(&out);
	pario_number_table_release(&t);
	return text;
}

static void a_line_has_all_statistics_in_one_unit(void **state)
{
	char text[2000];

	(void)state;
	fill();
	assert_string_equal(
		table(0, true, text, sizeof(text)),
		" what     clients     median            interval    max  min   mean  std dev  repetitions\n"
		" write          2  644 MiB/s  [264, 1 492] MiB/s  1 492  264  710.8    415.1            5\n"
		" rewrite        2  644 MiB/s  [264, 1 492] MiB/s  1 492  264  710.8    415.1            5\n");
	assert_string_equal(table(0, false, text, sizeof(text)),
			    " what     clients     median            interval  repetitions\n"
			    " write          2  644 MiB/s  [264, 1 492] MiB/s            5\n"
			    " rewrite        2  644 MiB/s  [264, 1 492] MiB/s            5\n");
}

static void a_narrow_terminal_keeps_median_and_interval(void **state)
{
	char text[2000];

	(void)state;
	fill();
	table(62, true, text, sizeof(text));
	assert_null(strstr(text, "mean"));
	assert_non_null(strstr(text, "644 MiB/s  [264, 1 492] MiB/s "));
}

static void a_reason_is_given_once_with_the_lines_it_stands_for(void **state)
{
	char text[2000];

	(void)state;
	fill();
	for (size_t k = 0; k < PHASES; k++) {
		results[k][k].outcome = PARIO_SUSPECT;
		snprintf(results[k][k].reason, sizeof(results[k][k].reason), "too short: 0.%zu s",
			 k + 1);
	}
	table(0, false, text, sizeof(text));
	assert_non_null(strstr(text, "  ◀ suspect\n rewrite "));
	assert_non_null(strstr(
		text,
		"\n write, 2 clients, and 1 other line: suspect, 1 of 5: too short: 0.1 s\n"));
	assert_null(strstr(text, "0.2 s"));
	/* a failed one is no number, and is counted */
	results[1][4].outcome = PARIO_FAIL;
	results[1][4].rate_mib_s = 0;
	snprintf(results[1][4].reason, sizeof(results[1][4].reason), "pwrite failed");
	table(0, false, text, sizeof(text));
	assert_non_null(strstr(text, "4 of 5  ◀ fail\n"));
	assert_non_null(strstr(text, "\n rewrite, 2 clients: fail, 1 of 5: pwrite failed\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_all_statistics_in_one_unit),
		cmocka_unit_test(a_narrow_terminal_keeps_median_and_interval),
		cmocka_unit_test(a_reason_is_given_once_with_the_lines_it_stands_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
