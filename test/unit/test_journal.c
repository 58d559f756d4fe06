/*
 * The journal: what was appended reads back, a crash costs at most the last line, and no other damage
 * passes unseen.
 */
#include "journal/journal.h"
#include "journal/result.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../temporary.h"
#include "journal_in.h"

struct place {
	char dir[TEMPORARY_CAPACITY], file[TEMPORARY_CAPACITY + 16];
};

struct bytes {
	char *data;
	size_t length;
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	if (!mkdtemp(temporary(p->dir, "journal")))
		return -1;
	snprintf(p->file, sizeof(p->file), "%s/journal.jsonl", p->dir);
	*state = p;
	return 0;
}

static int drop_place(void **state)
{
	struct place *p = *state;

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

static void append_begin(struct pario_journal *journal, const char *schema)
{
	struct pario_json json = { 0 };
	struct pario_err err = { 0 };

	pario_journal_line(&json, "begin");
	pario_json_string(&json, "schema", schema);
	pario_json_string(&json, "run", "20240101-abc");
	ok(pario_journal_append(journal, &json, &err), &err);
	pario_json_release(&json);
}

static void append_result(struct pario_journal *journal, uint64_t repetition)
{
	struct pario_json json = { 0 };
	struct pario_result result;
	struct pario_err err = { 0 };

	pario_result_init(&result);
	snprintf(result.test, sizeof(result.test), "strided");
	snprintf(result.reason, sizeof(result.reason), "J*\xc2\x8a </script> \x01");
	result.repetition = repetition;
	result.seconds.total = 0.1;
	pario_result_metric(&result, "speed", "MB/s", 1.5);
	pario_journal_line(&json, "result");
	pario_result_write(&json, &result);
	ok(pario_journal_append(journal, &json, &err), &err);
	assert_int_equal(json.text.length, 0);
	pario_json_release(&json);
}

/* begin and three results. */
static void make_journal(const struct place *p)
{
	struct pario_journal journal;
	struct pario_err err = { 0 };

	ok(journal_in(&journal, p->dir, &err), &err);
	append_begin(&journal, PARIO_JOURNAL_SCHEMA);
	for (uint64_t i = 1; i <= 3; i++)
		append_result(&journal, i);
	assert_int_equal(journal.lines, 4);
	ok(pario_journal_close(&journal, &err), &err);
	assert_int_equal(journal.fd, -1);
}

static struct bytes load(const char *path)
{
	struct bytes b = { .data = malloc(1 << 20) };
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	b.length = fread(b.data, 1, 1 << 20, file);
	fclose(file);
	return b;
}

static void save(const char *path, const void *data, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* Reads to the end: number of lines, or -1 with err filled. */
static int count(const char *path, bool *torn, struct pario_err *err)
{
	struct pario_journal_reader reader;
	json_t *line;
	int lines = 0, more;

	ok(pario_journal_open(&reader, path, err), err);
	while ((more = pario_journal_next(&reader, &line, err)) > 0) {
		lines++;
		assert_int_equal(reader.number, lines);
		json_decref(line);
	}
	*torn = reader.torn;
	pario_journal_done(&reader);
	return more < 0 ? -1 : lines;
}

static void lines_read_back(void **state)
{
	const struct place *p = *state;
	struct pario_journal_reader reader;
	struct pario_result result;
	struct pario_err err = { 0 };
	uint64_t end = 0;
	json_t *line;

	make_journal(p);
	ok(pario_journal_open(&reader, p->dir, &err), &err); /* a directory will do */
	for (uint64_t i = 0; i <= 3; i++) {
		assert_int_equal(pario_journal_next(&reader, &line, &err), 1);
		assert_int_equal(reader.number, i + 1);
		assert_int_equal(reader.offset, end);
		end = reader.next;
		if (i) {
			ok(pario_result_read(line, &result, &err), &err);
			assert_int_equal(result.repetition, i);
			assert_string_equal(result.reason, "J*\xc2\x8a </script> \x01");
		}
		json_decref(line);
	}
	assert_int_equal(pario_journal_next(&reader, &line, &err), 0);
	assert_int_equal(pario_journal_next(&reader, &line, &err), 0);
	assert_false(reader.torn);
	pario_journal_done(&reader);
}

/* The format itself, byte by byte; the sum comes from another implementation of XXH64. */
static void a_line_has_this_form(void **state)
{
	static const char expected[] =
		"{\"kind\":\"note\",\"text\":\"hi\",\"sum\":\"b48f5fa6fd5ffdc3\"}\n";
	const struct place *p = *state;
	struct pario_json json = { 0 };
	struct pario_journal journal;
	struct pario_err err = { 0 };
	struct bytes b;

	ok(journal_in(&journal, p->dir, &err), &err);
	pario_journal_line(&json, "note");
	pario_json_string(&json, "text", "hi");
	ok(pario_journal_append(&journal, &json, &err), &err);
	pario_json_release(&json);
	ok(pario_journal_close(&journal, &err), &err);
	b = load(p->file);
	assert_int_equal(b.length, sizeof(expected) - 1);
	assert_memory_equal(b.data, expected, b.length);
	assert_null(pario_journal_check(b.data, b.length - 1));
	assert_non_null(pario_journal_check(b.data, b.length));
	assert_non_null(pario_journal_check(b.data, 10));
	assert_non_null(pario_journal_check(b.data, 0));
	free(b.data);
}

static void a_torn_tail_is_dropped_at_every_byte(void **state)
{
	const struct place *p = *state;
	struct pario_err err = { 0 };
	size_t start;
	struct bytes b;
	bool torn;

	make_journal(p);
	b = load(p->file);
	for (start = b.length - 1; b.data[start - 1] != '\n';)
		start--;
	for (size_t cut = start; cut <= b.length; cut++) {
		save(p->file, b.data, cut);
		assert_int_equal(count(p->file, &torn, &err), cut == b.length ? 4 : 3);
		assert_int_equal(torn, cut > start && cut < b.length);
	}
	free(b.data);
}

/* After power loss the length may be right and the bytes not. */
static void a_bad_last_line_is_dropped(void **state)
{
	const struct place *p = *state;
	struct pario_err err = { 0 };
	struct bytes b;
	bool torn;

	make_journal(p);
	b = load(p->file);
	b.data[b.length - 40] ^= 1;
	save(p->file, b.data, b.length);
	assert_int_equal(count(p->file, &torn, &err), 3);
	assert_true(torn);
	memset(b.data + b.length - 200, 0, 200);
	save(p->file, b.data, b.length);
	assert_int_equal(count(p->file, &torn, &err), 3);
	assert_true(torn);
	free(b.data);
}

static void a_torn_tail_is_cut_on_reopen(void **state)
{
	const struct place *p = *state;
	struct pario_journal journal;
	struct pario_err err = { 0 };
	struct bytes b;
	bool torn;

	make_journal(p);
	b = load(p->file);
	for (size_t lost = 0; lost < 60; lost++) {
		save(p->file, b.data, b.length - lost);
		ok(pario_journal_reopen(&journal, p->dir, &err), &err);
		assert_int_equal(journal.lines, lost ? 3 : 4);
		append_result(&journal, 9);
		ok(pario_journal_close(&journal, &err), &err);
		assert_int_equal(count(p->file, &torn, &err), lost ? 4 : 5);
		assert_false(torn);
	}
	free(b.data);
}

static void a_flipped_bit_in_the_middle_is_damage(void **state)
{
	const struct place *p = *state;
	struct pario_err err;
	struct bytes b;
	size_t end = 0;
	bool torn;

	make_journal(p);
	b = load(p->file);
	for (int newlines = 0; newlines < 2; end++)
		newlines += b.data[end] == '\n';
	for (size_t i = 0; i < end; i++) {
		for (int bit = 0; bit < 8; bit++) {
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
			save(p->file, b.data, b.length);
			b.data[i] = (char)(b.data[i] ^ 1 << bit);
			pario_err_clear(&err);
			if (count(p->file, &torn, &err) >= 0)
				fail_msg("bit %d of byte %zu went unnoticed", bit, i);
			assert_non_null(strstr(err.text, "byte offset"));
			assert_non_null(strstr(err.text, " at line "));
		}
	}
	free(b.data);
}

static void damage_is_located(void **state)
{
	const struct place *p = *state;
	struct pario_err err = { 0 };
	struct pario_journal journal;
	char says[80];
	struct bytes b;
	size_t line2;
	bool torn;

	make_journal(p);
	b = load(p->file);
	line2 = (size_t)((char *)memchr(b.data, '\n', b.length) - b.data) + 1;
	b.data[line2 + 20] ^= 1;
	save(p->file, b.data, b.length);
	assert_int_equal(count(p->file, &torn, &err), -1);
	snprintf(says, sizeof(says), "at line 2 (byte offset %zu)", line2);
	assert_non_null(strstr(err.text, says));
	assert_int_equal(pario_journal_reopen(&journal, p->dir, &err), -1);
	assert_int_equal(journal.fd, -1);
	free(b.data);
}

/* No reader would take the line, or the journal is closed: nothing is written, the builder is empty. */
static void bad_lines_are_not_written(void **state)
{
	const struct place *p = *state;
	struct pario_json json = { 0 };
	struct pario_journal journal;
	struct pario_err err = { 0 };
	bool torn;

	ok(journal_in(&journal, p->dir, &err), &err);
	append_begin(&journal, PARIO_JOURNAL_SCHEMA);
	pario_journal_line(&json, "note");
	pario_json_u64(&json, "huge", UINT64_MAX);
	assert_int_equal(pario_journal_append(&journal, &json, &err), -1);
	pario_journal_line(&json, "note");
	pario_json_open(&json, "left open", '{');
	assert_int_equal(pario_journal_append(&journal, &json, &err), -1);
	pario_json_open(&json, NULL, '{');
	assert_int_equal(pario_journal_append(&journal, &json, &err), -1);
	assert_int_equal(pario_journal_append(&journal, &json, &err), -1);
	append_result(&journal, 1);
	assert_int_equal(count(p->file, &torn, &err), 2);
	ok(pario_journal_close(&journal, &err), &err);
	ok(pario_journal_close(&journal, &err), &err);
	pario_journal_line(&json, "note");
	assert_int_equal(pario_journal_append(&journal, &json, &err), -1);
	assert_int_equal(json.text.length, 0);
	pario_json_release(&json);
}

/* A file size limit gives a short write and then EFBIG, as a full disk gives ENOSPC. */
static void a_line_written_in_part_is_taken_back(void **state)
{
	const struct place *p = *state;
	struct rlimit before, limit;
	struct pario_json json = { 0 };
	struct pario_journal journal;
	struct pario_err err = { 0 };
	struct stat status;
	bool torn;

	ok(journal_in(&journal, p->dir, &err), &err);
	append_begin(&journal, PARIO_JOURNAL_SCHEMA);
	assert_int_equal(stat(p->file, &status), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)status.st_size + 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	pario_journal_line(&json, "note");
	pario_json_string(&json, "text", "longer than the twenty bytes that are left");
	assert_int_equal(pario_journal_append(&journal, &json, &err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(err.sys, EFBIG);
	assert_int_equal(journal.lines, 1);
	append_result(&journal, 1);
	assert_int_equal(count(p->file, &torn, &err), 2);
	assert_false(torn);
	ok(pario_journal_close(&journal, &err), &err);
	pario_json_release(&json);
}

static void the_echo_gets_every_line(void **state)
{
	const struct place *p = *state;
	struct pario_journal journal;
	struct pario_err err = { 0 };
	size_t length = 0;
	char *copy = NULL;
	struct bytes b;

	ok(journal_in(&journal, p->dir, &err), &err);
	journal.echo = open_memstream(&copy, &length);
	append_begin(&journal, PARIO_JOURNAL_SCHEMA);
	append_result(&journal, 1);
	ok(pario_journal_close(&journal, &err), &err);
	fclose(journal.echo);
	b = load(p->file);
	assert_int_equal(b.length, length);
	assert_memory_equal(b.data, copy, length);
	free(copy);
	free(b.data);
}

static void a_full_echo_is_reported_once(void **state)
{
	const struct place *p = *state;
	struct pario_json json = { 0 };
	struct pario_journal journal;
	struct pario_err err = { 0 };
	FILE *full = fopen("/dev/full", "w");
	bool torn;

	if (!full)
		skip();
	ok(journal_in(&journal, p->dir, &err), &err);
	append_begin(&journal, PARIO_JOURNAL_SCHEMA);
	journal.echo = full;
	pario_journal_line(&json, "note");
	assert_int_equal(pario_journal_append(&journal, &json, &err), -1);
	assert_int_equal(err.sys, ENOSPC);
	append_result(&journal, 1);
	assert_int_equal(count(p->file, &torn, &err), 3);
	ok(pario_journal_close(&journal, &err), &err);
	pario_json_release(&json);
	fclose(full);
}

static void nothing_foreign_is_opened_for_writing(void **state)
{
	const struct place *p = *state;
	struct pario_journal journal;
	struct pario_err err = { 0 };
	char other[TEMPORARY_CAPACITY + 32];

	make_journal(p);
	assert_int_equal(journal_in(&journal, p->dir, &err), -1);
	assert_int_equal(err.sys, EEXIST);
	assert_int_equal(journal.fd, -1);
	snprintf(other, sizeof(other), "%s.other", p->file);
	assert_int_equal(link(p->file, other), 0);
	assert_int_equal(pario_journal_reopen(&journal, p->dir, &err), -1);
	assert_int_equal(unlink(p->file), 0);
	assert_int_equal(symlink(other, p->file), 0);
	assert_int_equal(pario_journal_reopen(&journal, p->dir, &err), -1);
	assert_int_equal(err.sys, ELOOP);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(journal_in(&journal, p->dir, &err), -1); /* dangling */
	assert_int_equal(unlink(p->file), 0);
	assert_int_equal(mkfifo(p->file, 0600), 0);
	assert_int_equal(pario_journal_reopen(&journal, p->dir, &err), -1);
	assert_int_equal(unlink(p->file), 0);
	assert_int_equal(pario_journal_reopen(&journal, p->dir, &err), -1);
	assert_int_equal(err.sys, ENOENT);
}

static void absent_paths_are_named(void **state)
{
	const struct place *p = *state;
	struct pario_journal_reader reader;
	struct pario_journal journal;
	struct pario_err err = { 0 };
	char far[5000];

	assert_int_equal(pario_journal_open(&reader, p->dir, &err), -1);
	assert_int_equal(err.sys, ENOENT);
	assert_non_null(strstr(err.text, p->file));
	pario_journal_done(&reader);
	assert_int_equal(pario_journal_open(&reader, p->file, &err), -1);
	pario_journal_done(&reader);
	assert_int_equal(journal_in(&journal, p->file, &err), -1);
	memset(far, '/', sizeof(far) - 1);
	far[sizeof(far) - 1] = '\0';
	assert_int_equal(journal_in(&journal, far, &err), -1);
	assert_int_equal(pario_journal_open(&reader, far, &err), -1);
	pario_journal_done(&reader);
}

int main(void)
{
#define TEST(name_) cmocka_unit_test_setup_teardown(name_, make_place, drop_place)
	const struct CMUnitTest tests[] = {
		TEST(lines_read_back),
		TEST(a_line_has_this_form),
		TEST(a_torn_tail_is_dropped_at_every_byte),
		TEST(a_bad_last_line_is_dropped),
		TEST(a_torn_tail_is_cut_on_reopen),
		TEST(a_flipped_bit_in_the_middle_is_damage),
		TEST(damage_is_located),
		TEST(bad_lines_are_not_written),
		TEST(a_line_written_in_part_is_taken_back),
		TEST(the_echo_gets_every_line),
		TEST(a_full_echo_is_reported_once),
		TEST(nothing_foreign_is_opened_for_writing),
		TEST(absent_paths_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
