/*
 * forge: traces that no program leaves, with right sums, for whoever tests what reads them.
 *
 *	forge flip SEED FROM TO     a few members of records and bytes of names have other values
 *	forge name OLD NEW FROM TO  OLD becomes NEW in names; \0 in NEW is a zero byte
 *	forge long CALLS FROM TO    the blocks of calls again and again, later each time, until there are so many
 *	forge drop CALLS FROM TO    as if so many calls had been lost
 *	forge ranks COUNT FROM TO   as if the program had run with so many ranks, this being the first
 *	forge threads COUNT FROM TO as if it had had so many threads more, which made no call
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pack.h"
#include "trace/unpack.h"

enum { ONE_IN = 24, NOTES = 4096 /* in a block */, FIRST_TID = 1 << 24 };

struct forge {
	struct pario_unpack from;
	struct pario_pack to;
	struct pario_columns *columns;
	const char *how, *old, *new;
	uint64_t number, state;
	uint64_t calls, shift; /* written so far; how much later the next ones are, in ticks */
	struct pario_err err;
};

static void give_up(const struct forge *f)
{
	fprintf(stderr, "forge: %s\n", *f->err.text ? f->err.text : "no memory");
	exit(1);
}

static uint64_t random_of(struct forge *f)
{
	f->state ^= f->state << 13;
	f->state ^= f->state >> 7;
	f->state ^= f->state << 17;
	return f->state;
}

/* ---- what is changed ---- */

/* Values at borders, small ones, or the old one with one bit turned. */
static uint64_t other_value(struct forge *f, uint64_t value)
{
	static const uint64_t borders[] = { 0,		1,	    2,	       0x7fffffff,
					    0x80000000, UINT32_MAX, INT64_MAX, UINT64_MAX };

	switch (random_of(f) % 3) {
	case 0:
		return borders[random_of(f) % (sizeof(borders) / sizeof(borders[0]))];
	case 1:
		return random_of(f) % 64;
	default:
		return value ^ 1ull << random_of(f) % 64;
	}
}

static void flip_record(struct forge *f, struct pario_trace_record *r)
{
	switch (random_of(f) % 9) {
	case 0:
		r->offset = other_value(f, r->offset);
		break;
	case 1:
		r->size = other_value(f, r->size);
		break;
	case 2:
		r->more = other_value(f, r->more);
		break;
	case 3:
		r->file = (uint32_t)other_value(f, r->file);
		break;
	case 4:
		r->result = (int32_t)other_value(f, (uint64_t)r->result);
		break;
	case 5:
		r->fd = (int32_t)other_value(f, (uint64_t)r->fd);
		break;
	case 6:
		r->arg = (uint32_t)other_value(f, r->arg);
		break;
	case 7:
		r->op = (uint16_t)(PARIO_TRACE_FIRST +
				   random_of(f) % (PARIO_TRACE_END - PARIO_TRACE_FIRST));
		break;
	default:
		r->flags = (uint8_t)other_value(f, r->flags);
	}
}

/* Notes keep their lengths, so that what follows them is still read. */
static void flip_notes(struct forge *f, uint8_t *bytes, size_t length)
{
	static const char evil[] = "../";

	for (size_t i = sizeof(struct pario_trace_record); i + 4 < length; i++) {
		if (bytes[i] >= ' ' && bytes[i] < 127 && bytes[i + 1] >= ' ' &&
		    random_of(f) % (8 * ONE_IN) == 0)
			memcpy(bytes + i, evil, 3);
	}
}

/* A note of a name with OLD in it, as it shall be; its length, text included. */
static size_t rename_note(const struct forge *f, struct pario_trace_record *note, char *text)
{
	char *at = *f->old ? strstr(text, f->old) : NULL;
	size_t old = strlen(f->old), length = 0;
	char rest[PARIO_TRACE_TEXT_MAX + 1], new[PARIO_TRACE_TEXT_MAX + 1];

	if (!at)
		return note->size;
	snprintf(rest, sizeof(rest), "%s", at + old);
	for (const char *c = f->new; *c &&length + 1 < sizeof(new); c++) {
		bool zero = c[0] == '\\' && c[1] == '0';

		new[length++] = zero ? '\0' : *c;
		c += zero;
	}
	if ((size_t)(at - text) + length + strlen(rest) + 1 > PARIO_TRACE_TEXT_MAX)
		return note->size;
	memcpy(at, new, length);
	memcpy(at + length, rest, strlen(rest) + 1);
	return (size_t)(at - text) + length + strlen(rest) + 1;
}

/* ---- blocks ---- */

static void put(struct forge *f, struct pario_pack_block block, const void *bytes, size_t length)
{
	static uint8_t packed[PARIO_PACK_PLAIN_MAX + 65536];
	size_t n = 0;

	block.plain = block.packed = (uint32_t)length;
	block.coding = 0;
	if (pario_pack_compresses() &&
	    pario_pack_compress(packed, sizeof(packed), bytes, length, &n) == 0 && n < length) {
		block.coding = 1;
		block.packed = (uint32_t)n;
		bytes = packed;
	}
	if (pario_pack_copy(&f->to, &block, bytes, &f->err) < 0)
		give_up(f);
}

