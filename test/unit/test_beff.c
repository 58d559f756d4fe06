/* Are lengths, rings, orders, grids and links of b_eff those of docs/beff.md? */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/beff/model/lengths.h"
#include "tests/beff/model/order.h"
#include "tests/beff/model/pattern.h"
#include "tests/beff/model/placement.h"

static const uint64_t mib = 1 << 20;

/* cmocka compares as float, which is too coarse. */
static void near(double is, double should, double within)
{
	if (!(fabs(is - should) <= within))
		fail_msg("%.15g should be %.15g", is, should);
}

static void the_lengths(void **state)
{
	static const struct {
		uint64_t memory_mib, last[8];
		double a;
	} golden[] = {
		{ 128, { 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576 }, 2 },
		{ 512,
		  { 9742, 23170, 55109, 131072, 311744, 741455, 1763488, 4194304 },
		  2.3784142300 },
		{ 1024,
		  { 10624, 27554, 71468, 185364, 480774, 1246974, 3234251, 8388608 },
		  2.5936791093 },
		{ 8192,
		  { 13777, 46341, 155872, 524288, 1763488, 5931642, 19951585, 67108864 },
		  3.3635856610 },
		{ 16384,
		  { 15024, 55109, 202141, 741455, 2719670, 9975792, 36591368, 134217728 },
		  3.6680161728 },
		{ 65536,
		  { 15024, 55109, 202141, 741455, 2719670, 9975792, 36591368, 134217728 },
		  3.6680161728 },
	};
	uint64_t lengths[PARIO_BEFF_LENGTHS];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(golden); i++) {
		double a = pario_beff_lengths(pario_beff_lmax(golden[i].memory_mib * mib), lengths);

		near(a, golden[i].a, 5e-11);
		for (unsigned k = 0; k <= 12; k++)
			assert_int_equal(lengths[k], 1 << k);
		assert_memory_equal(lengths + 13, golden[i].last, sizeof(golden[i].last));
	}
	assert_int_equal(pario_beff_buffer_bytes(1048576), (1048576 + 16) * 6);
}

static const struct {
	unsigned n;
	const char *sizes[PARIO_BEFF_RINGS];
} ring_table[] = {
	{ 2, { "1x2", "1x2", "1x2", "1x2", "1x2", "1x2" } },
	{ 3, { "1x3", "1x3", "1x3", "1x3", "1x3", "1x3" } },
	{ 4, { "2x2", "1x4", "1x4", "1x4", "1x4", "1x4" } },
	{ 5, { "1x2+1x3", "1x5", "1x5", "1x5", "1x5", "1x5" } },
	{ 6, { "3x2", "1x6", "1x6", "1x6", "1x6", "1x6" } },
	{ 7, { "2x2+1x3", "1x7", "1x7", "1x7", "1x7", "1x7" } },
	{ 8, { "4x2", "2x4", "1x8", "1x8", "1x8", "1x8" } },
	{ 9, { "3x2+1x3", "1x4+1x5", "1x9", "1x9", "1x9", "1x9" } },
	{ 10, { "5x2", "2x5", "1x10", "1x10", "1x10", "1x10" } },
	{ 11, { "4x2+1x3", "2x4+1x3", "1x11", "1x11", "1x11", "1x11" } },
	{ 12, { "6x2", "3x4", "1x12", "1x12", "1x12", "1x12" } },
	{ 13, { "5x2+1x3", "2x4+1x5", "1x6+1x7", "1x13", "1x13", "1x13" } },
	{ 14, { "7x2", "1x4+2x5", "2x7", "1x14", "1x14", "1x14" } },
	{ 15, { "6x2+1x3", "3x4+1x3", "1x8+1x7", "1x15", "1x15", "1x15" } },
	{ 16, { "8x2", "4x4", "2x8", "1x16", "1x16", "1x16" } },
	{ 24, { "12x2", "6x4", "3x8", "1x24", "1x24", "1x24" } },
	{ 25, { "11x2+1x3", "5x4+1x5", "2x8+1x9", "1x25", "1x25", "1x25" } },
	{ 26, { "13x2", "4x4+2x5", "1x8+2x9", "2x13", "1x26", "1x26" } },
	{ 27, { "12x2+1x3", "6x4+1x3", "3x9", "1x14+1x13", "1x27", "1x27" } },
	{ 28, { "14x2", "7x4", "1x10+2x9", "2x14", "1x28", "1x28" } },
	{ 29, { "13x2+1x3", "6x4+1x5", "1x8+3x7", "1x14+1x15", "1x29", "1x29" } },
	{ 32, { "16x2", "8x4", "4x8", "2x16", "1x32", "1x32" } },
	{ 36, { "18x2", "9x4", "4x9", "2x18", "1x36", "1x36" } },
	{ 48, { "24x2", "12x4", "6x8", "3x16", "1x48", "1x48" } },
	{ 64, { "32x2", "16x4", "8x8", "4x16", "2x32", "1x64" } },
	{ 100, { "50x2", "25x4", "8x8+4x9", "4x25", "2x50", "1x100" } },
	{ 128, { "64x2", "32x4", "16x8", "4x32", "2x64", "1x128" } },
	{ 512, { "256x2", "128x4", "64x8", "4x128", "2x256", "1x512" } },
};

