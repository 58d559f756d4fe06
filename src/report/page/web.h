/*
 * web: the page's style and script, built in from web/.
 */
#ifndef PARIO_REPORT_PAGE_WEB_H
#define PARIO_REPORT_PAGE_WEB_H

#include <stddef.h>

#include "base/text.h"

struct pario_web_part {
	const unsigned char *bytes;
	size_t length;
	const char *sha256; /* 64 hexadecimal digits */
};

extern const struct pario_web_part pario_web_style, pario_web_script;

/* Appends 'sha256-...' as a content security policy names a part. */
void pario_web_hash(struct pario_text *out, const struct pario_web_part *part);

#endif
