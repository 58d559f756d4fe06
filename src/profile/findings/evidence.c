/*
 * evidence: a few additions per call.
 */
#include "profile/findings/evidence.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/arguments.h"

struct pario_evidence *pario_evidence_new(const struct pario_job *job)
{
	struct pario_evidence *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->stream_of.limit = PARIO_EVIDENCE_STREAMS;
	e->place_count = job->place_of.count;
	e->places = calloc(e->place_count + 1ul, sizeof(*e->places));
	e->processes = calloc(job->process_of.count + 1ul, sizeof(*e->processes));
	e->writers = calloc(job->file_of.count + 1ul, sizeof(*e->writers));
	if (e->places && e->processes && e->writers)
		return e;
	pario_evidence_free(e);
	return NULL;
}

void pario_evidence_free(struct pario_evidence *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; e->places && i <= e->place_count; i++)
		free(e->places[i].extents);
	pario_map_release(&e->stream_of);
	free(e->streams);
	free(e->places);
	free(e->processes);
	free(e->writers);
	free(e);
}

/* Does this call go on until other processes have come as well? */
static bool is_meeting(uint16_t op)
{
	return op >= PARIO_OP_MPI_Barrier && op <= PARIO_OP_MPI_Exscan;
}

/* MPI_File_..._all, _all_begin and _ordered. */
static bool is_collective(uint16_t op)
{
	const char *name = pario_trace_op_info[op - PARIO_TRACE_FIRST].name;

	return strstr(name, "_all") || strstr(name, "_ordered");
}

/* Does it bring data to the device? fflush and its like hand it to the kernel. */
static bool is_sync(uint16_t op, uint8_t class)
{
	return class == PARIO_CLASS_SYNC && op != PARIO_OP_fflush && op != PARIO_OP_msync;
}

/* ---- parts of files that were written ---- */

