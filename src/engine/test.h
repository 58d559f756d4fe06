/*
 * test: the only header a test includes.
 *
 * A test is one file in src/tests that ends with a const struct pario_test named pario_test_<file name>; the build
 * finds it by its file name. The engine gives it its parameters, opens its files, fills its buffers, reads the
 * clock, proves the cache state, verifies what was written and records the result. A test only says what is
 * transferred, in which order. It never prints and never reads the clock.
 *
 * For every point, client count and repetition the engine calls
 *
 *	setup                                  once, untimed
 *	for each phase: before                 untimed
 *	                open body sync close   timed, the first and the last two by the engine
 *	                verify                 untimed
 *	teardown                               once, untimed, also after a failure
 *
 * on all clients alike. Errors are agreed on between the steps, so a hook may simply return -1 on one client; but
 * a hook that communicates must itself make sure that the others do not wait for a client that left.
 */
#ifndef PARIO_ENGINE_TEST_H
#define PARIO_ENGINE_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "backend/mpiio_impl.h"
#include "base/err.h"
#include "base/histogram.h"
#include "base/options.h"
#include "base/random.h"
#include "base/units.h"
#include "engine/datatype_pass.h"
#include "journal/table.h"

/* How data are reached: the same options for every test that transfers data. */
struct pario_access {
	char api[24];
	bool collective, direct, sync, fdatasync, preallocate, verify, file_view, reuse_buffers;
	uint64_t queue_depth;
	int durability; /* enum pario_durability */
	int cache;	/* enum pario_cache_start */
	int mpiio_impl; /* enum pario_mpiio_impl (backend/mpiio_impl.h) */
	char read_shift[24];
	struct pario_hints hints;
};

enum pario_durability { PARIO_SUSTAINED, PARIO_CACHED };
enum pario_cache_start { PARIO_CACHE_AUTO, PARIO_CACHE_COLD, PARIO_CACHE_WARM };

/* One combination of parameters at one client count. */
struct pario_point {
	const struct pario_test *test;
	const void *params; /* the test's own */
	const struct pario_access *access;
	const struct pario_backend *backend;
	const void *backend_params;
	uint64_t index, clients, seed;
	uint64_t
		runs; /* repetitions of all points at all client counts of the plan it belongs to */
	uint64_t per_node;   /* its clients on a node, as far as that is known while planning */
	uint64_t free_bytes; /* of the file system of --dir, likewise */
};

/* What a point will use, said before it runs. Sums are checked for overflow by whoever computes them. */
struct pario_layout {
	bool per_client;       /* one file per client instead of one for all */
	uint64_t file_bytes;   /* size of each file; 0 = no file of the engine or by MPI-IO */
	uint64_t data_bytes;   /* moved by all clients in one phase */
	uint64_t buffer_bytes; /* largest transfer */
	uint64_t memory_bytes; /* what the test itself allocates per client */
	uint64_t extra_files,
		extra_bytes; /* what the test makes without the engine, all clients together */
	/* of a repetition, where the engine does not move the data itself; for plans only */
	uint64_t moved_bytes, operations;
	double seconds;	      /* that its definition or its options set, whatever the storage */
	bool open_ended;      /* extra_bytes are the least: time decides how much is written */
	bool regular;	      /* the client's part of a shared file is the view below */
	bool shuffled;	      /* transfers follow each other in no order */
	bool same_data;	      /* every write of a client sends the same bytes */
	bool uniform;	      /* all transfers are buffer_bytes long and the file has no gaps */
	const char *filename; /* path of the file that the user names; NULL = pario names it */
	struct pario_view view;
	struct pario_array
		array; /* what a library of arrays is to hold; dims 0 = file_bytes bytes */
};

struct pario_phase {
	const char *name;
	bool write;   /* moves data to storage, else from it */
	bool creates; /* needs new files; the others need the files of an earlier phase */
	bool whole;   /* runs to its end whatever the time limit, since later phases build on it */
	uint64_t
		pieces; /* so many of its timed transfers make up one of the phase that wrote; 0 = one */
};

enum { PARIO_PHASES = 24 };

enum pario_run_mode {
	PARIO_MODE_TIMED,
	PARIO_MODE_FILL, /* as timed, but nothing is recorded: makes the data that a read phase needs */
	PARIO_MODE_VERIFY, /* transfers read back and compare instead */
};

/* The one pointer a test gets. Tests read the first part; the rest belongs to the engine. */
struct pario_run {
	const struct pario_point *point;
	const void *params;
	uint64_t client, clients;
	uint64_t
		target; /* the client whose part is accessed: the own one, or a shifted one when reading */
	const struct pario_phase *phase;
	uint64_t repetition, seed;
	MPI_Comm comm; /* the clients of this point */
	void *scratch; /* the test's own, from setup to teardown */

