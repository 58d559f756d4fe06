/*
 * Hostile journals: every line has a right sum, so that nothing but the reader's own care is left.
 */
#include "journal/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <xxhash.h>

/* Text of a journal line from "{..." without its end. */
static void put_line(struct pario_text *text, const char *open)
{
	pario_text_add(text, "%s,\"sum\":\"%016llx\"}\n", open,
		       (unsigned long long)XXH64(open, strlen(open), 0));
}

/* Reads the text and `zeros` NUL bytes after it: number of lines, or -1 with err filled. */
static int count(const struct pario_text *text, off_t zeros, bool *torn, struct pario_err *err)
{
	int fd = memfd_create("journal", MFD_CLOEXEC), lines = 0, more;
	struct pario_journal_reader reader;
	char path[64];
	json_t *line;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, pario_text_string(text), text->length), text->length);
	assert_int_equal(ftruncate(fd, (off_t)text->length + zeros), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pario_journal_open(&reader, path, err) < 0)
		fail_msg("%s", err->text);
	while ((more = pario_journal_next(&reader, &line, err)) > 0) {
		lines++;
		json_decref(line);
	}
	*torn = reader.torn;
	pario_journal_done(&reader);
	close(fd);
	return more < 0 ? -1 : lines;
}

static void refused(const struct pario_text *text, const char *says)
{
	struct pario_err err = { 0 };
	bool torn;

	assert_int_equal(count(text, 0, &torn, &err), -1);
	assert_int_equal(err.code, PARIO_SYSTEM);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static const char begin[] = "{\"kind\":\"begin\",\"schema\":\"pario/1\"";

/* Each with a right sum, as the last line: not torn, so not dropped in silence. */
static void hostile_json_is_refused(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "{\"kind\":\"note\",\"a\":1,\"a\":2", "duplicate" },
		{ "{\"kind\":\"note\",\"sum\":1", "duplicate" },
		{ "{\"kind\":\"note\",\"a\":NaN", "line 2" },
		{ "{\"kind\":\"note\",\"a\":1e999", "line 2" },
		{ "{\"kind\":\"note\",\"a\":9223372036854775808", "too big" },
		{ "{\"kind\":\"note\",\"a\":-99999999999999999999999", "too big" },
		{ "{\"kind\":\"note\",\"a\":\"\xff\"", "byte 0xff" },
		{ "{\"kind\":\"note\",\"a\":\"\\ud800\"", "line 2" },
		{ "{\"kind\":\"note\",\"a\":\"\\u0000\"", "line 2" },
		{ "{\"kind\":\"note\",\"a\":\x1b[2J", "\\x1b" },
		{ "{\"kind\":7", "kind" },
		{ "{\"a\":7", "kind" },
		{ "[1", "line 2" },
		{ "{} {\"kind\":\"note\"", "line 2" },
		{ "{", "line 2" },
	};
	struct pario_text text = { 0 };
	struct pario_err err = { 0 };
	bool torn;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pario_text_clear(&text);
		put_line(&text, begin);
		put_line(&text, cases[i].line);
		refused(&text, cases[i].says);
	}
	pario_text_clear(&text);
	put_line(&text, begin);
	put_line(&text, "{\"kind\":\"note\",\"a\":9223372036854775807");
	put_line(&text, "{\"kind\":\"from the future\",\"b\":[]");
	assert_int_equal(count(&text, 0, &torn, &err), 3);
	pario_text_release(&text);
}

/* Position of the byte at fault, counted from the start of the file. */
static void a_parse_error_has_its_offset(void **state)
{
	struct pario_text text = { 0 };
	char says[60];

	(void)state;
	put_line(&text, begin);
	snprintf(says, sizeof(says), "at line 2 (byte offset %zu)", text.length + 22);
	put_line(&text, "{\"kind\":\"note\",\"a\":NaN");
	refused(&text, says);
	pario_text_release(&text);
}