/* The first extent that ends at `from` or behind it. */
static uint32_t find_extent(const struct pario_evidence_place *p, uint64_t from)
{
	uint32_t low = 0, high = p->extent_count;

	if (high && p->extents[high - 1].from <= from) /* the usual way: onwards */
		return p->extents[high - 1].to >= from ? high - 1 : high;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (p->extents[middle].to < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert_extent(struct pario_evidence *e, struct pario_evidence_place *p, uint32_t at,
			  uint64_t from, uint64_t to)
{
	if (p->extent_count == p->extent_capacity) {
		uint32_t capacity = p->extent_capacity ? 2 * p->extent_capacity : 4;
		struct pario_extent *extents;

		if (capacity > PARIO_EVIDENCE_EXTENTS ||
		    e->extents + capacity > PARIO_EVIDENCE_ALL_EXTENTS) {
			p->inexact = true;
			return true;
		}
		extents = realloc(p->extents, capacity * sizeof(*extents));
		if (!extents)
			return false;
		e->extents += capacity - p->extent_capacity;
		p->extents = extents;
		p->extent_capacity = capacity;
	}
	memmove(&p->extents[at + 1], &p->extents[at], (p->extent_count - at) * sizeof(*p->extents));
	p->extents[at] = (struct pario_extent){ from, to };
	p->extent_count++;
	return true;
}

static bool add_extent(struct pario_evidence *e, struct pario_evidence_place *p, uint64_t from,
		       uint64_t to)
{
	uint32_t at, last;

	if (p->inexact || from >= to)
		return true;
	at = find_extent(p, from);
	for (last = at; last < p->extent_count && p->extents[last].from <= to; last++) {
		struct pario_extent *x = &p->extents[last];
		uint64_t low = x->from > from ? x->from : from, high = x->to < to ? x->to : to;

		p->again_bytes += high > low ? high - low : 0;
	}
	if (last == at)
		return insert_extent(e, p, at, from, to);
	if (p->extents[at].from < from)
		from = p->extents[at].from;
	if (p->extents[last - 1].to > to)
		to = p->extents[last - 1].to;
	p->extents[at] = (struct pario_extent){ from, to };
	memmove(&p->extents[at + 1], &p->extents[last],
		(p->extent_count - last) * sizeof(*p->extents));
	p->extent_count -= last - at - 1;
	return true;
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

	if (!p->writes++) {
		p->first_ns = call->start_ns;
		e->writers[call->file]++;
	}
	p->first_ns = fmin(p->first_ns, call->start_ns);
	p->last_ns = fmax(p->last_ns, call->start_ns + call->ns);
	p->written_bytes += bytes;
	p->write_ns += call->ns;
	p->write_site = site;
	p->since_sync++;
	p->since_sync_bytes += bytes;
	p->by_mpiio |= r->layer >= PARIO_TRACE_MPIIO;
	if (r->offset == PARIO_TRACE_NOWHERE)
		return true;
	add_range(&p->from, &p->to, r->offset, bytes);
	return add_extent(e, p, r->offset, r->offset + bytes);
}

static void add_sync(struct pario_evidence_place *p, const struct pario_profile_call *call,
		     uint32_t site)
{
	p->syncs++;
	if (p->since_sync == 1) {
		p->alone++;
		p->alone_bytes += p->since_sync_bytes;
		p->sync_ns += call->ns;
		p->sync_site = site;
	}
	p->since_sync = p->since_sync_bytes = 0;
}

/* What the program said about the file: by the flags of open, by advice. */
static void add_wish(struct pario_evidence_place *p, const struct pario_trace_record *record)
{
	struct pario_arguments a;

	pario_arguments_of(&a, record);
	if (a.kind == PARIO_ARGUMENTS_OPEN) {
		p->write_through = a.open.flags & O_DSYNC; /* O_SYNC has this bit too */
		p->advice = POSIX_FADV_NORMAL;
	} else if (record->op == PARIO_OP_posix_fadvise && a.flags.value <= POSIX_FADV_SEQUENTIAL) {
		p->advice = a.flags.value;
	}
}

static void add_read(struct pario_evidence_place *p, const struct pario_profile_call *call,
		     uint32_t site, enum pario_pattern pattern, uint64_t bytes)
{
	p->reads++;
	p->read_bytes += bytes;
	if ((p->advice == POSIX_FADV_RANDOM && pattern == PARIO_SEQUENTIAL) ||
	    (p->advice == POSIX_FADV_SEQUENTIAL && pattern == PARIO_RANDOM)) {
		p->unlike.calls++;
		p->unlike.bytes += bytes;
		p->unlike.ns += call->ns;
		p->unlike_site = site;
	}
}

static bool add_place(struct pario_evidence *e, const struct pario_profile_call *call,
		      uint32_t place, uint32_t site, enum pario_pattern pattern, uint64_t bytes)
{
	struct pario_evidence_place *p = &e->places[place];
	uint16_t op = call->record.op;
	uint8_t class = pario_trace_op_info[op - PARIO_TRACE_FIRST].class;

	if (!place || call->record.flags & PARIO_TRACE_FAILED)
		return true;
	p->process = call->process;
	p->file = call->file;
	if (class == PARIO_CLASS_WRITE && bytes)
		return add_write(e, p, call, site, bytes);
	if (is_sync(op, class))
		add_sync(p, call, site);
	if (class == PARIO_CLASS_READ)
		add_read(p, call, site, pattern, bytes);
	if (class == PARIO_CLASS_OPEN || class == PARIO_CLASS_ADVICE)
		add_wish(p, &call->record);
	p->opens += class == PARIO_CLASS_OPEN;
	if (class == PARIO_CLASS_OPEN || class == PARIO_CLASS_CLOSE)
		p->open_close_ns += call->ns;
	p->renamed |= op == PARIO_OP_rename || op == PARIO_OP_renameat || op == PARIO_OP_renameat2;
	/* a new beginning: what is written from here on is no second time */
	if (class == PARIO_CLASS_OPEN || class == PARIO_CLASS_SIZE || class == PARIO_CLASS_NAME)
		p->extent_count = 0;
	return true;
}

/* ---- streams ---- */

static struct pario_stream *stream_of(struct pario_evidence *e,
				      const struct pario_profile_call *call, uint32_t site)
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
			.class = pario_trace_op_info[r->op - PARIO_TRACE_FIRST].class,
			.layer = r->layer,
			.nested = r->flags & PARIO_TRACE_DEPTH,
			.collective = is_collective(r->op),
		};
	return &streams[number];
}

