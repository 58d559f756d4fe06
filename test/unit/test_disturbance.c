/*
 * test_disturbance: the node that others used most comes first, what is not known is null, and the words name a share
 * only where there is one.
 */
#include "journal/disturbance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text/disturbed.h"
#include "unit.h"

static struct pario_disturbances node(const char *host, double others)
{
	struct pario_disturbances d = { .count = 1 };

	snprintf(d.node[0].host, sizeof(d.node[0].host), "%s", host);
	d.node[0].others = others;
	d.node[0].steal = d.node[0].throttled = d.node[0].memory = NAN;
	d.node[0].switches = 7;
	d.node[0].running = 3;
	return d;
}

static void the_node_that_others_used_most_is_first(void **state)
{
	struct pario_disturbances all = node("n0", NAN), other = node("n1", 0.1);

	(void)state;
	pario_disturbances_add(&all, &other);
	other = node("n2", 0.4);
	pario_disturbances_add(&all, &other);
	assert_int_equal(all.count, 3);
	assert_string_equal(all.node[0].host, "n2");
	assert_string_equal(all.node[1].host, "n1");
	assert_string_equal(all.node[2].host, "n0");
	for (unsigned i = 0; i < 2 * PARIO_DISTURBANCE_NODES; i++) {
		other = node("many", 0.2);
		pario_disturbances_add(&all, &other);
	}
	assert_int_equal(all.count, PARIO_DISTURBANCE_NODES);
	assert_string_equal(all.node[0].host, "n2");
}

static void what_is_written_is_read(void **state)
{
	struct pario_disturbances all = node("n0", 0.12345), other = node("n1", 0.01);
	struct pario_json json = { 0 };
	struct pario_disturbance first;
	json_t *line, *columns, *rows;

	(void)state;
	pario_disturbances_add(&all, &other);
	pario_json_open(&json, NULL, '{');
	pario_disturbances_write(&json, &all);
	pario_json_close(&json, '}');
	line = json_loads(pario_text_string(&json.text), 0, NULL);
	assert_non_null(line);
	pario_disturbance_read(line, &first);
	assert_string_equal(first.host, "n0");
	assert_true(first.others == 0.1235 && isnan(first.steal) && isnan(first.memory));
	assert_true(first.switches == 7 && first.running == 3);
	columns = json_object_get(json_object_get(json_object_get(line, "disturbance"), "nodes"),
				  "columns");
	rows = json_object_get(json_object_get(json_object_get(line, "disturbance"), "nodes"),
			       "rows");
	assert_int_equal(json_array_size(rows), 2);
	assert_int_equal(json_array_size(columns), json_array_size(json_array_get(rows, 0)));
	json_decref(line);
	pario_json_release(&json);
	line = json_object();
	pario_disturbance_read(line, &first);
	assert_true(!first.host[0] && isnan(first.others));
	json_decref(line);
}

static void words_are_for_what_was_seen(void **state)
{
	static struct pario_result results[2];
	struct pario_text out = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		pario_result_init(&results[i]);
		results[i].disturbance = node("n0", i ? 0.2 : 0.04).node[0];
	}
	pario_disturbed_add(&out, results, 2, true);
	assert_string_equal(pario_text_string(&out),
			    "others used the processors of this node for 12 % of the time: that "
			    "may be why the interval is wide");
	pario_text_clear(&out);
	pario_disturbed_add(&out, results, 1, true); /* 4 % are not worth a word */
	assert_int_equal(out.length, 0);
	for (size_t i = 0; i < 2; i++)
		pario_result_metric(&results[i], "nodes_used", "nodes", 2);
	results[1].disturbance.waited = 0.5;
	pario_disturbed_add(&out, results, 2, false);
	assert_string_equal(pario_text_string(&out),
			    "others used the processors of node n0 for 12 % of the time, and "
			    "clients waited for one 25 % of it");
	pario_text_clear(&out);
	results[0].disturbance.host[0] = results[1].disturbance.host[0] = '\0';
	assert_true(isnan(pario_disturbed_others(results, 2)));
	pario_disturbed_add(&out, results, 2, false);
	assert_int_equal(out.length, 0);
	pario_text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_node_that_others_used_most_is_first),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(words_are_for_what_was_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
