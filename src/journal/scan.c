/*
 * scan: one pass over the bytes, with a limit on depth.
 */
#include "journal/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, NUMBER_MAX = 64, EXACT_POWERS = 27 };

void pario_scan_init(struct pario_scan *scan, const char *text, size_t length)
{
	*scan = (struct pario_scan){ .at = text, .end = text + length, .first = true };
}

static void blanks(struct pario_scan *s)
{
	while (s->at < s->end &&
	       (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
		s->at++;
}

static char peek(struct pario_scan *s)
{
	if (s->bad)
		return '\0';
	blanks(s);
	return s->at < s->end ? *s->at : '\0';
}

static bool take(struct pario_scan *s, char c)
{
	if (peek(s) != c || s->at >= s->end) {
		s->bad = true;
		return false;
	}
	s->at++;
	return true;
}

bool pario_scan_object(struct pario_scan *scan)
{
	if (peek(scan) != '{') {
		pario_scan_skip(scan);
		return false;
	}
	scan->at++;
	if (++scan->depth > DEPTH_MAX)
		scan->bad = true;
	scan->first = true;
	return !scan->bad;
}

/* ---- texts ---- */

struct sink {
	char *text;
	size_t capacity, length;
	bool cut;
};

/* Whole characters only, so that a text that is cut stays valid. */
static void put(struct sink *out, const char *bytes, size_t count)
{
	if (!out->text || out->cut)
		return;
	if (out->length + count + 1 > out->capacity) {
		out->cut = true;
		count = out->capacity - 1 - out->length;
		while (count > 0 && ((unsigned char)bytes[count] & 0xc0) == 0x80)
			count--;
	}
	memcpy(out->text + out->length, bytes, count);
	out->length += count;
}

static int hex4(struct pario_scan *s)
{
	int value = 0;

	if (s->end - s->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = *s->at++;
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

static void put_point(struct sink *out, unsigned c)
{
	char bytes[4];
	size_t count;

	if (c < 0x80) {
		bytes[0] = (char)c;
		count = 1;
	} else if (c < 0x800) {
		bytes[0] = (char)(0xc0 | c >> 6);
		bytes[1] = (char)(0x80 | (c & 0x3f));
		count = 2;
	} else if (c < 0x10000) {
		bytes[0] = (char)(0xe0 | c >> 12);
		bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (c & 0x3f));
		count = 3;
	} else {
		bytes[0] = (char)(0xf0 | c >> 18);
		bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (c & 0x3f));
		count = 4;
	}
	put(out, bytes, count);
}

/* \uXXXX, with a second half where the first one is half of a pair; NUL is refused. */
static void unicode(struct pario_scan *s, struct sink *out)
{
	int high = hex4(s), low;

	if (high <= 0 || (high >= 0xdc00 && high < 0xe000)) {
		s->bad = true;
		return;
	}
	if (high < 0xd800 || high >= 0xe000) {
		put_point(out, (unsigned)high);
		return;
	}
	if (s->end - s->at < 6 || s->at[0] != '\\' || s->at[1] != 'u') {
		s->bad = true;
		return;
	}
	s->at += 2;
	low = hex4(s);
	if (low < 0xdc00 || low >= 0xe000)
		s->bad = true;
	else
		put_point(out,
			  0x10000u + ((unsigned)high - 0xd800u) * 0x400u + (unsigned)low - 0xdc00u);
}

static void escape(struct pario_scan *s, struct sink *out)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *found;
	char c = s->at < s->end ? *s->at++ : '\0';

	if (c == 'u') {
		unicode(s, out);
		return;
	}
	found = c ? strchr(letters, c) : NULL;
	if (found)
		put(out, &values[found - letters], 1);
	else
		s->bad = true;
}

/* The bytes between two quotes, which are known to be valid UTF-8 to the writer and harmless to us if not. */
static bool string(struct pario_scan *s, struct sink *out)
{
	if (!take(s, '"'))
		return false;
	while (!s->bad && s->at < s->end && *s->at != '"') {
		const char *from = s->at;

		while (s->at < s->end && *s->at != '"' && *s->at != '\\' &&
		       (unsigned char)*s->at >= 0x20)
			s->at++;
		if (s->at > from) {
			put(out, from, (size_t)(s->at - from));
		} else if (*s->at == '\\') {
			s->at++;
			escape(s, out);
		} else {
			s->bad = true;
		}
	}
	if (out->text && out->capacity)
		out->text[out->length] = '\0';
	if (s->at >= s->end)
		s->bad = true;
	else
		s->at++;
	return !s->bad;
}

bool pario_scan_member(struct pario_scan *scan, char *name, size_t capacity)
{
	struct sink out = { name, capacity, 0, false };

	name[0] = '\0';
	if (peek(scan) == '}') {
		scan->at++;
		scan->depth--;
		scan->first = false;
		return false;
	}
	if (!scan->first && !take(scan, ','))
		return false;
	scan->first = false;
	return string(scan, &out) && take(scan, ':');
}

bool pario_scan_text(struct pario_scan *scan, char *text, size_t capacity)
{
	struct sink out = { text, capacity, 0, false };

	text[0] = '\0';
	if (peek(scan) != '"') {
		pario_scan_skip(scan);
		return false;
	}
	return string(scan, &out);
}

/* ---- numbers ---- */

/* Digits and what else a number is made of; its end. */
static const char *number_end(const struct pario_scan *s)
{
	const char *at = s->at;

	while (at < s->end && ((*at >= '0' && *at <= '9') || *at == '-' || *at == '+' ||
			       *at == '.' || *at == 'e' || *at == 'E'))
		at++;
	return at;
}

/*
 * Up to 19 digits and a power of ten that a long double holds exactly give the nearest double but for one rounding;
 * everything else goes to strtod, which is many times slower.
 */
static bool quick(const char *at, const char *end, double *value)
{
	static const long double powers[EXACT_POWERS + 1] = {
		1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,	 1e7L,	1e8L,  1e9L,
		1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
		1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L,
	};
	bool negative = at < end && *at == '-';
	uint64_t digits = 0;
	int count = 0, after = 0;
	bool point = false;

	for (at += negative; at < end; at++) {
		if (*at == '.') {
			if (point)
				return false;
			point = true;
		} else if (*at >= '0' && *at <= '9') {
			digits = digits * 10 + (uint64_t)(*at - '0');
			count += digits != 0;
			after += point;
		} else {
			return false;
		}
	}
	if (count > 19 || after > EXACT_POWERS)
		return false;
	*value = (double)((long double)digits / powers[after]);
	*value = negative ? -*value : *value;
	return true;
}

double pario_scan_real(struct pario_scan *scan)
{
	char text[NUMBER_MAX], *rest;
	char c = peek(scan);
	const char *end;
	double value;

	if (c != '-' && (c < '0' || c > '9')) {
		pario_scan_skip(scan);
		return NAN;
	}
	end = number_end(scan);
	if (quick(scan->at, end, &value)) {
		scan->at = end;
		return value;
	}
	if ((size_t)(end - scan->at) >= sizeof(text)) {
		scan->bad = true;
		return NAN;
	}
	memcpy(text, scan->at, (size_t)(end - scan->at));
	text[end - scan->at] = '\0';
	value = strtod(text, &rest);
	scan->bad |= *rest != '\0';
	scan->at = end;
	return scan->bad ? (double)NAN : value;
}

uint64_t pario_scan_count(struct pario_scan *scan)
{
	char c = peek(scan);
	uint64_t value = 0;
	bool large = false;

	if (c < '0' || c > '9') {
		pario_scan_skip(scan);
		return 0;
	}
	for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++) {
		large |= value > (INT64_MAX - 9) / 10;
		value = value * 10 + (uint64_t)(*scan->at - '0');
	}
	if (scan->at < number_end(scan))
		large = true;
	scan->at = number_end(scan);
	return large ? 0 : value;
}

