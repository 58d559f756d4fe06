/*
 * unpack: reads blocks and looks for the next whole one after damage.
 */
#include "trace/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/input.h"

static int refuse(struct pario_unpack *u, struct pario_err *err, const char *why)
{
	pario_err_set(err, PARIO_USAGE, "%s %s", u->path, why);
	pario_unpack_close(u);
	return -1;
}

static int check_head(struct pario_unpack *u, struct pario_err *err)
{
	const struct pario_pack_head *head = &u->head;

	if (u->bytes == 0)
		return refuse(u, err,
			      "is empty; a trace was cut off before anything was written to it.");
	if (fread(&u->head, 1, sizeof(u->head), u->file) < sizeof(head->magic) ||
	    memcmp(head->magic, PARIO_PACK_MAGIC, sizeof(head->magic)) != 0)
		return refuse(u, err, "is not a trace of pario; `pario trace` writes such files.");
	if (u->bytes < sizeof(u->head))
		return refuse(u, err, "is cut off within its head; nothing in it can be read.");
	if (head->version < 1 || head->version > PARIO_PACK_VERSION)
		return refuse(
			u, err,
			"was written by another version of pario; read it with that version.");
	if (XXH64(head, offsetof(struct pario_pack_head, sum), 0) != head->sum)
		return refuse(u, err, "has a damaged head; it is not read.");
	u->at = sizeof(u->head);
	return 0;
}

int pario_unpack_open(struct pario_unpack *u, const char *path, struct pario_err *err)
{
	off_t end;

	memset(u, 0, sizeof(*u));
	snprintf(u->path, sizeof(u->path), "%s", path);
	u->file = pario_input_stream(path, "The trace", err);
	if (!u->file)
		return -1;
	if (fseeko(u->file, 0, SEEK_END) < 0 || (end = ftello(u->file)) < 0 ||
	    fseeko(u->file, 0, SEEK_SET) < 0) {
		pario_err_sys(err, errno, NULL, "the trace %s cannot be read", path);
		pario_unpack_close(u);
		return -1;
	}
	u->bytes = (uint64_t)end;
	u->packed_capacity = u->bytes < PARIO_PACK_PLAIN_MAX ? (size_t)u->bytes + 1
							     : (size_t)PARIO_PACK_PLAIN_MAX;
	u->packed = malloc(u->packed_capacity);
	if (!u->packed) {
		pario_err_memory(err, "reading the trace %s", u->path);
		pario_unpack_close(u);
		return -1;
	}
	return check_head(u, err);
}

void pario_unpack_close(struct pario_unpack *u)
{
	if (u->file)
		fclose(u->file);
	free(u->packed);
	free(u->plain);
	free(u->calls);
	u->file = NULL;
	u->packed = u->plain = NULL;
	u->calls = NULL;
	u->packed_capacity = u->plain_capacity = 0;
	u->calls_capacity = 0;
}

void pario_unpack_rewind(struct pario_unpack *u)
{
	u->at = sizeof(u->head);
	u->segment.magic = 0;
	u->damaged_bytes = u->damaged_blocks = 0;
	u->torn = false;
}

static bool sensible(const struct pario_pack_block *b)
{
	return b->magic == PARIO_PACK_BLOCK_MAGIC && b->kind >= PARIO_PACK_SEGMENT &&
	       b->kind <= PARIO_PACK_UNSEEN && b->coding <= 1 && b->packed <= b->plain &&
	       b->plain <= PARIO_PACK_PLAIN_MAX && b->count <= PARIO_PACK_CALLS;
}

/* A block that is passed over unread is believed only when another one, or the end, lies behind it. */
static bool leads_on(struct pario_unpack *u)
{
	uint64_t next = u->at + sizeof(u->block) + u->block.packed;
	uint32_t magic = 0;

	return next == u->bytes ||
	       (fseeko(u->file, (off_t)next, SEEK_SET) == 0 &&
		fread(&magic, sizeof(magic), 1, u->file) == 1 && magic == PARIO_PACK_BLOCK_MAGIC);
}

