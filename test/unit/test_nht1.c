/*
 * test_nht1: the golden values of docs/nht1.md: fields, places and lines of the diagonal, and the formulae.
 */
#include "tests/nht1/model/formulae.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comma_locale.h"
#include "tests/nht1/model/diagonal.h"
#include "tests/nht1/report/conformity.h"
#include "unit.h"

static void fields(void **state)
{
	static const struct {
		double value;
		const char *field;
	} cases[] = {
		{ 0, "   0.0000000000" },
		{ -0.5604775558, "  -0.5604775558" },
		{ 9999.99999999994, "9999.9999999999" },
		{ 9999.99999999996, "***************" },
		{ -999.9999999999, "-999.9999999999" },
		{ -1000, "***************" },
		{ 12345.6, "***************" },
		{ 1e-11, "   0.0000000000" },
		{ -1e-11, "  -0.0000000000" },
		{ 5e-11, "   0.0000000001" },
		{ 2090.78, "2090.7800000000" },
		{ 1.7976931348623157e308, "***************" },
		{ -1.7976931348623157e308, "***************" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char line[PARIO_DIAGONAL_LINE];

		pario_diagonal_line(cases[i].value, line);
		assert_int_equal(strlen(line), 16);
		assert_int_equal(line[15], '\n');
		line[15] = '\0';
		assert_string_equal(line, cases[i].field);
	}
}

static void sizes(void **state)
{
	struct pario_err err;

	(void)state;
	assert_true(pario_diagonal_bytes(102) == 42448320);
	assert_string_equal(pario_diagonal_classes[3].name, "B");
	assert_true(pario_diagonal_classes[3].grid == 102);
	assert_true(pario_diagonal_classes[3].vectors == 40);
	assert_int_equal(pario_diagonal_size(102, 40, 1697932800, "f", &err), 0);
	assert_int_equal(pario_diagonal_size(12, 12, 829440, "f", &err), 0);
	assert_int_equal(pario_diagonal_size(12, 0, 69120, "f", &err), 0);

	assert_int_equal(pario_diagonal_size(102, 40, 1697932799, "f", &err), -1);
	assert_int_equal(err.code, PARIO_VERIFY);
	assert_non_null(strstr(err.text, "vector 40 ends after 42448319 bytes"));
	assert_int_equal(pario_diagonal_size(102, 40, 42448320 * 39ull, "f", &err), -1);
	assert_non_null(strstr(err.text, "too short: it has 39 solution vectors, and vector 40"));
	assert_int_equal(pario_diagonal_size(102, 40, 42448320 * 41ull, "f", &err), -1);
	assert_non_null(strstr(err.text, "too long: it has 41 solution vectors, and vector 41"));
	assert_int_equal(pario_diagonal_size(12, 0, 0, "f", &err), -1);
	assert_non_null(strstr(err.text, "vector 1 of 1 is missing"));
}

/* Puts the values at the places where the values belong, noise elsewhere, and feeds it in uneven pieces. */
static void lines(void **state)
{
	static const double golden[] = { 205.2375255379, 11.5659201197, 52.0424043665,
					 48.6336772397, 478.1184846522 };
	enum { N = 12, VECTORS = 3, COUNT = 5 * N * N * N * VECTORS };
	double *values = malloc(COUNT * sizeof(*values));
	struct pario_text out = { 0 };
	struct pario_diagonal d;
	struct pario_err err;
	char *line;

	(void)state;
	assert_non_null(values);
	for (size_t i = 0; i < COUNT; i++)
		values[i] = -77;
	for (size_t s = 0; s < VECTORS; s++) {
		for (size_t dd = 1; dd <= N; dd++) {
			for (size_t m = 1; m <= 5; m++) {
				size_t byte = 8 * (5 * N * N * N * s +
						   5 * (dd - 1) * (N * N + N + 1) + (m - 1));

				values[byte / 8] = s == 1 && dd == 7
							   ? golden[m - 1]
							   : (double)(s * 1000 + dd * 10 + m);
			}
		}
	}
	pario_diagonal_init(&d, N);
	for (size_t at = 0, piece = 1; at < COUNT; at += piece, piece = piece * 3 % 1009) {
		if (piece > COUNT - at)
			piece = COUNT - at;
		assert_int_equal(
			pario_diagonal_feed(&d, values + at, piece, pario_diagonal_add, &out, &err),
			0);
	}
	assert_true(d.vector == VECTORS && d.at == 0);
	assert_true(out.length == 16 * 5 * N * VECTORS);
	line = out.data + 16 * (5 * N + 5 * 6);
	assert_memory_equal(line,
			    " 205.2375255379\n  11.5659201197\n  52.0424043665\n  48.6336772397\n"
			    " 478.1184846522\n",
			    80);
	assert_memory_equal(out.data + 16 * (2 * 5 * N + 5 * 11 + 4), "2125.0000000000\n", 16);
	assert_null(strstr(out.data, "-77"));
	pario_text_release(&out);
	free(values);
}

static void not_finite(void **state)
{
	enum { N = 4, COUNT = 5 * N * N * N };
	static const double bad[] = { NAN, INFINITY, -INFINITY };
	double values[2 * COUNT] = { 0 };
	struct pario_text out = { 0 };
	struct pario_diagonal d;
	struct pario_err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		/* second vector, point x=3 y=2 z=4, component 5: not on the diagonal */
		size_t at = COUNT + 5 * ((3 * N + 1) * N + 2) + 4;

		values[at] = bad[i];
		pario_diagonal_init(&d, N);
		assert_int_equal(
			pario_diagonal_feed(&d, values, 2 * COUNT, pario_diagonal_add, &out, &err),
			-1);
		assert_int_equal(err.code, PARIO_VERIFY);
		assert_non_null(strstr(err.text, "vector 2 "));
		assert_non_null(strstr(err.text, "component 5 of point x=3 y=2 z=4"));
	}
	pario_text_release(&out);
}

