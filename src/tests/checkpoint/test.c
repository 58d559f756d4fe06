/*
 * test: how long does a transformer's checkpoint take to write and to read, and what does it cost the training?
 *
 * Sizes follow from the model's shape and how it is cut over ranks (docs/checkpoint.md); a client is a rank. Each
 * writes a file of weights and one of optimizer state, or its part of a shared file, by large sequential calls, under
 * another name, durable before it gets its own; then all are sealed. Reading starts with nothing cached, by shifted
 * ranks, and every byte is compared. The duration is that of the slowest rank. With --mode async a thread writes while
 * the client goes on with steps that it has timed before.
 *
 * Misleads where a cache of the storage that cannot be seen from here holds a checkpoint: use --scale 1.
 */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stats.h"
#include "tests/checkpoint/measure/files.h"
#include "tests/checkpoint/measure/seal.h"
#include "tests/common/pace.h"

#define TREE "checkpoint"

enum mode { SYNC, ASYNC };

/* Rows of the table of ranks: enough for a look, and no table of thousands in every result. */
enum { ROWS = 1024 };

struct params {
	int model, zero, weights, optimizer, layout, mode, compute;
	uint64_t hidden, ffn, heads, kv_heads, layers, vocabulary;
	uint64_t tensor, pipeline, data, transfer_size, steps;
	double scale, step_time;
	bool subset;
	char from[1024];
};

static const char *const models[] = { "8b", "70b", "405b", "1t", NULL };
static const char *const zeros[] = { "model", "0", "1", "2", "3", NULL };
static const char *const weight_types[] = { "bf16", "fp16", "fp32", "fp8", NULL };
static const char *const optimizer_types[] = { "fp32", "bf16", "none", NULL };
static const char *const layouts[] = { "per_client", "shared", NULL };
static const char *const modes[] = { "sync", "async", NULL };
static const uint64_t weight_bytes[] = { 2, 2, 4, 1 };
static const uint64_t optimizer_bytes[] = { 12, 6, 0 }; /* a master copy and two moments */

#define OPTION(field, ...) PARIO_OPTION(struct params, field, __VA_ARGS__)
#define SHAPE(field, what) OPTION(field, .def = "0", .max = "1g", .help = what "; 0 = the model's")

