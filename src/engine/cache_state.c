/*
 * cache_state: sets the cache state a phase starts from, proves it and judges it.
 *
 * For files of the engine this happens before the barrier. A test that accesses storage itself calls pario_run_evict
 * for what it is about to read; the pages of those files add up to the state of the phase.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/stats.h"
#include "base/units.h"
#include "engine/cache.h"
#include "engine/cache_probe.h"
#include "engine/engine.h"
#include "machine/caches.h"

void pario_engine_suspect(struct pario_result *result, const char *reason)
{
	size_t used = strlen(result->reason);

	result->outcome = PARIO_SUSPECT;
	snprintf(result->reason + used, sizeof(result->reason) - used, "%s%s", used ? "; " : "",
		 reason);
}

/* The shared file once per node, or by each client where each has a mount of its own; own and next files per client. */
int pario_cache_state_evict(struct pario_engine *e, struct pario_err *err)
{
	bool ours = !pario_engine_borrows(e);
	char name[256];
	int status = 0;

	if (e->bound->settings.drop_caches && e->comm->node_client == 0)
		status = pario_cache_drop_all(err);
	if (e->layout.per_client) {
		pario_access_name(e, e->comm->client, name);
		if (status == 0)
			status = pario_cache_evict(e->workspace->dirfd, name, ours, err);
		pario_access_name(e, e->run.target, name);
		if (status == 0)
			status = pario_cache_evict(e->workspace->dirfd, name, ours, err);
	} else if (e->comm->node_client == 0 || e->apart) {
		pario_access_place(e, 0, name);
		if (status == 0)
			status = pario_cache_evict(pario_engine_dirfd(e), name, ours, err);
	}
	return pario_comm_agree(e->comm->mpi, status, NULL, err);
}

/* Adds up the clients' pages; the reason of the first client that has one speaks for all. */
static void sum_pages(struct pario_engine *e, const struct pario_cache_state *own,
		      struct pario_cache_state *state)
{
	uint64_t pages[2] = { own->pages_total, own->pages_resident }, sum[2];
	struct {
		int rank, client;
	} in = { own->reason[0] ? 2 : own->method[0] != '\0', (int)e->comm->client }, out;

	MPI_Allreduce(pages, sum, 2, MPI_UINT64_T, MPI_SUM, e->comm->mpi);
	MPI_Allreduce(&in, &out, 1, MPI_2INT, MPI_MAXLOC, e->comm->mpi);
	*state = *own;
	MPI_Bcast(state, sizeof(*state), MPI_BYTE, out.client, e->comm->mpi);
	state->pages_total = sum[0];
	state->pages_resident = sum[1];
}

/* "a", "a and b": what was looked at joins the others of its kind. */
static void join(char *list, size_t capacity, const char *what)
{
	size_t used = strlen(list);

	snprintf(list + used, capacity - used, "%s%s", used ? " and " : "", what);
}

/* What the probe of a node shows, and the median times of a piece; the node where it is worst speaks for all. */
struct probed {
	int finding; /* enum pario_probe_finding; -1 where nothing was probed */
	double hits, first_s, again_s, direct_s;
};

static struct probed probe(struct pario_engine *e, const struct pario_caches *caches)
{
	struct probed own = { .finding = -1 };
	struct pario_cache_probe times;
	struct pario_err ignored = { 0 };
	size_t hits = 0;
	char name[256];

	if (e->comm->node_client != 0 || !caches->node ||
	    (caches->passed && e->bound->access.direct))
		return own;
	pario_access_place(e, e->layout.per_client ? e->run.target : 0, name);
	pario_cache_probe(pario_engine_dirfd(e), name, caches->passed,
			  pario_random_join(e->bound->settings.seed, e->file_id), &times);
	pario_cache_evict(pario_engine_dirfd(e), name, false, &ignored);
	own.finding = (int)pario_cache_probe_judge(&times, &hits);
	own.hits = times.pieces ? (double)hits / (double)times.pieces : 0;
	own.first_s = pario_stats_median(times.first_s, times.pieces);
	own.again_s = pario_stats_median(times.again_s, times.pieces);
	own.direct_s = pario_stats_median(times.direct_s, times.direct_pieces);
	return own;
}

