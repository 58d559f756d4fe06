/*
 * engine: runs bound points. It owns the clock, the buffers, the files and the agreement between the clients.
 */
#ifndef PARIO_ENGINE_ENGINE_H
#define PARIO_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/backend.h"
#include "base/busy.h"
#include "comm/comm.h"
#include "engine/borrow.h"
#include "engine/data.h"
#include "engine/rate_history.h"
#include "engine/meter.h"
#include "engine/plan.h"
#include "engine/test.h"
#include "engine/workspace.h"
#include "journal/result.h"
#include "machine/load.h"

/* Where results go; called on client 0 only. */
struct pario_sink {
	int (*result)(struct pario_sink *sink, const struct pario_bound *bound,
		      const struct pario_result *result, struct pario_err *err);
	/* `level` is "info" or "warning"; `next` is what to do, may be "". */
	void (*note)(struct pario_sink *sink, const char *level, const char *text,
		     const char *next);
	/* Nothing can be measured any more. Before cleaning up, which may hang; the same words again say nothing. */
	void (*failure)(struct pario_sink *sink, const struct pario_err *err);
	/* A phase begins; for progress lines. `meter` counts until the phase's result comes. */
	void (*progress)(struct pario_sink *sink, const struct pario_bound *bound,
			 const struct pario_phase *phase, uint64_t repetition,
			 const struct pario_meter *meter);
};

enum { PARIO_ENGINE_NAMES = 16 };

/* What a client has used, and what its node has done, up to a moment. */
struct pario_look {
	struct pario_own_load own;
	struct pario_node_load node; /* on the first client of a node */
};

/* State of one group of clients at one point. Only files of run/ look inside. */
struct pario_engine {
	const struct pario_comm *comm;
	struct pario_workspace *workspace;
	struct pario_sink *sink; /* client 0 only */
	const struct pario_bound *bound;
	struct pario_bound own; /* a copy for a point that stays in a slot */
	struct pario_run run;
	struct pario_layout layout; /* of this client */
	struct pario_data data;
	struct pario_meter meter;
	struct pario_detail detail;		/* of the phase that has ended */
	struct pario_look before, after;	/* its barrier and its end */
	struct pario_disturbances disturbances; /* of that time */

	/* files */
	struct pario_file file;
	const struct pario_extent_ops *extent; /* NULL = the backend knows only arrays */
	bool open, stores, unordered, peek, view;
	bool fills; /* each write gets data of its own; else all send those made before the phase */
	bool apart; /* clients reach the files through different kernels or mounts: one may see old data */
	uint64_t turn;	/* of the workspace; where its clients are apart */
	uint64_t looks; /* verifying passes so far */
	struct pario_view
		seen; /* the view that is set: that of the client whose data are accessed */
	uint64_t file_id, generation, sequence;
	struct pario_owner owner;
	char name[256], path[4400];
	struct pario_borrowed borrowed; /* the file that the user named; */
	bool borrows;			/* was there before, and is only read */

	/* buffers and queue */
	char *buffers, *buffers_end;
	char *next;		  /* the buffer whose turn it is, when transfers are synchronous */
	uint64_t buffer_capacity; /* bytes of each */
	unsigned depth, free_count, in_flight;
	struct pario_request *requests;
	unsigned *free_slots;
	unsigned *holds; /* the buffer of each request */
	unsigned *
		spare; /* buffers that no request holds, the longest unused one first, in a circle */
	unsigned buffer_count, spare_first, spare_count;

	/* files and trees that the test named for itself */
	char named[PARIO_ENGINE_NAMES][64];
	size_t named_count;

