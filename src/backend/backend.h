/*
 * backend: one way to reach storage. This header is all an author of a backend includes.
 *
 * A backend is one file that ends with a const struct pario_backend named pario_backend_<file name>; the build
 * finds it by its file name. When its library is absent the same file compiles to a descriptor whose
 * `unavailable` gives the reason, so that nothing outside the file needs to know.
 *
 * Backends never print, never read the clock and never retry for ever. A transfer either moved every byte or
 * is an error: short transfers are continued while they make progress; end of file inside a read is an error.
 */
#ifndef PARIO_BACKEND_BACKEND_H
#define PARIO_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "base/err.h"
#include "base/options.h"
#include "comm/comm.h"

struct pario_backend;

/* How a file is to be opened. Shared files are opened by every client of `comm` together. */
struct pario_open {
	int dirfd;	  /* the workspace directory, */
	const char *name; /* the file's name in it, */
	const char
		*path; /* and both joined, for sentences: by the time of a call it may be another */
	MPI_Comm comm; /* MPI_COMM_SELF for a file of one client */
	bool read, write;
	bool create; /* must not exist yet: O_EXCL; by client 0 of comm, before the others open */
	uint64_t
		inode; /* of a file that is there already, also when it is to be created; 0 = any */
	bool direct, synchronous; /* O_DIRECT; O_SYNC: every write is durable when it returns */
	bool data_only;	  /* sync is fdatasync: what reading does not need may stay behind */
	bool preallocate; /* reserve `size` bytes at creation */
	bool collective;  /* transfers are collective over comm */
	bool shuffled;	  /* transfers follow each other in no order */
	bool handed; /* another thread than the one that opens and closes makes the transfers */
	uint64_t
		clients; /* that take part in the measurement, each with a file of its own or not */
	uint64_t size;	 /* bytes the file will hold, 0 when not known (mmap and arrays need it) */
	unsigned queue_depth;  /* requests in flight at most; 1 = synchronous calls */
	void *buffers;	       /* all transfer buffers, for registration: */
	uint64_t buffer_size;  /* each of this many bytes, 0 = nothing to register; */
	unsigned buffer_count; /* so many, 0 = queue_depth */
	const struct pario_hints *hints;
	const void *params; /* the backend's own options, parsed */
};

/* An open file. `state` belongs to the backend: allocated in open, freed in close, also when close fails. */
struct pario_file {
	const struct pario_backend *backend;
	struct pario_open how;
	void *state;
};

/* A transfer in flight. */
struct pario_request {
	bool write;
	void *buffer;
	uint64_t length, offset;
	unsigned slot;	  /* which of the queue_depth requests */
	int64_t start_ns; /* the engine's; backends leave it alone */
	uint64_t done;	  /* bytes moved so far; for the backend */
	int status;	  /* set when reap hands it out: 0 = every byte was moved, -1 = it failed */
};

/*
 * The client's part of a shared file as a regular pattern: `count` blocks of `block` bytes, `stride` apart, from
 * `displacement`. After view(), offsets of read and write count only the bytes inside the client's blocks.
 */
struct pario_view {
	uint64_t displacement, block, stride, count;
};

/* Access by offset and length. NULL entries are unsupported; open, write, read, sync and close are mandatory. */
struct pario_extent_ops {
	int (*open)(struct pario_file *file, const struct pario_open *how, struct pario_err *err);
	int (*write)(struct pario_file *file, const void *buffer, uint64_t length, uint64_t offset,
		     struct pario_err *err);
	int (*read)(struct pario_file *file, void *buffer, uint64_t length, uint64_t offset,
		    struct pario_err *err);
	/*
	 * Queue one request; it may start only when reap is called. Never more than queue_depth in flight. -1 = it was
	 * not queued, and reap will not hand it out.
	 */
	int (*submit)(struct pario_file *file, struct pario_request *request,
		      struct pario_err *err);
	/*
	 * Starts what is queued, waits for at least `least` (or all, when fewer are in flight), stores up to `most`
	 * finished ones; returns how many. A failure belongs to its request: every request is handed out once, with
	 * its own status, and err has the sentence of the first in `done` that failed. -1 only when the queue itself
	 * is lost and nothing more will be handed out; close then waits for what still uses the buffers.
	 */
	int (*reap)(struct pario_file *file, unsigned least, unsigned most,
		    struct pario_request **done, struct pario_err *err);
	int (*view)(struct pario_file *file, const struct pario_view *view, struct pario_err *err);
	int (*sync)(struct pario_file *file, struct pario_err *err); /* durable when it returns */
	int (*close)(struct pario_file *file, struct pario_err *err);
	/* The hints the library says are in effect; `confirmed` false when it only echoes what was set. */
	void (*hints)(struct pario_file *file, struct pario_hints *effective, bool *confirmed);
};

