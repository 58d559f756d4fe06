/*
 * markup: everything that the report writes from a journal goes through here or through base/json.
 */
#include "report/page/markup.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Letters with a meaning in HTML; the rest of ASCII stands for itself. */
static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* The code point of a valid sequence of two or three bytes; longer ones hold nothing of interest here. */
static uint32_t point_of(const char *s, size_t length)
{
	const unsigned char *u = (const unsigned char *)s;

	if (length == 2)
		return (uint32_t)(u[0] & 0x1f) << 6 | (u[1] & 0x3f);
	if (length == 3)
		return (uint32_t)(u[0] & 0x0f) << 12 | (uint32_t)(u[1] & 0x3f) << 6 | (u[2] & 0x3f);
	return 0;
}

/* C1 controls, direction marks, separators and other characters that act without being seen. */
static bool unseen(uint32_t c)
{
	return (c >= 0x80 && c < 0xa0) || c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xfdd0 && c <= 0xfdef) || c >= 0xfffe;
}

static void walk(struct pario_text *out, const char *string, bool html)
{
	size_t left = strlen(string);

	while (left) {
		size_t plain = 0, length;

		while (plain < left && string[plain] >= 0x20 && string[plain] < 0x7f &&
		       !(html && entity(string[plain])))
			plain++;
		if (plain) {
			pario_text_bytes(out, string, plain);
			string += plain;
			left -= plain;
			continue;
		}
		length = pario_text_utf8(string, left);
		if (length == 1 && entity(*string))
			pario_text_add(out, "%s", entity(*string));
		else if (length <= 1)
			pario_text_add(out, "\\x%02x", (unsigned char)*string);
		else if (unseen(point_of(string, length)))
			pario_text_add(out, "\\u%04x", (unsigned)point_of(string, length));
		else
			pario_text_bytes(out, string, length);
		length = length ? length : 1;
		string += length;
		left -= length;
	}
}

void pario_markup_text(struct pario_text *out, const char *string)
{
	walk(out, string, true);
}

void pario_markup_plain(struct pario_text *out, const char *string)
{
	walk(out, string, false);
}

void pario_markup_number(struct pario_text *out, double value)
{
	char number[40];

	/* Seven digits are enough for what was measured; moments and bytes are counted. */
	snprintf(number, sizeof(number),
		 value == trunc(value) && fabs(value) < 0x1p53 ? "%.0f" : "%.7g", value);
	for (char *c = number; *c; c++)
		*c = *c == ',' ? '.' : *c;
	pario_text_add(out, "%s", isfinite(value) ? number : "null");
}

void pario_markup_place(struct pario_text *out, double value)
{
	long tenths = isfinite(value) ? lround(fmin(fmax(value, -1e6), 1e6) * 10) : 0;

	if (tenths % 10)
		pario_text_add(out, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10,
			       labs(tenths) % 10);
	else
		pario_text_add(out, "%ld", tenths / 10);
}

void pario_markup_attribute(struct pario_text *out, const char *name, const char *value)
{
	pario_text_add(out, " %s=\"", name);
	pario_markup_text(out, value);
	pario_text_add(out, "\"");
}
