/* Are the patterns, times, segments, partitions and values of b_eff_io those of its definition? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/beff_io/model/hints.h"
#include "tests/beff_io/model/pattern.h"
#include "tests/beff_io/model/schedule.h"
#include "tests/beff_io/model/value.h"

#define MIB ((uint64_t)1 << 20)

static void units_add_up(void **state)
{
	const unsigned sums[] = { 22, 12, 10, 10, 10 }, counts[] = { 8, 7, 7, 7, 7 };
	unsigned units[PARIO_BEFF_IO_TYPES] = { 0 }, timed[PARIO_BEFF_IO_TYPES] = { 0 }, all = 0;

	(void)state;
	for (unsigned p = 0; p < PARIO_BEFF_IO_PATTERNS; p++) {
		const struct pario_beff_io_pattern *pattern = &pario_beff_io_patterns[p];

		assert_true(p >= pario_beff_io_first[pattern->type]);
		assert_true(p < pario_beff_io_first[pattern->type + 1]);
		units[pattern->type] += pattern->units;
		timed[pattern->type] += pattern->units > 0;
		assert_true((pattern->row > 0) == (pattern->units > 0));
		all += pattern->units;
	}
	assert_memory_equal(units, sums, sizeof(sums));
	assert_memory_equal(timed, counts, sizeof(counts));
	assert_int_equal(all, PARIO_BEFF_IO_UNITS);
}

/* Table 2, as numbers: pattern, l, L with M_PART = 4 MB and a rest of 800. */
static void sizes_of_patterns(void **state)
{
	static const struct {
		unsigned pattern;
		uint64_t chunk, call;
	} golden[] = {
		{ 0, 1048576, 1048576 },  { 1, 4194304, 4194304 },  { 2, 1048576, 2097152 },
		{ 3, 1048576, 1048576 },  { 4, 32768, 1048576 },    { 5, 1024, 1048576 },
		{ 6, 32776, 1048832 },	  { 7, 1032, 1056768 },	    { 8, 1048584, 1048584 },
		{ 9, 1048576, 1048576 },  { 10, 4194304, 4194304 }, { 12, 32768, 32768 },
		{ 13, 1024, 1024 },	  { 14, 32776, 32776 },	    { 15, 1032, 1032 },
		{ 16, 1048584, 1048584 }, { 18, 4194304, 4194304 }, { 24, 1048584, 1048584 },
		{ 26, 4194304, 4194304 }, { 31, 1032, 1032 },	    { 33, 800, 800 },
		{ 35, 4194304, 4194304 }, { 38, 1024, 1024 },	    { 42, 800, 800 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		assert_int_equal(pario_beff_io_chunk(golden[i].pattern, 4 * MIB, 800),
				 golden[i].chunk);
		assert_int_equal(pario_beff_io_call(golden[i].pattern, 4 * MIB, 800),
				 golden[i].call);
	}
	for (unsigned p = 0; p < PARIO_BEFF_IO_PATTERNS; p++)
		assert_int_equal(pario_beff_io_call(p, 4 * MIB, 800) %
					 pario_beff_io_chunk(p, 4 * MIB, 800),
				 0);
	assert_int_equal(pario_beff_io_longest(2 * MIB), 2 * MIB);
	assert_int_equal(pario_beff_io_longest(64 * MIB), 64 * MIB);
}

static void largest_chunk(void **state)
{
	(void)state;
	assert_int_equal(pario_beff_io_mpart(64 * MIB, 0), 2097152);
	assert_int_equal(pario_beff_io_mpart(256 * MIB, 0), 2097152);
	assert_int_equal(pario_beff_io_mpart(512 * MIB, 0), 4194304);
	assert_int_equal(pario_beff_io_mpart(1024 * MIB, 0), 8388608);
	assert_int_equal(pario_beff_io_mpart(65536 * MIB, 1), 536870912);
	assert_int_equal(pario_beff_io_mpart(131072 * MIB, 1), 1073741824);
	assert_int_equal(pario_beff_io_mpart(262144 * MIB, 1), 1073741824);
	assert_int_equal(pario_beff_io_mpart(262144 * MIB, 0), 2147483648);
	assert_int_equal(pario_beff_io_mpart(1024 * MIB + 1000, 0) % 8, 0);
}

static void schedule_of_the_paper(void **state)
{
	static const struct {
		double t, four, two, one;
	} golden[] = {
		{ 600, 12.5, 6.25, 3.125 },
		{ 900, 18.75, 9.375, 4.6875 },
		{ 1800, 37.5, 18.75, 9.375 },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct pario_beff_io_plan plan = { .seconds = golden[i].t, .partitions = 1 };

		assert_true(pario_beff_io_seconds(&plan, 4) == golden[i].four);
		assert_true(pario_beff_io_seconds(&plan, 2) == golden[i].two);
		assert_true(pario_beff_io_seconds(&plan, 1) == golden[i].one);
		assert_true(pario_beff_io_seconds(&plan, 0) == 0);
	}
}

static void schedule_of_release_2(void **state)
{
	static const struct {
		double t;
		unsigned partitions;
		bool all;
		double unit;
	} golden[] = {
		{ 1800, 3, false, 4 },	  { 1800, 3, true, 3.125 }, { 900, 1, false, 6 },
		{ 900, 1, true, 4.6875 }, { 1800, 1, false, 12 },   { 1800, 1, true, 9.375 },
		{ 1801, 3, false, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		const struct pario_beff_io_plan plan = { .release = PARIO_BEFF_IO_RELEASE_2,
							 .seconds = golden[i].t,
							 .partitions = golden[i].partitions,
							 .rewrite_all = golden[i].all };

		for (unsigned u = 1; u <= 4; u *= 2)
			assert_true(pario_beff_io_seconds(&plan, u) == golden[i].unit * u);
		assert_true(pario_beff_io_rewrites(&plan, PARIO_BEFF_IO_SCATTER));
		assert_true(pario_beff_io_rewrites(&plan, PARIO_BEFF_IO_SHARED) == golden[i].all);
	}
}

/* A loop with calls of a known time; returns how many were made, and the time and number of decisions. */
static uint64_t simulate(int64_t call_ns, int64_t scheduled_ns, int64_t *elapsed, unsigned *batches)
{
	struct pario_beff_io_loop l = { .scheduled_ns = scheduled_ns };

	*batches = 0;
	for (uint64_t k = 1; k > 0; k = pario_beff_io_next(&l)) {
		l.calls += k;
		l.batch = k;
		l.batch_ns = (int64_t)k * call_ns;
		l.elapsed_ns += l.batch_ns;
		assert_true(++*batches < 1000);
	}
	*elapsed = l.elapsed_ns;
	return l.calls;
}

static void batches_end_in_time(void **state)
{
	static const int64_t calls_ns[] = { 1000, 37000, 250000, 4000000, 99000000, 600000000 };
	const int64_t scheduled = 1000000000;
	int64_t elapsed;
	unsigned batches;

	(void)state;
	for (size_t i = 0; i < sizeof(calls_ns) / sizeof(calls_ns[0]); i++) {
		uint64_t r = simulate(calls_ns[i], scheduled, &elapsed, &batches);

		/* With a steady rate exactly what a decision after every call would give. */
		assert_int_equal(r, (uint64_t)(scheduled / calls_ns[i])
					    ? (uint64_t)(scheduled / calls_ns[i])
					    : 1);
		assert_true(elapsed <= scheduled);
		assert_true(batches <= 40);
	}
	assert_int_equal(simulate(5000000000, scheduled, &elapsed, &batches), 1);
	assert_int_equal(batches, 1);
}

static void batches_double(void **state)
{
	struct pario_beff_io_loop l = { .calls = 1,
					.elapsed_ns = 1000,
					.batch = 1,
					.batch_ns = 1000,
					.scheduled_ns = 1000000 };

	(void)state;
	for (uint64_t k = 2; k <= 64; k *= 2) {
		assert_int_equal(pario_beff_io_next(&l), k);
		l.calls += k;
		l.elapsed_ns = (int64_t)l.calls * 1000;
		l.batch = k;
		l.batch_ns = (int64_t)k * 1000;
	}
	/* A tenth of the schedule holds 100 calls; then what is left. */
	assert_int_equal(pario_beff_io_next(&l), 100);
	l.calls = 950;
	l.elapsed_ns = 950000;
	l.batch = 100;
	l.batch_ns = 100000;
	assert_int_equal(pario_beff_io_next(&l), 50);
	/* Storage that has become ten times slower gets a tenth. */
	l.batch_ns = 1000000;
	assert_int_equal(pario_beff_io_next(&l), 5);
	/* t(r+1)/r is exactly the schedule, then a nanosecond beyond it. */
	l = (struct pario_beff_io_loop){ 9, 900, 1, 100, 1000, 0 };
	assert_int_equal(pario_beff_io_next(&l), 1);
	l.scheduled_ns = 999;
	assert_int_equal(pario_beff_io_next(&l), 0);
}

static void segments(void **state)
{
	const uint64_t calls[25] = { 1,	 10, 5,	 12, 20, 18, 15, 14,  9,    1,	 8,    7, 30,
				     60, 25, 50, 6,  1,	 9,  11, 300, 5000, 280, 4800, 10 };
	const uint64_t golden[8] = { 1, 9, 11, 300, 600, 250, 500, 9 };
	uint64_t huge[25];
	struct pario_beff_io_segment s;

	(void)state;
	assert_true(pario_beff_io_segment(4 * MIB, calls, &s));
	assert_memory_equal(s.calls, golden, sizeof(golden));
	assert_int_equal(s.sum, 78923704);
	assert_int_equal(s.bytes, 79691776);
	assert_int_equal(s.fill, 768072);
	for (unsigned i = 0; i < 25; i++)
		huge[i] = UINT64_MAX / 20;
	assert_false(pario_beff_io_segment(4 * MIB, huge, &s));
	for (unsigned i = 0; i < 25; i++)
		huge[i] = 0;
	assert_true(pario_beff_io_segment(4 * MIB, huge, &s));
	assert_int_equal(s.bytes, MIB);
	assert_int_equal(s.fill, 0);
}

static void partitions(void **state)
{
	static const struct {
		uint64_t from, to, first, second;
	} golden[] = {
		{ 3, 3, 1, 2 },	       { 4, 4, 2, 3 },		{ 5, 11, 2, 4 },
		{ 12, 19, 2, 8 },      { 20, 31, 4, 8 },	{ 32, 86, 4, 16 },
		{ 87, 141, 4, 32 },    { 142, 231, 8, 32 },	{ 232, 624, 8, 64 },
		{ 625, 1023, 8, 128 }, { 1024, 1680, 16, 128 },
	};
	uint64_t sizes[PARIO_BEFF_IO_PARTITIONS];

	(void)state;
	assert_int_equal(pario_beff_io_partitions(1, sizes), 1);
	assert_int_equal(sizes[0], 1);
	assert_int_equal(pario_beff_io_partitions(2, sizes), 2);
	assert_int_equal(sizes[1], 2);
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++)
		for (uint64_t n = golden[i].from; n <= golden[i].to; n++) {
			assert_int_equal(pario_beff_io_partitions(n, sizes), 3);
			assert_int_equal(sizes[0], golden[i].first);
			assert_int_equal(sizes[1], golden[i].second);
			assert_int_equal(sizes[2], n);
		}
}

static void values(void **state)
{
	const double w[] = { 100, 40, 60, 50, 20 }, rw[] = { 120, 44, 66, 55, 22 },
		     r[] = { 150, 80, 90, 70, 30 };
	double write = pario_beff_io_access_value(w), rewrite = pario_beff_io_access_value(rw),
	       read = pario_beff_io_access_value(r);

	(void)state;
	assert_true(fabs(write - 61.666667) < 1e-6);
	assert_true(fabs(rewrite - 71.166667) < 1e-6);
	assert_true(read == 95);
	assert_true(fabs(pario_beff_io_partition_value(write, rewrite, read) - 80.708333) < 1e-6);
	assert_true(fabs(pario_beff_io_partition_value(write, rw[0], read) - 92.916667) < 1e-6);
	assert_true(fabs(pario_beff_io_release_value(w, rw[0], read) - 78.581168) < 1e-6);
}

/* A record whose types have the values of the golden table, with bytes and times of its patterns. */
static void fill_record(struct pario_beff_io_record *r)
{
	static const double mb_s[3][5] = { { 100, 40, 60, 50, 20 },
					   { 120, 44, 66, 55, 22 },
					   { 150, 80, 90, 70, 30 } };

	memset(r, 0, sizeof(*r));
	r->clients = 4;
	r->plan = (struct pario_beff_io_plan){ .partitions = 1, .rewrite_all = true };
	for (int a = 0; a < 3; a++)
		for (int t = 0; t < 5; t++) {
			unsigned first = pario_beff_io_first[t],
				 count = pario_beff_io_first[t + 1] - first;

			r->type[a][t].open_ns = 600000000;
			r->type[a][t].close_ns = 400000000;
			r->type[a][t].done = true;
			for (unsigned p = first; p < first + count; p++) {
				r->pattern[a][p].done = true;
				r->pattern[a][p].ns = 1000000000;
				/* So that the bytes of all are the rate times (count + 1) seconds. */
				r->pattern[a][p].bytes =
					(uint64_t)(mb_s[a][t] * 1e6 / 4) * (p == first ? 2 : 1);
			}
		}
}

static void values_of_a_record(void **state)
{
	struct pario_beff_io_record r;

	(void)state;
	fill_record(&r);
	assert_true(pario_beff_io_type_mb_s(&r, PARIO_BEFF_IO_READ, PARIO_BEFF_IO_SHARED) == 80);
	assert_true(fabs(pario_beff_io_record_value(&r) - 80.708333) < 1e-6);
	assert_true(pario_beff_io_record_paper(&r) == pario_beff_io_record_value(&r));
	assert_true(fabs(pario_beff_io_record_release(&r) - 78.581168) < 1e-6);
	assert_int_equal(pario_beff_io_type_ns(&r, PARIO_BEFF_IO_READ, PARIO_BEFF_IO_SCATTER),
			 10000000000);
	assert_int_equal(pario_beff_io_errors(&r), 0);
	r.pattern[1][7].errors = 3;
	assert_int_equal(pario_beff_io_errors(&r), 3);
	/* (22·100 + 12·40 + 10·(60 + 50 + 20))/64 */
	assert_true(fabs(pario_beff_io_weighted_mb_s(&r, PARIO_BEFF_IO_WRITE, PARIO_BEFF_IO_TYPES) -
			 62.1875) < 1e-9);
	assert_true(pario_beff_io_weighted_mb_s(&r, PARIO_BEFF_IO_WRITE, PARIO_BEFF_IO_SHARED) ==
		    40);
	r.plan = (struct pario_beff_io_plan){ .release = PARIO_BEFF_IO_RELEASE_2, .partitions = 3 };
	for (int t = 1; t < 5; t++)
		r.type[PARIO_BEFF_IO_REWRITE][t].done = false;
	assert_true(fabs(pario_beff_io_record_paper(&r) - 92.916667) < 1e-6);
	/* the program's rule is the value where its release is asked for */
	assert_true(pario_beff_io_record_value(&r) == pario_beff_io_record_release(&r));
	assert_true(fabs(pario_beff_io_record_release(&r) - 78.581168) < 1e-6);
	/* wrong data leave no value, though all was measured */
	assert_true(isnan(pario_beff_io_sound(&r, pario_beff_io_record_value)));
	assert_true(pario_beff_io_record_complete(&r));
	r.pattern[1][7].errors = 0;
	assert_true(pario_beff_io_sound(&r, pario_beff_io_record_value) ==
		    pario_beff_io_record_value(&r));
	assert_true(fabs(pario_beff_io_smallest_mb(&r) - 300 * 61.666667) < 1e-3);
	r.type[PARIO_BEFF_IO_READ][3].done = false;
	assert_true(isnan(pario_beff_io_record_value(&r)));
	assert_false(pario_beff_io_record_complete(&r));
}

static void data_of_a_call(void **state)
{
	double buffer[4 * 129], reference[4 * 129];
	struct pario_beff_io_data d = { .elements = reference,
					.reference = reference,
					.call = sizeof(buffer),
					.chunk = 1032,
					.pattern = 7,
					.client = 3 };
	struct pario_beff_io_mismatch first = { 0 };

	(void)state;
	pario_beff_io_base(&d);
	d.elements = buffer;
	pario_beff_io_base(&d);
	pario_beff_io_stamp(&d, 5, PARIO_BEFF_IO_REWRITE);
	assert_true(buffer[0] == 5e7 + 70 + 1 + 1);
	assert_true(buffer[128] == 5e7 + 70 + 1 + 6);
	assert_true(buffer[129] == 5e7 + 129000 + 70 + 1 + 1);
	assert_true(buffer[130] < 0);
	assert_int_equal(pario_beff_io_check(&d, 5, PARIO_BEFF_IO_REWRITE, &first), 0);
	assert_int_equal(pario_beff_io_check(&d, 4, PARIO_BEFF_IO_REWRITE, &first), 8);
	assert_int_equal(pario_beff_io_check(&d, 5, PARIO_BEFF_IO_WRITE, &first), 8);
	d.elements = reference; /* another client's data are seen too, all of them */
	d.client = 2;
	pario_beff_io_base(&d);
	d.elements = buffer;
	assert_int_equal(pario_beff_io_check(&d, 5, PARIO_BEFF_IO_REWRITE, &first), 4 * 127);
	assert_true(first.seen && first.pattern == 7 && first.call == 4 && first.element == 0);
	assert_true(first.found == buffer[0] && first.expected == buffer[0] - 1e7);
	d.elements = reference;
	d.client = 3;
	pario_beff_io_base(&d);
	d.elements = buffer;
	/* One bit anywhere, the sign of a zero included. */
	for (unsigned byte = 0; byte < sizeof(buffer); byte += 7) {
		first.seen = false;
		((unsigned char *)buffer)[byte] ^= 1;
		assert_int_equal(pario_beff_io_check(&d, 5, PARIO_BEFF_IO_REWRITE, &first), 1);
		assert_true(first.seen && first.element == byte / 8);
		((unsigned char *)buffer)[byte] ^= 1;
	}
	buffer[257] = 0;
	first.seen = false;
	assert_int_equal(pario_beff_io_check(&d, 5, PARIO_BEFF_IO_REWRITE, &first), 1);
	assert_true(first.seen && first.call == 5 && first.element == 257 && first.found == 0);
	/* The rest of a segment may be a single element. */
	d.call = d.chunk = 8;
	pario_beff_io_stamp(&d, 0, PARIO_BEFF_IO_WRITE);
	assert_int_equal(pario_beff_io_check(&d, 0, PARIO_BEFF_IO_WRITE, &first), 0);
}

/* Setting the view takes longer than the whole schedule: it is no call, and the pattern goes on by its calls. */
static void a_slow_view_ends_no_pattern(void **state)
{
	struct pario_beff_io_loop l = { .calls = 1,
					.view_ns = 9000000000,
					.elapsed_ns = 9001000000,
					.batch = 1,
					.batch_ns = 1000000,
					.scheduled_ns = 1000000000 };

	(void)state;
	assert_int_equal(pario_beff_io_next(&l), 2);
	l.calls = 1000;
	l.elapsed_ns = 10000000000;
	assert_int_equal(pario_beff_io_next(&l), 0);
}

/* Which of the processes are members, as a string of digits. */
static const char *chosen(const char *nodes, uint64_t n, uint64_t wanted, bool *well)
{
	static char text[17];
	uint64_t node[16], count = strlen(nodes);
	bool member[16] = { false };

	for (uint64_t i = 0; i < count; i++)
		node[i] = (uint64_t)nodes[i];
	*well = pario_beff_io_choose(node, count, n, wanted, member);
	for (uint64_t i = 0; i < count; i++)
		text[i] = member[i] ? '1' : '0';
	text[count] = '\0';
	return text;
}

/* Partitions are nodes times processes per node, whatever the order of the ranks. */
static void partitions_are_of_nodes(void **state)
{
	static const struct {
		const char *nodes;
		uint64_t n, wanted;
		const char *members; /* NULL: there is none */
	} cases[] = {
		{ "aaaa", 2, 0, "1100" },	  /* one node: the first */
		{ "aaaabbbb", 2, 0, "10001000" }, /* two nodes with one each */
		{ "aaaabbbb", 4, 0, "11001100" },
		{ "abababab", 4, 0, "11110000" }, /* ranks dealt out in turn */
		{ "aaaabbbb", 3, 0, "11100000" }, /* 3 x 1 are not there, 1 x 3 are */
		{ "aaaabbbb", 8, 0, "11111111" },
		{ "aabbcc", 3, 0, "101010" },
		{ "aabbb", 3, 0, "11100" }, /* no even way with process 0: one more on some */
		{ "aabbcc", 5, 0, "111110" },
		{ "aaaabbbb", 4, 1, "11110000" }, /* as asked for */
		{ "aaaabbbb", 4, 2, "11001100" },
		{ "aaaabbbb", 8, 4, NULL },
		{ "aabb", 3, 2, NULL },
		{ "aa", 3, 0, NULL },
	};
	bool well;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *is = chosen(cases[i].nodes, cases[i].n, cases[i].wanted, &well);

		assert_true(well == (cases[i].members != NULL));
		if (well)
			assert_string_equal(is, cases[i].members);
	}
}

