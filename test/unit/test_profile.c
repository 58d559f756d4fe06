/*
 * test_profile: what a profile makes of known calls: order within files, sizes, files, time, stacks, imbalance.
 */
#include "planted.h"

#include <errno.h>
#include <math.h>

#include "profile/show/export.h"

static struct pario_trace_record *transfer(struct planted *p, uint16_t op, uint64_t offset,
					   uint64_t size, unsigned depth)
{
	struct pario_trace_record *r =
		planted_call(p, op, 1000 * (p->head.used + 1), 1000 * (p->head.used + 1) + 500);

	r->file = 1;
	r->offset = offset;
	r->size = size;
	r->result = (int32_t)size;
	r->flags = (uint8_t)(PARIO_TRACE_WHOLE | depth);
	return r;
}

static uint64_t of_pattern(const struct pario_profile *p, uint16_t op, enum pario_pattern pattern)
{
	uint64_t calls = 0;

	for (uint32_t i = 1; i <= p->kind_of.count; i++)
		calls += p->kinds[i].op == op && p->kinds[i].pattern == pattern
				 ? p->kinds[i].sum.calls
				 : 0;
	return calls;
}

static void begin(struct planted *p)
{
	planted_begin(p);
	planted_process(p, "a", 10, 0, 1, 1);
	planted_text(p, PARIO_TRACE_FILE, 1, "/data/file");
}

static void order(void **state)
{
	struct pario_profile profile;
	struct planted p;

	(void)state;
	begin(&p);
	for (uint64_t i = 0; i < 10; i++) /* one after the other */
		transfer(&p, PARIO_OP_pwrite, i * 100, 100, 0);
	for (uint64_t i = 0; i < 10;
	     i++) /* every second block: the first two steps are not yet a stride */
		transfer(&p, PARIO_OP_pread, i * 200, 100, 0);
	planted_write(&p);
	planted_read(&p, &profile, NULL, NULL);
	assert_int_equal(of_pattern(&profile, PARIO_OP_pwrite, PARIO_SEQUENTIAL), 10);
	/* back to the start, then 100 bytes on, then the same step again and again */
	assert_int_equal(of_pattern(&profile, PARIO_OP_pread, PARIO_RANDOM), 2);
	assert_int_equal(of_pattern(&profile, PARIO_OP_pread, PARIO_STRIDED), 8);
	assert_int_equal(profile.seeks[1][64], 9);
	assert_int_equal(profile.seeks[0][64], 0);
	assert_true(pario_profile_seek_bytes(64) == 0);
	for (unsigned i = 0; i < PARIO_PROFILE_SEEKS; i++) {
		if (i != 64 && profile.seeks[0][i] == 9)
			assert_true(pario_profile_seek_bytes(i) == 64); /* 100 is from 64 on */
		if (i != 64 && profile.seeks[0][i] == 1)
			assert_true(pario_profile_seek_bytes(i) == -512); /* 1000 back */
	}
	pario_profile_release(&profile);
}

/* A library's call and what it makes of it are two walks through the file, and one file's bytes count once. */
static void layers(void **state)
{
	struct pario_profile profile;
	struct planted p;

	(void)state;
	begin(&p);
	for (uint64_t i = 0; i < 10; i++) {
		transfer(&p, PARIO_OP_pwrite, i * 4096, 2048, 1);
		transfer(&p, PARIO_OP_pwrite, i * 4096 + 2048, 2048, 1);
		transfer(&p, PARIO_OP_MPI_File_write_at, i * 4096, 4096, 0);
	}
	planted_write(&p);
	planted_read(&p, &profile, NULL, NULL);
	assert_int_equal(of_pattern(&profile, PARIO_OP_pwrite, PARIO_SEQUENTIAL), 20);
	assert_int_equal(of_pattern(&profile, PARIO_OP_MPI_File_write_at, PARIO_SEQUENTIAL), 10);
	assert_int_equal(profile.seeks[1][64], 9); /* of the program's own calls */
	assert_int_equal(pario_profile_counts(profile.files[1].write)->calls, 10);
	assert_int_equal(pario_profile_counts(profile.files[1].write)->bytes, 40960);
	assert_int_equal(profile.powers[0][1][pario_trace_power(4096)].calls, 10);
	assert_int_equal(profile.powers[1 + PARIO_TRACE_POSIX][1][pario_trace_power(2048)].calls,
			 20);
	pario_profile_release(&profile);
}

