/*
 * test: how many samples a second does the storage give to training, and how much do its accelerators compute?
 *
 * A client stands for an accelerator (docs/training.md). Its loaders, threads with a bounded queue, read batches ahead;
 * each step waits for its batch, computes as long as an accelerator would (by waiting, or busy), and meets all others.
 * Each epoch takes every sample once, in a new order, from files of which nothing is cached; a count and a sum prove
 * it. AU is the time of computing over the whole, without the first wait of each epoch; zeta is 1 / AU - 1.
 *
 * Misleads where a cache of the storage that cannot be seen from here holds the data set: the rules ask for five times
 * the memory of all clients.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stats.h"
#include "tests/training/measure/epochs.h"

#define TREE "training"

/* What the rules ask for. */
enum { MEMORY_TIMES = 5, STEPS = 500, EPOCHS = 5, RUNS = 5 };

/* Rows of the table of clients. */
enum { ROWS = 1024 };

struct params {
	int workload, accelerator, format, shuffle, compute;
	double sample_size, sample_deviation, computation_time, min_au;
	uint64_t files, data_size, samples_per_file, batch, read_threads, prefetch, epochs, steps;
	uint64_t search_epochs, search_steps;
	bool in_step, compare;
	char accelerators[24], from[1024];
};

static const char *const workloads[] = { "unet3d", "resnet50", "cosmoflow", NULL };
static const char *const kinds[] = { "a100", "h100", NULL };
static const char *const formats[] = { "workload", "npz", "tfrecord", "hdf5", "raw", NULL };
static const char *const shuffles[] = { "none", "samples", "files", NULL };

#define OPTION(field, ...) PARIO_OPTION(struct params, field, __VA_ARGS__)

