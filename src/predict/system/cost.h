/*
 * cost: what a call takes on a system, looked up in its surfaces.
 *
 * Between measured sizes the pieces hold, between measured client counts a line. What was not measured is taken from
 * what is nearest to it: another locality before another path, and for names another operation. How near it was is
 * told with every answer, so that a prediction can say what it rests on.
 */
#ifndef PARIO_PREDICT_SYSTEM_COST_H
#define PARIO_PREDICT_SYSTEM_COST_H

#include "predict/system/system.h"

/* What an answer rests on, a bit each; 0: measured as asked. */
enum {
	PARIO_COST_OTHER_PLACE = 1, /* another locality, or own file for shared */
	PARIO_COST_OTHER_PATH = 2,
	PARIO_COST_OTHER_OP = 4,
	PARIO_COST_SIZE = 8,	 /* the size lies far outside of what was measured */
	PARIO_COST_CLIENTS = 16, /* so does the number of clients */
	PARIO_COST_UNKNOWN = 32, /* nothing is known: no answer */
};

struct pario_cost_key {
	enum pario_system_op op;
	enum pario_system_path path;
	enum pario_system_locality locality;
	bool shared;
	bool anew; /* what the system knows of the file has expired: it asks whoever stores it */
	uint64_t distance_bytes;
};

enum { PARIO_COST_GROUPS = PARIO_SYSTEM_OPS * PARIO_SYSTEM_PATHS * PARIO_SYSTEM_LOCALITIES * 2 };

/* Surfaces that answer for a key, by clients and then distance. */
struct pario_cost_group {
	const struct pario_system_surface **surfaces;
	uint32_t count;
	unsigned rests_on;
};

struct pario_costs {
	const struct pario_system *system;
	const struct pario_system_surface **sorted;
	struct pario_cost_group groups[PARIO_COST_GROUPS];
	bool stays;	  /* nothing is ever written back or read again: the files are memory */
	bool forgets;	  /* opening a file drops its pages */
	double read_rate; /* bytes per second: no more is read by all clients */
	double found; /* seconds: the first read of a file that others wrote takes so much longer */
	double looking; /* seconds: opening takes so much longer where the name has to be looked up */
	double cache_bytes, read_ahead_bytes, background_bytes, limit_bytes, write_back;
};

int pario_costs_init(struct pario_costs *c, const struct pario_system *system,
		     struct pario_err *err);
void pario_costs_release(struct pario_costs *c);

/* Seconds of a call while `clients` do the same; NaN with PARIO_COST_UNKNOWN. Bits are added to *rests_on. */
double pario_cost(const struct pario_costs *c, const struct pario_cost_key *key, uint64_t bytes,
		  double clients, unsigned *rests_on);

/* Deviation of the logarithm of that time: of its repetitions, and of its points about the pieces. */
double pario_cost_spread(const struct pario_costs *c, const struct pario_cost_key *key,
			 uint64_t bytes, double clients);

/* Seconds of a barrier of so many clients; a message of so many bytes. 0 where it was not measured. */
double pario_cost_barrier(const struct pario_costs *c, uint32_t clients);
double pario_cost_message(const struct pario_costs *c, uint64_t bytes);

#endif
