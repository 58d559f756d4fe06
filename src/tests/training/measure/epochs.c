/*
 * epochs: see epochs.h. Rows of steps are thinned, so that a journal holds any number of them.
 */
#include "tests/training/measure/epochs.h"

#include <string.h>

/* Rows of steps of an epoch; each stands for as many steps as make them no more. */
enum { ROWS = 200 };

/* Steps that share a row. */
struct bin {
	uint64_t first, steps, each;
	double sum, most, wait;
};

uint64_t pario_training_marks(const struct pario_training *training)
{
	uint64_t sum = 0, samples = pario_dataset_samples(training->set);

	for (uint64_t i = training->run->client; i < samples; i += training->run->clients)
		sum += pario_samples_mark(&training->samples, i);
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, training->run->comm);
	return sum;
}

/* Every node evicts the whole set: any client may get any sample. */
static int evict(struct pario_training *t, struct pario_epoch_result *r, struct pario_err *err)
{
	uint64_t before[2], after[2];
	char name[32];
	int status = 0;

	pario_run_evicted(t->run, &before[0], &before[1]);
	for (uint64_t i = t->node_client; t->evict && status == 0 && i < t->set->files;
	     i += t->node_clients) {
		pario_samples_name(i, name);
		status = pario_run_evict(t->run, t->samples.dirfd, name, err);
	}
	pario_run_evicted(t->run, &after[0], &after[1]);
	after[0] -= before[0];
	after[1] -= before[1];
	if (pario_run_agree(t->run->comm, status, err) < 0)
		return -1;
	MPI_Allreduce(MPI_IN_PLACE, after, 2, MPI_UINT64_T, MPI_SUM, t->run->comm);
	r->pages = after[0];
	r->pages_resident = after[1];
	return 0;
}

static void add_step(struct pario_training *t, struct bin *b, const struct pario_epoch_result *r,
		     double seconds, double wait, bool last)
{
	b->steps++;
	b->sum += seconds;
	b->wait += wait;
	b->most = seconds > b->most ? seconds : b->most;
	if (b->steps < b->each && !last)
		return;
	pario_run_row(t->run, "steps", "epoch accelerators step steps mean_s longest_s waited_s",
		      (const struct pario_datum[]){
			      PARIO_NUMBER(r->number), PARIO_NUMBER(r->accelerators),
			      PARIO_NUMBER(b->first), PARIO_NUMBER(b->steps),
			      PARIO_NUMBER(b->sum / (double)b->steps), PARIO_NUMBER(b->most),
			      PARIO_NUMBER(b->wait / (double)b->steps) });
	*b = (struct bin){ .first = b->first + b->steps, .each = b->each };
}

/* Steps with fewer samples, the last of an epoch, compute for as long as the largest batch among them takes. */
static double computing(const struct pario_training *t, uint64_t samples, uint64_t accelerators,
			uint64_t step)
{
	struct pario_batch_share first =
		pario_epoch_share(samples, accelerators, t->batch, step, 0);

	return t->computation_s * (double)first.count / (double)t->batch;
}

/* One step; how long this client waited, in nanoseconds. -1 on all clients when one has failed. */
static int one_step(struct pario_training *t, bool active, double compute_s, int64_t *waited,
		    struct pario_loaded *sum, struct pario_err *err)
{
	int64_t began = pario_run_now(), ready;
	struct pario_loaded batch = { 0 };
	struct pario_err own = { 0 };
	int status = active ? pario_loader_next(t->loader, &batch, &own) : 0;

	ready = pario_run_now();
	*waited = ready - began;
	if (status == 0 && active)
		pario_pace_until(&t->pace, t->run, ready + (int64_t)(compute_s * 1e9));
	if (pario_run_meet(t->run, status) < 0) {
		*err = own;
		return pario_run_agree(t->run->comm, status, err);
	}
	sum->samples += batch.samples;
	sum->bytes += batch.bytes;
	sum->sum += batch.sum;
	pario_run_count(t->run, batch.bytes);
	return 0;
}

