/*
 * stacks: who called the caller. With `pario trace --stack N` the frames above a call site lie in notes that name their
 * call by number. Both come in the order of the calls, but in blocks of their own, so a second reader of the same file
 * walks along the notes while the first reads the calls: memory does not grow with either.
 *
 * Stacks are told apart by operation, site and frames, as places in modules: two processes of one program share them.
 */
#ifndef PARIO_PROFILE_ANALYSE_STACKS_H
#define PARIO_PROFILE_ANALYSE_STACKS_H

#include "trace/job.h"

enum { PARIO_STACKS = 20000, PARIO_STACKS_RAW = 100000 };

struct pario_stack_frame {
	uint32_t module; /* UINT32_MAX: outside of every module */
	uint64_t offset; /* within the module, as in its file */
};

struct pario_stack {
	uint16_t op;
	uint32_t first, count; /* into frames; the call site is the first of them */
};

struct pario_stacks {
	struct pario_unpack u;
	bool open, noted;		/* a note is at hand */
	struct pario_trace_record note; /* which has not been asked for yet */
	size_t at;			/* behind it, in the block */
	struct pario_map raw_of, of;
	uint32_t *known; /* stack number by raw number */
	uint32_t known_capacity;
	struct pario_stack *stacks; /* by number, from 1; 0 stands for those beyond the limit */
	uint32_t stack_capacity;
	struct pario_stack_frame *frames;
	uint32_t frame_count, frame_capacity;
	bool no_memory;
};

/* Does nothing where a job has no stacks. */
int pario_stacks_open(struct pario_stacks *s, const struct pario_job *job, const char *path,
		      struct pario_err *err);
void pario_stacks_release(struct pario_stacks *s);

/* The stack of a call, `number` in its segment, which are asked for in the order of the file; 0 = none is known. */
uint32_t pario_stacks_of(struct pario_stacks *s, const struct pario_job *job, uint32_t process,
			 uint32_t segment, uint32_t number, const struct pario_trace_record *call);

#endif
