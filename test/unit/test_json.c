/*
 * test_json: whatever goes in, jansson reads the same back.
 */
#include "base/json.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "comma_locale.h"
#include "unit.h"

static json_t *parse(const struct pario_json *json)
{
	json_error_t error;
	json_t *root;

	assert_false(json->text.failed);
	root = json_loadb(json->text.data, json->text.length,
			  JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("%s in %s", error.text, json->text.data);
	return root;
}

static void structure(void **state)
{
	struct pario_json json = { 0 };

	(void)state;
	for (int line = 0; line < 2; line++) {
		pario_text_clear(&json.text);
		pario_json_open(&json, NULL, '{');
		pario_json_string(&json, "kind", "begin");
		pario_json_open(&json, "empty", '{');
		pario_json_close(&json, '}');
		pario_json_open(&json, "list", '[');
		pario_json_u64(&json, NULL, 1);
		pario_json_open(&json, NULL, '[');
		pario_json_close(&json, ']');
		pario_json_i64(&json, NULL, -2);
		pario_json_close(&json, ']');
		pario_json_bool(&json, "yes", true);
		pario_json_bool(&json, "no", false);
		pario_json_null(&json, "none");
		pario_json_string(&json, "nothing", NULL);
		pario_json_hex(&json, "sum", 0xabcdef);
		pario_json_close(&json, '}');
		assert_string_equal(
			json.text.data,
			"{\"kind\":\"begin\",\"empty\":{},\"list\":[1,[],-2],\"yes\":true,\"no\":false,"
			"\"none\":null,\"nothing\":null,\"sum\":\"0000000000abcdef\"}");
	}
	pario_json_release(&json);
}

static void integers_are_exact(void **state)
{
	struct pario_json json = { 0 };

	(void)state;
	pario_json_open(&json, NULL, '[');
	pario_json_u64(&json, NULL, UINT64_MAX);
	pario_json_u64(&json, NULL, (1ull << 53) + 1);
	pario_json_i64(&json, NULL, INT64_MIN);
	pario_json_close(&json, ']');
	assert_string_equal(json.text.data,
			    "[18446744073709551615,9007199254740993,-9223372036854775808]");
	pario_json_release(&json);
}

/* What the writer promises for a string: itself, with bytes that are not UTF-8 as \xNN. */
static void expect(struct pario_text *out, const char *s)
{
	size_t left = strlen(s), length;

	for (; left; s += length, left -= length) {
		length = pario_text_utf8(s, left);
		if (length)
			pario_text_bytes(out, s, length);
		else
			pario_text_add(out, "\\x%02x", (unsigned)(unsigned char)*s);
		length = length ? length : 1;
	}
}

static void check_string(const char *s)
{
	struct pario_json json = { 0 };
	struct pario_text wanted = { 0 };
	json_t *root;

	expect(&wanted, s);
	pario_json_open(&json, NULL, '{');
	pario_json_string(&json, s, s);
	pario_json_close(&json, '}');
	assert_null(strpbrk(json.text.data, "<>&\n"));
	root = parse(&json);
	assert_int_equal(json_object_size(root), 1);
	assert_string_equal(json_object_iter_key(json_object_iter(root)),
			    pario_text_string(&wanted));
	assert_string_equal(json_string_value(json_object_iter_value(json_object_iter(root))),
			    pario_text_string(&wanted));
	json_decref(root);
	pario_text_release(&wanted);
	pario_json_release(&json);
}

static void odd_strings(void **state)
{
	char s[4] = "";

	(void)state;
	check_string("");
	check_string("</script><img src=x onerror=alert(1)>&amp;<!--");
	check_string("\"quotes\" and \\ backslashes \\u0041 \x1b[31m");
	check_string("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae \xf0\x9f\x98\x80 \xef\xbf\xbf");
	for (unsigned a = 1; a < 256; a++) {
		for (unsigned b = 0; b < 256; b++) {
			s[0] = (char)a;
			s[1] = (char)b;
			check_string(s);
		}
	}
}

static void random_strings(void **state)
{
	char s[33];

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		for (uint64_t j = 0; j < sizeof(s) - 1; j++) {
			uint64_t r = pario_random_join(i, j);

			/* half of them from the bytes that make and break sequences */
			s[j] = r & 1 ? (char)(0x80 | (r >> 8 & 0x7f)) : (char)(r >> 8 & 0xff);
		}
		s[sizeof(s) - 1] = '\0';
		check_string(s);
	}
}

static void check_real(double value)
{
	struct pario_json json = { 0 };
	json_t *root;
	char plain[64];

	pario_json_real(&json, NULL, value);
	assert_int_equal(strspn(json.text.data, "0123456789.e-"), json.text.length);
	root = parse(&json);
	assert_true(json_number_value(root) == value);
	/* never more digits than the usual 17 */
	snprintf(plain, sizeof(plain), "%.17g", value);
	assert_true(json.text.length <= strlen(plain) + 1);
	json_decref(root);
	pario_json_release(&json);
}

static void real_is(double value, const char *text)
{
	struct pario_json json = { 0 };

	pario_json_real(&json, NULL, value);
	assert_string_equal(json.text.data, text);
	pario_json_release(&json);
}

static void real_numbers(void)
{
	static const double odd[] = { DBL_MAX,
				      -DBL_MAX,
				      DBL_MIN,
				      5e-324,
				      DBL_EPSILON,
				      1.0 / 3,
				      2.0 / 3e9,
				      1e15,
				      1e16,
				      123456789012345680.0,
				      99999999999999.98,
				      1e22,
				      1e23,
				      9.5e-5,
				      1e-5,
				      1e-6,
				      0.1 + 0.2 };

	for (size_t i = 0; i < COUNT_OF(odd); i++)
		check_real(odd[i]);
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t bits = pario_random_mix(i);
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (isfinite(value))
			check_real(value);
		check_real((double)(bits >> 40) / 1000);
	}
	real_is(0, "0");
	real_is(-0.0, "-0");
	real_is(3, "3");
	real_is(0.1, "0.1");
	real_is(0.1 + 0.2, "0.30000000000000004");
	real_is(-1412.5, "-1412.5");
	real_is(0.00001, "0.00001");
	real_is(0.000001, "1e-6");
	real_is(1e16, "10000000000000000");
	real_is(1e17, "1e17");
	real_is(1.5e300, "1.5e300");
	real_is(NAN, "null");
	real_is(INFINITY, "null");
	real_is(-INFINITY, "null");
}

static void reals(void **state)
{
	(void)state;
	real_numbers();
}

static void reals_with_decimal_comma(void **state)
{
	(void)state;
	if (!comma_locale_enter())
		skip();
	real_numbers();
	comma_locale_leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structure),   cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(odd_strings), cmocka_unit_test(random_strings),
		cmocka_unit_test(reals),       cmocka_unit_test(reals_with_decimal_comma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