static void put_calls(struct forge *f)
{
	struct pario_pack_block block = f->from.block;
	const void *bytes;
	size_t length;

	pario_columns_clear(f->columns);
	for (uint32_t i = 0; i < block.count; i++) {
		struct pario_trace_record r = f->from.calls[i];

		r.t0 += f->shift;
		if (strcmp(f->how, "flip") == 0 && random_of(f) % ONE_IN == 0)
			flip_record(f, &r);
		pario_columns_add(f->columns, &r);
	}
	bytes = pario_columns_bytes(f->columns, &length);
	put(f, block, bytes, length);
	f->calls += block.count;
}

/* The same block until there are enough calls; each time behind the last one. */
static void put_many(struct forge *f)
{
	const struct pario_trace_record *first = f->from.calls,
					*last = first + f->from.block.count - 1;
	uint64_t span = last->t0 + pario_trace_ticks(last->duration) - first->t0 + 1000;

	do {
		put_calls(f);
		f->shift += span;
		f->from.block.first += f->from.block.count;
	} while (f->calls < f->number);
}

/* Threads are known by the notes that introduce them. */
static void put_threads(struct forge *f)
{
	static struct pario_trace_record notes[NOTES];
	unsigned count = 0;

	for (uint64_t i = 0; i < f->number; i++) {
		notes[count++] = (struct pario_trace_record){ .op = PARIO_TRACE_THREAD,
							      .size = FIRST_TID + i,
							      .more = FIRST_TID + i };
		if (count < NOTES && i + 1 < f->number)
			continue;
		put(f, f->from.block, notes, count * sizeof(notes[0]));
		count = 0;
	}
	f->number = 0;
}

static void put_notes(struct forge *f)
{
	static uint8_t out[PARIO_PACK_PLAIN_MAX];
	struct pario_trace_record note;
	char text[2 * PARIO_TRACE_TEXT_MAX];
	size_t at = 0, length = 0;

	if (strcmp(f->how, "name") != 0) {
		memcpy(out, f->from.plain, f->from.length);
		if (strcmp(f->how, "flip") == 0)
			flip_notes(f, out, f->from.length);
		put(f, f->from.block, out, f->from.length);
		if (strcmp(f->how, "threads") == 0)
			put_threads(f);
		return;
	}
	while (pario_unpack_note(&f->from, &at, &note, text) > 0) {
		uint64_t records;

		if (note.op == PARIO_TRACE_FILE)
			note.size = rename_note(f, &note, text);
		records = pario_trace_has_text(note.op) ? pario_trace_text_records(note.size) : 0;
		if (length + (1 + records) * sizeof(note) > sizeof(out))
			break;
		memcpy(out + length, &note, sizeof(note));
		length += sizeof(note);
		memset(out + length, 0, records * sizeof(note));
		memcpy(out + length, text, records ? note.size : 0);
		length += records * sizeof(note);
	}
	put(f, f->from.block, out, length);
}

static void put_end(struct forge *f)
{
	struct pario_pack_end end;

	memcpy(&end, f->from.plain, sizeof(end));
	if (strcmp(f->how, "drop") == 0)
		end.dropped += f->number;
	put(f, f->from.block, &end, sizeof(end));
}

static void put_segment(struct forge *f)
{
	struct pario_trace_segment segment = f->from.segment;

	if (strcmp(f->how, "ranks") == 0) {
		segment.rank = 0;
		segment.ranks = (uint32_t)f->number;
	}
	put(f, f->from.block, &segment, sizeof(segment));
}

static void put_all(struct forge *f)
{
	int kind;

	while ((kind = pario_unpack_next(&f->from, false)) > 0) {
		if (kind == PARIO_PACK_CALLS_OF && strcmp(f->how, "long") == 0)
			put_many(f);
		else if (kind == PARIO_PACK_CALLS_OF)
			put_calls(f);
		else if (kind == PARIO_PACK_SEGMENT)
			put_segment(f);
		else if (kind == PARIO_PACK_NOTES)
			put_notes(f);
		else if (kind == PARIO_PACK_END && f->from.length >= sizeof(struct pario_pack_end))
			put_end(f);
		else
			put(f, f->from.block, f->from.plain, f->from.length);
	}
}

int main(int argc, char **argv)
{
	static struct forge f;
	bool names = argc == 6 && strcmp(argv[1], "name") == 0;

	if (argc < 5 || (argc == 6) != names) {
		fprintf(stderr,
			"usage: forge flip|long|drop|ranks|threads NUMBER FROM TO, forge name OLD NEW FROM TO\n");
		return 2;
	}
	f.how = argv[1];
	f.old = argv[2];
	f.new = argv[3];
	f.number = strtoull(argv[2], NULL, 0);
	f.state = f.number * 0x9e3779b97f4a7c15u + 1;
	f.columns = pario_columns_new();
	remove(argv[argc - 1]); /* or it would be continued */
	if (!f.columns || pario_unpack_open(&f.from, argv[argc - 2], &f.err) < 0 ||
	    pario_pack_open(&f.to, argv[argc - 1], 1, true, &f.err) < 0)
		give_up(&f);
	put_all(&f);
	if (pario_pack_close(&f.to, &f.err) < 0)
		give_up(&f);
	pario_unpack_close(&f.from);
	pario_columns_free(f.columns);
	return 0;
}