static const struct pario_option options[] = {
	OPTION(workload, .def = "resnet50", .choices = workloads,
	       .help = "whose samples, batch, loaders and times (docs/training.md)"),
	OPTION(accelerator, .def = "h100", .choices = kinds, .help = "whose computation time"),
	OPTION(sample_size, .def = "0", .min = "0", .max = "1e12", .unit = "bytes",
	       .help = "mean size of a sample; 0 = the workload's"),
	OPTION(sample_deviation, .def = "-1", .min = "-1", .max = "1e12", .unit = "bytes",
	       .help = "its standard deviation; -1 = the workload's"),
	OPTION(samples_per_file, .def = "0", .max = "1g", .unit = "samples",
	       .help = "samples in a file; 0 = the workload's"),
	OPTION(format, .def = "workload", .choices = formats,
	       .help = "npz: a file is a sample; tfrecord: framed records, their sums are checked; hdf5: pieces of a "
		       "dataset; raw: records without a frame"),
	OPTION(files, .def = "0", .max = "1g", .unit = "files",
	       .help = "files of the data set; 0 = as --data_size says"),
	OPTION(data_size, .def = "1g", .max = "1p", .unit = "bytes",
	       .help = "size of the data set without --files; 0 = what the rules ask for"),
	OPTION(batch, .def = "0", .max = "1m", .unit = "samples",
	       .help = "samples of a step and accelerator; 0 = the workload's"),
	OPTION(read_threads, .def = "0", .max = "1024", .unit = "threads",
	       .help = "loaders of an accelerator; 0 = the workload's"),
	OPTION(in_step, .def = "0",
	       .help = "without loaders: each step reads its batch itself, through any backend"),
	OPTION(prefetch, .def = "2", .max = "4096", .unit = "batches",
	       .help = "batches that may wait in the queue, besides one under way in each loader"),
	OPTION(computation_time, .def = "-1", .min = "-1", .max = "1e5", .unit = "seconds",
	       .help = "computing of a step; -1 = the workload's"),
	OPTION(compute, .def = "wait", .choices = pario_pace_kinds,
	       .help = "steps wait, as with an accelerator, or keep a core busy"),
	OPTION(epochs, .def = "5", .min = "1", .max = "1000000", .unit = "epochs",
	       .help = "times that every sample is taken"),
	OPTION(steps, .def = "0", .max = "1g", .unit = "steps",
	       .help = "most steps of an epoch; 0 = all"),
	OPTION(shuffle, .def = "samples", .choices = shuffles,
	       .help = "order of an epoch: as they stand, all samples mixed, or files mixed and each read in order"),
	OPTION(min_au, .def = "-1", .min = "-1", .max = "100", .unit = "%",
	       .help = "utilization that is asked for; -1 = the workload's"),
	OPTION(accelerators, .def = "all", .unit = "accelerators",
	       .help = "how many clients take part: all, a number, or auto = the largest number that keeps --min_au, "
		       "found first by doubling and halving"),
	OPTION(search_epochs, .def = "3", .min = "2", .max = "1000", .unit = "epochs",
	       .help = "epochs at each number that auto tries"),
	OPTION(search_steps, .def = "20", .max = "1g", .unit = "steps",
	       .help = "most steps of such an epoch; 0 = all"),
	OPTION(compare, .def = "0",
	       .help = "compare every byte of a sample, not its first word alone; the loader's time"),
	OPTION(from, .def = "", .flags = PARIO_OPTION_NO_SWEEP, .unit = "directory",
	       .help = "read the data set that a run with the same options, --seed and --keep_files 1 left here"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "samples_s", "1/s", "samples over the time of all epochs", 1 },
	{ "au_percent", "%",
	  "time of computing over the whole, without the first wait of each epoch", 1 },
	{ "au_low_percent", "%", "its 95 % interval over the epochs, from", 0 },
	{ "au_high_percent", "%", "to", 0 },
	{ "zeta", "", "1 / AU - 1", -1 },
	{ "min_au_percent", "%", "AU that is asked for", 0 },
	{ "first_wait_s", "s", "mean wait for the first batch of an epoch", -1 },
	{ "wait_mean_s", "s", "mean wait of a step for its batch, without first ones", -1 },
	{ "wait_longest_s", "s", "longest of them", -1 },
	{ "loader_p50_s", "s", "half of the samples are read within this time: open, read, close",
	  -1 },
	{ "loader_p99_s", "s", "99 % of them", -1 },
	{ "loader_longest_s", "s", "the longest", -1 },
	{ "samples", "", "samples of an epoch", 0 },
	{ "steps", "", "steps of an epoch", 0 },
	{ "read_threads", "threads", "loaders of an accelerator", 0 },
	{ "epochs_proved", "epochs", "epochs that had every sample once, by count and sum", 0 },
	{ "accelerators", "", "clients that took part", 0 },
	{ "accelerators_most", "", "largest number that kept the AU", 1 },
	{ "data_bytes", "B", "size of the data set", 0 },
	{ "conforming", "", "1 = within all rules of the table `rules`", 0 },
	{ 0 },
};

/* The workload, with what the options say otherwise. */
struct shape {
	struct pario_dataset set;
	uint64_t batch, threads;
	double computation_s, min_au;
	bool own; /* the workload's own values */
};

struct work {
	struct shape shape;
	struct pario_training training;
	char tree[PARIO_NAME_CAPACITY], path[PARIO_PATH_CAPACITY];
	uint64_t most;	/* that the search found; UINT64_MAX = there was none */
	uint64_t epoch; /* of the repetition: no two have one order */
	bool made;
};

static uint64_t either(uint64_t option, uint64_t preset)
{
	return option ? option : preset;
}

/* The size that the rules ask for, by what is known of the nodes while planning: this one stands for all. */
static uint64_t ruled_bytes(const struct pario_point *point, const struct shape *s)
{
	uint64_t nodes = (point->clients - 1) / (point->per_node ? point->per_node : 1) + 1;
	uint64_t memory = pario_times(pario_run_capacity(NULL).node_bytes, nodes * MEMORY_TIMES);
	double steps =
		(double)STEPS * (double)s->batch * (double)point->clients * s->set.sample_size;

	return steps > (double)memory && steps < 9e18 ? (uint64_t)steps : memory;
}

