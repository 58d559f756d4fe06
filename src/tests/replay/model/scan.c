/*
 * scan: one pass over the merged calls.
 *
 * Orderings follow what a call changes or relies on: a name and the directory it is in, the end of a file, and where
 * several threads share descriptors, these. A call waits for the last one of another thread that changed the same
 * thing, if that was over before it began; one that changes a thing also waits for those that relied on it. What the
 * original did at the same time stays unordered.
 */
#include "tests/replay/model/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "profile/medium.h"
#include "tests/replay/model/place.h"

enum {
	USERS = 8, /* that are remembered of those that relied on a thing since it was changed */
	FIRST_READS = 4,
	RESOURCES = 1 << 22,
	EDGES = 1 << 25, /* of all threads; 24 bytes each */
	TRANSFER_LEAST = 1 << 20,
	READ_LEAST = 4096,
	SLOTS = 1 << 16, /* descriptors beyond that are unknown */
};

/* A first read that took no longer than this was served by the page cache. */
#define HIT_NS		30000
#define HIT_NS_PER_BYTE 1.0

enum thing { NAME = 1, END, DESCRIPTOR };

struct use {
	uint64_t number;
	double end_ns;
	uint32_t thread; /* 0 = none */
};

struct resource {
	struct use change, users[USERS];
};

struct state {
	struct pario_replay_scan *scan;
	const struct pario_trace *trace;
	struct pario_map resource_of, waited_of, place_of;
	uint32_t *file_of; /* a place */
	struct resource *resources;
	uint64_t *waited; /* the highest number that one thread waits for of another, plus 1 */
	uint32_t resource_capacity, waited_capacity;
	uint32_t *threads_of; /* a process */
	struct pario_replay_nest *nests;
	bool no_memory;
};

bool pario_replay_wanted(struct pario_replay_nest *nest, const struct pario_trace_call *call,
			 enum pario_replay_layer layer)
{
	if (call->start_ns < nest->until_ns &&
	    (call->depth > nest->depth || (nest->library && call->asynchronous)))
		return false;
	if (call->layer == PARIO_TRACE_HDF5 || call->layer == PARIO_TRACE_PNETCDF)
		return false;
	if (layer == PARIO_REPLAY_POSIX &&
	    (call->layer == PARIO_TRACE_STDIO || call->layer == PARIO_TRACE_MPIIO))
		return false;
	nest->until_ns = call->end_ns;
	nest->depth = call->depth;
	nest->library = call->layer == PARIO_TRACE_MPIIO;
	return true;
}

bool pario_replay_own(uint16_t op)
{
	return op == PARIO_OP_MPI_Init || op == PARIO_OP_MPI_Init_thread ||
	       op == PARIO_OP_MPI_Finalize;
}

bool pario_replay_by_pointer(uint16_t op)
{
	const char *name = op >= PARIO_TRACE_FIRST && op < PARIO_TRACE_END
				   ? pario_trace_op_info[op - PARIO_TRACE_FIRST].name
				   : "";

	return strncmp(name, "MPI_File_", 9) == 0 &&
	       (strstr(name, "_shared") || strstr(name, "_ordered"));
}

bool pario_replay_storage(const struct pario_replay_scan *scan, const struct pario_trace_call *call)
{
	return call->file && call->file <= scan->file_count && scan->files[call->file].storage &&
	       call->layer != PARIO_TRACE_PROCESS && call->layer != PARIO_TRACE_MPI;
}

static uint64_t hash_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

/* ---- orderings ---- */

static struct resource *resource(struct state *s, enum thing thing, uint64_t a, uint64_t b)
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

static void wait_for(struct state *s, const struct pario_trace_call *call, const struct use *use)
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

