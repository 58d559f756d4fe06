/*
 * test_random: mixing can be undone, permutations hit every index once, draws are uniform.
 */
#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void unmix_undoes_mix(void **state)
{
	static const uint64_t odd[] = { 0, 1, 2, UINT32_MAX, 1ull << 32, 1ull << 63, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(odd); i++)
		assert_true(pario_random_unmix(pario_random_mix(odd[i])) == odd[i]);
	for (uint64_t i = 0; i < 100000; i++) {
		uint64_t x = i * 0x9e3779b97f4a7c15u;

		assert_true(pario_random_unmix(pario_random_mix(x)) == x);
		assert_true(pario_random_mix(pario_random_unmix(x)) == x);
	}
}

static void join_is_not_symmetric(void **state)
{
	unsigned same = 0;

	(void)state;
	for (uint64_t a = 0; a < 100; a++)
		for (uint64_t b = 0; b < a; b++)
			same += pario_random_join(a, b) == pario_random_join(b, a);
	assert_int_equal(same, 0);
}

static void check_bijection(uint64_t count, uint64_t seed)
{
	struct pario_permutation p;
	bool *seen = calloc(count, 1);

	assert_non_null(seen);
	pario_permutation_init(&p, count, seed);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = pario_permutation_at(&p, i);

		assert_true(at < count);
		assert_false(seen[at]);
		seen[at] = true;
	}
	free(seen);
}

static void permutations_are_bijections(void **state)
{
	static const uint64_t counts[] = { 1000, 4095, 4096, 4097, 65535, 65536, 65537, 300007 };

	(void)state;
	for (uint64_t count = 1; count <= 300; count++)
		for (uint64_t seed = 0; seed < 5; seed++)
			check_bijection(count, seed);
	for (size_t i = 0; i < COUNT_OF(counts); i++)
		check_bijection(counts[i], 77);
}

/* All images of a stretch of a space too large to visit are inside and differ. */
static void check_large(uint64_t count)
{
	enum { STRETCH = 20000 };
	struct pario_permutation p;
	uint64_t *seen = calloc(1 << 16, sizeof(*seen));

	assert_non_null(seen);
	pario_permutation_init(&p, count, 5);
	for (uint64_t i = 0; i < STRETCH; i++) {
		uint64_t at = pario_permutation_at(&p, i % 2 ? count - i : i);
		uint64_t slot = pario_random_mix(at) & 0xffff;

		assert_true(at < count);
		for (; seen[slot]; slot = (slot + 1) & 0xffff)
			assert_true(seen[slot] != at + 1);
		seen[slot] = at + 1;
	}
	free(seen);
}

static void large_permutations(void **state)
{
	(void)state;
	check_large(1ull << 40);
	check_large((1ull << 40) + 1);
	check_large((1ull << 62) + 12345);
	check_large(UINT64_MAX - 1);
}

static void seeds_matter(void **state)
{
	struct pario_permutation a, b;
	unsigned fixed = 0, same = 0, steps = 0;

	(void)state;
	pario_permutation_init(&a, 10000, 1);
	pario_permutation_init(&b, 10000, 2);
	for (uint64_t i = 0; i < 10000; i++) {
		fixed += pario_permutation_at(&a, i) == i;
		same += pario_permutation_at(&a, i) == pario_permutation_at(&b, i);
		steps += i && pario_permutation_at(&a, i) == pario_permutation_at(&a, i - 1) + 1;
	}
	/* one of each is expected of random permutations */
	assert_true(fixed < 10 && same < 10 && steps < 10);
}

static void outside_is_harmless(void **state)
{
	struct pario_permutation p;

	(void)state;
	pario_permutation_init(&p, 0, 3);
	assert_true(pario_permutation_at(&p, 0) == 0);
	pario_permutation_init(&p, 10, 3);
	assert_true(pario_permutation_at(&p, 11) == 11);
}

static void below_is_uniform(void **state)
{
	enum { CELLS = 10, DRAWS = 100000 };
	unsigned cells[CELLS] = { 0 };
	double chi = 0, expected = (double)DRAWS / CELLS;

	(void)state;
	for (uint64_t i = 0; i < DRAWS; i++) {
		uint64_t v = pario_random_below(pario_random_mix(i + 1), CELLS);

		assert_true(v < CELLS);
		cells[v]++;
	}
	for (unsigned i = 0; i < CELLS; i++)
		chi += (cells[i] - expected) * (cells[i] - expected) / expected;
	assert_true(chi < 33.7); /* 9 degrees of freedom, p = 0.0001 */
	assert_true(pario_random_below(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
	assert_true(pario_random_below(UINT64_MAX, 1) == 0);
}

static void fresh_seeds_differ(void **state)
{
	(void)state;
	assert_true(pario_random_seed() != pario_random_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unmix_undoes_mix),
		cmocka_unit_test(join_is_not_symmetric),
		cmocka_unit_test(permutations_are_bijections),
		cmocka_unit_test(large_permutations),
		cmocka_unit_test(seeds_matter),
		cmocka_unit_test(outside_is_harmless),
		cmocka_unit_test(below_is_uniform),
		cmocka_unit_test(fresh_seeds_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
