/*
 * test_err: errors are whole sentences, with the reason in them however long the rest is.
 */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "unit.h"

static void set_fills_and_returns(void **state)
{
	struct pario_err err = { .sys = EIO };

	(void)state;
	assert_int_equal(pario_err_set(&err, PARIO_USAGE, "wrong %s %d", "thing", 7), -1);
	assert_int_equal(err.code, PARIO_USAGE);
	assert_int_equal(err.sys, 0);
	assert_string_equal(err.text, "wrong thing 7");
	assert_int_equal(pario_err_set(NULL, PARIO_USAGE, "%s", "nobody listens"), -1);
	assert_int_equal(pario_err_sys(NULL, EIO, NULL, "%s", "nobody listens"), -1);
	pario_err_clear(&err);
	assert_int_equal(err.code, PARIO_OK);
	assert_string_equal(err.text, "");
	pario_err_clear(NULL);
}

static void own_text_can_be_wrapped(void **state)
{
	struct pario_err err;

	(void)state;
	pario_err_set(&err, PARIO_USAGE, "inner");
	pario_err_set(&err, err.code, "%s:%d: %s", "file", 3, err.text);
	assert_string_equal(err.text, "file:3: inner");
}

static void a_sentence_is_added_whole(void **state)
{
	struct pario_err err;
	char path[2 * PARIO_ERR_CAPACITY];

	(void)state;
	pario_err_set(&err, PARIO_SYSTEM, "one.");
	pario_err_add(&err, " %s.", "two");
	assert_string_equal(err.text, "one. two.");
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	pario_err_set(&err, PARIO_SYSTEM, "%s", path);
	pario_err_add(&err, " two.");
	assert_string_equal(err.text + strlen(err.text) - 5, " two.");
	pario_err_add(NULL, "nobody listens");
}

static void sys_names_the_reason(void **state)
{
	struct pario_err err;

	(void)state;
	assert_int_equal(pario_err_sys(&err, ENOSPC, "Buy a disk.", "write to %s failed", "/x"),
			 -1);
	assert_int_equal(err.code, PARIO_SYSTEM);
	assert_int_equal(err.sys, ENOSPC);
	assert_string_equal(err.text,
			    "write to /x failed: no space left on device (ENOSPC). Buy a disk.");
	pario_err_sys(&err, EIO, "", "read failed");
	assert_string_equal(err.text, "read failed: input/output error (EIO).");
	pario_err_sys(&err, EDQUOT, NULL, "write failed");
	assert_non_null(strstr(err.text, "(EDQUOT). "));
	assert_non_null(strstr(err.text, pario_err_hint(EDQUOT)));
	pario_err_sys(&err, 54321, NULL, "call failed");
	assert_string_equal(err.text, "call failed: unknown error 54321.");
}

static void long_heads_are_cut_not_the_reason(void **state)
{
	struct pario_err err;
	char path[4000];

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	pario_err_sys(&err, ENAMETOOLONG, NULL, "open %s", path);
	/* not strlen(), which a compiler may take to be below the size */
	assert_non_null(memchr(err.text, '\0', sizeof(err.text)));
	assert_non_null(strstr(err.text, "pp...: "));
	assert_non_null(strstr(err.text, "(ENAMETOOLONG)"));
	assert_non_null(strstr(err.text, pario_err_hint(ENAMETOOLONG)));
	pario_err_sys(&err, EIO, path, "open");
	assert_non_null(strstr(err.text, "open: input/output error (EIO). ppp"));
}

static void cutting_keeps_characters_whole(void **state)
{
	struct pario_err err;
	char path[4000];

	(void)state;
	for (size_t shift = 0; shift < 4; shift++) {
		size_t at = shift;

		memset(path, 'x', shift);
		for (; at + 3 < sizeof(path); at += 3)
			memcpy(path + at, "\xe2\x82\xac", 3);
		path[at] = '\0';
		pario_err_set(&err, PARIO_USAGE, "%s", path);
		for (const char *c = err.text; *c;) {
			size_t length = pario_text_utf8(c, strlen(c));

			assert_int_not_equal(length, 0);
			c += length;
		}
		assert_string_equal(err.text + strlen(err.text) - 3, "...");
	}
}

static void names_and_hints(void **state)
{
	static const int hinted[] = { ENOSPC, EDQUOT, EACCES, EROFS,	   EMFILE, ENFILE,
				      EFBIG,  ELOOP,  ENOENT, ENOTDIR,	   EINVAL, EIO,
				      ESTALE, ENOMEM, EEXIST, ENAMETOOLONG };

	(void)state;
	assert_string_equal(pario_err_name(ENOSPC), "ENOSPC");
	assert_string_equal(pario_err_name(EAGAIN), "EAGAIN");
	assert_string_equal(pario_err_name(0), "unknown error");
	assert_string_equal(pario_err_name(-5), "unknown error");
	assert_string_equal(pario_err_name(99999), "unknown error");
	assert_string_equal(pario_err_hint(99999), "");
	for (size_t i = 0; i < COUNT_OF(hinted); i++) {
		const char *hint = pario_err_hint(hinted[i]);

		assert_true(strlen(hint) > 10);
		assert_int_equal(hint[strlen(hint) - 1], '.');
	}
}

#ifdef __GLIBC__
static void names_agree_with_the_system(void **state)
{
	unsigned known = 0;

	(void)state;
	for (int sys = 1; sys < 200; sys++) {
		const char *name = pario_err_name(sys);

		if (!strcmp(name, "unknown error"))
			continue;
		known++;
		assert_string_equal(name, strerrorname_np(sys));
	}
	assert_true(known >= 80);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_fills_and_returns),
		cmocka_unit_test(own_text_can_be_wrapped),
		cmocka_unit_test(a_sentence_is_added_whole),
		cmocka_unit_test(sys_names_the_reason),
		cmocka_unit_test(long_heads_are_cut_not_the_reason),
		cmocka_unit_test(cutting_keeps_characters_whole),
		cmocka_unit_test(names_and_hints),
#ifdef __GLIBC__
		cmocka_unit_test(names_agree_with_the_system),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