static void probe_all(struct pario_engine *e, const struct pario_caches *caches, struct probed *p)
{
	struct {
		int rank, client;
	} in, out;

	*p = probe(e, caches);
	in.rank = p->finding;
	in.client = (int)e->comm->client;
	MPI_Allreduce(&in, &out, 1, MPI_2INT, MPI_MAXLOC, e->comm->mpi);
	MPI_Bcast(p, sizeof(*p), MPI_BYTE, out.client, e->comm->mpi);
	if (p->finding < 0)
		return;
	pario_result_metric(e->result, "cache_hits", "1", p->hits);
	pario_result_metric(e->result, "cache_first_s", "s", p->first_s);
	pario_result_metric(e->result, "cache_again_s", "s", p->again_s);
	if (isfinite(p->direct_s))
		pario_result_metric(e->result, "cache_direct_s", "s", p->direct_s);
}

/* Which caches held nothing of the file, and which may have. Collective. */
static void say_caches(struct pario_engine *e, const struct pario_caches *caches,
		       const struct probed *p, struct pario_cache_state *state)
{
	bool direct = e->bound->access.direct;
	bool node = (caches->passed && direct) || p->finding == PARIO_PROBE_EMPTY;

	if (direct || (state->method[0] && state->pages_resident == 0))
		join(state->excluded, sizeof(state->excluded), "the page cache of every node");
	else
		join(state->not_excluded, sizeof(state->not_excluded), "the page cache");
	if (caches->node && node)
		join(state->excluded, sizeof(state->excluded), caches->node);
	else if (caches->node)
		join(state->not_excluded, sizeof(state->not_excluded), caches->node);
	if (caches->beyond)
		join(state->not_excluded, sizeof(state->not_excluded), caches->beyond);
}

static void count_pages(struct pario_engine *e, struct pario_cache_state *state)
{
	struct pario_cache_state own = { 0 };
	const struct pario_caches *caches;
	struct probed probed;
	char name[256];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", pario_engine_dirfd(e));
	caches = pario_machine_caches(name);
	probe_all(e, caches, &probed);

	if (e->layout.per_client || e->comm->node_client == 0) {
		pario_access_place(e, e->layout.per_client ? e->run.target : 0, name);
		pario_cache_count(pario_engine_dirfd(e), name, &own);
	}
	sum_pages(e, &own, state);
	say_caches(e, caches, &probed, state);
}

/*
 * Does the phase start with nothing cached? Reads of cached runs are there to show the cache; a cached rewrite is not
 * (the consortium\'s rules 6.10), but where nothing can be evicted it is left as it is.
 */
static bool starts_cold(const struct pario_engine *e)
{
	/* A test that keeps its data in files of its own says itself what their state is. */
	if (pario_engine_stores(e) && !pario_engine_file_data(e))
		return false;
	if (e->run.phase->creates || !pario_engine_stores(e))
		return pario_engine_sustained(e);
	if (e->bound->access.cache != PARIO_CACHE_AUTO)
		return e->bound->access.cache == PARIO_CACHE_COLD;
	return pario_engine_sustained(e) ||
	       (e->run.phase->write && !pario_cache_in_memory(e->workspace->dirfd));
}

/*
 * With --drop_caches, for a test that reaches storage by itself: every phase starts with no data, names or inodes
 * cached on any node.
 */
static int drop_for(struct pario_engine *e, struct pario_err *err)
{
	int status = 0;

	if (!e->bound->settings.drop_caches)
		return 0;
	if (e->comm->node_client == 0)
		status = pario_cache_drop_all(err);
	if (pario_comm_agree(e->comm->mpi, status, NULL, err) < 0)
		return -1;
	pario_result_metric(e->result, "caches_dropped", "", 1);
	return 0;
}

