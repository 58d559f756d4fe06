/*
 * study: one phase of the overlap study on one routine: which passes are made, how long, in which order.
 *
 * First the loop is chosen: a fiftieth of the smallest transfer, so that a finished transfer waits for the next look at
 * it no longer than a part of that. A pass goes over its files as often as its time asks for. That is long against the
 * kernel's tick: where time is short there are fewer passes, and fewer sizes of the usual ones, before there are
 * shorter passes. Then for each size: a trial tells how
 * long calls take, which bounds the length of the passes; then in turn a pass that waits, one that computes, and one
 * that computes with half the loop, each of the latter with a calibration and a control of its own just before it. That
 * the loop with all its length takes no longer than with half of it is the proof that computing did not slow the I/O.
 */
#ifndef PARIO_TESTS_OVERLAP_MEASURE_STUDY_H
#define PARIO_TESTS_OVERLAP_MEASURE_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/test.h"
#include "tests/overlap/measure/channels.h"
#include "tests/overlap/model/table.h"

extern const struct pario_metric_info pario_study_metrics[]; /* what a phase adds to its result */

struct pario_study_shape {
	struct pario_channels_shape channels;
	const uint64_t *sizes; /* the caller's, for as long as the study */
	size_t size_count;
	uint64_t counts
		[PARIO_OVERLAP_COUNTS]; /* of channels, one after the other; the largest is channels.channels */
	size_t count_count;
	uint64_t passes; /* of each kind at each size */
	uint64_t sector;
	double loop_ns; /* 0 = chosen */
	double time_s;	/* for all passes with one count; 0 = whole files, and none is repeated */
	double pass_s;	/* for one pass, instead; 0 = what time_s leaves it */
	bool thin;	/* where time is short some of the sizes will do */
	double rpm;	/* 0 = nothing rotates */
	bool vector, cached;
};

struct pario_study {
	struct pario_study_shape shape;
	struct pario_channels channels;
	struct pario_compute full, half;
	struct pario_overlap_own own; /* what the procedure costs */
	size_t sizes;		      /* that are measured, of all in the shape */
	uint64_t passes;	      /* of each kind at each of them */
	double pass_ns;		      /* how long each is to take; 0 = once over the files */
	double size_ns;		      /* what a size gets of the time; 0 = what it needs */
	int64_t began_ns;	      /* the size under way */
	double call_ns;		      /* about what a transfer of it takes */
	uint64_t pass;		      /* so far in this phase: what the loop over passes counts */
	struct pario_overlap_pass *rows;
	size_t count;
};

/*
 * The numbers of channels to study a routine with, ascending: 1, 4, 16 ... up to this client's share of the cores it
 * may run on, where several transfers can be under way; else 1, as for a routine that waits in its calls or moves
 * nothing. Returns how many.
 */
size_t pario_study_counts(const struct pario_routine *routine, uint64_t clients,
			  uint64_t counts[PARIO_OVERLAP_COUNTS]);

/* In setup, before, body, verify and teardown of the test. */
int pario_study_init(struct pario_study *study, struct pario_run *run,
		     const struct pario_study_shape *shape, struct pario_err *err);
int pario_study_body(struct pario_study *study, bool readers, bool writers, struct pario_err *err);
void pario_study_release(struct pario_study *study);

#endif