static const struct pario_option options[] = {
	OPTION(model, .def = "8b", .choices = models,
	       .help = "shape and cut of a published model (docs/checkpoint.md)"),
	SHAPE(hidden, "width of the model"),
	SHAPE(ffn, "width of its feed-forward layers"),
	SHAPE(heads, "heads of attention"),
	SHAPE(kv_heads, "heads that share keys and values"),
	SHAPE(layers, "layers"),
	SHAPE(vocabulary, "rows of the embedding"),
	OPTION(tensor, .def = "0", .max = "1m", .unit = "ranks",
	       .help = "tensor-parallel ranks; 0 = the model's"),
	OPTION(pipeline, .def = "0", .max = "1m", .unit = "ranks",
	       .help = "pipeline stages; 0 = the model's"),
	OPTION(data, .def = "0", .max = "1m", .unit = "ranks",
	       .help = "data-parallel ranks; 0 = as many as there are clients for, with --subset the model's"),
	OPTION(zero, .def = "model", .choices = zeros,
	       .help = "what is sharded over data-parallel ranks: 1 and 2 = optimizer, 3 = weights too"),
	OPTION(weights, .def = "bf16", .choices = weight_types, .help = "type of a weight"),
	OPTION(optimizer, .def = "fp32", .choices = optimizer_types,
	       .help = "type of master copy and two moments of each weight; none = weights only"),
	OPTION(scale, .def = "0.01", .min = "1e-9", .max = "1",
	       .help = "size of every tensor; anything but 1 does not conform"),
	OPTION(subset, .def = "0",
	       .help = "the clients write and read the share of the first ranks of the whole model"),
	OPTION(layout, .def = "per_client", .choices = layouts,
	       .help = "a file per rank and kind, or one for all"),
	OPTION(transfer_size, .def = "16m", .min = "1", .max = "1g", .unit = "bytes",
	       .help = "bytes of one call"),
	OPTION(mode, .def = "sync", .choices = modes,
	       .help = "async: steps of training go on while a thread writes (posix, uring, null)"),
	OPTION(steps, .def = "20", .min = "1", .max = "1m", .unit = "steps",
	       .help = "with --mode async: steps with and without a checkpoint"),
	OPTION(step_time, .def = "0.1", .min = "0", .max = "1e5", .unit = "seconds",
	       .help = "computing of a step"),
	OPTION(compute, .def = "wait", .choices = pario_pace_kinds,
	       .help = "steps wait, as with an accelerator, or keep a core busy"),
	OPTION(from, .def = "", .flags = PARIO_OPTION_NO_SWEEP, .unit = "directory",
	       .help = "only read the checkpoint that a run with the same options and --keep_files 1 left here"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "duration_s", "s", "duration of the slowest rank", -1 },
	{ "rank_least_mib_s", "MiB/s", "throughput of the rank with the smallest", 1 },
	{ "rank_sum_mib_s", "MiB/s", "sum of the throughputs of all ranks", 1 },
	{ "data_s", "s", "of the duration, making the data, on the rank where it took longest", 0 },
	{ "seal_s", "s", "from the last rank's end to the seal", -1 },
	{ "parameters", "", "parameters of the model, as scaled", 0 },
	{ "model_bytes", "B", "bytes of the whole model's checkpoint", 0 },
	{ "T_C", "s", "time of the steps alone", -1 },
	{ "T_T", "s", "time of as many steps with a checkpoint, until both are done", -1 },
	{ "zeta", "", "T_T / T_C - 1", -1 },
	{ "step_mean_s", "s", "mean time of a step", -1 },
	{ "step_slower", "",
	  "mean time of a step while a checkpoint is written over that without, less 1", -1 },
	{ "conforming", "", "1 = the whole published model, cut as it is published", 0 },
	{ 0 },
};

struct work {
	struct pario_shards shards;
	struct pario_checkpoint_files files;
	struct pario_pace pace;
	char tree[PARIO_NAME_CAPACITY];
	uint64_t target;
	double alone_s, alone_step_s; /* T_C and its mean step */
	/* of the thread that writes */
	int status;
	struct pario_err err;
	int64_t done_ns;
};

static void given(uint64_t *value, uint64_t option)
{
	*value = option ? option : *value;
}

/* The model as the options have it, cut for so many clients. */
static struct pario_shards shards_of(const struct params *p, uint64_t clients)
{
	const struct pario_published *of = &pario_published_models[p->model];
	struct pario_shards s = { .shape = of->shape, .sharding = of->sharding, .scale = p->scale };
	struct pario_sharding *c = &s.sharding;

	given(&s.shape.hidden, p->hidden);
	given(&s.shape.ffn, p->ffn);
	given(&s.shape.heads, p->heads);
	given(&s.shape.kv_heads, p->kv_heads);
	given(&s.shape.layers, p->layers);
	given(&s.shape.vocabulary, p->vocabulary);
	given(&c->tensor, p->tensor);
	given(&c->pipeline, p->pipeline);
	if (!p->subset && !p->data)
		c->data = clients / c->tensor / c->pipeline;
	given(&c->data, p->data);
	c->zero = p->zero ? (unsigned)p->zero - 1 : c->zero;
	c->weight_bytes = weight_bytes[p->weights];
	c->optimizer_bytes = optimizer_bytes[p->optimizer];
	return s;
}

static int check_cut(const struct params *p, const struct pario_shards *s, uint64_t clients,
		     struct pario_err *err)
{
	const struct pario_sharding *c = &s->sharding;
	uint64_t ranks = pario_shards_ranks(s);

