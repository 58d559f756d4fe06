/*
 * Result lines: what is written reads back, and what is wrong is refused by name.
 */
#include "journal/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Every string full, every number different, so that a mixed-up member shows. */
static void fill(struct pario_result *r)
{
	pario_result_init(r);
	snprintf(r->test, sizeof(r->test), "strided");
	snprintf(r->point, sizeof(r->point), "transfer_size=64k pattern=strided");
	snprintf(r->phase, sizeof(r->phase), "write");
	snprintf(r->reason, sizeof(r->reason), "the file fits into memory");
	r->point_index = 3;
	r->clients = 128;
	r->repetition = 7;
	r->outcome = PARIO_SUSPECT;
	r->bytes = INT64_MAX;
	r->ops = 9007199254740993; /* 2^53 + 1: lost when it passes through a double */
	r->seconds = (struct pario_times){ 0.1, 1.0 / 3, 1e-9, 2.5e-300, 12345.678901234567 };
	r->rate_mib_s = 1412.0625;
	r->rate_first_done_mib_s = 0.30000000000000004;
	r->between_clients = (struct pario_spread){ 1.5, 1.75, 2.0, 0.0625 };
	r->latency_ns = (struct pario_latency){ 99, 1, 2.5, 3, 4, 5, 1.7e308 };
	r->cache = (struct pario_cache_state){
		"cold", "cachestat", 1000, 17, "pages", "the \"servers\"", "3 pages \"dirty\""
	};
	pario_result_metric(r, "effective_bandwidth", "MB/s", -4.25);
	pario_result_metric(r, "unmeasured", "", NAN);
}

static json_t *to_json(const struct pario_result *r)
{
	struct pario_json json = { 0 };
	json_error_t error;
	json_t *line;

	pario_json_open(&json, NULL, '{');
	pario_result_write(&json, r);
	pario_json_close(&json, '}');
	assert_false(json.text.failed);
	line = json_loadb(json.text.data, json.text.length, JSON_REJECT_DUPLICATES, &error);
	if (!line)
		fail_msg("%s: %s", error.text, json.text.data);
	pario_json_release(&json);
	return line;
}

static void pass_through(const struct pario_result *in, struct pario_result *out)
{
	struct pario_err err = { 0 };
	json_t *line = to_json(in);

	if (pario_result_read(line, out, &err) < 0)
		fail_msg("%s", err.text);
	json_decref(line);
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static void assert_reals(const void *a, const void *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_true(same(((const double *)a)[i], ((const double *)b)[i]));
}

static void assert_same(const struct pario_result *a, const struct pario_result *b)
{
	assert_string_equal(a->test, b->test);
	assert_string_equal(a->point, b->point);
	assert_string_equal(a->phase, b->phase);
	assert_string_equal(a->reason, b->reason);
	assert_int_equal(a->point_index, b->point_index);
	assert_int_equal(a->clients, b->clients);
	assert_int_equal(a->repetition, b->repetition);
	assert_int_equal(a->outcome, b->outcome);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->ops, b->ops);
	assert_reals(&a->seconds, &b->seconds, 5);
	assert_reals(&a->rate_mib_s, &b->rate_mib_s, 1);
	assert_reals(&a->rate_first_done_mib_s, &b->rate_first_done_mib_s, 1);
	assert_reals(&a->between_clients, &b->between_clients, 4);
	assert_int_equal(a->latency_ns.count, b->latency_ns.count);
	assert_reals(&a->latency_ns.min, &b->latency_ns.min, 6);
	assert_string_equal(a->cache.wanted, b->cache.wanted);
	assert_string_equal(a->cache.method, b->cache.method);
	assert_int_equal(a->cache.pages_total, b->cache.pages_total);
	assert_int_equal(a->cache.pages_resident, b->cache.pages_resident);
	assert_string_equal(a->cache.reason, b->cache.reason);
	assert_int_equal(a->metric_count, b->metric_count);
	for (size_t i = 0; i < a->metric_count; i++) {
		assert_string_equal(a->metrics[i].name, b->metrics[i].name);
		assert_string_equal(a->metrics[i].unit, b->metrics[i].unit);
		assert_reals(&a->metrics[i].value, &b->metrics[i].value, 1);
	}
}