	uint64_t until; /* more() answers without a question while below this */
	enum pario_run_mode mode;
	struct pario_engine *engine;
};

enum pario_need_bits {
	PARIO_NEED_FILES = 1, /* transfers data through a backend; the access options apply */
	PARIO_NEED_MPI_FILES =
		2, /* names a file and opens it itself through MPI-IO (engine/datatype_pass.h) */
	PARIO_NEED_TWO = 4,	  /* makes no sense with one client */
	PARIO_NEED_TOGETHER = 8,  /* its clients leave a loop after the same step, or not at all */
	PARIO_NEED_NO_DIR = 16,	  /* makes no files: no workspace is made for it */
	PARIO_NEED_SQUARE = 64,	  /* makes a square grid of its clients */
	PARIO_NEED_POINTERS = 32, /* uses a file pointer that all clients share */
	PARIO_NEED_GAP = 512, /* asks before each operation, with nothing under way: takes --gap */
	PARIO_NEED_HINTS = 128, /* may open files by MPI-IO in a way of its own: takes hints */
	PARIO_NEED_ROW =
		256, /* its repetitions follow each other at once: they are measured in one state of the machine */
};

/* A number that the test adds to its results, for help and reports. */
struct pario_metric_info {
	const char *name, *unit, *help;
	int better; /* +1 higher, -1 lower, 0 neither */
};

struct pario_test {
	const char *name, *summary;
	const char *question; /* the question it answers, one sentence */
	const char *misleads; /* when its number misleads, one sentence */
	unsigned needs;
	bool alone; /* with one client unless more are asked for */
	const struct pario_option *options;
	size_t params_size;
	const char *repetitions; /* default of --repetitions where it is not 5; may be NULL */
	/* Backends, separated by commas: the first one that is available is the default of --api; NULL = posix. */
	const char *api;
	const struct pario_metric_info *metrics; /* ends with a NULL name; may be NULL */
	/*
	 * Metrics, separated by commas, that are the numbers of the phases: the first one that a result has is shown
	 * for it everywhere. NULL = bytes over time, or operations over time where no bytes are moved.
	 */
	const char *headline;
	/* Contradictions (PARIO_USAGE) and needs of one client at one point; pure, called before anything runs. */
	int (*plan)(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		    struct pario_err *err);
	/* The phases of a repetition; returns how many. */
	unsigned (*phases)(const struct pario_point *point, struct pario_phase *phases);
	int (*setup)(struct pario_run *run, struct pario_err *err);
	/* Makes what the phase needs and does not make itself; the mode is PARIO_MODE_FILL. May be NULL. */
	int (*before)(struct pario_run *run, struct pario_err *err);
	int (*body)(struct pario_run *run, struct pario_err *err);
	/* After the writes of a test with files; after every phase of a test that needs none. */
	int (*verify)(struct pario_run *run, struct pario_err *err);
	void (*teardown)(struct pario_run *run);
};

/*
 * One transfer as the phase says, timed and counted. Offsets are file offsets, views or not. The engine fills the
 * buffer with data that belong to this place before a write, and checks that a read brought them.
 */
int pario_run_transfer(struct pario_run *run, uint64_t offset, uint64_t length,
		       struct pario_err *err);

/*
 * One region of layout.array, where the backend knows arrays: written or read as the phase says, read in verify. The
 * buffer, with the region's elements one after the other, is the test's own: filled before, checked after a pause.
 */
int pario_run_slab(struct pario_run *run, const struct pario_slab *slab, void *buffer,
		   uint64_t bytes, struct pario_err *err);

bool pario_run_ask(struct pario_run *run, uint64_t i, uint64_t count);

/*
 * True while transfer i of count is to be made: false at the end, when the time limit is reached or the user
 * interrupts. Every timed loop goes through it, with i counting from 0.
 */
static inline bool pario_run_more(struct pario_run *run, uint64_t i, uint64_t count)
{
	return i < run->until || pario_run_ask(run, i, count);
}

/* Is what this phase reads to be compared? Not where it was not asked for, nor in a file that was there before. */
bool pario_run_compares(const struct pario_run *run);

/* How many of `count` transfers a client made in the phase that wrote: fewer where a time limit ended it. */
uint64_t pario_run_written(const struct pario_run *run, uint64_t client, uint64_t count);

