/*
 * style: how text meets a terminal. Width and colour are decided once, by the command.
 */
#ifndef PARIO_REPORT_TEXT_STYLE_H
#define PARIO_REPORT_TEXT_STYLE_H

#include <stdbool.h>

#include "base/text.h"

struct pario_style {
	unsigned
		columns; /* 0 = not a terminal: no progress line, no escapes, lines of 100 columns */
	bool color;
	bool progress; /* a line can be drawn and taken away again */
};

enum pario_tone {
	PARIO_TONE_PLAIN,
	PARIO_TONE_STRONG,
	PARIO_TONE_QUIET,
	PARIO_TONE_LOOK,
	PARIO_TONE_BAD
};

/* The escape that starts a tone, or "" without colour; PARIO_TONE_PLAIN ends every tone. */
const char *pario_style_tone(const struct pario_style *style, enum pario_tone tone);

/* How wide a line may be. */
unsigned pario_style_width(const struct pario_style *style);

/*
 * Adds lines that end with a newline, broken where they are wider than the terminal: before " · " where one is near,
 * else at a blank. What follows is indented by `indent`. Escapes have no width.
 */
void pario_style_wrap(const struct pario_style *style, const char *text, unsigned indent,
		      struct pario_text *out);

/* How many letters a text has: not bytes. */
size_t pario_style_letters(const char *text);

/* Adds a text in exactly `width` letters, cut or filled up; control bytes are made visible. */
void pario_style_fit(struct pario_text *out, const char *text, size_t width, bool right);

#endif
