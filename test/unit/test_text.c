/*
 * test_text: growing strings, UTF-8, cleaning for terminals, and the nearest name.
 */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void grows(void **state)
{
	struct pario_text text = { 0 };

	(void)state;
	assert_string_equal(pario_text_string(&text), "");
	for (int i = 0; i < 10000; i++)
		pario_text_add(&text, "%d,", i % 10);
	assert_int_equal(text.length, 20000);
	assert_int_equal(strlen(text.data), 20000);
	assert_memory_equal(text.data + 19994, "7,8,9,", 6);
	pario_text_clear(&text);
	assert_string_equal(pario_text_string(&text), "");
	pario_text_bytes(&text, "a\0b", 3);
	assert_int_equal(text.length, 3);
	assert_memory_equal(text.data, "a\0b", 4);
	assert_false(text.failed);
	pario_text_release(&text);
	assert_null(text.data);
}

static void exact_capacity(void **state)
{
	(void)state;
	/* every length around the powers of two where the room runs out */
	for (size_t length = 0; length < 300; length++) {
		struct pario_text text = { 0 };

		for (size_t i = 0; i < length; i++)
			pario_text_bytes(&text, "x", 1);
		pario_text_add(&text, "%s", "end");
		assert_int_equal(text.length, length + 3);
		assert_string_equal(text.data + length, "end");
		pario_text_release(&text);
	}
}

static void failure_is_remembered(void **state)
{
	struct pario_text text = { 0 };

	(void)state;
	pario_text_add(&text, "kept");
	pario_text_bytes(&text, "", SIZE_MAX - 2);
	assert_true(text.failed);
	pario_text_add(&text, "lost");
	assert_string_equal(pario_text_string(&text), "kept");
	pario_text_clear(&text);
	assert_false(text.failed);
	pario_text_release(&text);
}

static void utf8_lengths(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
	} cases[] = {
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\xc2\x80", 2 },
		{ "\xdf\xbf", 2 },
		{ "\xe0\xa0\x80", 3 },
		{ "\xed\x9f\xbf", 3 },
		{ "\xef\xbf\xbf", 3 },
		{ "\xf0\x90\x80\x80", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		{ "\x80", 0 },
		{ "\xbf", 0 },
		{ "\xc0\x80", 0 },
		{ "\xc1\xbf", 0 },
		{ "\xc2", 0 },
		{ "\xc2\x41", 0 },
		{ "\xe0\x9f\xbf", 0 },
		{ "\xe2\x82", 0 },
		{ "\xed\xa0\x80", 0 },
		{ "\xed\xbf\xbf", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xff", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(pario_text_utf8(cases[i].bytes, strlen(cases[i].bytes)),
				 cases[i].length);
	assert_int_equal(pario_text_utf8("\xe2\x82\xac", 2), 0);
	assert_int_equal(pario_text_utf8("a", 0), 0);
}

static void cleaned(const char *in, const char *out)
{
	struct pario_text text = { 0 };

	pario_text_clean(&text, in);
	assert_string_equal(pario_text_string(&text), out);
	pario_text_release(&text);
}

static void cleaning(void **state)
{
	(void)state;
	cleaned("", "");
	cleaned("plain / \xe2\x82\xac", "plain / \xe2\x82\xac");
	cleaned("\x1b]0;title\x07", "\\x1b]0;title\\x07");
	cleaned("a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f");
	cleaned("\xff\xc2", "\\xff\\xc2");
	cleaned("\xc2\x9b\x33", "\\xc2\\x9b3");
	cleaned("\xe2\x80\xae", "\\xe2\\x80\\xae");
	cleaned("\xe2\x80\xa6", "\xe2\x80\xa6");
}

static const char *const names[] = { "transfer_size", "block_size", "clients", "dir",
				     "repetitions",   "seed",	    "pattern", "keep_files" };

static void nearest(const char *word, const char *expected)
{
	const char *found = pario_text_nearest(word, names, COUNT_OF(names));

	if (expected) {
		assert_non_null(found);
		assert_string_equal(found, expected);
	} else {
		assert_null(found);
	}
}

static void nearest_names(void **state)
{
	char word[200];

	(void)state;
	nearest("transfer_sise", "transfer_size");
	nearest("transfer-size", "transfer_size");
	nearest("transfersize", "transfer_size");
	nearest("rtansfer_size", "transfer_size");
	nearest("blocksize", "block_size");
	nearest("client", "clients");
	nearest("dri", "dir");
	nearest("sede", "seed");
	nearest("repet", "repetitions");
	nearest("keep", "keep_files");
	nearest("zzz", NULL);
	nearest("", NULL);
	nearest("x", NULL);
	nearest("completely_different", NULL);
	memset(word, 'a', sizeof(word) - 1);
	for (size_t length = 0; length < sizeof(word); length++) {
		word[length] = '\0';
		nearest(word, NULL);
		word[length] = 'a';
	}
	assert_null(pario_text_nearest("dir", NULL, 0));
}

static void same_names(void **state)
{
	(void)state;
	assert_true(pario_text_same_name("a_b-c", "a-b_c"));
	assert_true(pario_text_same_name("", ""));
	assert_false(pario_text_same_name("transfer", "transfer_size"));
	assert_false(pario_text_same_name("transfer_size", "transfer"));
	assert_false(pario_text_same_name("Dir", "dir"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(exact_capacity),
		cmocka_unit_test(failure_is_remembered),
		cmocka_unit_test(utf8_lengths),
		cmocka_unit_test(cleaning),
		cmocka_unit_test(nearest_names),
		cmocka_unit_test(same_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
