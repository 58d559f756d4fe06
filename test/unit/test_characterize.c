/*
 * test_characterize: planted laws come back from journals, the SYSTEM reads back as it was written, and what was not
 * measured is named with its reason.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "characterize/fit.h"
#include "characterize/pieces.h"
#include "characterize/set.h"
#include "journal/journal.h"
#include "journal/result.h"

#include "../temporary.h"
#include "journal_in.h"

struct place {
	char dir[TEMPORARY_CAPACITY], journal[TEMPORARY_CAPACITY + 16],
		file[TEMPORARY_CAPACITY + 16];
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	if (!mkdtemp(temporary(p->dir, "characterize")))
		return -1;
	snprintf(p->journal, sizeof(p->journal), "%s/journal.jsonl", p->dir);
	snprintf(p->file, sizeof(p->file), "%s/system.json", p->dir);
	*state = p;
	return 0;
}

static int drop_place(void **state)
{
	struct place *p = *state;

	unlink(p->journal);
	unlink(p->file);
	rmdir(p->dir);
	free(p);
	return 0;
}

static void ok(int status, const struct pario_err *err)
{
	if (status < 0)
		fail_msg("%s", err->text);
}

static void near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.17g is not within %g of %.17g", value, relative, expected);
}

/* ---- journals ---- */

static void append(struct pario_journal *journal, struct pario_json *json)
{
	struct pario_err err = { 0 };

	ok(pario_journal_append(journal, json, &err), &err);
	pario_json_release(json);
}

static int fit_one(struct pario_system *s, const char *dir, struct pario_err *err)
{
	return pario_characterize_fit_all(s, &dir, 1, err);
}

static void begin(struct pario_journal *journal, const struct place *p, const char *test,
		  const char *set, const char *filesystem)
{
	struct pario_json json = { 0 }, note = { 0 };
	struct pario_err err = { 0 };

	ok(journal_in(journal, p->dir, &err), &err);
	pario_journal_line(&json, "begin");
	pario_json_string(&json, "schema", PARIO_JOURNAL_SCHEMA);
	pario_json_string(&json, "version", "1.2.3");
	pario_json_string(&json, "test", test);
	pario_json_string(&json, "time", "2026-11-16T06:45:41Z");
	pario_json_open(&json, "params", '{');
	pario_json_open(&json, "minutes", '{');
	pario_json_string(&json, "value", "2");
	pario_json_close(&json, '}');
	pario_json_close(&json, '}');
	pario_json_open(&json, "machine", '{');
	pario_json_string(&json, "host", "node1");
	pario_json_u64(&json, "memory_available_bytes", 1000000000);
	pario_json_open(&json, "filesystem", '{');
	pario_json_string(&json, "type", filesystem);
	pario_json_string(&json, "mount", "/scratch");
	pario_json_u64(&json, "read_ahead_bytes", 131072);
	pario_json_close(&json, '}');
	pario_json_open(&json, "writeback", '{');
	pario_json_u64(&json, "dirty_ratio", 20);
	pario_json_u64(&json, "dirty_bytes", 0);
	pario_json_u64(&json, "dirty_background_ratio", 10);
	pario_json_close(&json, '}');
	pario_json_close(&json, '}');
	append(journal, &json);
	pario_journal_line(&note, "note");
	pario_json_string(&note, "level", "info");
	pario_json_string(&note, "text", set);
	append(journal, &note);
}

/* One result: `calls` calls of each client, that took so long each. */
static struct pario_result result_of(const char *phase, uint64_t clients, uint64_t repetition,
				     uint64_t bytes, double seconds)
{
	enum { CALLS = 100 };
	struct pario_result r;

	pario_result_init(&r);
	snprintf(r.test, sizeof(r.test), "transfer");
	snprintf(r.phase, sizeof(r.phase), "%s", phase);
	r.clients = clients;
	r.repetition = repetition;
	r.ops = CALLS * clients;
	r.bytes = r.ops * bytes;
	r.seconds.transfer = CALLS * seconds;
	r.seconds.sync = r.seconds.close = seconds;
	return r;
}

