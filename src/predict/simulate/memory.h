/*
 * memory: what the files of a program have in memory while it runs on a system: the page cache, what is dirty, and
 * the kernel's threads that store it.
 *
 * Storing begins when more is dirty than the background limit, or when something has been dirty for 30 s. Writers
 * wait from half way between the background limit and the hard one, as in Linux.
 */
#ifndef PARIO_PREDICT_SIMULATE_MEMORY_H
#define PARIO_PREDICT_SIMULATE_MEMORY_H

#include "predict/simulate/cache.h"
#include "predict/system/cost.h"
#include "predict/simulate/steps.h"

/* Syncs of a file that are under way. */
struct pario_memory_syncs {
	uint32_t count;
	enum pario_system_op op; /* of the last that began, as the next */
	uint64_t bytes;
};

struct pario_memory {
	const struct pario_costs *costs;
	struct pario_cache *cache;
	uint32_t *content; /* by file: whose pages are under this name */
	uint64_t *ends;	   /* by file: as far as it was seen to reach */
	uint64_t *written; /* by file: bytes since it was closed last */
	bool *grown;	   /* by file: since it was synced last */
	double *asked;	   /* by file: when its name was looked up; before: never */
	bool *found;	   /* by file: others wrote it, and nothing was read of it yet */
	struct pario_memory_syncs *syncs; /* by file */
	uint32_t files, contents;
	double now, dirty_since,
		owed; /* owed: bytes that could have been stored and were not yet */
	double share; /* of the device that the storing gets */
	bool flushing;
	uint64_t names, names_stored; /* changes of names; those that a sync has stored */
	uint64_t *names_of;	      /* by file: those before its last sync */
};

int pario_memory_init(struct pario_memory *m, const struct pario_costs *costs, uint32_t files,
		      double background, struct pario_err *err);
void pario_memory_release(struct pario_memory *m);

/* A file that is in memory when the program starts. */
void pario_memory_warm(struct pario_memory *m, uint32_t file);
/* A file of others that is so long when the program starts. */
void pario_memory_found(struct pario_memory *m, uint32_t file, uint64_t bytes);
/* Stores what is dirty, until `now`. */
void pario_memory_advance(struct pario_memory *m, double now);

/* What a call meets: sets the path of its key. Returns the bytes that the device has to move for it before it ends. */
uint64_t pario_memory_meet(struct pario_memory *m, struct pario_sim_step *step);

/* The call is over. True: calls that join it end, too. */
bool pario_memory_over(struct pario_memory *m, const struct pario_sim_step *step);

/* Advice that the pages of a file are not needed: evicts them, where there is something to evict them to. */
void pario_memory_evict(struct pario_memory *m, uint32_t file);

#endif
