/*
 * room: statvfs, whose fields are as wide as the machine's words and filled by whoever serves the file system.
 */
#include "base/room.h"

#include <stdbool.h>

/* All bits set, in 64 bits or in the 32 of older interfaces, and what only a negative number can be. */
static bool told(uint64_t count)
{
	return count <= INT64_MAX && count != UINT32_MAX;
}

static uint64_t bytes_of(uint64_t blocks, uint64_t block)
{
	uint64_t bytes;

	if (!told(blocks) || !told(block) || block == 0 || !pario_mul(blocks, block, &bytes))
		return PARIO_ROOM_UNKNOWN;
	return told(bytes) ? bytes : PARIO_ROOM_UNKNOWN;
}

/* What the kernel passed on, made sense of. */
static struct pario_room room_from(const struct statvfs *fs)
{
	uint64_t block = fs->f_frsize ? fs->f_frsize : fs->f_bsize;
	struct pario_room room = { PARIO_ROOM_UNKNOWN, PARIO_ROOM_UNKNOWN, PARIO_ROOM_UNKNOWN };

	if (fs->f_files > 0 && told(fs->f_favail))
		room.free_files = fs->f_favail;
	if (fs->f_blocks == 0)
		return room;
	room.total_bytes = bytes_of(fs->f_blocks, block);
	room.free_bytes = bytes_of(fs->f_bavail, block);
	return room;
}

static int take(int status, const struct statvfs *fs, struct pario_room *room)
{
	static const struct statvfs nothing;

	*room = room_from(status < 0 ? &nothing : fs);
	return status;
}

int pario_room_at(const char *path, struct pario_room *room)
{
	struct statvfs fs;

	return take(statvfs(path, &fs), &fs, room);
}

int pario_room_of(int fd, struct pario_room *room)
{
	struct statvfs fs;

	return take(fstatvfs(fd, &fs), &fs, room);
}

const char *pario_room_text(char text[PARIO_UNITS_CAPACITY], uint64_t bytes)
{
	return bytes == PARIO_ROOM_UNKNOWN ? "an unknown amount" : pario_units_size(text, bytes);
}
