/*
 * Reading JSON in order: values, escapes, refusals; and a result line taken from its text is the one taken from its
 * object.
 */
#include "journal/scan.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "journal/journal.h"
#include "report/page/archive.h"
#include "unit.h"

static bool valid(const char *text)
{
	struct pario_scan s;

	pario_scan_init(&s, text, strlen(text));
	pario_scan_skip(&s);
	return pario_scan_done(&s);
}

static void values(void **state)
{
	static const char text[] =
		"{\"a\" : 1.5, \"b\":\"x\\u00e9\\n\\\"\", \"c\":[1,{\"d\":null}],"
		"\"e\":42,\"f\":true,\"g\":-0.25e2}";
	char name[8], string[16];
	struct pario_scan s;

	(void)state;
	pario_scan_init(&s, text, sizeof(text) - 1);
	assert_true(pario_scan_object(&s));
	assert_true(pario_scan_member(&s, name, sizeof(name)));
	assert_string_equal(name, "a");
	assert_float_equal(pario_scan_real(&s), 1.5, 0);
	assert_true(pario_scan_member(&s, name, sizeof(name)));
	assert_true(pario_scan_text(&s, string, sizeof(string)));
	assert_string_equal(string, "x\xc3\xa9\n\"");
	assert_true(pario_scan_member(&s, name, sizeof(name)));
	pario_scan_skip(&s);
	assert_true(pario_scan_member(&s, name, sizeof(name)));
	assert_int_equal(pario_scan_count(&s), 42);
	assert_true(pario_scan_member(&s, name, sizeof(name)));
	assert_true(isnan(pario_scan_real(&s)));
	assert_true(pario_scan_member(&s, name, sizeof(name)));
	assert_float_equal(pario_scan_real(&s), -25, 0);
	assert_false(pario_scan_member(&s, name, sizeof(name)));
	assert_true(pario_scan_done(&s));
}

