/*
 * claim: the one file that a run makes outside its workspace, under the name that the user gave (--filename).
 *
 * It is made empty where nothing is, never through a link. What it is known by (inode, device, time of birth, where
 * the file system tells that) stands in the manifest before its name is there, or right after on file systems that
 * cannot make a file without a name; whatever has another identity, or another owner, is somebody else's and stays.
 */
#ifndef PARIO_ENGINE_CLAIM_H
#define PARIO_ENGINE_CLAIM_H

#include "base/err.h"

/* Makes `name` in a directory that is open, and notes it at the end of a manifest. */
int pario_claim_make(int manifest, int dirfd, const char *name, struct pario_err *err);

/* Notes that there is none any more. */
int pario_claim_forget(int manifest);

enum pario_claim {
	PARIO_CLAIM_NONE,    /* the manifest names none, or it is gone */
	PARIO_CLAIM_THERE,   /* the file that was made; `path` says where */
	PARIO_CLAIM_FOREIGN, /* something else stands under its name by now */
	PARIO_CLAIM_REMOVED,
	PARIO_CLAIM_FAILED, /* it is there and cannot be removed, or cannot be looked at: errno */
};

enum { PARIO_CLAIM_PATH = 4400 };

/* By the text of a manifest: what became of the file; removes exactly that one. */
enum pario_claim pario_claim_look(const char *manifest, char path[PARIO_CLAIM_PATH]);
enum pario_claim pario_claim_remove(const char *manifest, char path[PARIO_CLAIM_PATH]);

#endif