	if (s->shape.heads > s->shape.hidden || s->shape.kv_heads > s->shape.heads)
		return pario_err_set(err, PARIO_USAGE,
				     "%llu heads of which %llu have keys do not fit a model %llu "
				     "wide. Use --heads up to --hidden, and --kv_heads up to "
				     "--heads.",
				     (unsigned long long)s->shape.heads,
				     (unsigned long long)s->shape.kv_heads,
				     (unsigned long long)s->shape.hidden);
	if (c->pipeline > s->shape.layers)
		return pario_err_set(err, PARIO_USAGE,
				     "%llu layers are too few for --pipeline %llu. Use fewer "
				     "stages.",
				     (unsigned long long)s->shape.layers,
				     (unsigned long long)c->pipeline);
	if (p->subset ? clients <= ranks : clients == ranks)
		return 0;
	return pario_err_set(err, PARIO_USAGE,
			     "the model is cut into %llu tensor- x %llu pipeline- x %llu "
			     "data-parallel ranks, and there are %llu clients. Use --np %llu, "
			     "another cut (--tensor, --pipeline, --data), or --subset 1 for the "
			     "share of the first ranks.",
			     (unsigned long long)c->tensor, (unsigned long long)c->pipeline,
			     (unsigned long long)(c->data ? c->data : 1),
			     (unsigned long long)clients,
			     (unsigned long long)(ranks ? ranks : c->tensor * c->pipeline));
}

static int check_ways(const struct pario_point *point, struct pario_err *err)
{
	const struct params *p = point->params;
	const struct pario_access *a = point->access;

	if (a->collective || a->direct || a->file_view || a->queue_depth > 1)
		return pario_err_set(err, PARIO_USAGE,
				     "checkpoint writes each rank's data one call after the other: "
				     "--collective, --direct, --file_view and --queue_depth do not "
				     "apply. Leave them out.");
	if (a->durability == PARIO_CACHED)
		return pario_err_set(
			err, PARIO_USAGE,
			"a checkpoint that is not durable is none: --durability cached "
			"does not apply. Leave it out.");
	if (p->mode == ASYNC &&
	    (p->layout != 0 || *p->from || !(point->backend->bits & PARIO_BACKEND_THREADS)))
		return pario_err_set(
			err, PARIO_USAGE,
			"--mode async writes from a thread of its own, which must not call MPI: it "
			"needs --layout per_client and --api posix or uring, and has nothing to do "
			"with --from.");
	if (*p->from && p->layout != 0)
		return pario_err_set(err, PARIO_USAGE,
				     "--from reads files of each rank. Leave --layout shared out.");
	if (*p->from && (point->backend->bits & PARIO_BACKEND_NO_DATA))
		return pario_err_set(err, PARIO_USAGE, "--from needs a backend that stores data.");
	return 0;
}

/* What so many of the first ranks write; each client asks, so all of them are no loop. */
static uint64_t written_bytes(const struct pario_shards *s, uint64_t clients)
{
	uint64_t sum = 0;

	if (clients == pario_shards_ranks(s))
		return pario_shards_total(s);
	for (uint64_t r = 0; r < clients; r++)
		sum = pario_plus(sum, pario_checkpoint_files_bytes(s, r));
	return sum;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	struct pario_shards s = shards_of(p, point->clients);
	uint64_t sum;

	(void)client;
	if (check_cut(p, &s, point->clients, err) < 0 || check_ways(point, err) < 0)
		return -1;
	if (pario_shards_total(&s) > INT64_MAX)
		return pario_err_set(err, PARIO_USAGE,
				     "the checkpoint of this model is more than 2^63 bytes. Use a "
				     "smaller shape.");
	sum = written_bytes(&s, point->clients);
	if (!(point->backend->bits & PARIO_BACKEND_NO_DATA) && !*p->from) {
		layout->extra_bytes = sum;
		layout->extra_files = pario_plus(pario_times(2, point->clients), 2);
	}
	layout->moved_bytes = pario_times(2, sum);
	layout->operations = pario_plus(sum / p->transfer_size, point->clients);
	layout->memory_bytes = p->transfer_size;
	layout->seconds = p->mode == ASYNC ? 2 * (double)p->steps * p->step_time : 0;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned n = 0;

	if (p->mode == ASYNC)
		list[n++] = (struct pario_phase){ .name = "compute", .whole = true };
	if (!*p->from)
		list[n++] = (struct pario_phase){ .name = "write", .write = true, .whole = true };
	list[n++] = (struct pario_phase){ .name = "read", .whole = true };
	return n;
}