static void add_transfer(struct pario_stream *s, const struct pario_profile_call *call,
			 enum pario_pattern pattern, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	bool placed = r->offset != PARIO_TRACE_NOWHERE;

	s->direct += (r->flags & PARIO_TRACE_DIRECT) != 0;
	s->sequential += pattern == PARIO_SEQUENTIAL;
	s->random += pattern == PARIO_RANDOM;
	if (r->size < PARIO_EVIDENCE_PAGE && pattern != PARIO_RANDOM) {
		s->small.calls++;
		s->small.bytes += bytes;
		s->small.ns += call->ns;
	}
	if (!placed)
		return;
	s->backward += s->sum.calls > 1 && r->offset + bytes == s->last;
	if (bytes >= PARIO_EVIDENCE_PAGE && r->offset % PARIO_EVIDENCE_PAGE) {
		s->misaligned++;
		s->misaligned_apart += pattern == PARIO_RANDOM || pattern == PARIO_STRIDED;
		s->misaligned_ns += call->ns;
	}
	add_range(&s->from, &s->to, r->offset, bytes);
	s->last = r->offset;
}

static void add_stream(struct pario_stream *s, const struct pario_profile_call *call,
		       enum pario_pattern pattern, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;

	s->sum.calls++;
	s->sum.bytes += bytes;
	s->sum.ns += call->ns;
	s->sum.max_ns = fmax(s->sum.max_ns, call->ns);
	if (r->flags & PARIO_TRACE_FAILED) {
		if (!s->sum.failed++)
			s->error = r->result;
		s->same_error += r->result == s->error;
		s->failed_ns += call->ns;
	} else if (s->class == PARIO_CLASS_READ || s->class == PARIO_CLASS_WRITE) {
		add_transfer(s, call, pattern, bytes);
	}
}

bool pario_evidence_add(struct pario_evidence *e, const struct pario_profile_call *call,
			uint32_t place, uint32_t site, enum pario_medium medium,
			enum pario_pattern pattern)
{
	const struct pario_trace_record *r = &call->record;
	struct pario_evidence_process *process = &e->processes[call->process];
	bool storage = medium == PARIO_MEDIUM_STORAGE, own = !(r->flags & PARIO_TRACE_DEPTH);
	uint64_t bytes = pario_profile_bytes(r);
	struct pario_stream *s;

	if (!own && r->layer != PARIO_TRACE_MPIIO)
		return true;
	if (storage || is_meeting(r->op)) {
		s = stream_of(e, call, site);
		if (!s)
			return false;
		add_stream(s, call, pattern, bytes);
		if (!storage && process->on_storage) {
			s->after_io++;
			s->after_io_ns += call->ns;
		}
		if (storage && own && s->sum.ns > process->busiest_ns) {
			process->busiest_ns = s->sum.ns;
			process->busiest = (uint32_t)(s - e->streams);
		}
		if (storage && own && !add_place(e, call, place, site, pattern, bytes))
			return false;
	}
	if (own)
		process->on_storage = storage;
	return true;
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

uint64_t pario_evidence_common(const struct pario_evidence_place *a,
			       const struct pario_evidence_place *b)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0, k = 0; i < a->extent_count && k < b->extent_count;) {
		const struct pario_extent *x = &a->extents[i], *y = &b->extents[k];
		uint64_t low = x->from > y->from ? x->from : y->from,
			 high = x->to < y->to ? x->to : y->to;

		bytes += high > low ? high - low : 0;
		if (x->to < y->to)
			i++;
		else
			k++;
	}
	return bytes;
}