static void add(struct pario_journal *journal, const char *part, const char *more,
		const struct pario_result *result)
{
	struct pario_json json = { 0 };
	const char *equals = strchr(more, '=');
	char name[64] = "";

	pario_journal_line(&json, "result");
	pario_result_write(&json, result);
	pario_json_open(&json, "params", '{');
	pario_json_string(&json, "part", part);
	if (equals) {
		snprintf(name, sizeof(name), "%.*s", (int)(equals - more), more);
		pario_json_string(&json, name, equals + 1);
	}
	pario_json_close(&json, '}');
	append(journal, &json);
}

static const uint64_t sizes[] = { 1, 512, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20 };

/* Five repetitions of a law, with a little noise that is the same on both sides. */
static void add_law(struct pario_journal *journal, const char *part, const char *phase,
		    uint64_t clients, double call, double trans)
{
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		for (int k = -2; k <= 2; k++) {
			double seconds = (call + trans * (double)sizes[i]) * (1 + k * 0.01);
			struct pario_result r =
				result_of(phase, clients, (uint64_t)(k + 2), sizes[i], seconds);

			add(journal, part, "", &r);
		}
	}
}

static const struct pario_system_surface *surface(const struct pario_system *s,
						  enum pario_system_op op,
						  enum pario_system_path path, uint32_t clients)
{
	for (size_t i = 0; i < s->surface_count; i++) {
		if (s->surfaces[i].op == op && s->surfaces[i].path == path &&
		    s->surfaces[i].clients == clients)
			return &s->surfaces[i];
	}
	fail_msg("no surface of %s, %s, %u clients", pario_system_op_names[op],
		 pario_system_path_names[path], clients);
	return NULL;
}

static const char *gap(const struct pario_system *s, const char *what)
{
	for (size_t i = 0; i < s->coverage_count; i++) {
		if (strcmp(s->coverage[i].what, what) == 0)
			return s->coverage[i].why;
	}
	return "";
}

/* ---- cases ---- */

static void planted_laws(void **state)
{
	const struct place *p = *state;
	struct pario_journal journal;
	struct pario_system s, again;
	struct pario_err err = { 0 };
	const struct pario_system_surface *read, *write;

	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "ext4");
	add_law(&journal, "cached", "read", 1, 2e-6, 1e-10);
	add_law(&journal, "cached", "write", 2, 50e-6, 1e-9);
	ok(pario_journal_close(&journal, &err), &err);
	ok(fit_one(&s, p->dir, &err), &err);
	read = surface(&s, PARIO_SYSTEM_READ, PARIO_SYSTEM_HIT, 1);
	write = surface(&s, PARIO_SYSTEM_WRITE, PARIO_SYSTEM_ABSORBED, 2);
	assert_int_equal(read->piece_count, 1);
	assert_int_equal(read->point_count, COUNT_OF(sizes));
	assert_int_equal(read->points[0].repetitions, 5);
	near(read->pieces[0].t_call, 2e-6, 0.02);
	near(read->pieces[0].t_trans, 1e-10, 0.02);
	near(write->pieces[0].t_call, 50e-6, 0.02);
	near(write->pieces[0].t_trans, 1e-9, 0.02);
	assert_true(read->residual_rsd < 1);
	near(s.noise_floor_rsd, 1.4142, 0.01);
	near(s.dirty_limit_bytes, 2e8, 1e-9);
	near(s.dirty_background_bytes, 1e8, 1e-9);
	near(s.cache_bytes, 1e9, 1e-9);
	near(s.read_ahead_bytes, 131072, 1e-9);
	assert_string_equal(s.name, "node1:/scratch");
	assert_non_null(strstr(gap(&s, "the usual time"), "--minutes 2"));

	ok(pario_system_save(&s, p->file, false, &err), &err);
	ok(pario_system_load(&again, p->file, &err), &err);
	assert_int_equal(again.surface_count, s.surface_count);
	assert_int_equal(again.coverage_count, s.coverage_count);
	near(surface(&again, PARIO_SYSTEM_WRITE, PARIO_SYSTEM_ABSORBED, 2)->pieces[0].t_trans,
	     write->pieces[0].t_trans, 1e-12);
	pario_system_release(&again);
	pario_system_release(&s);
}

