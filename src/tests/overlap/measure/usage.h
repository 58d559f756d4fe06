/*
 * usage: the CPU time that the scheduler has given to this thread and this process.
 *
 * The process's time holds its helper threads and the kernel's workers that io_uring attaches to it (iou-wrk, iou-sqp).
 * What a thread on another processor has used since the last tick is in no sum: before the process's clock is read,
 * that of each thread is, which brings it up to date. Kernel threads that belong to nobody (kworker, which writes back
 * pages) are not counted. Interrupts are charged to whoever they interrupt.
 */
#ifndef PARIO_TESTS_OVERLAP_MEASURE_USAGE_H
#define PARIO_TESTS_OVERLAP_MEASURE_USAGE_H

#include <stdint.h>

struct pario_usage {
	int64_t thread_ns, process_ns;
	int64_t queue_ns; /* this thread was ready to run and did not; -1 where the kernel does not tell */
};

/* Before and after what is measured. The thread's own time is read nearest to it. */
struct pario_usage pario_usage_begin(void);
struct pario_usage pario_usage_end(const struct pario_usage *begun);

/* What `used` was, and then as much again. */
void pario_usage_add(struct pario_usage *used, const struct pario_usage *more);

/* How often the kernel books time, at least: the length of a tick. */
int64_t pario_usage_tick(void);

#endif
