/*
 * memory: every call of the program goes through here in the order of the simulation.
 */
#include "predict/simulate/memory.h"

#include <math.h>
#include <stdlib.h>

enum { EXPIRE_S = 30, LEAST_STORED = 1 << 17 };
enum { REMEMBERED_S = 1 }; /* so long a name that was looked up is known */

int pario_memory_init(struct pario_memory *m, const struct pario_costs *costs, uint32_t files,
		      double background, struct pario_err *err)
{
	*m = (struct pario_memory){
		.costs = costs, .files = files, .contents = files, .share = 1 / (1 + background)
	};
	m->cache = pario_cache_new(costs->cache_bytes);
	m->content = calloc(files + 1ul, sizeof(*m->content));
	m->ends = calloc(files + 1ul, sizeof(*m->ends));
	m->written = calloc(files + 1ul, sizeof(*m->written));
	m->grown = calloc(files + 1ul, sizeof(*m->grown));
	m->asked = calloc(files + 1ul, sizeof(*m->asked));
	m->found = calloc(files + 1ul, sizeof(*m->found));
	m->syncs = calloc(files + 1ul, sizeof(*m->syncs));
	m->names_of = calloc(files + 1ul, sizeof(*m->names_of));
	if (!m->cache || !m->content || !m->ends || !m->written || !m->grown || !m->asked ||
	    !m->found || !m->syncs || !m->names_of) {
		pario_memory_release(m);
		return pario_err_memory(err, "a simulated page cache");
	}
	for (uint32_t i = 0; i <= files; i++) {
		m->content[i] = i;
		m->asked[i] = -INFINITY;
	}
	return 0;
}

void pario_memory_release(struct pario_memory *m)
{
	pario_cache_free(m->cache);
	free(m->content);
	free(m->ends);
	free(m->written);
	free(m->grown);
	free(m->asked);
	free(m->found);
	free(m->syncs);
	free(m->names_of);
	*m = (struct pario_memory){ 0 };
}

void pario_memory_warm(struct pario_memory *m, uint32_t file)
{
	pario_cache_warm(m->cache, m->content[file]);
}

void pario_memory_found(struct pario_memory *m, uint32_t file, uint64_t bytes)
{
	m->ends[file] = bytes;
	m->found[file] = true;
}

static double write_limit(const struct pario_costs *c)
{
	return (c->background_bytes + c->limit_bytes) / 2;
}

void pario_memory_advance(struct pario_memory *m, double now)
{
	double dirty = (double)pario_cache_dirty(m->cache), floor = m->costs->background_bytes;
	double rate = m->costs->write_back * m->share;

	if (m->costs->stays || !(now > m->now)) {
		m->now = fmax(m->now, now);
		return;
	}
	if (dirty <= 0) {
		m->flushing = false;
	} else if (now - m->dirty_since > EXPIRE_S) {
		m->flushing = true;
		floor = 0;
	} else {
		m->flushing = dirty > floor;
	}
	if (m->flushing) {
		double most = fmax(0, dirty - floor);

		m->owed = isfinite(rate) ? m->owed + rate * (now - m->now) : most;
		if (m->owed >= LEAST_STORED || m->owed >= most)
			m->owed -=
				(double)pario_cache_clean(m->cache, (uint64_t)fmin(m->owed, most));
		m->owed = fmin(fmax(m->owed, 0), LEAST_STORED);
	} else {
		m->owed = 0;
	}
	m->now = now;
}

