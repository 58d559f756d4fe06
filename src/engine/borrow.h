/*
 * borrow: the one file that the user names (--filename).
 *
 * Phases that only read want one that is there: it is never created, written, truncated, synced, removed or listed in
 * the manifest, and its expected contents are unknown. Others want a name where nothing is: the file is made for a
 * repetition and removed after it (engine/claim.h).
 */
#ifndef PARIO_ENGINE_BORROW_H
#define PARIO_ENGINE_BORROW_H

#include "base/err.h"
#include "engine/plan.h"

/* Its directory and its name there; dirfd -1 = none is open. */
struct pario_borrowed {
	int dirfd;
	char name[256];
	uint64_t inode; /* as this client sees it, of a file that was made; 0 = there is none */
};

/* `made`: it is made by this run, else it is there, and links to it are followed. */
int pario_borrow_open(struct pario_borrowed *file, const char *path, bool made,
		      struct pario_err *err);
void pario_borrow_close(struct pario_borrowed *file);

#endif
