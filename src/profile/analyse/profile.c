/*
 * profile: the second pass, over the calls: sums by class, file, site and process. It knows no rule of what is good or
 * bad.
 */
#include "profile/analyse/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/findings/evidence.h"
#include "profile/findings/together.h"

/* 285 years: no call takes longer, and it fits the histogram's type. */
static const double LONGEST_NS = 9e18;

const char *const pario_profile_size_names[PARIO_PROFILE_SIZES] = {
	"0", "<= 256 B", "<= 4 KiB", "<= 64 KiB", "<= 1 MiB", "<= 16 MiB", "<= 256 MiB", "more"
};
const char *const pario_pattern_names[PARIO_PATTERNS] = { "-", "sequential", "strided", "random" };

unsigned pario_profile_size_class(uint64_t bytes)
{
	unsigned class = 1;

	if (!bytes)
		return 0;
	for (uint64_t limit = 256; bytes > limit && class < PARIO_PROFILE_SIZES - 1; limit <<= 4)
		class ++;
	return class;
}

static void add(struct pario_profile_sum *sum, const struct pario_profile_call *call,
		uint64_t bytes)
{
	sum->calls++;
	sum->failed += (call->record.flags & PARIO_TRACE_FAILED) != 0;
	sum->bytes += bytes;
	sum->ns += call->ns;
	if (call->ns > sum->max_ns)
		sum->max_ns = call->ns;
	sum->layers |= 1u << call->record.layer;
}

char *pario_profile_layers(uint32_t layers, char buf[PARIO_LAYERS_CAPACITY])
{
	size_t length = 0;

	snprintf(buf, PARIO_LAYERS_CAPACITY, "-");
	for (uint8_t i = 0; i < PARIO_TRACE_LAYERS; i++) {
		if (layers >> i & 1)
			length += (size_t)snprintf(buf + length, PARIO_LAYERS_CAPACITY - length,
						   "%s%s", length ? ", " : "",
						   pario_trace_layer_name(i));
	}
	return buf;
}

static struct pario_profile_sum *part(struct pario_profile_sum *read,
				      struct pario_profile_sum *write,
				      struct pario_profile_sum *other, uint8_t class)
{
	return class == PARIO_CLASS_READ ? read : class == PARIO_CLASS_WRITE ? write : other;
}

/* ---- how a call lies to the one before it on the same file ---- */

static unsigned seek_index(int64_t distance)
{
	uint64_t size = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;
	unsigned bits = size ? 64 - (unsigned)__builtin_clzll(size) : 0;

	return distance < 0 ? 64 - bits : 64 + bits;
}

double pario_profile_seek_bytes(unsigned i)
{
	if (i == 64)
		return 0;
	return i < 64 ? -ldexp(1, 63 - (int)i) : ldexp(1, (int)i - 65);
}

static enum pario_pattern place_call(struct pario_profile *p, const struct pario_profile_call *call,
				     uint32_t place, enum pario_medium medium, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	uint8_t class = pario_trace_operation(r->op)->class;
	unsigned depth = r->flags & PARIO_TRACE_DEPTH;
	struct pario_profile_place *at =
		&p->places[place][depth < PARIO_PROFILE_DEPTHS ? depth : PARIO_PROFILE_DEPTHS - 1];
	enum pario_pattern pattern = PARIO_SEQUENTIAL;
	int64_t distance;

	if (!place || r->offset == PARIO_TRACE_NOWHERE || at->nowhere ||
	    (class != PARIO_CLASS_READ && class != PARIO_CLASS_WRITE))
		return PARIO_PLACELESS;
	distance = (int64_t)(r->offset - at->end);
	if (at->known) {
		if (!depth && medium == PARIO_MEDIUM_STORAGE)
			p->seeks[class == PARIO_CLASS_WRITE][seek_index(distance)]++;
		if (distance)
			pattern = distance == at->distance ? PARIO_STRIDED : PARIO_RANDOM;
		at->distance = distance;
	}
	at->known = true;
	at->end = r->offset + bytes;
	return pattern;
}