static uint64_t read(struct pario_memory *m, struct pario_sim_step *step, uint32_t file)
{
	struct pario_cache_read r = pario_cache_read(m->cache, file, step->offset, step->bytes);
	bool sequential = step->key.locality == PARIO_SYSTEM_SEQUENTIAL;
	/* what sequential reads cost from the device is measured with what they read ahead */
	uint64_t missing = sequential ? r.missing + r.ahead : r.missing;

	step->key.path = missing ? PARIO_SYSTEM_MISS : PARIO_SYSTEM_HIT;
	step->key.anew = m->found[step->file];
	m->found[step->file] = false;
	/* the first one waits for the device by itself, whatever follows */
	if (missing && step->first && sequential) {
		step->key.locality = PARIO_SYSTEM_RANDOM;
		step->key.distance_bytes = step->bytes;
	}
	if (sequential && r.missing)
		pario_cache_ahead(m->cache, file, step->offset + step->bytes,
				  (uint64_t)m->costs->read_ahead_bytes);
	return missing;
}

static uint64_t write(struct pario_memory *m, struct pario_sim_step *step, uint32_t file, bool over)
{
	uint64_t dirty = pario_cache_dirty(m->cache);
	bool held = over && pario_cache_holds(m->cache, file, step->offset, step->bytes);
	uint64_t more;

	more = pario_cache_write(m->cache, file, step->offset, step->bytes);
	if (step->key.path == PARIO_SYSTEM_ANY)
		step->key.path = more && (double)(dirty + more) > write_limit(m->costs)
					 ? PARIO_SYSTEM_THROTTLED
				 : held ? PARIO_SYSTEM_REWRITTEN
					: PARIO_SYSTEM_ABSORBED;
	if (!dirty)
		m->dirty_since = m->now;
	if (step->key.path == PARIO_SYSTEM_SYNC)
		pario_cache_clean_file(m->cache, file);
	return step->key.path == PARIO_SYSTEM_ABSORBED || step->key.path == PARIO_SYSTEM_REWRITTEN
		       ? 0
		       : step->bytes;
}

/*
 * What a new file was never given is a hole, which needs no device either. Removing costs by what is removed, so calls
 * that do are told apart by that.
 */
static void apply(struct pario_memory *m, struct pario_sim_step *step)
{
	uint32_t *content = m->content;

	if (step->effect == PARIO_EFFECT_FORGET) {
		step->bytes = m->ends[step->file];
		m->ends[step->file] = 0;
		pario_cache_forget(m->cache, content[step->file]);
		pario_cache_warm(m->cache, content[step->file]);
	} else if (step->effect == PARIO_EFFECT_RENAME) {
		pario_cache_forget(m->cache, content[step->other_file]);
		content[step->other_file] = content[step->file];
		m->ends[step->other_file] = m->ends[step->file];
		m->ends[step->file] = 0;
		content[step->file] = ++m->contents;
	} else if (step->effect == PARIO_EFFECT_OPEN && m->costs->forgets) {
		pario_memory_evict(m, step->file);
	}
}

void pario_memory_evict(struct pario_memory *m, uint32_t file)
{
	if (!m->costs->stays)
		pario_cache_discard(m->cache, m->content[file]);
}

/* One that stores something. */
static bool is_sync(const struct pario_sim_step *step)
{
	return step->key.op >= PARIO_SYSTEM_FSYNC &&
	       step->key.op <= PARIO_SYSTEM_FSYNC_DIRECTORY_AGAIN;
}

/* By what it finds: bytes, names, or nothing; then it only looks. */
static enum pario_system_op sync_of(const struct pario_memory *m, const struct pario_sim_step *step)
{
	if (step->key.op == PARIO_SYSTEM_FSYNC_DIRECTORY)
		return m->names > m->names_stored	    ? PARIO_SYSTEM_FSYNC_DIRECTORY
		       : m->names > m->names_of[step->file] ? PARIO_SYSTEM_FSYNC_DIRECTORY_AGAIN
							    : PARIO_SYSTEM_STAT;
	if (step->bytes && !m->grown[step->file])
		return step->data_only ? PARIO_SYSTEM_FDATASYNC_AGAIN : PARIO_SYSTEM_FSYNC_AGAIN;
	return step->bytes || m->names > m->names_stored ? PARIO_SYSTEM_FSYNC : PARIO_SYSTEM_STAT;
}