/* Reads the block at u->at. 1: whole, 0: none there, -1: it goes beyond the end. */
static int read_block(struct pario_unpack *u, bool skip_calls)
{
	struct pario_pack_block *b = &u->block;
	XXH64_state_t *state;
	uint64_t sum;

	if (fseeko(u->file, (off_t)u->at, SEEK_SET) < 0 || fread(b, sizeof(*b), 1, u->file) != 1)
		return -1;
	if (!sensible(b))
		return 0;
	/* it may have grown since its length was taken */
	if (u->at + sizeof(*b) > u->bytes || b->packed > u->bytes - u->at - sizeof(*b))
		return -1;
	if (skip_calls && b->kind == PARIO_PACK_CALLS_OF)
		return leads_on(u);
	if (fread(u->packed, 1, b->packed, u->file) != b->packed)
		return -1;
	state = XXH64_createState();
	if (!state)
		return 0;
	XXH64_reset(state, 0);
	XXH64_update(state, b, offsetof(struct pario_pack_block, sum));
	XXH64_update(state, u->packed, b->packed);
	sum = XXH64_digest(state);
	XXH64_freeState(state);
	return sum == b->sum;
}

/* Room as large as the blocks that come: small traces are read in little memory. */
static bool make_room(struct pario_unpack *u)
{
	const struct pario_pack_block *b = &u->block;
	size_t calls = b->kind == PARIO_PACK_CALLS_OF ? b->count : 0;

	if (b->plain >= u->plain_capacity) {
		free(u->plain);
		u->plain = malloc((size_t)b->plain + 1);
		u->plain_capacity = u->plain ? (size_t)b->plain + 1 : 0;
	}
	if (calls >= u->calls_capacity) {
		free(u->calls);
		u->calls = malloc((calls + 1) * sizeof(*u->calls));
		u->calls_capacity = u->calls ? calls + 1 : 0;
	}
	return u->plain && u->calls;
}

static bool expand(struct pario_unpack *u)
{
	const struct pario_pack_block *b = &u->block;

	if (!make_room(u))
		return false;
	u->length = b->plain;
	if (b->coding == 1)
		return pario_pack_expand(u->plain, b->plain, u->packed, b->packed);
	if (b->packed != b->plain)
		return false;
	memcpy(u->plain, u->packed, b->plain);
	return true;
}

/* Takes what is in the block; false when that makes no sense. */
static bool take(struct pario_unpack *u)
{
	const struct pario_pack_block *b = &u->block;

	if (!expand(u))
		return false;
	switch (b->kind) {
	case PARIO_PACK_SEGMENT:
		if (u->length != sizeof(u->segment))
			return false;
		memcpy(&u->segment, u->plain, sizeof(u->segment));
		u->segment.host[sizeof(u->segment.host) - 1] = '\0';
		u->segment.boot[sizeof(u->segment.boot) - 1] = '\0';
		u->segment_number = b->segment;
		return u->segment.magic == PARIO_TRACE_MAGIC;
	case PARIO_PACK_CALLS_OF:
		return u->segment.magic && b->segment == u->segment_number &&
		       pario_columns_read(u->plain, u->length, b->count, u->head.version, u->calls);
	case PARIO_PACK_UNSEEN:
		return true;
	case PARIO_PACK_END:
		return u->length == sizeof(struct pario_pack_end) && u->segment.magic &&
		       b->segment == u->segment_number;
	default:
		return u->segment.magic && b->segment == u->segment_number;
	}
}

