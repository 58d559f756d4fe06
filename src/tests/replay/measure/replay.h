/*
 * replay: one client's part of a replay. Its processes and threads are real ones; what they count lies in memory that
 * all clients of a node share, because one waits for calls of another.
 */
#ifndef PARIO_TESTS_REPLAY_MEASURE_REPLAY_H
#define PARIO_TESTS_REPLAY_MEASURE_REPLAY_H

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/busy.h"
#include "engine/test.h"
#include "trace/timeline.h"
#include "tests/replay/model/place.h"
#include "tests/replay/model/scan.h"

extern const struct pario_option pario_replay_options[];

/* Why a call is not made again. */
enum pario_replay_left {
	PARIO_LEFT_NONE,
	PARIO_LEFT_SOCKET,  /* sockets, terminals, devices, /proc: not storage */
	PARIO_LEFT_MAP,	    /* which pages of a mapping were touched is not in the trace */
	PARIO_LEFT_WALK,    /* library calls that walk a directory tree by themselves */
	PARIO_LEFT_CONTROL, /* ioctl, FIFOs, device files, attributes outside of user.* */
	PARIO_LEFT_UNKNOWN, /* a descriptor, communicator or request whose origin is not in the trace */
	PARIO_LEFT_LIBRARY, /* shared file pointers where MPI-IO has none, file types that were cut */
	PARIO_LEFTS
};
extern const char *const pario_replay_left_names[PARIO_LEFTS];

enum { PARIO_REPLAY_SITES = 64 };

/* Times of one call site, original and here. */
struct pario_replay_site {
	uint64_t site;
	uint32_t process, calls;
	double original_ns, here_ns;
};

/* What one thread of the trace came to. */
struct pario_replay_tally {
	uint64_t done; /* calls that are over; others wait for it */
	uint32_t over; /* of a process's first thread: the process has made its last call */
	struct {
		uint64_t calls, bytes;
		double original_ns, here_ns;
	} classes[PARIO_CLASSES];
	struct {
		uint64_t calls;
		double ns;
	} left[PARIO_LEFTS];
	double left_storage_ns; /* of these, calls on storage */
	struct pario_replay_site sites[PARIO_REPLAY_SITES];
	uint64_t unlike;   /* calls that failed here and not there, or the other way round */
	uint64_t given_up; /* orderings that did not come about in time */
	uint64_t needless; /* calls without an effect here */
	uint64_t serial;   /* asynchronous requests that were made one by one */
	int64_t first_ns, last_ns;	  /* by this node's clock */
	double late_ns;			  /* of the last call, by what replaying took */
	struct pario_timeline_strip here; /* when it did what, from the beginning of the replay */
	char first_unlike[200];
};

struct pario_replay_settings {
	double think; /* factor */
	enum pario_replay_layer layer;
	bool order; /* keep the orderings between threads */
};

struct pario_replay {
	struct pario_run *run;
	const struct pario_trace *trace;
	const struct pario_replay_scan *scan;
	struct pario_replay_settings settings;
	int tree; /* directory that stands for the original's root */
	/* the same for libraries, by way of the workspace's descriptor */
	char tree_path[PARIO_PATH_CAPACITY];
	/* Shared by the clients of a node and their processes: what each thread of the trace came to, by its number; */
	struct pario_replay_tally *tallies;
	int *working;  /* threads that do not wait for others; */
	int32_t *stop; /* the time is over or somebody interrupts, only MPI calls are still made; */
	int64_t *origin_ns; /* when the first call was ready to be made, 0 = not yet */
	int32_t *ready;	    /* of a trace without ranks: how many processes can begin, */
	int32_t *go;	    /* and that they shall */
	int shared;	    /* descriptor of that memory, and its bytes */
	uint64_t shared_bytes;
	char *data; /* that does not compress, for writes */
	uint64_t data_bytes;
	int32_t client;
	bool *near;	  /* by client: on this node */
	bool no_pointers; /* MPI-IO has no shared file pointers here */
};

/* Finds its place in the memory of a node: a line of the processor's cache, then the tallies. */
enum { PARIO_REPLAY_LINE = 64 };
static inline void pario_replay_take_shared(struct pario_replay *r, char *memory)
{
	r->stop = (int32_t *)(void *)memory;
	r->working = (int *)(void *)(memory + 8);
	r->ready = (int32_t *)(void *)(memory + 16);
	r->go = (int32_t *)(void *)(memory + 24);
	r->origin_ns = (int64_t *)(void *)(memory + 32);
	r->tallies = (struct pario_replay_tally *)(void *)(memory + PARIO_REPLAY_LINE);
}

