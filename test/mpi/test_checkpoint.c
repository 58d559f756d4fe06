/*
 * test_checkpoint: a checkpoint that is cut short at any moment is not read; one that is whole is.
 *
 * clients: 1
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

#include "tests/checkpoint/measure/seal.h"
#include "../temporary.h"

enum { FILES = 3, BYTES = 5000 };

static int failures;

#define CHECK(good, ...)                             \
	do {                                         \
		if (!(good)) {                       \
			failures++;                  \
			printf("FAIL checkpoint: "); \
			printf(__VA_ARGS__);         \
			putchar('\n');               \
		}                                    \
	} while (0)

/* Half of a file, the rest, its name, for each file; then the seal. Ends itself by SIGKILL before step `last`. */
static void write_until(int dirfd, int last)
{
	struct pario_text list = { 0 };
	struct pario_err err = { 0 };
	char name[32], part[40], bytes[BYTES] = { 1 };
	int step = 0;

#define STEP(action)                             \
	do {                                     \
		if (step++ == last)              \
			kill(getpid(), SIGKILL); \
		action;                          \
	} while (0)
	for (int i = 0; i < FILES; i++) {
		int fd;

		snprintf(name, sizeof(name), "rank_%d", i);
		snprintf(part, sizeof(part), "%s" PARIO_SEAL_PART, name);
		STEP(fd = openat(dirfd, part, O_WRONLY | O_CREAT | O_EXCL, 0600));
		STEP(if (write(fd, bytes, BYTES / 2) != BYTES / 2) _exit(1));
		STEP(if (write(fd, bytes, BYTES / 2) != BYTES / 2) _exit(1));
		STEP(close(fd));
		STEP(if (pario_seal_settle(dirfd, name, &err) < 0) _exit(1));
		pario_text_add(&list, "%d %s\n", BYTES, name);
	}
	STEP(if (pario_seal_close(dirfd, &list, &err) < 0) _exit(1));
	pario_text_release(&list);
	kill(getpid(), SIGKILL);
}

enum { STEPS = 5 * FILES + 1 };

static void wipe(const char *path)
{
	DIR *d = opendir(path);

	for (struct dirent *e; (e = readdir(d));)
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

/* A directory of its own for a case. */
static int enter(char path[TEMPORARY_CAPACITY])
{
	int fd = mkdtemp(temporary(path, "checkpoint")) ? open(path, O_RDONLY | O_DIRECTORY) : -1;

	CHECK(fd >= 0, "there is no directory");
	return fd;
}

static void leave(const char *path, int fd)
{
	wipe(path);
	close(fd);
	rmdir(path);
}

static void killed(void)
{
	char path[TEMPORARY_CAPACITY];
	struct pario_err err;
	int dirfd = enter(path), fd, status;

	for (int last = 0; last <= STEPS; last++) {
		pid_t child = fork();

		if (child == 0)
			write_until(dirfd, last);
		waitpid(child, &status, 0);
		CHECK(WIFSIGNALED(status), "step %d was not reached", last);
		err = (struct pario_err){ 0 };
		status = pario_seal_check(dirfd, &err);
		CHECK(status == (last < STEPS ? -1 : 0), "killed before step %d: %s", last,
		      err.text);
		CHECK(status == 0 || err.code == PARIO_VERIFY, "step %d: %s", last, err.text);
		if (last < STEPS)
			wipe(path);
	}
	fd = openat(dirfd, "rank_1", O_WRONLY);
	CHECK(ftruncate(fd, BYTES - 1) == 0, "rank_1 cannot be cut");
	close(fd);
	CHECK(pario_seal_check(dirfd, &err) < 0 && strstr(err.text, "rank_1 is shorter"),
	      "a file that was cut after the seal: %s", err.text);
	leave(path, dirfd);
}

/* Lists that nothing has made: refused, and no file outside the directory is looked at. */
static void hostile_lists(void)
{
	static const char *const lists[] = { "",
					     "pario checkpoint 1\n",
					     "pario checkpoint 2\nend\n",
					     "pario checkpoint 1\n5 ../passwd\nend\n",
					     "pario checkpoint 1\nfile\nend\n",
					     "pario checkpoint 1\n-5\nend\n",
					     "pario checkpoint 1\n1 nowhere\nend\n" };
	char path[TEMPORARY_CAPACITY];
	struct pario_err err;
	int dirfd = enter(path), fd;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		size_t length = strlen(lists[i]);

		fd = openat(dirfd, PARIO_SEAL_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		CHECK(write(fd, lists[i], length) == (ssize_t)length, "list %zu", i);
		close(fd);
		CHECK(pario_seal_check(dirfd, &err) < 0, "list %zu passes for a checkpoint", i);
	}
	leave(path, dirfd);
}

int main(int argc, char **argv)
{
	/* Children that are killed must not be those of a program that MPI knows. */
	killed();
	hostile_lists();
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	if (failures == 0)
		puts("ok: checkpoint");
	return failures != 0;
}
