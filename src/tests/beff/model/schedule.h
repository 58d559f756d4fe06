/*
 * schedule: which measurement comes next and how long it is, decided by process 0 from what was measured so far.
 *
 *	for each repetition
 *		release 3.6: a first look at the shortest message
 *		for each length, pattern, method: one measurement
 *
 * A run has a budget of time, since on a slow network or with more processes than cores even loops of one iteration may
 * take an hour in all. Before each pattern the rest of the repetition is predicted. When it does not fit, less is
 * measured, in this order, and what was left out is said (`pario_beff_schedule_cautions`):
 *
 *	1  of the additional patterns only the fastest method
 *	2  of all patterns only the fastest method
 *	3  of the additional patterns only ping-pong
 *	4+ half, a quarter ... one of the random patterns, then loops of one iteration
 *
 * The paper's loops are as long as the last one was slow; one that ends far too soon after all is made again.
 *
 * A further repetition is begun or gone on with only as far as it fits with 0 to 2.
 *
 * When the budget is over no measurement is begun, whatever lacks: a machine that became slower than predicted costs
 * one measurement more, and perhaps b_eff, never a multiple of the time. What passed before the first measurement is
 * part of the budget (set spent_s).
 */
#ifndef PARIO_TESTS_BEFF_MODEL_SCHEDULE_H
#define PARIO_TESTS_BEFF_MODEL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "tests/beff/model/loop.h"
#include "tests/beff/model/pattern.h"
#include "tests/beff/model/table.h"

/* One measurement; plain bytes, sent to all processes. */
struct pario_beff_step {
	uint32_t repetition, length, pattern, method;
	uint64_t loop;
	bool look; /* release 3.6's first look: timed, not recorded */
	bool warm; /* one untimed iteration before */
	bool end;  /* there is no further one */
};

enum { PARIO_BEFF_RECENT = 64 };

struct pario_beff_schedule {
	enum pario_beff_release release;
	const struct pario_beff_scale *scale;
	const struct pario_beff_pattern *patterns;
	uint64_t lengths[PARIO_BEFF_LENGTHS];
	double a, budget_s;
	struct pario_beff_table table;

	unsigned repetition, length, place; /* place counts patterns × methods */
	bool entered, look, ended;
	bool again;		       /* the last measurement is made again */
	struct pario_beff_pace *paces; /* by pattern and method */
	double latest_s;	       /* an iteration of the last measurement */
	struct pario_beff_loop36 loop36[PARIO_BEFF_METHODS];
	/* release 3.6 at the length before the last two, seen by process 0 */
	double least_s[PARIO_BEFF_METHODS], *best_rate;
	unsigned *best;
	bool shortened, ever_shortened;
	/* budget */
	double spent_s, overheads[PARIO_BEFF_RECENT]; /* what was around the last loops */
	double typical_s[PARIO_BEFF_LENGTHS];	      /* of the last repetition */
	double *sorted;				      /* room to sort paces in */
	uint64_t measured;
	unsigned level, randoms;
	bool hurry;	  /* loops of one iteration */
	uint32_t hurried; /* bit i: at length i */
};

/* `patterns` (count of them) must outlive the schedule. budget_s 0 = the scale's. */
int pario_beff_schedule_init(struct pario_beff_schedule *schedule, enum pario_beff_release release,
			     const struct pario_beff_scale *scale, uint64_t lmax, double budget_s,
			     const struct pario_beff_pattern *patterns, unsigned count,
			     struct pario_err *err);
void pario_beff_schedule_release(struct pario_beff_schedule *schedule);

void pario_beff_schedule_next(struct pario_beff_schedule *schedule, struct pario_beff_step *step);

/* What a measurement brought. own_ns is process 0's time, spent_ns with all that was around the loop. */
struct pario_beff_outcome {
	double own_ns, spent_ns;
	struct pario_beff_record record;
};

void pario_beff_schedule_take(struct pario_beff_schedule *schedule,
			      const struct pario_beff_step *step,
			      const struct pario_beff_outcome *outcome);

/* One sentence per line on what was left out; nothing when all was measured. */
void pario_beff_schedule_cautions(const struct pario_beff_schedule *schedule,
				  struct pario_text *out);

#endif