static struct shape shape_of(const struct pario_point *point)
{
	const struct params *p = point->params;
	const struct pario_workload *w = &pario_workloads[p->workload];
	double size = p->sample_size > 0 ? p->sample_size : w->sample_size;
	struct shape s = {
		.set = { .samples_per_file = either(p->samples_per_file, w->samples_per_file),
			 .seed = point->seed,
			 .sample_size = size,
			 .sample_deviation = p->sample_deviation >= 0 ? p->sample_deviation
								      : w->sample_deviation,
			 .format =
				 p->format ? (enum pario_sample_format)(p->format - 1) : w->format,
			 .align = point->access->direct ? 4096 : 1 },
		.batch = either(p->batch, w->batch),
		.threads = p->in_step ? 0 : either(p->read_threads, w->read_threads),
		.computation_s = p->computation_time >= 0 ? p->computation_time
							  : w->computation_time[p->accelerator],
		.min_au = p->min_au >= 0 ? p->min_au : w->min_au,
	};
	double each = size * (double)s.set.samples_per_file;
	double files = (double)either(p->data_size, ruled_bytes(point, &s)) / each;

	s.set.files = p->files	     ? p->files
		      : files < 1    ? 1
		      : files > 1e12 ? 1000000000000
				     : (uint64_t)files;
	s.own = !p->format && !p->in_step && size == w->sample_size &&
		s.set.sample_deviation == w->sample_deviation &&
		s.set.samples_per_file == w->samples_per_file && s.batch == w->batch &&
		s.computation_s == w->computation_time[p->accelerator] && s.min_au >= w->min_au;
	return s;
}

/* "all", "auto" or a number; 0 = auto. */
static int count_accelerators(const struct params *p, uint64_t clients, uint64_t *count,
			      struct pario_err *err)
{
	*count = 0;
	if (strcmp(p->accelerators, "auto") == 0)
		return 0;
	*count = clients;
	if (strcmp(p->accelerators, "all") == 0)
		return 0;
	if (pario_units_parse_size("--accelerators", p->accelerators, count, NULL) == 0 &&
	    *count >= 1 && *count <= clients)
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"--accelerators does not take '%s'; write all, auto or a number from 1 to "
		"that of the clients, %llu.",
		p->accelerators, (unsigned long long)clients);
}

static int check_format(const struct shape *s, const struct pario_point *point,
			struct pario_err *err)
{
	const struct pario_backend *b = point->backend;
	bool hdf5 = s->set.format == PARIO_FORMAT_HDF5;

	if (s->set.samples_per_file > 1 &&
	    (s->set.format == PARIO_FORMAT_NPZ || s->set.sample_deviation > 0))
		return pario_err_set(
			err, PARIO_USAGE,
			"%llu samples in a file need records of one size. Use --samples_per_file 1, "
			"or another --format and --sample_deviation 0.",
			(unsigned long long)s->set.samples_per_file);
	if (hdf5 != (b->array != NULL) && !(b->bits & PARIO_BACKEND_NO_DATA))
		return pario_err_set(err, PARIO_USAGE,
				     "--format hdf5 and --api hdf5 or pnetcdf belong together: the "
				     "library makes the files. Use both, or neither.");
	if (s->threads && !(b->bits & PARIO_BACKEND_THREADS))
		return pario_err_set(
			err, PARIO_USAGE,
			"the backend %s calls MPI, which this program calls from one thread only, so "
			"that no loader may use it. Use --in_step 1, or --api posix or uring.",
			b->name);
	return 0;
}

static int check_access(const struct pario_access *a, struct pario_err *err)
{
	if (!a->collective && !a->file_view && a->queue_depth <= 1 && !a->preallocate && !a->sync)
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"loaders read one sample after the other, each for itself: --collective, "
		"--file_view, --queue_depth, --preallocate and --sync do not apply. Use "
		"more --read_threads instead.");
}

