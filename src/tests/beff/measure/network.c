/*
 * network: builds the MPI groups of each pattern and times loops on them.
 */
#include "tests/beff/measure/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/beff/model/lengths.h"
#include "tests/beff/model/order.h"
#include "tests/common/members.h"

/* The group that a pattern's positions are numbered in. */
static MPI_Comm group_of(MPI_Comm comm, const struct pario_beff_pattern *p,
			 struct pario_beff_draw *draw, unsigned *order)
{
	switch (p->kind) {
	case PARIO_BEFF_RING:
		return pario_links_line(comm);
	case PARIO_BEFF_RANDOM:
		pario_beff_order_random(draw, p->n, order);
		return pario_links_ordered(comm, order);
	case PARIO_BEFF_WORST_CYCLE:
		pario_beff_order_worst(p->n, order);
		return pario_links_ordered(comm, order);
	case PARIO_BEFF_GRID:
		return pario_links_grid(comm, (int)p->dimensions, p->extent, p->periodic);
	default:
		return comm;
	}
}

static bool same_group(const struct pario_beff_pattern *a, const struct pario_beff_pattern *b)
{
	return a->kind == b->kind && a->dimensions == b->dimensions && a->periodic == b->periodic &&
	       a->kind != PARIO_BEFF_RANDOM;
}

static void link_patterns(struct pario_network *w, uint64_t seed)
{
	struct pario_beff_draw draw;

	pario_beff_draw_seed(&draw, seed);
	for (unsigned i = 0; i < w->count; i++) {
		const struct pario_beff_pattern *p = &w->patterns[i];
		struct pario_links *l = &w->links[i];
		struct pario_beff_links links = { 0 };
		int position;

		l->comm = i > 0 && same_group(p, p - 1) ? w->links[i - 1].comm
							: group_of(w->comm, p, &draw, w->order);
		if (l->comm == MPI_COMM_NULL)
			continue;
		MPI_Comm_rank(l->comm, &position);
		pario_beff_links(p, (unsigned)position, &links);
		l->pairs = links.pairs;
		memcpy(l->dest, links.dest, sizeof(l->dest));
		memcpy(l->src, links.src, sizeof(l->src));
		w->weights[i] = links.weight;
	}
}

static int allocate(struct pario_network *w, uint64_t lmax, struct pario_err *err)
{
	w->links = calloc(w->count, sizeof(*w->links));
	w->weights = calloc(w->count, sizeof(*w->weights));
	w->order = calloc(w->n, sizeof(*w->order));
	w->nodes = calloc(w->n, sizeof(*w->nodes));
	if (!w->links || !w->weights || !w->order || !w->nodes)
		return pario_err_memory(err, "the patterns");
	for (unsigned i = 0; i < w->count; i++)
		w->links[i].comm = MPI_COMM_NULL;
	return pario_exchange_init(&w->exchange, pario_beff_buffer_bytes(lmax), w->n,
				   w->patterns[0].release == PARIO_BEFF_3_6, err);
}

int pario_network_init(struct pario_network *w, struct pario_run *run,
		       const struct pario_beff_pattern *patterns, unsigned count, uint64_t lmax,
		       uint64_t seed, struct pario_err *err)
{
	int status;

	memset(w, 0, sizeof(*w));
	w->comm = run->comm;
	w->n = (unsigned)run->clients;
	w->patterns = patterns;
	w->count = count;
	pario_beff_lengths(lmax, w->lengths);
	status = allocate(w, lmax, err);
	/* Groups are made together or not at all. */
	if (!pario_members_well(run->comm, status))
		return status;
	pario_run_gather(run, pario_members_node(run->comm), w->nodes);
	link_patterns(w, seed);
	return 0;
}

void pario_network_release(struct pario_network *w)
{
	for (unsigned i = 0; w->links && i < w->count; i++) {
		MPI_Comm comm = w->links[i].comm;

		/* Patterns that share a group stand side by side. */
		if (comm != w->comm && comm != MPI_COMM_NULL &&
		    (i + 1 == w->count || w->links[i + 1].comm != comm))
			MPI_Comm_free(&comm);
	}
	pario_exchange_release(&w->exchange);
	free(w->links);
	free(w->weights);
	free(w->order);
	free(w->nodes);
	memset(w, 0, sizeof(*w));
}

/* What one client measured; ns is negative when it has no partners. */
struct reading {
	double ns, bandwidth;
	bool wrong;
};

/* What the clients' times are together, on client 0; only those count that have partners. */
static void combine(struct pario_run *run, const struct reading *own, struct pario_beff_outcome *o,
		    bool *wrong)
{
	bool counts = own->ns >= 0;
	double least[4] = { counts ? own->bandwidth : (double)INFINITY,
			    counts ? own->ns : (double)INFINITY, counts ? -own->ns : 0,
			    own->wrong ? -1.0 : 0 };
	double sum[2] = { counts ? own->ns : 0, counts };
	bool first = run->client == 0;

	MPI_Reduce(first ? MPI_IN_PLACE : least, least, 4, MPI_DOUBLE, MPI_MIN, 0, run->comm);
	MPI_Reduce(first ? MPI_IN_PLACE : sum, sum, 2, MPI_DOUBLE, MPI_SUM, 0, run->comm);
	o->record.bandwidth = least[0];
	o->record.min_ns = least[1];
	o->record.max_ns = -least[2];
	o->record.mean_ns = sum[0] / sum[1];
	o->own_ns = counts ? own->ns : o->record.max_ns;
	*wrong = least[3] < 0;
}

/* Sends and looks at messages; returns how many bytes this process sends. */
static uint64_t account(struct pario_network *w, const struct pario_beff_step *step)
{
	const struct pario_links *l = &w->links[step->pattern];
	uint64_t sent = 0;

	for (unsigned s = 0; s < l->pairs; s++) {
		sent += l->dest[s] >= 0;
		w->checked += l->src[s] >= 0 ? step->loop : 0;
	}
	return sent * w->lengths[step->length] * step->loop;
}

void pario_network_measure(struct pario_network *w, struct pario_run *run,
			   const struct pario_beff_step *step, bool spoilt,
			   struct pario_beff_outcome *o, bool *wrong)
{
	const struct pario_links *l = &w->links[step->pattern];
	enum pario_exchange_method method = (enum pario_exchange_method)step->method;
	uint64_t bytes = w->lengths[step->length], sent = account(w, step);
	struct reading own = { .ns = -1 };
	int64_t around, ns;

	pario_exchange_begin(&w->exchange, step->length);
	w->exchange.stamp += spoilt;
	MPI_Barrier(run->comm);
	if (step->warm)
		pario_exchange_loop(&w->exchange, l, method, bytes, 1);
	around = pario_run_pause(run);
	pario_exchange_loop(&w->exchange, l, method, bytes, step->loop);
	ns = pario_run_count(run, sent);
	ns = ns > 0 ? ns : 1;
	own.wrong = w->exchange.wrong;
	if (l->pairs) {
		own.ns = (double)ns;
		own.bandwidth = (double)bytes * w->weights[step->pattern] * (double)step->loop /
				((double)ns / 1e9);
	}
	combine(run, &own, o, wrong);
	o->spent_ns = (double)(around + ns);
	o->record.loop = step->loop;
	o->record.mark = ' ';
}
