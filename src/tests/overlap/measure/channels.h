/*
 * channels: files of one client, moved side by side through one routine, while the client waits or computes.
 *
 * The procedure of the overlap study (docs/overlap.md). A pass moves the same number of buffers on every
 * channel. Waiting: begin a transfer on each channel, wait for all, repeat. Computing: go round the channels, begin a
 * transfer where none is under way, and compute between the rounds; the number of rounds is counted. A round is
 * calibrated by three readings of the clock while nothing is under way, taking the branch of a busy channel: in many
 * short stretches for the round itself, and in one as long as a pass for the interruptions that a pass meets as well.
 *
 * A client reads its first files and writes others, so that reading never meets what a pass wrote. Every word of the
 * files that are read belongs to its place; a written block begins with a word of its place and goes on with words of
 * the buffer. Readers compare the first word of every block; all written blocks of the last pass are compared whole.
 */
#ifndef PARIO_TESTS_OVERLAP_MEASURE_CHANNELS_H
#define PARIO_TESTS_OVERLAP_MEASURE_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/test.h"
#include "tests/overlap/measure/compute.h"
#include "tests/overlap/measure/routine.h"
#include "tests/overlap/measure/usage.h"
#include "tests/overlap/model/overhead.h"

struct pario_run;

struct pario_channels_shape {
	const struct pario_routine *routine;
	const struct pario_plant *plant;
	uint64_t channels;	  /* that read, and as many that write */
	uint64_t file_bytes;	  /* of each file */
	uint64_t buffer_capacity; /* largest transfer */
	bool random, direct;
};

struct pario_channel_state; /* one channel with its place in the pass */

struct pario_channels {
	char directory[PARIO_NAME_CAPACITY]; /* that all clients share */
	struct pario_run *run;
	struct pario_channels_shape shape;
	struct pario_channel_state *channel; /* 2 x channels: readers, then writers */
	uint64_t active;      /* channels to open, of each direction; at most shape.channels */
	uint64_t from, count; /* the ones in use: the last readers and the first writers */
	uint64_t size, calls; /* bytes of a transfer, transfers of a channel in this pass */
	int64_t patience_ns; /* a pass that takes longer is ended after what is under way; 0 = never */
	int64_t end_ns;	     /* when that is */
	int64_t began_ns,
		first_ns; /* of this walk; until the first of each channel was there, added up */
	uint64_t walks;	  /* over the files so far; every one has a random order of its own */
	bool cold;	  /* what is read is evicted before each walk */
	bool made, open;
};

struct pario_channels_pass {
	int64_t elapsed_ns;
	uint64_t calls, loops; /* of all channels; rounds with computing */
	int64_t first_ns; /* until the first transfer of a walk was there: all walks, the mean of the channels */
	uint64_t walks;
	struct pario_usage used;
};

/* In setup: names the files, makes nothing. Release is fine after a failure. */
int pario_channels_init(struct pario_channels *channels, struct pario_run *run,
			const struct pario_channels_shape *shape, struct pario_err *err);
void pario_channels_release(struct pario_channels *channels);

/* Makes the files, once. */
int pario_channels_make(struct pario_channels *channels, struct pario_err *err);

/* Opens the active readers, writers or both for transfers of this size; close waits for nothing. */
int pario_channels_open(struct pario_channels *channels, bool readers, bool writers, uint64_t size,
			struct pario_err *err);
int pario_channels_close(struct pario_channels *channels, struct pario_err *err);

/*
 * A pass: walks over the files, at least one, until they have taken `least_ns` together. A walk makes `calls` transfers
 * on each channel, or as many as patience and the file allow; where the channels are cold, what the readers will read
 * is evicted before it, which is not in the time. Without `compute` the walks wait. Each is counted as one operation.
 */
int pario_channels_pass(struct pario_channels *channels, uint64_t calls, int64_t least_ns,
			struct pario_compute *compute, struct pario_channels_pass *pass,
			struct pario_err *err);

/* How long one round with computing takes: `count` measurements, each of as many rounds as take at least 20 us. */
int pario_channels_calibrate(struct pario_channels *channels, struct pario_compute *compute,
			     double *values, size_t count, struct pario_err *err);

/*
 * The same over one long stretch of `rounds` rounds, with whatever interrupts a program that long: per round by the
 * wall clock and by the scheduler's, and for how long in all the thread was ready and did not run.
 */
struct pario_channels_control {
	double ns, cpu_ns, late_ns;
	uint64_t rounds;
};

int pario_channels_idle(struct pario_channels *channels, struct pario_compute *compute,
			uint64_t rounds, struct pario_channels_control *control,
			struct pario_err *err);

/*
 * What the procedure itself costs: short passes through a routine that moves nothing and is ready some time after
 * it was begun. What they take beyond that is nobody's I/O. Leaves the channels closed.
 */
int pario_channels_own(struct pario_channels *channels, bool readers, bool writers,
		       struct pario_overlap_own *own, struct pario_err *err);

/* Reads back every block that the last walk wrote. */
int pario_channels_check(struct pario_channels *channels, struct pario_err *err);

#endif
