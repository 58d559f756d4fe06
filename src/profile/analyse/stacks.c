/*
 * stacks: raw frames are looked up first, so that each different stack is resolved to places once.
 */
#include "profile/analyse/stacks.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { FRAMES = PARIO_TRACE_STACK_MAX + 1 };

int pario_stacks_open(struct pario_stacks *s, const struct pario_job *job, const char *path,
		      struct pario_err *err)
{
	memset(s, 0, sizeof(*s));
	s->raw_of.limit = PARIO_STACKS_RAW;
	s->of.limit = PARIO_STACKS;
	if (!job->stacks)
		return 0;
	if (pario_unpack_open(&s->u, path, err) < 0)
		return -1;
	s->open = true;
	return 0;
}

void pario_stacks_release(struct pario_stacks *s)
{
	if (s->open)
		pario_unpack_close(&s->u);
	pario_map_release(&s->raw_of);
	pario_map_release(&s->of);
	free(s->known);
	free(s->stacks);
	free(s->frames);
	memset(s, 0, sizeof(*s));
}

/* ---- the second reader ---- */

static bool next_block(struct pario_stacks *s)
{
	s->at = 0;
	if (pario_unpack_next(&s->u, true) > 0)
		return true;
	pario_unpack_close(&s->u);
	s->open = false;
	return false;
}

/* Goes on to the segment; one that is not there any more ends the search for good. */
static bool at_segment(struct pario_stacks *s, uint32_t segment)
{
	while (s->open && (!s->u.segment.magic || s->u.segment_number != segment)) {
		s->noted = false;
		if (!next_block(s))
			return false;
	}
	return s->open;
}

/* Has the next note of a stack in this segment at hand, if there is one. */
static bool look(struct pario_stacks *s, uint32_t segment)
{
	char text[PARIO_TRACE_TEXT_MAX + 1];

	while (!s->noted) {
		if (s->u.block.kind == PARIO_PACK_NOTES &&
		    pario_unpack_note(&s->u, &s->at, &s->note, text) > 0) {
			s->noted = s->note.op == PARIO_TRACE_STACK;
		} else if (s->u.block.kind == PARIO_PACK_END || !next_block(s) ||
			   s->u.segment_number != segment) {
			return false;
		}
	}
	return true;
}

static uint32_t take_frames(struct pario_stacks *s, uint32_t segment, uint32_t number,
			    uint64_t frames[FRAMES])
{
	uint32_t count = 1;

	if (!at_segment(s, segment))
		return 1;
	for (; look(s, segment) && s->note.duration <= number; s->noted = false) {
		const uint64_t four[] = { s->note.t0, s->note.site, s->note.offset, s->note.size };

		for (int i = 0; s->note.duration == number && i < 4 && four[i]; i++) {
			if (count < FRAMES)
				frames[count++] = four[i];
		}
	}
	return count;
}

/* ---- numbers ---- */

static uint32_t keep(struct pario_stacks *s, const struct pario_stack_frame *frames, uint32_t count,
		     uint16_t op)
{
	size_t bytes = count * sizeof(*frames);
	struct pario_map_key key = { XXH64(frames, bytes, 0), XXH64(frames, bytes, 1), op };
	bool is_new;
	uint32_t number = pario_map_add(&s->of, key, &is_new);
	struct pario_stack *stacks;
	struct pario_stack_frame *all;

	if (!is_new)
		return number;
	stacks = pario_map_grow(s->stacks, &s->stack_capacity, number, sizeof(*stacks));
	if (stacks)
		s->stacks = stacks;
	all = pario_map_grow(s->frames, &s->frame_capacity, s->frame_count + count, sizeof(*all));
	if (all)
		s->frames = all;
	if (!stacks || !all) {
		s->no_memory = true;
		return 0;
	}
	stacks[number] = (struct pario_stack){ .op = op, .first = s->frame_count, .count = count };
	memcpy(&all[s->frame_count], frames, bytes);
	s->frame_count += count;
	return number;
}

static uint32_t place(struct pario_stacks *s, const struct pario_job *job, uint32_t process,
		      const uint64_t *addresses, uint32_t count, uint16_t op)
{
	struct pario_stack_frame frames[FRAMES];

	memset(frames, 0, sizeof(frames)); /* the padding is hashed */
	for (uint32_t i = 0; i < count; i++) {
		const struct pario_job_mapping *m =
			pario_job_mapping(job, process, addresses[i] - 1);

		frames[i].module = m ? m->module : UINT32_MAX;
		frames[i].offset = m ? addresses[i] - m->base : addresses[i];
	}
	return keep(s, frames, count, op);
}

uint32_t pario_stacks_of(struct pario_stacks *s, const struct pario_job *job, uint32_t process,
			 uint32_t segment, uint32_t number, const struct pario_trace_record *call)
{
	uint64_t frames[FRAMES] = { call->site };
	uint32_t count, raw, *known;
	struct pario_map_key key;
	bool is_new;

	if (!s->open)
		return 0;
	count = take_frames(s, segment, number, frames);
	key = (struct pario_map_key){ XXH64(frames, count * sizeof(*frames), process),
				      XXH64(frames, count * sizeof(*frames), ~process), call->op };
	raw = pario_map_add(&s->raw_of, key, &is_new);
	if (!raw)
		return place(s, job, process, frames, count, call->op);
	known = pario_map_grow(s->known, &s->known_capacity, raw, sizeof(*known));
	if (!known) {
		s->no_memory = true;
		return 0;
	}
	s->known = known;
	if (is_new)
		known[raw] = place(s, job, process, frames, count, call->op);
	return known[raw];
}