	/* stopping */
	int64_t stop_ns;  /* by this client's clock; INT64_MAX = no limit */
	int64_t pull_ns;  /* when a transfer ends after this, the loop asks; INT64_MAX = never */
	bool wearing;	  /* past the limit, catching up with the fastest client */
	uint64_t reached; /* transfers made in this phase */
	struct pario_busy busy; /* with --gap, between them */
	bool uneven;	/* clients may have written different numbers of transfers: see done */
	uint64_t *done; /* transfers that each client wrote */
	struct pario_err held;	  /* first error inside collective transfers */
	struct pario_err failure; /* first failed operation of a test that goes on after one */
	char doubt[512];	  /* why the test doubts the number of the phase under way */
	char skipped[256];	  /* why the phase under way cannot run here; "" = it can */
	struct pario_cache_state evicted; /* what the test evicted for the phase under way */

	uint64_t sample_step, looked_at; /* without verification every so many transfers; 0 = all */

	struct pario_result *result;	   /* of the phase under way, NULL outside */
	struct pario_result_tables tables; /* of that result */
	bool effective_said, overrun_said;
	int code; /* the worst of this point so far; the same on all clients */
};

/*
 * Runs one bound point: the repetitions of this visit, with all phases. Collective over comm. Results go to the sink on
 * client 0. Returns 0 also when phases failed (their results say so); -1 when the run cannot go on. *code gets the
 * worst exit code so far.
 */
int pario_engine_run(const struct pario_comm *comm, struct pario_workspace *workspace,
		     struct pario_sink *sink, const struct pario_bound *bound, int *code,
		     struct pario_err *err);

/*
 * The same for a visit of some of the phases, in their order: the first one sets up and leaves the engine in *slot, the
 * last one takes it down and removes the files. Between them other points may run.
 */
int pario_engine_slice(struct pario_engine **slot, const struct pario_comm *comm,
		       struct pario_workspace *workspace, struct pario_sink *sink,
		       const struct pario_bound *bound, int *code, struct pario_err *err);

/* Frees what is in a slot; its files are left to the end of the workspace. */
void pario_engine_drop(struct pario_engine **slot);

/* ---- between the engine's files ---- */

static inline bool pario_engine_stores(const struct pario_engine *engine)
{
	unsigned needs = engine->bound->point.test->needs;

	return (needs & PARIO_NEED_MPI_FILES) ||
	       ((needs & PARIO_NEED_FILES) &&
		!(engine->bound->point.backend->bits & PARIO_BACKEND_NO_DATA));
}

/* Does the test reach what it measures without the engine's files? */
static inline bool pario_engine_by_itself(const struct pario_engine *engine)
{
	return !(engine->bound->point.test->needs & (PARIO_NEED_FILES | PARIO_NEED_MPI_FILES));
}

static inline bool pario_engine_has_files(const struct pario_engine *engine)
{
	return (engine->bound->point.test->needs & PARIO_NEED_FILES) &&
	       engine->layout.file_bytes > 0;
}

/* Data in files called as pario_access_name says: opened by the engine, or in a pass of the test's own. */
static inline bool pario_engine_file_data(const struct pario_engine *engine)
{
	return (engine->bound->point.test->needs & (PARIO_NEED_FILES | PARIO_NEED_MPI_FILES)) &&
	       engine->layout.file_bytes > 0;
}

static inline bool pario_engine_sustained(const struct pario_engine *engine)
{
	return engine->bound->access.durability == PARIO_SUSTAINED;
}

static inline bool pario_engine_borrows(const struct pario_engine *engine)
{
	return engine->borrows;
}

/* The user named the file, which was there before or is made there. */
static inline bool pario_engine_named(const struct pario_engine *engine)
{
	return engine->layout.filename != NULL;
}

/* The directory of the files. */
static inline int pario_engine_dirfd(const struct pario_engine *engine)
{
	return pario_engine_named(engine) ? engine->borrowed.dirfd : engine->workspace->dirfd;
}

