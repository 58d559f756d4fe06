/*
 * raw_trace FILE CALLS THREADS [BYTES]: what does a preloaded library add to a pread of one byte, or of more?
 *
 * Each thread has a file of its own, FILE.0, FILE.1 ...: of one file the kernel's own contention would be measured.
 * The same loop calls pread as the program sees it and pread as libc has it, in turns, in one process. Prints the
 * median nanoseconds of processor time per call of both, and of the difference, over all threads and rounds.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 41, MOST = 16 };

typedef ssize_t pread_function(int, void *, size_t, off_t);

static const char *name;
static long calls, bytes = 1;
static pread_function *plain;
static double seen_ns[2][MOST * ROUNDS], added_ns[MOST * ROUNDS];

/* Of this thread: with more threads than processors the wall clock says nothing. */
static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double loop(pread_function *function, int fd)
{
	char *buffer = malloc((size_t)bytes);
	double start;

	if (!buffer || function(fd, buffer, (size_t)bytes, 0) != bytes)
		exit(1);
	start = cpu_ns();
	for (long i = 0; i < calls; i++) {
		if (function(fd, buffer, (size_t)bytes, 0) != bytes)
			exit(1);
	}
	start = cpu_ns() - start;
	free(buffer);
	return start / (double)calls;
}

static void *work(void *arg)
{
	long thread = (long)arg;
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s.%ld", name, thread);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || posix_fallocate(fd, 0, bytes) != 0)
		exit(3);
	for (long i = 0; i < ROUNDS; i++) {
		long at = thread * ROUNDS + i;

		seen_ns[0][at] = loop(plain, fd);
		seen_ns[1][at] = loop(pread, fd);
		added_ns[at] = seen_ns[1][at] - seen_ns[0][at];
	}
	close(fd);
	unlink(path);
	return NULL;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, long count)
{
	qsort(values, (size_t)count, sizeof(*values), ascending);
	return values[count / 2];
}

int main(int argc, char **argv)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	long threads = argc >= 4 ? atol(argv[3]) : 0;
	pthread_t thread[MOST];

	if (threads < 1 || threads > MOST || !libc)
		return 2;
	plain = (pread_function *)dlsym(libc, "pread");
	calls = atol(argv[2]);
	name = argv[1];
	if (argc > 4)
		bytes = atol(argv[4]);
	if (bytes < 1)
		return 3;
	for (long i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%.1f %.1f %.1f\n", median(seen_ns[0], threads * ROUNDS),
	       median(seen_ns[1], threads * ROUNDS), median(added_ns, threads * ROUNDS));
	return 0;
}
