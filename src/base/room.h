/*
 * room: how much room a file system has, as far as it tells.
 *
 * What it does not tell is PARIO_ROOM_UNKNOWN, which no need exceeds: FUSE programs that answer nothing have no
 * blocks, and others answer with all bits set where they keep no count (ceph-fuse for files).
 */
#ifndef PARIO_BASE_ROOM_H
#define PARIO_BASE_ROOM_H

#include <stdint.h>
#include <sys/statvfs.h>

#include "base/units.h"

#define PARIO_ROOM_UNKNOWN UINT64_MAX

struct pario_room {
	uint64_t total_bytes, free_bytes, free_files;
};

/* Of the file system of a path, or of an open file; errno says why it is -1, and then nothing is known. */
int pario_room_at(const char *path, struct pario_room *room);
int pario_room_of(int fd, struct pario_room *room);

/* "12 GiB", or "an unknown amount". */
const char *pario_room_text(char text[PARIO_UNITS_CAPACITY], uint64_t bytes);

#endif