/* Threads, their stacks and histograms besides their buffers. */
enum { LOADER_BYTES = 192 << 10 };

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	struct shape s = shape_of(point);
	uint64_t count, samples = pario_dataset_samples(&s.set), steps;
	double bytes = (double)samples * s.set.sample_size;

	(void)client;
	if (count_accelerators(p, point->clients, &count, err) < 0 ||
	    check_format(&s, point, err) < 0 || check_access(point->access, err) < 0)
		return -1;
	if (samples == UINT64_MAX || bytes > 1e18)
		return pario_err_set(
			err, PARIO_USAGE,
			"the data set of %llu files is more than 2^60 bytes. Use fewer "
			"or smaller samples.",
			(unsigned long long)s.set.files);
	steps = pario_epoch_steps(samples, point->clients, s.batch);
	if (!(point->backend->bits & PARIO_BACKEND_NO_DATA) && !*p->from) {
		layout->extra_files = pario_plus(s.set.files, 1);
		layout->extra_bytes =
			(uint64_t)bytes + pario_times(s.set.files, 2 * s.set.align + 4096) +
			(s.set.format == PARIO_FORMAT_TFRECORD ? pario_times(samples, 16) : 0);
	}
	layout->moved_bytes = (uint64_t)(bytes * (double)p->epochs);
	layout->operations = pario_times(samples, p->epochs);
	layout->memory_bytes = pario_times(s.threads ? s.threads : 1,
					   pario_plus(pario_dataset_most(&s.set), LOADER_BYTES));
	layout->seconds = s.computation_s *
			  (double)(p->steps && p->steps < steps ? p->steps : steps) *
			  (double)p->epochs;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned n = 0;

	if (strcmp(p->accelerators, "auto") == 0)
		list[n++] = (struct pario_phase){ .name = "search", .whole = true };
	list[n++] = (struct pario_phase){ .name = "train" };
	return n;
}

/* Which of the clients of its node this one is. */
static int find_place(struct pario_run *run, struct pario_training *t, struct pario_err *err)
{
	uint64_t *nodes = calloc(run->clients, sizeof(*nodes)), own = pario_run_capacity(run).node;

	if (pario_run_agree(run->comm, nodes ? 0 : pario_err_memory(err, "the test"), err) < 0) {
		free(nodes);
		return -1;
	}
	pario_run_gather(run, own, nodes);
	t->node_client = t->node_clients = 0;
	for (uint64_t c = 0; c < run->clients; c++) {
		t->node_client += c < run->client && nodes[c] == own;
		t->node_clients += nodes[c] == own;
	}
	free(nodes);
	return 0;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));
	struct pario_training *t;
	char tree[PARIO_NAME_CAPACITY + 1];

	run->scratch = w;
	if (pario_run_agree(run->comm, w ? 0 : pario_err_memory(err, "the test"), err) < 0)
		return -1;
	w->shape = shape_of(run->point);
	w->most = UINT64_MAX;
	t = &w->training;
	*t = (struct pario_training){ .run = run,
				      .set = &w->shape.set,
				      .samples = { .run = run,
						   .set = &w->shape.set,
						   .dirfd = -1,
						   .path = w->path,
						   .compare = p->compare },
				      .batch = w->shape.batch,
				      .shuffle = (enum pario_shuffle)p->shuffle,
				      .computation_s = w->shape.computation_s };
	pario_pace_init(&t->pace, p->compute == 1);
	if (find_place(run, t, err) < 0)
		return -1;
	t->marks = pario_training_marks(t);
	t->loader = pario_loader_new(&t->samples, w->shape.threads, p->prefetch, err);
	if (!t->loader)
		return -1;
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
	pario_loader_free(w->training.loader);
	pario_pace_release(&w->training.pace);
	if (w->training.samples.dirfd >= 0)
		close(w->training.samples.dirfd);
	free(w);
	run->scratch = NULL;
}

