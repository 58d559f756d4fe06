/*
 * stream: block after block of one thread, and what is under way between them.
 */
#include "trace/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A record that waits for its turn, with what belongs to it. */
struct waiting {
	struct pario_trace_record record;
	struct pario_trace_record gap; /* op 0: none */
	uint64_t order;		       /* as it was read */
	uint32_t *requests;
	struct pario_trace_match *matches;
	uint32_t request_count, match_count;
};

/* The notes of the stream's segments that lists of requests lie in. */
struct noted {
	struct pario_unpack u;
	bool open, have;
	uint32_t block; /* the next of the context's */
	uint32_t segment;
	size_t at;
	struct pario_trace_record note;
	char text[PARIO_TRACE_TEXT_MAX + 1];
};

enum { NO_SLOT = UINT32_MAX, ROOM_LEAST = 256 };

struct pario_trace_stream {
	const struct pario_trace *trace;
	uint32_t thread, process;
	const struct pario_job_process *of; /* that process */
	double ns_per_tick;
	struct pario_unpack u;
	struct pario_columns_cursor *cursor;
	uint32_t block, in_block, segment; /* the next block; calls left in this one */
	uint32_t number;		   /* of the next call within its segment */
	struct pario_trace_record gap;
	/*
	 * Records that wait lie in slots, which stay where they are; the window has the numbers of those slots in the
	 * order of their starts, from `first` on. Most records come in that order, and are appended.
	 */
	struct waiting *slots;
	uint32_t *window, *unused;
	uint32_t ahead, first, count, room, unused_count;
	uint32_t given; /* the slot of the last one, whose lists the caller has; NO_SLOT = none */
	uint32_t overtaken;	  /* the most that one record was put before */
	uint32_t file, file_here; /* the last name that was looked up, and the job's number of it */
	uint64_t order, delivered, latest; /* latest: in ticks */
	struct noted *noted;
	bool over;
};

static inline void release(struct waiting *w)
{
	if (!w->requests && !w->matches)
		return;
	free(w->requests);
	free(w->matches);
	w->requests = NULL;
	w->matches = NULL;
	w->request_count = w->match_count = 0;
}

/* ---- the lists of requests ---- */

static void skip_to(struct pario_trace_stream *s, uint32_t segment)
{
	const struct pario_context *c = &s->trace->context;
	struct noted *n = s->noted;

	if (n->segment == segment)
		return;
	n->segment = segment;
	n->have = false;
	n->u.length = n->at = 0;
	/* segments come in the order of the file, but a thread may have begun in a later one */
	for (n->block = 0; n->block < c->note_count && c->notes[n->block].segment != segment;)
		n->block++;
}

/* Has the next list at hand, if there is one in this segment. */
static bool look(struct pario_trace_stream *s)
{
	const struct pario_context *c = &s->trace->context;
	struct noted *n = s->noted;

	while (!n->have) {
		if (n->u.length > n->at &&
		    pario_unpack_note(&n->u, &n->at, &n->note, n->text) > 0) {
			n->have = n->note.op == PARIO_TRACE_REQUESTS ||
				  n->note.op == PARIO_TRACE_MATCH;
			continue;
		}
		n->u.length = n->at = 0;
		if (n->block >= c->note_count || c->notes[n->block].segment != n->segment)
			return false;
		if (!pario_unpack_at(&n->u, c->notes[n->block++].at))
			n->u.length = 0;
	}
	return true;
}

static bool keep(void **list, uint32_t *count, size_t size, const void *more, uint32_t n)
{
	char *grown = realloc(*list, (*count + (size_t)n) * size);

	if (!grown)
		return false;
	memcpy(grown + *count * size, more, n * size);
	*list = grown;
	*count += n;
	return true;
}

static bool waits(const struct pario_trace_record *r)
{
	return r->op >= PARIO_OP_MPI_Wait && r->op <= PARIO_OP_MPI_Request_free
		       ? true
		       : r->op == PARIO_OP_MPI_Startall || r->op == PARIO_OP_MPI_Start;
}

/* The lists that stand before call `number` of the segment. */
static bool take_lists(struct pario_trace_stream *s, struct waiting *w, uint32_t number)
{
	struct noted *n = s->noted;
	bool good = true;

	if (!n || !waits(&w->record))
		return true;
	skip_to(s, s->segment);
	while (good && look(s) && n->note.duration <= number) {
		n->have = false;
		if (n->note.duration < number)
			continue;
		if (n->note.op == PARIO_TRACE_REQUESTS) {
			good = keep((void **)&w->requests, &w->request_count, sizeof(*w->requests),
				    n->text, (uint32_t)(n->note.size / sizeof(*w->requests)));
		} else {
			struct pario_trace_match match = { .request = n->note.file,
							   .tag = n->note.arg,
							   .from = n->note.fd,
							   .bytes = n->note.size };

			good = keep((void **)&w->matches, &w->match_count, sizeof(match), &match,
				    1);
		}
	}
	return good;
}

