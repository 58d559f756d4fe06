/*
 * unpack: the blocks of a trace, one after the other. Damage is stepped over and counted; no input can crash it.
 */
#ifndef PARIO_TRACE_UNPACK_H
#define PARIO_TRACE_UNPACK_H

#include "trace/pack.h"

struct pario_unpack {
	FILE *file;
	uint64_t bytes, at; /* of the file; where the next block is looked for */
	struct pario_pack_head head;
	struct pario_pack_block block;
	uint8_t *packed, *plain;
	size_t packed_capacity, plain_capacity, calls_capacity;
	size_t length;			    /* of plain */
	struct pario_trace_record *calls;   /* of a block of calls: block.count of them */
	struct pario_trace_segment segment; /* the block's; magic 0 before the first */
	uint32_t segment_number;
	uint64_t damaged_bytes, damaged_blocks; /* stepped over */
	bool torn;				/* the last block is cut short */
	bool heads; /* blocks of calls that are passed over are returned, their head alone */
	char path[4096];
};

/* A sentence for what is no trace, an empty file, or one of another version. */
int pario_unpack_open(struct pario_unpack *u, const char *path, struct pario_err *err);

/* The kind of the next whole block, 0 at the end. With `skip_calls`, blocks of calls are passed over unread. */
int pario_unpack_next(struct pario_unpack *u, bool skip_calls);

/* Reads the block at a place where one was, without its calls: they are in `plain`. False when it is not whole. */
bool pario_unpack_at(struct pario_unpack *u, uint64_t at);

void pario_unpack_rewind(struct pario_unpack *u);
void pario_unpack_close(struct pario_unpack *u);

/* Walks the notes of a block of that kind: 1 and a note with its text ("" when it has none), 0 at the end. */
int pario_unpack_note(const struct pario_unpack *u, size_t *at, struct pario_trace_record *note,
		      char text[PARIO_TRACE_TEXT_MAX + 1]);

#endif