static void spell(const struct pario_beff_rings *r, char *text, size_t capacity)
{
	unsigned rest = r->count - r->first_count;
	int used = snprintf(text, capacity, "%ux%u", r->first_count, r->first_size);

	if (rest)
		snprintf(text + used, capacity - (size_t)used, "+%ux%u", rest, r->rest_size);
}

static void the_ring_sizes(void **state)
{
	struct pario_beff_rings rings;
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ring_table); i++) {
		for (unsigned p = 0; p < PARIO_BEFF_RINGS; p++) {
			rings = pario_beff_rings(ring_table[i].n, p, PARIO_BEFF_PAPER);
			spell(&rings, text, sizeof(text));
			assert_string_equal(text, ring_table[i].sizes[p]);
			rings = pario_beff_rings(ring_table[i].n, p, PARIO_BEFF_3_6);
			spell(&rings, text, sizeof(text));
			assert_string_equal(text, ring_table[i].n == 7 && p == 1
							  ? "1x4+1x3"
							  : ring_table[i].sizes[p]);
		}
	}
}

/* What the paper says of its second and third pattern, for every number of processes. */
static void the_rings_that_are_left_over(void **state)
{
	(void)state;
	for (unsigned n = 8; n <= 2000; n++) {
		struct pario_beff_rings r = pario_beff_rings(n, 1, PARIO_BEFF_PAPER);
		unsigned odd = r.first_size == 4 ? r.count - r.first_count : r.first_count;
		unsigned size = r.first_size == 4 ? r.rest_size : r.first_size;

		assert_true(odd == 0 || (odd == 1 && (size == 3 || size == 5)) ||
			    (odd == 2 && size == 5));
		if (n < 29)
			continue;
		r = pario_beff_rings(n, 2, PARIO_BEFF_PAPER);
		odd = r.first_size == 8 ? r.count - r.first_count : r.first_count;
		size = r.first_size == 8 ? r.rest_size : r.first_size;
		assert_true(odd == 0 || (size == 7 && odd <= 3) || (size == 9 && odd <= 4));
	}
}

static void the_names_of_rings(void **state)
{
	static const struct {
		unsigned n, pattern;
		const char *name;
	} golden[] = { { 8, 0, "ring-4*2fix" }, { 7, 0, "ring-3*2&+1" }, { 15, 1, "ring-4*4&-1" } };
	struct pario_beff_rings rings;
	char name[32];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(golden); i++) {
		rings = pario_beff_rings(golden[i].n, golden[i].pattern, PARIO_BEFF_PAPER);
		pario_beff_rings_name(&rings, name, sizeof(name));
		assert_string_equal(name, golden[i].name);
	}
}

static void neighbours_in_rings(void **state)
{
	/* 7 processes: (0,1)(2,3)(4,5,6), as in the paper */
	static const unsigned nexts[] = { 1, 0, 3, 2, 5, 6, 4 }, prevs[] = { 1, 0, 3, 2, 6, 4, 5 };
	struct pario_beff_rings rings = pario_beff_rings(7, 0, PARIO_BEFF_PAPER);
	unsigned next, prev;

	(void)state;
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(pario_beff_rings_neighbours(&rings, i, &next, &prev),
				 i < 4 ? 2 : 3);
		assert_int_equal(next, nexts[i]);
		assert_int_equal(prev, prevs[i]);
	}
}

static void the_generator(void **state)
{
	static const double golden[] = { 0.041630344771878, 0.454492444728629, 0.834817218166915 };
	struct pario_beff_draw draw;

	(void)state;
	pario_beff_draw_seed(&draw, 1);
	for (size_t i = 0; i < COUNT_OF(golden); i++)
		near(pario_beff_draw_next(&draw), golden[i], 1e-15);
	/* the C library's own, for any seed */
	pario_beff_draw_seed(&draw, 3437294734u);
	srand48(3437294734);
	for (int i = 0; i < 1000; i++)
		assert_true(pario_beff_draw_next(&draw) == drand48());
}

