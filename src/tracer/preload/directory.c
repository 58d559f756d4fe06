/*
 * directory: where the segments are, opened anew by its path each time, since programs close descriptors they do not
 * know.
 *
 * Where others may rename, that path can lead somewhere else by then, through a link even to a directory of the user's
 * own. The right one belongs to who made it and holds the key, an empty file whose name only traced processes know.
 * Numbers of inodes would prove nothing: on other nodes they may differ.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "tracer/preload/raw.h"
#include "tracer/preload/trace.h"

char pario_trace_directory[PARIO_TRACE_DIRECTORY_MAX + 1];
struct pario_trace_key pario_trace_key;

static bool is_the_one(long fd)
{
	struct stat directory, key;

	return pario_raw3(SYS_fstat, fd, (long)&directory, 0) == 0 &&
	       (directory.st_uid == pario_trace_key.owner ||
		directory.st_uid == (uid_t)pario_raw3(SYS_geteuid, 0, 0, 0)) &&
	       pario_raw6(SYS_newfstatat, fd, (long)pario_trace_key.name, (long)&key,
			  AT_SYMLINK_NOFOLLOW, 0, 0) == 0;
}

long pario_trace_directory_open(void)
{
	long fd = pario_raw6(SYS_openat, AT_FDCWD, (long)pario_trace_directory,
			     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);

	if (fd < 0 || !pario_trace_key.name[0] || is_the_one(fd))
		return fd;
	pario_raw3(SYS_close, fd, 0, 0);
	return -ESTALE;
}

long pario_trace_directory_file(const char *name, long flags)
{
	long directory = pario_trace_directory_open(), fd;

	if (directory < 0)
		return directory;
	fd = pario_raw6(SYS_openat, directory, (long)name, flags | O_CLOEXEC | O_NOFOLLOW, 0600, 0,
			0);
	pario_raw3(SYS_close, directory, 0, 0);
	return fd;
}