/* ---- records in the order of their ends ---- */

static int no_memory(struct pario_trace_stream *s, struct pario_err *err)
{
	return pario_err_memory(err, "reading the trace %s", s->trace->path);
}

static bool set_cursor(struct pario_trace_stream *s, const struct pario_trace_block *b)
{
	if (b->plain)
		return pario_columns_cursor_set(s->cursor, b->plain, b->length, s->trace->version);
	return pario_unpack_at(&s->u, b->at) &&
	       pario_columns_cursor_set(s->cursor, s->u.plain, s->u.length, s->trace->version);
}

/*
 * The next block that can be read; what cannot was counted when the trace was loaded, or has gone bad since. 1, 0 at
 * the end, -1 and a sentence. The file is opened when the first block comes that is not kept.
 */
static int next_block(struct pario_trace_stream *s, struct pario_err *err)
{
	const struct pario_trace_thread *t = &s->trace->context.threads[s->thread];

	while (s->block < t->block_count) {
		const struct pario_trace_block *b = &t->blocks[s->block++];

		if (!b->plain && !s->u.file && pario_unpack_open(&s->u, s->trace->path, err) < 0)
			return -1;
		if (!set_cursor(s, b))
			continue;
		s->in_block = b->calls;
		s->number = b->first;
		s->segment = b->segment;
		return 1;
	}
	return 0;
}

static bool sensible(const struct pario_trace_record *r)
{
	return r->op == PARIO_TRACE_GAP || (r->op >= PARIO_TRACE_FIRST && r->op < PARIO_TRACE_END &&
					    r->layer < PARIO_TRACE_LAYERS);
}

/* 1 and the next record, 0 at the end, -1 and a sentence. */
static int read_one(struct pario_trace_stream *s, struct waiting *w, struct pario_err *err)
{
	int more;

	w->gap.op = 0;
	for (;;) {
		if (!s->in_block && (more = next_block(s, err)) <= 0)
			return more;
		s->in_block--;
		s->number++;
		if (!pario_columns_cursor_next(s->cursor, &w->record)) {
			s->in_block = 0;
			continue;
		}
		if (!sensible(&w->record))
			continue;
		if (w->record.op == PARIO_TRACE_GAP) {
			s->gap = w->record;
			continue;
		}
		break;
	}
	w->order = s->order++;
	if (!take_lists(s, w, s->number - 1)) {
		release(w);
		return no_memory(s, err);
	}
	/* nested calls stand before theirs: the gap is before the one that began first */
	if (s->gap.op && !(w->record.flags &
			   (PARIO_TRACE_DEPTH | PARIO_TRACE_COMPLETED | PARIO_TRACE_STARTED))) {
		w->gap = s->gap;
		s->gap.op = 0;
	}
	return 1;
}

/* ---- in the order of their starts ---- */

static bool before(const struct waiting *a, const struct waiting *b)
{
	unsigned x = a->record.flags & PARIO_TRACE_DEPTH, y = b->record.flags & PARIO_TRACE_DEPTH;

	if (a->record.t0 != b->record.t0)
		return a->record.t0 < b->record.t0;
	return x != y ? x < y : a->order < b->order;
}

