/*
 * test_bt_problem: the tables and closed formulae of BT, its scalar operator and its norms, against the golden values
 * of the specification. The fast kernels are tested in test/mpi/test_bt.c.
 */
#include "tests/nht1/bt/problem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nht1/bt/norms.h"
#include "tests/nht1/bt/operator.h"
#include "unit.h"

static void near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.17g is not within %g of %.17g", value, relative, expected);
}

static void all_near(const double value[5], const double expected[5], double relative)
{
	for (int m = 0; m < 5; m++)
		near(value[m], expected[m], relative);
}

static void classes(void **state)
{
	static const struct {
		char class;
		int n, steps;
		double dt, mop;
	} table[] = {
		{ 'S', 12, 60, 0.01, 228.3138 },
		{ 'W', 24, 200, 0.0008, 7718.76336 },
		{ 'A', 64, 200, 0.0008, 168284.46336 },
		{ 'B', 102, 200, 0.0003, 702179.781 },
		{ 'C', 162, 200, 0.0001, 2866279.851 },
		{ 'D', 408, 250, 0.00002, 58335785.0526 },
		{ 'E', 1020, 250, 0.4e-5, 918347496.0735 },
		{ 'F', 2560, 250, 0.6e-6, 14562235591.488 },
	};

	(void)state;
	assert_int_equal(strlen(pario_bt_classes()), COUNT_OF(table));
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		char class = table[i].class;

		assert_int_equal(pario_bt_classes()[i], class);
		assert_int_equal(pario_bt_points(class), table[i].n);
		assert_int_equal(pario_bt_steps(class), table[i].steps);
		assert_true(pario_bt_dt(class) == table[i].dt);
		near(pario_bt_operations(class) * 1e-6, table[i].mop, 1e-12);
	}
	assert_ptr_equal(pario_bt_problem('b'), pario_bt_problem('B'));
	assert_null(pario_bt_problem('X'));
	assert_true(pario_bt_operations('X') == 0 && pario_bt_points('X') == 0);
	assert_true(pario_bt_steps('X') == 0 && pario_bt_dt('X') == 0);
}

static void exact_solution(void **state)
{
	static const double low[5] = { 2, 1, 2, 2, 5 };
	static const double high[5] = { 15.76, 8.26, 10.32, 9.72, 15.52 };
	double u[5];

	(void)state;
	pario_bt_exact(0, 0, 0, u);
	all_near(u, low, 1e-15);
	pario_bt_exact(1, 1, 1, u);
	all_near(u, high, 1e-14);
}

static double largest(int n)
{
	double most = 0, u[5];

	for (int k = 0; k < n; k++)
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				pario_bt_initial(n, i, j, k, u);
				for (int m = 0; m < 5; m++)
					most = fmax(most, fabs(u[m]));
			}
	return most;
}

static void initial_values(void **state)
{
	static const struct {
		int n;
		double most, u[5];
	} table[] = {
		{ 12,
		  2415.990772,
		  { 5.9026115201193e0, 1.0143274439357e0, 3.7246386171090e0, 3.6203219290374e0,
		    1.1640933643097e2 } },
		{ 24,
		  2736.860974,
		  { 3.3191360176692e0, 1.0012227948295e0, 2.6580975821364e0, 2.6219980407983e0,
		    8.7019663934356e1 } },
		{ 64,
		  2996.258345,
		  { 2.3905146128524e0, 1.0000508625562e0, 2.2107733158434e0, 2.2000098018367e0,
		    7.2526760401365e1 } },
		{ 102,
		  3077.540207,
		  { 2.2326339436185e0, 1.0000119154976e0, 2.1278128725594e0, 2.1213975130297e0,
		    6.9627778059292e1 } },
	};
	double u[5], exact[5];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		pario_bt_initial(table[i].n, 1, 1, 1, u);
		all_near(u, table[i].u, 1e-13);
		near(largest(table[i].n), table[i].most, 1e-9);
		pario_bt_initial(table[i].n, table[i].n - 1, 3, 4, u);
		pario_bt_exact(1, 3.0 / (table[i].n - 1), 4.0 / (table[i].n - 1), exact);
		all_near(u, exact, 1e-14);
	}
}

static void initial_plane(int n, int k, double *plane)
{
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++, plane += 5)
			pario_bt_initial(n, i, j, k, plane);
}