static int parse(struct pario_beff_io_hints *hints, const char *text, struct pario_err *err)
{
	return pario_beff_io_hints_parse(hints, "h", text, strlen(text), err);
}

static bool applies(const struct pario_beff_io_hints *h, size_t i, uint64_t n, int access, int type,
		    int pattern)
{
	return pario_beff_io_hint_applies(
		&h->hint[i],
		&(struct pario_beff_io_place){ n, (enum pario_beff_io_access)access,
					       (enum pario_beff_io_type)type, pattern });
}

static void hints(void **state)
{
	struct pario_beff_io_hints h;
	struct pario_err err = { 0 };

	(void)state;
	assert_int_equal(parse(&h,
			       "# comment\n\nall all all all striping_factor 4\n"
			       "8\twrite scatter  1032 cb_nodes 2 # why\n"
			       "all read seg_coll Lmax romio_cb_read disable\r\n"
			       "4 all shared on_open a b",
			       &err),
			 0);
	assert_int_equal(h.count, 4);
	assert_string_equal(h.hint[1].key, "cb_nodes");
	assert_string_equal(h.hint[2].value, "disable");
	assert_true(applies(&h, 0, 3, 2, 4, -1));
	assert_true(applies(&h, 0, 3, 2, 4, 42));
	assert_true(applies(&h, 1, 8, 0, 0, 7));
	assert_false(applies(&h, 1, 8, 0, 0, 5));
	assert_false(applies(&h, 1, 7, 0, 0, 7));
	assert_false(applies(&h, 1, 8, 1, 0, 7));
	assert_false(applies(&h, 1, 8, 0, 0, -1));
	assert_true(applies(&h, 2, 1, 2, 4, 35));
	assert_false(applies(&h, 2, 1, 2, 4, 42));
	assert_true(applies(&h, 3, 4, 0, 1, -1));
	assert_false(applies(&h, 3, 4, 0, 1, 9));
	/* Patterns that only place the others have a chunk of 1 MB, and so has pattern 2. */
	assert_int_equal(parse(&h, "all all all 1048576 k v", &err), 0);
	assert_true(applies(&h, 0, 1, 0, 0, 0));
	assert_true(applies(&h, 0, 1, 0, 0, 2));
	assert_false(applies(&h, 0, 1, 0, 0, 8));
}

