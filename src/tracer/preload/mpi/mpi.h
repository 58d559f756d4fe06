/*
 * mpi: what the wrappers of MPI share. This library is built once per MPI and preloaded beside the tracer when a
 * program uses that MPI. It links nothing: the functions are found when they are called, so that it does no harm in
 * programs without MPI, which inherit it from launchers and shells.
 *
 * Offsets are computed from what the program said (views, seeks), never asked of MPI: some implementations fail at
 * that. With a view that has holes, an offset counts the bytes of the view, not of the file.
 *
 * No question that MPI is asked from here may fail, since a failure is the program's: its error handler would be
 * called, and ends most programs. So nothing is asked before the program's own call, nor after one that failed, and
 * only about arguments that count at this rank: behind MPI_IN_PLACE, at MPI_PROC_NULL and where only the root is heard
 * a program may say what it likes.
 */
#ifndef PARIO_TRACER_PRELOAD_MPI_MPI_H
#define PARIO_TRACER_PRELOAD_MPI_MPI_H

#include <mpi.h>

struct pario_symbol;
void *pario_mpi_resolve(struct pario_symbol *symbol) __attribute__((visibility("hidden")));
#define PARIO_RESOLVE pario_mpi_resolve
#include "tracer/preload/pending.h"
#include "tracer/preload/trace.h"

/*
 * The handles that have names. In Open MPI they are addresses of objects of the library, or of the program where the
 * linker put copies there, and MPI may be loaded late: they are looked up as functions are. The header's names for them
 * are not used in these files.
 */
struct pario_mpi_names {
	MPI_Comm world, self, no_comm;
	MPI_Datatype byte, no_type;
	MPI_Request no_request;
	MPI_Info no_info;
};
PARIO_HIDDEN const struct pario_mpi_names *pario_mpi_names(void);

#define PARIO_MPI_CLOSED UINT64_MAX

/* What is known about an open file. */
struct pario_mpi_file {
	uint64_t handle; /* 0 = free, PARIO_MPI_CLOSED = free, but searches go on behind it */
	uint32_t file;
	int32_t number; /* of the handle, counted up in this process */
	uint64_t displacement, etype,
		at; /* of the view, in bytes; at: the individual pointer in etypes */
};

PARIO_HIDDEN struct pario_mpi_file *pario_mpi_file(uint64_t handle, bool add);
/* The bytes of a type of a call that succeeded; 0 for MPI_DATATYPE_NULL. */
PARIO_EXPORT uint64_t pario_mpi_type_bytes(MPI_Datatype type);
PARIO_HIDDEN void *pario_mpi_memory(size_t bytes);
PARIO_HIDDEN void pario_mpi_memory_free(void *memory, size_t bytes);

/*
 * The number of a communicator of a call that succeeded (comm.c): 0 = MPI_COMM_WORLD, 1 = MPI_COMM_SELF; others are
 * written down once. -1: none, or not known.
 */
PARIO_HIDDEN int pario_mpi_comm(MPI_Comm comm);
/* The same without a question, so of any. */
PARIO_HIDDEN int pario_mpi_comm_known(MPI_Comm comm);
/* The own rank in such a one; -1 = not known. */
PARIO_HIDDEN int pario_mpi_rank_in(MPI_Comm comm);
/* The numbers of a file type and of an info (view.c); what is new is written down. 0 = none. */
PARIO_HIDDEN uint32_t pario_mpi_view(MPI_Datatype etype, MPI_Datatype type);
PARIO_HIDDEN uint32_t pario_mpi_hints(MPI_Info info);

/* What was written down lately. */
enum { PARIO_MPI_KNOWN = 64 };
struct pario_mpi_known {
	uint64_t hash[PARIO_MPI_KNOWN];
	uint32_t number[PARIO_MPI_KNOWN];
	unsigned count;
};

/* A rank as the trace says it, whatever this MPI's numbers are. */
static inline int32_t pario_mpi_rank(int rank)
{
	return rank >= 0		? rank
	       : rank == MPI_PROC_NULL	? PARIO_RANK_NULL
	       : rank == MPI_ANY_SOURCE ? PARIO_RANK_ANY
	       : rank == MPI_ROOT	? PARIO_RANK_ROOT
					: PARIO_RANK_NONE;
}

/* Bytes that a transfer moved, or -1. */
PARIO_HIDDEN int64_t pario_mpi_status_bytes(const MPI_Status *status);

/* ---- transfers that are under way (requests.c) ---- */

/* A request was made: its number. `wild`: a receive that does not say from whom. */
PARIO_HIDDEN uint32_t pario_mpi_request(MPI_Request request, bool wild);

/* A transfer was started; its record is written when it is done. */
PARIO_HIDDEN void pario_mpi_started(struct pario_call *c, MPI_Request request);
/* A split collective call, of which a file has one at a time. */
PARIO_HIDDEN void pario_mpi_split(struct pario_call *c, MPI_File file);
PARIO_HIDDEN void pario_mpi_split_done(MPI_File file, const MPI_Status *status, int r);

/* A handle as a number, whatever it is. */
#define PARIO_HANDLE(h) ((uint64_t)(uintptr_t)(h))

static inline void pario_mpi_answered(struct pario_call *c, int r)
{
	if (r != MPI_SUCCESS)
		pario_failed(c, r);
}

/* How many wrappers of MPI this thread is in. */
extern PARIO_HIDDEN __thread unsigned pario_mpi_inside __attribute__((tls_model("initial-exec")));

/*
 * One row of a table of wrappers, under both names of the call: Fortran's bindings and other tools use that with a P.
 * Within another call such a one is the library's own business, or what a tool made of a call that is recorded already.
 */
#define PARIO_MPI_AS(name, op, layer, params, args, before, after)           \
	PARIO_MPI_NAMED(name, false, op, layer, params, args, before, after) \
	PARIO_MPI_NAMED(P##name, true, op, layer, params, args, before, after)

#define PARIO_MPI_NAMED(name, profiling, op_, layer_, params, args, before, after)               \
	PARIO_EXPORT int name params;                                                            \
	PARIO_SYMBOL_LATE(name);                                                                 \
	PARIO_EXPORT int name params                                                             \
	{                                                                                        \
		int(*next) params = (int(*) params)pario_next(&pario_symbol_##name);             \
		struct pario_call c;                                                             \
		int r;                                                                           \
                                                                                                 \
		if ((profiling && pario_mpi_inside) ||                                           \
		    !pario_trace_begin(&c, PARIO_OP_##op_, PARIO_TRACE_##layer_,                 \
				       __builtin_return_address(0), __builtin_frame_address(0))) \
			return next args;                                                        \
		before;                                                                          \
		pario_mpi_inside++;                                                              \
		r = next args;                                                                   \
		pario_mpi_inside--;                                                              \
		pario_trace_stop(&c);                                                            \
		int error = errno;                                                               \
                                                                                                 \
		after;                                                                           \
		errno = error;                                                                   \
		return r;                                                                        \
	}

#define PARIO_MPI(name, op, layer, params, args, before, after) \
	PARIO_MPI_AS(name, op, layer, params, args, before, after; pario_trace_put(&c))

#endif