/*
 * For tests that reach storage by themselves (metadata, derived datatypes, commands).
 *
 * name: a file, or with a slash at its end a directory tree, that the test will make in the workspace. Called from
 * setup on all clients; nothing may be made before setup has returned. `path` gets the whole path. What was named
 * is removed after the repetition.
 */
int pario_run_name(struct pario_run *run, const char *name, char *path, size_t capacity,
		   struct pario_err *err);

/*
 * What to call it: `name`, or where clients look through different kernels or mounts, a name that no repetition
 * had before. A node may go on knowing what is gone. A slash at the end stays there. From setup on.
 */
enum { PARIO_NAME_CAPACITY = 64 };
void pario_run_own_name(const struct pario_run *run, const char *name,
			char own[PARIO_NAME_CAPACITY]);
int pario_run_dirfd(const struct pario_run *run); /* the workspace directory */

/*
 * The same name for libraries that open by path: through the workspace's descriptor, which has one number on all
 * clients, so that nobody who may rename above the workspace can put another directory in its place.
 */
void pario_run_reach(const struct pario_run *run, const char *name, char *path, size_t capacity);

/*
 * The run's id, to lead the name of a file that MPI-IO opens: Open MPI derives the name of a machine-wide semaphore
 * from a file's last component, so equal names of two runs or users would meet there.
 */
const char *pario_run_id(const struct pario_run *run);

enum { PARIO_PATH_CAPACITY = 4600 };

/* The whole path of a name in an open directory, for sentences; and the sentence "<what> <path> failed" for errno. */
void pario_run_path(int dirfd, const char *name, char path[PARIO_PATH_CAPACITY]);
int pario_run_file_error(int dirfd, const char *name, const char *what, struct pario_err *err);

/*
 * A directory of all clients: client 0 makes it, and all open it when it is whole. One that several make at once
 * may be there and not open yet: GlusterFS makes it on one server after another, and says EEXIST, then ENOENT,
 * meanwhile. Collective; -1 on all clients or on none.
 */
int pario_run_directory(struct pario_run *run, const char *name, int *fd, struct pario_err *err);

/* Removes at once something below what was named, with all it holds; not being there is fine. */
int pario_run_wipe(int dirfd, const char *name, struct pario_err *err);

/*
 * One operation is over; it began when the one before it ended (or with the body). Timed and counted; returns how
 * long it took, in nanoseconds. In verify: so many bytes were checked.
 */
int64_t pario_run_count(struct pario_run *run, uint64_t bytes);

/* The clock of the measurement, in nanoseconds, for a method that has times of its own; any thread may ask. */
int64_t pario_run_now(void);

/* Its state, for a process that a test starts without MPI: copied to one, taken from the other; either may be NULL. */
struct pario_run_clock {
	uint64_t state[4];
};
void pario_run_clock(struct pario_run_clock *to, const struct pario_run_clock *from);

/* The same for operations that overlap: `begun` is what pario_run_now said when this one started. */
void pario_run_finish(struct pario_run *run, int64_t begun, uint64_t bytes);

/*
 * One operation failed. It is not counted as done, the loop may go on, and the phase ends as failed with the first
 * of these sentences and the number of failed operations.
 */
void pario_run_failed(struct pario_run *run, const struct pario_err *why);

