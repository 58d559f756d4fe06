/*
 * place: where a file of the traced program lies in the tree that a replay works in.
 *
 * A name of the original becomes a path below the tree: "/data/a/../b" becomes "data/b". The result never begins with a
 * slash and never holds "." or "..", so that nothing outside the tree can be reached by it. Links of the tree have such
 * a path below the tree as their text, so that following them does not leave it either.
 */
#ifndef PARIO_TESTS_REPLAY_MODEL_PLACE_H
#define PARIO_TESTS_REPLAY_MODEL_PLACE_H

#include <stdbool.h>
#include <stddef.h>

enum { PARIO_PLACE_CAPACITY = 4096 };

/* False for a name that has no place: empty, or too long. The root of the original is ".". */
bool pario_replay_place(const char *name, char path[PARIO_PLACE_CAPACITY]);

/* The rest of a name below a directory, cleaned in the same way; false when it is not below it, or leads out of it. */
bool pario_replay_place_below(const char *directory, const char *name,
			      char path[PARIO_PLACE_CAPACITY]);

/* What the text of a link at `link` (a name of the original) points to, as a path below the tree. */
bool pario_replay_link_place(const char *link, const char *text, char path[PARIO_PLACE_CAPACITY]);

/* The directory that a place is in; false for ".". */
bool pario_replay_parent(const char *path, char parent[PARIO_PLACE_CAPACITY]);

#endif