static void deep_nesting_is_refused(void **state)
{
	struct pario_text open = { 0 }, text = { 0 };

	(void)state;
	pario_text_add(&open, "{\"kind\":\"note\",\"a\":");
	for (int i = 0; i < 100000; i++)
		pario_text_bytes(&open, "[", 1);
	for (int i = 0; i < 100000; i++)
		pario_text_bytes(&open, "]", 1);
	put_line(&text, begin);
	put_line(&text, open.data);
	refused(&text, "depth");
	pario_text_release(&open);
	pario_text_release(&text);
}

static void a_tree_that_would_fill_memory_is_refused(void **state)
{
	struct pario_text open = { 0 }, text = { 0 };

	(void)state;
	pario_text_add(&open, "{\"kind\":\"note\",\"a\":[{}");
	for (int i = 0; i < 3 << 20; i++)
		pario_text_bytes(&open, ",{}", 3);
	pario_text_bytes(&open, "]", 1);
	put_line(&text, begin);
	put_line(&text, open.data);
	refused(&text, "values");
	pario_text_release(&open);
	pario_text_release(&text);
}

/* Sparse, so that the file costs nothing. */
static void an_endless_line_is_refused(void **state)
{
	struct pario_text text = { 0 };
	struct pario_err err = { 0 };
	bool torn;

	(void)state;
	put_line(&text, begin);
	assert_int_equal(count(&text, (64 << 20) + 1, &torn, &err), -1);
	assert_non_null(strstr(err.text, "longer than 64 MiB"));
	assert_int_equal(count(&text, 64 << 20, &torn, &err), 1);
	assert_true(torn);
	pario_text_release(&text);
}

static void first_line(const char *open, const char *says)
{
	struct pario_text text = { 0 };

	put_line(&text, open);
	put_line(&text, "{\"kind\":\"end\"");
	refused(&text, says);
	pario_text_release(&text);
}

static void the_first_line_decides(void **state)
{
	struct pario_text text = { 0 };

	(void)state;
	first_line("{\"kind\":\"begin\",\"schema\":\"pario/2\"", "newer pario");
	first_line("{\"kind\":\"begin\",\"schema\":\"pario/10\"", "newer pario");
	first_line("{\"kind\":\"begin\",\"schema\":\"pario/0\"", "reads pario/1");
	first_line("{\"kind\":\"begin\",\"schema\":\"pario/1x\"", "reads pario/1");
	first_line("{\"kind\":\"begin\",\"schema\":\"\\u001b[2J\"", "\\x1b[2J");
	first_line("{\"kind\":\"begin\",\"schema\":1", "schema");
	first_line("{\"kind\":\"begin\"", "schema");
	first_line("{\"kind\":\"result\"", "begin");
	refused(&text, "empty");
	pario_text_add(&text, "\n");
	refused(&text, "line 1 (byte offset 0)");
	pario_text_add(&text, "\n");
	refused(&text, "line 1 (byte offset 0)");
	pario_text_clear(&text);
	put_line(&text, begin);
	text.length--;
	refused(&text, "incomplete");
	pario_text_clear(&text);
	pario_text_add(&text, "%%PDF-1.4 something else altogether\n");
	refused(&text, "line 1");
	pario_text_release(&text);
}

/* Who asked for a line and got none has nothing to release. */
static void no_line_is_left_behind(void **state)
{
	const char path[] = "/proc/self/fd/%d";
	struct pario_journal_reader reader;
	struct pario_err err = { 0 };
	struct pario_text text = { 0 };
	json_t *line = NULL;
	char name[64];
	int fd = memfd_create("journal", MFD_CLOEXEC);

	(void)state;
	put_line(&text, "{\"kind\":\"begin\",\"schema\":\"pario/2\"");
	assert_int_equal(write(fd, text.data, text.length), (ssize_t)text.length);
	snprintf(name, sizeof(name), path, fd);
	assert_int_equal(pario_journal_open(&reader, name, &err), 0);
	assert_int_equal(pario_journal_next(&reader, &line, &err), -1);
	assert_null(line);
	json_decref(line);
	pario_journal_done(&reader);
	pario_text_release(&text);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_json_is_refused),
		cmocka_unit_test(no_line_is_left_behind),
		cmocka_unit_test(a_parse_error_has_its_offset),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(a_tree_that_would_fill_memory_is_refused),
		cmocka_unit_test(an_endless_line_is_refused),
		cmocka_unit_test(the_first_line_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
