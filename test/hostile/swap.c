/*
 * swap: another user who exchanges two names as fast as the kernel does it.
 *
 *	swap A B [TIMES [AFTER_MS]]
 *
 * TIMES exchanges (an odd number leaves them exchanged), else until it is ended, at most for a minute. With the pattern
 * DIR/pario-* for A it waits until one name fits, as an attacker would who waits for a workspace to be made, and
 * then AFTER_MS milliseconds more. Prints how often it did.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The name that fits the pattern, once there is one. */
static const char *await(const char *pattern, double end)
{
	static glob_t found;

	while (now() < end) {
		if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
			return found.gl_pathv[0];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long times = argc > 3 ? atol(argv[3]) : 0, done = 0;
	double end = now() + 60;
	const char *a = argc > 2 ? await(argv[1], end) : NULL;

	if (!a)
		return 2;
	if (argc > 4)
		nanosleep(&(struct timespec){ 0, atol(argv[4]) * 1000000 }, NULL);
	while ((times ? done < times : 1) && now() < end)
		done += renameat2(AT_FDCWD, a, AT_FDCWD, argv[2], RENAME_EXCHANGE) == 0;
	printf("%ld\n", done);
	return 0;
}
