/*
 * workspace: the one directory a run writes data in. Nothing outside it is ever changed or deleted.
 *
 * Client 0 creates <dir>/pario-<id> with mode 0700; it must not exist before. A manifest in it names every file
 * before the file is created, and only names in the manifest are ever removed. While the run lives, client 0 holds a
 * lock on the manifest; `pario clean` removes workspaces whose lock is free. Where the file system has no locks, the
 * manifest says which process made the workspace, and `clean` on the same machine checks whether it is alive.
 */
#ifndef PARIO_ENGINE_WORKSPACE_H
#define PARIO_ENGINE_WORKSPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/text.h"
#include "comm/comm.h"

#define PARIO_WORKSPACE_MANIFEST "manifest"

struct pario_workspace {
	int dirfd; /* -1 while there is none; the same number on all clients, so that they can tell each other
			 names that go through it (/proc/self/fd) */
	int manifest; /* client 0 only, else -1 */
	bool owner;   /* this client made it and will remove it */
	ssize_t head; /* bytes of the manifest before the first name */
	void *names;  /* that the manifest holds, as a tree of tsearch(3); client 0 only */
	bool apart; /* clients look at it through different kernels or mounts: none of its names is used twice */
	bool claimed;	/* a file was made under a name of the user's */
	uint64_t turns; /* repetitions that made files in it, as client 0 counts them */
	char path[4096];
};

void pario_workspace_init(struct pario_workspace *workspace);

/*
 * Collective. `parent` must be an existing directory that can be written to; a link to one is fine. Anything else
 * is refused with the reason.
 */
int pario_workspace_make(struct pario_workspace *workspace, const struct pario_comm *comm,
			 const char *parent, const char *id, struct pario_err *err);

/*
 * Names a file, or a directory tree when it ends with a slash, that is about to be made; client 0 only. Where
 * clients are apart, a name that was used before is refused: a node may still know what had it and is gone.
 */
int pario_workspace_name(struct pario_workspace *workspace, const char *name,
			 struct pario_err *err);

/* Names `count` files that are about to be made, one for each client, in one line: the manifest does not grow. */
int pario_workspace_name_set(struct pario_workspace *workspace, const char *name, uint64_t count,
			     struct pario_err *err);

/* What file `number` of a set is called. */
void pario_workspace_member(char *to, size_t capacity, const char *name, uint64_t number);

/* Removes one named file or tree now; any client. Not being there is fine. */
int pario_workspace_drop(struct pario_workspace *workspace, const char *name,
			 struct pario_err *err);

/* Removes now the file that was made under the user's own name (engine/claim.h); client 0 only. */
int pario_workspace_unclaim(struct pario_workspace *workspace, struct pario_err *err);

/* Clears, then removes the directory itself. Foreign files in it stay, with it, and are reported. */
int pario_workspace_remove(struct pario_workspace *workspace, struct pario_err *err);

/*
 * Closes without removing, because the user wants to keep the files: `pario clean` will leave them. Their paths are
 * appended to `paths`, each with a NUL at its end.
 */
int pario_workspace_keep(struct pario_workspace *workspace, struct pario_text *paths,
			 struct pario_err *err);

/* Closes without removing (a client that is not the owner). */
void pario_workspace_close(struct pario_workspace *workspace);

/* Can this directory take a workspace? Says why not. Needs no MPI; used before anything is started. */
int pario_workspace_check(const char *parent, struct pario_err *err);

/* This user's workspaces in `parent` whose run is over, without those that were to be kept. */
int pario_workspace_leftovers(const char *parent, const char *own);

enum pario_cleaned {
	PARIO_CLEAN_REMOVED,
	PARIO_CLEAN_KEPT,    /* its run was asked to keep the files */
	PARIO_CLEAN_FOREIGN, /* of another user */
	PARIO_CLEAN_LEFT,    /* in use, holds foreign files, or no workspace at all */
	PARIO_CLEAN_UNKNOWN, /* there are no locks, and whether its run lives cannot be told from here */
};

/*
 * Removes the workspaces that dead runs left in `parent`, kept ones only if asked to; tells about each, and before it
 * looks at one.
 */
int pario_workspace_clean(const char *parent, bool kept_too, void (*at)(const char *path),
			  void (*found)(enum pario_cleaned what, const char *path),
			  struct pario_err *err);

#endif
