/*
 * progress_line: one line about a running measurement, cut to the width of the terminal.
 *
 *	[######------------]  34 %  metadata, 4 clients, repetition 2 · file_create 18.2 k/s · 1 min 52 s left
 */
#ifndef PARIO_SESSION_PROGRESS_LINE_H
#define PARIO_SESSION_PROGRESS_LINE_H

#include <stdint.h>

#include "base/text.h"

/* What was said about the time left: what is known changes with the share that is done, and the clock goes on. */
struct pario_progress_left {
	double share, at_s; /* the last share, and when it was new; */
	double left_s;	    /* the time left was so long then */
	double said_s;	    /* the shortest that was said; 0 = none */
};

struct pario_progress_line {
	uint64_t done, planned; /* phases */
	double within;		/* how much of the phase under way is done, 0 to 1; 0 = unknown */
	double elapsed_s, expected_s; /* expected of the whole run; 0 = unknown */
	double ends_s;		      /* the run ends then, done or not; 0 = when it is done */
	const char *test, *phase;
	uint64_t clients, repetition;	  /* repetition from 0 */
	const char *last_phase;		  /* the phase that ended last, NULL before the first */
	double last_value;		  /* its number; NaN when it has none */
	const char *last_unit;		  /* of the number */
	struct pario_progress_left *left; /* of the lines before; NULL = this is the first one */
};

/*
 * The line without escapes and without a newline, at most columns - 1 letters: what is left out first is the
 * repetition, then the last number, then the bar. The time left follows from the share that is done, and from
 * what is expected of the whole run; nothing is said before a share is done. It never counts up: where more is left
 * than was said, the line says "over".
 */
void pario_progress_line_add(struct pario_text *out, const struct pario_progress_line *state,
			     unsigned columns);

#endif
