/*
 * lock: flock, and what can be done without it: a line that says which process made a file. It removes nothing,
 * whoever is gone.
 */
#include "base/lock.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_S = 600, NAPS_PER_S = 20 };

static bool absent(int sys)
{
	return sys == ENOSYS || sys == EOPNOTSUPP || sys == ENOLCK;
}

enum pario_lock pario_lock_try(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return PARIO_LOCK_TAKEN;
	return absent(errno) ? PARIO_LOCK_ABSENT : PARIO_LOCK_BUSY;
}

/* A name without a file, which the kernel gives to one process at a time and takes back when that one ends. */
static int bind_name(int fd)
{
	const struct timespec nap = { 0, 1000000000 / NAPS_PER_S };
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int holder = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), length;
	struct stat st;

	if (holder < 0 || fstat(fd, &st) < 0)
		return holder;
	length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "pario-lock-%llx-%llx",
			  (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	length += (int)offsetof(struct sockaddr_un, sun_path) + 1;
	for (int i = 0; i < WAIT_S * NAPS_PER_S; i++) {
		if (bind(holder, (struct sockaddr *)&name, (socklen_t)length) == 0)
			return holder;
		if (errno != EADDRINUSE)
			break;
		nanosleep(&nap, NULL);
	}
	close(holder);
	return -1;
}

int pario_lock_wait(int fd, const char *path, int *holder, struct pario_err *err)
{
	int status;

	*holder = -1;
	do {
		status = flock(fd, LOCK_EX);
	} while (status < 0 && errno == EINTR);
	if (status == 0)
		return 0;
	if (!absent(errno))
		return pario_err_sys(err, errno, NULL, "%s cannot be locked", path);
	*holder = bind_name(fd);
	return *holder >= 0 ? 0
			    : pario_err_sys(err, errno,
					    "Another process may be writing to it: wait, or use "
					    "another name.",
					    "%s cannot be reserved for this process", path);
}

/* ---- who made it ---- */

/* When a process started, in the kernel's ticks since the boot; 0 when there is none, or none that still runs. */
static unsigned long long started(long pid)
{
	char path[64], text[1024];
	unsigned long long ticks = 0;
	const char *at;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	/* The program's name may hold anything: count behind its parenthesis, where field 3 begins. */
	at = strrchr(text, ')');
	if (at && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
		return 0;
	for (int field = 3; at && field <= 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		ticks = strtoull(at, NULL, 10);
	return ticks;
}

/* Where process numbers have a meaning: the host, its boot and the namespace, as one word each. */
static void place(char *text, size_t capacity)
{
	char host[65] = "", boot[64] = "", space[64] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	ssize_t length = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);

	gethostname(host, sizeof(host) - 1);
	if (file && !fgets(boot, sizeof(boot), file))
		boot[0] = '\0';
	if (file)
		fclose(file);
	boot[strcspn(boot, "\n")] = '\0';
	space[length > 0 ? length : 0] = '\0';
	snprintf(text, capacity, "%s %s %s", host, boot, space);
}

void pario_lock_maker(char text[PARIO_LOCK_MAKER_CAPACITY])
{
	char here[PARIO_LOCK_MAKER_CAPACITY - 48];

	place(here, sizeof(here));
	snprintf(text, PARIO_LOCK_MAKER_CAPACITY, "%s %ld %llu", here, (long)getpid(),
		 started(getpid()));
}

static size_t first_word(const char *text)
{
	return strcspn(text, " ");
}

enum pario_lock_life pario_lock_life(const char *line, const char *end)
{
	char text[PARIO_LOCK_MAKER_CAPACITY], here[PARIO_LOCK_MAKER_CAPACITY];
	size_t length = (size_t)(end - line), host;
	unsigned long long since, then;
	char *number;
	long pid;

	if (length >= sizeof(text))
		return PARIO_LOCK_UNKNOWN;
	memcpy(text, line, length);
	text[length] = '\0';
	place(here, sizeof(here));
	length = strlen(here);
	host = first_word(here);
	if (host == 0 || strncmp(text, here, host + 1) != 0)
		return PARIO_LOCK_UNKNOWN;
	/* The same machine after another boot: nothing of before it lives. */
	if (strncmp(text + host + 1, here + host + 1, first_word(here + host + 1) + 1) != 0)
		return PARIO_LOCK_GONE;
	if (strncmp(text, here, length) != 0 || text[length] != ' ')
		return PARIO_LOCK_UNKNOWN;
	pid = strtol(text + length, &number, 10);
	then = strtoull(number, NULL, 10);
	if (pid <= 0 || then == 0)
		return PARIO_LOCK_UNKNOWN;
	since = started(pid);
	return since == then ? PARIO_LOCK_LIVES : PARIO_LOCK_GONE;
}