/* While another one stores most of what there was, both end together. */
static uint64_t sync(struct pario_memory *m, struct pario_sim_step *step, uint32_t file)
{
	struct pario_memory_syncs *syncs = &m->syncs[step->file];

	step->bytes = pario_cache_clean_file(m->cache, file);
	if (syncs->count && step->bytes < syncs->bytes) {
		step->joins = true;
		step->key.op = syncs->op;
		step->key.path = PARIO_SYSTEM_SYNC;
		return step->bytes = syncs->bytes;
	}
	step->key.op = sync_of(m, step);
	/* one that stores bytes alone leaves names as they are */
	if (step->key.op != PARIO_SYSTEM_FDATASYNC_AGAIN)
		m->names_stored = m->names_of[step->file] = m->names;
	m->grown[step->file] = false;
	m->written[step->file] = 0; /* closing finds nothing more to send */
	if (is_sync(step)) {
		step->key.path = PARIO_SYSTEM_SYNC;
		*syncs = (struct pario_memory_syncs){ syncs->count + 1, step->key.op, step->bytes };
	}
	return step->bytes;
}

bool pario_memory_over(struct pario_memory *m, const struct pario_sim_step *step)
{
	if (is_sync(step) && !step->joins)
		m->syncs[step->file].count--;
	return is_sync(step) && !m->syncs[step->file].count;
}

static bool changes_names(enum pario_system_op op)
{
	switch (op) {
	case PARIO_SYSTEM_CREATE:
	case PARIO_SYSTEM_UNLINK:
	case PARIO_SYSTEM_MKDIR:
	case PARIO_SYSTEM_RMDIR:
	case PARIO_SYSTEM_LINK:
	case PARIO_SYSTEM_RENAME:
	case PARIO_SYSTEM_RENAME_DIRECTORY:
	case PARIO_SYSTEM_TRUNCATE:
		return true;
	default:
		return false;
	}
}

/* For a name, or for what is known of a file. */
static bool asks(enum pario_system_op op)
{
	return op == PARIO_SYSTEM_STAT || op == PARIO_SYSTEM_OPEN || op == PARIO_SYSTEM_CREATE ||
	       op == PARIO_SYSTEM_MKDIR;
}

uint64_t pario_memory_meet(struct pario_memory *m, struct pario_sim_step *step)
{
	uint32_t file = m->content[step->file];
	bool over = true;

	if (asks(step->key.op) && !(m->now - m->asked[step->file] <= REMEMBERED_S)) {
		if (step->key.op == PARIO_SYSTEM_STAT)
			step->key.op = PARIO_SYSTEM_LOOKUP;
		step->key.anew = true;
		m->asked[step->file] = m->now;
	}
	m->names += changes_names(step->key.op);
	if (step->effect)
		apply(m, step);
	switch (step->key.op) {
	case PARIO_SYSTEM_CREATE:
		pario_cache_warm(m->cache, file);
		return 0;
	case PARIO_SYSTEM_CLOSE:
		step->bytes = m->written[step->file];
		m->written[step->file] = 0;
		return 0;
	case PARIO_SYSTEM_READ:
	case PARIO_SYSTEM_WRITE:
		if (step->offset == PARIO_TRACE_NOWHERE)
			step->offset = 0;
		over = step->offset + step->bytes <= m->ends[step->file];
		if (!over) {
			m->ends[step->file] = step->offset + step->bytes;
			m->grown[step->file] |= step->key.op == PARIO_SYSTEM_WRITE;
		}
		m->written[step->file] += step->key.op == PARIO_SYSTEM_WRITE ? step->bytes : 0;
		if (step->key.path == PARIO_SYSTEM_DIRECT)
			return step->bytes;
		return step->key.op == PARIO_SYSTEM_READ ? read(m, step, file)
							 : write(m, step, file, over);
	case PARIO_SYSTEM_FSYNC:
	case PARIO_SYSTEM_FSYNC_DIRECTORY:
		return sync(m, step, file);
	default:
		return 0;
	}
}
