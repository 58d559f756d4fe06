/*
 * test_trace: durations in 32 bits, columns there and back, the map, size classes, and names of operations.
 */
#include "profile/analyse/profile.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void durations(void **state)
{
	(void)state;
	for (uint64_t exact = 0; exact < 1u << 27; exact = exact * 3 + 1)
		assert_int_equal(pario_trace_ticks(pario_trace_pack_ticks(exact)), exact);
	for (uint64_t ticks = 1; ticks < 1ull << 57; ticks = ticks * 5 / 2 + 1) {
		uint64_t back = pario_trace_ticks(pario_trace_pack_ticks(ticks));

		assert_true(back <= ticks);
		assert_true(ticks - back <= ticks >> 26);
	}
	/* what does not fit is the longest that does, never a short one */
	assert_true(pario_trace_ticks(pario_trace_pack_ticks(UINT64_MAX)) >= 1ull << 57);
}

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

static void fill(struct pario_trace_record *r, uint32_t i, bool wild)
{
	*r = (struct pario_trace_record){
		.t0 = 1000000 + 100ull * i,
		.site = 0x400000 + i % 7,
		.offset = i % 11 ? 4096ull * i : PARIO_TRACE_NOWHERE,
		.size = 4096,
		.duration = pario_trace_pack_ticks(50 + i % 13),
		.file = i % 3,
		.result = 4096,
		.fd = 3 + (int32_t)(i % 5),
		.op = (uint16_t)(PARIO_TRACE_FIRST + i % 20),
		.flags = PARIO_TRACE_WHOLE,
	};
	if (!wild)
		return;
	r->t0 = next_random();
	r->site = next_random();
	r->offset = next_random();
	r->size = next_random();
	r->duration = (uint32_t)next_random();
	r->file = (uint32_t)next_random();
	r->result = (int32_t)next_random();
	r->fd = (int32_t)next_random();
	r->arg = (uint32_t)next_random();
	r->more = next_random();
	r->layer = (uint8_t)(next_random() % PARIO_TRACE_LAYERS);
	r->flags = (uint8_t)next_random();
}

static void there_and_back(bool wild, uint32_t count, size_t most_bytes)
{
	struct pario_columns *columns = pario_columns_new();
	struct pario_trace_record *in = calloc(count + 1, sizeof(*in)),
				  *out = calloc(count + 1, sizeof(*out));
	const uint8_t *bytes;
	size_t length;

	for (uint32_t i = 0; i < count; i++) {
		fill(&in[i], i, wild);
		pario_columns_add(columns, &in[i]);
	}
	bytes = pario_columns_bytes(columns, &length);
	assert_true(length <= most_bytes);
	assert_true(pario_columns_read(bytes, length, count, PARIO_PACK_VERSION, out));
	assert_memory_equal(in, out, count * sizeof(*in));
	/* cut anywhere, it is refused or gives no more than was asked for */
	for (size_t cut = 0; cut < length; cut += length / 97 + 1)
		assert_false(pario_columns_read(bytes, cut, count, PARIO_PACK_VERSION, out));
	pario_columns_free(columns);
	free(in);
	free(out);
}

static void columns(void **state)
{
	(void)state;
	there_and_back(false, 1, 100);
	there_and_back(false, PARIO_PACK_CALLS, 16 * PARIO_PACK_CALLS);
	there_and_back(true, PARIO_PACK_CALLS, PARIO_PACK_PLAIN_MAX);
}

static void maps(void **state)
{
	struct pario_map map = { .limit = 1000 };
	bool is_new;

	(void)state;
	assert_int_equal(pario_map_find(&map, (struct pario_map_key){ 1, 2, 3 }), 0);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(
			pario_map_add(&map, (struct pario_map_key){ i, i * i, 1 }, &is_new), i + 1);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(
			pario_map_add(&map, (struct pario_map_key){ i, i * i, 1 }, &is_new), i + 1);
		assert_false(is_new);
	}
	assert_int_equal(pario_map_add(&map, (struct pario_map_key){ 5000, 0, 0 }, &is_new), 0);
	assert_false(is_new);
	pario_map_release(&map);
}

static void classes(void **state)
{
	(void)state;
	assert_int_equal(pario_profile_size_class(0), 0);
	assert_int_equal(pario_profile_size_class(1), 1);
	assert_int_equal(pario_profile_size_class(256), 1);
	assert_int_equal(pario_profile_size_class(257), 2);
	assert_int_equal(pario_profile_size_class(4096), 2);
	assert_int_equal(pario_profile_size_class(1 << 20), 4);
	assert_int_equal(pario_profile_size_class(UINT64_MAX), PARIO_PROFILE_SIZES - 1);
	assert_string_equal(pario_trace_operation(PARIO_OP_pread)->name, "pread");
	assert_int_equal(pario_trace_operation(PARIO_OP_MPI_File_write_all)->layer,
			 PARIO_TRACE_MPIIO);
	assert_int_equal(pario_trace_operation(PARIO_OP_fsync)->class, PARIO_CLASS_SYNC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),
		cmocka_unit_test(columns),
		cmocka_unit_test(maps),
		cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
