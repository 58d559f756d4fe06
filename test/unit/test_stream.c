/*
 * test_stream: segments of known records become a trace, and the reader gives back what was put in: arguments, order,
 * gaps, requests, communicators, views, the state of files and who started whom.
 */
#include "trace/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../temporary.h"
#include "unit.h"

enum { CAPACITY = 200000 };

/* A segment that is being made. */
static struct pario_trace_record records[CAPACITY];
static uint64_t used;
static char directory[TEMPORARY_CAPACITY];

static void put(struct pario_trace_record r)
{
	assert_true(used < CAPACITY);
	records[used++] = r;
}

static void put_text(struct pario_trace_record r, const void *text, size_t length)
{
	r.size = length;
	put(r);
	assert_true(used + pario_trace_text_records(length) <= CAPACITY);
	memcpy(&records[used], text, length);
	used += pario_trace_text_records(length);
}

static void name(uint32_t number, const char *text)
{
	put_text((struct pario_trace_record){ .op = PARIO_TRACE_FILE, .file = number }, text,
		 strlen(text));
}

/* A call of 10 ticks; ticks are nanoseconds here. */
static struct pario_trace_record call(uint16_t op, uint8_t layer, uint64_t t0)
{
	return (struct pario_trace_record){ .op = op,
					    .layer = layer,
					    .t0 = t0,
					    .duration = pario_trace_pack_ticks(10),
					    .offset = PARIO_TRACE_NOWHERE,
					    .fd = PARIO_TRACE_NO_FD };
}

