/*
 * order: which calls of other threads a call waits for.
 *
 * Orderings follow what a call changes or relies on: a name and the directory it is in, the end of a file, and where
 * several threads share descriptors, these. A call waits for the last one of another thread that changed the same
 * thing, if that was over before it began; one that changes a thing also waits for those that relied on it. What the
 * original did at the same time stays unordered, unless the results tell: of two that made one name, the one that was
 * told that it exists came second.
 */
#include <errno.h>

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

/* `later` waits for `use`. */
static void put_after(struct pario_replay_pass *s, const struct pario_replay_use *later,
		      const struct pario_replay_use *use)
{
	struct pario_replay_thread *t = &s->scan->threads[later->thread];
	struct pario_replay_edge *edges;
	uint32_t number;
	bool is_new;
	void *grown;

	if (s->scan->edges >= EDGES ||
	    (t->edge_count && t->edges[t->edge_count - 1].at > later->number))
		return;
	number = pario_map_add(&s->waited_of,
			       (struct pario_map_key){ later->thread, use->thread, 0 }, &is_new);
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
	edges[t->edge_count++] = (struct pario_replay_edge){ .at = later->number,
							     .number = use->number,
							     .thread = use->thread };
	s->waited[number] = use->number + 1;
	s->scan->edges++;
}

/*
 * One call after another, in the order of their starts. Where both were under way at the same time the one that made
 * the name goes first, whichever began first. Nothing waits in a circle for that: who is told that a name exists makes
 * none, so no third one is put after it that began before it was over.
 */
static void arrange(struct pario_replay_pass *s, const struct pario_replay_use *use,
		    const struct pario_replay_use *call)
{
	if (use->thread == 0 || use->thread == call->thread)
		return;
	if (use->end_ns <= s->now_ns || (use->makes && call->finds))
		put_after(s, call, use);
	else if (use->finds && call->makes)
		put_after(s, use, call);
}

static struct pario_replay_use use_of(const struct pario_trace_call *call, bool second)
{
	bool makes = pario_replay_makes(call, second);

	return (struct pario_replay_use){ .number = call->number,
					  .end_ns = call->end_ns,
					  .thread = call->thread,
					  .makes = makes && !call->failed,
					  .finds =
						  makes && call->failed && call->result == EEXIST };
}

static void relies(struct pario_replay_pass *s, const struct pario_replay_use *call,
		   struct pario_replay_resource *r)
{
	struct pario_replay_use *slot, *oldest;

	if (!r)
		return;
	arrange(s, &r->change, call);
	slot = oldest = &r->users[0];
	for (int i = 0; i < PARIO_REPLAY_USERS; i++) {
		slot = &r->users[i];
		if (slot->thread == call->thread || slot->thread == 0)
			break;
		if (slot->end_ns < oldest->end_ns)
			oldest = slot;
		slot = oldest;
	}
	*slot = *call;
}

static void changes(struct pario_replay_pass *s, const struct pario_replay_use *call,
		    struct pario_replay_resource *r)
{
	if (!r)
		return;
	arrange(s, &r->change, call);
	for (int i = 0; i < PARIO_REPLAY_USERS; i++)
		arrange(s, &r->users[i], call);
	*r = (struct pario_replay_resource){ .change = *call };
}

static void name_order(struct pario_replay_pass *s, const struct pario_trace_call *call,
		       uint32_t file, bool change, bool second)
{
	uint32_t parent = file ? s->scan->files[file].parent : 0;
	const struct pario_replay_use use = use_of(call, second);
	struct pario_replay_use in = use;

	if (!file)
		return;
	in.makes = in.finds = false; /* its directory */
	if (parent)
		relies(s, &in, resource(s, NAME, parent, 0));
	if (change && !use.finds)
		changes(s, &use, resource(s, NAME, file, 0));
	else
		relies(s, &use, resource(s, NAME, file, 0));
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
		name_order(s, call, call->file, pario_replay_creates(call), false);
		break;
	case PARIO_CLASS_NAME:
		name_order(s, call, call->file, !links(call->op) && !goes_there(call->op), false);
		if (pario_replay_two_names(call->op))
			name_order(s, call, call->other_file, true, true);
		break;
	case PARIO_CLASS_STAT:
	case PARIO_CLASS_ATTR:
	case PARIO_CLASS_LIST:
		name_order(s, call, call->file, false, false);
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
	const struct pario_replay_use use = use_of(call, false);

	if (call->class == PARIO_CLASS_WRITE && end > f->sequel) {
		changes(s, &use, resource(s, END, call->file, 0));
		f->sequel = end;
	} else if (call->class == PARIO_CLASS_READ && end > f->size) {
		relies(s, &use, resource(s, END, call->file, 0));
	} else if (call->class == PARIO_CLASS_SIZE) {
		changes(s, &use, resource(s, END, call->file, 0));
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
	struct pario_replay_use use;
	struct pario_replay_resource *r;

	if (s->threads_of[call->process] < 2 || fd < 0 || call->layer == PARIO_TRACE_MPI ||
	    call->layer == PARIO_TRACE_PROCESS)
		return;
	r = resource(s, DESCRIPTOR, call->process, (uint64_t)fd);
	s->now_ns = call->start_ns;
	use = use_of(call, false);
	use.makes = use.finds = false; /* a descriptor is no name */
	if (opens || call->class == PARIO_CLASS_CLOSE || call->layer == PARIO_TRACE_STDIO ||
	    own_place(call->op))
		changes(s, &use, r);
	else
		relies(s, &use, r);
}

void pario_replay_order_files(struct pario_replay_pass *s, const struct pario_trace_call *call)
{
	s->now_ns = call->start_ns;
	order_names(s, call);
	order_ends(s, call);
}