static void add_power(struct pario_profile *p, const struct pario_profile_call *call,
		      uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	uint8_t class = pario_trace_operation(r->op)->class;
	struct pario_profile_power *power;

	if (class != PARIO_CLASS_READ && class != PARIO_CLASS_WRITE)
		return;
	power = &p->powers[r->flags & PARIO_TRACE_DEPTH ? 1 + r->layer : 0]
			  [class == PARIO_CLASS_WRITE][pario_trace_power(r->size)];
	power->calls++;
	power->bytes += bytes;
	power->ns += call->ns;
}

/* Pipes and sockets say where they are not. */
static void mark_places(struct pario_profile *p)
{
	for (uint32_t i = 1; i <= p->job.place_of.count; i++) {
		bool nowhere = !pario_job_has_places(&p->job, p->job.places[i]);

		for (int k = 0; k < PARIO_PROFILE_DEPTHS; k++)
			p->places[i][k].nowhere = nowhere;
	}
}

/* ---- the tables ---- */

static void add_kind(struct pario_profile *p, const struct pario_profile_call *call,
		     enum pario_medium medium, enum pario_pattern pattern, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	bool direct = r->flags & PARIO_TRACE_DIRECT, nested = r->flags & PARIO_TRACE_DEPTH, is_new;
	uint8_t class = pario_trace_operation(r->op)->class;
	bool data = class == PARIO_CLASS_READ || class == PARIO_CLASS_WRITE;
	unsigned size = data ? pario_profile_size_class(r->size) : 0;
	struct pario_map_key key = { (uint64_t)r->op << 8 | r->layer, size << 8 | pattern,
				     (uint64_t)medium << 2 | (uint64_t)direct << 1 | nested };
	uint32_t number = pario_map_add(&p->kind_of, key, &is_new);
	struct pario_profile_kind *kind, *kinds;

	kinds = pario_map_grow(p->kinds, &p->kind_capacity, number, sizeof(*kinds));
	if (!kinds) {
		p->job.no_memory = true;
		return;
	}
	p->kinds = kinds;
	kind = &kinds[number];
	if (!kind->times) {
		kind->times = calloc(1, sizeof(*kind->times));
		p->job.no_memory |= !kind->times;
		kind->op = r->op;
		kind->layer = r->layer;
		kind->size_class = (uint8_t)size;
		kind->pattern = (uint8_t)pattern;
		kind->direct = direct;
		kind->nested = nested;
		kind->medium = medium;
	}
	add(&kind->sum, call, bytes);
	if (kind->times)
		pario_histogram_add(kind->times, (int64_t)call->ns);
}

/* The number of a call site, which is found among the modules of its process. */
static uint32_t site_number(struct pario_profile *p, const struct pario_profile_call *call,
			    enum pario_medium medium)
{
	const struct pario_trace_record *r = &call->record;
	const struct pario_job_mapping *m = pario_job_mapping(&p->job, call->process, r->site - 1);
	struct pario_map_key key = { m ? m->module : UINT32_MAX, m ? r->site - m->base : r->site,
				     (uint64_t)medium << 16 | r->op };
	bool is_new;
	uint32_t number = pario_map_add(&p->site_of, key, &is_new);
	struct pario_profile_site *sites =
		pario_map_grow(p->sites, &p->site_capacity, number, sizeof(*sites));

	if (!sites) {
		p->job.no_memory = true;
		return 0;
	}
	p->sites = sites;
	if (is_new) {
		sites[number].op = r->op;
		sites[number].module = (uint32_t)key.a;
		sites[number].offset = key.b;
		sites[number].medium = medium;
	}
	return number;
}

