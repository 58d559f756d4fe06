/*
 * waits: spans by process, meetings in one list; both are sorted once.
 */
#include "profile/findings/waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A wait that is shorter is not worth explaining, and calls this close together are one span at first. */
static const double SHORT_NS = 20e3;

bool pario_waits_init(struct pario_waits *w, uint32_t processes)
{
	*w = (struct pario_waits){ .processes = processes, .gap = SHORT_NS };
	w->comm_of.limit = 1 << 16;
	w->member_of.limit = 1 << 20;
	w->of = calloc(processes + 1ul, sizeof(*w->of));
	return w->of;
}

void pario_waits_release(struct pario_waits *w)
{
	for (uint32_t i = 0; w->of && i <= w->processes; i++)
		free(w->of[i].items);
	free(w->of);
	pario_map_release(&w->comm_of);
	pario_map_release(&w->member_of);
	free(w->turns);
	free(w->members);
	free(w->meetings);
}

/* ---- spans ---- */

/* Does it begin behind the other, and close to it? */
static bool follows(const struct pario_span *last, double from, double gap)
{
	return from >= last->from && from - last->to <= gap;
}

static void join(struct pario_span *to, const struct pario_span *from)
{
	to->to = fmax(to->to, from->to);
	to->busy = fmin(to->busy + from->busy, to->to - to->from);
}

static void close_up(struct pario_waits *w)
{
	w->gap *= 2;
	w->spans = 0;
	for (uint32_t i = 0; i <= w->processes; i++) {
		struct pario_spans *s = &w->of[i];
		uint32_t kept = s->count ? 1 : 0;

		for (uint32_t k = 1; k < s->count; k++) {
			if (follows(&s->items[kept - 1], s->items[k].from, w->gap))
				join(&s->items[kept - 1], &s->items[k]);
			else
				s->items[kept++] = s->items[k];
		}
		s->count = kept;
		w->spans += kept;
	}
}

bool pario_waits_add_io(struct pario_waits *w, const struct pario_profile_call *call)
{
	struct pario_spans *s = &w->of[call->process];
	struct pario_span span = { call->start_ns, call->start_ns + call->ns, call->ns };
	struct pario_span *items;

	if (s->count && s->thread == call->thread &&
	    follows(&s->items[s->count - 1], span.from, w->gap)) {
		join(&s->items[s->count - 1], &span);
		return true;
	}
	while (w->spans >= PARIO_WAITS_SPANS)
		close_up(w);
	items = pario_map_grow(s->items, &s->capacity, s->count, sizeof(*items));
	if (!items)
		return false;
	s->items = items;
	s->thread = call->thread;
	items[s->count++] = span;
	w->spans++;
	return true;
}

static int earlier(const void *a, const void *b)
{
	const struct pario_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Sorted and apart; those of threads beside each other become one. */
static void settle(struct pario_spans *s)
{
	uint32_t kept = s->count ? 1 : 0;

	if (s->count)
		qsort(s->items, s->count, sizeof(*s->items), earlier);
	for (uint32_t i = 1; i < s->count; i++) {
		if (follows(&s->items[kept - 1], s->items[i].from, 0))
			join(&s->items[kept - 1], &s->items[i]);
		else
			s->items[kept++] = s->items[i];
	}
	s->count = kept;
	for (uint32_t i = 0; i < kept; i++)
		s->busy += s->items[i].busy;
}

/* Of a span that lies partly within, its share. */
static double share(const struct pario_span *s, double from, double to)
{
	double low = fmax(s->from, from), high = fmin(s->to, to);

	return high > low ? s->busy * (high - low) / (s->to - s->from) : 0;
}

static double waits_io_ns(const struct pario_waits *w, uint32_t process, double from, double to)
{
	const struct pario_spans *s = &w->of[process];
	uint32_t low = 0, high = s->count;
	double ns = 0;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (s->items[middle].to < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < s->count && s->items[low].from < to; low++)
		ns += share(&s->items[low], from, to);
	return ns;
}

double pario_waits_union_ns(const struct pario_waits *w, const bool *processes, bool *no_memory)
{
	struct pario_spans all = { 0 };

	for (uint32_t i = 0; i <= w->processes; i++) {
		const struct pario_spans *s = &w->of[i];
		struct pario_span *items;

		if (!s->count || (processes && !processes[i]))
			continue;
		items = realloc(all.items, (all.count + (size_t)s->count) * sizeof(*items));
		if (!items) {
			*no_memory = true;
			break;
		}
		all.items = items;
		memcpy(items + all.count, s->items, s->count * sizeof(*items));
		all.count += s->count;
	}
	settle(&all);
	free(all.items);
	return all.busy;
}

/* ---- meetings ---- */

bool pario_waits_add_meeting(struct pario_waits *w, const struct pario_profile_call *call,
			     uint32_t site, uint64_t comm)
{
	struct pario_meeting *meetings;
	bool is_new;
	uint32_t number = pario_map_add(&w->comm_of, (struct pario_map_key){ comm, 0, 0 }, &is_new),
		 member =
			 pario_map_add(&w->member_of,
				       (struct pario_map_key){ number, call->process, 0 }, &is_new),
		 *members, *turns;

	if (!comm || !number || !member)
		return true;
	members = pario_map_grow(w->members, &w->member_capacity, number, sizeof(*members));
	w->members = members ? members : w->members;
	turns = pario_map_grow(w->turns, &w->turn_capacity, member, sizeof(*turns));
	w->turns = turns ? turns : w->turns;
	if (!members || !turns)
		return false;
	members[number] += is_new;
	turns[member]++;
	if (w->meeting_count >= PARIO_WAITS_MEETINGS)
		return true;
	meetings = pario_map_grow(w->meetings, &w->meeting_capacity, w->meeting_count,
				  sizeof(*meetings));
	if (!meetings)
		return false;
	w->meetings = meetings;
	meetings[w->meeting_count++] = (struct pario_meeting){ .from = call->start_ns,
							       .to = call->start_ns + call->ns,
							       .process = call->process,
							       .site = site,
							       .comm = number,
							       .turn = turns[member] };
	return true;
}

static int by_meeting(const void *a, const void *b)
{
	const struct pario_meeting *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

void pario_waits_settle(struct pario_waits *w)
{
	for (uint32_t i = 0; i <= w->processes; i++)
		settle(&w->of[i]);
	if (w->meeting_count)
		qsort(w->meetings, w->meeting_count, sizeof(*w->meetings), by_meeting);
}

/* One meeting, whoever came first in front. */
static void explain(const struct pario_waits *w, const struct pario_meeting *m, uint32_t count,
		    pario_waits_see *see, void *context)
{
	const struct pario_meeting *last = &m[count - 1];

	/* where the calls of a member are missing, who came last is not known */
	if (count != w->members[m->comm])
		return;
	for (uint32_t i = 0; i + 1 < count; i++) {
		double ns;

		/* who left before the last one came did not wait for it: the root had come */
		if (last->from - m[i].from < SHORT_NS || m[i].to < last->from)
			continue;
		ns = waits_io_ns(w, last->process, m[i].from, last->from);
		if (ns > 0)
			see(context, &m[i], m[i].to - m[i].from, ns);
	}
}

void pario_waits_explain(const struct pario_waits *w, pario_waits_see *see, void *context)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i <= w->meeting_count; i++) {
		const struct pario_meeting *m = &w->meetings[first];

		if (i < w->meeting_count && w->meetings[i].comm == m->comm &&
		    w->meetings[i].turn == m->turn)
			continue;
		explain(w, m, i - first, see, context);
		first = i;
	}
}
