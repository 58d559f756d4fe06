/*
 * steps: the calls of a thread as a simulator wants them: what to wait for, think, or do, one after the other.
 *
 * Calls come in the order of their ends, so those within another come before it. A call that has none within it is a
 * step of its own. Of one that has (an MPI_File_write with its pwrites) only what is left of its time is: thinking,
 * after the last call within it. That way think times are those of the trace, and nothing counts twice.
 */
#ifndef PARIO_PREDICT_SIMULATE_STEPS_H
#define PARIO_PREDICT_SIMULATE_STEPS_H

#include "predict/system/cost.h"
#include "trace/origin.h"
#include "trace/medium.h"
#include "trace/stream.h"

enum pario_step_kind {
	PARIO_STEP_IO, /* one call on storage, which the surfaces know */
	PARIO_STEP_KEEP, /* one on storage that takes as long as it did: memory, locks, unknown calls */
	PARIO_STEP_OUTER, /* the end of a call on storage that had others within it */
	PARIO_STEP_MEET,  /* waits for other ranks */
	PARIO_STEP_OTHER, /* whatever else takes time */
};

/* Of which part of the I/O time a call is. */
enum pario_io_part { PARIO_IO_READ, PARIO_IO_WRITE, PARIO_IO_NAMES, PARIO_IO_PARTS };

/* What becomes of the cache. */
enum pario_step_effect {
	PARIO_EFFECT_NONE,
	PARIO_EFFECT_FORGET, /* unlink, or truncated to nothing */
	PARIO_EFFECT_RENAME,
	PARIO_EFFECT_EVICT, /* advice that its pages are not needed */
	PARIO_EFFECT_OPEN,
};

/* What a call is on that processes send each other bytes through. */
enum pario_flow_kind { PARIO_FLOW_NONE, PARIO_FLOW_PIPE, PARIO_FLOW_SOCKET };

struct pario_sim_step {
	enum pario_step_kind kind;
	enum pario_flow_kind flow; /* then `part` and `bytes` are of what it moved */
	enum pario_io_part part;
	struct pario_cost_key key; /* path: only DIRECT and SYNC are known here, else ANY */
	enum pario_step_effect effect;
	double start_ns, ns, before_ns; /* before: thinking */
	uint64_t offset, bytes, site;
	uint32_t process, file, other_file;
	unsigned depth;
	bool first;	/* of this thread in this file: nothing was read ahead for it */
	bool data_only; /* fdatasync */
	bool joins; /* a sync of the file is under way that stores more: this one ends with it */
	const struct pario_trace_call *call; /* stays until the next step of the thread */
};

/* What all threads of one pass share. */
struct pario_steps_shared {
	const struct pario_trace *trace;
	struct pario_origins origins;
	enum pario_medium *media;  /* by file */
	bool *shared;		   /* by file: several processes know it */
	bool *directory;	   /* by file: it is one, as the trace or a call has said */
	struct pario_map place_of; /* a file as a thread walks through it */
	struct pario_steps_place *places;
	uint32_t place_capacity;
	struct pario_map synced; /* descriptors that write through */
	bool *writes_through;
	uint32_t through_capacity;
	struct pario_map stream_of; /* a file as a process has it open by stdio */
	struct pario_steps_stream *streams;
	uint32_t stream_capacity;
	uint64_t asynchronous, mapped; /* calls that are not modelled */
	double asynchronous_ns, mapped_ns;
	bool elsewhere; /* no file is where the storage was mounted */
	bool no_memory;
};

/* Bytes in the buffer of a stream: written and not yet in the file, read and not yet asked for. */
struct pario_steps_stream {
	uint64_t pending, ahead, at;
};

struct pario_steps_place {
	uint64_t end;
	int64_t distance;
	bool known;
};

/* `point`: where the storage was mounted; files elsewhere do not count, unless none is there. NULL: all count. */
int pario_steps_share(struct pario_steps_shared *s, const struct pario_trace *trace,
		      const char *point, struct pario_err *err);
void pario_steps_release(struct pario_steps_shared *s);

struct pario_steps {
	struct pario_steps_shared *shared;
	struct pario_trace_stream *stream;
	struct pario_trace_call call;
	uint32_t thread;
	double first_ns, cursor_ns; /* when it began; up to where its time has been told */
	bool begun;
};

int pario_steps_open(struct pario_steps *s, struct pario_steps_shared *shared, uint32_t thread,
		     struct pario_err *err);
void pario_steps_close(struct pario_steps *s);
/* 1 and the next step, 0 at the end, -1 and a sentence. */
int pario_steps_next(struct pario_steps *s, struct pario_sim_step *step, struct pario_err *err);

#endif
