/*
 * scan: one pass over the merged calls; it opens no file of the traced program and starts no thread.
 */
#include "tests/replay/model/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "tests/replay/model/pass.h"

enum {
	RESOURCES = 1 << 22,
	TRANSFER_LEAST = 1 << 20,
	READ_LEAST = 4096,
	SLOTS = 1 << 16, /* descriptors beyond that are unknown */
};

/* A first read that took no longer than this was served by the page cache. */
#define HIT_NS		30000
#define HIT_NS_PER_BYTE 1.0

bool pario_replay_by_pointer(uint16_t op)
{
	const char *name = op >= PARIO_TRACE_FIRST && op < PARIO_TRACE_END
				   ? pario_trace_operation(op)->name
				   : "";

	return strncmp(name, "MPI_File_", 9) == 0 &&
	       (strstr(name, "_shared") || strstr(name, "_ordered"));
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

static int share_out(struct pario_replay_pass *s, struct pario_err *err)
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
		return pario_err_memory(err, "the ranks of the trace");
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
		return pario_err_memory(err, "the ranks of the trace");
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
		if (to->first && pario_trace_process(s->trace, from->process)->rank != UINT32_MAX)
			scan->clients[to->client].thread = t;
		s->threads_of[from->process]++;
	}
	return 0;
}

/* ---- threads by their pthread_t, which a later thread may have again ---- */

static bool has_namesake(const struct pario_trace *trace, uint32_t thread)
{
	const struct pario_trace_thread *one = pario_trace_thread(trace, thread);

	for (uint32_t t = 1; one->pthread && t <= pario_trace_threads(trace); t++) {
		const struct pario_trace_thread *other = pario_trace_thread(trace, t);

		if (t != thread && other->process == one->process && other->pthread == one->pthread)
			return true;
	}
	return false;
}

static int find_beginnings(struct pario_replay_pass *s, struct pario_err *err)
{
	int status = 0;

	for (uint32_t t = 1; t <= s->scan->thread_count && status >= 0; t++) {
		struct pario_trace_stream *stream;
		struct pario_trace_call first;

		if (!has_namesake(s->trace, t))
			continue;
		stream = pario_trace_stream_open(s->trace, t, PARIO_STREAM_AHEAD, err);
		if (!stream)
			return -1;
		status = pario_trace_stream_next(stream, &first, err);
		s->scan->threads[t].begun_ns = status > 0 ? first.start_ns : INFINITY;
		pario_trace_stream_close(stream);
	}
	return status < 0 ? -1 : 0;
}

uint32_t pario_replay_thread_meant(const struct pario_replay_scan *scan,
				   const struct pario_trace *trace,
				   const struct pario_trace_call *call)
{
	bool makes = call->op == PARIO_OP_pthread_create;
	uint64_t id = call->arguments.thread.id;
	uint32_t meant = 0;

	for (uint32_t t = 1; id && t <= scan->thread_count; t++) {
		const struct pario_trace_thread *thread = pario_trace_thread(trace, t);
		double begun = scan->threads[t].begun_ns;

		if (thread->process != call->process || thread->pthread != id)
			continue;
		if (begun == 0)
			return t;
		/* made: the next one that begins; waited for: the last one that has begun */
		if (makes ? begun >= call->start_ns &&
				    (!meant || begun < scan->threads[meant].begun_ns)
			  : begun <= call->end_ns &&
				    (!meant || begun > scan->threads[meant].begun_ns))
			meant = t;
	}
	return meant;
}

/* ---- the pass ---- */

static void count(struct pario_replay_scan *scan, const struct pario_trace_call *call, bool storage)
{
	struct pario_replay_thread *t = &scan->threads[call->thread];

	struct pario_replay_client *c = &scan->clients[t->client];

	scan->calls++;
	if (!c->any)
		*c = (struct pario_replay_client){ .first_ns = call->start_ns,
						   .any = true,
						   .thread = c->thread };
	if (pario_replay_own(call->op) && call->op != PARIO_OP_MPI_Finalize && t->first &&
	    !c->init) {
		c->init = true;
		c->init_ns = call->start_ns;
		c->ready_ns = call->end_ns;
	}
	if (call->op == PARIO_OP_MPI_Finalize && t->first && !c->final) {
		c->final = true;
		c->leave_ns = call->start_ns;
		c->left_ns = call->end_ns;
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
static void leave_helpers_out(struct pario_replay_pass *s, const struct pario_trace_call *call)
{
	uint32_t made;

	if (call->op != PARIO_OP_pthread_create || call->depth == 0)
		return;
	made = pario_replay_thread_meant(s->scan, s->trace, call);
	if (made && made <= s->scan->thread_count)
		s->scan->threads[made].client = PARIO_REPLAY_NOBODY;
}

static uint32_t same(const struct pario_replay_scan *scan, uint32_t file)
{
	return file <= scan->file_count && scan->files[file].same ? scan->files[file].same : file;
}

static void take(struct pario_replay_pass *s, struct pario_trace_call *call,
		 enum pario_replay_layer layer)
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
		uint32_t made = pario_replay_thread_meant(scan, s->trace, call);

		if (made && made <= scan->thread_count)
			scan->threads[made].created = true;
	}
	pario_replay_order_descriptors(s, call);
	if (!storage)
		return;
	pario_replay_settle(s, call, call->file, false);
	if (pario_replay_two_names(call->op) && call->other_file)
		pario_replay_settle(s, call, call->other_file, true);
	pario_replay_order_files(s, call);
	pario_replay_first_read(&scan->files[call->file], call);
}

static uint32_t client_count(const struct pario_replay_scan *scan)
{
	return scan->ranks ? scan->ranks : 1;
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

static void sum_up(struct pario_replay_pass *s)
{
	struct pario_replay_scan *scan = s->scan;

	sum_up_times(scan);
	for (uint32_t i = 1; i <= scan->file_count; i++) {
		if (scan->files[i].used)
			pario_replay_mark_directories(s, i);
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

static int walk(struct pario_replay_pass *s, enum pario_replay_layer layer, struct pario_err *err)
{
	struct pario_trace_merge *m = pario_trace_merge_open(s->trace, 0, PARIO_REPLAY_AHEAD, err);
	struct pario_trace_call call;
	int status;

	if (!m)
		return -1;
	while ((status = pario_trace_merge_next(m, &call, err)) > 0 && !s->no_memory)
		take(s, &call, layer);
	for (uint32_t t = 1; t <= s->scan->thread_count; t++)
		s->scan->threads[t].ahead = pario_trace_merge_overtaken(m, t);
	pario_trace_merge_close(m);
	if (s->no_memory)
		return pario_err_memory(err, "the orderings of the trace");
	return status;
}

int pario_replay_scan(struct pario_replay_scan *scan, const struct pario_trace *trace,
		      enum pario_replay_layer layer, struct pario_err *err)
{
	struct pario_replay_pass s = { .scan = scan, .trace = trace };
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
	if (!scan->files || !scan->threads || !s.nests || !s.threads_of ||
	    pario_replay_find_parents(&s) < 0)
		pario_err_memory(err, "the files of the trace");
	else if (share_out(&s, err) == 0 && find_beginnings(&s, err) == 0 &&
		 walk(&s, layer, err) == 0)
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