static void relies(struct state *s, const struct pario_trace_call *call, struct resource *r)
{
	struct use *slot, *oldest;

	if (!r)
		return;
	wait_for(s, call, &r->change);
	slot = oldest = &r->users[0];
	for (int i = 0; i < USERS; i++) {
		slot = &r->users[i];
		if (slot->thread == call->thread || slot->thread == 0)
			break;
		if (slot->end_ns < oldest->end_ns)
			oldest = slot;
		slot = oldest;
	}
	*slot = (struct use){ .number = call->number,
			      .end_ns = call->end_ns,
			      .thread = call->thread };
}

static void changes(struct state *s, const struct pario_trace_call *call, struct resource *r)
{
	if (!r)
		return;
	wait_for(s, call, &r->change);
	for (int i = 0; i < USERS; i++)
		wait_for(s, call, &r->users[i]);
	*r = (struct resource){
		.change = { .number = call->number, .end_ns = call->end_ns, .thread = call->thread }
	};
}

static void name_order(struct state *s, const struct pario_trace_call *call, uint32_t file,
		       bool change)
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

static bool creates(const struct pario_trace_call *call)
{
	return call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
	       call->arguments.open.flags & (O_CREAT | O_TRUNC);
}

static bool two_names(uint16_t op)
{
	return op == PARIO_OP_rename || op == PARIO_OP_renameat || op == PARIO_OP_renameat2 ||
	       op == PARIO_OP_link || op == PARIO_OP_linkat;
}

static bool links(uint16_t op)
{
	return op == PARIO_OP_link || op == PARIO_OP_linkat;
}

static bool goes_there(uint16_t op)
{
	return op == PARIO_OP_chdir || op == PARIO_OP_fchdir || op == PARIO_OP_chroot;
}

