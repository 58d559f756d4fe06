/*
 * test_replay: where files of a traced program lie in a replay's tree, and when its calls were due.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/replay/model/place.h"
#include "tests/replay/model/scan.h"

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

/* A replay has its own MPI_Init and MPI_Finalize: neither is part of the time, nor what MPI does within them. */
static void moments_leave_out_the_start_and_end_of_mpi(void **state)
{
	struct pario_replay_client client = { .first_ns = 100,
					      .init_ns = 150,
					      .ready_ns = 1150,
					      .leave_ns = 1450,
					      .left_ns = 3450,
					      .any = true,
					      .init = true,
					      .final = true };
	const struct pario_replay_scan scan = { .clients = &client, .ranks = 1, .before_ns = 50 };

	(void)state;
	assert_true(pario_replay_when(&scan, 0, 120) == 20);
	assert_true(pario_replay_when(&scan, 0, 1150) == 50);
	assert_true(pario_replay_when(&scan, 0, 1450) == 350);
	assert_true(pario_replay_when(&scan, 0, 2000) == 350);
	assert_true(pario_replay_when(&scan, 0, 3450) == 350);
	assert_true(pario_replay_when(&scan, 0, 3460) == 360);
	client.final = false;
	assert_true(pario_replay_when(&scan, 0, 3460) == 2360);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_below_the_tree),
		cmocka_unit_test(names_without_a_place),
		cmocka_unit_test(links_point_into_the_tree),
		cmocka_unit_test(parents),
		cmocka_unit_test(moments_leave_out_the_start_and_end_of_mpi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