/* The number of the call's site. */
static uint32_t add_site(struct pario_profile *p, const struct pario_profile_call *call,
			 enum pario_medium medium, uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	uint64_t hash = (r->site ^ (uint64_t)call->process << 40 ^ (uint64_t)r->op << 20 ^
			 (uint64_t)medium << 36) *
			0x9e3779b97f4a7c15u;
	size_t slot = (hash >> 32) % PARIO_PROFILE_LOOKED_UP;

	if (p->looked_up[slot].site != r->site || p->looked_up[slot].process != call->process ||
	    p->looked_up[slot].op != r->op || p->looked_up[slot].medium != medium) {
		p->looked_up[slot].number = site_number(p, call, medium);
		p->looked_up[slot].medium = (uint16_t)medium;
		p->looked_up[slot].site = r->site;
		p->looked_up[slot].process = call->process;
		p->looked_up[slot].op = r->op;
	}
	if (p->sites)
		add(&p->sites[p->looked_up[slot].number].sum, call, bytes);
	return p->looked_up[slot].number;
}

static void add_stack(struct pario_profile *p, const struct pario_profile_call *call,
		      uint32_t segment, uint32_t number, uint64_t bytes)
{
	uint32_t stack =
		pario_stacks_of(&p->stacks, &p->job, call->process, segment, number, &call->record);
	struct pario_profile_sum *sums =
		pario_map_grow(p->stack_sums, &p->stack_capacity, stack, sizeof(*sums));

	p->job.no_memory |= !sums || p->stacks.no_memory;
	if (!sums)
		return;
	p->stack_sums = sums;
	add(&sums[stack], call, bytes);
}

static void add_longest(struct pario_profile *p, const struct pario_profile_call *call)
{
	struct pario_profile_call *heap = p->longest;
	uint32_t at;

	if (p->longest_count < PARIO_PROFILE_LONGEST) {
		for (at = p->longest_count++; at && heap[(at - 1) / 2].ns > call->ns;
		     at = (at - 1) / 2)
			heap[at] = heap[(at - 1) / 2];
		heap[at] = *call;
		return;
	}
	if (call->ns <= heap[0].ns)
		return;
	for (at = 0;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < p->longest_count && heap[child + 1].ns < heap[child].ns)
			child++;
		if (child >= p->longest_count || heap[child].ns >= call->ns)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = *call;
}

/* The kernel counts what read and write move, also within stdio, whose own calls stand for them here. */
static void add_checked(struct pario_profile *p, const struct pario_trace_record *r)
{
	uint8_t class = pario_trace_operation(r->op)->class;

	if (r->layer == PARIO_TRACE_POSIX || r->layer == PARIO_TRACE_STDIO)
		p->checked_bytes[class == PARIO_CLASS_WRITE] += pario_trace_moved(r);
}

static void add_failure(struct pario_profile *p, const struct pario_profile_call *call)
{
	const struct pario_trace_record *r = &call->record;
	bool nested = r->flags & PARIO_TRACE_DEPTH, is_new;
	struct pario_map_key key = { (uint64_t)r->op << 16 | (uint64_t)r->layer << 8 | nested,
				     (uint32_t)r->result, call->file };
	uint32_t number = pario_map_add(&p->failure_of, key, &is_new);
	struct pario_profile_failure *failures =
		pario_map_grow(p->failures, &p->failure_capacity, number, sizeof(*failures));

	if (!failures) {
		p->job.no_memory = true;
		return;
	}
	p->failures = failures;
	if (is_new)
		failures[number] = (struct pario_profile_failure){ .op = r->op,
								   .layer = r->layer,
								   .nested = nested,
								   .error = r->result,
								   .file = call->file };
	add(&failures[number].sum, call, 0);
}

const char *pario_profile_error(const struct pario_profile_failure *f,
				char buf[PARIO_ERROR_CAPACITY])
{
	bool libc = f->layer <= PARIO_TRACE_PROCESS;

	if (libc && f->error)
		snprintf(buf, PARIO_ERROR_CAPACITY, "%s", pario_err_name(f->error));
	else
		snprintf(buf, PARIO_ERROR_CAPACITY, "error %d", f->error);
	return buf;
}