enum { PARIO_ARRAY_DIMS = 4 };

/* A region of a dense array in elements: count blocks of block elements, stride apart, per dimension. */
struct pario_slab {
	uint64_t start[PARIO_ARRAY_DIMS], stride[PARIO_ARRAY_DIMS];
	uint64_t count[PARIO_ARRAY_DIMS], block[PARIO_ARRAY_DIMS];
};

struct pario_array {
	unsigned dims;
	uint64_t extent[PARIO_ARRAY_DIMS];
	uint64_t element_size; /* elements are opaque bytes */
};

/* Access to one dense array per file, for libraries that know datasets rather than byte offsets. */
struct pario_array_ops {
	int (*open)(struct pario_file *file, const struct pario_open *how,
		    const struct pario_array *array, struct pario_err *err);
	int (*write)(struct pario_file *file, const void *buffer, const struct pario_slab *slab,
		     struct pario_err *err);
	int (*read)(struct pario_file *file, void *buffer, const struct pario_slab *slab,
		    struct pario_err *err);
	int (*sync)(struct pario_file *file, struct pario_err *err);
	int (*close)(struct pario_file *file, struct pario_err *err);
	void (*hints)(struct pario_file *file, struct pario_hints *effective, bool *confirmed);
};

enum pario_backend_bits {
	PARIO_BACKEND_DIRECT = 1,      /* understands direct */
	PARIO_BACKEND_COLLECTIVE = 2,  /* understands collective */
	PARIO_BACKEND_SYNCHRONOUS = 4, /* understands synchronous */
	PARIO_BACKEND_NO_DATA =
		8, /* stores nothing: reads return no data, nothing can be verified */
	PARIO_BACKEND_HINTS = 16,      /* passes MPI-IO hints on */
	PARIO_BACKEND_NEEDS_SIZE = 32, /* `size` must be known at open */
	PARIO_BACKEND_DATA_ONLY = 64,  /* understands data_only */
	PARIO_BACKEND_THREADS =
		128, /* any thread may open, use and close a file of MPI_COMM_SELF */
};

struct pario_backend {
	const char *name, *summary;
	const struct pario_option *options; /* may be NULL */
	size_t params_size;
	unsigned bits;
	/*
	 * Why it cannot be used here (not built, kernel refuses), or NULL. May probe, and load what the backend needs:
	 * every process asks before it uses `extent` or `array`.
	 */
	const char *(*unavailable)(void);
	const char *module; /* libpario-NAME.so, which that loads; NULL: it is in the program */
	/* Version of the library behind it. */
	void (*version)(char *text, size_t capacity);
	/* Contradictions among its own options and the common ones; NULL = none possible. */
	int (*check)(const struct pario_open *how, struct pario_err *err);
	/* True when the library, not the caller, decides where a transfer lands (shared file pointer). */
	bool (*unordered)(const void *params);
	/* Why a write that failed may go unseen, as the middle of a sentence; NULL = it may not. */
	const char *(*doubt)(bool collective);
	const struct pario_extent_ops *extent;
	const struct pario_array_ops *array;
};

/* The backends of this build, in the order of their names; NULL-terminated. Generated from the file names. */
extern const struct pario_backend *const pario_backends[];
const struct pario_backend *pario_backend_find(const char *name);

/* What to do when a call fails on a file that pario has made; names that a user gave fail for other causes. */
const char *pario_backend_hint(bool direct, int sys);

/*
 * Largest byte count handed to one system call or MPI call; larger transfers are cut (Linux moves at most 0x7ffff000
 * bytes per call; MPI counts are int).
 */
#define PARIO_BACKEND_CHUNK ((uint64_t)1 << 30)

/*
 * Shared with backends built on file descriptors (posix.c): opens or creates safely below dirfd (O_NOFOLLOW,
 * O_EXCL when creating, regular files only), collectively over how->comm, preallocates when asked.
 */
int pario_posix_open(const struct pario_open *how, int *fd, struct pario_err *err);

/* Also shared with them: fsync, or fdatasync where the file was opened for that. */
int pario_posix_sync(const struct pario_file *file, int fd, struct pario_err *err);

/* And: the kernel is the library behind them, and they know neither collective calls nor queues. */
void pario_posix_version(char *text, size_t capacity);
int pario_posix_check(const struct pario_open *how, struct pario_err *err);

#endif