static bool is(const struct pario_run *run, const char *phase)
{
	return strcmp(run->phase->name, phase) == 0;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));
	char tree[PARIO_NAME_CAPACITY + 1];

	run->scratch = w;
	if (!w)
		return pario_err_memory(err, "the test");
	w->shards = shards_of(p, run->clients);
	w->files = (struct pario_checkpoint_files){ .run = run,
						    .shards = &w->shards,
						    .shared = p->layout == 1,
						    .transfer = p->transfer_size,
						    .dirfd = -1 };
	pario_pace_init(&w->pace, p->compute == 1);
	w->target = strcmp(run->point->access->read_shift, "auto") == 0 ? pario_run_partner(run)
									: run->client;
	if (posix_memalign((void **)&w->files.buffer, 4096, p->transfer_size) != 0)
		return pario_err_memory(err, "a buffer of --transfer_size %llu",
					(unsigned long long)p->transfer_size);
	if (*p->from)
		return 0;
	pario_run_own_name(run, TREE, w->tree);
	snprintf(tree, sizeof(tree), "%s/", w->tree);
	return pario_run_name(run, tree, NULL, 0, err);
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (!w)
		return;
	if (w->files.dirfd >= 0)
		close(w->files.dirfd);
	pario_pace_release(&w->pace);
	free(w->files.buffer);
	free(w);
	run->scratch = NULL;
}

static int enter(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;

	if (w->files.dirfd >= 0)
		return 0;
	if (!*p->from)
		return pario_run_directory(run, w->tree, &w->files.dirfd, err);
	w->files.dirfd = openat(AT_FDCWD, p->from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->files.dirfd < 0)
		return pario_run_file_error(AT_FDCWD, p->from, "opening --from", err);
	return 0;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	bool stores = !(run->point->backend->bits & PARIO_BACKEND_NO_DATA);

	if (enter(run, err) < 0)
		return -1;
	if (!is(run, "read") || !stores)
		return 0;
	/* What is not sealed is not read, by nobody: one that looks is enough. */
	if (run->client == 0 && pario_seal_check(w->files.dirfd, err) < 0)
		return -1;
	if (strcmp(run->point->access->read_shift, "auto") != 0)
		w->target = run->target;
	return pario_run_drop_caches(run, err) < 0
		       ? -1
		       : pario_checkpoint_files_evict(&w->files, w->target, err);
}

/* ---- steps ---- */

/* One step of all clients. */
static void one_step(struct pario_run *run, struct work *w)
{
	const struct params *p = run->params;

	pario_pace_until(&w->pace, run, pario_run_now() + (int64_t)(p->step_time * 1e9));
	pario_run_wait(run);
}

/* Every client leaves after the same step. */
static int64_t make_steps(struct pario_run *run, struct work *w, bool counted, uint64_t *made)
{
	const struct params *p = run->params;
	int64_t began = pario_run_now();

	for (*made = 0; pario_run_more(run, *made, p->steps); (*made)++) {
		one_step(run, w);
		if (counted)
			pario_run_count(run, 0);
	}
	return pario_run_now() - began;
}

static double longest(const struct pario_run *run, double own)
{
	double all;

	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, run->comm);
	return all;
}