/* Each layer by itself: the bytes of one may be those of another, seen again. */
static void add_layer(struct pario_profile *p, const struct pario_profile_call *call,
		      uint64_t bytes)
{
	const struct pario_trace_record *r = &call->record;
	uint8_t class = pario_trace_operation(r->op)->class;
	struct pario_profile_sum *sums;

	if (r->layer >= PARIO_TRACE_LAYERS)
		return;
	sums = p->layers[r->layer][(r->flags & PARIO_TRACE_DEPTH) != 0];
	if (class == PARIO_CLASS_READ || class == PARIO_CLASS_WRITE)
		add(&sums[class == PARIO_CLASS_WRITE], call, bytes);
	add(&sums[2], call, bytes);
}

/* What the program itself called: on storage as reads, writes and others, the rest by what it is. */
static void add_own(struct pario_profile *p, const struct pario_profile_call *call,
		    enum pario_medium medium, uint64_t bytes)
{
	uint8_t class = pario_trace_operation(call->record.op)->class;
	struct pario_profile_process *process = &p->processes[call->process];
	struct pario_profile_call own = *call;

	/* A request's time is not time in calls: others run beside it, and the program goes on. */
	if (call->record.flags & PARIO_TRACE_COMPLETED) {
		add(&p->beside, call, bytes);
		own.ns = 0;
	}
	add(&p->total, &own, bytes);
	add(&p->on[medium], &own, bytes);
	if (medium == PARIO_MEDIUM_STORAGE)
		add(part(&process->read, &process->write, &process->other, class), &own, bytes);
	else
		add(medium == PARIO_MEDIUM_MESSAGE ? &process->meet : &process->elsewhere, &own,
		    bytes);
	if (medium == PARIO_MEDIUM_STORAGE) {
		add(&p->classes[class], &own, bytes);
		add_longest(p, call);
	}
}

/* What a call was on, and for storage, whether the program asked for it or its runtime. */
static enum pario_medium medium_of(struct pario_profile *p, const struct pario_profile_call *call)
{
	enum pario_medium medium =
		pario_medium_of_call(p->media[call->file], call->file, call->record.layer);
	bool runtime = pario_origin_is_runtime(&p->origins, &p->job, call->process, call->file,
					       &call->record);

	return medium == PARIO_MEDIUM_STORAGE && runtime ? PARIO_MEDIUM_RUNTIME : medium;
}

static void add_call(struct pario_profile *p, const struct pario_profile_call *call, uint32_t place)
{
	const struct pario_trace_record *r = &call->record;
	uint8_t class = pario_trace_operation(r->op)->class;
	struct pario_profile_process *process = &p->processes[call->process];
	struct pario_profile_file *file = &p->files[call->file];
	uint64_t bytes = pario_trace_moved(r);
	unsigned depth = r->flags & PARIO_TRACE_DEPTH;
	enum pario_medium medium = medium_of(p, call);
	enum pario_pattern pattern = place_call(p, call, place, medium, bytes);

	depth = depth < PARIO_PROFILE_DEPTHS ? depth : PARIO_PROFILE_DEPTHS - 1;
	p->all_calls++;
	add_kind(p, call, medium, pattern, bytes);
	if (!pario_evidence_add(p->evidence, &p->job, call, place, add_site(p, call, medium, bytes),
				medium, pattern))
		p->job.no_memory = true;
	if (medium == PARIO_MEDIUM_STORAGE) {
		add_power(p, call, bytes);
		add_layer(p, call, bytes);
	}
	if (r->flags & PARIO_TRACE_FAILED)
		add_failure(p, call);
	pario_timeline_add(&p->timeline, call->process, r->layer,
			   pario_timeline_lane(medium, class), depth > 0, call->start_ns, call->ns,
			   bytes);
	p->unplaced_calls += r->file && !call->file;
	if (r->op == PARIO_OP_mmap && !(r->flags & PARIO_TRACE_FAILED) &&
	    pario_job_has_places(&p->job, call->file)) {
		add(&file->mapped, call, r->size);
		add(&process->mapped, call, r->size);
	}
	if (call->file && (medium != PARIO_MEDIUM_RUNTIME || p->media[call->file] == medium))
		add(part(&file->read[depth], &file->write[depth], &file->other[depth], class), call,
		    bytes);
	if (!depth)
		add_own(p, call, medium, bytes);
}

