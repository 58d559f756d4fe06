/*
 * together: the writes of the files in question, by time; pairs of processes are judged one by one.
 */
#include "profile/findings/together.h"

#include <math.h>
#include <stdlib.h>

/* Of the writes of one process that another one wrote to as well: when they were, counted in meetings. */
struct shared {
	uint32_t first, last;
	uint32_t calls; /* such writes */
	uint32_t turns; /* how often the one wrote right after the other */
	bool any, unordered;
	bool at_once; /* both were in a write at one moment */
};

/* Who never writes at once, and fewer such writes than this before it is the other's turn, is kept from it. */
enum { FREE = 16 };

struct group {
	uint32_t places[PARIO_TOGETHER_WRITERS], count;
	double ends_ns[PARIO_TOGETHER_WRITERS];
	uint32_t last; /* who wrote last */
	struct shared pairs[PARIO_TOGETHER_WRITERS][PARIO_TOGETHER_WRITERS];
};

static bool at_one_time(const struct pario_evidence_place *a, const struct pario_evidence_place *b)
{
	return a->process != b->process && a->first_ns < b->last_ns && b->first_ns < a->last_ns;
}

/* Has any of these places bytes in common with another? */
static bool is_wanted(const struct pario_evidence *e, const uint32_t *places, uint32_t count)
{
	for (uint32_t i = 0; i < count && i < PARIO_TOGETHER_WRITERS; i++) {
		for (uint32_t k = 0; k < i; k++) {
			const struct pario_evidence_place *a = &e->places[places[i]],
							  *b = &e->places[places[k]];

			if (at_one_time(a, b) && pario_extents_common(&a->written, &b->written))
				return true;
		}
	}
	return false;
}

bool pario_together_begin(struct pario_evidence *e, uint32_t processes, uint32_t files,
			  bool *no_memory)
{
	uint32_t count, first = 0, *list = pario_evidence_by_file(e, &count);
	struct pario_together *t = calloc(1, sizeof(*t));
	bool any = false;

	e->together = t;
	if (t) {
		t->wanted = calloc(files + 1ul, sizeof(*t->wanted));
		t->meetings = calloc(processes + 1ul, sizeof(*t->meetings));
	}
	*no_memory = !list || !t || !t->wanted || !t->meetings;
	for (uint32_t i = 1; !*no_memory && i <= count; i++) {
		uint32_t file = e->places[list[first]].file;

		if (i < count && e->places[list[i]].file == file)
			continue;
		t->wanted[file] = i - first > 1 && is_wanted(e, list + first, i - first);
		any |= t->wanted[file];
		first = i;
	}
	free(list);
	return any;
}

void pario_together_free(struct pario_together *t)
{
	if (!t)
		return;
	free(t->wanted);
	free(t->meetings);
	free(t->writes);
	free(t);
}

bool pario_together_wants(struct pario_together *t, const struct pario_profile_call *call)
{
	const struct pario_trace_record *r = &call->record;

	if (r->flags & PARIO_TRACE_DEPTH)
		return false;
	t->meetings[call->process] += pario_evidence_is_meeting(r->op);
	return t->wanted[call->file] && r->offset != PARIO_TRACE_NOWHERE &&
	       pario_trace_operation(r->op)->class == PARIO_CLASS_WRITE && pario_trace_moved(r);
}

bool pario_together_add(struct pario_together *t, const struct pario_profile_call *call,
			uint32_t place, uint32_t site)
{
	const struct pario_trace_record *r = &call->record;
	struct pario_together_write *writes;

	/* the first million are enough to see it by; further ones are not charged */
	if (t->count == PARIO_TOGETHER_WRITES)
		return true;
	writes = pario_map_grow(t->writes, &t->capacity, t->count, sizeof(*writes));
	if (!writes)
		return false;
	t->writes = writes;
	writes[t->count++] =
		(struct pario_together_write){ .from_ns = call->start_ns,
					       .to_ns = call->start_ns + call->ns,
					       .from = r->offset,
					       .to = r->offset + pario_trace_moved(r),
					       .file = call->file,
					       .process = call->process,
					       .place = place,
					       .site = site,
					       .meetings = t->meetings[call->process] };
	return true;
}

/* ---- one file ---- */

