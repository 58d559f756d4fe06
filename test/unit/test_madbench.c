/* MADbench2's distribution, files, busy-work, pixels and polynomials against the golden values of docs/madbench2.md. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/madbench2/model/shape.h"
#include "tests/madbench2/model/sky.h"

static struct pario_mad_shape shape_of(uint64_t pixels, uint64_t block, uint64_t clients,
				       uint64_t gangs, uint64_t file_block)
{
	return (struct pario_mad_shape){ .no_pix = pixels,
					 .no_bin = 8,
					 .no_gang = gangs,
					 .sblocksize = block,
					 .fblocksize = file_block,
					 .r_mod = 1,
					 .w_mod = 1,
					 .clients = clients };
}

static void near(double got, double want, double digits)
{
	if (fabs(got - want) > fabs(want) * pow(10, -digits) + 1e-300)
		fail_msg("%.15g is not %.15g", got, want);
}

static void sides(void **state)
{
	(void)state;
	assert_int_equal(pario_mad_side(1), 1);
	assert_int_equal(pario_mad_side(4), 2);
	assert_int_equal(pario_mad_side(64), 8);
	assert_int_equal(pario_mad_side(1000000), 1000);
	for (uint64_t i = 2; i < 1000; i++)
		assert_int_equal(pario_mad_side(i * i - 1), 0);
}

static void extents(void **state)
{
	static const uint64_t large[] = { 6272, 6272, 6272, 6272, 6272, 6224, 6208, 6208 };
	uint64_t sum = 0;

	(void)state;
	for (uint64_t p = 0; p < 8; p++) {
		assert_int_equal(pario_mad_extent(50000, 64, 8, p), large[p]);
		sum += pario_mad_extent(50000, 64, 8, p);
	}
	assert_int_equal(sum, 50000);
	assert_int_equal(pario_mad_extent(100, 8, 2, 0), 52);
	assert_int_equal(pario_mad_extent(100, 8, 2, 1), 48);
}

/* Every element of a matrix is held exactly once, by the process that the holder formula names. */
static void held_once(void **state)
{
	(void)state;
	for (uint64_t side = 1; side <= 4; side++) {
		for (uint64_t pixels = 1; pixels < 80; pixels += 3) {
			char seen[80] = { 0 };

			for (uint64_t p = 0; p < side; p++) {
				uint64_t extent = pario_mad_extent(pixels, 5, side, p), last = 0;

				for (uint64_t i = 0; i < extent; i++) {
					uint64_t global = pario_mad_global(i, 5, side, p);

					assert_true(global < pixels);
					assert_true(i == 0 || global > last);
					assert_int_equal(pario_mad_holder(global, 5, side), p);
					seen[global]++;
					last = global;
				}
			}
			for (uint64_t i = 0; i < pixels; i++)
				assert_int_equal(seen[i], 1);
		}
	}
}

static void ranks_go_down_the_columns(void **state)
{
	struct pario_mad_shape s = shape_of(100, 8, 4, 1, 4096);
	struct pario_mad_part p = pario_mad_part(&s, 4, 1);

	(void)state;
	assert_int_equal(p.row, 1);
	assert_int_equal(p.col, 0);
	assert_int_equal(p.rows, 48);
	assert_int_equal(p.cols, 52);
	assert_int_equal(p.elements, 48 * 52);
}