double pario_profile_imbalance(const struct pario_profile *p)
{
	double sum = 0, max = 0;
	uint32_t ranked = 0;

	for (uint32_t i = 1; i <= p->job.process_of.count; i++) {
		double ns = pario_profile_busy_ns(&p->processes[i]);

		if (p->job.processes[i].rank == UINT32_MAX)
			continue;
		ranked++;
		sum += ns;
		max = fmax(max, ns);
	}
	return ranked > 1 && sum > 0 ? max / (sum / ranked) : (double)NAN;
}

static bool is_outside(struct pario_profile *p, const struct pario_profile_call *call)
{
	bool outside = p->range.limited &&
		       (call->start_ns < p->range.from_ns || !(call->start_ns < p->range.to_ns));

	p->outside += outside;
	return outside;
}

/* A record as a call of a process; false: it is none, or has no place in the range. */
static bool locate(struct pario_profile *p, uint32_t process, uint32_t thread,
		   const struct pario_trace_record *r, struct pario_profile_call *call,
		   uint32_t *place)
{
	const struct pario_job_process *of = &p->job.processes[process];

	if (r->op < PARIO_TRACE_FIRST || r->op >= PARIO_TRACE_END || r->layer >= PARIO_TRACE_LAYERS)
		return false;
	*call = (struct pario_profile_call){ .process = process, .thread = thread, .record = *r };
	*place = pario_job_place(&p->job, process, r->file);
	call->file = *place ? p->job.places[*place] : 0;
	call->start_ns = pario_job_ns(&p->job, of, r->t0);
	call->ns =
		(double)pario_trace_ticks(r->duration) * p->job.machines[of->machine].ns_per_tick;
	if (!(call->ns < LONGEST_NS)) /* clocks that make no sense */
		call->ns = LONGEST_NS;
	return !is_outside(p, call);
}

static int read_calls(struct pario_profile *p, struct pario_unpack *u, pario_profile_see *see,
		      void *context, struct pario_err *err)
{
	uint32_t of_segment = 0, process = 0, segment = 0, place;
	struct pario_profile_call call;
	int kind;

	while ((kind = pario_unpack_next(u, false)) > 0) {
		segment += kind == PARIO_PACK_SEGMENT;
		if (kind == PARIO_PACK_SEGMENT)
			of_segment = pario_job_process(&p->job, &u->segment);
		if (kind != PARIO_PACK_CALLS_OF || !of_segment)
			continue;
		process = pario_job_writer(&p->job, of_segment, u->block.thread);
		for (uint32_t i = 0; i < u->block.count; i++) {
			if (!locate(p, process, u->block.thread, &u->calls[i], &call, &place))
				continue;
			add_call(p, &call, place);
			if (p->stacks.open)
				add_stack(p, &call, u->segment_number, u->block.first + i,
					  pario_trace_moved(&call.record));
			if (process == of_segment && pario_job_checked(&p->job, segment))
				add_checked(p, &call.record);
			if (see && see(context, p, &call, err) < 0)
				return -1;
		}
		if (p->job.no_memory)
			return pario_err_memory(err, "the profile of %s", u->path);
	}
	p->damaged_bytes = u->damaged_bytes;
	p->damaged_blocks = u->damaged_blocks;
	p->torn = u->torn;
	return 0;
}

