/*
 * segment: reads what one thread left behind, also while it is still writing.
 */
#ifndef PARIO_TRACE_SEGMENT_H
#define PARIO_TRACE_SEGMENT_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/format.h"

struct pario_segment {
	struct pario_trace_segment head; /* as it was when the segment was opened */
	int fd;
	uint64_t next, used, spilled; /* records */
	uint64_t unfinished;	      /* calls: left by a jump, or of those read */
	bool first_of_process;
	bool own; /* it belongs to who reads it */
	uint64_t buffered, at;
	struct pario_trace_record *buffer;
	char text[PARIO_TRACE_TEXT_MAX + 64];
};

/* For scandir: names that segments have. */
int pario_segment_is_name(const struct dirent *entry);

/* 0, or negative when this is no segment of a known version. */
int pario_segment_open(struct pario_segment *segment, const char *directory, const char *name);

/* 1 and the next finished record, with its text where it has one; 0 at the end. Never fails: what makes no sense is
 * counted as unfinished and left out. */
int pario_segment_next(struct pario_segment *segment, struct pario_trace_record *record,
		       const char **text);

void pario_segment_close(struct pario_segment *segment);

#endif
