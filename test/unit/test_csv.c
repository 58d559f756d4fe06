/*
 * test_csv: cells as RFC 4180 has them, and nothing in them that a terminal or a spreadsheet would act upon.
 */
#include "base/csv.h"

#include "unit.h"

static void a_text_is_quoted_where_it_must_be(void **state)
{
	static const struct {
		const char *text, *cell;
	} all[] = {
		{ "", "" },
		{ "plain text", "plain text" },
		{ "a,b", "\"a,b\"" },
		{ "a;b", "\"a;b\"" },
		{ "say \"it\"", "\"say \"\"it\"\"\"" },
		{ "two\r\nlines", "two\\x0d\\x0alines" },
		{ "\x1b[31mred", "\\x1b[31mred" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "no utf\xff", "no utf\\xff" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct pario_text out = { 0 };

		pario_csv_quote(&out, all[i].text);
		assert_string_equal(pario_text_string(&out), all[i].cell);
		pario_text_release(&out);
	}
}

static void a_formula_is_inert_and_a_number_is_none(void **state)
{
	static const struct {
		const char *text, *cell;
	} all[] = {
		{ "=1+1", "'=1+1" },
		{ "=HYPERLINK(\"http://x\",1)", "\"'=HYPERLINK(\"\"http://x\"\",1)\"" },
		{ "+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0" },
		{ "-2+3", "'-2+3" },
		{ "@SUM(A1)", "'@SUM(A1)" },
		{ " =1+1", "' =1+1" },
		{ " -1", " -1" },
		{ "\t=1", "'\\x09=1" },
		{ "\r=1", "'\\x0d=1" },
		{ "\xef\xbc\x9d"
		  "1",
		  "'\xef\xbc\x9d"
		  "1" },
		{ "-", "'-" },
		{ "-1", "-1" },
		{ "+1.5e-7", "+1.5e-7" },
		{ "-.5", "-.5" },
		{ "-1e", "'-1e" },
		{ "-inf", "'-inf" },
		{ "-0x10", "'-0x10" },
		{ "a=1", "a=1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct pario_text out = { 0 };

		pario_csv_quote(&out, all[i].text);
		assert_string_equal(pario_text_string(&out), all[i].cell);
		pario_text_release(&out);
	}
}

static void numbers_and_rows(void **state)
{
	struct pario_text out = { 0 };
	struct pario_csv csv = { .out = &out };

	(void)state;
	pario_csv_text(&csv, "a");
	pario_csv_real(&csv, 0.5);
	pario_csv_real(&csv, __builtin_nan(""));
	pario_csv_count(&csv, 7);
	pario_csv_end(&csv);
	pario_csv_text(&csv, "b");
	assert_string_equal(pario_text_string(&out), "a,0.5,,7\r\nb");
	pario_text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_quoted_where_it_must_be),
		cmocka_unit_test(a_formula_is_inert_and_a_number_is_none),
		cmocka_unit_test(numbers_and_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
