/*
 * live: what a running program does, from the segments it is writing. The program does not notice.
 */
#ifndef PARIO_PROFILE_ANALYSE_LIVE_H
#define PARIO_PROFILE_ANALYSE_LIVE_H

#include "base/text.h"
#include "profile/analyse/profile.h"

enum { PARIO_LIVE_ROWS = 4096 };

struct pario_live_row {
	uint64_t calls, bytes[2];
};

/* A table of sums since the last look; rows are numbered by a map. */
struct pario_live_table {
	struct pario_map map;
	struct pario_live_row row[PARIO_LIVE_ROWS + 1]; /* 0: what found no place */
};

struct pario_live {
	struct pario_map segment_of, place_of, file_of; /* place: a file as one process knows it */
	uint64_t read[PARIO_LIVE_ROWS + 1];		/* records read so far, by segment */
	uint32_t *files;				/* file number by place */
	uint32_t file_capacity;
	char **names; /* by file number */
	uint32_t name_capacity;
	struct pario_live_table operations, named, processes; /* named: files */
	uint64_t calls, all_calls, dropped, unseen; /* unseen: segments beyond the limit */
};

struct pario_live *pario_live_new(void); /* NULL: no memory */
void pario_live_free(struct pario_live *live);

/* Reads what was recorded since the last look; the number of segments, -1 when the directory is gone. */
int pario_live_look(struct pario_live *live, const char *directory);

/* The tables of what the last look found, as rates over `seconds`; names are cut to fit `columns`, 0 = not at all. */
void pario_live_show(const struct pario_live *live, double seconds, unsigned rows, unsigned columns,
		     struct pario_text *text);

#endif
