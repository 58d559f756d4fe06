/*
 * json: one value after the other into a growing text.
 *
 * Numbers are put together from their digits, so that the decimal separator of the locale never
 * gets in.
 */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Safe inside JSON strings and inside an HTML script element; NULL when the byte can stand as it
 * is.
 */
static const char *short_escape(char c)
{
	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\t':
		return "\\t";
	case '\r':
		return "\\r";
	default:
		return NULL;
	}
}

static void quote(struct pario_text *text, const char *s)
{
	size_t left = strlen(s), length;

	pario_text_bytes(text, "\"", 1);
	for (; left; s += length, left -= length) {
		unsigned byte = (unsigned char)*s;

		length = pario_text_utf8(s, left);
		if (!length) {
			length = 1;
			pario_text_add(text, "\\\\x%02x", byte);
		} else if (short_escape(*s)) {
			pario_text_add(text, "%s", short_escape(*s));
		} else if (byte < 0x20 || byte == 0x7f || strchr("<>&", *s)) {
			pario_text_add(text, "\\u%04x", byte);
		} else {
			pario_text_bytes(text, s, length);
		}
	}
	pario_text_bytes(text, "\"", 1);
}

/* What stands before every value: the comma that is due, and the key. */
static void lead(struct pario_json *json, const char *key)
{
	if (json->comma)
		pario_text_bytes(&json->text, ",", 1);
	if (key) {
		quote(&json->text, key);
		pario_text_bytes(&json->text, ":", 1);
	}
	json->comma = json->depth > 0;
}

void pario_json_open(struct pario_json *json, const char *key, char bracket)
{
	lead(json, key);
	pario_text_bytes(&json->text, &bracket, 1);
	json->comma = false;
	json->depth++;
}

void pario_json_close(struct pario_json *json, char bracket)
{
	pario_text_bytes(&json->text, &bracket, 1);
	if (json->depth)
		json->depth--;
	json->comma = json->depth > 0;
}

void pario_json_string(struct pario_json *json, const char *key, const char *value)
{
	if (!value) {
		pario_json_null(json, key);
		return;
	}
	lead(json, key);
	quote(&json->text, value);
}

void pario_json_u64(struct pario_json *json, const char *key, uint64_t value)
{
	lead(json, key);
	pario_text_add(&json->text, "%" PRIu64, value);
}

void pario_json_amount(struct pario_json *json, const char *key, uint64_t value)
{
	if (value <= INT64_MAX)
		pario_json_u64(json, key, value);
	else
		pario_json_null(json, key);
}

void pario_json_i64(struct pario_json *json, const char *key, int64_t value)
{
	lead(json, key);
	pario_text_add(&json->text, "%" PRId64, value);
}

/*
 * Fewest digits (15 to 17 tried) that read back as the same number: their count, and the power of
 * ten.
 */
static int shortest(double value, char digits[24], int *exponent)
{
	char buf[64];
	int count = 0;

	for (int precision = 14; precision <= 16; precision++) {
		snprintf(buf, sizeof(buf), "%.*e", precision, value);
		/* written and read in the same locale, whichever it is */
		if (strtod(buf, NULL) == value)
			break;
	}
	for (const char *c = buf; *c != 'e'; c++)
		if (*c >= '0' && *c <= '9')
			digits[count++] = *c;
	*exponent = atoi(strchr(buf, 'e') + 1);
	while (count > 1 && digits[count - 1] == '0')
		count--;
	return count;
}

static void number(struct pario_text *text, double value)
{
	char digits[24];
	int exponent, count = shortest(fabs(value), digits, &exponent);
	int whole = exponent + 1; /* digits before the point */

	if (signbit(value))
		pario_text_bytes(text, "-", 1);
	if (exponent < -5 || exponent > 16) {
		pario_text_bytes(text, digits, 1);
		if (count > 1)
			pario_text_add(text, ".%.*s", count - 1, digits + 1);
		pario_text_add(text, "e%d", exponent);
	} else if (whole <= 0) {
		pario_text_add(text, "0.%.*s%.*s", -whole, "00000", count, digits);
	} else if (count <= whole) {
		pario_text_add(text, "%.*s%.*s", count, digits, whole - count, "0000000000000000");
	} else {
		pario_text_add(text, "%.*s.%.*s", whole, digits, count - whole, digits + whole);
	}
}

void pario_json_real(struct pario_json *json, const char *key, double value)
{
	if (!isfinite(value)) {
		pario_json_null(json, key);
		return;
	}
	lead(json, key);
	number(&json->text, value);
}

void pario_json_float(struct pario_json *json, const char *key, double value)
{
	size_t before = json->text.length;

	pario_json_real(json, key, value);
	if (isfinite(value) && !strpbrk(strrchr(json->text.data + before, ':'), ".e"))
		pario_text_add(&json->text, ".0");
}

void pario_json_hex(struct pario_json *json, const char *key, uint64_t value)
{
	lead(json, key);
	pario_text_add(&json->text, "\"%016" PRIx64 "\"", value);
}

void pario_json_bool(struct pario_json *json, const char *key, bool value)
{
	lead(json, key);
	pario_text_add(&json->text, "%s", value ? "true" : "false");
}

void pario_json_null(struct pario_json *json, const char *key)
{
	lead(json, key);
	pario_text_bytes(&json->text, "null", 4);
}

void pario_json_release(struct pario_json *json)
{
	pario_text_release(&json->text);
	json->comma = false;
	json->depth = 0;
}
