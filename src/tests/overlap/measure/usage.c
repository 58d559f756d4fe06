/*
 * usage: the CPU time that the scheduler has given to this thread and this process.
 */
#include "tests/overlap/measure/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The second of the three numbers: nanoseconds on a run queue. */
static int64_t read_queue(void)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	long long queue = -1;
	char text[96];
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return -1;
	text[length] = '\0';
	return sscanf(text, "%*d %lld", &queue) == 1 ? queue : -1;
}

/* The kernel's name of the clock of a thread, which pthread_getcpuclockid gives only for threads of the C library. */
static clockid_t clock_of(unsigned thread)
{
	enum { PER_THREAD = 4, SCHEDULED = 2 };

	return (clockid_t)(~thread << 3 | PER_THREAD | SCHEDULED);
}

/*
 * What all other threads of the process have used so far. A thread that ends takes nothing away: its time stays in the
 * process's.
 */
static int64_t read_helpers(void)
{
	DIR *threads = opendir("/proc/self/task");

	for (struct dirent *e; threads && (e = readdir(threads));)
		if (atoi(e->d_name) > 0)
			read_clock(clock_of((unsigned)atoi(e->d_name)));
	if (threads)
		closedir(threads);
	return read_clock(CLOCK_PROCESS_CPUTIME_ID) - read_clock(CLOCK_THREAD_CPUTIME_ID);
}

struct pario_usage pario_usage_begin(void)
{
	struct pario_usage u;

	u.queue_ns = read_queue();
	u.process_ns = read_helpers();
	u.thread_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	u.process_ns += u.thread_ns;
	return u;
}

struct pario_usage pario_usage_end(const struct pario_usage *begun)
{
	struct pario_usage u;
	int64_t queue_ns;

	u.thread_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	u.process_ns = read_helpers() + u.thread_ns - begun->process_ns;
	u.thread_ns -= begun->thread_ns;
	queue_ns = read_queue();
	u.queue_ns = begun->queue_ns < 0 || queue_ns < 0 ? -1 : queue_ns - begun->queue_ns;
	return u;
}

void pario_usage_add(struct pario_usage *used, const struct pario_usage *more)
{
	used->thread_ns += more->thread_ns;
	used->process_ns += more->process_ns;
	used->queue_ns =
		used->queue_ns < 0 || more->queue_ns < 0 ? -1 : used->queue_ns + more->queue_ns;
}

int64_t pario_usage_tick(void)
{
	enum { USUAL_NS = 4000000 };
	struct timespec t;

	/* The coarse clock goes on with every tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &t) < 0 || t.tv_sec || t.tv_nsec < 1)
		return USUAL_NS;
	return t.tv_nsec;
}
