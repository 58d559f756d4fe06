/*
 * test_units: what is accepted as a size or a number, and how they are written.
 */
#include "base/units.h"

#include <math.h>
#include <string.h>

#include "comma_locale.h"
#include "unit.h"

static void good_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{ "0", 0 },
		{ "0k", 0 },
		{ "1", 1 },
		{ "007", 7 },
		{ "4k", 4096 },
		{ "4K", 4096 },
		{ "4KiB", 4096 },
		{ "4kib", 4096 },
		{ "4kB", 4096 },
		{ "4KB", 4096 },
		{ "1.5m", 1572864 },
		{ "1.500m", 1572864 },
		{ "0.25k", 256 },
		{ "3.0", 3 },
		{ "1.00000000000000000000000000000000000", 1 },
		{ "0.0009765625k", 1 },
		{ "2g", 2147483648u },
		{ "3t", 3298534883328u },
		{ "1p", 1125899906842624u },
		{ "16383p", 18445618173802708992u },
		{ "18446744073709551615", UINT64_MAX },
		{ "47008", 47008 },
	};
	struct pario_err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t bytes = 99;

		assert_int_equal(pario_units_parse_size("--x", cases[i].text, &bytes, &err), 0);
		assert_true(bytes == cases[i].bytes);
	}
}

static void bad_sizes(void **state)
{
	static const char *const cases[] = {
		"",
		"-1",
		"+1",
		"0x",
		"0x10",
		"1e30",
		"1e3",
		"16E",
		"8EiB",
		"16Ei",
		"4kk",
		"4ki",
		" 4k",
		"4k ",
		"4 k",
		"k",
		".5k",
		"5.k",
		"1.5",
		"1..5k",
		"1.2.3k",
		"0.3k",
		"4bk",
		"4B",
		"16384p",
		"18446744073709551616",
		"99999999999999999999999999999999999999999999999",
		"0.00000000000000000000000000000000000001p",
		"1.0000000000000000000000000000000000001p",
		"nan",
		"inf",
		"1,5k",
		"4\xc2\xb5",
		"4k\n",
		"\t4k",
	};
	struct pario_err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t bytes = 99;

		assert_int_equal(pario_units_parse_size("--block_size", cases[i], &bytes, &err),
				 -1);
		assert_int_equal(err.code, PARIO_USAGE);
		assert_non_null(strstr(err.text, "--block_size does not take '"));
		assert_true(bytes == 99);
	}
	pario_units_parse_size("--x", "4kk", &(uint64_t){ 0 }, &err);
	assert_non_null(strstr(err.text, "k, m, g, t or p"));
	pario_units_parse_size("--x", "16384p", &(uint64_t){ 0 }, &err);
	assert_non_null(strstr(err.text, "below 2^64"));
}

static void reals(void **state)
{
	static const char *const bad[] = { "",	 "-",	"+1",	"0x1p3", "nan",	  "inf",
					   "1e", "1e+", " 1",	"1 ",	 "1,5",	  "1e999",
					   ".5", "5.",	"1.e3", "--1",	 "1e1.5", "-inf" };
	struct pario_err err;
	double v;

	(void)state;
	assert_int_equal(pario_units_parse_real("--x", "0.5", &v, &err), 0);
	assert_true(v == 0.5);
	assert_int_equal(pario_units_parse_real("--x", "-2.5e-3", &v, &err), 0);
	assert_true(v == -2.5e-3);
	assert_int_equal(pario_units_parse_real("--x", "1E+2", &v, &err), 0);
	assert_true(v == 100);
	assert_int_equal(pario_units_parse_real("--x", "123456789012345678901234567890", &v, &err),
			 0);
	assert_true(v == 123456789012345678901234567890.0);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		v = 7;
		assert_int_equal(pario_units_parse_real("--x", bad[i], &v, &err), -1);
		assert_int_equal(err.code, PARIO_USAGE);
		assert_true(v == 7);
	}
}

static void size_texts(void **state)
{
	char buf[PARIO_UNITS_CAPACITY];

	(void)state;
	assert_string_equal(pario_units_size(buf, 0), "0 B");
	assert_string_equal(pario_units_size(buf, 1023), "1023 B");
	assert_string_equal(pario_units_size(buf, 4096), "4 KiB");
	assert_string_equal(pario_units_size(buf, 1572864), "1.5 MiB");
	assert_string_equal(pario_units_size(buf, 47008), "47008 B");
	assert_string_equal(pario_units_size(buf, 3901), "3901 B");
	assert_string_equal(pario_units_size(buf, 1u << 30), "1 GiB");
	assert_string_equal(pario_units_size(buf, 5ull << 28), "1.25 GiB");
	assert_string_equal(pario_units_size(buf, (8ull << 20) + 8), "8.0 MiB");
	assert_string_equal(pario_units_size(buf, 44238012416u), "41.2 GiB");
	assert_string_equal(pario_units_size(buf, UINT64_MAX), "16 384.0 PiB");
}