/* What pario itself takes of a call is no cost of the system, and neither is the close of a new file. */
static void own_cost(void **state)
{
	const struct place *p = *state;
	struct pario_result engine = result_of("read", 1, 0, 4096, 1e-6);
	struct pario_result cached = result_of("read", 1, 0, 4096, 5e-6);
	struct pario_result opened = result_of("file_open", 1, 0, 0, 20e-6);
	struct pario_result made = result_of("file_create", 1, 0, 0, 30e-6);
	struct pario_result closed = result_of("file_close", 1, 0, 0, 5e-6);
	struct pario_result small = result_of("read", 1, 0, 4096, 50e-6);
	struct pario_result written = result_of("write", 1, 0, 4096, 7e-6);
	struct pario_result full = result_of("file_remove", 1, 0, 0, 9e-6);
	struct pario_result absent = result_of("file_absent", 1, 0, 0, 2e-4);
	struct pario_result found = result_of("file_content", 1, 0, 10000, 2e-4);
	struct pario_journal journal;
	struct pario_system s;
	struct pario_err err = { 0 };

	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "ext4");
	add(&journal, "engine", "", &engine);
	add(&journal, "cached", "", &cached);
	small.seconds.transfer = 3e-6;
	written.bytes = 4096;
	add(&journal, "small", "", &small);
	add(&journal, "small", "", &written);
	add(&journal, "later_content", "", &found);
	add(&journal, "closing", "", &closed);
	add(&journal, "names", "", &opened);
	add(&journal, "names", "", &made);
	add(&journal, "names", "", &absent);
	add(&journal, "names_full", "", &full);
	ok(pario_journal_close(&journal, &err), &err);
	ok(fit_one(&s, p->dir, &err), &err);
	near(surface(&s, PARIO_SYSTEM_READ, PARIO_SYSTEM_HIT, 1)->points[0].seconds, 4e-6, 1e-6);
	near(surface(&s, PARIO_SYSTEM_CLOSE, PARIO_SYSTEM_ANY, 1)->points[0].seconds, 5e-6, 1e-6);
	/* what was written before makes a close dearer */
	assert_int_equal(surface(&s, PARIO_SYSTEM_CLOSE, PARIO_SYSTEM_ANY, 1)->points[1].bytes,
			 4096);
	near(surface(&s, PARIO_SYSTEM_CLOSE, PARIO_SYSTEM_ANY, 1)->points[1].seconds, 7e-6, 1e-6);
	/* an open is timed alone, a new file with its close */
	near(surface(&s, PARIO_SYSTEM_OPEN, PARIO_SYSTEM_ANY, 1)->points[0].seconds, 20e-6, 1e-6);
	near(surface(&s, PARIO_SYSTEM_CREATE, PARIO_SYSTEM_ANY, 1)->points[0].seconds, 25e-6, 1e-6);
	near(surface(&s, PARIO_SYSTEM_ABSENT, PARIO_SYSTEM_ANY, 1)->points[0].seconds, 2e-4, 1e-6);
	assert_int_equal(surface(&s, PARIO_SYSTEM_UNLINK, PARIO_SYSTEM_ANY, 1)->points[0].bytes,
			 65536);
	near(s.reopened_read_seconds, 3e-6, 1e-6);
	near(s.found_read_seconds, 2e-4, 1e-6);
	pario_system_release(&s);
}

