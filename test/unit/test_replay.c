/*
 * test_replay: where files of a traced program lie in a replay's tree, when its calls were due, and for which others
 * they wait.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/replay/model/pass.h"
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

static void names_below_a_directory(void **state)
{
	char path[PARIO_PLACE_CAPACITY];

	(void)state;
	assert_true(pario_replay_place_below("/data/a", "/data/a/b/./c", path));
	assert_string_equal(path, "b/c");
	assert_true(pario_replay_place_below("/data/a", "/data/a/..b/c..", path));
	assert_string_equal(path, "..b/c..");
	assert_false(pario_replay_place_below("/data/a", "/data/ab/c", path));
	assert_false(pario_replay_place_below("/data/a", "/data/a", path));
	assert_false(pario_replay_place_below("/data/a", "/data/a/../b", path));
	assert_false(pario_replay_place_below("/data/a", "/data/a/b/..", path));
	assert_false(pario_replay_place_below("/data/a", "/data/a/../../../etc/passwd", path));
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

/* Calls of several threads that make one directory, in the order of their starts. */
struct maker {
	uint32_t thread;
	double start_ns, end_ns;
	int error;
};

enum { MAKERS = 4 };

static void arranged(const struct maker *makers, struct pario_replay_thread threads[MAKERS + 1])
{
	struct pario_replay_file files[2] = { { 0 } };
	struct pario_replay_scan scan = {
		.files = files, .threads = threads, .file_count = 1, .thread_count = MAKERS
	};
	struct pario_replay_pass pass = { .scan = &scan };

	memset(threads, 0, (MAKERS + 1) * sizeof(*threads));
	pass.resource_of.limit = pass.waited_of.limit = 100;
	for (int i = 0; i < MAKERS && makers[i].thread; i++) {
		const struct pario_trace_call call = { .thread = makers[i].thread,
						       .number = 7,
						       .op = PARIO_OP_mkdirat,
						       .class = PARIO_CLASS_NAME,
						       .file = 1,
						       .start_ns = makers[i].start_ns,
						       .end_ns = makers[i].end_ns,
						       .failed = makers[i].error != 0,
						       .result = makers[i].error };

		pario_replay_order_files(&pass, &call);
	}
	assert_false(pass.no_memory);
	pario_map_release(&pass.resource_of);
	pario_map_release(&pass.waited_of);
	free(pass.resources);
	free(pass.waited);
}

static void waits(struct pario_replay_thread *t, uint32_t thread)
{
	assert_int_equal(t->edge_count, thread != 0);
	if (thread) {
		assert_int_equal(t->edges[0].thread, thread);
		assert_int_equal(t->edges[0].at, 7);
		assert_int_equal(t->edges[0].number, 7);
	}
	free(t->edges);
}

/* Who was told that it exists comes after whoever made it, whichever of them began first. */
static void a_name_is_made_before_it_is_found(void **state)
{
	struct pario_replay_thread threads[MAKERS + 1];

	(void)state;
	arranged((const struct maker[MAKERS]){ { 1, 10, 30, EEXIST },
					       { 2, 12, 31, EEXIST },
					       { 3, 20, 40, 0 },
					       { 4, 25, 35, EEXIST } },
		 threads);
	waits(&threads[1], 3);
	waits(&threads[2], 3);
	waits(&threads[3], 0);
	waits(&threads[4], 3);
	/* one that was over when the other began found something else; other failures tell nothing */
	arranged((const struct maker[MAKERS]){ { 1, 10, 19, EEXIST }, { 3, 20, 40, 0 } }, threads);
	waits(&threads[1], 0);
	waits(&threads[3], 1);
	arranged((const struct maker[MAKERS]){ { 1, 10, 30, ENOSPC }, { 3, 20, 40, 0 } }, threads);
	waits(&threads[1], 0);
	waits(&threads[3], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_below_the_tree),
		cmocka_unit_test(names_without_a_place),
		cmocka_unit_test(names_below_a_directory),
		cmocka_unit_test(links_point_into_the_tree),
		cmocka_unit_test(parents),
		cmocka_unit_test(moments_leave_out_the_start_and_end_of_mpi),
		cmocka_unit_test(a_name_is_made_before_it_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