static void the_random_orders(void **state)
{
	static const struct {
		unsigned n, orders[3][16], count;
	} golden[] = {
		{ 4, { { 0, 2, 3, 1 }, { 3, 2, 0, 1 }, { 1, 0, 2, 3 } }, 3 },
		{ 8, { { 5, 0, 2, 6, 7, 3, 4, 1 }, { 7, 1, 4, 0, 3, 2, 6, 5 } }, 2 },
		{ 16,
		  { { 13, 15, 12, 0, 2, 6, 8, 9, 11, 14, 10, 3, 4, 7, 1, 5 },
		    { 14, 8, 15, 13, 1, 5, 0, 10, 3, 4, 2, 7, 9, 12, 6, 11 } },
		  2 },
	};
	struct pario_beff_draw draw;
	unsigned order[16];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(golden); i++) {
		pario_beff_draw_seed(&draw, 12345);
		for (unsigned k = 0; k < golden[i].count; k++) {
			pario_beff_order_random(&draw, golden[i].n, order);
			assert_memory_equal(order, golden[i].orders[k],
					    golden[i].n * sizeof(order[0]));
		}
	}
}

static void the_worst_cycle(void **state)
{
	static const unsigned four[] = { 0, 3, 1, 2 }, seven[] = { 0, 6, 1, 5, 2, 4, 3 },
			      eight[] = { 0, 7, 1, 6, 2, 5, 3, 4 };
	unsigned order[8];

	(void)state;
	pario_beff_order_worst(4, order);
	assert_memory_equal(order, four, sizeof(four));
	pario_beff_order_worst(7, order);
	assert_memory_equal(order, seven, sizeof(seven));
	pario_beff_order_worst(8, order);
	assert_memory_equal(order, eight, sizeof(eight));
}

static void the_grids(void **state)
{
	static const struct {
		unsigned n, used2, flat[3], used3, solid[3];
	} golden[] = {
		{ 2, 2, { 2, 1, 1 }, 2, { 2, 1, 1 } },	  { 3, 3, { 3, 1, 1 }, 3, { 3, 1, 1 } },
		{ 4, 4, { 2, 2, 1 }, 4, { 2, 2, 1 } },	  { 5, 4, { 2, 2, 1 }, 4, { 2, 2, 1 } },
		{ 6, 6, { 3, 2, 1 }, 6, { 3, 2, 1 } },	  { 7, 6, { 3, 2, 1 }, 6, { 3, 2, 1 } },
		{ 8, 8, { 4, 2, 1 }, 8, { 2, 2, 2 } },	  { 9, 9, { 3, 3, 1 }, 8, { 2, 2, 2 } },
		{ 10, 10, { 5, 2, 1 }, 8, { 2, 2, 2 } },  { 11, 10, { 5, 2, 1 }, 8, { 2, 2, 2 } },
		{ 12, 12, { 4, 3, 1 }, 12, { 3, 2, 2 } }, { 13, 12, { 4, 3, 1 }, 12, { 3, 2, 2 } },
		{ 14, 14, { 7, 2, 1 }, 12, { 3, 2, 2 } }, { 15, 15, { 5, 3, 1 }, 12, { 3, 2, 2 } },
		{ 16, 16, { 4, 4, 1 }, 16, { 4, 2, 2 } }, { 24, 24, { 6, 4, 1 }, 24, { 4, 3, 2 } },
		{ 28, 28, { 7, 4, 1 }, 28, { 7, 2, 2 } }, { 32, 32, { 8, 4, 1 }, 32, { 4, 4, 2 } },
		{ 64, 64, { 8, 8, 1 }, 64, { 4, 4, 4 } },
	};
	unsigned extent[3];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(golden); i++) {
		assert_int_equal(pario_beff_grid(golden[i].n, 2, extent), golden[i].used2);
		assert_memory_equal(extent, golden[i].flat, sizeof(extent));
		assert_int_equal(pario_beff_grid(golden[i].n, 3, extent), golden[i].used3);
		assert_memory_equal(extent, golden[i].solid, sizeof(extent));
	}
}