static void order_names(struct state *s, const struct pario_trace_call *call)
{
	switch (call->class) {
	case PARIO_CLASS_OPEN:
		name_order(s, call, call->file, creates(call));
		break;
	case PARIO_CLASS_NAME:
		name_order(s, call, call->file, !links(call->op) && !goes_there(call->op));
		if (two_names(call->op))
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
static void order_ends(struct state *s, const struct pario_trace_call *call)
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
static void order_descriptors(struct state *s, const struct pario_trace_call *call)
{
	bool opens = call->class == PARIO_CLASS_OPEN && call->layer != PARIO_TRACE_MPIIO;
	int32_t fd = opens && !call->failed ? call->result : call->fd;
	struct resource *r;

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

/* ---- files ---- */

static bool makes_new(const struct pario_trace_call *call, bool second)
{
	switch (call->op) {
	case PARIO_OP_mkdir:
	case PARIO_OP_mkdirat:
	case PARIO_OP_mkdtemp:
	case PARIO_OP_symlink:
	case PARIO_OP_symlinkat:
	case PARIO_OP_mkstemp:
		return true;
	case PARIO_OP_rename:
	case PARIO_OP_renameat:
	case PARIO_OP_renameat2:
	case PARIO_OP_link:
	case PARIO_OP_linkat:
		return second;
	default:
		return call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
		       (call->arguments.open.flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
	}
}

static void take_kind(struct pario_replay_file *f, const struct pario_trace_call *call)
{
	switch (call->op) {
	case PARIO_OP_opendir:
	case PARIO_OP_fdopendir:
	case PARIO_OP_rmdir:
	case PARIO_OP_chdir:
	case PARIO_OP_fchdir:
	case PARIO_OP_scandir:
	case PARIO_OP_getdents:
		f->kind = PARIO_REPLAY_DIRECTORY;
		break;
	case PARIO_OP_readlink:
	case PARIO_OP_readlinkat:
		f->kind = PARIO_REPLAY_LINK;
		break;
	default:
		break;
	}
	if (call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
	    call->arguments.open.flags & O_DIRECTORY)
		f->kind = PARIO_REPLAY_DIRECTORY;
}

/* The first call that names a file shows whether it was there. */
static void settle(struct state *s, const struct pario_trace_call *call, uint32_t number,
		   bool second)
{
	struct pario_replay_file *f = &s->scan->files[number];
	const struct pario_trace_file *known = pario_trace_file_of(s->trace, number);

	f->used = true;
	if (f->settled)
		return;
	f->settled = true;
	if (!call->failed && makes_new(call, second))
		return;
	if (known->exists >= 0) {
		f->exists = known->exists == 1;
		f->size = known->size;
		f->allocated = known->allocated;
		f->mode = known->mode & 07777;
		f->kind = S_ISDIR(known->mode)	 ? PARIO_REPLAY_DIRECTORY
			  : S_ISLNK(known->mode) ? PARIO_REPLAY_LINK
						 : PARIO_REPLAY_FILE;
	} else if (call->failed) {
		f->exists = call->result != ENOENT && call->result != ENOTDIR;
	} else {
		f->exists = !creates(call);
	}
	if (!call->failed && known->exists < 0)
		take_kind(f, call);
	f->sequel = f->grown = f->size;
}

static void first_read(struct pario_replay_file *f, const struct pario_trace_call *call)
{
	if (call->class != PARIO_CLASS_READ || call->failed || f->first_reads >= FIRST_READS)
		return;
	f->first_reads++;
	f->first_read_ns += call->end_ns - call->start_ns;
	f->first_read_bytes += call->moved;
}

/* The number of the directory that a file is in, or if no call names it, of the one that this is in. */
static uint32_t nearest(const struct state *s, char path[PARIO_PLACE_CAPACITY])
{
	char parent[PARIO_PLACE_CAPACITY];

	while (pario_replay_parent(path, parent)) {
		uint32_t n = pario_map_find(&s->place_of,
					    (struct pario_map_key){ hash_of(parent), 0, 0 });

		if (n && n <= s->scan->file_count && s->file_of[n])
			return s->file_of[n];
		memcpy(path, parent, sizeof(parent));
	}
	return 0;
}

/* Numbers of the directories that files are in. */
static int find_parents(struct state *s)
{
	struct pario_replay_scan *scan = s->scan;
	char path[PARIO_PLACE_CAPACITY];
	uint32_t *file_of = s->file_of = calloc((size_t)scan->file_count + 2, sizeof(*file_of));
	bool is_new;

	if (!file_of)
		return -1;
	s->place_of.limit = scan->file_count + 1;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 1; i <= scan->file_count; i++) {
			const struct pario_trace_file *f = pario_trace_file_of(s->trace, i);
			uint32_t n;

			if (!f || !f->name || !pario_replay_place(f->name, path))
				continue;
			scan->files[i].storage =
				pario_medium_of_name(f->name) == PARIO_MEDIUM_STORAGE;
			if (pass == 0) {
				n = pario_map_add(&s->place_of,
						  (struct pario_map_key){ hash_of(path), 0, 0 },
						  &is_new);
				if (n && n <= scan->file_count && is_new)
					file_of[n] = i;
				scan->files[i].same = n && n <= scan->file_count ? file_of[n] : i;
			} else {
				scan->files[i].parent = nearest(s, path);
			}
		}
	}
	return 0;
}

/* What files are in is a directory, also where only its name was asked for. */
static void mark_directories(struct state *s, uint32_t number)
{
	char path[PARIO_PLACE_CAPACITY], parent[PARIO_PLACE_CAPACITY];

	if (!pario_replay_place(pario_trace_file_of(s->trace, number)->name, path))
		return;
	while (pario_replay_parent(path, parent)) {
		uint32_t n = pario_map_find(&s->place_of,
					    (struct pario_map_key){ hash_of(parent), 0, 0 });
		struct pario_replay_file *f =
			n && n <= s->scan->file_count ? &s->scan->files[s->file_of[n]] : NULL;

		if (f && f->kind == PARIO_REPLAY_FILE)
			f->kind = PARIO_REPLAY_DIRECTORY;
		memcpy(path, parent, sizeof(path));
	}
}

/* ---- who makes the calls ---- */

/* The rank of a process, or of whoever started it. */
static int32_t owner_of(const struct pario_trace *trace, uint32_t number, uint32_t ranks)
{
	for (uint32_t steps = 0; number && steps < PARIO_REPLAY_THREADS; steps++) {
		const struct pario_trace_process *p = pario_trace_process(trace, number);

		if (p->rank != UINT32_MAX)
			return (int32_t)p->rank;
		number = p->before ? p->before : p->parent;
	}
	return ranks ? PARIO_REPLAY_NOBODY : 0;
}

static int share_out(struct state *s, struct pario_err *err)
{
	struct pario_replay_scan *scan = s->scan;
	uint32_t processes = pario_trace_processes(s->trace), here = 0;
	bool *seen;

	for (uint32_t i = 1; i <= processes; i++) {
		const struct pario_trace_process *p = pario_trace_process(s->trace, i);

		if (p->rank != UINT32_MAX && p->ranks > scan->ranks)
			scan->ranks = p->ranks;
		if (p->rank != UINT32_MAX && p->rank >= scan->ranks)
			scan->ranks = p->rank + 1;
	}
	if (scan->ranks > PARIO_REPLAY_THREADS)
		return pario_err_set(err, PARIO_USAGE, "the trace has %u ranks; %u is the most.",
				     scan->ranks, (unsigned)PARIO_REPLAY_THREADS);
	seen = calloc((size_t)scan->ranks + 1, sizeof(*seen));
	if (!seen)
		return pario_err_set(err, PARIO_SYSTEM, "no memory for the ranks of the trace.");
	for (uint32_t i = 1; i <= processes; i++) {
		const struct pario_trace_process *p = pario_trace_process(s->trace, i);

		if (p->rank != UINT32_MAX && !seen[p->rank]) {
			seen[p->rank] = true;
			here++;
		}
		if (p->peak_bytes > scan->peak_bytes)
			scan->peak_bytes = p->peak_bytes;
	}
	free(seen);
	scan->clients = calloc((size_t)scan->ranks + 1, sizeof(*scan->clients));
	if (!scan->clients)
		return pario_err_set(err, PARIO_SYSTEM, "no memory for the ranks of the trace.");
	if (here < scan->ranks)
		return pario_err_set(err, PARIO_USAGE,
				     "the trace has calls of %u of %u ranks, and those that are "
				     "missing would be waited for. Trace all ranks.",
				     here, scan->ranks);
	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		const struct pario_trace_thread *from = pario_trace_thread(s->trace, t);
		struct pario_replay_thread *to = &scan->threads[t];

		to->process = from->process;
		to->client = owner_of(s->trace, from->process, scan->ranks);
		to->first = from->tid == pario_trace_process(s->trace, from->process)->pid;
		s->threads_of[from->process]++;
	}
	return 0;
}

/* ---- the pass ---- */

static void count(struct pario_replay_scan *scan, const struct pario_trace_call *call, bool storage)
{
	struct pario_replay_thread *t = &scan->threads[call->thread];

	struct pario_replay_client *c = &scan->clients[t->client];

	scan->calls++;
	if (!c->any)
		*c = (struct pario_replay_client){ .first_ns = call->start_ns, .any = true };
	if (pario_replay_own(call->op) && call->op != PARIO_OP_MPI_Finalize && t->first &&
	    !c->init) {
		c->init = true;
		c->init_ns = call->start_ns;
		c->ready_ns = call->end_ns;
	}
	if (!pario_replay_own(call->op) && call->end_ns > t->last_ns)
		t->last_ns = call->end_ns;
	if (storage && call->moved > scan->largest)
		scan->largest = call->moved;
}

static void count_slot(struct pario_replay_scan *scan, int64_t fd)
{
	if (fd >= scan->slots && fd < SLOTS)
		scan->slots = (uint32_t)fd + 1;
}

/* What its thread needs: memory to read into, and descriptors. */
static void count_needs(struct pario_replay_scan *scan, const struct pario_trace_call *call)
{
	struct pario_replay_thread *t = &scan->threads[call->thread];
	uint64_t bytes = call->size < TRANSFER_LEAST ? call->size : TRANSFER_LEAST;

	if (call->moved > bytes)
		bytes = call->moved;
	if (call->class != PARIO_CLASS_WRITE && bytes > t->reads)
		t->reads = bytes;
	if (call->layer == PARIO_TRACE_MPI || call->layer == PARIO_TRACE_MPIIO ||
	    call->layer == PARIO_TRACE_PROCESS)
		return;
	count_slot(scan, call->fd);
	if (!call->failed && call->class != PARIO_CLASS_READ && call->class != PARIO_CLASS_WRITE)
		count_slot(scan, call->result);
	if (call->arguments.kind == PARIO_ARGUMENTS_PIPE)
		count_slot(scan, call->arguments.pipe.write_end);
}

/* A thread that a library starts within one of its calls (MPI's progress) is the library's; here it has its own. */
static void leave_helpers_out(struct state *s, const struct pario_trace_call *call)
{
	uint32_t made;

	if (call->op != PARIO_OP_pthread_create || call->depth == 0)
		return;
	made = pario_trace_thread_named(s->trace, call->process, call->arguments.thread.id);
	if (made && made <= s->scan->thread_count)
		s->scan->threads[made].client = PARIO_REPLAY_NOBODY;
}

static uint32_t same(const struct pario_replay_scan *scan, uint32_t file)
{
	return file <= scan->file_count && scan->files[file].same ? scan->files[file].same : file;
}

static void take(struct state *s, struct pario_trace_call *call, enum pario_replay_layer layer)
{
	struct pario_replay_scan *scan = s->scan;
	struct pario_replay_thread *t = &scan->threads[call->thread];
	bool storage;

	call->file = same(scan, call->file);
	call->other_file = same(scan, call->other_file);
	storage = pario_replay_storage(scan, call);
	if (t->client == PARIO_REPLAY_NOBODY)
		return;
	if (!pario_replay_wanted(&s->nests[call->thread], call, layer)) {
		leave_helpers_out(s, call);
		return;
	}
	count(scan, call, storage);
	if (call->layer == PARIO_TRACE_MPIIO && !scan->pointers)
		scan->pointers = pario_replay_by_pointer(call->op);
	count_needs(scan, call);
	if (call->op == PARIO_OP_pthread_create) {
		uint32_t made = pario_trace_thread_named(s->trace, call->process,
							 call->arguments.thread.id);

		if (made && made <= scan->thread_count)
			scan->threads[made].created = true;
	}
	order_descriptors(s, call);
	if (!storage)
		return;
	settle(s, call, call->file, false);
	if (two_names(call->op) && call->other_file)
		settle(s, call, call->other_file, true);
	order_names(s, call);
	order_ends(s, call);
	first_read(&scan->files[call->file], call);
}

static uint32_t client_count(const struct pario_replay_scan *scan)
{
	return scan->ranks ? scan->ranks : 1;
}

double pario_replay_when(const struct pario_replay_scan *scan, int32_t client, double ns)
{
	const struct pario_replay_client *c = &scan->clients[client];

	return c->init && ns >= c->ready_ns ? ns - c->ready_ns + scan->before_ns : ns - c->first_ns;
}

static void sum_up_times(struct pario_replay_scan *scan)
{
	scan->meets = true;
	for (uint32_t i = 0; i < client_count(scan); i++) {
		const struct pario_replay_client *c = &scan->clients[i];

		scan->meets &= c->init;
		if (c->init && c->init_ns - c->first_ns > scan->before_ns)
			scan->before_ns = c->init_ns - c->first_ns;
	}
	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		const struct pario_replay_thread *thread = &scan->threads[t];
		double end = thread->last_ns > 0
				     ? pario_replay_when(scan, thread->client, thread->last_ns)
				     : 0;

		if (end > scan->makespan_ns)
			scan->makespan_ns = end;
	}
}