static void no_places(void **state)
{
	static const char *const names[] = { "pipe:[123]", "socket:[4]", "anon_inode:[eventfd]" };
	struct pario_profile profile;
	struct planted p;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		planted_begin(&p);
		planted_process(&p, "a", 10, 0, 1, 1);
		planted_text(&p, PARIO_TRACE_FILE, 1, names[i]);
		transfer(&p, PARIO_OP_write, 0, 8, 0);
		transfer(&p, PARIO_OP_write, 0, 8, 0);
		planted_write(&p);
		planted_read(&p, &profile, NULL, NULL);
		assert_int_equal(of_pattern(&profile, PARIO_OP_write, PARIO_PLACELESS), 2);
		pario_profile_release(&profile);
	}
}

static void powers(void **state)
{
	const uint64_t sizes[] = { 0, 1, 2, 3, 4, 5, 4096, 4097, UINT64_MAX };
	const uint64_t up_to[] = { 0, 1, 2, 4, 4, 8, 4096, 8192, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_true(pario_trace_power_bytes(pario_trace_power(sizes[i])) == up_to[i]);
	assert_true(pario_trace_power(UINT64_MAX) < PARIO_PROFILE_POWERS);
}

/* A call of 100 ms fills every moment it lasts, and the cells hold its time once. */
static void time_of_calls(void **state)
{
	struct pario_profile profile;
	const struct pario_timeline *t = &profile.timeline;
	struct planted p;
	double sum = 0;
	unsigned filled = 0;

	(void)state;
	begin(&p);
	planted_call(&p, PARIO_OP_fsync, 1, 100000001);
	planted_call(&p, PARIO_OP_MPI_Barrier, 100000001, 200000001);
	planted_write(&p);
	planted_process(&p, "a", 11, 1, 2, 2);
	planted_call(&p, PARIO_OP_fsync, 2, 300000002);
	planted_write(&p);
	planted_read(&p, &profile, NULL, NULL);
	assert_int_equal(t->row_count, 2);
	for (unsigned i = 0; i < PARIO_TIMELINE_BINS; i++) {
		double ns = pario_timeline_cell(t, 0, 0, i, PARIO_LANE_SYNC)->ns;

		sum += ns;
		filled += ns > 0;
		assert_true(ns <= t->bin_ns * 1.0001);
	}
	assert_true(fabs(sum - 1e8) < 10);
	assert_true(filled >= 15); /* a third of at least half of the bins */
	assert_true(pario_timeline_cell(t, 0, 0, 0, PARIO_LANE_MEET)->ns == 0);
	/* waiting for others is no work: 100 and 300 ms */
	assert_true(fabs(pario_profile_imbalance(&profile) - 1.5) < 1e-6);
	pario_profile_release(&profile);
}

static double strip_ns(const struct pario_timeline_strip *s, enum pario_lane lane)
{
	double sum = 0;

	for (unsigned i = 0; i < PARIO_TIMELINE_BINS; i++)
		sum += s->cells[i][lane].ns;
	return sum;
}

/* Rows that grew at their own pace are joined without losing time. */
static void rows_alone(void **state)
{
	static struct pario_timeline_strip a, b;
	double bin;

	(void)state;
	pario_timeline_strip_add(&a, PARIO_LANE_READ, 500, 1000, 7);
	assert_true(a.cells[0][PARIO_LANE_READ].ns == 500 && a.cells[1][PARIO_LANE_READ].ns == 500);
	pario_timeline_strip_add(&b, PARIO_LANE_READ, 1e9, 5e8, 9);
	bin = b.bin_ns;
	assert_true(bin > a.bin_ns && 1.5e9 < bin * PARIO_TIMELINE_BINS);
	pario_timeline_strip_add(&b, PARIO_LANE_WRITE, 0, -5, 1); /* clocks of two machines */
	pario_timeline_strip_join(&a, &b);
	assert_true(a.bin_ns == bin);
	assert_true(fabs(strip_ns(&a, PARIO_LANE_READ) - 5e8 - 1000) < 1);
	assert_int_equal(a.cells[0][PARIO_LANE_READ].bytes, 7);
	assert_true(strip_ns(&b, PARIO_LANE_WRITE) == 0);
	pario_timeline_strip_add(&a, PARIO_LANE_READ, NAN, NAN, 1);
	pario_timeline_strip_add(&a, PARIO_LANE_READ, INFINITY, 1, 1);
}

/* Calls in the bin of the one before, at its borders, and in bins that have just become wider. */
static void calls_in_a_row(void **state)
{
	static struct pario_timeline_strip s;
	uint64_t calls = 0, bytes = 0;
	double sum = 0;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		pario_timeline_strip_add(&s, PARIO_LANE_WRITE, 125.0 * i, 100, 3);
		sum += 100;
	}
	assert_true(s.bin_ns == 8000);
	for (unsigned i = 0; i < PARIO_TIMELINE_BINS; i++) {
		calls += s.cells[i][PARIO_LANE_WRITE].calls;
		bytes += s.cells[i][PARIO_LANE_WRITE].bytes;
		assert_true(s.cells[i][PARIO_LANE_WRITE].ns ==
			    (i * 8000 < 625000 ? (i == 78 ? 800 : 6400) : 0));
	}
	assert_int_equal(calls, 5000);
	assert_int_equal(bytes, 15000);
	assert_true(fabs(strip_ns(&s, PARIO_LANE_WRITE) - sum) < 1);
}

