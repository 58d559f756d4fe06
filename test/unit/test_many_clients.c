/*
 * test_many_clients: nothing that is counted, placed or written for 100,000 clients wraps or is cut off.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "journal/result.h"
#include "trace/ranks.h"
#include "tests/beff/model/order.h"
#include "tests/beff/model/pattern.h"
#include "tests/beff/model/placement.h"
#include "tests/beff_io/model/pattern.h"
#include "tests/madbench2/model/shape.h"
#include "unit.h"

enum { MANY = 100000, PER_NODE = 128, RANDOMS = 2 };

/* Whoever is sent to expects it: every link has two ends. */
static void each_message_has_a_receiver(const struct pario_beff_pattern *p)
{
	static unsigned sent[MANY], expected[MANY];
	struct pario_beff_links links;
	uint64_t messages = 0;

	memset(sent, 0, sizeof(sent));
	memset(expected, 0, sizeof(expected));
	for (unsigned i = 0; i < MANY; i++) {
		pario_beff_links(p, i, &links);
		assert_true(isfinite(links.weight) && links.weight >= 0);
		for (unsigned k = 0; k < links.pairs; k++) {
			assert_in_range(links.dest[k] + 1, 0, MANY);
			assert_in_range(links.src[k] + 1, 0, MANY);
			if (links.dest[k] >= 0) {
				sent[links.dest[k]]++;
				messages++;
			}
			expected[i] += links.src[k] >= 0;
		}
	}
	assert_memory_equal(sent, expected, sizeof(sent));
	assert_true(messages > 0 && messages <= 6ULL * MANY);
}

static void patterns_of_b_eff(void **state)
{
	struct pario_beff_pattern list[6 + RANDOMS + PARIO_BEFF_EXTRAS];
	size_t count = pario_beff_patterns(MANY, RANDOMS, PARIO_BEFF_PAPER, list);

	(void)state;
	assert_in_range(count, 7, COUNT_OF(list));
	for (size_t i = 0; i < count; i++) {
		assert_in_range(list[i].used, 2, MANY);
		each_message_has_a_receiver(&list[i]);
	}
}

static void a_random_order_has_everybody_once(void **state)
{
	static unsigned order[MANY];
	static bool seen[MANY];
	struct pario_beff_draw draw;

	(void)state;
	pario_beff_draw_seed(&draw, 1);
	pario_beff_order_random(&draw, MANY, order);
	for (unsigned i = 0; i < MANY; i++) {
		assert_in_range(order[i], 0, MANY - 1);
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
	}
}

static void placement_is_one_line(void **state)
{
	static uint64_t node[MANY];
	struct pario_text out = { 0 };

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		node[i] = i / PER_NODE;
	pario_beff_placement(node, MANY, &out);
	assert_string_equal(pario_text_string(&out), "100000 processes on 782 nodes, sequential");
	pario_text_release(&out);
}

static void data_of_b_eff_io(void **state)
{
	double buffer[512], reference[512];
	struct pario_beff_io_data data = { .elements = reference,
					   .call = sizeof(buffer),
					   .chunk = sizeof(buffer),
					   .pattern = 0,
					   .client = MANY - 1 };
	struct pario_beff_io_mismatch first = { 0 };
	uint64_t calls = UINT64_C(1) << 40;

	(void)state;
	pario_beff_io_base(&data);
	memcpy(buffer, reference, sizeof(buffer));
	data.elements = buffer;
	data.reference = reference;
	pario_beff_io_stamp(&data, calls, PARIO_BEFF_IO_WRITE);
	assert_int_equal(pario_beff_io_check(&data, calls, PARIO_BEFF_IO_WRITE, &first), 0);
	/* another client's data are not taken for this one's */
	data.client--;
	pario_beff_io_base(&data);
	pario_beff_io_stamp(&data, calls, PARIO_BEFF_IO_WRITE);
	data.client++;
	assert_true(pario_beff_io_check(&data, calls, PARIO_BEFF_IO_WRITE, &first) > 0);
}