static void sum_up(struct state *s)
{
	struct pario_replay_scan *scan = s->scan;

	sum_up_times(scan);
	for (uint32_t i = 1; i <= scan->file_count; i++) {
		if (scan->files[i].used)
			mark_directories(s, i);
	}
	for (uint32_t i = 1; i <= scan->file_count; i++) {
		struct pario_replay_file *f = &scan->files[i];

		if (!f->used)
			continue;
		f->warm = f->first_reads &&
			  f->first_read_ns <= f->first_reads * HIT_NS +
						      (double)f->first_read_bytes * HIT_NS_PER_BYTE;
		/* what a damaged trace claims must not come out small */
		if (!pario_add(scan->bytes, f->grown > f->size ? f->grown : f->size, &scan->bytes))
			scan->bytes = UINT64_MAX;
	}
	if (scan->largest < TRANSFER_LEAST)
		scan->largest = TRANSFER_LEAST;
	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		if (scan->threads[t].reads < READ_LEAST)
			scan->threads[t].reads = READ_LEAST;
	}
}

static int walk(struct state *s, enum pario_replay_layer layer, struct pario_err *err)
{
	struct pario_trace_merge *m = pario_trace_merge_open(s->trace, 0, PARIO_REPLAY_AHEAD, err);
	struct pario_trace_call call;
	int status;

	if (!m)
		return -1;
	while ((status = pario_trace_merge_next(m, &call, err)) > 0 && !s->no_memory)
		take(s, &call, layer);
	pario_trace_merge_close(m);
	if (s->no_memory)
		return pario_err_set(err, PARIO_SYSTEM,
				     "no memory for the orderings of the trace.");
	return status;
}