static void number_texts(void **state)
{
	char buf[PARIO_UNITS_CAPACITY];

	(void)state;
	assert_string_equal(pario_units_number(buf, 0), "0");
	assert_string_equal(pario_units_number(buf, 41), "41");
	assert_string_equal(pario_units_number(buf, 1.0234567), "1.023");
	assert_string_equal(pario_units_number(buf, 211.26), "211.3");
	assert_string_equal(pario_units_number(buf, 999.96), "1 000");
	assert_string_equal(pario_units_number(buf, 1412.4), "1 412");
	assert_string_equal(pario_units_number(buf, 1048576), "1 048 576");
	assert_string_equal(pario_units_number(buf, -12345), "-12 345");
	assert_string_equal(pario_units_number(buf, 0.000123456), "0.0001235");
	assert_string_equal(pario_units_number(buf, 1.5e-9), "1.5e-9");
	assert_string_equal(pario_units_number(buf, 1.23456e20), "1.235e20");
	assert_string_equal(pario_units_number(buf, NAN), "n/a");
	assert_string_equal(pario_units_number(buf, INFINITY), "inf");
	assert_string_equal(pario_units_number(buf, -INFINITY), "-inf");
	assert_string_equal(pario_units_rate(buf, 1412.1), "1 412 MiB/s");
	assert_string_equal(pario_units_rate(buf, 0.5), "0.5 MiB/s");
	assert_string_equal(pario_units_count(buf, 1412), "1 412");
	assert_string_equal(pario_units_count(buf, 9999), "9 999");
	assert_string_equal(pario_units_count(buf, 10000), "10 k");
	assert_string_equal(pario_units_count(buf, 38123), "38.1 k");
	assert_string_equal(pario_units_count(buf, 1048576), "1.05 million");
	assert_string_equal(pario_units_count(buf, 2.5e9), "2.5 billion");
	assert_string_equal(pario_units_count(buf, 12.5), "12.5");
}

static void time_texts(void **state)
{
	char buf[PARIO_UNITS_CAPACITY];

	(void)state;
	assert_string_equal(pario_units_time(buf, 0), "0 s");
	assert_string_equal(pario_units_time(buf, 3.5e-3), "3.5 ms");
	assert_string_equal(pario_units_time(buf, 1.9e-6), "1.9 us");
	assert_string_equal(pario_units_time(buf, 250e-9), "250 ns");
	assert_string_equal(pario_units_time(buf, 999.96e-6), "1 ms");
	assert_string_equal(pario_units_time(buf, 2.314), "2.31 s");
	assert_string_equal(pario_units_time(buf, 96), "96 s");
	assert_string_equal(pario_units_time(buf, 112), "1 min 52 s");
	assert_string_equal(pario_units_time(buf, 120), "2 min");
	assert_string_equal(pario_units_time(buf, 119.9), "2 min");
	assert_string_equal(pario_units_time(buf, 7500), "2 h 5 min");
	assert_string_equal(pario_units_time(buf, NAN), "n/a s");
}

static void extremes_fit_the_capacity(void **state)
{
	static const double values[] = { 1.7e308, -1.7e308, 5e-324,  9.99949e14, -9.99949e14,
					 1e15,	  1e-7,	    123.456, -0.0,	 9.9996e-7 };
	char buf[PARIO_UNITS_CAPACITY];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		assert_true(strlen(pario_units_number(buf, values[i])) < PARIO_UNITS_CAPACITY);
		assert_true(strlen(pario_units_rate(buf, values[i])) < PARIO_UNITS_CAPACITY);
		assert_true(strlen(pario_units_count(buf, values[i])) < PARIO_UNITS_CAPACITY);
		assert_true(strlen(pario_units_time(buf, values[i])) < PARIO_UNITS_CAPACITY);
	}
}

static void locale_does_not_matter(void **state)
{
	char buf[PARIO_UNITS_CAPACITY];
	double v = 0;

	(void)state;
	if (!comma_locale_enter())
		skip();
	snprintf(buf, sizeof(buf), "%.1f", 0.5);
	assert_string_equal(buf, "0,5");
	assert_int_equal(pario_units_parse_real("--x", "0.5", &v, NULL), 0);
	assert_true(v == 0.5);
	assert_int_equal(pario_units_parse_real("--x", "0,5", &v, NULL), -1);
	assert_string_equal(pario_units_rate(buf, 1.25), "1.25 MiB/s");
	assert_string_equal(pario_units_size(buf, 1572864), "1.5 MiB");
	assert_string_equal(pario_units_time(buf, 3.5e-3), "3.5 ms");
	comma_locale_leave();
}

static void checked_arithmetic(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_true(pario_mul(1ull << 32, (1ull << 32) - 1, &v));
	assert_false(pario_mul(1ull << 32, 1ull << 32, &v));
	assert_true(pario_add(UINT64_MAX - 1, 1, &v));
	assert_false(pario_add(UINT64_MAX, 1, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_sizes),
		cmocka_unit_test(bad_sizes),
		cmocka_unit_test(reals),
		cmocka_unit_test(size_texts),
		cmocka_unit_test(number_texts),
		cmocka_unit_test(time_texts),
		cmocka_unit_test(extremes_fit_the_capacity),
		cmocka_unit_test(locale_does_not_matter),
		cmocka_unit_test(checked_arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
