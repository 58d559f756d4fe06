/*
 * test_replay: where files of a traced program lie in a replay's tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/replay/model/place.h"

static void placed(const char *name, const char *expected)
{
	char path[PARIO_PLACE_CAPACITY];

	assert_true(pario_replay_place(name, path));
	assert_string_equal(path, expected);
}

static void names_stay_below_the_tree(void **state)
{
	(void)state;
	placed("/data/a/x", "data/a/x");
	placed("/data/a/../b//c/./d", "data/b/c/d");
	placed("/../../../etc/passwd", "etc/passwd");
	placed("a/../../../../x", "x");
	placed("/", ".");
	placed("/..", ".");
	placed("/tmp/x (deleted)", "tmp/x");
	placed("/tmp/...", "tmp/...");
}

static void names_without_a_place(void **state)
{
	static char name[2 * PARIO_PLACE_CAPACITY];
	char path[PARIO_PLACE_CAPACITY];

	(void)state;
	assert_false(pario_replay_place("", path));
	memset(name, 'x', 300); /* longer than a component may be */
	assert_false(pario_replay_place(name, path));
	memset(name, 0, sizeof(name));
	for (size_t i = 0; i + 2 < sizeof(name); i += 2)
		memcpy(name + i, "/y", 2);
	assert_false(pario_replay_place(name, path));
}

static void linked(const char *link, const char *text, const char *expected)
{
	char path[PARIO_PLACE_CAPACITY];

	assert_true(pario_replay_link_place(link, text, path));
	assert_string_equal(path, expected);
}

static void links_point_into_the_tree(void **state)
{
	(void)state;
	linked("/a/b/link", "c", "a/b/c");
	linked("/a/b/link", "../c", "a/c");
	linked("/a/b/link", "../../../../../etc", "etc");
	linked("/a/b/link", "/etc/../root", "root");
	linked("/link", ".", ".");
}

static void parents(void **state)
{
	char parent[PARIO_PLACE_CAPACITY];

	(void)state;
	assert_true(pario_replay_parent("a/b/c", parent));
	assert_string_equal(parent, "a/b");
	assert_true(pario_replay_parent("a", parent));
	assert_string_equal(parent, ".");
	assert_false(pario_replay_parent(".", parent));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_below_the_tree),
		cmocka_unit_test(names_without_a_place),
		cmocka_unit_test(links_point_into_the_tree),
		cmocka_unit_test(parents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
