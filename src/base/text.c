/*
 * text: a growing string, cleaning for terminals, and "did you mean".
 */
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { SHORT = 64 };

/* Makes room for `more` bytes and the terminating NUL. */
static bool reserve(struct pario_text *text, size_t more)
{
	size_t need, capacity;
	char *data;

	if (text->failed)
		return false;
	if (__builtin_add_overflow(text->length, more, &need) || need > SIZE_MAX / 4) {
		text->failed = true;
		return false;
	}
	if (need < text->capacity)
		return true;
	for (capacity = text->capacity ? text->capacity : 64; capacity <= need;)
		capacity *= 2;
	data = realloc(text->data, capacity);
	if (!data) {
		text->failed = true;
		return false;
	}
	text->data = data;
	text->capacity = capacity;
	return true;
}

void pario_text_bytes(struct pario_text *text, const void *bytes, size_t length)
{
	if (!reserve(text, length))
		return;
	if (length)
		memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void pario_text_vadd(struct pario_text *text, const char *format, va_list args)
{
	va_list again;
	int length;

	/* Most additions are short: room is made first, so that they are formatted once. */
	if (!reserve(text, SHORT))
		return;
	va_copy(again, args);
	length = vsnprintf(text->data + text->length, text->capacity - text->length, format, again);
	va_end(again);
	if (length >= 0 && (size_t)length >= text->capacity - text->length) {
		if (!reserve(text, (size_t)length))
			return;
		vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
	}
	if (length < 0)
		text->failed = true;
	else
		text->length += (size_t)length;
}

void pario_text_add(struct pario_text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pario_text_vadd(text, format, args);
	va_end(args);
}

void pario_text_count(struct pario_text *text, uint64_t count, const char *noun)
{
	pario_text_add(text, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

void pario_text_clear(struct pario_text *text)
{
	text->length = 0;
	text->failed = false;
	if (text->data)
		text->data[0] = '\0';
}

void pario_text_release(struct pario_text *text)
{
	free(text->data);
	memset(text, 0, sizeof(*text));
}

const char *pario_text_string(const struct pario_text *text)
{
	return text->data ? text->data : "";
}

/*
 * Smallest code point that needs a sequence of this many bytes; shorter values are overlong forms.
 */
static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

/* Length of the sequence and its code point; 0 when invalid (RFC 3629). */
static size_t decode(const char *s, size_t left, uint32_t *point)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t length;
	uint32_t c;

	if (!left)
		return 0;
	*point = u[0];
	if (u[0] < 0x80)
		return 1;
	length = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (u[0] < 0xc2 || u[0] > 0xf4 || length > left)
		return 0;
	c = u[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	if (c < smallest[length] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return 0;
	*point = c;
	return length;
}

size_t pario_text_utf8(const char *s, size_t left)
{
	uint32_t point;

	return decode(s, left, &point);
}

/*
 * Beyond control bytes and DEL: the C1 range acts as escape sequences on some terminals, line and
 * paragraph separators break lines, and the direction marks can make a name read as another one.
 */
static bool harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void pario_text_clean(struct pario_text *text, const char *string)
{
	size_t left = strlen(string), length;
	uint32_t point;

	for (; left; string += length, left -= length) {
		length = decode(string, left, &point);
		if (length && !harmful(point)) {
			pario_text_bytes(text, string, length);
			continue;
		}
		if (!length)
			length = 1;
		for (size_t i = 0; i < length; i++)
			pario_text_add(text, "\\x%02x", (unsigned)(unsigned char)string[i]);
	}
}

static char fold(char c)
{
	return c == '-' ? '_' : c;
}

bool pario_text_same_name(const char *a, const char *b)
{
	while (*a && fold(*a) == fold(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

enum { WORD_MAX = 64 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Edits that turn a into b: insert, delete, replace, or swap two neighbours (each row needs two
 * before it).
 */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned row[3][WORD_MAX + 1];

	for (unsigned j = 0; j <= b_length; j++)
		row[0][j] = j;
	for (unsigned i = 1; i <= a_length; i++) {
		unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (unsigned j = 1; j <= b_length; j++) {
			bool same = fold(a[i - 1]) == fold(b[j - 1]);

			now[j] = least(last[j - 1] + !same, least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return row[a_length % 3][b_length];
}

/* A word cut short is the other common slip, but only one candidate makes it a fair guess. */
static const char *only_completion(const char *word, size_t length, const char *const *names,
				   size_t count)
{
	const char *found = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t same = 0;

		while (same < length && names[i][same] && fold(names[i][same]) == fold(word[same]))
			same++;
		if (same < length)
			continue;
		if (found)
			return NULL;
		found = names[i];
	}
	return found;
}

const char *pario_text_nearest(const char *word, const char *const *names, size_t count)
{
	size_t length = strlen(word);
	const char *best = NULL;
	unsigned limit;

	if (length < 2 || length > WORD_MAX)
		return NULL;
	/* one slip per four letters: more would turn unrelated short words into each other */
	limit = least((unsigned)(length + 2) / 4, 3);
	for (size_t i = 0; i < count && limit; i++) {
		size_t name_length = strlen(names[i]);
		unsigned d;

		if (name_length > WORD_MAX)
			continue;
		d = distance(word, length, names[i], name_length);
		if (d <= limit) {
			best = names[i];
			if (!d)
				break;
			limit = d - 1;
		}
	}
	return best ? best : only_completion(word, length, names, count);
}

int pario_text_unknown(struct pario_err *err, const char *near, const char *quotes,
		       const char *otherwise, const char *format, ...)
{
	char what[PARIO_ERR_CAPACITY];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (near)
		return pario_err_set(err, PARIO_USAGE, "%s; did you mean %.1s%s%s?", what, quotes,
				     near, *quotes ? quotes + 1 : "");
	return pario_err_set(err, PARIO_USAGE, "%s%s%s", what, otherwise ? "; " : ".",
			     otherwise ? otherwise : "");
}

char *pario_text_word(char **rest, const char *separators)
{
	return strtok_r(NULL, separators, rest);
}