/* Files and directories are renamed, linked, locked and looked up at costs of their own; bytes make removing dearer. */
static void names(void **state)
{
	const struct place *p = *state;
	const struct {
		const char *part, *phase;
		enum pario_system_op op;
		double seconds;
	} wanted[] = {
		{ "names", "dir_rename", PARIO_SYSTEM_RENAME_DIRECTORY, 30e-6 },
		{ "names", "file_rename", PARIO_SYSTEM_RENAME, 20e-6 },
		{ "names", "file_link", PARIO_SYSTEM_LINK, 15e-6 },
		{ "names", "file_lock", PARIO_SYSTEM_LOCK, 2e-6 },
		{ "names", "file_stat", PARIO_SYSTEM_STAT, 1e-6 },
		{ "later_names", "file_stat", PARIO_SYSTEM_LOOKUP, 5e-4 },
		{ "names_full", "file_remove", PARIO_SYSTEM_UNLINK, 10e-6 },
		{ "names_large", "file_remove", PARIO_SYSTEM_UNLINK, 3e-3 },
	};
	const struct pario_system_surface *removing;
	struct pario_journal journal;
	struct pario_system s;
	struct pario_err err = { 0 };

	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "ext4");
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		struct pario_result r = result_of(wanted[i].phase, 1, 0, 0, wanted[i].seconds);

		add(&journal, wanted[i].part, "", &r);
	}
	ok(pario_journal_close(&journal, &err), &err);
	ok(fit_one(&s, p->dir, &err), &err);
	for (size_t i = 0; i + 2 < COUNT_OF(wanted); i++)
		near(surface(&s, wanted[i].op, PARIO_SYSTEM_ANY, 1)->points[0].seconds,
		     wanted[i].seconds, 1e-6);
	removing = surface(&s, PARIO_SYSTEM_UNLINK, PARIO_SYSTEM_ANY, 1);
	assert_int_equal(removing->point_count, 2);
	assert_int_equal(removing->points[1].bytes, 16 << 20);
	near(removing->points[1].seconds, 3e-3, 1e-6);
	pario_system_release(&s);
}

/* Large writes after a rest count with all that they waited for; of many small ones a few are interruptions. */
static void few_calls_are_not_interruptions(void **state)
{
	const struct place *p = *state;
	struct pario_result large = result_of("write", 1, 0, 8 << 20, 1e-3);
	struct pario_json json = { 0 };
	struct pario_journal journal;
	struct pario_system s;
	struct pario_err err = { 0 };

	large.ops = 8;
	large.bytes = large.ops * (8 << 20);
	large.seconds.transfer = 6 * 1e-3 + 2 * 30e-3;
	large.latency_ns = (struct pario_latency){ .min = 900000, .p50 = 1000000 };
	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "ext4");
	pario_journal_line(&json, "result");
	pario_result_write(&json, &large);
	pario_json_open(&json, "params", '{');
	pario_json_string(&json, "part", "cached_large");
	pario_json_close(&json, '}');
	pario_json_open(&json, "detail", '{');
	pario_json_open(&json, "latency", '[');
	for (int i = 0; i < 2; i++) {
		pario_json_open(&json, NULL, '[');
		pario_json_u64(&json, NULL, i ? 30000000 : 1000000);
		pario_json_u64(&json, NULL, i ? 2 : 6);
		pario_json_close(&json, ']');
	}
	pario_json_close(&json, ']');
	pario_json_close(&json, '}');
	append(&journal, &json);
	ok(pario_journal_close(&journal, &err), &err);
	ok(fit_one(&s, p->dir, &err), &err);
	near(surface(&s, PARIO_SYSTEM_WRITE, PARIO_SYSTEM_ABSORBED, 1)->points[0].seconds,
	     66e-3 / 8, 1e-6);
	pario_system_release(&s);
}

/* Journals of several times make one SYSTEM: the median of all, and all their time. */
static void several_journals(void **state)
{
	const struct place *p = *state;
	const double seconds[] = { 1e-6, 9e-6, 2e-6 };
	char dirs[COUNT_OF(seconds)][sizeof(p->dir) + 4];
	const char *const paths[] = { dirs[0], dirs[1], dirs[2] };
	struct pario_system s;
	struct pario_err err = { 0 };

	for (size_t i = 0; i < COUNT_OF(seconds); i++) {
		struct place here;
		struct pario_journal journal;
		struct pario_result r = result_of("read", 1, 0, 4096, seconds[i]);

		snprintf(here.dir, sizeof(here.dir), "%.*s.%zu", (int)sizeof(here.dir) - 4, p->dir,
			 i);
		memcpy(dirs[i], here.dir, sizeof(here.dir));
		assert_int_equal(mkdir(here.dir, 0700), 0);
		begin(&journal, &here, "characterize", "characterization set " PARIO_SET_VERSION,
		      "ext4");
		add(&journal, "cached", "", &r);
		ok(pario_journal_close(&journal, &err), &err);
	}
	ok(pario_characterize_fit_all(&s, paths, COUNT_OF(paths), &err), &err);
	near(surface(&s, PARIO_SYSTEM_READ, PARIO_SYSTEM_HIT, 1)->points[0].seconds, 2e-6, 1e-6);
	assert_int_equal(surface(&s, PARIO_SYSTEM_READ, PARIO_SYSTEM_HIT, 1)->points[0].repetitions,
			 3);
	/* three times two minutes are more than the usual five */
	assert_string_equal(gap(&s, "the usual time"), "");
	pario_system_release(&s);
	for (size_t i = 0; i < COUNT_OF(seconds); i++) {
		char journal[sizeof(dirs[0]) + 16];

		snprintf(journal, sizeof(journal), "%.*s/journal.jsonl", (int)sizeof(dirs[0]),
			 dirs[i]);
		unlink(journal);
		rmdir(dirs[i]);
	}
}