/* What stands behind a descriptor of the original. */
struct pario_replay_slot {
	int fd; /* -1 = nothing */
	FILE *stream;
	void *directory;
	uint32_t file;	    /* of the trace; 0 = none */
	bool pipe, on_exec; /* on_exec: closed by exec */
};

enum { PARIO_REPLAY_CHILDREN = 4096 };

/* A moment there and here, of the call that began a thread or a process, say. here_ns 0 = it is not known. */
struct pario_replay_birth {
	double there_ns;
	int64_t here_ns;
	double late_ns; /* by how much that was too late, because of what replaying took */
};

struct pario_replay_mpi;

/* A process of the original. */
struct pario_replay_process {
	struct pario_replay *replay;
	uint32_t number;
	struct pario_replay_birth birth;
	struct pario_replay_slot *slots; /* as many as the scan says */
	struct pario_replay_slot here;	 /* the working directory */
	struct {
		uint32_t number;
		int32_t pid, stream; /* there; stream: the descriptor that popen gave, -1 = none */
		pid_t here;
		bool waited; /* by a call; it is gone soon */
	} children[PARIO_REPLAY_CHILDREN];
	uint32_t child_count;
	pthread_t *threads; /* by thread number of the trace */
	bool *started;
	bool *begun;		      /* by number of a process: it was started from here */
	struct pario_replay_mpi *mpi; /* NULL = not a rank */
};

/* A thread of the original, and the call that is its turn. */
struct pario_replay_actor {
	struct pario_replay *replay;
	struct pario_replay_process *process;
	uint32_t thread;
	struct pario_replay_tally *tally;
	char *buffer; /* to read into, of so many bytes and some to spare */
	uint64_t capacity, turn;
	struct pario_busy busy; /* while the program thought */
	double late_ns; /* what replaying itself took beyond the program's think times so far */
	int64_t begun;	/* when the call was ready to be made here */
	int64_t due_ns; /* when it should have been */
	bool is_quick;	/* nothing but its own time matters */
	bool hurries;	/* and that is over for sure: it is made without asking what time it is */
	uint32_t edge;	/* the next of the thread's orderings */
	struct pario_replay_birth end; /* of a process or thread that the call waited for */
	int64_t t0, t1;		       /* of the call here */
	long answer;		       /* and what it returned */
	bool is_over;		       /* the thread's process becomes another program or ends */
};

/* Answers of those that make a call. */
enum { PARIO_MADE = 1, PARIO_FAILED_HERE = -1, PARIO_NEEDLESS = -2, PARIO_LEFT = -16 };
static inline int pario_left(enum pario_replay_left why)
{
	return PARIO_LEFT - (int)why;
}

/* One call again, timed in actor->t0 and t1. Returns one of the above; errno is set when it failed. */
int pario_replay_posix(struct pario_replay_actor *a, const struct pario_trace_call *call);
int pario_replay_names(struct pario_replay_actor *a, const struct pario_trace_call *call);
int pario_replay_stdio(struct pario_replay_actor *a, const struct pario_trace_call *call);
int pario_replay_mpi(struct pario_replay_actor *a, const struct pario_trace_call *call);
int pario_replay_mpiio(struct pario_replay_actor *a, const struct pario_trace_call *call);
int pario_replay_fork(struct pario_replay_actor *a, const struct pario_trace_call *call);

/* Times an expression. */
#define PARIO_REPLAY_TIMED(a, expression) \
	((a)->t0 = pario_run_now(), (a)->answer = (long)(expression), (a)->t1 = pario_run_now())

/* Is there anything to be read, or room to write? The other end may belong to a program that is not in the trace. */
bool pario_replay_pipe_ready(const struct pario_replay_actor *a, int fd, bool write);

/* The slot of a descriptor, NULL when it is out of range. */
static inline struct pario_replay_slot *pario_replay_slot(struct pario_replay_actor *a, int32_t fd)
{
	return fd < 0 || (uint32_t)fd >= a->replay->scan->slots ? NULL : &a->process->slots[fd];
}
/* The descriptor here; files that the original inherited are opened when they are first used. -1 = there is none. */
int pario_replay_fd(struct pario_replay_actor *a, const struct pario_trace_call *call, int32_t fd);
/* Puts a new descriptor in the place the original had; closes one that the original did not get. */
void pario_replay_store(struct pario_replay_actor *a, const struct pario_trace_call *call, int fd,
			bool on_exec);