static int enter(struct pario_run *run, struct work *w, struct pario_err *err)
{
	const struct params *p = run->params;
	int *dirfd = &w->training.samples.dirfd;

	if (*dirfd >= 0)
		return 0;
	if (!*p->from) {
		if (pario_run_directory(run, w->tree, dirfd, err) < 0)
			return -1;
	} else {
		*dirfd = openat(AT_FDCWD, p->from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (*dirfd < 0)
			return pario_run_file_error(AT_FDCWD, p->from, "opening --from", err);
	}
	pario_run_path(*dirfd, "", w->path);
	return 0;
}

/* Makes the data set, the clients in turn a file each. */
static int before(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	bool stores = !(run->point->backend->bits & PARIO_BACKEND_NO_DATA);
	void *buffer = NULL;
	int status = 0;

	if (enter(run, w, err) < 0)
		return -1;
	w->training.evict = stores && run->point->access->cache != PARIO_CACHE_WARM;
	if (w->made || !stores || *p->from)
		return 0;
	w->made = true;
	if (posix_memalign(&buffer, 4096, pario_dataset_most(&w->shape.set)) != 0)
		return pario_err_memory(err, "a sample");
	for (uint64_t i = run->client; status == 0 && i < w->shape.set.files; i += run->clients) {
		if (!pario_run_more(run, i / run->clients, UINT64_MAX))
			break;
		status = pario_samples_make(&w->training.samples, i, buffer, err);
	}
	free(buffer);
	return status;
}

/* ---- epochs ---- */

/* Several epochs with so many accelerators. */
struct epochs {
	uint64_t accelerators, count, most; /* most = steps */
	double au[1000];
	double seconds, compute_s, first_wait_s, wait_s;
	uint64_t done, samples, bytes, steps, whole, proved, pages, resident;
	double low, high; /* of AU, 95 % */
	bool stopped;
};

static void add_row(struct pario_run *run, const struct pario_epoch_result *r, double au)
{
	pario_run_row(
		run, "epochs",
		"epoch accelerators steps samples bytes seconds first_wait_s compute_s au_percent "
		"waited_s whole proved pages pages_resident",
		(const struct pario_datum[]){
			PARIO_NUMBER(r->number), PARIO_NUMBER(r->accelerators),
			PARIO_NUMBER(r->steps), PARIO_NUMBER(r->samples), PARIO_NUMBER(r->bytes),
			PARIO_NUMBER(r->seconds), PARIO_NUMBER(r->first_wait_s),
			PARIO_NUMBER(r->compute_s), PARIO_NUMBER(100 * au), PARIO_NUMBER(r->wait_s),
			PARIO_NUMBER(r->whole), PARIO_NUMBER(r->proved), PARIO_NUMBER(r->pages),
			PARIO_NUMBER(r->pages_resident) });
}

static int run_epochs(struct pario_run *run, struct work *w, struct epochs *e,
		      struct pario_err *err)
{
	struct pario_epoch_result r;
	double half, au;

	for (uint64_t i = 0; i < e->count && !e->stopped; i++) {
		if (pario_training_epoch(&w->training, w->epoch++, e->accelerators, e->most, &r,
					 &e->stopped, err) < 0)
			return -1;
		if (r.steps == 0)
			break;
		au = pario_training_au(r.compute_s, r.seconds, r.first_wait_s);
		add_row(run, &r, au);
		if (!r.proved)
			return pario_err_set(
				err, PARIO_VERIFY,
				"epoch %llu had %llu samples, and their sum is not that of each "
				"sample once.",
				(unsigned long long)i, (unsigned long long)r.samples);
		if (e->done < sizeof(e->au) / sizeof(*e->au))
			e->au[e->done++] = au;
		e->seconds += r.seconds;
		e->compute_s += r.compute_s;
		e->first_wait_s += r.first_wait_s;
		e->wait_s += r.wait_s;
		e->samples += r.samples;
		e->bytes += r.bytes;
		e->steps += r.steps;
		e->whole += r.whole;
		e->proved++;
		e->pages += r.pages;
		e->resident += r.pages_resident;
	}
	half = e->done > 1 ? pario_stats_mean_halfwidth(e->au, e->done) : 0;
	au = pario_training_au(e->compute_s, e->seconds, e->first_wait_s);
	e->low = fmax(au - half, 0);
	e->high = fmin(au + half, 1);
	return 0;
}

/* Does so large a number keep the utilization that is asked for? */
static int try(struct pario_run *run, struct work *w, uint64_t accelerators, bool *keeps,
	       bool *stopped, struct pario_err *err)
{
	const struct params *p = run->params;
	struct epochs e = { .accelerators = accelerators,
			    .count = p->search_epochs,
			    .most = p->search_steps };
	double au;

	if (run_epochs(run, w, &e, err) < 0)
		return -1;
	*stopped = e.stopped;
	au = pario_training_au(e.compute_s, e.seconds, e.first_wait_s);
	*keeps = e.done > 0 && 100 * au >= w->shape.min_au;
	pario_run_row(run, "accelerators",
		      "accelerators epochs au_percent low_percent high_percent samples_s keeps",
		      (const struct pario_datum[]){
			      PARIO_NUMBER(accelerators), PARIO_NUMBER(e.done),
			      PARIO_NUMBER(100 * au), PARIO_NUMBER(100 * e.low),
			      PARIO_NUMBER(100 * e.high),
			      PARIO_NUMBER((double)e.samples / (e.seconds > 0 ? e.seconds : 1)),
			      PARIO_NUMBER(*keeps) });
	return 0;
}

/* Doubles until one does not keep it, then halves what lies between. */
static int search(struct pario_run *run, struct work *w, struct pario_err *err)
{
	uint64_t good = 0, bad = run->clients + 1;
	bool stopped = false;

	for (uint64_t n = 1; good + 1 < bad && !stopped;) {
		bool keeps;

		if (try(run, w, n, &keeps, &stopped, err) < 0)
			return -1;
		*(keeps ? &good : &bad) = n;
		n = bad > run->clients && 2 * n <= run->clients ? 2 * n : good + (bad - good) / 2;
	}
	w->most = good;
	pario_run_metric(run, "accelerators_most", "", (double)good);
	pario_run_metric(run, "min_au_percent", "%", w->shape.min_au);
	if (stopped)
		pario_run_suspect(run, "the search for the number of accelerators was cut short");
	return 0;
}

/* ---- what is told ---- */

static void rule(struct pario_run *run, bool *all, const char *name, bool met, double is,
		 double wanted)
{
	*all = *all && met;
	pario_run_row(run, "rules", "rule met is wanted",
		      (const struct pario_datum[]){ PARIO_TEXT(name), PARIO_NUMBER(met),
						    PARIO_NUMBER(is), PARIO_NUMBER(wanted) });
}

static void tell_rules(struct pario_run *run, struct work *w, const struct epochs *e, double bytes,
		       double au)
{
	struct pario_free_space c = pario_run_capacity(run);
	double wanted = (double)MEMORY_TIMES * (double)c.node_bytes * (double)c.nodes;
	bool all = true, cold = e->pages > 0 && e->resident == 0;

	rule(run, &all, "the workload's own values", w->shape.own, w->shape.own, 1);
	rule(run, &all, "bytes of the data set", bytes >= wanted, bytes, wanted);
	rule(run, &all, "steps of an epoch", e->steps >= STEPS * e->done,
	     (double)e->steps / (double)e->done, STEPS);
	rule(run, &all, "whole epochs", e->whole >= EPOCHS, (double)e->whole, EPOCHS);
	rule(run, &all, "runs", run->point->runs >= RUNS, (double)run->point->runs, RUNS);
	rule(run, &all, "AU in percent", 100 * au >= w->shape.min_au, 100 * au, w->shape.min_au);
	rule(run, &all, "storage that keeps data without power", !pario_run_in_memory(run),
	     !pario_run_in_memory(run), 1);
	pario_run_metric(run, "conforming", "", all);
	if (bytes < wanted && w->training.evict && !cold && !pario_run_in_memory(run))
		pario_run_suspect(run,
				  "the data set is less than %d times the memory, and what was "
				  "evicted before an epoch was not all gone",
				  MEMORY_TIMES);
	else if (bytes < wanted && !w->training.evict &&
		 !(run->point->backend->bits & PARIO_BACKEND_NO_DATA))
		pario_run_suspect(run,
				  "the data set is less than %d times the memory and was not "
				  "evicted (--cache warm): it may have been cached",
				  MEMORY_TIMES);
}

/* A row for each client: who waited, and who made the others wait. */
static void tell_clients(struct pario_run *run, struct pario_training *t)
{
	uint64_t *all = calloc(3 * run->clients, sizeof(*all));
	int there = all != NULL;

	MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, run->comm);
	if (there) {
		pario_run_gather(run, t->loaded, all);
		pario_run_gather(run, (uint64_t)t->waited_ns, all + run->clients);
		pario_run_gather(run, (uint64_t)t->longest_ns, all + 2 * run->clients);
	}
	for (uint64_t c = 0; there && c < run->clients && c < ROWS; c++)
		pario_run_row(run, "clients", "client samples waited_s longest_wait_s",
			      (const struct pario_datum[]){
				      PARIO_NUMBER(c), PARIO_NUMBER(all[c]),
				      PARIO_NUMBER((double)all[run->clients + c] * 1e-9),
				      PARIO_NUMBER((double)all[2 * run->clients + c] * 1e-9) });
	free(all);
}