/* Each kind of sync has a surface of its own, over the bytes before it; of directories there are none. */
static void syncs(void **state)
{
	const struct place *p = *state;
	struct pario_result grown = result_of("write", 1, 0, 41, 6e-4);
	struct pario_result again = result_of("rewrite", 1, 0, 41, 5e-4);
	struct pario_result data = result_of("rewrite", 1, 0, 41, 1e-4);
	struct pario_result names = result_of("dir_fsync", 1, 0, 0, 4e-4);
	struct pario_result stored = result_of("dir_fsync", 1, 0, 0, 3e-4);
	const struct {
		enum pario_system_op op;
		uint64_t bytes;
		double seconds;
	} wanted[] = {
		{ PARIO_SYSTEM_FSYNC, 4100, 6e-4 },
		{ PARIO_SYSTEM_FSYNC_AGAIN, 4100, 5e-4 },
		{ PARIO_SYSTEM_FDATASYNC_AGAIN, 4100, 1e-4 },
		{ PARIO_SYSTEM_FSYNC_DIRECTORY, 0, 4e-4 },
		{ PARIO_SYSTEM_FSYNC_DIRECTORY_AGAIN, 0, 3e-4 },
	};
	struct pario_journal journal;
	struct pario_system s;
	struct pario_err err = { 0 };

	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "ext4");
	add(&journal, "fsync_small", "", &grown);
	add(&journal, "fsync_again", "", &again);
	add(&journal, "fdatasync_again", "", &data);
	add(&journal, "fsync_directory", "", &names);
	add(&journal, "fsync_directory_again", "", &stored);
	ok(pario_journal_close(&journal, &err), &err);
	ok(fit_one(&s, p->dir, &err), &err);
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		const struct pario_system_surface *f =
			surface(&s, wanted[i].op, PARIO_SYSTEM_SYNC, 1);

		assert_int_equal(f->point_count, 1);
		assert_int_equal(f->points[0].bytes, wanted[i].bytes);
		near(f->points[0].seconds, wanted[i].seconds, 1e-6);
	}
	pario_system_release(&s);
}

/* Memory answers all calls alike; those that something else ran in between do not count. */
static void interruptions(void **state)
{
	const struct place *p = *state;
	struct pario_result cached = result_of("read", 1, 0, 4096, 31e-6);
	struct pario_journal journal;
	struct pario_json json = { 0 };
	struct pario_system s;
	struct pario_err err = { 0 };

	cached.latency_ns.p50 = 1000;
	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "ext4");
	pario_journal_line(&json, "result");
	pario_result_write(&json, &cached);
	pario_text_add(&json.text, ",\"params\":{\"part\":\"cached\"}"
				   ",\"detail\":{\"latency\":[[1000,97],[941176,3]]}");
	append(&journal, &json);
	ok(pario_journal_close(&journal, &err), &err);
	ok(fit_one(&s, p->dir, &err), &err);
	/* 3.1 ms, less 3 calls of 1 ms, shared by 97 */
	near(surface(&s, PARIO_SYSTEM_READ, PARIO_SYSTEM_HIT, 1)->points[0].seconds, 1.03e-6, 0.01);
	pario_system_release(&s);
}

