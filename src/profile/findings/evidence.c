/*
 * evidence: a few additions per call, into tables of bounded size. What they mean is for the rules.
 */
#include "profile/findings/evidence.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/arguments.h"
#include "profile/findings/together.h"

/* A lock that nobody holds is there within microseconds, over a network within less than this. */
static const double WAITED_NS = 1e6;

/* In Open MPI and MPICH. */
static const uint32_t DELETE_ON_CLOSE = 16;

struct pario_evidence *pario_evidence_new(const struct pario_job *job)
{
	struct pario_evidence *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->stream_of.limit = PARIO_EVIDENCE_STREAMS;
	e->place_count = job->place_of.count;
	e->places = calloc(e->place_count + 1ul, sizeof(*e->places));
	e->processes = calloc(job->process_of.count + 1ul, sizeof(*e->processes));
	e->files = calloc(job->file_of.count + 1ul, sizeof(*e->files));
	if (e->places && e->processes && e->files &&
	    pario_waits_init(&e->waits, job->process_of.count))
		return e;
	pario_evidence_free(e);
	return NULL;
}

void pario_evidence_free(struct pario_evidence *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; e->places && i <= e->place_count; i++) {
		pario_extents_release(&e->places[i].written);
		pario_extents_release(&e->places[i].fresh);
	}
	pario_map_release(&e->stream_of);
	pario_waits_release(&e->waits);
	pario_together_free(e->together);
	free(e->streams);
	free(e->places);
	free(e->processes);
	free(e->files);
	free(e);
}

bool pario_evidence_is_meeting(uint16_t op)
{
	return op >= PARIO_OP_MPI_Barrier && op <= PARIO_OP_MPI_Exscan;
}

/* MPI_File_..._all, _all_begin and _ordered. */
static bool is_collective(uint16_t op)
{
	const char *name = pario_trace_operation(op)->name;

	return strstr(name, "_all") || strstr(name, "_ordered");
}

/*
 * Does it bring data to the device? fflush and its like hand it to the kernel, and sync_file_range starts writing
 * it, but promises nothing (sync_file_range(2)).
 */
static bool is_sync(uint16_t op)
{
	return pario_trace_operation(op)->class == PARIO_CLASS_SYNC && op != PARIO_OP_fflush &&
	       op != PARIO_OP_msync && op != PARIO_OP_sync_file_range;
}

static bool is_removal(uint16_t op)
{
	return op == PARIO_OP_unlink || op == PARIO_OP_unlinkat || op == PARIO_OP_remove ||
	       op == PARIO_OP_shm_unlink || op == PARIO_OP_MPI_File_delete;
}

/* Of fcntl, only what locks waits, and not what asks for a lock's holder. */
static bool is_lock(const struct pario_trace_record *r)
{
	return pario_trace_operation(r->op)->class == PARIO_CLASS_LOCK ||
	       (r->op == PARIO_OP_fcntl && pario_locks(r->arg) && r->arg != F_GETLK);
}

static void count(struct pario_profile_power *power, const struct pario_profile_call *call,
		  uint64_t bytes)
{
	power->calls++;
	power->bytes += bytes;
	power->ns += call->ns;
}

static void count_at(struct pario_evidence_sum *sum, const struct pario_profile_call *call,
		     uint32_t site, uint64_t bytes)
{
	count(&sum->sum, call, bytes);
	sum->site = site;
}

/* ---- what a process does with a file ---- */

static void add_range(uint64_t *from, uint64_t *to, uint64_t offset, uint64_t bytes)
{
	if (*to == 0 || offset < *from)
		*from = offset;
	if (offset + bytes > *to)
		*to = offset + bytes;
}

