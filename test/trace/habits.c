/*
 * habits HABIT DIR: does one thing that a profile should find, and nothing else of note. HABIT is the name of a rule;
 * "none" does the same amount of I/O as one should.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, TIMES = 2000 };

static char buffer[1 << 20], path[4096];
static const char *directory;

static const char *in(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static int create(const char *name)
{
	int fd = open(in(name), O_RDWR | O_CREAT, 0600);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

/* A file to read. */
static int filled(size_t bytes)
{
	int fd = create("input");

	for (size_t at = 0; at < bytes; at += sizeof(buffer))
		if (write(fd, buffer, sizeof(buffer)) < 0)
			exit(1);
	return fd;
}

static void small_requests(void)
{
	int fd = create("out");

	for (int i = 0; i < 20000; i++)
		write(fd, buffer, 10);
	close(fd);
}

static void sync_each(void)
{
	int fd = create("out");
	time_t end = time(NULL) + 1;

	/* where a sync costs nothing, many of them */
	for (int i = 0; i < 100 || (i < TIMES && time(NULL) < end); i++) {
		write(fd, buffer, 100);
		fsync(fd);
	}
	close(fd);
}

static void misaligned(void)
{
	int fd = create("out");

	for (int i = 0; i < TIMES; i++)
		pwrite(fd, buffer, PAGE, (off_t)i * 3 * PAGE + 8);
	close(fd);
}

/* Two processes, both between their first and their last write while the other writes. */
static void together(size_t bytes, off_t apart, off_t step)
{
	int told[2][2], fd = create("out");
	char c = 0;

	if (pipe(told[0]) < 0 || pipe(told[1]) < 0)
		exit(1);
	for (int who = 0; who < 2; who++) {
		if (fork() == 0) {
			for (int i = 0; i < 200; i++) {
				pwrite(fd, buffer, bytes, who * apart + i * step);
				if (i == 100) {
					write(told[who][1], &c, 1);
					read(told[!who][0], &c, 1);
				}
			}
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	close(fd);
}

static void overlapping(void)
{
	together(PAGE, 0, PAGE);
}

static void interleaved(void)
{
	together(PAGE, PAGE, 2 * PAGE);
}

static void rewritten(void)
{
	int fd = create("out");

	for (int i = 0; i < TIMES; i++)
		pwrite(fd, buffer, 16 * PAGE, 0);
	close(fd);
}

/* A permutation: 1009 is prime, and 0, k, 2k ... visits all of it. */
static void random_order(void)
{
	int fd = filled(4 << 20);

	for (int i = 0; i < 1009; i++)
		pread(fd, buffer, PAGE, (off_t)(i * 619L % 1009) * PAGE);
	close(fd);
}

static void read_again(void)
{
	int fd = filled(1 << 20);

	for (int i = 0; i < TIMES; i++)
		pread(fd, buffer, 64 << 10, 0);
	close(fd);
}

static void opened_again(void)
{
	close(filled(1 << 20));
	for (int i = 0; i < TIMES; i++)
		close(open(in("input"), O_RDONLY));
}

static void path_search(void)
{
	char name[64];

	for (int i = 0; i < 50; i++) {
		for (int k = 0; k < 20; k++) {
			snprintf(name, sizeof(name), "place%d/lib%d", k, i);
			open(in(name), O_RDONLY);
		}
	}
}

static void failed_calls(void)
{
	for (int i = 0; i < TIMES; i++)
		unlink(in("nobody"));
}

static void many_stats(void)
{
	struct stat st;

	close(create("out"));
	for (int i = 0; i < TIMES; i++)
		stat(in("out"), &st);
}

/* The parent holds the lock until the child has asked for it, and half a second more. */
static void lock_waits(void)
{
	int told[2], fd = create("out");
	char c = 0;

	if (pipe(told) < 0)
		exit(1);
	flock(fd, LOCK_EX);
	if (fork() == 0) {
		int mine = open(in("out"), O_RDWR);

		write(told[1], &c, 1);
		flock(mine, LOCK_EX);
		_exit(0);
	}
	read(told[0], &c, 1);
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	flock(fd, LOCK_UN);
	wait(NULL);
}

static void read_backward(void)
{
	int fd = filled(4 << 20);

	for (int i = 1023; i >= 0; i--)
		pread(fd, buffer, PAGE, (off_t)i * PAGE);
	close(fd);
}

static void write_through(void)
{
	int fd = open(in("out"), O_WRONLY | O_CREAT | O_DSYNC, 0600);

	for (int i = 0; i < 200; i++)
		pwrite(fd, buffer, PAGE, (off_t)i * PAGE);
	close(fd);
}

static void wrong_advice(void)
{
	int fd = filled(16 << 20);

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (int i = 0; i < 2048; i++)
		pread(fd, buffer, 2 * PAGE, (off_t)i * 2 * PAGE);
	close(fd);
}

static void read_direct(void)
{
	int fd;
	char *aligned;

	close(filled(4 << 20));
	fd = open(in("input"), O_RDONLY | O_DIRECT);
	if (fd < 0 || posix_memalign((void **)&aligned, PAGE, PAGE))
		exit(77); /* not every file system has it */
	for (int i = 0; i < 1024; i++)
		read(fd, aligned, PAGE);
	close(fd);
}

static void none(void)
{
	int fd = filled(8 << 20);

	for (int i = 0; i < 8; i++)
		pread(fd, buffer, sizeof(buffer), (off_t)i << 20);
	fsync(fd);
	close(fd);
}

#define HABIT(name)         \
	{                   \
#name, name \
	}
static const struct {
	const char *name;
	void (*practise)(void);
} habits[] = {
	HABIT(small_requests), HABIT(sync_each),     HABIT(misaligned),	  HABIT(overlapping),
	HABIT(interleaved),    HABIT(rewritten),     HABIT(random_order), HABIT(read_again),
	HABIT(opened_again),   HABIT(path_search),   HABIT(failed_calls), HABIT(many_stats),
	HABIT(lock_waits),     HABIT(read_backward), HABIT(read_direct),  HABIT(write_through),
	HABIT(wrong_advice),   HABIT(none),
};

int main(int argc, char **argv)
{
	directory = argc > 2 ? argv[2] : ".";
	for (size_t i = 0; argc > 1 && i < sizeof(habits) / sizeof(habits[0]); i++) {
		if (strcmp(habits[i].name, argv[1]) == 0) {
			habits[i].practise();
			return 0;
		}
	}
	return 2;
}
