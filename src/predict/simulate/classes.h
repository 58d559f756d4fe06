/*
 * classes: calls that cost alike: operation, size by powers of two, locality, shared or own file, path. What they
 * took on the reference, what the surfaces say, and what they take in a simulation.
 */
#ifndef PARIO_PREDICT_SIMULATE_CLASSES_H
#define PARIO_PREDICT_SIMULATE_CLASSES_H

#include "predict/system/cost.h"
#include "predict/simulate/station.h"
#include "predict/simulate/steps.h"

enum { PARIO_CLASSES_MOST = 1 << 14, PARIO_EXPLAIN_SUMS = 5 };

/* Calls that took as long as one path or the other; seconds by both. */
struct pario_judged {
	uint64_t calls, bytes;
	double measured, fast, slow, clients;
};

struct pario_class {
	struct pario_cost_key key;
	enum pario_io_part part;
	unsigned power; /* sizes above 2^(power - 2) up to 2^(power - 1); 0: none */
	uint64_t calls, bytes;
	double measured; /* seconds in the trace */
	double model;	 /* seconds by the surfaces */
	double seconds;	 /* seconds that passed in the simulation */
	double clients;	 /* at the same time, the sum over the calls */
	unsigned rests_on;
	double rough;  /* seconds that rest on something else than what was measured */
	double factor; /* by which the reference corrects the model; 0: not asked for yet */
	double explain[PARIO_EXPLAIN_SUMS];
	struct pario_judged
		judged[2]; /* by the clock of the trace, until paths are settled: fast, slow */
	bool has_curve;
	float curve[PARIO_STATION_CURVE];
};

struct pario_classes {
	struct pario_map map;
	struct pario_class *list; /* by number, from 1; 0: those beyond the limit */
	uint32_t capacity;
	uint32_t last; /* that was found */
	struct pario_map_key last_key;
	bool no_memory;
};

/* The class of such a call; a new one when it is new. Never NULL: number 0 takes what is beyond the limit. */
uint32_t pario_class_of(struct pario_classes *c, const struct pario_cost_key *key,
			enum pario_io_part part, uint64_t bytes);
/* The same, 0 when there is none. */
uint32_t pario_class_find(const struct pario_classes *c, const struct pario_class *like);
void pario_classes_release(struct pario_classes *c);

/*
 * Which path the calls of the trace went. Memory was simulated, so each has a likely path. Where a part of a class
 * took as long as the other path takes, and not as one that was merely interrupted does, that part went the other
 * path. This is inferred: the trace does not say it.
 */
void pario_classes_settle(struct pario_classes *c);

/* "read", "64 KiB", "random", "shared", "miss" in one phrase. */
void pario_class_name(const struct pario_class *class, struct pario_text *text);

#endif
