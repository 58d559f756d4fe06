/*
 * style: tones by meaning, not by colour name; what colour a tone has, and whether it has one, is decided here alone.
 */
#include "report/text/style.h"

#include <string.h>

const char *pario_style_tone(const struct pario_style *style, enum pario_tone tone)
{
	static const char *const escapes[] = {
		[PARIO_TONE_PLAIN] = "\033[0m", [PARIO_TONE_STRONG] = "\033[1m",
		[PARIO_TONE_QUIET] = "\033[2m", [PARIO_TONE_LOOK] = "\033[33m",
		[PARIO_TONE_BAD] = "\033[31m",
	};

	return style->color ? escapes[tone] : "";
}

/* Bytes of the escape that starts here, 0 = none does. */
static size_t escape_of(const char *text)
{
	size_t n = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	while (text[n] && strchr("0123456789;", text[n]))
		n++;
	return text[n] ? n + 1 : n;
}

#define DOT " · "

/* A number stays with its digits, its unit and its sign. */
static bool binds(const char *line, size_t blank)
{
	bool number = strchr("0123456789", line[blank - 1]) != NULL;

	if (blank >= 2 && strncmp(line + blank - 2, "±", strlen("±")) == 0)
		return true;
	return number && line[blank + 1] != ' ' && strncmp(line + blank, DOT, strlen(DOT)) != 0;
}

/* How many bytes of a line go on this row; the whole line when it fits. */
static size_t row_of(const char *line, size_t length, size_t width)
{
	size_t blank = 0, gap = 0, dot = 0, shown = 0;

	for (size_t i = 0; i < length;) {
		size_t skip = escape_of(line + i);

		if (skip) {
			i += skip;
			continue;
		}
		if (shown == width)
			return dot ? dot : gap > 0 ? gap : blank ? blank : length;
		if (line[i] == ' ' && i > 0 && line[i - 1] != ' ' && !binds(line, i)) {
			blank = i;
			gap = line[i + 1] == ' ' && shown > 3 * width / 5 ? i : gap;
			dot = strncmp(line + i, DOT, strlen(DOT)) == 0 && shown > width / 4 ? i
											    : dot;
		}
		shown++;
		for (i++; i < length && ((unsigned char)line[i] & 0xc0) == 0x80; i++)
			;
	}
	return length;
}

static void wrap_line(const char *line, size_t length, size_t columns, size_t indent,
		      struct pario_text *out)
{
	/* The blanks that a line begins with are no place to break it. */
	size_t lead = strspn(line, " "), at = lead < length ? lead : 0, capacity = columns - at;

	pario_text_bytes(out, line, at);
	while (at < length) {
		size_t row = row_of(line + at, length - at, capacity);

		pario_text_bytes(out, line + at, row);
		at += row;
		if (at >= length)
			break;
		at += strncmp(line + at, DOT, strlen(DOT)) == 0 ? strlen(DOT)
								: strspn(line + at, " ");
		pario_text_add(out, "\n%*s", (int)indent, "");
		capacity = columns - indent;
	}
	pario_text_add(out, "\n");
}

unsigned pario_style_width(const struct pario_style *style)
{
	enum { USUAL = 100 };

	return style->columns ? style->columns : USUAL;
}

void pario_style_wrap(const struct pario_style *style, const char *text, unsigned indent,
		      struct pario_text *out)
{
	unsigned columns = pario_style_width(style);
	bool narrow = columns > 2 * indent;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (narrow && strspn(text, " ") < columns / 2) {
			wrap_line(text, length, columns, indent, out);
		} else {
			pario_text_bytes(out, text, length);
			pario_text_add(out, "\n");
		}
		text += length;
		text += *text == '\n';
	}
}

size_t pario_style_letters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

void pario_style_fit(struct pario_text *out, const char *text, size_t width, bool right)
{
	struct pario_text clean = { 0 }, cut = { 0 };
	size_t shown = 0;

	pario_text_clean(&clean, text);
	for (const char *c = pario_text_string(&clean); *c; c++) {
		bool starts = ((unsigned char)*c & 0xc0) != 0x80;

		if (starts && shown == width - 1 && pario_style_letters(c) > 1) {
			pario_text_add(&cut, "…");
			shown++;
			break;
		}
		pario_text_bytes(&cut, c, 1);
		shown += starts;
	}
	pario_text_add(out, "%*s%s%*s", right ? (int)(width - shown) : 0, "",
		       pario_text_string(&cut), right ? 0 : (int)(width - shown), "");
	pario_text_release(&cut);
	pario_text_release(&clean);
}