static void finish(uint32_t pid, uint32_t ppid, uint64_t started, uint32_t rank)
{
	struct pario_trace_segment head = { .magic = PARIO_TRACE_MAGIC,
					    .version = PARIO_TRACE_VERSION,
					    .header_bytes = PARIO_TRACE_HEADER,
					    .used = used,
					    .spilled = used,
					    .pid = pid,
					    .ppid = ppid,
					    .tid = pid,
					    .rank = rank,
					    .ranks = rank == UINT32_MAX ? UINT32_MAX : 4,
					    .start_ticks = 1000,
					    .start_ns = 1000,
					    .start_real_ns = 1000,
					    .process = started,
					    .boot = "boot",
					    .host = "host" };
	char path[TEMPORARY_CAPACITY + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u.%u", directory, pid, (unsigned)started);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(&head, sizeof(head), 1, file), 1);
	assert_int_equal(fseek(file, PARIO_TRACE_SPILLED, SEEK_SET), 0);
	assert_int_equal(fwrite(records, sizeof(records[0]), used, file), used);
	assert_int_equal(fclose(file), 0);
	used = 0;
}

static void pack_and_load(struct pario_trace *trace)
{
	struct pario_pack_totals totals = { 0 };
	struct pario_err err = { 0 };
	struct pario_pack pack;
	char path[TEMPORARY_CAPACITY + 16];

	snprintf(path, sizeof(path), "%s/x.trace", directory);
	unlink(path);
	assert_int_equal(pario_pack_open(&pack, path, 1, false, &err), 0);
	assert_int_equal(pario_pack_directory(&pack, directory, NULL, &totals, &err), 0);
	assert_int_equal(pario_pack_close(&pack, &err), 0);
	assert_int_equal(totals.damaged, 0);
	assert_int_equal(pario_trace_load(trace, path, &err), 0);
}

static int prepare(void **state)
{
	(void)state;
	return mkdtemp(temporary(directory, "stream")) ? 0 : -1;
}

static int clean(void **state)
{
	char command[TEMPORARY_CAPACITY + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command);
}

static const struct pario_trace_process *process_of(const struct pario_trace *t, uint32_t pid,
						    uint32_t *number)
{
	for (*number = 1; *number <= pario_trace_processes(t); (*number)++) {
		if (pario_trace_process(t, *number)->pid == pid)
			return pario_trace_process(t, *number);
	}
	return NULL;
}

static void arguments(void **state)
{
	struct pario_trace trace;
	struct pario_trace_stream *s;
	struct pario_trace_call c;
	struct pario_trace_record r;
	struct pario_err err = { 0 };

	(void)state;
	name(1, "/a/old");
	name(2, "/a/new");
	put((struct pario_trace_record){ .op = PARIO_TRACE_STATE,
					 .file = 1,
					 .t0 = 1500,
					 .result = 1,
					 .size = 777,
					 .more = 4096,
					 .fd = 0100644,
					 .arg = 0xef53 });
	r = call(PARIO_OP_openat, PARIO_TRACE_POSIX, 2000);
	r.file = 1;
	r.fd = -100;
	r.result = 3;
	r.arg = 0102;
	r.more = 0640;
	put(r);
	r = call(PARIO_OP_lseek, PARIO_TRACE_POSIX, 2100);
	r.fd = 3;
	r.arg = 2;
	r.more = (uint64_t)-5;
	r.offset = 772;
	put(r);
	r = call(PARIO_OP_rename, PARIO_TRACE_POSIX, 2200);
	r.file = 1;
	r.more = 2;
	put(r);
	r = call(PARIO_OP_mmap, PARIO_TRACE_POSIX, 2300);
	r.fd = 3;
	r.offset = 4096;
	r.size = 100;
	r.arg = 3 | 1 << 4;
	r.more = 0x7f0000000000;
	put(r);
	r = call(PARIO_OP_pwrite, PARIO_TRACE_POSIX, 2400);
	r.fd = 3;
	r.flags = PARIO_TRACE_FAILED;
	r.result = 28;
	put(r);
	put((struct pario_trace_record){
		.op = PARIO_TRACE_USAGE, .size = 5 << 20, .offset = 7, .more = 8 });
	put((struct pario_trace_record){
		.op = PARIO_TRACE_MEMORY, .size = 1 << 30, .offset = 1 << 29 });
	put((struct pario_trace_record){ .op = PARIO_TRACE_EXIT, .size = 3 });
	finish(10, 1, 500, UINT32_MAX);
	pack_and_load(&trace);
	assert_int_equal(trace.version, 2);
	assert_int_equal(pario_trace_threads(&trace), 1);
	assert_int_equal(pario_trace_process(&trace, 1)->status, 3);
	assert_int_equal(pario_trace_process(&trace, 1)->peak_bytes, 5 << 20);
	assert_int_equal(pario_trace_process(&trace, 1)->limit_bytes, 1 << 29);
	assert_int_equal(pario_trace_file_of(&trace, 1)->exists, 1);
	assert_int_equal(pario_trace_file_of(&trace, 1)->size, 777);
	assert_int_equal(pario_trace_file_of(&trace, 1)->fs_type, 0xef53);
	assert_int_equal(pario_trace_file_of(&trace, 2)->exists, -1);
	s = pario_trace_stream_open(&trace, 1, PARIO_STREAM_AHEAD, &err);
	assert_non_null(s);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_int_equal(c.arguments.kind, PARIO_ARGUMENTS_OPEN);
	assert_int_equal(c.arguments.open.flags, 0102);
	assert_int_equal(c.arguments.open.mode, 0640);
	assert_int_equal(c.result, 3);
	assert_string_equal(pario_trace_file_of(&trace, c.file)->name, "/a/old");
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_int_equal(c.arguments.seek.whence, 2);
	assert_int_equal(c.arguments.seek.by, -5);
	assert_int_equal(c.offset, 772);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_string_equal(pario_trace_file_of(&trace, c.other_file)->name, "/a/new");
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_int_equal(c.arguments.map.protection, 3);
	assert_int_equal(c.arguments.map.flags, 1);
	assert_true(c.arguments.map.address == 0x7f0000000000);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_true(c.failed);
	assert_int_equal(c.result, 28);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 0);
	pario_trace_stream_close(s);
	pario_trace_release(&trace);
}