static bool add_write(struct pario_evidence *e, struct pario_evidence_place *p,
		      const struct pario_profile_call *call, uint32_t site, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	struct pario_evidence_file *file = &e->files[call->file];
	double end_ns = call->start_ns + call->ns;
	uint64_t before, known;

	if (!p->writes++) {
		p->first_ns = call->start_ns;
		file->writers++;
	}
	p->first_ns = fmin(p->first_ns, call->start_ns);
	p->last_ns = fmax(p->last_ns, end_ns);
	file->last_write_ns = fmax(file->last_write_ns, end_ns);
	p->written_bytes += bytes;
	p->write_ns += call->ns;
	p->write_site = site;
	p->since_sync++;
	p->since_sync_bytes += bytes;
	p->by_mpiio |= r->layer >= PARIO_TRACE_MPIIO;
	if (p->write_through)
		count_at(&p->through, call, site, bytes);
	if (r->offset == PARIO_TRACE_NOWHERE)
		return true;
	add_range(&p->from, &p->to, r->offset, bytes);
	if (!pario_extents_add(&p->written, r->offset, r->offset + bytes, &e->extents, &known) ||
	    !pario_extents_add(&p->fresh, r->offset, r->offset + bytes, &e->extents, &before))
		return false;
	if (before) {
		count_at(&p->again, call, site, before);
		p->again.sum.ns -= call->ns * (1 - (double)before / (double)bytes);
	}
	return true;
}

/* What was written until now is safe: to write it again is no waste. */
static void add_sync(struct pario_evidence_place *p, const struct pario_profile_call *call,
		     uint32_t site)
{
	bool little = p->since_sync && p->since_sync_bytes < PARIO_EVIDENCE_LARGE;

	count_at(&p->syncs, call, site, p->since_sync_bytes);
	if (little)
		count_at(p->since_sync == 1 ? &p->alone : &p->few, call, site, p->since_sync_bytes);
	p->since_sync = p->since_sync_bytes = 0;
	pario_extents_clear(&p->fresh);
}

/* What the program said about the file: by the flags of open, by advice. */
static void add_wish(struct pario_evidence *e, struct pario_evidence_place *p,
		     const struct pario_profile_call *call)
{
	struct pario_arguments a;

	pario_arguments_of(&a, &call->record);
	if (a.kind == PARIO_ARGUMENTS_OPEN) {
		p->write_through = a.open.flags & O_DSYNC; /* O_SYNC has this bit too */
		p->advice = POSIX_FADV_NORMAL;
		if ((a.open.flags & O_TMPFILE) == O_TMPFILE)
			e->files[call->file].removed = true;
	} else if (call->record.op == PARIO_OP_MPI_File_open) {
		e->files[call->file].removed |= (a.mpi_open.amode & DELETE_ON_CLOSE) != 0;
	} else if (call->record.op == PARIO_OP_posix_fadvise &&
		   a.flags.value <= POSIX_FADV_SEQUENTIAL) {
		p->advice = a.flags.value;
	}
}

static void add_read(struct pario_evidence *e, struct pario_evidence_place *p,
		     const struct pario_profile_call *call, uint32_t site,
		     enum pario_pattern pattern, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;

	e->files[call->file].readers += !p->reads++;
	p->read_bytes += bytes;
	if ((p->advice == POSIX_FADV_RANDOM && pattern == PARIO_SEQUENTIAL) ||
	    (p->advice == POSIX_FADV_SEQUENTIAL && pattern == PARIO_RANDOM))
		count_at(&p->unlike, call, site, bytes);
	/* what was read was needed in between */
	if (r->offset == PARIO_TRACE_NOWHERE ||
	    pario_extents_within(&p->fresh, r->offset, r->offset + bytes))
		pario_extents_clear(&p->fresh);
}

static bool add_place(struct pario_evidence *e, const struct pario_profile_call *call,
		      uint32_t place, uint32_t site, enum pario_pattern pattern, uint64_t bytes)
{
	struct pario_evidence_place *p = &e->places[place];
	uint16_t op = call->record.op;
	uint8_t class = pario_trace_operation(op)->class;

	if (!place || call->record.flags & PARIO_TRACE_FAILED)
		return true;
	p->threads |= p->process && p->thread != call->thread;
	p->thread = call->thread;
	p->process = call->process;
	p->file = call->file;
	if (class == PARIO_CLASS_WRITE && bytes)
		return add_write(e, p, call, site, bytes);
	if (is_sync(op))
		add_sync(p, call, site);
	if (is_lock(&call->record)) {
		e->files[call->file].lockers += !p->locks;
		p->locks = true;
	}
	if (class == PARIO_CLASS_READ && bytes)
		add_read(e, p, call, site, pattern, bytes);
	if (class == PARIO_CLASS_OPEN || class == PARIO_CLASS_ADVICE)
		add_wish(e, p, call);
	p->opens += class == PARIO_CLASS_OPEN;
	p->removals += is_removal(op) || op == PARIO_OP_rename || op == PARIO_OP_renameat ||
		       op == PARIO_OP_renameat2;
	if (class == PARIO_CLASS_OPEN || class == PARIO_CLASS_CLOSE)
		p->open_close_ns += call->ns;
	/* a new beginning: what is written from here on is no second time */
	if (class == PARIO_CLASS_OPEN || class == PARIO_CLASS_SIZE || class == PARIO_CLASS_NAME)
		pario_extents_clear(&p->fresh);
	return true;
}

