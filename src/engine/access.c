/*
 * access: the transfers of a test. Fills buffers, calls the backend, updates the meter, checks what was read.
 *
 * One clock reading per transfer: the end of one is the start of the next. Generating the data of a write is part of
 * the time, since write-back goes on meanwhile; for synchronous transfers it is also counted separately.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/engine.h"
#include "engine/ticks.h"
#include "engine/watch.h"

enum { REAP_CAPACITY = 64, PAGE = 4096, HUGE_PAGE = 2 << 20 };

static const struct pario_backend *backend(const struct pario_engine *engine)
{
	return engine->bound->point.backend;
}

static uint64_t round_page(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Large pages, where the kernel gives them, keep its tables out of the time of a transfer. */
static char *allocate(uint64_t bytes)
{
	uint64_t align = bytes < HUGE_PAGE ? PAGE : HUGE_PAGE;
	void *memory = NULL;

	if (posix_memalign(&memory, align, bytes) != 0)
		return NULL;
	if (align == HUGE_PAGE)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

/* All buffers spare, in their order. */
static void fill_spare(struct pario_engine *engine)
{
	engine->spare_first = 0;
	engine->spare_count = engine->buffer_count;
	for (unsigned i = 0; i < engine->buffer_count; i++)
		engine->spare[i] = i;
}

static int make_buffers(struct pario_engine *engine, struct pario_err *err)
{
	uint64_t total;

	engine->depth = (unsigned)engine->bound->access.queue_depth;
	engine->buffer_count = (unsigned)engine->bound->buffers;
	engine->buffer_capacity = engine->bound->buffer_capacity;
	engine->requests = calloc(engine->depth, sizeof(*engine->requests));
	engine->free_slots = calloc(engine->depth, sizeof(*engine->free_slots));
	engine->holds = calloc(engine->depth, sizeof(*engine->holds));
	engine->spare = calloc(engine->buffer_count, sizeof(*engine->spare));
	if (!pario_mul(engine->buffer_capacity, engine->buffer_count, &total) ||
	    !(engine->buffers = allocate(total)) || !engine->requests || !engine->free_slots ||
	    !engine->holds || !engine->spare)
		return pario_err_memory(
			err,
			"%u buffers of %llu bytes. Use a smaller --transfer_size or "
			"--queue_depth, or --reuse_buffers 1",
			engine->buffer_count, (unsigned long long)engine->buffer_capacity);
	engine->next = engine->buffers;
	engine->buffers_end = engine->buffers + total;
	fill_spare(engine);
	pario_data_poison(engine->buffers, total);
	return 0;
}

int pario_access_init(struct pario_engine *engine, struct pario_err *err)
{
	const struct pario_access *a = &engine->bound->access;
	/* Loads its module, if it has one: not first when a file is opened, whose time counts. */
	const char *reason = backend(engine)->array ? backend(engine)->unavailable() : NULL;

	if (reason)
		return pario_err_set(err, PARIO_SYSTEM, "the backend %s is not available: %s.",
				     backend(engine)->name, reason);
	engine->extent = backend(engine)->extent;
	engine->stores = !(backend(engine)->bits & PARIO_BACKEND_NO_DATA);
	engine->unordered = backend(engine)->unordered &&
			    backend(engine)->unordered(engine->bound->point.backend_params);
	engine->peek = engine->stores && !engine->unordered && !pario_engine_borrows(engine);
	engine->fills = engine->stores && !engine->layout.same_data;
	engine->view = a->file_view && engine->layout.regular;
	return make_buffers(engine, err);
}

/* Buffers may hold the very data that is to be read; a read that brings nothing must not pass for one that did. */
static void poison(struct pario_engine *engine)
{
	uint64_t start = engine->buffer_capacity < PAGE ? engine->buffer_capacity : PAGE;

	for (unsigned i = 0; i < engine->buffer_count; i++)
		pario_data_poison(engine->buffers + i * engine->buffer_capacity, start);
}

void pario_access_prepare(struct pario_engine *engine)
{
	engine->owner.origin = 0;
	if (engine->buffers && !engine->run.phase->write)
		poison(engine);
	if (!engine->buffers || !engine->run.phase->write || !engine->stores || engine->fills)
		return;
	for (unsigned i = 0; i < engine->buffer_count; i++)
		pario_data_fill(&engine->data, &engine->owner,
				engine->buffers + i * engine->buffer_capacity, 0,
				engine->buffer_capacity);
}

void pario_access_release(struct pario_engine *engine)
{
	free(engine->buffers);
	free(engine->requests);
	free(engine->free_slots);
	free(engine->holds);
	free(engine->spare);
	free(engine->done);
}

void pario_access_set(const struct pario_engine *engine, char name[64])
{
	const struct pario_bound *b = engine->bound;

	int used =
		snprintf(name, 64, "%.16s.data.%llu.%llu", pario_run_id(&engine->run),
			 (unsigned long long)b->point.index, (unsigned long long)b->point.clients);

	/* What another node knows about a file that is gone, of any point, must not be taken for this one. */
	if (engine->workspace->apart)
		snprintf(name + used, (size_t)(64 - used), ".%llu",
			 (unsigned long long)engine->turn);
}

void pario_access_name(const struct pario_engine *engine, uint64_t client, char name[64])
{
	char set[64];

	pario_access_set(engine, engine->layout.per_client ? set : name);
	if (engine->layout.per_client)
		pario_workspace_member(name, 64, set, client);
}

void pario_access_place(const struct pario_engine *engine, uint64_t client, char name[256])
{
	if (pario_engine_named(engine))
		memcpy(name, engine->borrowed.name, sizeof(engine->borrowed.name));
	else
		pario_access_name(engine, client, name);
}

static void describe_open(struct pario_engine *engine, bool create, struct pario_open *how)
{
	const struct pario_access *a = &engine->bound->access;
	const struct pario_run *run = &engine->run;

	*how = (struct pario_open){
		.dirfd = pario_engine_dirfd(engine),
		.name = engine->name,
		.path = engine->path,
		.comm = engine->layout.per_client ? MPI_COMM_SELF : engine->comm->mpi,
		.read = !run->phase->write || run->mode == PARIO_MODE_VERIFY,
		.write = run->phase->write && run->mode != PARIO_MODE_VERIFY,
		.create = create,
		.inode = engine->borrowed.inode,
		.direct = a->direct,
		.synchronous = a->sync,
		.data_only = a->fdatasync,
		.preallocate = a->preallocate && create,
		.collective = a->collective,
		.shuffled = engine->layout.shuffled,
		.clients = engine->comm->clients,
		.size = engine->layout.file_bytes,
		.queue_depth = engine->depth,
		.buffers = engine->buffers,
		.buffer_size = engine->buffer_capacity,
		.buffer_count = engine->buffer_count,
		.hints = &a->hints,
		.params = engine->bound->point.backend_params,
	};
}

static void reset_queue(struct pario_engine *engine)
{
	engine->in_flight = 0;
	engine->free_count = engine->depth;
	for (unsigned i = 0; i < engine->depth; i++)
		engine->free_slots[i] = engine->depth - 1 - i;
	if (engine->spare_count != engine->buffer_count)
		fill_spare(engine);
}

/*
 * An open that some library never returns from must not use up the deadline of a whole phase. A twelfth of it, and a
 * minute at least, is far more than an open takes, unless it also reserves the space. Files that a client opens alone
 * are left out: libraries hang when clients open together.
 */
void pario_access_watch_open(const struct pario_engine *engine)
{
	double limit = engine->bound->settings.deadline;

	if (!engine->bound->access.preallocate && !engine->layout.per_client)
		limit /= 12;
	pario_watch_part(limit < 60 ? 60 : limit, "opening the file");
}

/* Who reads another client's data needs that client's view: its own shows other parts of the file. */
static int set_view(struct pario_engine *engine, struct pario_err *err)
{
	const struct pario_point *point = &engine->bound->point;
	struct pario_layout theirs = { 0 };

	if (!engine->view || engine->run.mode == PARIO_MODE_VERIFY)
		return 0;
	engine->seen = engine->layout.view;
	if (engine->run.target != engine->comm->client) {
		if (point->test->plan(point, engine->run.target, &theirs, err) < 0)
			return -1;
		engine->seen = theirs.view;
	}
	return engine->extent->view(&engine->file, &engine->seen, err);
}

int pario_access_open(struct pario_engine *engine, bool create, struct pario_err *err)
{
	const struct pario_array bytes = { .dims = 1,
					   .extent = { engine->layout.file_bytes },
					   .element_size = 1 };
	const struct pario_array *own = &engine->layout.array;
	struct pario_open how;
	int status;

	pario_access_place(engine, engine->run.target, engine->name);
	if (pario_engine_named(engine))
		snprintf(engine->path, sizeof(engine->path), "%s", engine->layout.filename);
	else
		snprintf(engine->path, sizeof(engine->path), "%s/%s", engine->workspace->path,
			 engine->name);
	describe_open(engine, create, &how);
	engine->file = (struct pario_file){ .backend = backend(engine), .how = how };
	reset_queue(engine);
	engine->sequence = 0;
	pario_access_watch_open(engine);
	if (!engine->extent)
		status = backend(engine)->array->open(&engine->file, &how, own->dims ? own : &bytes,
						      err);
	else
		status = engine->extent->open(&engine->file, &how, err);
	pario_watch_whole();
	if (status < 0)
		return -1;
	engine->open = true;
	return set_view(engine, err);
}

int pario_access_sync(struct pario_engine *engine, struct pario_err *err)
{
	if (!engine->extent)
		return backend(engine)->array->sync(&engine->file, err);
	return engine->extent->sync(&engine->file, err);
}

int pario_access_close(struct pario_engine *engine, struct pario_err *err)
{
	if (!engine->open)
		return 0;
	engine->open = false;
	if (!engine->extent)
		return backend(engine)->array->close(&engine->file, err);
	return engine->extent->close(&engine->file, err);
}

/* File offset to offset within the view that is set. */
static uint64_t in_view(const struct pario_engine *engine, uint64_t offset)
{
	const struct pario_view *v = &engine->seen;

	if (!engine->view || engine->run.mode == PARIO_MODE_VERIFY)
		return offset;
	offset -= v->displacement;
	return offset / v->stride * v->block + offset % v->stride;
}

static inline int move(struct pario_engine *engine, bool write, void *buffer, uint64_t offset,
		       uint64_t length, struct pario_err *err)
{
	const struct pario_extent_ops *extent = engine->extent;

	if (__builtin_expect(!extent, 0)) {
		struct pario_slab slab = {
			.start = { offset }, .stride = { 1 }, .count = { length }, .block = { 1 }
		};

		return write ? backend(engine)->array->write(&engine->file, buffer, &slab, err)
			     : backend(engine)->array->read(&engine->file, buffer, &slab, err);
	}
	if (engine->view)
		offset = in_view(engine, offset);
	return write ? extent->write(&engine->file, buffer, length, offset, err)
		     : extent->read(&engine->file, buffer, length, offset, err);
}

/* Where the library chooses the place, data are numbered by the client's own transfers instead of by offset. */
static uint64_t content_offset(struct pario_engine *engine, uint64_t offset, uint64_t length)
{
	return engine->unordered ? engine->sequence++ * round_page(length) : offset;
}

/* Whose data a transfer from `offset` on should have brought. */
static inline const struct pario_owner *owner_at(struct pario_engine *engine, uint64_t offset)
{
	if (!engine->fills)
		engine->owner.origin = offset;
	return &engine->owner;
}

static int wrong_data(struct pario_engine *engine, const void *buffer, uint64_t offset,
		      uint64_t length, struct pario_err *err)
{
	return pario_data_report(&engine->data, &engine->owner, buffer, offset, length,
				 engine->path, engine->run.client, err);
}

/* Ends one synchronous transfer; the hot path of every test. */
static inline void finish(struct pario_engine *engine, int64_t start, uint64_t length)
{
	int64_t end = pario_ticks_ns();

	pario_meter_op(&engine->meter, start, end, length);
	if (__builtin_expect(end >= engine->pull_ns, 0))
		engine->run.until = 0;
}

/* In collective loops a client with an error goes along with empty transfers until all agree to stop. */
static int hold(struct pario_engine *engine, int status, struct pario_err *err)
{
	if (status == 0 || !engine->bound->access.collective)
		return status;
	if (!engine->held.code)
		engine->held = *err;
	return 0;
}

static inline char *take_turn(struct pario_engine *engine)
{
	char *buffer = engine->next;

	engine->next += engine->buffer_capacity;
	if (engine->next == engine->buffers_end)
		engine->next = engine->buffers;
	return buffer;
}

static inline int write_now(struct pario_engine *engine, uint64_t offset, uint64_t length,
			    struct pario_err *err)
{
	int64_t began = engine->meter.last_ns, start;
	char *buffer = take_turn(engine);
	int status;

	if (engine->held.code)
		length = 0;
	if (engine->fills) {
		pario_data_fill(&engine->data, &engine->owner, buffer,
				content_offset(engine, offset, length), length);
		start = pario_ticks_ns();
		engine->meter.fill_ns += start - began;
	} else {
		start = began;
	}
	status = move(engine, true, buffer, offset, length, err);
	finish(engine, start, status < 0 ? 0 : length);
	return hold(engine, status, err);
}

static inline int read_now(struct pario_engine *engine, uint64_t offset, uint64_t length,
			   struct pario_err *err)
{
	int64_t start = engine->meter.last_ns;
	char *buffer = take_turn(engine);
	int status;

	if (engine->held.code)
		length = 0;
	status = move(engine, false, buffer, offset, length, err);
	finish(engine, start, status < 0 ? 0 : length);
	if (status == 0 && engine->peek && length &&
	    !pario_data_peek(&engine->data, owner_at(engine, offset), buffer, offset, length))
		status = wrong_data(engine, buffer, offset, length, err);
	return hold(engine, status, err);
}

/* With requests in flight buffers come back in any order: the one that was unused longest goes out next. */
static unsigned take_spare(struct pario_engine *engine)
{
	unsigned buffer = engine->spare[engine->spare_first];

	if (++engine->spare_first == engine->buffer_count)
		engine->spare_first = 0;
	engine->spare_count--;
	return buffer;
}

static void give_spare(struct pario_engine *engine, unsigned buffer)
{
	unsigned at = engine->spare_first + engine->spare_count;

	if (at >= engine->buffer_count)
		at -= engine->buffer_count;
	engine->spare[at] = buffer;
	engine->spare_count++;
}

/* Takes back one request of the queue; wrong data outweigh a failed transfer, the first of them is told. */
static int take_back(struct pario_engine *engine, const struct pario_request *r, int64_t now,
		     int status, struct pario_err *err)
{
	pario_meter_op(&engine->meter, r->start_ns, now, r->status < 0 ? 0 : r->length);
	engine->free_slots[engine->free_count++] = r->slot;
	give_spare(engine, engine->holds[r->slot]);
	engine->in_flight--;
	if (r->status < 0)
		return -1;
	if (!r->write && engine->peek && !(status < 0 && err->code == PARIO_VERIFY) &&
	    !pario_data_peek(&engine->data, owner_at(engine, r->offset), r->buffer, r->offset,
			     r->length))
		return wrong_data(engine, r->buffer, r->offset, r->length, err);
	return status;
}

/* Every request that comes back is accounted for, whatever became of those before it. */
static int reap(struct pario_engine *engine, unsigned least, struct pario_err *err)
{
	struct pario_request *done[REAP_CAPACITY];
	int count = engine->extent->reap(&engine->file, least, REAP_CAPACITY, done, err);
	int64_t now = pario_ticks_ns();
	int status = count < 0 ? -1 : 0;

	for (int i = 0; i < count; i++)
		status = take_back(engine, done[i], now, status, err);
	if (count >= 0 && count < (int)least)
		status = pario_err_set(err, PARIO_SYSTEM,
				       "%s handed out %d of %u requests to %s. This is an error in "
				       "the backend.",
				       backend(engine)->name, count, least, engine->path);
	if (count < (int)least)
		engine->in_flight = 0; /* nobody may wait for them again */
	if (now >= engine->pull_ns)
		engine->run.until = 0;
	return status;
}

static int queue(struct pario_engine *engine, bool write, uint64_t offset, uint64_t length,
		 struct pario_err *err)
{
	struct pario_request *r;
	unsigned slot;

	if (engine->free_count == 0 && reap(engine, 1, err) < 0)
		return -1;
	slot = engine->free_slots[--engine->free_count];
	engine->holds[slot] = take_spare(engine);
	r = &engine->requests[slot];
	*r = (struct pario_request){ .write = write,
				     .buffer = engine->buffers +
					       engine->holds[slot] * engine->buffer_capacity,
				     .length = length,
				     .offset = offset,
				     .slot = slot };
	if (write && engine->fills)
		pario_data_fill(&engine->data, &engine->owner, r->buffer, offset, length);
	r->start_ns = pario_ticks_ns();
	if (engine->extent->submit(&engine->file, r, err) < 0) {
		engine->free_slots[engine->free_count++] = slot;
		give_spare(engine, engine->holds[slot]);
		return -1;
	}
	engine->in_flight++;
	return 0;
}

int pario_access_drain(struct pario_engine *engine, struct pario_err *err)
{
	struct pario_err next = { 0 };
	int status = 0;

	while (engine->in_flight > 0) {
		unsigned least =
			engine->in_flight < REAP_CAPACITY ? engine->in_flight : REAP_CAPACITY;

		if (reap(engine, least, &next) < 0 && (status == 0 || next.code > err->code)) {
			*err = next;
			status = -1;
		}
	}
	return status;
}

/* Does this transfer belong to the sample, and which piece of it? The same ones on all clients. */
static bool in_sample(struct pario_engine *engine, uint64_t *offset, uint64_t *length)
{
	uint64_t i = engine->looked_at++, capacity;

	if (i % engine->sample_step)
		return false;
	if (*length > PARIO_SAMPLE_BYTES) {
		capacity = (*length - PARIO_SAMPLE_BYTES) / PAGE + 1;
		*offset +=
			pario_random_below(pario_random_join(engine->file_id, i), capacity) * PAGE;
		*length = PARIO_SAMPLE_BYTES;
	}
	return true;
}

/* The verifying pass: reads one transfer back, whole, and compares every byte. */
static int compare(struct pario_engine *engine, uint64_t offset, uint64_t length,
		   struct pario_err *err)
{
	int status = 0;

	owner_at(engine, offset);
	if (engine->sample_step && !in_sample(engine, &offset, &length))
		return 0;
	if (engine->held.code)
		length = 0;
	pario_data_poison(engine->buffers, length < PAGE ? length : PAGE);
	status = move(engine, false, engine->buffers, offset, length, err);
	if (status == 0)
		status = wrong_data(engine, engine->buffers, offset, length, err);
	if (status == 0)
		engine->meter.bytes += length;
	return hold(engine, status, err);
}

/* Flattened into its callers: at half a microsecond per transfer every call counts. */
static inline __attribute__((always_inline)) int transfer(struct pario_run *run, bool write,
							  uint64_t offset, uint64_t length,
							  struct pario_err *err)
{
	struct pario_engine *engine = run->engine;

	if (__builtin_expect(run->mode == PARIO_MODE_VERIFY, 0))
		return compare(engine, offset, length, err);
	if (engine->depth > 1)
		return queue(engine, write, offset, length, err);
	return write ? write_now(engine, offset, length, err)
		     : read_now(engine, offset, length, err);
}

int pario_run_transfer(struct pario_run *run, uint64_t offset, uint64_t length,
		       struct pario_err *err)
{
	return transfer(run, run->phase->write, offset, length, err);
}

int pario_run_slab(struct pario_run *run, const struct pario_slab *slab, void *buffer,
		   uint64_t bytes, struct pario_err *err)
{
	struct pario_engine *engine = run->engine;
	const struct pario_array_ops *array = backend(engine)->array;
	int64_t start = engine->meter.last_ns;
	int status;

	if (run->phase->write && run->mode != PARIO_MODE_VERIFY)
		status = array->write(&engine->file, buffer, slab, err);
	else
		status = array->read(&engine->file, buffer, slab, err);
	finish(engine, start, status < 0 ? 0 : bytes);
	return status;
}