/* What ends first is written first; what began first is delivered first, within the window. */
static void order(void **state)
{
	struct pario_trace trace;
	struct pario_trace_stream *s;
	struct pario_trace_call c;
	struct pario_trace_record r;
	struct pario_err err = { 0 };
	uint64_t calls = 0, late = 0;
	double last = 0;

	(void)state;
	for (uint64_t i = 0; i < 70000;
	     i++) { /* three blocks; every second is an outer call of the one before */
		r = call(i % 2 ? PARIO_OP_MPI_File_write : PARIO_OP_pwrite,
			 i % 2 ? PARIO_TRACE_MPIIO : PARIO_TRACE_POSIX,
			 2000 + 1000 * i - (i % 2) * 1100);
		r.flags = i % 2 ? 0 : 1;
		if (i % 2)
			r.duration = pario_trace_pack_ticks(500);
		put(r);
		if (i == 40001) { /* a request that was under way for long */
			r = call(PARIO_OP_aio_read, PARIO_TRACE_ASYNC, 2500);
			r.flags = PARIO_TRACE_COMPLETED;
			r.duration = pario_trace_pack_ticks(30000000);
			put(r);
		}
		if (i == 100) {
			r = call(PARIO_OP_aio_write, PARIO_TRACE_ASYNC, 50500);
			r.flags = PARIO_TRACE_COMPLETED;
			put(r);
		}
	}
	finish(10, 1, 500, UINT32_MAX);
	pack_and_load(&trace);
	assert_int_equal(pario_trace_thread(&trace, 1)->calls, 70002);
	s = pario_trace_stream_open(&trace, 1, PARIO_STREAM_AHEAD, &err);
	assert_non_null(s);
	while (pario_trace_stream_next(s, &c, &err) > 0) {
		if (c.late)
			late++;
		else
			assert_true(c.start_ns >= last);
		last = c.late ? last : c.start_ns;
		assert_int_equal(c.number, calls);
		calls++;
	}
	assert_int_equal(calls, 70002);
	assert_int_equal(late, 1); /* the one that no window of a thousand holds */
	pario_trace_stream_close(s);
	pario_trace_release(&trace);
}

/* How many calls a stream gives when the trace is no longer there; `status`: how it ends. */
static uint64_t calls_without_file(struct pario_trace *trace, uint64_t bytes, int *status)
{
	struct pario_trace_stream *s;
	struct pario_trace_call c;
	struct pario_err err = { 0 };
	uint64_t calls = 0;

	for (uint64_t i = 0; i < 70000; i++) /* three blocks */
		put(call(PARIO_OP_pwrite, PARIO_TRACE_POSIX, 2000 + 1000 * i));
	finish(10, 1, 500, UINT32_MAX);
	pack_and_load(trace);
	assert_true(pario_trace_keep(trace, 1, bytes) <= bytes);
	assert_int_equal(unlink(trace->path), 0);
	s = pario_trace_stream_open(trace, 1, 0, &err);
	assert_non_null(s);
	while ((*status = pario_trace_stream_next(s, &c, &err)) > 0)
		assert_int_equal(c.number, calls++);
	pario_trace_stream_close(s);
	pario_trace_release(trace);
	return calls;
}

static void kept(void **state)
{
	struct pario_trace trace;
	int status;

	(void)state;
	assert_int_equal(calls_without_file(&trace, 64 << 20, &status), 70000);
	assert_int_equal(status, 0);
	/* what does not fit has to be read: a block of these has more than eight bytes a call, and less than sixteen */
	assert_int_equal(calls_without_file(&trace, 16 * PARIO_PACK_CALLS, &status),
			 PARIO_PACK_CALLS);
	assert_int_equal(status, -1);
	assert_int_equal(calls_without_file(&trace, 0, &status), 0);
	assert_int_equal(status, -1);
}