/* How many of the window begin before this one. */
static uint32_t place_of(const struct pario_trace_stream *s, const struct waiting *w)
{
	const uint32_t *window = s->window + s->first;
	uint32_t low = 0, high = s->count;

	if (!high || !before(w, &s->slots[window[high - 1]]))
		return high;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (before(w, &s->slots[window[middle]]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The window has more than the room it needs, so that it is seldom moved to its beginning. */
static void push(struct pario_trace_stream *s, uint32_t slot)
{
	uint32_t at = place_of(s, &s->slots[slot]), *window;

	if (s->first + s->count == s->room) {
		memmove(s->window, s->window + s->first, s->count * sizeof(*s->window));
		s->first = 0;
	}
	window = s->window + s->first;
	if (at < s->count)
		memmove(window + at + 1, window + at, (s->count - at) * sizeof(*window));
	if (s->count - at > s->overtaken)
		s->overtaken = s->count - at;
	window[at] = slot;
	s->count++;
}

static inline void give_up(struct pario_trace_stream *s, uint32_t slot)
{
	release(&s->slots[slot]);
	s->unused[s->unused_count++] = slot;
}

/* ---- as the caller sees it ---- */

static uint32_t file_number(const struct pario_trace *t, uint32_t process, uint32_t number)
{
	uint32_t place = pario_job_place(&t->job, process, number);

	return place ? t->job.places[place] : 0;
}

/* Most calls name the file of the one before. */
static uint32_t file_of(struct pario_trace_stream *s, uint32_t number)
{
	if (number != s->file) {
		s->file = number;
		s->file_here = file_number(s->trace, s->process, number);
	}
	return s->file_here;
}

static void set_gap(const struct waiting *w, struct pario_trace_call *call, double ns_per_tick)
{
	double looks = (double)pario_trace_ticks(w->gap.duration) * ns_per_tick;

	call->gap_known = true;
	call->gap_ns = (double)(int64_t)(w->record.t0 - w->gap.t0 - w->gap.more) * ns_per_tick;
	call->cpu_before_ns = (double)w->gap.offset;
	call->cpu_after_ns = (double)w->gap.offset + (double)w->gap.size;
	/* up to a millisecond of the time between the looks lies before the gap */
	call->gap_cpu_ns = looks > 0 ? (double)w->gap.size * fmin(1, call->gap_ns / looks) : 0;
}

static void fill(struct pario_trace_stream *s, const struct waiting *w,
		 struct pario_trace_call *call)
{
	const struct pario_trace *t = s->trace;
	const struct pario_trace_record *r = &w->record;

	/* member by member: setting it all to zero before takes as long as the rest */
	call->process = s->process;
	call->thread = s->thread;
	call->number = s->delivered++;
	call->op = r->op;
	call->layer = r->layer;
	call->class = pario_trace_operation(r->op)->class;
	call->depth = r->flags & PARIO_TRACE_DEPTH;
	call->failed = r->flags & PARIO_TRACE_FAILED;
	call->direct = r->flags & PARIO_TRACE_DIRECT;
	call->asynchronous = r->flags & (PARIO_TRACE_COMPLETED | PARIO_TRACE_STARTED);
	call->unfinished = r->flags & PARIO_TRACE_STARTED;
	call->late = r->t0 < s->latest;
	call->start_ns = pario_job_ns(&t->job, s->of, r->t0);
	call->file = file_of(s, r->file);
	call->other_file = 0;
	call->fd = r->fd;
	call->offset = r->offset;
	call->size = r->size;
	call->moved = pario_trace_moved(r);
	call->result = r->result;
	call->site = r->site;
	call->requests = w->requests;
	call->matches = w->matches;
	call->request_count = w->request_count;
	call->match_count = w->match_count;
	call->gap_known = false;
	call->gap_ns = call->gap_cpu_ns = call->cpu_before_ns = call->cpu_after_ns = 0;
	call->end_ns = call->start_ns + (double)pario_trace_ticks(r->duration) * s->ns_per_tick;
	if (r->t0 > s->latest)
		s->latest = r->t0;
	pario_arguments_of(&call->arguments, r);
	if (call->arguments.kind == PARIO_ARGUMENTS_NAMES)
		call->other_file = file_number(t, s->process, call->arguments.names.second);
	if (call->arguments.kind == PARIO_ARGUMENTS_ATTRIBUTE)
		call->other_file = file_number(t, s->process, call->arguments.attribute.name);
	if (w->gap.op)
		set_gap(w, call, s->ns_per_tick);
}

int pario_trace_stream_next(struct pario_trace_stream *s, struct pario_trace_call *call,
			    struct pario_err *err)
{
	if (s->given != NO_SLOT)
		give_up(s, s->given);
	s->given = NO_SLOT;
	while (!s->over && s->count < s->ahead + 1) {
		uint32_t slot = s->unused[s->unused_count - 1];
		int more = read_one(s, &s->slots[slot], err);

		if (more < 0)
			return -1;
		if (more == 0) {
			s->over = true;
			break;
		}
		s->unused_count--;
		push(s, slot);
	}
	if (!s->count)
		return 0;
	s->given = s->window[s->first++];
	s->count--;
	fill(s, &s->slots[s->given], call);
	return 1;
}

/* No record waits any more. */
static void let_go(struct pario_trace_stream *s)
{
	if (s->given != NO_SLOT)
		give_up(s, s->given);
	s->given = NO_SLOT;
	while (s->count)
		give_up(s, s->window[s->first + --s->count]);
	s->first = 0;
}

/* Those that wait, and the one that was given. */
static void make_window(struct pario_trace_stream *s)
{
	uint32_t slots = s->ahead + 2;

	s->given = NO_SLOT;
	s->slots = calloc(slots, sizeof(*s->slots));
	s->unused = malloc(slots * sizeof(*s->unused));
	s->room = 2 * slots + ROOM_LEAST;
	s->window = malloc(s->room * sizeof(*s->window));
	for (; s->slots && s->unused && s->unused_count < slots; s->unused_count++)
		s->unused[s->unused_count] = slots - 1 - s->unused_count;
}

static bool has_lists(const struct pario_trace *t, const struct pario_trace_thread *thread)
{
	for (uint32_t i = 0; i < t->context.note_count; i++) {
		for (uint32_t b = 0; b < thread->block_count; b++) {
			if (thread->blocks[b].segment == t->context.notes[i].segment)
				return true;
		}
	}
	return false;
}

struct pario_trace_stream *pario_trace_stream_open(const struct pario_trace *t, uint32_t thread,
						   uint32_t ahead, struct pario_err *err)
{
	struct pario_trace_stream *s = calloc(1, sizeof(*s));
	const struct pario_trace_thread *of = pario_trace_thread(t, thread);

	if (!s || !of) {
		free(s);
		pario_err_memory(err, "reading the trace %s", t->path);
		return NULL;
	}
	s->trace = t;
	s->thread = thread;
	s->process = of->process;
	s->of = &t->job.processes[of->process];
	s->ns_per_tick = t->job.machines[s->of->machine].ns_per_tick;
	s->ahead = of->calls < ahead ? (uint32_t)of->calls : ahead;
	make_window(s);
	s->cursor = pario_columns_cursor_new();
	if (has_lists(t, of)) {
		s->noted = calloc(1, sizeof(*s->noted));
		if (s->noted && pario_unpack_open(&s->noted->u, t->path, err) < 0) {
			free(s->noted);
			s->noted = NULL;
			pario_trace_stream_close(s);
			return NULL;
		}
	}
	if (!s->slots || !s->unused || !s->window || !s->cursor ||
	    (!s->noted && has_lists(t, of))) {
		no_memory(s, err);
		pario_trace_stream_close(s);
		return NULL;
	}
	return s;
}

void pario_trace_stream_close(struct pario_trace_stream *s)
{
	if (!s)
		return;
	if (s->slots && s->unused && s->window)
		let_go(s);
	if (s->noted)
		pario_unpack_close(&s->noted->u);
	free(s->noted);
	pario_unpack_close(&s->u);
	pario_columns_cursor_free(s->cursor);
	free(s->slots);
	free(s->unused);
	free(s->window);
	free(s);
}

/* ---- several threads ---- */

struct head {
	struct pario_trace_stream *stream;
	struct pario_trace_call call;
	bool have;
};

struct pario_trace_merge {
	struct head *heads;
	uint32_t count;
	struct head *given;
};

void pario_trace_merge_close(struct pario_trace_merge *m)
{
	for (uint32_t i = 0; m && i < m->count; i++)
		pario_trace_stream_close(m->heads[i].stream);
	if (m)
		free(m->heads);
	free(m);
}

struct pario_trace_merge *pario_trace_merge_open(const struct pario_trace *t, uint32_t process,
						 uint32_t ahead, struct pario_err *err)
{
	struct pario_trace_merge *m = calloc(1, sizeof(*m));

	if (m)
		m->heads = calloc(pario_trace_threads(t) + 1ul, sizeof(*m->heads));
	if (!m || !m->heads) {
		free(m);
		pario_err_memory(err, "reading the trace %s", t->path);
		return NULL;
	}
	for (uint32_t i = 1; i <= pario_trace_threads(t); i++) {
		struct head *h = &m->heads[m->count];

		if (process && t->context.threads[i].process != process)
			continue;
		h->stream = pario_trace_stream_open(t, i, ahead, err);
		m->count += h->stream != NULL;
		if (!h->stream || pario_trace_stream_next(h->stream, &h->call, err) < 0) {
			pario_trace_merge_close(m);
			return NULL;
		}
		h->have = h->call.op != 0;
	}
	return m;
}

uint32_t pario_trace_merge_overtaken(const struct pario_trace_merge *m, uint32_t thread)
{
	uint32_t i = thread - 1; /* of the whole trace; those of one process are fewer */

	for (i = i < m->count ? i : m->count; i > 0 && m->heads[i - 1].stream->thread >= thread;)
		i--;
	return i < m->count && m->heads[i].stream->thread == thread ? m->heads[i].stream->overtaken
								    : 0;
}

int pario_trace_merge_next(struct pario_trace_merge *m, struct pario_trace_call *call,
			   struct pario_err *err)
{
	struct head *first = NULL;

	if (m->given) {
		int more = pario_trace_stream_next(m->given->stream, &m->given->call, err);

		if (more < 0)
			return -1;
		m->given->have = more > 0;
	}
	for (uint32_t i = 0; i < m->count; i++) {
		struct head *h = &m->heads[i];

		if (h->have && (!first || h->call.start_ns < first->call.start_ns))
			first = h;
	}
	m->given = first;
	if (!first)
		return 0;
	*call = first->call;
	return 1;
}
