/*
 * disturbance: did the clients have the nodes to themselves while a phase was timed?
 *
 * The first client of a node reads the kernel's counters before the barrier and after all have ended, outside of what
 * is timed; every client knows what it used itself. What all programs used in user mode, less that, is others' work:
 * kernel threads, which work for pario as well, have none there, so others used this much at least.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"

/* The counters of /proc/stat go in steps of a hundredth of a second. */
#define LEAST_S 0.1

void pario_disturbance_look(struct pario_engine *e, struct pario_look *look)
{
	pario_load_own("", &look->own);
	if (e->comm->node_client == 0)
		pario_load_node("", &look->node);
}

void pario_disturbance_go(struct pario_engine *e)
{
	e->meter.waited_s -= pario_load_waited("");
}

void pario_disturbance_stop(struct pario_engine *e)
{
	e->meter.waited_s += pario_load_waited("");
}

/* A share from 0 to 1; NaN stays. */
static double part(double amount, double whole)
{
	return isnan(amount) ? amount : fmin(1, fmax(0, amount / whole));
}

/* What the clients of this node used, on its first one; the worst wait of them. */
static void add_clients(const struct pario_engine *e, double *used_s, double *switches,
			double *waited_s)
{
	const struct pario_own_load *from = &e->before.own, *to = &e->after.own;
	MPI_Comm node = e->comm->on_node != MPI_COMM_NULL ? e->comm->on_node : e->comm->mpi;
	double own[2] = { to->user_s - from->user_s, (double)(to->switches - from->switches) };
	double sum[2] = { 0 }, wait = to->waited_s - from->waited_s;

	wait = isnan(wait) ? -1 : wait; /* MPI's largest of NaN may be anything */
	MPI_Reduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, 0, node);
	MPI_Reduce(&wait, waited_s, 1, MPI_DOUBLE, MPI_MAX, 0, node);
	*used_s = sum[0];
	*switches = sum[1];
	*waited_s = *waited_s < 0 ? (double)NAN : *waited_s;
}

static uint64_t beside(const struct pario_engine *e, uint64_t running)
{
	return running > e->comm->node_clients ? running - e->comm->node_clients : 0;
}

static void judge_node(const struct pario_engine *e, struct pario_disturbance *d)
{
	const struct pario_node_load *from = &e->before.node, *to = &e->after.node;
	double used_s = 0, switches = 0, waited_s = 0, s = pario_clock_s(to->ns - from->ns);
	double processors_s = s * (double)(to->processors ? to->processors : 1);

	add_clients(e, &used_s, &switches, &waited_s);
	gethostname(d->host, sizeof(d->host) - 1);
	d->others = part(to->user_s - from->user_s - used_s, processors_s);
	d->steal = part(to->steal_s - from->steal_s, processors_s);
	if (!(s >= LEAST_S))
		d->others = d->steal = NAN;
	s = s > 0 ? s : 1e-9;
	d->throttled = part(to->throttled_s - from->throttled_s, s);
	d->waited = part(waited_s, s);
	d->cpu = part(to->pressure_s[PARIO_PRESSURE_CPU] - from->pressure_s[PARIO_PRESSURE_CPU], s);
	d->io = part(to->pressure_s[PARIO_PRESSURE_IO] - from->pressure_s[PARIO_PRESSURE_IO], s);
	d->memory = part(
		to->pressure_s[PARIO_PRESSURE_MEMORY] - from->pressure_s[PARIO_PRESSURE_MEMORY], s);
	d->switches = (uint64_t)switches;
	d->running = beside(e, from->running > to->running ? from->running : to->running);
}

/* The operation of the reduction. */
static void add_parts(void *from, void *to, int *count, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *count; i++)
		pario_disturbances_add((struct pario_disturbances *)to + i,
				       (const struct pario_disturbances *)from + i);
}

/* The leaders add up over a tree, so that what travels does not grow with the nodes. */
static void collect(MPI_Comm leaders, struct pario_disturbances *all)
{
	struct pario_disturbances own = *all;
	MPI_Datatype type;
	MPI_Op add;

	MPI_Type_contiguous(sizeof(own), MPI_BYTE, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(add_parts, 1, &add);
	MPI_Reduce(&own, all, 1, type, add, 0, leaders);
	MPI_Op_free(&add);
	MPI_Type_free(&type);
}

void pario_disturbance_judge(struct pario_engine *e, struct pario_result *r)
{
	struct pario_disturbances *all = &e->disturbances;

	memset(all, 0, sizeof(*all));
	all->count = 1;
	judge_node(e, &all->node[0]);
	if (e->comm->leaders != MPI_COMM_NULL)
		collect(e->comm->leaders, all);
	r->disturbances = all;
	r->disturbance = all->node[0];
}