/* Sums over a slab of the initial values. */
static void slab(char class, uint64_t z0, uint64_t nz, bool residual, double xcr[5], double xce[5])
{
	int n = pario_bt_points(class);
	double *plane = malloc((size_t)n * (size_t)n * 5 * sizeof(double));
	struct pario_bt_norms *norms;
	struct pario_err err = { 0 };
	uint64_t z, count;

	assert_non_null(plane);
	assert_int_equal(pario_bt_norms_create(&norms, class, z0, nz, residual, &err), 0);
	pario_bt_norms_wants(norms, &z, &count);
	if (!residual)
		assert_true(z == z0 && count == nz);
	for (uint64_t k = z; k < z + count; k++) {
		initial_plane(n, (int)k, plane);
		pario_bt_norms_plane(norms, plane);
	}
	pario_bt_norms_sums(norms, xcr, xce);
	pario_bt_norms_free(norms);
	free(plane);
}

static const struct {
	char class;
	double xce[5], xcr[5];
} initial[] = {
	{ 'S',
	  { 4.9319450145218e2, 4.2205889852837e1, 1.2473308026573e2, 1.0835322270736e2,
	    8.9280241118725e2 },
	  { 6.7877440849324e4, 6.8656671466445e3, 1.7373916450581e4, 1.4653216460274e4,
	    9.7682415991639e4 } },
	{ 'W',
	  { 5.3019185240522e2, 4.7224891470483e1, 1.3411110695974e2, 1.1596478696621e2,
	    9.1559689591946e2 },
	  { 1.9482452087160e5, 2.0574047556029e4, 5.0576502423377e4, 4.2811835712788e4,
	    2.7000891664997e5 } },
};

static void initial_norms(void **state)
{
	double xcr[5], xce[5];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(initial); i++) {
		slab(initial[i].class, 0, (uint64_t)pario_bt_points(initial[i].class), true, xcr,
		     xce);
		pario_bt_norms_finish(initial[i].class, xcr, xce);
		all_near(xce, initial[i].xce, 1e-12);
		all_near(xcr, initial[i].xcr, 1e-12);
	}
}

/* Slabs of any size add up to the whole; without residual only the error is made. */
static void norms_by_slabs(void **state)
{
	(void)state;
	for (uint64_t size = 1; size <= 12; size++) {
		double xcr[5] = { 0 }, xce[5] = { 0 }, r[5], e[5], alone[5];

		for (uint64_t z = 0; z < 12; z += size) {
			slab('S', z, z + size < 12 ? size : 12 - z, true, r, e);
			for (int m = 0; m < 5; m++) {
				xcr[m] += r[m];
				xce[m] += e[m];
			}
			slab('S', z, z + size < 12 ? size : 12 - z, false, r, alone);
			assert_true(r[0] == 0 && !memcmp(alone, e, sizeof(e)));
		}
		pario_bt_norms_finish('S', xcr, xce);
		all_near(xce, initial[0].xce, 1e-12);
		all_near(xcr, initial[0].xcr, 1e-12);
	}
}

static void refused_norms(void **state)
{
	struct pario_bt_norms *norms = NULL;
	struct pario_err err = { 0 };

	(void)state;
	assert_true(pario_bt_norms_create(&norms, 'X', 0, 1, true, &err) < 0);
	assert_non_null(strstr(err.text, "class X"));
	assert_true(pario_bt_norms_create(&norms, 'S', 11, 2, true, &err) < 0);
	assert_null(norms);
}

/* A constant field has no differences: only the dissipation at the four points beside the boundary is left. */
static void operator_on_a_constant(void **state)
{
	static const double value[5] = { 2, 1, -3, 0.5, 9 };
	static const int n = 12;
	/* sums of the dissipation's weights at i = 1, 2, then inside; the same from the other end */
	static const double weight[] = { 0, 2, -1, 0, 0, 0, 0, 0, 0, -1, 2 };
	const double *p[5] = { value, value, value, value, value };

	(void)state;
	for (int direction = 0; direction < 3; direction++)
		for (int i = 1; i < n - 1; i++) {
			double out[5] = { 0 };

			pario_bt_operator(n, direction, i, p, out);
			for (int m = 0; m < 5; m++)
				assert_true(fabs(out[m] + 0.25 * weight[i] * value[m]) < 1e-11);
		}
}

static void agreement(void **state)
{
	static const double reference[5] = { 1, -2, 3e-4, 4, 5 };
	double value[5];

	(void)state;
	memcpy(value, reference, sizeof(value));
	assert_true(pario_bt_agrees(value, reference));
	value[2] *= 1 + 0.9e-8;
	assert_true(pario_bt_agrees(value, reference));
	value[2] *= 1 + 0.9e-8;
	assert_false(pario_bt_agrees(value, reference));
	value[2] = NAN;
	assert_false(pario_bt_agrees(value, reference));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(exact_solution),
		cmocka_unit_test(initial_values),
		cmocka_unit_test(initial_norms),
		cmocka_unit_test(norms_by_slabs),
		cmocka_unit_test(refused_norms),
		cmocka_unit_test(operator_on_a_constant),
		cmocka_unit_test(agreement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