static void every_member_reads_back(void **state)
{
	struct pario_result in, out;

	(void)state;
	fill(&in);
	pass_through(&in, &out);
	assert_same(&in, &out);
	for (int i = PARIO_PASS; i <= PARIO_SUSPECT; i++) {
		in.outcome = (enum pario_outcome)i;
		pass_through(&in, &out);
		assert_int_equal(out.outcome, i);
	}
}

static void unmeasured_is_null(void **state)
{
	struct pario_result in, out;
	json_t *line, *seconds;

	(void)state;
	pario_result_init(&in);
	line = to_json(&in);
	seconds = json_object_get(line, "seconds");
	assert_true(json_is_null(json_object_get(seconds, "total")));
	assert_true(json_is_null(json_object_get(line, "rate_mib_s")));
	assert_string_equal(json_string_value(json_object_get(line, "point")), "");
	json_decref(line);
	pass_through(&in, &out);
	assert_same(&in, &out);
	assert_true(isnan(out.seconds.total));
	in.rate_mib_s = INFINITY;
	in.latency_ns.max = -INFINITY;
	pass_through(&in, &out);
	assert_true(isnan(out.rate_mib_s));
	assert_true(isnan(out.latency_ns.max));
}

/* The order is part of the format: people read these lines too. */
static void members_stand_in_order(void **state)
{
	static const char *const order[] = {
		"test",
		"point",
		"point_index",
		"clients",
		"repetition",
		"phase",
		"outcome",
		"reason",
		"bytes",
		"ops",
		"seconds",
		"rate_mib_s",
		"rate_first_done_mib_s",
		"between_clients",
		"latency_ns",
		"cache",
		"metrics",
		"headline",
		"better",
	};
	struct pario_result in;
	const char *name;
	json_t *line, *value;
	size_t i = 0;

	(void)state;
	fill(&in);
	line = to_json(&in);
	assert_int_equal(json_object_size(line), sizeof(order) / sizeof(order[0]));
	json_object_foreach(line, name, value) assert_string_equal(name, order[i++]);
	json_decref(line);
}

/* What the number of a result is; journals of before say nothing, and that is bytes over time. */
static void the_headline_reads_back(void **state)
{
	struct pario_result in, out;
	struct pario_err err = { 0 };
	json_t *line;

	(void)state;
	for (int better = -1; better <= 1; better++) {
		fill(&in);
		pario_result_headline(&in, "effective_bandwidth", better);
		pass_through(&in, &out);
		assert_string_equal(out.headline, "effective_bandwidth");
		assert_int_equal(out.better, better);
	}
	line = to_json(&in);
	json_object_del(line, "headline");
	json_object_del(line, "better");
	assert_int_equal(pario_result_read(line, &out, &err), 0);
	assert_string_equal(out.headline, "");
	assert_int_equal(out.better, 1);
	json_decref(line);
}

static void hostile_strings_survive(void **state)
{
	static const char hostile[] = "\x01\x1b]0;x\x07 \"q\" \\ </script><!-- & \t\n\r\x7f "
				      "\xe2\x80\xae \xf0\x9f\x98\x80";
	struct pario_result in, out;

	(void)state;
	pario_result_init(&in);
	snprintf(in.point, sizeof(in.point), "%s", hostile);
	pario_result_metric(&in, "a\"b</script>", "\x1b[31m", 1);
	pass_through(&in, &out);
	assert_string_equal(out.point, hostile);
	assert_string_equal(out.metrics[0].name, "a\"b</script>");
	assert_string_equal(out.metrics[0].unit, "\x1b[31m");
	snprintf(in.point, sizeof(in.point), "a\xff\xc0\x80z");
	pass_through(&in, &out);
	assert_string_equal(out.point, "a\\xff\\xc0\\x80z");
	/* Four characters for each bad byte no longer fit: cut, not overrun. */
	memset(in.phase, 0xff, sizeof(in.phase) - 1);
	pass_through(&in, &out);
	assert_int_equal(strlen(out.phase), sizeof(out.phase) - 1);
}