/* However many processes, rows are few, and each process has one. */
static void many_processes(void **state)
{
	struct pario_profile profile;
	struct planted p;
	uint32_t sum = 0;
	char name[48];

	(void)state;
	planted_begin(&p);
	for (uint32_t i = 0; i < 100; i++) {
		planted_process(&p, "a", 1000 + i, i < 90 ? i : UINT32_MAX, 5 + i, 5 + i);
		planted_call(&p, PARIO_OP_fsync, 1000 + i, 2000 + i);
		planted_write(&p);
	}
	planted_read(&p, &profile, NULL, NULL);
	assert_int_equal(profile.timeline.row_count,
			 PARIO_TIMELINE_RANKED + PARIO_TIMELINE_UNRANKED);
	for (uint32_t i = 0; i < profile.timeline.row_count; i++)
		sum += profile.timeline.rows[i].processes;
	assert_int_equal(sum, 100);
	assert_string_equal(pario_timeline_name(&profile.timeline, 0, name), "ranks 0-4");
	pario_profile_release(&profile);
}

static void put_stack(struct planted *p, uint64_t a, uint64_t b)
{
	struct pario_trace_record *r = planted_call(p, PARIO_TRACE_STACK, 0, 0);

	r->t0 = a;
	r->site = b;
	r->offset = r->size = 0;
	r->duration = 0;
}

static void stacks(void **state)
{
	struct pario_profile profile;
	struct planted p;
	uint64_t calls = 0;

	(void)state;
	begin(&p);
	for (int i = 0; i < 30; i++) { /* two ways to one place, and one call without a stack */
		planted_call(&p, PARIO_OP_fsync, 1000 + 10 * (uint64_t)i, 1005 + 10 * (uint64_t)i);
		if (i)
			put_stack(&p, 0x2000 + (uint64_t)(i % 3 == 0), 0x3000);
	}
	planted_write(&p);
	planted_read(&p, &profile, NULL, NULL);
	assert_true(profile.job.stacks);
	assert_int_equal(profile.stacks.of.count, 3);
	for (uint32_t i = 1; i <= 3; i++) {
		const struct pario_stack *s = &profile.stacks.stacks[i];

		assert_int_equal(profile.stacks.frames[s->first].offset, 0x1000);
		calls += profile.stack_sums[i].calls;
		if (s->count == 3)
			assert_int_equal(profile.stack_sums[i].calls,
					 profile.stacks.frames[s->first + 1].offset == 0x2001 ? 9
											      : 20);
		else
			assert_int_equal(profile.stack_sums[i].calls, 1);
	}
	assert_int_equal(calls, 30);
	pario_profile_release(&profile);
}