static void formulae(void **state)
{
	const uint64_t gib16 = (uint64_t)16 << 30;

	(void)state;
	assert_true(pario_nht1_application(8, 102, 200, 5, 100) == 16979328);
	assert_true(fabs(pario_nht1_overhead(110, 100) - 0.1) < 1e-15);
	/* more than 80 % moved: the formula counts 80 % */
	assert_true(fabs(pario_nht1_peak(pario_nht1_counted(gib16, gib16), 20, 10) - 916259689.81) <
		    0.01);
	/* less: what was moved */
	assert_true(pario_nht1_peak(pario_nht1_counted(gib16, 3000), 20, 10) == 200);
}

static void point_in_every_locale(void **state)
{
	char line[PARIO_DIAGONAL_LINE];

	(void)state;
	if (!comma_locale_enter())
		skip();
	pario_diagonal_line(1.5, line);
	comma_locale_leave();
	assert_string_equal(line, "   1.5000000000\n");
}

/* The line of the nodes, of a result that tells `metrics`. */
static void nodes_line(const char *metrics, const char *wanted)
{
	struct pario_history history = { .begin = json_object() };
	struct pario_text text = { 0 };
	json_t *result =
		json_pack("{s:i, s:o}", "clients", 2, "metrics", json_loads(metrics, 0, NULL));

	assert_non_null(result);
	pario_nht1_conformity_application(&text, &history, result, 1, "run");
	if (!strstr(pario_text_string(&text), wanted))
		fail_msg("not '%s' but %s", wanted, pario_text_string(&text));
	pario_text_release(&text);
	json_decref(result);
	json_decref(history.begin);
}

static void nodes_that_were_left_out_do_not_conform(void **state)
{
	(void)state;
	nodes_line("{\"nodes\": {\"value\": 2}, \"nodes_left_out\": {\"value\": 0}}",
		   "nodes          yes  2 of 2 that the run");
	nodes_line("{\"nodes\": {\"value\": 2}, \"nodes_left_out\": {\"value\": 3}}",
		   "nodes          no   2 of 5 that the run");
	nodes_line("{}", "nodes          no   the run did not tell");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(sizes),
		cmocka_unit_test(lines),
		cmocka_unit_test(not_finite),
		cmocka_unit_test(formulae),
		cmocka_unit_test(point_in_every_locale),
		cmocka_unit_test(nodes_that_were_left_out_do_not_conform),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
