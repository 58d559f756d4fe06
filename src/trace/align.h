/*
 * align: how far do the clocks of several machines lie apart?
 *
 * Wall clocks of nodes differ by what their synchronisation leaves, often a millisecond: more than most calls last. But
 * no process leaves a barrier before all have come, and all leave it within moments. The ends of the n-th barrier of
 * MPI_COMM_WORLD (and of the n-th allreduce, allgather and alltoall, which hold everybody as well) are one moment seen
 * by every clock. Each machine's difference from that of the lowest rank is the median over these meetings; its drift,
 * where there are enough of them, is Theil and Sen's: the median of the slopes between pairs. Both stand against a few
 * meetings whose ends were torn apart by noise.
 *
 * A drift is used only when a clock can have it (500 ppm is the most a kernel corrects), when it is several times its
 * standard error and explains the spread; and only between the meetings, never beyond them.
 *
 * The processes of one machine share its clock, so nothing is done to them. A difference is applied only where it is
 * larger than its error: the spread of the meetings around the line, and not less than the shortest stay in them.
 *
 * It misleads where ranks lost calls in the middle of a run: their n-th barrier is another one. Meetings whose
 * operations differ are left out, and the error grows.
 */
#ifndef PARIO_TRACE_ALIGN_H
#define PARIO_TRACE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pario_job;
struct pario_unpack;

/*
 * How a clock goes against another: ahead by offset_ns + drift * (time - origin_ns) between the first and the last
 * meeting. Before and after them nothing is known of the drift: the difference stays what it was there.
 */
struct pario_align {
	uint32_t meetings; /* 0: nothing is known */
	double origin_ns, offset_ns, drift;
	double from_ns, to_ns; /* the first and the last meeting */
	double error_ns;       /* of the difference, between these two */
	double drift_error; /* standard error of the drift; as large as a drift can be when none was found */
	bool reference, applied;
};

enum { PARIO_ALIGN_DRIFT = 8 }; /* meetings without which no drift is looked for */

/*
 * The line through differences at times; `stay_ns` is the shortest stay in each meeting, or NULL. Sorts nothing of the
 * caller's. -1 without memory.
 */
int pario_align_fit(const double *at_ns, const double *ahead_ns, const double *stay_ns,
		    size_t count, struct pario_align *align);

/* What to take off a time of that clock. */
double pario_align_ahead(const struct pario_align *align, double at_ns);

/* Compares the machines of a job with more than one; reads the calls of `u` and rewinds it. */
int pario_align_job(struct pario_job *job, struct pario_unpack *u, struct pario_err *err);

#endif