static void long_strings_are_cut_between_characters(void **state)
{
	struct pario_err err = { 0 };
	struct pario_result in, out;
	char text[200];
	json_t *line;

	(void)state;
	pario_result_init(&in);
	for (int shift = 0; shift < 4; shift++) {
		memset(text, 'a', 4);
		for (size_t i = 0; i < 40; i++)
			memcpy(text + shift + i * 4, "\xf0\x9f\x98\x80", 4);
		text[shift + 160] = '\0';
		line = to_json(&in);
		json_object_set_new(line, "phase", json_string(text));
		assert_int_equal(pario_result_read(line, &out, &err), 0);
		/* 31 bytes of room: 7 characters of 4 bytes after the shift. */
		assert_int_equal(strlen(out.phase), (size_t)shift + 28);
		assert_memory_equal(out.phase, text, (size_t)shift + 28);
		json_decref(line);
	}
}

static void metrics_are_a_set(void **state)
{
	struct pario_result in, out;
	char name[80];

	(void)state;
	pario_result_init(&in);
	for (int i = 0; i < PARIO_RESULT_METRICS; i++) {
		snprintf(name, sizeof(name), "metric_%d", i);
		pario_result_metric(&in, name, "s", i);
	}
	pario_result_metric(&in, "metric_5", "ms", 0.5);
	pass_through(&in, &out);
	assert_int_equal(out.metric_count, PARIO_RESULT_METRICS);
	assert_true(pario_result_find(&out, "metric_5")->value == 0.5);
	assert_string_equal(pario_result_find(&out, "metric_5")->unit, "ms");
	assert_true(pario_result_find(&out, "metric_63")->value == 63);
	assert_null(pario_result_find(&out, "metric_64"));
#ifdef NDEBUG
	pario_result_metric(&in, "one too many", "s", 1);
	assert_int_equal(in.metric_count, PARIO_RESULT_METRICS);
#endif
	pario_result_init(&in);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	pario_result_metric(&in, name, name, 1);
	pario_result_metric(&in, name, name, 2);
	assert_int_equal(in.metric_count, 1);
	assert_int_equal(strlen(in.metrics[0].name), sizeof(in.metrics[0].name) - 1);
	assert_int_equal(strlen(in.metrics[0].unit), sizeof(in.metrics[0].unit) - 1);
}

/* Replaces one member by the given JSON (NULL removes it) and expects the sentence to name it. */
static void refused(const char *group, const char *name, const char *json, const char *says)
{
	struct pario_result in, out, untouched;
	struct pario_err err = { 0 };
	json_t *line, *holder;

	fill(&in);
	memset(&out, 0x5a, sizeof(out));
	untouched = out;
	line = to_json(&in);
	holder = group ? json_object_get(line, group) : line;
	if (json)
		json_object_set_new(holder, name, json_loads(json, JSON_DECODE_ANY, NULL));
	else
		json_object_del(holder, name);
	assert_int_equal(pario_result_read(line, &out, &err), -1);
	assert_memory_equal(&out, &untouched, sizeof(out));
	assert_int_equal(err.code, PARIO_SYSTEM);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
	json_decref(line);
}