/* 316 × 316 clients, the largest square below, with a matrix of 10^12 elements. */
static void the_grid_of_madbench2_is_whole(void **state)
{
	struct pario_mad_shape shape = { .no_pix = 1000000,
					 .no_bin = 8,
					 .no_gang = 1,
					 .sblocksize = 64,
					 .fblocksize = 1 << 20,
					 .r_mod = 1,
					 .w_mod = 1,
					 .clients = 99856 };
	struct pario_err err = { 0 };
	uint64_t elements = 0;

	(void)state;
	assert_int_equal(pario_mad_shape_check(&shape, &err), 0);
	assert_int_equal(pario_mad_side(shape.clients), 316);
	for (uint64_t rank = 0; rank < shape.clients; rank++)
		elements += pario_mad_part(&shape, shape.clients, rank).elements;
	assert_true(elements == UINT64_C(1000000000000));
	assert_true(pario_mad_file_bytes(&shape) > 8 * elements / shape.clients);
}

static void ranks_of_a_trace(void **state)
{
	struct pario_ranks ranks = { 0 };
	struct pario_text text = { 0 };

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		if (i != 7 && i < MANY - 2)
			pario_ranks_add(&ranks, i, MANY);
	}
	assert_int_equal(pario_ranks_count(&ranks), MANY - 3);
	assert_false(pario_ranks_complete(&ranks));
	pario_ranks_missing(&ranks, &text);
	assert_non_null(strstr(pario_text_string(&text), "7"));
	assert_non_null(strstr(pario_text_string(&text), "99998"));
	pario_text_release(&text);
	pario_ranks_release(&ranks);
}

/* What every client did, added up, and the line that the journal gets: as long as that of a hundred clients. */
static void a_result_and_its_detail(void **state)
{
	static struct pario_detail_part all, one;
	static struct pario_detail detail = { .bytes = true };
	struct pario_result result, back;
	struct pario_json json = { 0 };
	struct pario_err err = { 0 };
	json_t *line;

	(void)state;
	for (uint64_t i = 0; i < MANY; i++) {
		struct pario_detail_client client = { .client = i,
						      .node = i / PER_NODE,
						      .bytes = 1e15,
						      .ops = 1e9,
						      .seconds = i == 77777 ? 200 : 100 };

		pario_detail_part_of(i ? &one : &all, &client, true);
		if (i)
			pario_detail_part_add(&all, &one);
	}
	pario_detail_take(&detail, &all);
	assert_int_equal(detail.clients, MANY);
	assert_int_equal(detail.row[0].client, 77777);
	assert_true(detail.host[0].clients == PER_NODE && detail.host[0].bytes == 1e15 * PER_NODE);
	assert_int_equal(all.fastest[0].client, MANY - 1);
	pario_result_init(&result);
	result.clients = MANY;
	result.bytes = UINT64_C(100000) << 40; /* 1 TiB each */
	result.ops = UINT64_C(100000) << 28;
	result.latency_ns.count = result.ops;
	result.detail = &detail;
	pario_json_open(&json, NULL, '{');
	pario_result_write(&json, &result);
	pario_json_close(&json, '}');
	assert_true(json.text.length < 32768);
	line = json_loads(pario_text_string(&json.text), 0, NULL);
	assert_non_null(line);
	assert_int_equal(pario_result_read(line, &back, &err), 0);
	assert_true(back.clients == MANY && back.bytes == result.bytes && back.ops == result.ops);
	json_decref(line);
	pario_json_release(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_of_b_eff),
		cmocka_unit_test(a_random_order_has_everybody_once),
		cmocka_unit_test(placement_is_one_line),
		cmocka_unit_test(data_of_b_eff_io),
		cmocka_unit_test(the_grid_of_madbench2_is_whole),
		cmocka_unit_test(ranks_of_a_trace),
		cmocka_unit_test(a_result_and_its_detail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