/* The next place after u->at where a block may begin, or the end. */
static uint64_t search(struct pario_unpack *u)
{
	const uint32_t magic = PARIO_PACK_BLOCK_MAGIC;
	uint64_t at = u->at + 1;

	while (at + sizeof(struct pario_pack_block) <= u->bytes) {
		size_t n;
		uint8_t *found;

		if (fseeko(u->file, (off_t)at, SEEK_SET) < 0)
			break;
		n = fread(u->packed, 1, u->packed_capacity, u->file);
		if (n < sizeof(magic))
			break;
		found = memmem(u->packed, n, &magic, sizeof(magic));
		if (found)
			return at + (uint64_t)(found - u->packed);
		at += n - sizeof(magic) + 1;
	}
	return u->bytes;
}

/* The head of another trace of the job, put behind this one. */
static bool is_head(struct pario_unpack *u)
{
	struct pario_pack_head head;

	return fseeko(u->file, (off_t)u->at, SEEK_SET) == 0 &&
	       fread(&head, sizeof(head), 1, u->file) == 1 &&
	       memcmp(head.magic, PARIO_PACK_MAGIC, sizeof(head.magic)) == 0 &&
	       XXH64(&head, offsetof(struct pario_pack_head, sum), 0) == head.sum;
}

int pario_unpack_next(struct pario_unpack *u, bool skip_calls)
{
	bool lost = false;

	while (u->at < u->bytes) {
		int found = read_block(u, skip_calls);
		bool skipped = skip_calls && u->block.kind == PARIO_PACK_CALLS_OF;
		uint64_t from = u->at;

		if (found > 0) {
			u->at += sizeof(u->block) + u->block.packed;
			if (skipped && u->heads)
				return u->block.kind;
			if (skipped)
				continue;
			if (take(u))
				return u->block.kind;
			u->damaged_blocks++;
			u->damaged_bytes += u->at - from;
			continue;
		}
		if (is_head(u)) {
			u->at += sizeof(u->head);
			continue;
		}
		u->at = search(u);
		u->damaged_bytes += u->at - from;
		u->torn |= found < 0 && u->at >= u->bytes;
		u->damaged_blocks += !lost;
		lost = true;
	}
	return 0;
}

bool pario_unpack_at(struct pario_unpack *u, uint64_t at)
{
	u->at = at;
	return read_block(u, false) > 0 && expand(u);
}

/* The record of version 1. */
struct record_1 {
	uint64_t t0, site, offset, size;
	uint32_t duration, file;
	int32_t result;
	uint16_t op;
	uint8_t layer, flags;
};
_Static_assert(sizeof(struct record_1) == 48, "the record of version 1 has 48 bytes");

static void take_note(struct pario_trace_record *note, const uint8_t *bytes, unsigned version)
{
	struct record_1 old;

	if (version > 1) {
		memcpy(note, bytes, sizeof(*note));
		return;
	}
	memcpy(&old, bytes, sizeof(old));
	*note = (struct pario_trace_record){ .t0 = old.t0,
					     .site = old.site,
					     .offset = old.offset,
					     .size = old.size,
					     .duration = old.duration,
					     .file = old.file,
					     .result = old.result,
					     .fd = PARIO_TRACE_NO_FD,
					     .op = old.op <= PARIO_TRACE_RING ? old.op : 0,
					     .layer = old.layer,
					     .flags = old.flags };
}

int pario_unpack_note(const struct pario_unpack *u, size_t *at, struct pario_trace_record *note,
		      char text[PARIO_TRACE_TEXT_MAX + 1])
{
	uint64_t record = u->head.version > 1 ? sizeof(*note) : sizeof(struct record_1), bytes;

	text[0] = '\0';
	if (u->length < *at || u->length - *at < record)
		return 0;
	take_note(note, u->plain + *at, u->head.version);
	*at += record;
	if (!pario_trace_has_text(note->op))
		return 1;
	if (note->size > PARIO_TRACE_TEXT_MAX)
		return 0;
	bytes = (note->size + record - 1) / record * record;
	if (u->length - *at < bytes)
		return 0;
	memcpy(text, u->plain + *at, note->size);
	text[note->size] = '\0';
	*at += bytes;
	return 1;
}