/* The length of a block of calls says too much: that block is lost, and nothing behind it. */
static void wrong_length(void **state)
{
	struct pario_err err = { 0 };
	struct pario_profile profile;
	struct pario_pack_block block;
	struct planted p;
	long at = sizeof(struct pario_pack_head);
	FILE *file;

	(void)state;
	planted_begin(&p);
	for (uint32_t i = 0; i < 3; i++) {
		planted_process(&p, "a", 10 + i, i, 1 + i, 1 + i);
		planted_text(&p, PARIO_TRACE_FILE, 1, "/data/file");
		for (uint64_t k = 0; k < 20; k++)
			transfer(&p, PARIO_OP_pwrite, k * 100, 100, 0);
		planted_write(&p);
	}
	planted_pack(&p);
	file = fopen(p.trace, "r+");
	assert_non_null(file);
	for (;; at += (long)(sizeof(block) + block.packed)) {
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		assert_int_equal(fread(&block, sizeof(block), 1, file), 1);
		if (block.kind == PARIO_PACK_CALLS_OF)
			break;
	}
	block.packed += 500; /* into the middle of the next process */
	block.plain += 500;
	fseek(file, at, SEEK_SET);
	assert_int_equal(fwrite(&block, sizeof(block), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(pario_profile_read(&profile, p.trace, NULL, NULL, NULL, &err), 0);
	assert_int_equal(profile.all_calls, 40);
	assert_int_equal(profile.job.process_of.count, 3);
	assert_true(profile.damaged_bytes > 0);
	pario_profile_release(&profile);
	unlink(p.trace);
}

static void media(void **state)
{
	static const struct {
		const char *name;
		enum pario_medium medium;
	} cases[] = {
		{ "/data/file", PARIO_MEDIUM_STORAGE },
		{ "pipe:[12]", PARIO_MEDIUM_PIPE },
		{ "socket:[4]", PARIO_MEDIUM_SOCKET },
		{ "/dev/pts/3", PARIO_MEDIUM_TERMINAL },
		{ "/proc/self/maps", PARIO_MEDIUM_KERNEL },
		{ "/sys/class/net", PARIO_MEDIUM_KERNEL },
		{ "/processed/x", PARIO_MEDIUM_STORAGE },
		{ "/dev/null", PARIO_MEDIUM_DEVICE },
		{ "/dev/nvme0n1", PARIO_MEDIUM_STORAGE },
		{ "/dev/shm/a", PARIO_MEDIUM_STORAGE },
		{ "/memfd:x (deleted)", PARIO_MEDIUM_MEMORY },
		{ "anon_inode:[eventfd]", PARIO_MEDIUM_EVENTS },
		{ "/data/pipe:[1]", PARIO_MEDIUM_STORAGE },
		{ "/dev/stdin", PARIO_MEDIUM_DEVICE },
		{ "/dev/st0", PARIO_MEDIUM_STORAGE },
		{ "", PARIO_MEDIUM_STORAGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(pario_medium_of_name(cases[i].name), cases[i].medium);
}

/* A second of waiting for a pipe is in no number of storage, and in those of pipes. */
static void not_storage(void **state)
{
	struct pario_trace_record *r;
	struct pario_profile profile;
	struct planted p;
	double lanes[PARIO_LANES] = { 0 };

	(void)state;
	begin(&p);
	planted_text(&p, PARIO_TRACE_FILE, 2, "pipe:[7]");
	transfer(&p, PARIO_OP_read, 0, 4096, 0);
	r = planted_call(&p, PARIO_OP_read, 1000000, 1001000000);
	r->file = 2;
	r->size = 64;
	r->result = 64;
	planted_write(&p);
	planted_process(&p, "a", 11, 1, 2, 2);
	planted_text(&p, PARIO_TRACE_FILE, 1, "/data/file");
	transfer(&p, PARIO_OP_read, 0, 4096, 0);
	planted_write(&p);
	planted_read(&p, &profile, NULL, NULL);
	assert_int_equal(profile.on[PARIO_MEDIUM_STORAGE].calls, 2);
	assert_int_equal(profile.on[PARIO_MEDIUM_STORAGE].bytes, 8192);
	assert_true(profile.on[PARIO_MEDIUM_STORAGE].ns < 2000);
	assert_int_equal(profile.on[PARIO_MEDIUM_PIPE].bytes, 64);
	assert_true(fabs(profile.on[PARIO_MEDIUM_PIPE].ns - 1e9) < 100);
	assert_true(fabs(pario_profile_imbalance(&profile) - 1) < 1e-6);
	assert_int_equal(profile.powers[0][0][pario_trace_power(64)].calls, 0);
	assert_int_equal(profile.longest_count, 2);
	for (unsigned lane = 0; lane < PARIO_LANES; lane++) {
		for (unsigned i = 0; i < PARIO_TIMELINE_BINS; i++)
			lanes[lane] += pario_timeline_cell(&profile.timeline, 0, 0, i, lane)->ns;
	}
	assert_true(lanes[PARIO_LANE_READ] < 1000);
	assert_true(fabs(lanes[PARIO_LANE_ELSEWHERE] - 1e9) < 100);
	pario_profile_release(&profile);
}

/* HDF5 over MPI-IO over POSIX: three layers see 4096 bytes, and no number holds more. */
static void three_layers(void **state)
{
	struct pario_profile profile;
	struct planted p;
	char buf[PARIO_LAYERS_CAPACITY];

	(void)state;
	begin(&p);
	transfer(&p, PARIO_OP_pwrite, 0, 4096, 2)->layer = PARIO_TRACE_POSIX;
	transfer(&p, PARIO_OP_MPI_File_write_at, 0, 4096, 1)->layer = PARIO_TRACE_MPIIO;
	planted_write(&p);
	planted_read(&p, &profile, NULL, NULL);
	assert_int_equal(pario_profile_counts(profile.files[1].write)->bytes, 4096);
	assert_string_equal(pario_profile_layers(pario_profile_file_layers(&profile.files[1]), buf),
			    "mpi-io");
	assert_int_equal(profile.layers[PARIO_TRACE_MPIIO][1][1].bytes, 4096);
	assert_int_equal(profile.layers[PARIO_TRACE_POSIX][1][1].bytes, 4096);
	assert_int_equal(profile.powers[1 + PARIO_TRACE_MPIIO][1][pario_trace_power(4096)].calls,
			 1);
	assert_int_equal(profile.powers[1 + PARIO_TRACE_POSIX][1][pario_trace_power(4096)].calls,
			 1);
	assert_string_equal(pario_profile_layers(5, buf), "posix, async");
	assert_string_equal(pario_profile_layers(0, buf), "-");
	pario_profile_release(&profile);
}

static void failures(void **state)
{
	struct pario_profile profile;
	struct planted p;
	char buf[PARIO_ERROR_CAPACITY];

	(void)state;
	begin(&p);
	for (int i = 0; i < 5; i++) {
		struct pario_trace_record *r = transfer(&p, PARIO_OP_open, 0, 0, 0);

		r->flags = PARIO_TRACE_FAILED;
		r->result = i < 3 ? ENOENT : EACCES;
	}
	planted_write(&p);
	planted_read(&p, &profile, NULL, NULL);
	assert_int_equal(profile.failure_of.count, 2);
	assert_int_equal(profile.failures[1].sum.calls, 3);
	assert_string_equal(pario_profile_error(&profile.failures[1], buf), "ENOENT");
	assert_int_equal(profile.failures[2].sum.calls, 2);
	assert_string_equal(pario_profile_error(&profile.failures[2], buf), "EACCES");
	pario_profile_release(&profile);
}

/* Only calls that began within the range count, and the others are not lost. */
static void range(void **state)
{
	const struct pario_profile_range between = { true, 2000, 4000 };
	struct pario_err err = { 0 };
	struct pario_profile profile;
	struct planted p;

	(void)state;
	begin(&p);
	for (int i = 0; i < 6; i++)
		planted_call(&p, PARIO_OP_fsync, 1 + 1000 * (uint64_t)i, 1501 + 1000 * (uint64_t)i);
	planted_write(&p);
	planted_pack(&p);
	assert_int_equal(pario_profile_read(&profile, p.trace, &between, NULL, NULL, &err), 0);
	assert_int_equal(profile.all_calls, 2);
	assert_int_equal(profile.outside, 4);
	pario_profile_release(&profile);
	unlink(p.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),	  cmocka_unit_test(layers),
		cmocka_unit_test(no_places),	  cmocka_unit_test(powers),
		cmocka_unit_test(time_of_calls),  cmocka_unit_test(rows_alone),
		cmocka_unit_test(calls_in_a_row), cmocka_unit_test(many_processes),
		cmocka_unit_test(stacks),	  cmocka_unit_test(wrong_length),
		cmocka_unit_test(media),	  cmocka_unit_test(not_storage),
		cmocka_unit_test(three_layers),	  cmocka_unit_test(failures),
		cmocka_unit_test(range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
