/*
 * style: tones by meaning, not by colour name.
 */
#include "report/style.h"

const char *pario_style_tone(const struct pario_style *style, enum pario_tone tone)
{
	static const char *const escapes[] = {
		[PARIO_TONE_PLAIN] = "\033[0m", [PARIO_TONE_STRONG] = "\033[1m",
		[PARIO_TONE_QUIET] = "\033[2m", [PARIO_TONE_LOOK] = "\033[33m",
		[PARIO_TONE_BAD] = "\033[31m",
	};

	return style->color ? escapes[tone] : "";
}