/* ---- passing over ---- */

static void word(struct pario_scan *s, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0)
		s->bad = true;
	else
		s->at += length;
}

static void skip_array(struct pario_scan *s)
{
	s->at++;
	if (++s->depth > DEPTH_MAX)
		s->bad = true;
	for (bool first = true; !s->bad && peek(s) != ']'; first = false) {
		if (!first && !take(s, ','))
			return;
		pario_scan_skip(s);
	}
	if (take(s, ']'))
		s->depth--;
}

void pario_scan_skip(struct pario_scan *scan)
{
	struct sink none = { 0 };
	char name[2];

	switch (peek(scan)) {
	case '{':
		if (pario_scan_object(scan)) {
			while (pario_scan_member(scan, name, sizeof(name)))
				pario_scan_skip(scan);
		}
		break;
	case '[':
		skip_array(scan);
		break;
	case '"':
		string(scan, &none);
		break;
	case 't':
		word(scan, "true");
		break;
	case 'f':
		word(scan, "false");
		break;
	case 'n':
		word(scan, "null");
		break;
	case '-':
	case '0' ... '9':
		pario_scan_real(scan);
		break;
	default:
		scan->bad = true;
	}
}

bool pario_scan_done(const struct pario_scan *scan)
{
	struct pario_scan rest = *scan;

	blanks(&rest);
	return !rest.bad && rest.depth == 0 && rest.at == rest.end;
}
