/*
 * names: what the ids of a log are called, as far as there is room: memory is bounded whatever the log holds.
 */
#ifndef PARIO_DARSHAN_NAMES_H
#define PARIO_DARSHAN_NAMES_H

#include "darshan/log.h"

enum { PARIO_DARSHAN_NAMES = 1 << 17, PARIO_DARSHAN_NAMES_BYTES = 16 << 20 };

struct pario_darshan_names {
	struct pario_darshan_named {
		uint64_t id;
		uint32_t at; /* of its name in `text`, from 1; 0: free */
	} * table;
	char *text;
	size_t slots, used, room, count;
};

int pario_darshan_names_load(struct pario_darshan_names *names, const struct pario_darshan_log *log,
			     struct pario_err *err);
void pario_darshan_names_release(struct pario_darshan_names *names);

/* NULL: it has none, or there was no room. */
const char *pario_darshan_names_of(const struct pario_darshan_names *names, uint64_t id);

#endif
