/*
 * unproven: names by which files were opened without asking whether they are links. That is found out when the trace is
 * packed, of those that were used: the file gets the name that the link leads to.
 *
 * It misleads where the link is gone by then, or where a file was first used by another thread than the one that opened
 * it, or after thousands of others: there it keeps the name under which it was opened. So does a file that is not
 * what the name leads to by now: its device and inode were written down when it was used.
 */
#ifndef PARIO_TRACE_UNPROVEN_H
#define PARIO_TRACE_UNPROVEN_H

#include "trace/format.h"

/* A name is held back until its file is used. */
struct pario_unproven_name {
	struct pario_trace_record note;
	char *text; /* NULL: none */
};

enum { PARIO_UNPROVEN = 4096 };
struct pario_unproven {
	struct pario_unproven_name names[PARIO_UNPROVEN]; /* by the numbers of files */
};

/*
 * The next record of a segment, and whether it is held back. `passes` is a name that has been held back long enough,
 * to be written first; its text is to be freed.
 */
bool pario_unproven_holds(struct pario_unproven *u, const struct pario_trace_record *record,
			  const char *text, struct pario_unproven_name *passes);
/* The segment has ended: one of those that are left; text NULL = none. */
struct pario_unproven_name pario_unproven_left(struct pario_unproven *u);

#endif