static int compute(struct pario_run *run, struct work *w)
{
	uint64_t made;

	w->alone_s = longest(run, (double)make_steps(run, w, true, &made) * 1e-9);
	w->alone_step_s = w->alone_s / (double)(made ? made : 1);
	pario_run_metric(run, "T_C", "s", w->alone_s);
	pario_run_metric(run, "step_mean_s", "s", w->alone_step_s);
	return 0;
}

/* ---- writing and reading ---- */

static void *write_beside(void *argument)
{
	struct work *w = argument;

	w->status = pario_checkpoint_files_save(&w->files, &w->err);
	__atomic_store_n(&w->done_ns, pario_run_now(), __ATOMIC_RELEASE);
	return NULL;
}

/* Steps go on while a thread writes; the steps that began before all ranks were done are what it cost. */
static int save_beside(struct pario_run *run, struct work *w, struct pario_err *err)
{
	const struct params *p = run->params;
	int64_t began = pario_run_now(), during_ns = 0;
	uint64_t during = 0, made;
	sigset_t all, old;
	pthread_t thread;
	double slower[2], least;
	int rc;

	w->files.beside = true;
	/* Signals are for the thread that looks after them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&thread, NULL, write_beside, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pario_run_agree(run->comm,
			    rc ? pario_err_sys(err, rc, "Use --mode sync.",
					       "a thread for the checkpoint cannot be started")
			       : 0,
			    err) < 0) {
		if (rc == 0)
			pthread_join(thread, NULL);
		return -1;
	}
	for (made = 0; pario_run_more(run, made, p->steps); made++) {
		int64_t step = pario_run_now();
		bool writing = __atomic_load_n(&w->done_ns, __ATOMIC_ACQUIRE) == 0;

		one_step(run, w);
		during += writing;
		during_ns += writing ? pario_run_now() - step : 0;
	}
	pthread_join(thread, NULL);
	*err = w->err;
	pario_run_finish(run, began,
			 w->status < 0 ? 0 : pario_checkpoint_files_bytes(&w->shards, run->client));
	slower[0] = longest(run, during ? (double)during_ns * 1e-9 / (double)during : 0);
	slower[1] = longest(run, (double)(pario_run_now() - began) * 1e-9);
	least = w->alone_step_s;
	pario_run_metric(run, "T_C", "s", w->alone_s);
	pario_run_metric(run, "T_T", "s", slower[1]);
	if (w->alone_s > 0 && made == p->steps)
		pario_run_metric(run, "zeta", "", slower[1] / w->alone_s - 1);
	if (slower[0] > 0 && least > 0) {
		pario_run_metric(run, "step_mean_s", "s", slower[0]);
		pario_run_metric(run, "step_slower", "", slower[0] / least - 1);
	}
	return w->status;
}

/* The numbers of all ranks, and a row for each: what the metrics are made of. */
static void tell_ranks(struct pario_run *run, struct work *w, uint64_t rank, double seconds)
{
	uint64_t bytes = pario_checkpoint_files_bytes(&w->shards, rank);
	double rate = bytes && seconds > 0 ? (double)bytes / PARIO_MIB / seconds : 0;
	double own[3] = { seconds, (double)w->files.fill_ns * 1e-9, rate > 0 ? -rate : -INFINITY },
	       worst[3], sum;
	uint64_t *all = calloc(2 * run->clients, sizeof(*all));
	int there = all != NULL;

	MPI_Allreduce(own, worst, 3, MPI_DOUBLE, MPI_MAX, run->comm);
	MPI_Allreduce(&rate, &sum, 1, MPI_DOUBLE, MPI_SUM, run->comm);
	pario_run_metric(run, "duration_s", "s", worst[0]);
	if (isfinite(worst[2]))
		pario_run_metric(run, "rank_least_mib_s", "MiB/s", -worst[2]);
	pario_run_metric(run, "rank_sum_mib_s", "MiB/s", sum);
	if (run->phase->write)
		pario_run_metric(run, "data_s", "s", worst[1]);
	MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, run->comm);
	if (there) {
		pario_run_gather(run, rank, all);
		pario_run_gather(run, (uint64_t)(seconds * 1e9), all + run->clients);
	}
	for (uint64_t c = 0; there && c < run->clients && c < ROWS; c++)
		pario_run_row(run, "ranks", "client rank model_bytes optimizer_bytes seconds",
			      (const struct pario_datum[]){
				      PARIO_NUMBER(c), PARIO_NUMBER(all[c]),
				      PARIO_NUMBER(pario_shards_bytes(&w->shards, all[c],
								      PARIO_SHARD_MODEL)),
				      PARIO_NUMBER(pario_shards_bytes(&w->shards, all[c],
								      PARIO_SHARD_OPTIMIZER)),
				      PARIO_NUMBER((double)all[run->clients + c] * 1e-9) });
	free(all);
}

