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
char *pario_clock_label_at(char *buf, int64_t unix_s);

/* Seconds since 1970 now, and such a moment in local time: as C's asctime writes it, or as "11/19/2026 20:55:25". */
int64_t pario_clock_unix(void);
char *pario_clock_asctime(char *buf, int64_t unix_s);
char *pario_clock_american(char *buf, int64_t unix_s);

/* The processor's time-stamp counter, of which some processors have none: 0. */
static inline uint64_t pario_clock_count(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/*
 * May the processor's counter serve as a clock? The kernel checks it against other clocks all the time and abandons it
 * when it is not steady.
 */
bool pario_clock_counter(void);

#endif