static void gaps(void **state)
{
	struct pario_trace trace;
	struct pario_trace_stream *s;
	struct pario_trace_call c;
	struct pario_err err = { 0 };

	(void)state;
	put(call(PARIO_OP_read, PARIO_TRACE_POSIX, 2000));
	put((struct pario_trace_record){ .op = PARIO_TRACE_GAP,
					 .t0 = 1010,
					 .duration = pario_trace_pack_ticks(8001000),
					 .more = 1000,
					 .offset = 50000,
					 .size = 4000500,
					 .fd = PARIO_TRACE_NO_FD });
	put(call(PARIO_OP_pwrite, PARIO_TRACE_POSIX, 8002010));
	put(call(PARIO_OP_write, PARIO_TRACE_POSIX, 8002100));
	finish(10, 1, 500, UINT32_MAX);
	pack_and_load(&trace);
	s = pario_trace_stream_open(&trace, 1, 0, &err);
	assert_non_null(s);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_false(c.gap_known);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_true(c.gap_known);
	assert_true(fabs(c.gap_ns - 8e6) < 1);
	assert_true(fabs(c.gap_cpu_ns - 4e6) < 1000);
	assert_true(c.cpu_after_ns - c.cpu_before_ns == 4000500);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_false(c.gap_known);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 0);
	pario_trace_stream_close(s);
	pario_trace_release(&trace);
}

static void messages(void **state)
{
	struct pario_trace_members even = { 0, 2, 2 };
	struct pario_trace_run runs[2] = { { 8, 4, 16, 3 }, { 100, 1, 0, 1 } };
	uint32_t numbers[3] = { 7, 8, 9 };
	struct pario_trace trace;
	struct pario_trace_comm comm;
	const struct pario_trace_view *view;
	struct pario_trace_stream *s;
	struct pario_trace_call c;
	struct pario_trace_record r;
	struct pario_err err = { 0 };

	(void)state;
	put_text((struct pario_trace_record){ .op = PARIO_TRACE_COMM,
					      .file = 2,
					      .offset = 0xabc,
					      .site = PARIO_COMM_WORLD_ID,
					      .more = 1,
					      .fd = 1 },
		 &even, sizeof(even));
	put_text((struct pario_trace_record){ .op = PARIO_TRACE_HINTS, .file = 1 }, "a=b\n", 4);
	for (uint64_t part = 0; part < 2; part++)
		put_text((struct pario_trace_record){ .op = PARIO_TRACE_VIEW,
						      .file = 1,
						      .site = 200,
						      .arg = 4,
						      .more = part << 32 | 2 },
			 &runs[part], sizeof(runs[0]));
	r = call(PARIO_OP_MPI_Irecv, PARIO_TRACE_MPI, 2000);
	r.result = 2;
	r.fd = PARIO_RANK_ANY;
	r.arg = 5;
	r.more = 7;
	put(r);
	put_text((struct pario_trace_record){ .op = PARIO_TRACE_REQUESTS }, numbers,
		 sizeof(numbers));
	put((struct pario_trace_record){
		.op = PARIO_TRACE_MATCH, .file = 7, .fd = 3, .arg = 5, .size = 16 });
	r = call(PARIO_OP_MPI_Waitall, PARIO_TRACE_MPI, 2100);
	r.result = 3;
	r.arg = 3;
	r.more = 7;
	put(r);
	r = call(PARIO_OP_MPI_Wait, PARIO_TRACE_MPI, 2200);
	r.result = 1;
	r.arg = 1;
	r.more = 4;
	put(r);
	r = call(PARIO_OP_MPI_Barrier, PARIO_TRACE_MPI, 2300);
	r.result = 2;
	put(r);
	finish(10, 1, 500, 2);
	pack_and_load(&trace);
	assert_true(pario_trace_comm_of(&trace, 1, 2, &comm));
	assert_true(comm.whole && comm.id == 0xabc && comm.parent == PARIO_COMM_WORLD_ID);
	assert_int_equal(comm.size, 2);
	assert_int_equal(pario_trace_member(comm.members, comm.member_runs, 1), 2);
	assert_int_equal(pario_trace_member(comm.members, comm.member_runs, 2), UINT32_MAX);
	assert_true(pario_trace_comm_of(&trace, 1, PARIO_COMM_WORLD, &comm));
	assert_int_equal(comm.size, 4);
	assert_int_equal(comm.rank, 2);
	assert_true(pario_trace_comm_of(&trace, 1, PARIO_COMM_SELF, &comm));
	assert_int_equal(pario_trace_member(comm.members, comm.member_runs, 0), 2);
	assert_false(pario_trace_comm_of(&trace, 1, 3, &comm));
	assert_false(pario_trace_comm_of(&trace, 1, -1, &comm));
	assert_string_equal(pario_trace_hints_of(&trace, 1, 1), "a=b\n");
	assert_null(pario_trace_hints_of(&trace, 1, 2));
	view = pario_trace_view_of(&trace, 1, 1);
	assert_true(view && view->whole && view->extent == 200 && view->etype == 4);
	assert_int_equal(view->run_count, 2);
	assert_memory_equal(view->runs, runs, sizeof(runs));
	s = pario_trace_stream_open(&trace, 1, PARIO_STREAM_AHEAD, &err);
	assert_non_null(s);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_int_equal(c.arguments.message.comm, 2);
	assert_int_equal(c.arguments.message.peer, PARIO_RANK_ANY);
	assert_int_equal(c.arguments.message.request, 7);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_int_equal(c.request_count, 3);
	assert_memory_equal(c.requests, numbers, sizeof(numbers));
	assert_int_equal(c.match_count, 1);
	assert_int_equal(c.matches[0].from, 3);
	assert_int_equal(c.matches[0].bytes, 16);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_int_equal(c.request_count, 0);
	assert_int_equal(c.arguments.requests.first, 4);
	assert_int_equal(pario_trace_stream_next(s, &c, &err), 1);
	assert_int_equal(c.arguments.kind, PARIO_ARGUMENTS_COLLECTIVE);
	assert_int_equal(c.arguments.collective.comm, 2);
	assert_int_equal(c.arguments.collective.root, PARIO_RANK_NONE);
	pario_trace_stream_close(s);
	pario_trace_release(&trace);
}