/* What becomes of a file, whoever asked for it. */
static void add_fate(struct pario_evidence *e, const struct pario_profile_call *call)
{
	const struct pario_trace_record *r = &call->record;

	if (r->flags & PARIO_TRACE_FAILED)
		return;
	if (is_sync(r->op))
		e->files[call->file].synced = true;
	if (is_removal(r->op))
		e->files[call->file].removed = true;
	if (r->op == PARIO_OP_sync || r->op == PARIO_OP_syncfs)
		e->all_synced_ns = fmax(e->all_synced_ns, call->start_ns);
}

static void add_process(struct pario_evidence_process *q, const struct pario_profile_call *call,
			uint64_t bytes)
{
	if (bytes) {
		q->transfers++;
		q->transfer_ns += call->ns;
	} else if (is_sync(call->record.op)) {
		q->sync_ns += call->ns;
	}
}

/* ---- streams ---- */

static struct pario_stream *stream_of(struct pario_evidence *e,
				      const struct pario_profile_call *call, uint32_t place,
				      uint32_t site)
{
	struct pario_map_key key = { site, call->process, call->file };
	const struct pario_trace_record *r = &call->record;
	bool is_new;
	uint32_t number = pario_map_add(&e->stream_of, key, &is_new);
	struct pario_stream *streams =
		pario_map_grow(e->streams, &e->stream_capacity, number, sizeof(*streams));

	if (!streams)
		return NULL;
	e->streams = streams;
	if (is_new)
		streams[number] = (struct pario_stream){
			.site = site,
			.process = call->process,
			.file = call->file,
			.place = place,
			.first_ns = call->start_ns,
			.class = pario_trace_operation(r->op)->class,
			.layer = r->layer,
			.nested = r->flags & PARIO_TRACE_DEPTH,
			.collective = is_collective(r->op),
		};
	return &streams[number];
}

/* How a transfer lies to the one before it. */
static void add_order(struct pario_stream *s, const struct pario_profile_call *call,
		      enum pario_pattern pattern, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	bool apart = pattern == PARIO_RANDOM || pattern == PARIO_STRIDED;
	uint64_t before = s->sum.bytes - bytes;

	if (s->moves > 1 && r->offset + bytes == s->last)
		count(&s->backward, call, bytes);
	if (bytes >= PARIO_EVIDENCE_PAGE && r->offset % PARIO_EVIDENCE_PAGE) {
		count(&s->misaligned, call, bytes);
		if (apart)
			count(&s->misaligned_apart, call, bytes);
	}
	add_range(&s->from, &s->to, r->offset, bytes);
	if (before >= s->to - s->from)
		count(&s->again, call, bytes);
	s->last = r->offset;
}

/* Small pieces one behind the other: one alone, as in a small file, cannot be put together with another. */
static void add_small(struct pario_stream *s, const struct pario_profile_call *call, bool small,
		      uint64_t bytes)
{
	if (small && s->was_small) {
		s->small.calls += s->lone.calls;
		s->small.bytes += s->lone.bytes;
		s->small.ns += s->lone.ns;
		count(&s->small, call, bytes);
	}
	s->lone = (struct pario_profile_power){ 0 };
	if (small && !s->was_small)
		count(&s->lone, call, bytes);
	s->was_small = small;
}