static void tell_latency(struct pario_run *run, struct pario_training *t)
{
	int64_t longest = t->longest_ns;

	pario_run_merge(run, &t->latency);
	MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MAX, run->comm);
	pario_run_metric(run, "wait_longest_s", "s", (double)longest * 1e-9);
	pario_run_metric(run, "loader_p50_s", "s",
			 pario_histogram_quantile(&t->latency, 0.5) * 1e-9);
	pario_run_metric(run, "loader_p99_s", "s",
			 pario_histogram_quantile(&t->latency, 0.99) * 1e-9);
	pario_run_metric(run, "loader_longest_s", "s", (double)t->latency.max_ns * 1e-9);
}

static void tell(struct pario_run *run, struct work *w, const struct epochs *e)
{
	double au = pario_training_au(e->compute_s, e->seconds, e->first_wait_s);
	double done = (double)e->done, bytes = 0;
	const struct {
		const char *name, *unit;
		double value;
	} list[] = {
		{ "samples_s", "1/s", (double)e->samples / e->seconds },
		{ "au_percent", "%", 100 * au },
		{ "au_low_percent", "%", 100 * e->low },
		{ "au_high_percent", "%", 100 * e->high },
		{ "zeta", "", 1 / au - 1 },
		{ "min_au_percent", "%", w->shape.min_au },
		{ "first_wait_s", "s", e->first_wait_s / done },
		{ "wait_mean_s", "s",
		  e->steps > e->done ? e->wait_s / (double)(e->steps - e->done) : NAN },
		{ "samples", "", (double)e->samples / done },
		{ "steps", "", (double)e->steps / done },
		{ "read_threads", "threads", (double)w->shape.threads },
		{ "epochs_proved", "epochs", (double)e->proved },
		{ "accelerators", "", (double)e->accelerators },
	};

	for (uint64_t i = run->client; i < w->shape.set.files; i += run->clients)
		bytes += (double)pario_dataset_file_bytes(&w->shape.set, i);
	MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, run->comm);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (isfinite(list[i].value))
			pario_run_metric(run, list[i].name, list[i].unit, list[i].value);
	pario_run_metric(run, "data_bytes", "B", bytes);
	tell_latency(run, &w->training);
	tell_clients(run, &w->training);
	tell_rules(run, w, e, bytes, au);
}

