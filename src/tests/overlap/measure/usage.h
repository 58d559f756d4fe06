/*
 * usage: the CPU time that the scheduler has given to this thread and this process.
 *
 * The process's time holds its helper threads and the kernel's workers that io_uring attaches to it. Interrupts are
 * charged to whoever they interrupt.
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

#endif
