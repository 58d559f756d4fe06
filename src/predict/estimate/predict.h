/*
 * predict: how long the I/O of a traced program would take on another system, from its trace or from its profile.
 *
 *	struct pario_prediction p;
 *	pario_predict(&p, &request, &err);
 *	pario_prediction_show(&p, ...);		show.h
 *	pario_prediction_release(&p);
 *
 * A trace, or the journal of `pario profile`, and two SYSTEM files are enough: no MPI, no target.
 */
#ifndef PARIO_PREDICT_ESTIMATE_PREDICT_H
#define PARIO_PREDICT_ESTIMATE_PREDICT_H

#include "base/text.h"
#include "predict/estimate/hybrid.h"
#include "predict/sheet/sheet.h"
#include "predict/simulate/learnt.h"
#include "predict/simulate/simulate.h"

enum pario_model {
	PARIO_MODEL_RATIO,
	PARIO_MODEL_MODEL,
	PARIO_MODEL_HYBRID,
	PARIO_MODEL_REPLAY, /* where one was made */
	PARIO_MODELS
};
enum pario_quantity {
	PARIO_QUANTITY_READ,
	PARIO_QUANTITY_WRITE, /* with syncs */
	PARIO_QUANTITY_NAMES,
	PARIO_QUANTITY_TOTAL, /* I/O time: the three above */
	PARIO_QUANTITY_MAKESPAN,
	PARIO_QUANTITIES
};

extern const char *const pario_model_names[PARIO_MODELS];
extern const char *const pario_quantity_names[PARIO_QUANTITIES];

/* What files have in memory when the program starts on the target. */
enum pario_initial { PARIO_INITIAL_REFERENCE, PARIO_INITIAL_COLD, PARIO_INITIAL_WARM };

enum { PARIO_ACTUAL_RUNS = 64 };

struct pario_predict_request {
	const char *trace; /* or the journal of a profile, or its run directory */
	const struct pario_system *reference, *target;
	double background, think;
	enum pario_initial initial;
	const char *actual
		[PARIO_ACTUAL_RUNS]; /* traces or profiles of the same program on the target */
	int actual_count;
	/* run directories of `pario replay` of the trace on the target, and on the reference */
	const char *replays[PARIO_ACTUAL_RUNS], *reference_replays[PARIO_ACTUAL_RUNS];
	int replay_count, reference_replay_count;
};

struct pario_seconds {
	double seconds, low, high; /* the last two: 90 %; NaN where the model has none */
};

/* Where the difference between the systems comes from, in seconds of I/O by the model. */
struct pario_difference_parts {
	double path, device, locality, concurrency;
};

struct pario_prediction {
	const struct pario_system *systems[2]; /* reference, target */
	struct pario_trace trace;	       /* of a profile: its path, and nothing else */
	bool profiled;			       /* from a profile, whose classes are in `sheet` */
	struct pario_sheet sheet;
	struct pario_costs costs[2];
	struct pario_learnt learnt;
	struct pario_sim reference; /* by the trace's clock */
	struct pario_sim model;	    /* simulated on the reference */
	struct pario_sim target;    /* simulated on the target, corrected */
	struct pario_hybrid hybrid;
	double measured[PARIO_QUANTITIES]; /* on the reference */
	struct pario_seconds estimates[PARIO_MODELS][PARIO_QUANTITIES];
	double actual[PARIO_QUANTITIES], actual_rsd[PARIO_QUANTITIES]; /* NaN: not given */
	int actual_count;
	struct pario_difference_parts difference;
	double rough_share, outside_share, unknown_share; /* of the predicted I/O time */
	double noise_floor;				  /* percent, of both systems together */
	bool same; /* reference and target are the same file */
	bool replayed;
	struct pario_text doubts; /* a line each */
};

int pario_predict(struct pario_prediction *p, const struct pario_predict_request *request,
		  struct pario_err *err);
void pario_prediction_release(struct pario_prediction *p);

#endif