/*
 * A name as a call says it: below the working directory, one that the program has open, or the tree. Each component
 * that the kernel looks up takes some of a call of a microsecond.
 */
struct pario_replay_spot {
	int at;
	char name[PARIO_PLACE_CAPACITY];
};
/* `directory`: descriptor of the original, as openat is told. False when the file has no place. */
bool pario_replay_spot(struct pario_replay_actor *a, int32_t directory, uint32_t file,
		       struct pario_replay_spot *spot);
/* The working directory of the original is this one from now on. */
void pario_replay_go_to(struct pario_replay_process *process, uint32_t file);
/* Path of a file below the tree; false when it has none. */
bool pario_replay_path(struct pario_replay_actor *a, uint32_t file,
		       char path[PARIO_PLACE_CAPACITY]);
/* How many of these bytes there is memory for. */
static inline uint64_t pario_replay_bytes(const struct pario_replay_actor *a, uint64_t bytes,
					  bool write)
{
	uint64_t most = write ? a->replay->scan->largest : a->capacity;

	return bytes < most ? bytes : most;
}
/* Memory for a read, and data for a write: not the same page twice in a row. */
enum {
	PARIO_REPLAY_SPARE =
		64 * 4096, /* bytes of data beyond the largest transfer, to move within */
	PARIO_REPLAY_MARGIN = 4 * 4096 /* the same of a buffer to read into */
};
/*
 * Memory to read into; MAP_FAILED: there is none. Small reads go into memory that a program has used before. A larger
 * block comes from the kernel (malloc asks it from there on), and the first read into it waits for its pages.
 */
enum { PARIO_REPLAY_USED = 128 << 10 };
char *pario_replay_make_buffer(uint64_t bytes);
char *pario_replay_make_data(uint64_t bytes, uint64_t seed);
char *pario_replay_memory(struct pario_replay_actor *a, uint64_t bytes);
char *pario_replay_data(struct pario_replay_actor *a, uint64_t bytes);

/* Does MPI-IO have shared file pointers in the tree? All clients together; the same answer on all. */
bool pario_replay_has_pointers(const struct pario_replay *r);

/* Makes the tree as it was before; sets cache states. On client 0's node by its first client, and so on. */
int pario_replay_prepare(struct pario_replay *r, struct pario_err *err);

/* Unpacks the first calls of the client's threads, so that they cost less when their time has come. */
void pario_replay_unpack(struct pario_trace *trace, const struct pario_replay_scan *scan,
			 int32_t client);

/* All processes of this client, from beginning to end. */
int pario_replay_play(struct pario_replay *r, struct pario_err *err);

/* A process that nothing of the trace starts, from beginning to end. False: no memory. */
bool pario_replay_root(struct pario_replay *r, uint32_t number);
/* The same as a program of its own, in which there is no MPI. -1 and the error number. */
pid_t pario_replay_alone_start(const struct pario_replay *r, uint32_t number, int *error);

/* The calls of one thread; used by whoever starts one. */
void pario_replay_thread(struct pario_replay_process *process, uint32_t thread,
			 struct pario_replay_birth birth);
/* Adds to how many threads of this node are at work, which one that waits for others is not; returns how many are. */
int pario_replay_at_work(const struct pario_replay *r, int change);
bool pario_replay_thread_start(struct pario_replay_process *process, uint32_t thread,
			       struct pario_replay_birth birth);

/* By how many per cent a time here differs from the original's; NaN where there was none. */
static inline double pario_replay_off_by(double here, double there)
{
	return there > 0 ? 100 * (here - there) / there : (double)NAN;
}

/* Counts a call for its site; rows of the table `sites`, those with most time first. */
void pario_replay_site_count(struct pario_replay_tally *t, const struct pario_trace_call *call,
			     double here_ns);
void pario_replay_site_rows(const struct pario_replay *r);

/* Counts a call that was made for the timeline of the replay. */
void pario_replay_history_count(struct pario_replay_actor *a, const struct pario_trace_call *call,
				bool storage);
/* Rows of the table `timeline`; all clients together. */
int pario_replay_history_rows(const struct pario_replay *r, struct pario_err *err);

/* Communicators, requests and files of a rank. */
struct pario_replay_mpi *pario_replay_mpi_open(struct pario_replay *r);
void pario_replay_mpi_close(struct pario_replay_mpi *m);

#endif
