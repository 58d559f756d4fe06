/*
 * pack: one file for a whole job, compressed, made of blocks that each stand for themselves.
 *
 * A block says what it is, how long it is and its XXH64. A torn tail costs only the tail; damage in the middle costs
 * the blocks it touches, since the reader looks for the next one that is whole. Blocks name the segment they belong to,
 * so several launchers (one per rank, on any node) can append to one file, and traces can be put behind each other: a
 * head in the middle is stepped over. Within a block of calls each member has its own column:
 * what is regular becomes zeroes, and zstd does the rest.
 */
#ifndef PARIO_TRACE_PACK_H
#define PARIO_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/format.h"

#define PARIO_PACK_MAGIC "PARIOTRC"
enum {
	PARIO_PACK_VERSION = 2,		     /* of what is written; version 1 is read as well */
	PARIO_PACK_BLOCK_MAGIC = 0x4b4c4250, /* "PBLK" */
	PARIO_PACK_CALLS = 32768,	     /* most calls in a block */
	PARIO_PACK_PLAIN_MAX =
		6 << 20, /* most bytes of a block before compression: a bomb is not unpacked */
};

struct pario_pack_head {
	char magic[8];
	uint32_t version, bytes; /* of this head */
	uint64_t job;  /* tells the launchers of one job from an older file of the same name */
	char host[40]; /* of whoever began the file */
	uint64_t sum;
};

enum pario_pack_kind {
	PARIO_PACK_SEGMENT = 1, /* the segment's header as it was */
	PARIO_PACK_NOTES = 2,	/* records that are no calls, with their text */
	PARIO_PACK_CALLS_OF = 3,
	PARIO_PACK_END = 4,    /* of a segment: a struct pario_pack_end */
	PARIO_PACK_UNSEEN = 5, /* text: programs that were not traced, a line each; of no segment */
};

struct pario_pack_block {
	uint32_t magic;
	uint16_t kind, coding;	/* coding: 0 = plain, 1 = zstd */
	uint32_t packed, plain; /* bytes */
	uint32_t segment,
		thread; /* the segment of the last block of that kind, by its place in the file */
	uint32_t count,
		first; /* calls and gaps, and the number of the first one within its segment */
	uint64_t sum;  /* of the bytes before and of the packed bytes */
};

_Static_assert(sizeof(struct pario_pack_block) == 40, "the block's head is 40 bytes");

struct pario_pack_end {
	uint64_t calls, unfinished, dropped, why;
};

/* ---- columns: the calls of a block as bytes and back ---- */

struct pario_columns;
struct pario_columns *pario_columns_new(void); /* NULL: no memory */
void pario_columns_free(struct pario_columns *columns);
void pario_columns_clear(struct pario_columns *columns);
void pario_columns_add(struct pario_columns *columns, const struct pario_trace_record *call);
/* The bytes so far; valid until the next call. */
const void *pario_columns_bytes(struct pario_columns *columns, size_t *length);
/* The calls and gaps in these bytes; false when they make no sense. At most PARIO_PACK_CALLS. */
bool pario_columns_read(const void *bytes, size_t length, uint32_t count, unsigned version,
			struct pario_trace_record *calls);

/* The same one by one: no more memory than the bytes, which must stay. */
struct pario_columns_cursor;
struct pario_columns_cursor *pario_columns_cursor_new(void); /* NULL: no memory */
void pario_columns_cursor_free(struct pario_columns_cursor *cursor);
bool pario_columns_cursor_set(struct pario_columns_cursor *cursor, const void *bytes, size_t length,
			      unsigned version);
bool pario_columns_cursor_next(struct pario_columns_cursor *cursor,
			       struct pario_trace_record *call);

/* ---- writing ---- */

struct pario_pack {
	FILE *file;
	int lock;	  /* where the file system has none, else -1 */
	uint32_t segment; /* number of the current one */
	uint64_t at;	  /* bytes written */
	void *packed;	  /* a compressed block */
	size_t packed_capacity;
	struct pario_missing *missing; /* told what is packed, when it is not NULL */
	struct pario_ranks *ranks;     /* likewise */
	char path[4096];
};

struct pario_pack_totals {
	uint64_t processes, segments, calls, unfinished, dropped, damaged;
	uint64_t requests[PARIO_RINGS]; /* asynchronous ones that were not seen */
	int why;			/* errno of the first failure to record, 0 = none */
};

/* A moment on three clocks. */
struct pario_pack_anchor {
	uint64_t ticks, ns, real_ns;
};

/*
 * Opens `path` for the launchers of `job`: an older trace is replaced, that of the same job is continued, anything else
 * is left alone and an error, unless `force` is given; links, pipes and what belongs to others always. Held locked
 * until pario_pack_close.
 */
int pario_pack_open(struct pario_pack *pack, const char *path, uint64_t job, bool force,
		    struct pario_err *err);

/* Would it be opened? Asked before the program is started that is to be traced. */
int pario_pack_check(const char *path, bool force, struct pario_err *err);

/* Packs all segments in a directory. What is damaged there is counted, not an error. */
int pario_pack_directory(struct pario_pack *pack, const char *directory,
			 const struct pario_pack_anchor anchors[2],
			 struct pario_pack_totals *totals, struct pario_err *err);

/* Writes down programs that were not traced, a line each. */
int pario_pack_unseen(struct pario_pack *pack, const char *lines, struct pario_err *err);

/* Appends a block of another trace as it is, packed, with its segment's number in this file. */
int pario_pack_copy(struct pario_pack *pack, const struct pario_pack_block *block,
		    const void *packed, struct pario_err *err);

int pario_pack_close(struct pario_pack *pack, struct pario_err *err);

/* Can this build compress? */
bool pario_pack_compresses(void);
int pario_pack_compress(void *to, size_t capacity, const void *from, size_t length, size_t *packed);
bool pario_pack_expand(void *to, size_t plain, const void *from, size_t packed);

#endif