static int by_time(const void *a, const void *b)
{
	const struct pario_together_write *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* A writer's index in the group; PARIO_TOGETHER_WRITERS where there are too many. */
static uint32_t writer(struct group *g, uint32_t place)
{
	uint32_t i = 0;

	while (i < g->count && g->places[i] != place)
		i++;
	if (i == g->count && i < PARIO_TOGETHER_WRITERS)
		g->places[g->count++] = place;
	return i;
}

static bool is_shared(const struct pario_evidence *e, const struct group *g, uint32_t i, uint32_t k,
		      const struct pario_together_write *w)
{
	const struct pario_evidence_place *other = &e->places[g->places[k]];

	return i != k && at_one_time(other, &e->places[w->place]) &&
	       pario_extents_within(&other->written, w->from, w->to);
}

/* In the order of their beginnings. */
static void look(struct group *g, const struct pario_together_write *w)
{
	uint32_t i = writer(g, w->place);

	if (i == PARIO_TOGETHER_WRITERS)
		return;
	for (uint32_t k = 0; k < g->count; k++) {
		if (i != k && g->ends_ns[k] > w->from_ns)
			g->pairs[i][k].at_once = g->pairs[k][i].at_once = true;
	}
	g->ends_ns[i] = fmax(g->ends_ns[i], w->to_ns);
	if (i != g->last) {
		g->pairs[i][g->last].turns++;
		g->pairs[g->last][i].turns++;
	}
	g->last = i;
}

static void mark(const struct pario_evidence *e, struct group *g,
		 const struct pario_together_write *w)
{
	uint32_t i = writer(g, w->place);

	for (uint32_t k = 0; i < PARIO_TOGETHER_WRITERS && k < g->count; k++) {
		struct shared *pair = &g->pairs[i][k];

		if (!is_shared(e, g, i, k, w))
			continue;
		pair->calls++;
		if (!pair->any || w->meetings < pair->first)
			pair->first = w->meetings;
		if (!pair->any || w->meetings > pair->last)
			pair->last = w->meetings;
		pair->any = true;
	}
}

static bool is_race(const struct shared *a, const struct shared *b)
{
	bool ordered = a->last < b->first || b->last < a->first,
	     free = a->at_once || a->calls + b->calls >= FREE * (a->turns + 1);

	return a->any && b->any && !ordered && free;
}

static void compare(const struct pario_evidence *e, struct group *g,
		    struct pario_together_found *found)
{
	bool hit[PARIO_TOGETHER_WRITERS] = { false };

	for (uint32_t i = 0; i < g->count; i++) {
		for (uint32_t k = 0; k < i; k++) {
			struct shared *a = &g->pairs[i][k], *b = &g->pairs[k][i];
			uint64_t bytes;

			if (!is_race(a, b))
				continue;
			a->unordered = b->unordered = hit[i] = hit[k] = true;
			bytes = pario_extents_common(&e->places[g->places[i]].written,
						     &e->places[g->places[k]].written);
			found->bytes = bytes > found->bytes ? bytes : found->bytes;
		}
	}
	for (uint32_t i = 0; i < g->count; i++)
		found->processes += hit[i];
}

static void charge(const struct pario_evidence *e, struct group *g,
		   const struct pario_together_write *w, struct pario_together_found *found)
{
	uint32_t i = writer(g, w->place);

	for (uint32_t k = 0; i < PARIO_TOGETHER_WRITERS && k < g->count; k++) {
		if (!g->pairs[i][k].unordered || !is_shared(e, g, i, k, w))
			continue;
		found->calls++;
		found->ns += w->to_ns - w->from_ns;
		found->site = w->site;
		return;
	}
}

static void judge(const struct pario_evidence *e, struct group *g,
		  const struct pario_together_write *writes, uint32_t count,
		  pario_together_see *see, void *context)
{
	struct pario_together_found found = { .file = writes[0].file };

	*g = (struct group){ 0 };
	for (uint32_t i = 0; i < count; i++)
		look(g, &writes[i]);
	for (uint32_t i = 0; i < count; i++)
		mark(e, g, &writes[i]);
	compare(e, g, &found);
	for (uint32_t i = 0; found.processes && i < count; i++)
		charge(e, g, &writes[i], &found);
	if (found.calls)
		see(context, &found);
}

void pario_together_judge(const struct pario_evidence *e, pario_together_see *see, void *context,
			  bool *no_memory)
{
	struct pario_together *t = e->together;
	struct group *g = malloc(sizeof(*g));
	uint32_t first = 0;

	*no_memory |= !g;
	if (g && t && t->count)
		qsort(t->writes, t->count, sizeof(*t->writes), by_time);
	for (uint32_t i = 1; g && t && i <= t->count; i++) {
		if (i < t->count && t->writes[i].file == t->writes[first].file)
			continue;
		judge(e, g, t->writes + first, i - first, see, context);
		first = i;
	}
	free(g);
}