/* The device by requests in flight; without it, by the clients' direct I/O. */
static void devices(void **state)
{
	const struct place *p = *state;
	struct pario_result queued = result_of("read", 1, 0, 1 << 20, 1e-3);
	struct pario_result direct = result_of("write", 2, 0, 1 << 20, 4e-3);
	struct pario_journal journal;
	struct pario_system s;
	struct pario_err err = { 0 };

	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "ext4");
	add(&journal, "device", "queue_depth=8", &queued);
	add(&journal, "direct", "", &direct);
	ok(pario_journal_close(&journal, &err), &err);
	ok(fit_one(&s, p->dir, &err), &err);
	assert_int_equal(s.read_count, 1);
	assert_int_equal(s.read[0].clients, 8);
	near(s.read[0].bytes_per_second, 1048576e3, 1e-9);
	assert_int_equal(s.write_count, 1);
	assert_int_equal(s.write[0].clients, 2);
	near(s.write[0].bytes_per_second, 2 * 1048576 / 4e-3, 1e-9);
	pario_system_release(&s);
}

static void what_is_missing(void **state)
{
	const struct place *p = *state;
	struct pario_result cached = result_of("read", 1, 0, 4096, 5e-6);
	struct pario_result direct = result_of("write", 1, 0, 4096, 5e-6);
	struct pario_result cold = result_of("read", 1, 0, 4096, 5e-6);
	struct pario_journal journal;
	struct pario_system s;
	struct pario_err err = { 0 };

	direct.outcome = PARIO_SKIP;
	snprintf(direct.reason, sizeof(direct.reason), "/scratch has no direct I/O (EINVAL).");
	cold.outcome = PARIO_SUSPECT;
	snprintf(cold.reason, sizeof(cold.reason), "31 %% were still cached");
	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "tmpfs");
	add(&journal, "cached", "", &cached);
	add(&journal, "direct", "", &direct);
	add(&journal, "cold", "", &cold);
	ok(pario_journal_close(&journal, &err), &err);
	ok(fit_one(&s, p->dir, &err), &err);
	assert_string_equal(gap(&s, "direct I/O, sequential"),
			    "/scratch has no direct I/O (EINVAL).");
	assert_string_equal(gap(&s, "sequential reads of data that are not in memory"),
			    "31 % were still cached");
	assert_non_null(strstr(gap(&s, "repetitions"), "only 1 time"));
	assert_non_null(strstr(gap(&s, "write-back"), "in memory"));
	assert_true(isnan(s.dirty_limit_bytes));
	pario_system_release(&s);
}

/* Writes beyond what the kernel lets be dirty: where they went on as they began, memory alone is the limit. */
static void fill(void **state)
{
	const struct place *p = *state;
	const struct {
		unsigned steps;
		double late, limit, background;
	} cases[] = {
		{ 14, 4000, 1e9, 5e8 },		/* as fast as at first */
		{ 14, 1000, 2e8, 1e8 },		/* slower, but too few steps to say from where on */
		{ 32, 1000, 4e8 / 3, 2e8 / 3 }, /* from 100 MB on, half way between the two */
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct pario_result cached = result_of("write", 1, 0, 1 << 20, 2e-4);
		struct pario_result filled = result_of("write", 1, 0, 3 << 20, 2e-4);
		struct pario_detail *detail = calloc(1, sizeof(*detail));
		struct pario_journal journal;
		struct pario_system s;
		struct pario_err err = { 0 };

		detail->steps = cases[i].steps;
		detail->step_s = 100e6 / (1 << 20) / 4000 / (cases[i].steps / 2.0);
		for (unsigned k = 0; k < detail->steps; k++)
			detail->rates[k] = k < detail->steps / 2 ? 4000 : cases[i].late;
		filled.detail = detail;
		begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION,
		      "ext4");
		add(&journal, "cached", "", &cached);
		add(&journal, "fill", "", &filled);
		ok(pario_journal_close(&journal, &err), &err);
		ok(fit_one(&s, p->dir, &err), &err);
		near(s.dirty_limit_bytes, cases[i].limit, 1e-3);
		near(s.dirty_background_bytes, cases[i].background, 1e-3);
		pario_system_release(&s);
		unlink(p->journal);
		free(detail);
	}
}

