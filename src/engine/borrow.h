/*
 * borrow: a file of the user's that is only read. It is never created, written, truncated, synced, removed or listed
 * in the manifest, and its expected contents are unknown.
 */
#ifndef PARIO_ENGINE_BORROW_H
#define PARIO_ENGINE_BORROW_H

#include "base/err.h"

/* Its directory and its name there, links followed; dirfd -1 = none is open. */
struct pario_borrowed {
	int dirfd;
	char name[256];
};

int pario_borrow_open(struct pario_borrowed *file, const char *path, struct pario_err *err);
void pario_borrow_close(struct pario_borrowed *file);

#endif