#define SIXTEEN	 "kkkkkkkkkkkkkkkk"
#define LONG_KEY "all all all all " SIXTEEN SIXTEEN SIXTEEN SIXTEEN " v"

static void bad_hints(void **state)
{
	static const char *const bad[] = {
		"all all all 1025 k v",	  "all all scattered all k v",
		"all append all all k v", "x all all all k v",
		"0 all all all k v",	  "all all all all k",
		"all all all all k v w",  LONG_KEY,
	};
	char text[PARIO_BEFF_IO_HINTS_TEXT + 2] = "";
	struct pario_beff_io_hints h;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pario_err err = { 0 };

		assert_int_equal(parse(&h, bad[i], &err), -1);
		assert_int_equal(err.code, PARIO_USAGE);
		assert_non_null(strstr(err.text, "line 1 of the hints file \"h\""));
	}
	memset(text, ' ', sizeof(text));
	assert_int_equal(pario_beff_io_hints_parse(&h, "h", text, PARIO_BEFF_IO_HINTS_TEXT, NULL),
			 0);
	assert_int_equal(
		pario_beff_io_hints_parse(&h, "h", text, PARIO_BEFF_IO_HINTS_TEXT + 1, NULL), -1);
	for (int i = 0; i <= PARIO_BEFF_IO_HINTS; i++)
		snprintf(text + 20 * i, sizeof(text) - 20 * (size_t)i, "%-19s\n",
			 "all all all all k v");
	assert_int_equal(pario_beff_io_hints_parse(&h, "h", text, 20 * PARIO_BEFF_IO_HINTS, NULL),
			 0);
	assert_int_equal(
		pario_beff_io_hints_parse(&h, "h", text, 20 * PARIO_BEFF_IO_HINTS + 20, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_add_up),
		cmocka_unit_test(sizes_of_patterns),
		cmocka_unit_test(largest_chunk),
		cmocka_unit_test(schedule_of_the_paper),
		cmocka_unit_test(schedule_of_release_2),
		cmocka_unit_test(batches_end_in_time),
		cmocka_unit_test(batches_double),
		cmocka_unit_test(segments),
		cmocka_unit_test(partitions),
		cmocka_unit_test(values),
		cmocka_unit_test(values_of_a_record),
		cmocka_unit_test(data_of_a_call),
		cmocka_unit_test(a_slow_view_ends_no_pattern),
		cmocka_unit_test(partitions_are_of_nodes),
		cmocka_unit_test(hints),
		cmocka_unit_test(bad_hints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
