/*
 * usage: the CPU time that the scheduler has given to this thread and this process.
 */
#include "tests/overlap/measure/usage.h"

#include <fcntl.h>
#include <stdio.h>
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

struct pario_usage pario_usage_begin(void)
{
	struct pario_usage u;

	u.queue_ns = read_queue();
	u.process_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	u.thread_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	return u;
}

struct pario_usage pario_usage_end(const struct pario_usage *begun)
{
	struct pario_usage u;
	int64_t queue_ns;

	u.thread_ns = read_clock(CLOCK_THREAD_CPUTIME_ID) - begun->thread_ns;
	u.process_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) - begun->process_ns;
	queue_ns = read_queue();
	u.queue_ns = begun->queue_ns < 0 || queue_ns < 0 ? -1 : queue_ns - begun->queue_ns;
	return u;
}
