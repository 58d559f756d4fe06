/*
 * schedule: how long, how often and by whom: times of b_eff_io's patterns, the end of a loop, the segments of types
 * 3 and 4, and the partitions of release 2.x (docs/beff_io.md).
 */
#ifndef PARIO_TESTS_BEFF_IO_MODEL_SCHEDULE_H
#define PARIO_TESTS_BEFF_IO_MODEL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/beff_io/model/pattern.h"

enum pario_beff_io_release { PARIO_BEFF_IO_PAPER, PARIO_BEFF_IO_RELEASE_2 };

enum { PARIO_BEFF_IO_PARTITIONS = 10, PARIO_BEFF_IO_OFFICIAL_S = 900 };

struct pario_beff_io_plan {
	enum pario_beff_io_release release;
	double seconds; /* T: of all partitions */
	unsigned partitions;
	bool rewrite_all; /* release 2.x: rewrite more than type 0; always true for the paper */
};

/* Is T long enough per partition for a value that counts? */
bool pario_beff_io_official(const struct pario_beff_io_plan *plan);

/* Scheduled time of a pattern with so many units. */
double pario_beff_io_seconds(const struct pario_beff_io_plan *plan, unsigned units);

/* Is the type rewritten, and who wrote last what is read? */
bool pario_beff_io_rewrites(const struct pario_beff_io_plan *plan, enum pario_beff_io_type type);

/* State of a loop after a batch. */
struct pario_beff_io_loop {
	uint64_t calls;	    /* made so far, at least 1 */
	int64_t elapsed_ns; /* since the pattern began */
	uint64_t batch;	    /* calls of the last batch */
	int64_t batch_ns;   /* and its time */
	int64_t scheduled_ns;
	int64_t view_ns; /* from the pattern's beginning to its first call: setting the view */
};

/*
 * Calls of the next batch, 0 = stop. The schedule is one of calls: the view is part of the pattern's time, but no call,
 * and a slow one ends no pattern. Batches double until the time that is left, or a tenth of the schedule, holds no
 * more; a call is taken to last as long as the average or as in the last batch, whichever is longer, so that storage
 * that becomes slower is not given too many.
 */
uint64_t pario_beff_io_next(const struct pario_beff_io_loop *loop);

/* Types 3 and 4: calls of their patterns, and the part of the file that each process has. */
struct pario_beff_io_segment {
	uint64_t calls[8];
	uint64_t sum, bytes, fill; /* what the calls move; L_SEG; the difference */
};

/* `calls` counts those of patterns 0 to 24 in the initial write. False when the sum is beyond 2^63. */
bool pario_beff_io_segment(uint64_t mpart, const uint64_t *calls,
			   struct pario_beff_io_segment *segment);

/*
 * A partition is a number of nodes with so many processes on each (paper, section 5.1). Of the processes 0 .. count-1,
 * whose nodes have the ids `node`, `member` gets those of a partition of `n`: on as many nodes as give all of them
 * equally many, or on `nodes` of them where that is not 0. Where no number of nodes does, one more on some. Process 0
 * is always a member. False when there are not so many nodes with so many processes.
 */
bool pario_beff_io_choose(const uint64_t *node, uint64_t count, uint64_t n, uint64_t nodes,
			  bool *member);

/* Partition sizes of release 2.x for n processes; returns how many. */
unsigned pario_beff_io_partitions(uint64_t n, uint64_t sizes[PARIO_BEFF_IO_PARTITIONS]);

#endif
