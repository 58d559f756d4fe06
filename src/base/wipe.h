/*
 * wipe: removing a tree in a directory that others may be changing at the same time.
 *
 * Everything goes by descriptor: no link is followed, no mount point crossed, and what belongs to somebody else than
 * the directory it lies in is left where it is.
 */
#ifndef PARIO_BASE_WIPE_H
#define PARIO_BASE_WIPE_H

#include <stdbool.h>

/*
 * Opens one name in a directory: -1 with ELOOP for a link, EXDEV for what is mounted there. Never waits for the other
 * end of a pipe.
 */
int pario_wipe_open(int dirfd, const char *name, int flags);

/*
 * Removes a file, or a directory with all below it; a slash at the end of the name means nothing. Not being there is
 * fine. -1 and errno when something stays: EPERM where it belongs to another user. `step`, unless NULL, is called
 * before each entry: a tree takes long without anything hanging.
 */
int pario_wipe(int dirfd, const char *name, void (*step)(void));

#endif