static void refusals(void **state)
{
	static const char *const good[] = {
		"{}", "[]", "[1,2]", "\"\\ud83d\\ude00\"", "null", " 1 ", "{\"a\":{\"b\":[]}}"
	};
	static const char *const bad[] = {
		"",	   "{",		  "{\"a\"}",	 "{\"a\":}",   "[1,]", "[1 2]",
		"\"\\x\"", "\"\\ud83d\"", "\"\\u0000\"", "\"\n\"",     "nul",  "+1",
		"e5",	   "1 2",	  "--1",	 "{\"a\":1,}", "\"abc"
	};
	char deep[400];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(valid(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(valid(bad[i]));
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_false(valid(deep));
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = { { "280.24881984886554", 280.24881984886554 },
		     { "0.0213980785", 0.0213980785 },
		     { "1.3150355625001955e-10", 1.3150355625001955e-10 },
		     { "6291456", 6291456 },
		     { "9007199254740993", 9007199254740993.0 },
		     { "-0.5", -0.5 },
		     { "1e308", 1e308 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pario_scan s;
		double value;

		pario_scan_init(&s, rows[i].text, strlen(rows[i].text));
		value = pario_scan_real(&s);
		assert_true(fabs(value - rows[i].value) <= fabs(rows[i].value) * 0x1p-52);
		assert_true(pario_scan_done(&s));
	}
}

static void cut_texts(void **state)
{
	char small[4];
	struct pario_scan s;

	(void)state;
	/* a, then two characters of two bytes: the second does not fit whole. */
	pario_scan_init(&s, "\"a\xc3\xa9\xc3\xa9\"", 7);
	assert_true(pario_scan_text(&s, small, sizeof(small)));
	assert_string_equal(small, "a\xc3\xa9");
	assert_true(pario_scan_done(&s));
}

static const char line[] =
	"{\"kind\":\"result\",\"test\":\"tile\",\"point\":\"a=1 b=\\u003cx\\u003e\",\"point_index\":3,\"clients\":2,"
	"\"repetition\":1,\"phase\":\"write\",\"outcome\":\"suspect\",\"reason\":\"why\",\"bytes\":6291456,\"ops\":2,"
	"\"seconds\":{\"open\":0.0046,\"total\":0.021409546},\"rate_mib_s\":280.24881984886554,"
	"\"latency_ns\":{\"count\":2,\"min\":6807585,\"p50\":6807585,\"p90\":9445761,\"p99\":null,\"p999\":1,\"max\":2},"
	"\"metrics\":{\"width\":{\"value\":2048,\"unit\":\"elements\"},\"none\":{\"value\":null,\"unit\":\"s\"}},"
	"\"params\":{}}";

/* Both ways into the archive must give the same result. */
static void text_and_object_agree(void **state)
{
	struct pario_archive archive = { 0 };
	const struct pario_reading *r;
	json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

	(void)state;
	assert_non_null(object);
	assert_int_equal(pario_archive_scan(&archive, 0, line, sizeof(line) - 1), 1);
	r = &archive.reading[0];
	assert_string_equal(r->of->test, json_string_value(json_object_get(object, "test")));
	assert_string_equal(r->of->point, json_string_value(json_object_get(object, "point")));
	assert_string_equal(r->of->phase, "write");
	assert_string_equal(r->reason, "why");
	assert_int_equal(r->outcome, PARIO_SUSPECT);
	assert_int_equal(r->of->point_index, 3);
	assert_int_equal(r->of->clients, 2);
	assert_int_equal(r->bytes, 6291456);
	assert_float_equal(r->seconds, 0.021409546, 1e-17);
	assert_float_equal(r->rate_mib_s, 280.24881984886554, 1e-13);
	assert_int_equal(r->more->latency_ns.count, 2);
	assert_true(isnan(r->more->latency_ns.p99));
	assert_float_equal(r->more->latency_ns.max, 2, 0);
	assert_int_equal(r->of->amount_count, 2);
	assert_float_equal(pario_reading_find(r, "width").value, 2048, 0);
	assert_string_equal(pario_reading_find(r, "width").unit, "elements");
	assert_true(isnan(pario_reading_find(r, "none").value));
	json_decref(object);
	pario_archive_release(&archive);
}

/* Other kinds, tables and what is odd are left to be read as objects. */
static void not_taken(void **state)
{
	static const char *const texts[] = { "{\"kind\":\"note\",\"text\":\"x\"}",
					     "{\"kind\":\"result\",\"sheets\":{}}",
					     "{\"kind\":\"result\",\"test\":5}",
					     "{\"kind\":\"result\",\"test\":\"a\"}",
					     "{",
					     "" };
	struct pario_archive archive = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(pario_archive_scan(&archive, 0, texts[i], strlen(texts[i])), 0);
	assert_int_equal(archive.reading_count, 0);
	pario_archive_release(&archive);
}

static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Bytes that each of `count` repetitions of a point costs, with a detail each. */
static double cost_of(size_t count, bool numbers_only)
{
	struct pario_archive archive = { .numbers_only = numbers_only };
	size_t before = in_use();
	double bytes;

	for (size_t i = 0; i < count; i++) {
		char text[sizeof(line) + 100];
		const char *at = strstr(line, "\"params\"");

		snprintf(text, sizeof(text), "%.*s\"detail\":{\"rates\":[1,2,3,4,5,6]},%s",
			 (int)(at - line), line, at);
		at = strstr(text, "\"repetition\":1");
		text[at - text + 13] = (char)('0' + i % 10);
		assert_int_equal(pario_archive_scan(&archive, 0, text, strlen(text)), 1);
	}
	assert_int_equal(archive.kind_count, 1);
	assert_true(archive.reading[0].of->details <= 100);
	bytes = (double)(in_use() - before) / (double)count;
	pario_archive_release(&archive);
	return bytes;
}

/* A million of them is to fit: capacity is doubled, so that a power of two has no spare. */
static void a_result_costs_little_and_the_next_no_more(void **state)
{
	double few = cost_of(1 << 12, false), many = cost_of(1 << 16, false);
	double numbers = cost_of(1 << 16, true);

	(void)state;
	print_message("%.0f and %.0f bytes for a result, %.0f for its number\n", few, many,
		      numbers);
	assert_true(many <= 160 && many <= few);
	assert_true(numbers <= 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(refusals),
		cmocka_unit_test(numbers),
		cmocka_unit_test(cut_texts),
		cmocka_unit_test(text_and_object_agree),
		cmocka_unit_test(not_taken),
		cmocka_unit_test(a_result_costs_little_and_the_next_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