/* Every message that is sent is expected by its receiver at the same place of its list, and the counts agree. */
static void check_links(const struct pario_beff_pattern *p)
{
	struct pario_beff_links own, other;
	uint64_t sent = 0, received = 0;

	for (unsigned i = 0; i < p->n; i++) {
		pario_beff_links(p, i, &own);
		assert_true(own.pairs <= PARIO_BEFF_PAIRS);
		assert_true(i < p->used || own.pairs == 0);
		for (unsigned s = 0; s < own.pairs; s++) {
			received += own.src[s] >= 0;
			if (own.dest[s] < 0)
				continue;
			sent++;
			assert_true((unsigned)own.dest[s] < p->used && (unsigned)own.dest[s] != i);
			pario_beff_links(p, (unsigned)own.dest[s], &other);
			assert_true(s < other.pairs && other.src[s] == (int)i);
		}
	}
	assert_int_equal(sent, p->messages);
	assert_int_equal(received, p->messages);
}

static void links_fit_together(void **state)
{
	struct pario_beff_pattern list[PARIO_BEFF_RINGS + 30 + PARIO_BEFF_EXTRAS];

	(void)state;
	for (unsigned n = 2; n <= 66; n++)
		for (int release = PARIO_BEFF_PAPER; release <= PARIO_BEFF_3_6; release++) {
			size_t count =
				pario_beff_patterns(n, 2, (enum pario_beff_release)release, list);

			for (size_t i = 0; i < count; i++)
				check_links(&list[i]);
		}
	assert_int_equal(pario_beff_patterns(8, 30, PARIO_BEFF_3_6, list), 49);
	/* the paper has no acyclic grids */
	assert_int_equal(pario_beff_patterns(8, 30, PARIO_BEFF_PAPER, list), 47);
	for (unsigned i = 0; i < 47; i++)
		assert_null(strstr(list[i].name, "acyclic"));
}

static void the_order_of_directions(void **state)
{
	struct pario_beff_pattern list[PARIO_BEFF_RINGS + 1 + PARIO_BEFF_EXTRAS];
	struct pario_beff_links links;

	(void)state;
	pario_beff_patterns(4, 1, PARIO_BEFF_PAPER, list);
	pario_beff_links(&list[5], 1, &links); /* one ring of 4: left first */
	assert_int_equal(links.dest[0], 0);
	assert_int_equal(links.dest[1], 2);
	pario_beff_links(&list[0], 1, &links); /* two rings of 2: two messages */
	assert_int_equal(links.pairs, 2);
	assert_true(links.weight == 8);
	pario_beff_patterns(4, 1, PARIO_BEFF_3_6, list);
	pario_beff_links(&list[5], 1, &links);
	assert_int_equal(links.dest[0], 2);
	assert_int_equal(links.dest[1], 0);
	pario_beff_links(&list[0], 1, &links);
	assert_int_equal(links.pairs, 1);
	/* 2-rings and 3-rings mixed: each process stands for n, whatever it sends */
	pario_beff_patterns(7, 1, PARIO_BEFF_3_6, list);
	pario_beff_links(&list[0], 0, &links);
	assert_true(links.weight == 7);
	pario_beff_links(&list[0], 6, &links);
	assert_true(links.weight == 14);
}

static void the_placement(void **state)
{
	static const struct {
		uint64_t node[6];
		const char *text;
	} golden[] = {
		{ { 0, 0, 0, 0, 0, 0 }, "6 processes on 1 node" },
		{ { 0, 0, 0, 3, 3, 3 }, "6 processes on 2 nodes, sequential: 0-2 | 3-5" },
		{ { 0, 1, 2, 0, 1, 2 },
		  "6 processes on 3 nodes, round-robin: 0-0 | 1-1 | 2-2 | 3-3 | 4-4 | 5-5" },
		{ { 0, 1, 1, 0, 0, 1 }, "6 processes on 2 nodes, mixed: 0-0 | 1-2 | 3-4 | 5-5" },
		{ { 0, 1, 2, 3, 4, 5 }, "6 processes on 6 nodes, one process per node" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(golden); i++) {
		struct pario_text text = { 0 };

		pario_beff_placement(golden[i].node, 6, &text);
		assert_string_equal(pario_text_string(&text), golden[i].text);
		pario_text_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lengths),
		cmocka_unit_test(the_ring_sizes),
		cmocka_unit_test(the_rings_that_are_left_over),
		cmocka_unit_test(the_names_of_rings),
		cmocka_unit_test(neighbours_in_rings),
		cmocka_unit_test(the_generator),
		cmocka_unit_test(the_random_orders),
		cmocka_unit_test(the_worst_cycle),
		cmocka_unit_test(the_grids),
		cmocka_unit_test(links_fit_together),
		cmocka_unit_test(the_order_of_directions),
		cmocka_unit_test(the_placement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
