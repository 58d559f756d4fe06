/*
 * order: which calls of other threads a call waits for.
 *
 * Orderings follow what a call changes or relies on: a name and the directory it is in, the end of a file, and where
 * several threads share descriptors, these. A call waits for the last one of another thread that changed the same
 * thing, if that was over before it began; one that changes a thing also waits for those that relied on it. What the
 * original did at the same time stays unordered.
 */
#include "tests/replay/model/pass.h"

enum { EDGES = 1 << 25 /* of all threads; 24 bytes each */ };

enum thing { NAME = 1, END, DESCRIPTOR };

static struct pario_replay_resource *resource(struct pario_replay_pass *s, enum thing thing,
					      uint64_t a, uint64_t b)
{
	bool is_new;
	uint32_t number = pario_map_add(&s->resource_of,
					(struct pario_map_key){ (uint64_t)thing, a, b }, &is_new);
	void *grown =
		pario_map_grow(s->resources, &s->resource_capacity, number, sizeof(*s->resources));

	if (!grown || number == 0) {
		s->no_memory |= !grown;
		return NULL;
	}
	s->resources = grown;
	return &s->resources[number];
}

static void wait_for(struct pario_replay_pass *s, const struct pario_trace_call *call,
		     const struct pario_replay_use *use)
{
	struct pario_replay_thread *t = &s->scan->threads[call->thread];
	struct pario_replay_edge *edges;
	uint32_t number;
	bool is_new;
	void *grown;

	if (use->thread == 0 || use->thread == call->thread || use->end_ns > call->start_ns ||
	    s->scan->edges >= EDGES)
		return;
	number = pario_map_add(&s->waited_of,
			       (struct pario_map_key){ call->thread, use->thread, 0 }, &is_new);
	grown = pario_map_grow(s->waited, &s->waited_capacity, number, sizeof(*s->waited));
	if (!grown || number == 0) {
		s->no_memory |= !grown;
		return;
	}
	s->waited = grown;
	if (s->waited[number] > use->number)
		return;
	edges = pario_map_grow(t->edges, &t->edge_capacity, t->edge_count, sizeof(*t->edges));
	if (!edges) {
		s->no_memory = true;
		return;
	}
	t->edges = edges;
	edges[t->edge_count++] = (struct pario_replay_edge){ .at = call->number,
							     .number = use->number,
							     .thread = use->thread };
	s->waited[number] = use->number + 1;
	s->scan->edges++;
}

static void relies(struct pario_replay_pass *s, const struct pario_trace_call *call,
		   struct pario_replay_resource *r)
{
	struct pario_replay_use *slot, *oldest;

	if (!r)
		return;
	wait_for(s, call, &r->change);
	slot = oldest = &r->users[0];
	for (int i = 0; i < PARIO_REPLAY_USERS; i++) {
		slot = &r->users[i];
		if (slot->thread == call->thread || slot->thread == 0)
			break;
		if (slot->end_ns < oldest->end_ns)
			oldest = slot;
		slot = oldest;
	}
	*slot = (struct pario_replay_use){ .number = call->number,
					   .end_ns = call->end_ns,
					   .thread = call->thread };
}

static void changes(struct pario_replay_pass *s, const struct pario_trace_call *call,
		    struct pario_replay_resource *r)
{
	if (!r)
		return;
	wait_for(s, call, &r->change);
	for (int i = 0; i < PARIO_REPLAY_USERS; i++)
		wait_for(s, call, &r->users[i]);
	*r = (struct pario_replay_resource){
		.change = { .number = call->number, .end_ns = call->end_ns, .thread = call->thread }
	};
}

static void name_order(struct pario_replay_pass *s, const struct pario_trace_call *call,
		       uint32_t file, bool change)
{
	uint32_t parent = file ? s->scan->files[file].parent : 0;

	if (!file)
		return;
	if (parent)
		relies(s, call, resource(s, NAME, parent, 0));
	if (change)
		changes(s, call, resource(s, NAME, file, 0));
	else
		relies(s, call, resource(s, NAME, file, 0));
}

static bool links(uint16_t op)
{
	return op == PARIO_OP_link || op == PARIO_OP_linkat;
}

static bool goes_there(uint16_t op)
{
	return op == PARIO_OP_chdir || op == PARIO_OP_fchdir || op == PARIO_OP_chroot;
}

static void order_names(struct pario_replay_pass *s, const struct pario_trace_call *call)
{
	switch (call->class) {
	case PARIO_CLASS_OPEN:
		name_order(s, call, call->file, pario_replay_creates(call));
		break;
	case PARIO_CLASS_NAME:
		name_order(s, call, call->file, !links(call->op) && !goes_there(call->op));
		if (pario_replay_two_names(call->op))
			name_order(s, call, call->other_file, true);
		break;
	case PARIO_CLASS_STAT:
	case PARIO_CLASS_ATTR:
	case PARIO_CLASS_LIST:
		name_order(s, call, call->file, false);
		break;
	default:
		break;
	}
}

/* Reads of what was appended later wait for it. */
static void order_ends(struct pario_replay_pass *s, const struct pario_trace_call *call)
{
	struct pario_replay_file *f = &s->scan->files[call->file];
	uint64_t end = call->offset == PARIO_TRACE_NOWHERE ? 0 : call->offset + call->moved;

	if (call->class == PARIO_CLASS_WRITE && end > f->sequel) {
		changes(s, call, resource(s, END, call->file, 0));
		f->sequel = end;
	} else if (call->class == PARIO_CLASS_READ && end > f->size) {
		relies(s, call, resource(s, END, call->file, 0));
	} else if (call->class == PARIO_CLASS_SIZE) {
		changes(s, call, resource(s, END, call->file, 0));
		f->sequel = call->size;
	}
	if (f->sequel > f->grown)
		f->grown = f->sequel;
}

static bool own_place(uint16_t op)
{
	return op == PARIO_OP_read || op == PARIO_OP_write || op == PARIO_OP_readv ||
	       op == PARIO_OP_writev || op == PARIO_OP_lseek;
}

/* Descriptors that several threads of a process use. */
void pario_replay_order_descriptors(struct pario_replay_pass *s,
				    const struct pario_trace_call *call)
{
	bool opens = call->class == PARIO_CLASS_OPEN && call->layer != PARIO_TRACE_MPIIO;
	int32_t fd = opens && !call->failed ? call->result : call->fd;
	struct pario_replay_resource *r;

	if (s->threads_of[call->process] < 2 || fd < 0 || call->layer == PARIO_TRACE_MPI ||
	    call->layer == PARIO_TRACE_PROCESS)
		return;
	r = resource(s, DESCRIPTOR, call->process, (uint64_t)fd);
	if (opens || call->class == PARIO_CLASS_CLOSE || call->layer == PARIO_TRACE_STDIO ||
	    own_place(call->op))
		changes(s, call, r);
	else
		relies(s, call, r);
}

void pario_replay_order_files(struct pario_replay_pass *s, const struct pario_trace_call *call)
{
	order_names(s, call);
	order_ends(s, call);
}