static void wrong_members_are_named(void **state)
{
	(void)state;
	refused(NULL, "bytes", "-1", "\"bytes\"");
	refused(NULL, "bytes", "-1", "negative");
	refused(NULL, "bytes", "1.5", "\"bytes\"");
	refused(NULL, "clients", "null", "\"clients\"");
	refused(NULL, "ops", "\"12\"", "\"ops\"");
	refused(NULL, "test", "null", "\"test\"");
	refused(NULL, "point", "17", "\"point\"");
	refused(NULL, "outcome", "\"passed\"", "\"outcome\"");
	refused(NULL, "outcome", "3", "\"outcome\"");
	refused(NULL, "rate_mib_s", "\"NaN\"", "\"rate_mib_s\"");
	refused(NULL, "rate_mib_s", "true", "\"rate_mib_s\"");
	refused(NULL, "headline", "7", "\"headline\"");
	refused(NULL, "better", "true", "\"better\"");
	refused(NULL, "seconds", "[1,2]", "\"seconds\"");
	refused("seconds", "sync", "{}", "\"seconds.sync\"");
	refused("latency_ns", "count", "-5", "\"latency_ns.count\"");
	refused("cache", "pages_total", "1e3", "\"cache.pages_total\"");
	refused("cache", "reason", "[]", "\"cache.reason\"");
	refused(NULL, "metrics", "[]", "\"metrics\"");
	refused("metrics", "x", "1", "\"metrics.x\"");
	refused("metrics", "x", "{\"value\":\"1\",\"unit\":\"s\"}", "\"x.value\"");
	refused("metrics", "x", "{\"value\":1}", "\"x.unit\"");
	refused("metrics", "\\u001b[2J", "{\"value\":1}", "unit");
}

static void missing_members_are_named(void **state)
{
	struct pario_result in;
	json_t *line, *value, *inner;
	const char *name, *part;
	char says[100];

	(void)state;
	fill(&in);
	line = to_json(&in);
	json_object_foreach(line, name, value)
	{
		/* Journals of before have neither, nor caches that were excluded. */
		if (strcmp(name, "headline") == 0 || strcmp(name, "better") == 0)
			continue;
		snprintf(says, sizeof(says), "\"%s\"", name);
		refused(NULL, name, NULL, says);
		if (!json_is_object(value) || strcmp(name, "metrics") == 0)
			continue;
		json_object_foreach(value, part, inner)
		{
			if (strstr(part, "excluded"))
				continue;
			snprintf(says, sizeof(says), "\"%s.%s\"", name, part);
			refused(name, part, NULL, says);
		}
	}
	json_decref(line);
}

static void too_many_metrics_are_refused(void **state)
{
	struct pario_err err = { 0 };
	struct pario_result in, out;
	json_t *line, *metrics;
	char name[16];

	(void)state;
	pario_result_init(&in);
	line = to_json(&in);
	metrics = json_object_get(line, "metrics");
	for (int i = 0; i <= PARIO_RESULT_METRICS; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		json_object_set_new(metrics, name, json_pack("{s:i,s:s}", "value", i, "unit", "s"));
	}
	assert_int_equal(pario_result_read(line, &out, &err), -1);
	assert_non_null(strstr(err.text, "\"metrics\""));
	json_decref(line);
}

static void only_objects_are_read(void **state)
{
	struct pario_err err = { 0 };
	struct pario_result out;
	json_t *array = json_array();

	(void)state;
	assert_int_equal(pario_result_read(array, &out, &err), -1);
	assert_int_equal(pario_result_read(NULL, &out, &err), -1);
	json_decref(array);
}

static void further_members_are_ignored(void **state)
{
	struct pario_err err = { 0 };
	struct pario_result in, out;
	json_t *line;

	(void)state;
	fill(&in);
	line = to_json(&in);
	json_object_set_new(line, "params", json_pack("{s:s}", "transfer_size", "64k"));
	json_object_set_new(json_object_get(line, "seconds"), "seek", json_real(1));
	assert_int_equal(pario_result_read(line, &out, &err), 0);
	assert_same(&in, &out);
	json_decref(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_reads_back),
		cmocka_unit_test(unmeasured_is_null),
		cmocka_unit_test(members_stand_in_order),
		cmocka_unit_test(the_headline_reads_back),
		cmocka_unit_test(hostile_strings_survive),
		cmocka_unit_test(long_strings_are_cut_between_characters),
		cmocka_unit_test(metrics_are_a_set),
		cmocka_unit_test(wrong_members_are_named),
		cmocka_unit_test(missing_members_are_named),
		cmocka_unit_test(too_many_metrics_are_refused),
		cmocka_unit_test(only_objects_are_read),
		cmocka_unit_test(further_members_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
