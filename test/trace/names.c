/*
 * names DIRECTORY N WAY: N of each call with a name, in a directory that it makes. WAY: absolute, relative or at (a
 * descriptor of the directory).
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MUST(call)                           \
	do {                                 \
		if (!(call))                 \
			err(1, "%s", #call); \
	} while (0)

static char prefix[4096];
static int dir = AT_FDCWD;

static const char *name(const char *begin, int i)
{
	static char text[2][8192];
	static int which;

	which = !which;
	snprintf(text[which], sizeof(text[which]), "%s%s%d", prefix, begin, i);
	return text[which];
}

static void opens(int i)
{
	char buffer[100] = { 0 };
	int fd = openat(dir, name("f", i), O_CREAT | O_RDWR, 0600);
	struct stat st;

	MUST(fd >= 0 && write(fd, buffer, sizeof(buffer)) == sizeof(buffer) && close(fd) == 0);
	fd = openat(dir, name("f", i), O_RDONLY);
	MUST(fd >= 0 && fstat(fd, &st) == 0 && read(fd, buffer, sizeof(buffer)) == sizeof(buffer) &&
	     close(fd) == 0);
	fd = openat(dir, name("x", i), O_CREAT | O_EXCL | O_WRONLY, 0600);
	MUST(fd >= 0 && close(fd) == 0);
}

static void looks(int i)
{
	struct stat st;
	char text[100];

	MUST(fstatat(dir, name("f", i), &st, 0) == 0 && st.st_size == 100);
	MUST(fstatat(dir, name("x", i), &st, AT_SYMLINK_NOFOLLOW) == 0);
	MUST(fstatat(dir, name("none", i), &st, 0) < 0);
	MUST(faccessat(dir, name("f", i), R_OK, 0) == 0);
	MUST(readlinkat(dir, name("f", i), text, sizeof(text)) < 0);
}

static void moves(int i)
{
	int fd;

	MUST(renameat(dir, name("x", i), dir, name("y", i)) == 0);
	MUST(mkdirat(dir, name("d", i), 0700) == 0);
	fd = openat(dir, name("d", i), O_RDONLY | O_DIRECTORY);
	MUST(fd >= 0 && close(fd) == 0);
}

static void removes(int i)
{
	MUST(unlinkat(dir, name("y", i), 0) == 0);
	MUST(unlinkat(dir, name("f", i), 0) == 0);
	MUST(unlinkat(dir, name("d", i), AT_REMOVEDIR) == 0);
}

int main(int argc, char **argv)
{
	void (*const all[])(int) = { opens, looks, moves, removes };
	int n = argc == 4 ? atoi(argv[2]) : 0;

	MUST(n > 0 && mkdir(argv[1], 0700) == 0);
	snprintf(prefix, sizeof(prefix), "%s/", argv[1]);
	if (strcmp(argv[3], "relative") == 0) {
		MUST(chdir(argv[1]) == 0);
		prefix[0] = '\0';
	} else if (strcmp(argv[3], "at") == 0) {
		dir = open(argv[1], O_RDONLY | O_DIRECTORY);
		MUST(dir >= 0);
		prefix[0] = '\0';
	}
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		for (int i = 0; i < n; i++)
			all[k](i);
	}
	return 0;
}