/* One process forks another, which becomes another program; numbers are used again. */
static void ancestry(void **state)
{
	const struct pario_trace_process *p;
	struct pario_trace_merge *m;
	struct pario_trace trace;
	struct pario_trace_call c;
	struct pario_err err = { 0 };
	uint32_t number, calls = 0;
	double last = 0;

	(void)state;
	put(call(PARIO_OP_fork, PARIO_TRACE_PROCESS, 3000));
	put(call(PARIO_OP_fork, PARIO_TRACE_PROCESS, 7000));
	finish(10, 1, 500, UINT32_MAX);
	put(call(PARIO_OP_exec, PARIO_TRACE_PROCESS, 4500));
	finish(11, 10, 4000, UINT32_MAX);
	put(call(PARIO_OP_read, PARIO_TRACE_POSIX, 5500));
	finish(11, 10, 5000, UINT32_MAX);
	put(call(PARIO_OP_read, PARIO_TRACE_POSIX, 6500));
	finish(12, 11, 6000, UINT32_MAX);
	pack_and_load(&trace);
	assert_int_equal(pario_trace_processes(&trace), 4);
	p = process_of(&trace, 12, &number);
	assert_non_null(p);
	p = pario_trace_process(&trace, p->parent);
	assert_int_equal(p->pid, 11);
	assert_int_not_equal(p->before, 0);
	assert_int_equal(pario_trace_process(&trace, p->before)->pid, 11);
	assert_int_equal(pario_trace_process(&trace, p->before)->before, 0);
	assert_int_equal(pario_trace_process(&trace, p->parent)->pid, 10);
	assert_int_equal(
		pario_trace_process(&trace, pario_trace_process(&trace, p->before)->parent)->pid,
		10);
	m = pario_trace_merge_open(&trace, 0, 0, &err);
	assert_non_null(m);
	while (pario_trace_merge_next(m, &c, &err) > 0) {
		assert_true(c.start_ns > last);
		last = c.start_ns;
		calls++;
	}
	assert_int_equal(calls, 5);
	pario_trace_merge_close(m);
	pario_trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(arguments, prepare, clean),
		cmocka_unit_test_setup_teardown(order, prepare, clean),
		cmocka_unit_test_setup_teardown(kept, prepare, clean),
		cmocka_unit_test_setup_teardown(gaps, prepare, clean),
		cmocka_unit_test_setup_teardown(messages, prepare, clean),
		cmocka_unit_test_setup_teardown(ancestry, prepare, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