static void add_transfer(struct pario_stream *s, const struct pario_profile_call *call,
			 enum pario_pattern pattern, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	bool small = r->size < PARIO_EVIDENCE_PAGE && pattern != PARIO_RANDOM;

	s->moves++;
	if (pattern == PARIO_RANDOM)
		count(&s->random, call, bytes);
	add_small(s, call, small, bytes);
	if (r->flags & PARIO_TRACE_DIRECT && pattern == PARIO_SEQUENTIAL &&
	    r->size < PARIO_EVIDENCE_LARGE)
		count(&s->direct, call, bytes);
	if (r->offset != PARIO_TRACE_NOWHERE)
		add_order(s, call, pattern, bytes);
}

static void add_stream(struct pario_stream *s, const struct pario_profile_call *call,
		       enum pario_pattern pattern, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;

	s->sum.calls++;
	s->sum.bytes += bytes;
	s->sum.ns += call->ns;
	s->sum.max_ns = fmax(s->sum.max_ns, call->ns);
	s->first_ns = fmin(s->first_ns, call->start_ns);
	if (is_lock(r) && call->ns >= WAITED_NS)
		count(&s->locked, call, 0);
	if (r->flags & PARIO_TRACE_FAILED) {
		if (!s->sum.failed++)
			s->error = r->result;
		s->same_error += r->result == s->error;
		s->failed_ns += call->ns;
		return;
	}
	s->recovered |= s->sum.failed > 0;
	if (bytes)
		add_transfer(s, call, pattern, bytes);
}

static bool add_meeting(struct pario_evidence *e, const struct pario_job *job,
			const struct pario_profile_call *call, uint32_t site)
{
	return call->record.flags & PARIO_TRACE_FAILED ||
	       pario_waits_add_meeting(&e->waits, call, site,
				       pario_job_comm(job, call->process, call->record.result));
}

static bool add_own(struct pario_evidence *e, const struct pario_profile_call *call, uint32_t place,
		    uint32_t site, enum pario_pattern pattern, uint32_t stream)
{
	struct pario_evidence_process *process = &e->processes[call->process];
	uint64_t bytes = pario_trace_moved(&call->record);

	if (e->streams[stream].sum.ns > process->busiest_ns) {
		process->busiest_ns = e->streams[stream].sum.ns;
		process->busiest = stream;
	}
	add_process(process, call, bytes);
	return pario_waits_add_io(&e->waits, call) &&
	       add_place(e, call, place, site, pattern, bytes);
}

bool pario_evidence_add(struct pario_evidence *e, const struct pario_job *job,
			const struct pario_profile_call *of, uint32_t place, uint32_t site,
			enum pario_medium medium, enum pario_pattern pattern)
{
	struct pario_profile_call call = *of;
	bool own = !(call.record.flags & PARIO_TRACE_DEPTH);
	struct pario_stream *s;

	/* a request's time passes beside the program's */
	if (call.record.flags & PARIO_TRACE_COMPLETED)
		call.ns = 0;
	if (own && pario_evidence_is_meeting(call.record.op))
		return add_meeting(e, job, &call, site);
	if (medium != PARIO_MEDIUM_STORAGE)
		return true;
	add_fate(e, &call);
	if (!own && call.record.layer != PARIO_TRACE_MPIIO)
		return true;
	s = stream_of(e, &call, place, site);
	if (!s)
		return false;
	add_stream(s, &call, pattern, pario_trace_moved(&call.record));
	return !own || add_own(e, &call, place, site, pattern, (uint32_t)(s - e->streams));
}

static int by_file(const void *a, const void *b, void *places)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct pario_evidence_place *p = places;

	if (p[x].file != p[y].file)
		return p[x].file < p[y].file ? -1 : 1;
	return x < y ? -1 : 1;
}

uint32_t *pario_evidence_by_file(const struct pario_evidence *e, uint32_t *count)
{
	uint32_t *list = calloc(e->place_count + 1ul, sizeof(*list));

	*count = 0;
	for (uint32_t i = 1; list && i <= e->place_count; i++) {
		if (e->places[i].writes)
			list[(*count)++] = i;
	}
	if (list)
		qsort_r(list, *count, sizeof(*list), by_file, e->places);
	return list;
}