/* Two slopes are two pieces; noise alone is none. */
static void broken_law(void **state)
{
	struct pario_system_surface s = { .residual_rsd = NAN };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		double bytes = (double)sizes[i];
		double seconds = bytes <= 65536 ? 5e-6 + bytes * 1e-10 : 1e-3 + bytes * 1e-9;

		*pario_system_add_point(&s) =
			(struct pario_system_point){ sizes[i], seconds, seconds, seconds, 5 };
	}
	assert_int_equal(pario_pieces_fit(&s, 0), 0);
	assert_int_equal(s.piece_count, 2);
	assert_true(s.pieces[0].to_bytes > 65536 && s.pieces[0].to_bytes < 262144);
	assert_int_equal(s.pieces[1].from_bytes, s.pieces[0].to_bytes);
	near(s.pieces[0].t_call, 5e-6, 1e-6);
	near(s.pieces[1].t_call, 1e-3, 1e-6);
	near(s.pieces[1].t_trans, 1e-9, 1e-6);
	assert_true(s.residual_rsd < 1e-3);
	free(s.points);
	free(s.pieces);
}

/* A size that fits no line with others does not become one through the origin. */
static void lonely_size(void **state)
{
	static const struct pario_system_point points[] = {
		{ 4096, 856e-6, 826e-6, 886e-6, 5 },	   { 65536, 775e-6, 744e-6, 807e-6, 5 },
		{ 1 << 20, 1281e-6, 1100e-6, 1463e-6, 5 }, { 8 << 20, 0.208, 0.199, 0.217, 5 },
		{ 32 << 20, 0.66, 0.6599, 0.6603, 5 },
	};
	struct pario_system_surface s = { .residual_rsd = NAN };
	const struct pario_system_piece *p;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(points); i++)
		*pario_system_add_point(&s) = points[i];
	assert_int_equal(pario_pieces_fit(&s, 0.02), 0);
	for (double bytes = 4096; bytes <= 65536; bytes *= 1.1) {
		for (p = s.pieces; p + 1 < s.pieces + s.piece_count && bytes > (double)p->to_bytes;)
			p++;
		near(p->t_call + bytes * p->t_trans, 815e-6, 0.15);
	}
	free(s.points);
	free(s.pieces);
}

static void refused(void **state)
{
	const struct place *p = *state;
	struct pario_journal journal;
	struct pario_system s;
	struct pario_err err = { 0 };

	begin(&journal, p, "glance", "", "ext4");
	ok(pario_journal_close(&journal, &err), &err);
	assert_int_equal(fit_one(&s, p->dir, &err), -1);
	assert_non_null(strstr(err.text, "is the journal of glance, not of a characterization"));
	assert_int_equal(err.code, PARIO_USAGE);
	unlink(p->journal);

	begin(&journal, p, "characterize", "characterization set 0", "ext4");
	ok(pario_journal_close(&journal, &err), &err);
	assert_int_equal(fit_one(&s, p->dir, &err), -1);
	assert_non_null(strstr(err.text, "another set"));
	unlink(p->journal);

	begin(&journal, p, "characterize", "characterization set " PARIO_SET_VERSION, "ext4");
	ok(pario_journal_close(&journal, &err), &err);
	assert_int_equal(fit_one(&s, p->dir, &err), -1);
	assert_non_null(strstr(err.text, "holds no measurement"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(planted_laws, make_place, drop_place),
		cmocka_unit_test_setup_teardown(own_cost, make_place, drop_place),
		cmocka_unit_test_setup_teardown(syncs, make_place, drop_place),
		cmocka_unit_test_setup_teardown(names, make_place, drop_place),
		cmocka_unit_test_setup_teardown(few_calls_are_not_interruptions, make_place,
						drop_place),
		cmocka_unit_test_setup_teardown(several_journals, make_place, drop_place),
		cmocka_unit_test_setup_teardown(fill, make_place, drop_place),
		cmocka_unit_test_setup_teardown(interruptions, make_place, drop_place),
		cmocka_unit_test_setup_teardown(devices, make_place, drop_place),
		cmocka_unit_test_setup_teardown(what_is_missing, make_place, drop_place),
		cmocka_unit_test(broken_law),
		cmocka_unit_test(lonely_size),
		cmocka_unit_test_setup_teardown(refused, make_place, drop_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