/* Once more, for files that several processes wrote the same bytes of. */
static bool read_again(struct pario_profile *p, struct pario_unpack *u)
{
	uint64_t outside = p->outside;
	uint32_t of_segment = 0, process, place;
	struct pario_profile_call call;
	bool complete = true;
	int kind;

	pario_unpack_rewind(u);
	while (complete && (kind = pario_unpack_next(u, false)) > 0) {
		if (kind == PARIO_PACK_SEGMENT)
			of_segment = pario_job_process(&p->job, &u->segment);
		if (kind != PARIO_PACK_CALLS_OF || !of_segment)
			continue;
		process = pario_job_writer(&p->job, of_segment, u->block.thread);
		for (uint32_t i = 0; complete && i < u->block.count; i++) {
			if (!locate(p, process, u->block.thread, &u->calls[i], &call, &place) ||
			    !pario_together_wants(p->evidence->together, &call))
				continue;
			complete = pario_together_add(p->evidence->together, &call, place,
						      site_number(p, &call, PARIO_MEDIUM_STORAGE));
		}
	}
	p->outside = outside;
	return complete;
}

/* What is known of calls beside each other, once all were read. */
static bool settle(struct pario_profile *p, struct pario_unpack *u)
{
	bool no_memory = false;

	pario_waits_settle(&p->evidence->waits);
	if (pario_together_begin(p->evidence, p->job.process_of.count, p->job.file_of.count,
				 &no_memory))
		no_memory = !read_again(p, u);
	return !no_memory;
}

int pario_profile_read(struct pario_profile *p, const char *path,
		       const struct pario_profile_range *range, pario_profile_see *see,
		       void *context, struct pario_err *err)
{
	struct pario_unpack u;
	int status;

	memset(p, 0, sizeof(*p));
	p->kind_of.limit = PARIO_PROFILE_KINDS;
	p->site_of.limit = PARIO_PROFILE_SITES;
	p->failure_of.limit = PARIO_PROFILE_FAILURES;
	if (range)
		p->range = *range;
	if (pario_unpack_open(&u, path, err) < 0)
		return -1;
	status = pario_job_read(&p->job, &u, err);
	if (status == 0) {
		p->files = calloc(p->job.file_of.count + 1ul, sizeof(*p->files));
		p->processes = calloc(p->job.process_of.count + 1ul, sizeof(*p->processes));
		p->places = calloc(p->job.place_of.count + 1ul, sizeof(*p->places));
		p->media = calloc(p->job.file_of.count + 1ul, sizeof(*p->media));
		p->evidence = pario_evidence_new(&p->job);
		status = p->files && p->processes && p->places && p->media && p->evidence &&
					 pario_origins_init(&p->origins, &p->job) &&
					 pario_timeline_init(&p->timeline, &p->job)
				 ? pario_stacks_open(&p->stacks, &p->job, path, err)
				 : pario_err_memory(err, "the profile of %s", path);
	}
	if (status == 0) {
		mark_places(p);
		for (uint32_t i = 1; i <= p->job.file_of.count; i++)
			p->media[i] = pario_medium_of_name(p->job.files[i] ? p->job.files[i] : "");
		status = read_calls(p, &u, see, context, err);
	}
	if (status == 0 && !settle(p, &u))
		status = pario_err_memory(err, "the profile of %s", path);
	pario_unpack_close(&u);
	if (status < 0)
		pario_profile_release(p);
	return status;
}

void pario_profile_release(struct pario_profile *p)
{
	for (uint32_t i = 0; i < p->kind_capacity; i++)
		free(p->kinds[i].times);
	free(p->kinds);
	free(p->sites);
	free(p->files);
	free(p->processes);
	free(p->places);
	free(p->media);
	free(p->failures);
	pario_map_release(&p->failure_of);
	free(p->stack_sums);
	pario_timeline_release(&p->timeline);
	pario_stacks_release(&p->stacks);
	pario_origins_release(&p->origins);
	pario_evidence_free(p->evidence);
	pario_text_release(&p->notes);
	pario_map_release(&p->kind_of);
	pario_map_release(&p->site_of);
	pario_job_release(&p->job);
}