/* The phase cannot run here: it ends as skipped with this reason, whatever the other clients found. */
void pario_run_skip(struct pario_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The number of this phase is doubtful, for this reason; what client 0 says counts. */
void pario_run_suspect(struct pario_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Memory of this client's node: all of it, what its processes may use of that at all and may still use, cgroups
 * respected, how many clients of this point share it, and a fair share of the total; its number, on how many nodes
 * the point's clients are, and all that the program was started on. Without a run, as in plan, for one client.
 */
struct pario_free_space {
	uint64_t node_bytes, total_bytes, available_bytes, share_bytes, clients;
	uint64_t node, nodes, world_nodes;
};

struct pario_free_space pario_run_capacity(const struct pario_run *run);

/* The client whose things this one looks at: on another node where there is one, else the next. A bijection. */
uint64_t pario_run_partner(const struct pario_run *run);

/*
 * For untimed hooks, on all clients alike: each one's number on all; that of one other client, where every client is
 * asked by one; one's histogram with those of the others.
 */
void pario_run_gather(struct pario_run *run, uint64_t own, uint64_t *all);
uint64_t pario_run_number_of(struct pario_run *run, uint64_t own, uint64_t other);
void pario_run_merge(struct pario_run *run, struct pario_histogram *histogram);

/*
 * Makes a file durable and evicts its pages on this node. What stays cached becomes the phase's cache state and
 * makes its number suspect. Within a body, pause afterwards.
 */
int pario_run_evict(struct pario_run *run, int dirfd, const char *name, struct pario_err *err);

/* Of all that this client has evicted so far in this phase: pages of the files, and those that stayed. */
void pario_run_evicted(const struct pario_run *run, uint64_t *total, uint64_t *resident);

/* In body: what this phase writes, into new files or not, is durable when it ends. */
void pario_run_durable(struct pario_run *run, bool fresh);

/* With --drop_caches: drops all caches of the node, names and inodes too. 1 = dropped, 0 = not asked for. */
int pario_run_drop_caches(struct pario_run *run, struct pario_err *err);

/* True when the workspace lies on a file system that keeps its data in memory: nothing there is cold or durable. */
bool pario_run_in_memory(const struct pario_run *run);

/*
 * For tests that decide together when their loops end. elapsed: since the phase's barrier, by the clock of this
 * client, pauses included. over: this client's time limit has passed or the user interrupts; the clients that
 * share a loop must agree on it. wait: a barrier of all clients of the point in which those who wait sleep.
 */
int64_t pario_run_elapsed_ns(const struct pario_run *run);
bool pario_run_over(const struct pario_run *run);
void pario_run_wait(const struct pario_run *run);

/* The same, and -1 for all where it is that for one of them: so a loop of barriers is left together. */
int pario_run_meet(const struct pario_run *run, int status);

/* A name that no file of another run or point has: some MPI libraries name things of the whole machine after it. */
void pario_run_file_name(const struct pario_run *run, char name[64]);

/*
 * For clients that call a library together, on their communicator: have all succeeded? The worst error becomes that of
 * all, with who had it; 0 or -1, the same everywhere.
 */
int pario_run_agree(MPI_Comm members, int status, struct pario_err *err);

/* The sentence "<what> <path> by MPI-IO failed" for a return code of MPI; returns -1. err->sys is an errno or 0. */
int pario_run_mpi_error(int rc, const char *what, const char *path, struct pario_err *err);

/*
 * This client has failed in a call of MPI-IO, and the library may keep the others waiting for it for ever. Unless
 * they meet within seconds (met), the run is ended with that sentence. For clients that call MPI-IO together.
 */
void pario_run_left(const struct pario_err *err);
void pario_run_met(void);

/*
 * Takes what happened since the last operation out of the time: preparing data, checking an answer. lap leaves it in:
 * a part of an operation. Both return how long that was, in nanoseconds.
 */
int64_t pario_run_pause(struct pario_run *run);
int64_t pario_run_lap(struct pario_run *run);

/* Everything since the last step (or the start of the phase) that was not paused was this part of the work. */
enum pario_step { PARIO_STEP_OPEN, PARIO_STEP_TRANSFER, PARIO_STEP_SYNC, PARIO_STEP_CLOSE };
void pario_run_step(struct pario_run *run, enum pario_step step);

/* The MPI-IO hints of the access options as an info object; the caller frees it. */
int pario_run_info(const struct pario_run *run, MPI_Info *info, struct pario_err *err);

/* Data that belong to a place in the named file `file` (any number), as the engine makes and checks them. */
void pario_run_fill(const struct pario_run *run, uint64_t file, uint64_t client, void *buffer,
		    uint64_t offset, uint64_t length);
int pario_run_check(const struct pario_run *run, uint64_t file, uint64_t client, const void *buffer,
		    uint64_t offset, uint64_t length, const char *path, struct pario_err *err);

/* Fills a buffer with bytes that pario never writes, so that a read that brings nothing is seen. */
void pario_run_poison(void *buffer, uint64_t length);

/* Adds a number to this phase's result, in body or verify; the same on all clients, or from client 0 only. */
void pario_run_metric(struct pario_run *run, const char *name, const char *unit, double value);

/*
 * At the end of a body that has a definition of its time: that, the same on all clients, is the time of the
 * result, and all rates are made with it.
 */
void pario_run_took(struct pario_run *run, double seconds);

/* In verify: how long the phase took, the slowest client counting. */
double pario_run_seconds(const struct pario_run *run);

/*
 * Adds a row to a table of this phase's result (journal/table.h): the single measurements behind its number. Kept on
 * client 0; the others may call it too. `columns` is a string constant.
 */
void pario_run_row(struct pario_run *run, const char *table, const char *columns,
		   const struct pario_datum *cells);

/* Verifies by walking the body again: every byte that was transferred is read back and compared. */
int pario_verify_pattern(struct pario_run *run, struct pario_err *err);

#endif
