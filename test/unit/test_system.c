/*
 * test_system: what is written is read back, and what is no SYSTEM gets a sentence.
 */
#include "predict/system/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../temporary.h"
#include "unit.h"

static char path[TEMPORARY_CAPACITY];

static int fresh_file(void **state)
{
	int fd;

	(void)state;
	fd = mkstemp(temporary(path, "system"));
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void put(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void refused(const char *text, const char *phrase)
{
	struct pario_system s;
	struct pario_err err = { 0 };

	put(text);
	assert_int_equal(pario_system_load(&s, path, &err), -1);
	if (!strstr(err.text, phrase))
		fail_msg("\"%s\" does not hold \"%s\"", err.text, phrase);
}

static void fill(struct pario_system *s)
{
	struct pario_system_surface *surface;

	pario_system_init(s);
	snprintf(s->name, sizeof(s->name), "a \"quoted\" name, with \\ and { in it");
	s->machine = json_pack("{s:s}", "host", "n17");
	s->cache_bytes = 3e9;
	s->noise_floor_rsd = 2.5;
	for (unsigned i = 0; i < 5; i++) {
		surface = pario_system_add_surface(s);
		*pario_system_add_point(surface) =
			(struct pario_system_point){ 4096, 1e-5 * (i + 1), 9e-6, 1.2e-4, 5 };
		*pario_system_add_point(surface) =
			(struct pario_system_point){ 65536, 3e-5, 2e-5, 4e-5, 5 };
		*pario_system_add_piece(surface) =
			(struct pario_system_piece){ 4096, 65536, 8.7e-6, 3.1e-10 };
		surface->op = PARIO_SYSTEM_WRITE;
		surface->locality = PARIO_SYSTEM_STRIDED;
		surface->distance_bytes = 1 << 20;
		surface->path = PARIO_SYSTEM_THROTTLED;
		surface->clients = i + 1;
		surface->shared = i & 1;
	}
	*pario_system_add_device(s, false) = (struct pario_system_device){ 1, 5e8, 9000 };
	*pario_system_add_device(s, false) = (struct pario_system_device){ 2, 7e8, 12000 };
	*pario_system_add_barrier(s) = (struct pario_system_barrier){ 4, 2e-6 };
	assert_int_equal(pario_system_add_gap(s, "direct reads", "tmpfs has no O_DIRECT."), 0);
}

static void survives_the_file(void **state)
{
	struct pario_system in, out;
	struct pario_err err = { 0 };

	(void)state;
	fill(&in);
	if (pario_system_save(&in, path, true, &err) < 0 || pario_system_load(&out, path, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(out.name, in.name);
	assert_string_equal(json_string_value(json_object_get(out.machine, "host")), "n17");
	assert_true(out.cache_bytes == 3e9 && isnan(out.dirty_limit_bytes));
	assert_int_equal(out.surface_count, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct pario_system_surface *a = &in.surfaces[i], *b = &out.surfaces[i];

		assert_true(a->op == b->op && a->locality == b->locality && a->path == b->path &&
			    a->distance_bytes == b->distance_bytes && a->clients == b->clients &&
			    a->shared == b->shared && isnan(b->residual_rsd));
		assert_memory_equal(a->points, b->points, 2 * sizeof(*a->points));
		assert_memory_equal(a->pieces, b->pieces, sizeof(*a->pieces));
	}
	assert_int_equal(out.read_count, 2);
	assert_int_equal(out.write_count, 0);
	assert_true(out.read[1].clients == 2 && out.read[1].operations_per_second == 12000);
	assert_true(out.barrier_count == 1 && out.barriers[0].seconds == 2e-6);
	assert_string_equal(out.coverage[0].why, "tmpfs has no O_DIRECT.");
	pario_system_release(&in);
	pario_system_release(&out);
}

static void is_a_line_per_surface(void **state)
{
	struct pario_system s;
	struct pario_err err = { 0 };
	char line[4096];
	unsigned surfaces = 0;
	FILE *file;

	(void)state;
	fill(&s);
	assert_int_equal(pario_system_save(&s, path, true, &err), 0);
	file = fopen(path, "r");
	while (fgets(line, sizeof(line), file))
		surfaces += strncmp(line, "  {\"op\":", 8) == 0;
	fclose(file);
	assert_int_equal(surfaces, 5);
	pario_system_release(&s);
}

static void replaces_only_its_own(void **state)
{
	struct pario_system s;
	struct pario_err err = { 0 };

	(void)state;
	pario_system_init(&s);
	put("somebody's notes\n");
	assert_int_equal(pario_system_save(&s, path, false, &err), -1);
	assert_int_equal(pario_system_save(&s, path, true, &err), 0);
	assert_int_equal(pario_system_save(&s, path, false, &err), 0);
}

static void others_are_refused(void **state)
{
	(void)state;
	refused("", "is not JSON");
	refused("{\"kind\":\"begin\"}", "has no schema pario-system/1");
	refused("{\"schema\":\"pario-system/2\"}", "has the schema pario-system/2");
	refused("{\"schema\":\"pario-system/1\"}", "\"surfaces\" is missing or empty");
	refused("{\"schema\":\"pario-system/1\",\"surfaces\":3}", "\"surfaces\" is no list");
	refused("{\"schema\":\"pario-system/1\",\"surfaces\":[{\"op\":\"juggle\"}]}",
		"\"op\" is not one of the words");
	refused("{\"schema\":\"pario-system/1\",\"memory\":{\"cache_bytes\":-1}}", "below zero");
	refused("{\"schema\":\"pario-system/1\",\"memory\":{\"cache_bytes\":\"much\"}}",
		"no number");
	refused("{\"schema\":\"pario-system/1\",\"device\":{\"read\":[{\"clients\":0}]}}",
		"missing or zero");
	refused("{\"schema\":\"pario-system/1\",\"device\":{\"read\":[{\"clients\":2},{\"clients\":1}]}}",
		"does not grow");
	refused("{\"schema\":\"pario-system/1\",\"surfaces\":[{\"op\":\"read\",\"locality\":\"random\","
		"\"path\":\"hit\",\"clients\":1}]}",
		"without pieces and points");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(survives_the_file, fresh_file, remove_file),
		cmocka_unit_test_setup_teardown(is_a_line_per_surface, fresh_file, remove_file),
		cmocka_unit_test_setup_teardown(replaces_only_its_own, fresh_file, remove_file),
		cmocka_unit_test_setup_teardown(others_are_refused, fresh_file, remove_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
