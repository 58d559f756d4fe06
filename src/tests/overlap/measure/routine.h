/*
 * routine: a way to move one buffer between memory and a file, cut into begin, test and wait.
 *
 * The overlap study (docs/overlap.md) asks what a call and a byte cost through each of the system's ways to do I/O.
 * A routine is a const descriptor; a channel is one file that is moved through it, with at most one transfer under
 * way. A routine whose calls return when the data are moved (PARIO_ROUTINE_BLOCKING) does everything in `issue`.
 *
 * `test` is called in the measured loop whether or not something is under way, so that a loop of tests costs the same
 * in its calibration as when it counts. One family of routines is one file.
 */
#ifndef PARIO_TESTS_OVERLAP_MEASURE_ROUTINE_H
#define PARIO_TESTS_OVERLAP_MEASURE_ROUTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/options.h"

struct pario_routine;

/*
 * What the routine `null` is to cost: in time until the data are there, and in CPU time before the call returns. Where
 * a track has sectors, of so many bytes, the data come from a disk that turns, and the delay is what comes on top.
 */
struct pario_plant {
	double delay_us, delay_us_per_mib, cpu_us, cpu_us_per_mib;
	double track, sector, turns_per_s;
};

struct pario_channel {
	const struct pario_routine *routine;
	const struct pario_plant *plant;
	const struct pario_hints *hints; /* for MPI-IO */
	struct pario_channel
		*first;		  /* of the channels that are open together; itself for that one */
	const char *path, *reach; /* for sentences; for libraries that open by path */
	int fd;
	bool write;
	char *buffer;	     /* on a page of its own */
	uint64_t size;	     /* of every transfer while the channel is open */
	uint64_t file_bytes; /* of the file */
	void *state;	     /* the routine's, from open to close */
};

enum pario_routine_bits {
	PARIO_ROUTINE_BLOCKING =
		1, /* issue returns when the data are moved; the caller may sleep in it */
	PARIO_ROUTINE_BUFFERED = 2, /* cannot bypass the page cache */
	PARIO_ROUTINE_NO_DATA = 4,  /* moves nothing: known answers for tests of pario */
};

struct pario_routine {
	const char *name, *summary;
	unsigned bits;
	int variant; /* tells the members of a family apart */
	const char *(*unavailable)(
		void); /* why it cannot be used here; NULL as function or answer: it can */
	int (*open)(struct pario_channel *channel, struct pario_err *err); /* may be NULL */
	int (*issue)(struct pario_channel *channel, uint64_t offset, struct pario_err *err);
	/* 1 = done (or nothing under way), 0 = under way. */
	int (*test)(struct pario_channel *channel, struct pario_err *err);
	int (*wait)(struct pario_channel *channel, struct pario_err *err);
	/* Hands over what the routine itself still holds back; NULL where it holds nothing. */
	int (*finish)(struct pario_channel *channel, struct pario_err *err);
	int (*close)(struct pario_channel *channel,
		     struct pario_err *err); /* also after a failed open; may be NULL */
};

/* All of them: the order of the choices of --routine. */
#define PARIO_ROUTINES(ROUTINE) \
	ROUTINE(pread)          \
	ROUTINE(readv)          \
	ROUTINE(stdio_quarter)  \
	ROUTINE(stdio_half)     \
	ROUTINE(stdio)          \
	ROUTINE(stdio_double)   \
	ROUTINE(mmap)           \
	ROUTINE(aio)            \
	ROUTINE(uring)          \
	ROUTINE(uring_sqpoll)   \
	ROUTINE(uring_fixed)    \
	ROUTINE(mpi_read_at)    \
	ROUTINE(mpi_iread_at)   \
	ROUTINE(mpi_read_all)   \
	ROUTINE(thread)         \
	ROUTINE(null)

extern const struct pario_routine *const pario_routines[]; /* NULL-terminated, */
extern const char *const pario_routine_names[]; /* and so are their names, in the same order */

/* While planning: can it move so many files of a client side by side, and so? */
int pario_routine_check(const struct pario_routine *routine, uint64_t channels, bool direct,
			struct pario_err *err);

/* For the files of routines: the sentence "<what> of N bytes failed in <path> at <offset>" for an errno. */
int pario_routine_error(const struct pario_channel *channel, const char *what, uint64_t offset,
			int sys, struct pario_err *err);
/* And for a transfer that moved less than it should: not an error of the system, but of the file. */
int pario_routine_short(const struct pario_channel *channel, const char *what, uint64_t offset,
			int64_t moved, struct pario_err *err);

/* test and wait of a routine that does everything in issue. */
int pario_routine_done(struct pario_channel *channel, struct pario_err *err);
/* wait by testing again and again, which keeps the processor. */
int pario_routine_spin(struct pario_channel *channel, struct pario_err *err);

#endif
