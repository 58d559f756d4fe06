/*
 * Lines broken for a terminal: never wider than it, between parts where there are some, numbers with their units.
 */
#include "report/text/style.h"

#include <string.h>

#include "unit.h"

static void wraps_to(unsigned columns, const char *text, unsigned indent, const char *expected)
{
	const struct pario_style style = { .columns = columns };
	struct pario_text out = { 0 };

	pario_style_wrap(&style, text, indent, &out);
	assert_string_equal(pario_text_string(&out), expected);
	pario_text_release(&out);
}

static void what_fits_stays(void **state)
{
	(void)state;
	wraps_to(20, "four words of text\n", 4, "four words of text\n");
	wraps_to(20, "twenty letters here.\n", 4, "twenty letters here.\n");
	wraps_to(
		0,
		"a pipe has a hundred columns, and a line that has one letter more than they hold is "
		"broken before a word\n",
		4,
		"a pipe has a hundred columns, and a line that has one letter more than they hold is "
		"broken before a\n    word\n");
}

static void between_parts(void **state)
{
	(void)state;
	wraps_to(24, "    open 1 ms · close 2 ms · sync 3 ms\n", 4,
		 "    open 1 ms\n    close 2 ms\n    sync 3 ms\n");
	wraps_to(30, "open 1 ms · close 2 ms · sync 3 ms\n", 4,
		 "open 1 ms · close 2 ms\n    sync 3 ms\n");
}

static void numbers_keep_their_units(void **state)
{
	(void)state;
	wraps_to(16, "a rate of 1 412 MiB/s\n", 2, "a rate of\n  1 412 MiB/s\n");
	wraps_to(16, "median 1.5 s ± 0.2\n", 2, "median 1.5 s\n  ± 0.2\n");
}

static void escapes_have_no_width(void **state)
{
	(void)state;
	wraps_to(10, "\033[1mbold\033[0m text\n", 2, "\033[1mbold\033[0m text\n");
	wraps_to(10, "\033[1mbold\033[0m text and\n", 2, "\033[1mbold\033[0m text\n  and\n");
}

/* A word that is wider than the terminal cannot be helped; everything else fits, whatever the width. */
static void every_width(void **state)
{
	static const char text[] =
		" write   2 clients   2 849 MiB/s  ± 253.7 (75 %, 3 repetitions)  ▇▇█\n"
		"        slowest client 702 us, fastest 261 us · first done 5 205 MiB/s\n\n";

	(void)state;
	for (unsigned columns = 40; columns < 120; columns++) {
		const struct pario_style style = { .columns = columns };
		struct pario_text out = { 0 };
		unsigned shown = 0;

		pario_style_wrap(&style, text, 8, &out);
		for (const char *c = pario_text_string(&out); *c; c++) {
			shown = *c == '\n' ? 0 : shown + (((unsigned char)*c & 0xc0) != 0x80);
			assert_true(shown <= columns);
		}
		pario_text_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(between_parts),
		cmocka_unit_test(numbers_keep_their_units),
		cmocka_unit_test(escapes_have_no_width),
		cmocka_unit_test(every_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