static int train(struct pario_run *run, struct work *w, struct pario_err *err)
{
	const struct params *p = run->params;
	struct epochs e = { .count = p->epochs, .most = p->steps };

	if (count_accelerators(p, run->clients, &e.accelerators, err) < 0)
		return -1;
	if (e.accelerators == 0)
		e.accelerators = w->most && w->most <= run->clients ? w->most : 1;
	if (run_epochs(run, w, &e, err) < 0)
		return -1;
	if (e.done == 0) {
		pario_run_suspect(run, "the time was over before the first step");
		return 0;
	}
	tell(run, w, &e);
	pario_run_pause(run);
	return 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	struct pario_training *t = &w->training;

	t->step = t->loaded = 0;
	t->waited_ns = t->longest_ns = 0;
	memset(&t->latency, 0, sizeof(t->latency));
	return strcmp(run->phase->name, "search") == 0 ? search(run, w, err) : train(run, w, err);
}

const struct pario_test pario_test_training = {
	.name = "training",
	.summary =
		"samples for accelerators that train: loaders read ahead, steps compute and meet",
	.question =
		"How many samples a second does the storage give to training, and how much of their time do accelerators compute?",
	.misleads = "where a cache of the storage that cannot be seen from here holds the data set",
	.needs = PARIO_NEED_FILES | PARIO_NEED_TOGETHER,
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.headline = "samples_s,accelerators_most",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.teardown = teardown,
};
