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

/* Two processes with a pipe to each other. */
static int told[2][2], shared;

static void tell(int who)
{
	char c = 0;

	write(told[who][1], &c, 1);
}

static void hear(int who)
{
	char c;

	read(told[!who][0], &c, 1);
}

static void both(void (*work)(int who))
{
	shared = create("out");
	if (pipe(told[0]) < 0 || pipe(told[1]) < 0)
		exit(1);
	for (int who = 0; who < 2; who++) {
		if (fork() == 0) {
			work(who);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	close(shared);
}

/* Each between its first and its last write while the other writes. */
static void pieces(int who, off_t apart, off_t step)
{
	for (int i = 0; i < 200; i++) {
		pwrite(shared, buffer, PAGE, who * apart + i * step);
		if (i == 100) {
			tell(who);
			hear(who);
		}
	}
}

static void same_pieces(int who)
{
	pieces(who, 0, PAGE);
}

static void next_pieces(int who)
{
	pieces(who, PAGE, 2 * PAGE);
}

static void overlapping(void)
{
	both(same_pieces);
}

static void interleaved(void)
{
	both(next_pieces);
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

static void synced(int writes, size_t bytes, int each)
{
	int fd = create("out");

	for (int i = 1; i <= writes; i++) {
		write(fd, buffer, bytes);
		if (i % each == 0)
			fsync(fd);
	}
	close(fd);
}

static void sync_often(void)
{
	synced(4000, 8192, 10);
}

static void sync_tiny(void)
{
	synced(20000, 100, 50);
}

/* ---- what looks like a habit, and is none ---- */

/* Waits at the end of a file for more, as `tail -f` does: nothing is read backward. */
static void end_of_file(void)
{
	int fd = filled(1 << 20);

	for (int i = 0; i < 20000; i++)
		pread(fd, buffer, PAGE, 1 << 20);
	close(fd);
}

/* Parts of their own, large ones, and one page that both write. */
static void parts_and_page(int who)
{
	for (int i = 0; i < 64; i++)
		pwrite(shared, buffer, sizeof(buffer), (off_t)(2 + 64 * who + i) << 20);
	for (int i = 0; i < 20; i++) {
		tell(who);
		hear(who);
		pwrite(shared, buffer, PAGE, 0);
	}
}

static void overlapping_little(void)
{
	both(parts_and_page);
}

/* The same pages, each process when the other has told it to. */
static void when_told(int who)
{
	if (who)
		tell(who);
	for (int i = 0; i < TIMES; i++) {
		hear(who);
		pwrite(shared, buffer, 16 * PAGE, (off_t)(i % 100) * 16 * PAGE);
		tell(who);
	}
}

static void in_turn(void)
{
	both(when_told);
}

/* One writes a trailer behind what the other writes. */
static void one_behind(int who)
{
	for (int i = 0; i < TIMES; i++)
		pwrite(shared, buffer, PAGE, (off_t)(4 * TIMES * who + i) * PAGE);
	if (who == 0)
		pwrite(shared, buffer, PAGE, (off_t)(8 * TIMES) * PAGE);
}

static void around(void)
{
	both(one_behind);
}

/* What is written again was synced before, so it was to be there. */
static void rewritten_synced(void)
{
	int fd = create("out");

	for (int i = 0; i < TIMES; i++) {
		pwrite(fd, buffer, sizeof(buffer), 0);
		fsync(fd);
	}
	close(fd);
}

/* Reads what somebody else goes on writing. */
static void read_changing(void)
{
	int mine, fd = filled(1 << 20);

	mine = open(in("input"), O_RDONLY);
	for (int i = 0; i < TIMES; i++) {
		pread(mine, buffer, 64 << 10, 0);
		if (i % 10 == 0)
			pwrite(fd, buffer, 100, 0);
	}
	close(fd);
}

/* A lock file: made and removed again and again; another program waits until it can make it. */
static void lock_file(void)
{
	for (int i = 0; i < TIMES; i++) {
		for (int k = 0; k < 5; k++) {
			int fd = open(in("lock"), O_RDWR | O_CREAT | O_EXCL, 0600);

			if (fd >= 0)
				close(fd);
		}
		unlink(in("lock"));
	}
}

/* Looks into every directory whether it has a file of that name, as git and ripgrep do. */
static void each_directory(void)
{
	char name[64];

	for (int i = 0; i < TIMES; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		mkdir(in(name), 0700);
		snprintf(name, sizeof(name), "d%d/.ignore", i);
		open(in(name), O_RDONLY);
	}
}

/* Locks that nobody else wants, and other questions of fcntl. */
static void free_locks(void)
{
	int fd = create("out");

	for (int i = 0; i < 100 * TIMES; i++) {
		struct flock lock = { .l_type = i % 2 ? F_UNLCK : F_WRLCK, .l_len = 1 };

		fcntl(fd, F_SETLK, &lock);
		fcntl(fd, F_GETFL);
	}
	close(fd);
}

/* One small piece in each of many files: there is nothing to collect. */
static void small_files(void)
{
	char name[32];

	for (int i = 0; i < TIMES; i++) {
		int fd;

		snprintf(name, sizeof(name), "f%d", i);
		fd = create(name);
		write(fd, buffer, 100);
		pread(fd, buffer, 3, 0);
		close(fd);
	}
}

/* Begins to bring data to the device, and waits for nothing. */
static void flush_range(void)
{
	int fd = create("out");

	for (int i = 0; i < TIMES; i++) {
		pwrite(fd, buffer, PAGE, (off_t)i * PAGE);
		sync_file_range(fd, (off_t)i * PAGE, PAGE, SYNC_FILE_RANGE_WRITE);
	}
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
	HABIT(small_requests),	   HABIT(sync_each),	 HABIT(misaligned),
	HABIT(overlapping),	   HABIT(interleaved),	 HABIT(rewritten),
	HABIT(random_order),	   HABIT(read_again),	 HABIT(opened_again),
	HABIT(path_search),	   HABIT(failed_calls),	 HABIT(many_stats),
	HABIT(lock_waits),	   HABIT(read_backward), HABIT(read_direct),
	HABIT(write_through),	   HABIT(wrong_advice),	 HABIT(none),
	HABIT(sync_often),	   HABIT(sync_tiny),	 HABIT(end_of_file),
	HABIT(overlapping_little), HABIT(in_turn),	 HABIT(around),
	HABIT(rewritten_synced),   HABIT(read_changing), HABIT(lock_file),
	HABIT(each_directory),	   HABIT(free_locks),	 HABIT(small_files),
	HABIT(flush_range),
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