static void places(void **state)
{
	static const struct {
		uint64_t pixels, block, clients, gangs, file_block, one, gang, off1, off2, bytes;
	} golden[] = {
		{ 50000, 64, 64, 1, 1048576, 39337984, 39337984, 39452672, 39452672, 315621376 },
		{ 100, 8, 4, 1, 4096, 2704, 2704, 3072, 3072, 24576 },
		{ 100, 8, 4, 4, 4096, 2704, 10000, 3072, 12288, 24576 },
		{ 1000, 16, 16, 4, 65536, 65536, 254016, 65536, 262144, 524288 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		struct pario_mad_shape s =
			shape_of(golden[i].pixels, golden[i].block, golden[i].clients,
				 golden[i].gangs, golden[i].file_block);
		struct pario_mad_places got = pario_mad_places(&s);
		struct pario_err err = { 0 };

		assert_int_equal(pario_mad_shape_check(&s, &err), 0);
		assert_int_equal(pario_mad_part(&s, s.clients, 0).elements, golden[i].one);
		assert_int_equal(pario_mad_part(&s, s.clients / s.no_gang, 0).elements,
				 golden[i].gang);
		assert_int_equal(got.one, golden[i].off1);
		assert_int_equal(got.gang, golden[i].off2);
		assert_int_equal(got.one * 8, golden[i].bytes);
		assert_int_equal(pario_mad_file_bytes(&s), 8 * golden[i].bytes);
	}
}

/* The smallest side whose matrices do not fit: one less does, also where the root of the elements is a whole number. */
static void exceeding(void **state)
{
	static const uint64_t bytes[] = {
		0, 1, 63, 64, 160000000000, 25276510208, 8ull * 8 * 1000 * 1000, UINT64_MAX / 2
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		uint64_t side = pario_mad_exceeding(bytes[i], 8), before = side - 1;

		assert_true(side * side > bytes[i] / 64);
		assert_true(before * before <= bytes[i] / 64);
	}
	assert_int_equal(pario_mad_exceeding(8ull * 8 * 50000 * 50000 - 1, 8), 50000);
}

static void busy_work(void **state)
{
	struct pario_mad_shape s = shape_of(50000, 64, 64, 1, 1048576);

	(void)state;
	assert_int_equal(pario_mad_busy(&s, 64, 2, -1), 305175);
	assert_int_equal(pario_mad_busy(&s, 64, 3, -1), 15258789062);
	assert_int_equal(pario_mad_busy(&s, 64, 2, 0.01), 0);
	assert_int_equal(pario_mad_busy(&s, 64, 3, 0.01), 0);
	assert_int_equal(pario_mad_busy(&s, 64, 2, 1), 305175);
	assert_int_equal(pario_mad_busy(&s, 64, 2, 1.5), 15258789062);
}

static void refused(const struct pario_mad_shape *s, const char *words)
{
	struct pario_err err = { 0 };

	assert_int_equal(pario_mad_shape_check(s, &err), -1);
	assert_int_equal(err.code, PARIO_USAGE);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void contradictions(void **state)
{
	struct pario_mad_shape s;

	(void)state;
	s = shape_of(100, 8, 3, 1, 4096);
	refused(&s, "--np 1 or 4");
	s = shape_of(100, 8, 4, 2, 4096);
	refused(&s, "--no_gang 2 is not a square");
	s = shape_of(100, 8, 4, 9, 4096);
	refused(&s, "--no_gang 9 must divide");
	s = shape_of(100, 8, 4, 4, 4096);
	s.no_bin = 6;
	refused(&s, "--no_bin, 6");
	s = shape_of(100, 64, 9, 1, 4096);
	refused(&s, "2 blocks a side");
	s = shape_of(100, 8, 4, 1, 4100);
	refused(&s, "multiple of 8");
	s = shape_of(100, 8, 4, 1, 4096);
	s.r_mod = 3;
	refused(&s, "--r_mod 3");
	s = shape_of(100, 8, 4, 4, 4096);
	s.w_mod = 2;
	refused(&s, "clients of a gang, 1");
	s = shape_of(50000, 64, 1, 1, 4096);
	refused(&s, "more than 2^31-1");
}

static void pixels(void **state)
{
	double p[3][3], ra = 1.073344206517, dec = 0.785090226009;

	(void)state;
	pario_mad_pixels(p, 3);
	near(p[0][0], cos(dec) * cos(ra), 11);
	near(p[0][1], cos(dec) * sin(ra), 11);
	near(p[0][2], sin(dec), 11);
	near(p[1][2], sin(M_PI * (0.870465227027076 - 0.5)), 12);
	near(p[2][2], sin(M_PI * (0.785799258839674 - 0.5)), 12);
	near(p[2][0], cos(M_PI * (0.785799258839674 - 0.5)) * cos(2 * M_PI * 0.577303506795108),
	     12);
}

/* Trace, sum and one element of S, over all bins, against the table. */
static void signal_of(uint64_t n, uint64_t bins, double trace, double sum, double element)
{
	double(*p)[3] = calloc(n, sizeof(*p)), got_trace = 0, got_sum = 0, got = 0;

	pario_mad_pixels(p, n);
	for (uint64_t i = 0; i < n * n; i++) {
		double x = pario_mad_cosine(p[i / n], p[i % n]), before = 0, last = 1, s = 0;

		for (uint64_t b = 0; b < bins; b++)
			s += pario_mad_signal(x, b, &before, &last);
		got_sum += s;
		got_trace += i / n == i % n ? s : 0;
		got = i == 1 ? s : got;
	}
	free(p);
	near(got_trace, trace, 10);
	near(got_sum, sum, 10);
	near(got, element, 9.5);
	near(pario_mad_trace(n, bins), trace, 10);
}

static void signals(void **state)
{
	(void)state;
	signal_of(16, 2, 560.22539968, 534.56131200, 1.1124808580);
	signal_of(32, 4, 4278.0848703, 4151.1128421, -2.4291760305);
	signal_of(64, 4, 8556.1697406, 9601.7883590, -2.4291760305);
}

static void solution(void **state)
{
	double a[9] = { 4, 0, 0, 2, 5, 0, -2, 1, 6 }, b[3] = { 2, 15, 18 };

	(void)state; /* x = 1, 2, 3: the upper triangle is not looked at */
	assert_int_equal(pario_mad_solve(3, a, b), 0);
	near(b[0], 1, 12);
	near(b[1], 2, 12);
	near(b[2], 3, 12);
}

static void no_solution(void **state)
{
	double a[4] = { 1, 0, 2, 1 }, b[2] = { 1, 1 };

	(void)state;
	assert_int_equal(pario_mad_solve(2, a, b), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides),     cmocka_unit_test(extents),
		cmocka_unit_test(held_once), cmocka_unit_test(ranks_go_down_the_columns),
		cmocka_unit_test(places),    cmocka_unit_test(exceeding),
		cmocka_unit_test(busy_work), cmocka_unit_test(contradictions),
		cmocka_unit_test(pixels),    cmocka_unit_test(signals),
		cmocka_unit_test(solution),  cmocka_unit_test(no_solution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
