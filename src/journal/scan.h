/*
 * scan: reads JSON text in order, without building a tree; for journals of many thousand lines.
 *
 * The text is a line whose sum is right. It is still not trusted: every reading is bounded, nesting has a limit, and
 * the first thing that is not JSON sets `bad`, after which nothing more is found. A caller walks an object by
 *
 *	for (scan_object(&s); pario_scan_member(&s, name, sizeof(name));)
 *		... take the value with one of the functions below, or pario_scan_skip() ...
 *
 * Names that repeat are the caller's affair: the last one holds.
 */
#ifndef PARIO_JOURNAL_SCAN_H
#define PARIO_JOURNAL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pario_scan {
	const char *at, *end;
	unsigned depth;
	bool first; /* no comma is due */
	bool bad;
};

void pario_scan_init(struct pario_scan *scan, const char *text, size_t length);

/* Enters an object; false (and the value is passed over) when there is none. */
bool pario_scan_object(struct pario_scan *scan);

/* The next member's name, cut to the capacity; false at the end of the object, which is left. */
bool pario_scan_member(struct pario_scan *scan, char *name, size_t capacity);

/* The value as a text with escapes resolved, cut to the capacity; false and "" when it is none. */
bool pario_scan_text(struct pario_scan *scan, char *text, size_t capacity);

/* The value as a number; NaN when it is none. */
double pario_scan_real(struct pario_scan *scan);

/* As a whole number of at most 2^63-1; 0 when it is none. */
uint64_t pario_scan_count(struct pario_scan *scan);

/* Passes over any value. */
void pario_scan_skip(struct pario_scan *scan);

/* True when the whole text was one value and nothing was wrong with it. */
bool pario_scan_done(const struct pario_scan *scan);

#endif
