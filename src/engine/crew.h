/*
 * crew: client 0 leads, the others follow. One launch measures any number of points, tests and client counts: client
 * 0 broadcasts each bound point as plain bytes and a group of that size is split off; idle ranks poll with backoff.
 */
#ifndef PARIO_ENGINE_CREW_H
#define PARIO_ENGINE_CREW_H

#include "comm/comm.h"
#include "engine/engine.h"
#include "engine/plan.h"
#include "engine/workspace.h"
#include "machine/machine.h"

/* Points whose phases take turns with those of others: see pario_engine_slice. */
enum { PARIO_CREW_SLOTS = 8 };

struct pario_crew {
	struct pario_comm world;
	struct pario_comm_splits splits; /* the groups of its client counts */
	struct pario_nodes nodes;	 /* of the world; client 0 */
	struct pario_workspace workspace;
	struct pario_engine *slots[PARIO_CREW_SLOTS];
	double deadline; /* of the last order, for the end */
	const struct pario_test *const
		*tests; /* all there are, the same list on every client; ends with NULL */
};

/*
 * Before anything that can hang: starts the watchdog, and tells a front that this client lives. `expired` is told
 * when a deadline passes, before everything is ended; `deadline` holds until somebody knows better.
 */
void pario_crew_watch(void (*expired)(const char *sentence), double deadline);

/* Starts MPI and signals. */
int pario_crew_init(struct pario_crew *crew, const struct pario_test *const *tests, int *argc,
		    char ***argv, struct pario_err *err);

/* Client 0: makes the workspace in `parent` on all clients; `pointers`: the run uses shared file pointers. */
int pario_crew_settle(struct pario_crew *crew, const char *parent, const char *id, double deadline,
		      bool pointers, struct pario_err *err);

/* Client 0: runs one bound point on its clients. See pario_engine_run. */
int pario_crew_run(struct pario_crew *crew, struct pario_sink *sink,
		   const struct pario_bound *bound, int *code, struct pario_err *err);

/* Client 0: lets the others go; *code reaches all. */
void pario_crew_dismiss(struct pario_crew *crew, int code, double deadline);

/* The others: do what client 0 says until dismissed; returns the code. */
int pario_crew_follow(struct pario_crew *crew);

/*
 * Ends MPI. Some libraries do not return from that; after a while `late` is told and the process ends with `code`, as
 * it does when a signal comes meanwhile: everything is written by then.
 */
void pario_crew_release(struct pario_crew *crew, int code, void (*late)(const char *sentence));

#endif