int pario_replay_scan(struct pario_replay_scan *scan, const struct pario_trace *trace,
		      enum pario_replay_layer layer, struct pario_err *err)
{
	struct state s = { .scan = scan, .trace = trace };
	int status = -1;

	*scan = (struct pario_replay_scan){ .file_count = pario_trace_files(trace),
					    .thread_count = pario_trace_threads(trace) };
	s.resource_of.limit = RESOURCES;
	s.waited_of.limit = RESOURCES;
	if (scan->thread_count > PARIO_REPLAY_THREADS)
		return pario_err_set(err, PARIO_USAGE, "the trace has %u threads; %u is the most.",
				     scan->thread_count, (unsigned)PARIO_REPLAY_THREADS);
	scan->files = calloc((size_t)scan->file_count + 1, sizeof(*scan->files));
	scan->threads = calloc((size_t)scan->thread_count + 1, sizeof(*scan->threads));
	s.nests = calloc((size_t)scan->thread_count + 1, sizeof(*s.nests));
	s.threads_of = calloc((size_t)pario_trace_processes(trace) + 1, sizeof(*s.threads_of));
	if (!scan->files || !scan->threads || !s.nests || !s.threads_of || find_parents(&s) < 0)
		pario_err_set(err, PARIO_SYSTEM, "no memory for the files of the trace.");
	else if (share_out(&s, err) == 0 && walk(&s, layer, err) == 0)
		status = 0;
	if (status == 0)
		sum_up(&s);
	pario_map_release(&s.resource_of);
	pario_map_release(&s.waited_of);
	pario_map_release(&s.place_of);
	free(s.file_of);
	free(s.resources);
	free(s.waited);
	free(s.nests);
	free(s.threads_of);
	return status;
}

void pario_replay_scan_release(struct pario_replay_scan *scan)
{
	for (uint32_t t = 1; scan->threads && t <= scan->thread_count; t++)
		free(scan->threads[t].edges);
	free(scan->threads);
	free(scan->clients);
	free(scan->files);
	*scan = (struct pario_replay_scan){ 0 };
}