int pario_access_init(struct pario_engine *engine, struct pario_err *err);
void pario_access_release(struct pario_engine *engine);
/* Before a phase: poisons the buffers of one that reads, fills those of one that always sends the same. */
void pario_access_prepare(struct pario_engine *engine);
void pario_access_watch_open(const struct pario_engine *engine); /* until pario_watch_whole */
int pario_access_open(struct pario_engine *engine, bool create, struct pario_err *err);
int pario_access_drain(struct pario_engine *engine, struct pario_err *err);
int pario_access_sync(struct pario_engine *engine, struct pario_err *err);
int pario_access_close(struct pario_engine *engine, struct pario_err *err);
void pario_access_name(const struct pario_engine *engine, uint64_t client, char name[64]);
/* What the clients' own files have in common: pario_workspace_member makes the names of it. */
void pario_access_set(const struct pario_engine *engine, char name[64]);
/* The same, or the file that the user named: what is opened in pario_engine_dirfd. */
void pario_access_place(const struct pario_engine *engine, uint64_t client, char name[256]);

/* What a sample takes of one client's data: so many transfers, and of each so many bytes at most. */
enum { PARIO_SAMPLE_TRANSFERS = 16, PARIO_SAMPLE_BYTES = 65536 };

/* The client whose part this one reads. */
uint64_t pario_engine_read_target(const struct pario_engine *engine);

/* After a phase: is what it wrote really there? `verify_due`: all of it is compared. Collective, never timed. */
int pario_prove(struct pario_engine *engine, bool verify_due, struct pario_err *err);
/* After a read that failed: where it brought old data, the error says that nothing is lost. Collective. */
void pario_prove_stale(struct pario_engine *engine, struct pario_err *err);

/* After a phase that wrote all of it: is the file as long as it must be? */
int pario_verify_size(struct pario_engine *engine, struct pario_err *err);

/*
 * begin: finds out whether clients may see different things. files: all clients see the files as long as they are,
 * where one may still have an older size; with `evict` nothing that a client's node may have cached is left. Both are
 * collective. looked_old: may the error come from old data? Only such a one is worth another look.
 */
int pario_fresh_begin(struct pario_engine *engine, struct pario_err *err);
int pario_fresh_files(struct pario_engine *engine, bool evict, struct pario_err *err);
bool pario_fresh_looked_old(const struct pario_err *err);

/* Says once per point which hints were asked for and which are in effect; client 0 speaks. */
void pario_engine_say_hints(struct pario_engine *engine, const struct pario_hints *effective,
			    bool confirmed);

/* Evicts on every node what it may hold of the files. Collective. */
int pario_cache_state_evict(struct pario_engine *engine, struct pario_err *err);
/* Sets and proves the cache state of a phase on the engine's files and those the test named for MPI-IO. */
int pario_cache_state_prepare(struct pario_engine *engine, bool creates, struct pario_err *err);
/* After the phase: what the test itself evicted, over all clients, becomes the result's cache state. */
void pario_cache_state_collect(struct pario_engine *engine);
void pario_cache_state_judge(struct pario_engine *engine, struct pario_result *result);

/* Before and after a phase, never within its time; then what lay between becomes part of the result. Collective. */
void pario_disturbance_look(struct pario_engine *engine, struct pario_look *look);
/*
 * Within a phase: from `go` to `stop` the client moves data, and what it waits for a processor is counted. Neither is
 * part of what is timed.
 */
void pario_disturbance_go(struct pario_engine *engine);
void pario_disturbance_stop(struct pario_engine *engine);
void pario_disturbance_judge(struct pario_engine *engine, struct pario_result *result);

/* Is the thing measured what took the time? Else the number is suspect. */
void pario_engine_judge_brief(struct pario_engine *engine, struct pario_result *result);

/* Flags the number, with one more reason. */
void pario_engine_suspect(struct pario_result *result, const char *reason);

/* Prepares the stop of a phase; `limited` is false for passes that are not timed. */
void pario_limit_start(struct pario_engine *engine, bool limited);
/* A body that ends early, by an error or its own way, still takes part in the agreement on the stop. */
void pario_limit_leave(struct pario_engine *engine);
/* After a phase that wrote: every client learns how much each wrote. */
void pario_limit_share(struct pario_engine *engine);

#endif