int pario_cache_state_prepare(struct pario_engine *e, bool creates, struct pario_err *err)
{
	struct pario_cache_state *state = &e->result->cache;
	bool cold = starts_cold(e);

	if (pario_engine_by_itself(e) && drop_for(e, err) < 0)
		return -1;
	if (!(e->bound->point.test->needs & (PARIO_NEED_FILES | PARIO_NEED_MPI_FILES)))
		return 0;
	if (!pario_engine_stores(e) || !pario_engine_file_data(e) || creates || !cold) {
		snprintf(state->method, sizeof(state->method), "%s",
			 creates && pario_engine_stores(e) ? "new file" : "none");
	} else {
		if (pario_cache_state_evict(e, err) < 0)
			return -1;
		count_pages(e, state);
	}
	if (cold || creates || e->bound->access.cache != PARIO_CACHE_WARM)
		snprintf(state->wanted, sizeof(state->wanted), "%s", cold ? "cold" : "any");
	else
		snprintf(state->wanted, sizeof(state->wanted), "warm");
	return 0;
}

void pario_cache_state_collect(struct pario_engine *e)
{
	sum_pages(e, &e->evicted, &e->result->cache);
	snprintf(e->result->cache.wanted, sizeof(e->result->cache.wanted), "cold");
}

int pario_run_evict(struct pario_run *run, int dirfd, const char *name, struct pario_err *err)
{
	struct pario_engine *e = run->engine;

	/* Where nothing can be evicted, trying takes its time and changes nothing. */
	if (!pario_cache_in_memory(dirfd) && pario_cache_evict(dirfd, name, true, err) < 0)
		return -1;
	snprintf(e->evicted.wanted, sizeof(e->evicted.wanted), "cold");
	pario_cache_count(dirfd, name, &e->evicted);
	return 0;
}

void pario_run_evicted(const struct pario_run *run, uint64_t *total, uint64_t *resident)
{
	*total = run->engine->evicted.pages_total;
	*resident = run->engine->evicted.pages_resident;
}

void pario_run_durable(struct pario_run *run, bool fresh)
{
	struct pario_cache_state *state = &run->engine->result->cache;

	snprintf(state->wanted, sizeof(state->wanted), "cold");
	snprintf(state->method, sizeof(state->method), "%s", fresh ? "new file" : "fsync");
	if (pario_run_in_memory(run))
		pario_engine_suspect(run->engine->result, PARIO_RESULT_IN_MEMORY);
}

int pario_run_drop_caches(struct pario_run *run, struct pario_err *err)
{
	if (!run->engine->bound->settings.drop_caches)
		return 0;
	return pario_cache_drop_all(err) < 0 ? -1 : 1;
}

/* The probe read pieces of the file that came faster than storage answers. */
static void suspect_hits(struct pario_result *r)
{
	const struct pario_metric *hits = pario_result_find(r, "cache_hits");
	const struct pario_metric *first = pario_result_find(r, "cache_first_s");
	const struct pario_metric *direct = pario_result_find(r, "cache_direct_s");
	char text[400], a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	if (!hits || !first || !direct || !(hits->value > PARIO_PROBE_SHARE))
		return;
	snprintf(
		text, sizeof(text),
		"%.0f %% of a sample came from a cache on the node (%s for a piece, %s by O_DIRECT): "
		"the storage is slower than this; --verify 0 leaves less in it, --direct 1 goes past it",
		100 * hits->value, pario_units_time(a, first->value),
		pario_units_time(b, direct->value));
	pario_engine_suspect(r, text);
}

void pario_cache_state_judge(struct pario_engine *e, struct pario_result *r)
{
	const struct pario_cache_state *c = &r->cache;
	char text[400];
	bool files = pario_engine_stores(e) && pario_engine_file_data(e);

	if (!(files && pario_engine_sustained(e)) && c->pages_total == 0 && !c->reason[0])
		return;
	if (pario_cache_in_memory(pario_engine_dirfd(e))) {
		pario_engine_suspect(r, PARIO_RESULT_IN_MEMORY);
		return;
	}
	suspect_hits(r);
	if (c->reason[0]) {
		snprintf(text, sizeof(text), "nothing proves that the data were not cached: %s",
			 c->reason);
		pario_engine_suspect(r, text);
	} else if (c->pages_resident > 0 && !e->bound->access.direct) {
		snprintf(
			text, sizeof(text),
			"%.3g %% of the file was still cached (%llu of %llu pages); the storage is slower "
			"than this",
			100.0 * (double)c->pages_resident / (double)c->pages_total,
			(unsigned long long)c->pages_resident, (unsigned long long)c->pages_total);
		pario_engine_suspect(r, text);
	}
}
