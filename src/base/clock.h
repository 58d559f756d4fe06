/*
 * clock: the one source of durations, monotonic, in nanoseconds, meaningful on one node only.
 */
#ifndef PARIO_BASE_CLOCK_H
#define PARIO_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline int64_t pario_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline double pario_clock_s(int64_t ns)
{
	return (double)ns * 1e-9;
}

/* Wall-clock time as ISO 8601 in UTC with seconds; for labels only, never for durations. */
enum { PARIO_CLOCK_CAPACITY = 32 };
char *pario_clock_label(char *buf);

/*
 * May the processor's counter serve as a clock? The kernel checks it against other clocks all the time and abandons it
 * when it is not steady.
 */
bool pario_clock_counter(void);

#endif