/* What should have been consumed: the whole set, or the first positions of the order. */
static void prove(struct pario_training *t, const struct pario_epoch *epoch,
		  const struct pario_loaded *own, struct pario_epoch_result *r)
{
	uint64_t sum[4] = { own->samples, own->bytes, own->sum, 0 }, marks = t->marks;
	uint64_t due = r->steps * r->accelerators * t->batch;

	if (r->whole)
		due = epoch->samples;
	for (uint64_t i = t->run->client; !r->whole && i < due; i += t->run->clients)
		sum[3] += pario_samples_mark(&t->samples, pario_epoch_at(epoch, i));
	MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_UINT64_T, MPI_SUM, t->run->comm);
	r->samples = sum[0];
	r->bytes = sum[1];
	r->proved = sum[0] == due && sum[2] == (r->whole ? marks : sum[3]);
}

static void reduce_times(struct pario_training *t, struct pario_epoch_result *r, double seconds,
			 double first, double waited)
{
	double own[2] = { seconds, first }, worst[2], sum;

	MPI_Allreduce(own, worst, 2, MPI_DOUBLE, MPI_MAX, t->run->comm);
	MPI_Allreduce(&waited, &sum, 1, MPI_DOUBLE, MPI_SUM, t->run->comm);
	r->seconds = worst[0];
	r->first_wait_s = worst[1];
	r->wait_s = sum / (double)r->accelerators;
}

/* The steps of an epoch that has begun. */
static int make_steps(struct pario_training *t, const struct pario_epoch *epoch, uint64_t steps,
		      struct pario_loaded *sum, struct pario_epoch_result *r, bool *stopped,
		      int64_t *first, int64_t *rest, struct pario_err *err)
{
	struct bin bin = { .each = steps / ROWS + 1 };
	bool active = t->run->client < r->accelerators;

	for (r->steps = 0; r->steps < steps; r->steps++) {
		double compute_s = computing(t, epoch->samples, r->accelerators, r->steps);
		int64_t began, waited;

		*stopped = !pario_run_more(t->run, t->step, UINT64_MAX);
		if (*stopped)
			return 0;
		began = pario_run_now();
		if (one_step(t, active, compute_s, &waited, sum, err) < 0)
			return -1;
		t->step++;
		r->compute_s += compute_s;
		*(r->steps ? rest : first) += active ? waited : 0;
		if (r->steps && active && waited > t->longest_ns)
			t->longest_ns = waited;
		add_step(t, &bin, r, (double)(pario_run_now() - began) * 1e-9,
			 (double)waited * 1e-9, r->steps + 1 == steps);
	}
	return 0;
}

int pario_training_epoch(struct pario_training *training, uint64_t key, uint64_t accelerators,
			 uint64_t most, struct pario_epoch_result *result, bool *stopped,
			 struct pario_err *err)
{
	struct pario_training *t = training;
	struct pario_run *run = t->run;
	uint64_t all = pario_epoch_steps(pario_dataset_samples(t->set), accelerators, t->batch);
	uint64_t steps = most && most < all ? most : all;
	struct pario_loaded sum = { 0 };
	struct pario_epoch epoch;
	int64_t began, first = 0, rest = 0;
	int status;

	*result = (struct pario_epoch_result){ .number = key, .accelerators = accelerators };
	pario_epoch_init(&epoch, t->set, t->shuffle, run->seed, run->repetition, key);
	if (evict(t, result, err) < 0)
		return -1;
	pario_run_wait(run);
	pario_run_pause(run);
	began = pario_run_now();
	status = run->client < accelerators
			 ? pario_loader_begin(t->loader,
					      &(struct pario_course){ .epoch = &epoch,
								      .steps = steps,
								      .batch = t->batch,
								      .accelerators = accelerators,
								      .own = run->client },
					      err)
			 : 0;
	status = pario_run_agree(run->comm, status, err);
	if (status == 0)
		status = make_steps(t, &epoch, steps, &sum, result, stopped, &first, &rest, err);
	began = pario_run_now() - began;
	pario_loader_end(t->loader);
	if (status < 0)
		return -1;
	pario_run_lap(run);
	result->whole = result->steps == all;
	prove(t, &epoch, &sum, result);
	reduce_times(t, result, (double)began * 1e-9, (double)first * 1e-9, (double)rest * 1e-9);
	pario_loader_latency(t->loader, &t->latency);
	t->waited_ns += rest;
	t->loaded += sum.samples;
	pario_run_pause(run);
	return 0;
}
