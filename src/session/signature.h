/*
 * signature: a journal signed with an SSH key, and what its signature is worth.
 *
 * ssh-keygen does both, in the namespace "pario"; the signature lies beside the journal, as journal.jsonl.sig. The sums
 * of the journal's lines find accidents; this finds whoever changes a line and its sum.
 */
#ifndef PARIO_SESSION_SIGNATURE_H
#define PARIO_SESSION_SIGNATURE_H

#include "base/err.h"
#include "base/text.h"
#include "report/page/archive.h"

/* ssh-keygen is waited for so long: it may ask for a passphrase. */
enum { PARIO_SIGNATURE_LIMIT_S = 120 };

/* Can journals be signed with this key? Asked before anything is measured. */
int pario_signature_possible(const char *key, struct pario_err *err);

/* Signs the journal of a run directory that is open as `dirfd`. */
int pario_signature_make(int dirfd, const char *directory, const char *key, struct pario_err *err);

enum pario_signature {
	PARIO_SIGNATURE_NONE,	 /* there is none: nothing is said */
	PARIO_SIGNATURE_GOOD,	 /* of a key; whose it is was not asked */
	PARIO_SIGNATURE_ALLOWED, /* of somebody in the file of allowed signers */
	PARIO_SIGNATURE_BAD, /* changed after signing, of a key that is not allowed, or no signature */
};

/*
 * The same for all journals of an archive: says it to the user and keeps it for the page. -1, with code PARIO_INVALID,
 * when `allowed` is given and one is not signed by whom it allows.
 */
int pario_signature_volumes(struct pario_archive *archive, const char *allowed,
			    struct pario_err *err);

#endif