static int write_all(struct pario_run *run, struct work *w, struct pario_err *err)
{
	const struct params *p = run->params;
	int64_t began = pario_run_now(), ended;
	int status;

	if (!(run->point->backend->bits & PARIO_BACKEND_NO_DATA))
		pario_run_durable(run, true);
	w->done_ns = 0;
	status = p->mode == ASYNC ? save_beside(run, w, err)
				  : pario_checkpoint_files_save(&w->files, err);
	ended = p->mode == ASYNC ? w->done_ns : pario_run_now();
	w->files.beside = false;
	if (pario_run_agree(run->comm, status, err) < 0)
		return -1;
	tell_ranks(run, w, run->client, (double)(ended - began) * 1e-9);
	pario_run_lap(run);
	status = run->client == 0 ? pario_checkpoint_files_seal(&w->files, err) : 0;
	pario_run_metric(run, "seal_s", "s", (double)pario_run_lap(run) * 1e-9);
	return status;
}

static int read_all(struct pario_run *run, struct work *w, struct pario_err *err)
{
	const struct params *p = run->params;
	int64_t began = pario_run_now();
	int status;

	w->files.paused_ns = 0;
	status = pario_checkpoint_files_load(&w->files, w->target, !*p->from, err);
	began = pario_run_now() - began - w->files.paused_ns;
	if (pario_run_agree(run->comm, status, err) < 0)
		return -1;
	tell_ranks(run, w, w->target, (double)began * 1e-9);
	if (*p->from)
		pario_run_suspect(run, "what --from holds was not compared with what was written");
	return 0;
}

/* What is published, whole and cut as it is published; --subset is a way that the rules know. */
static bool conforms(const struct params *p, const struct work *w)
{
	const struct pario_published *of = &pario_published_models[p->model];

	return p->scale == 1 && p->layout == 0 && p->mode == SYNC && !*p->from &&
	       memcmp(&w->shards.shape, &of->shape, sizeof(of->shape)) == 0 &&
	       memcmp(&w->shards.sharding, &of->sharding, sizeof(of->sharding)) == 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	w->files.fill_ns = 0;
	pario_run_metric(run, "parameters", "", (double)pario_shards_parameters(&w->shards));
	pario_run_metric(run, "model_bytes", "B", (double)pario_shards_total(&w->shards));
	pario_run_metric(run, "conforming", "", conforms(run->params, w));
	if (is(run, "compute"))
		return compute(run, w);
	return run->phase->write ? write_all(run, w, err) : read_all(run, w, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	if (!run->phase->write)
		return 0;
	return pario_checkpoint_files_load(&w->files, w->target, true, err);
}

const struct pario_test pario_test_checkpoint = {
	.name = "checkpoint",
	.summary =
		"checkpoints of large models: written durably, read cold, or beside the training",
	.question =
		"How long does a transformer's checkpoint take, and what does it cost the training?",
	.misleads = "where a cache of the storage that cannot be seen from here holds a checkpoint",
	.needs = PARIO_NEED_FILES | PARIO_NEED_TOGETHER,
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.headline = "rank_least_mib_s,T_C",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
