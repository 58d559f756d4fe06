/*
 * test: how long does the same I/O take here, without the program?
 *
 * Makes the calls of a trace again: ranks as ranks, processes as processes, threads as threads, in files of the
 * workspace that stand for those of the original (docs/replay.md). A call begins when the one before it in its thread
 * is over, the program's think time has passed, and what it depended on has happened: calls of other threads on the
 * same name, file end or descriptor, messages, barriers. No path of the original is touched.
 * Misleads when much of the original's time went into calls that cannot be made again; left_percent says how much.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"
#include "tests/replay/measure/replay.h"

#define NAME "replay"

enum { UNLIKE_ROWS = 16 };

struct params {
	char trace[4096];
	double think;
	int speed, layer;
	bool order, ballast;
};

static const char *const speeds[] = { "original", "max", NULL };
static const char *const layers[] = { "program", "posix", NULL };

/* Also those of `pario replay`. */
const struct pario_option pario_replay_options[] = {
	PARIO_OPTION(struct params, trace, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "the trace whose calls are made again (pario trace)"),
	PARIO_OPTION(
		struct params, think, .def = "1", .min = "0", .max = "1000",
		.help = "factor for the time between calls: 0 = none, 0.5 = a processor twice as fast"),
	PARIO_OPTION(struct params, speed, .def = "original", .choices = speeds,
		     .help = "max: no think times, as fast as the storage allows"),
	PARIO_OPTION(
		struct params, layer, .def = "program", .choices = layers,
		.help = "program: the calls that the program made; posix: the POSIX calls below stdio and MPI-IO, where they were recorded"),
	PARIO_OPTION(struct params, order, .def = "1",
		     .help = "calls wait for calls of other threads that they depended on"),
	PARIO_OPTION(
		struct params, ballast, .def = "1",
		.help = "take as much memory as the program had, so that as little is left for the page cache"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "makespan_s", "s", "from the first call to the last", -1 },
	{ "original_makespan_s", "s", "the same in the trace, without MPI_Init and MPI_Finalize",
	  0 },
	{ "makespan_error_percent", "%", "by how much the first differs from the second", 0 },
	{ "io_s", "s", "time in calls on storage, all threads together", -1 },
	{ "original_io_s", "s", "the same calls in the trace", 0 },
	{ "io_error_percent", "%", "by how much the first differs from the second", 0 },
	{ "read_s", "s", "time in reads", -1 },
	{ "original_read_s", "s", "the same in the trace", 0 },
	{ "write_s", "s", "time in writes and synchronisation", -1 },
	{ "original_write_s", "s", "the same in the trace", 0 },
	{ "left_percent", "%",
	  "share of the original's time on storage in calls that were not made again", -1 },
	{ "calls", "", "calls on storage that were made again", 0 },
	{ "unlike", "", "calls that failed here and not in the trace, or the other way round", -1 },
	{ "orderings", "", "calls that waited for a call of another thread", 0 },
	{ "given_up", "", "of these, those that waited in vain, when all threads did", -1 },
	{ "serial", "", "asynchronous requests that were made one after the other", 0 },
	{ NULL, NULL, NULL, 0 },
};

/* What all threads of a client came to, as numbers to be added up over the clients. */
struct sums {
	double class_calls[PARIO_CLASSES], class_bytes[PARIO_CLASSES], there[PARIO_CLASSES],
		here[PARIO_CLASSES];
	double left_calls[PARIO_LEFTS], left_ns[PARIO_LEFTS], left_storage_ns;
	double unlike, given_up, serial, edges;
};

struct work {
	struct pario_trace trace;
	struct pario_replay_scan scan;
	struct pario_replay replay;
	MPI_Comm node;
	char *shared;
	char *ballast;
	uint64_t ballast_bytes;
	struct sums all;
	double makespan_ns;
	bool loaded, scanned;
};

/* ---- before anything runs ---- */

/* What calls are missing, in words; "" = none. */
static void tell_losses(const struct pario_trace *t, struct pario_text *text)
{
	if (t->job.losses.dropped)
		pario_text_add(text, "%llu were not recorded",
			       (unsigned long long)t->job.losses.dropped);
	if (t->damaged_bytes)
		pario_text_add(text, "%s%llu bytes are damaged", text->length ? ", " : "",
			       (unsigned long long)t->damaged_bytes);
	if (t->torn || t->job.unended)
		pario_text_add(text, "%sit is cut off", text->length ? ", " : "");
}

/* Ranks wait for each other as often as they did there; where a call is missing, one waits for ever. */
static int check_losses(const struct pario_trace *t, const struct pario_replay_scan *scan,
			struct pario_err *err)
{
	struct pario_text text = { 0 };
	int status = 0;

	tell_losses(t, &text);
	if (text.length && scan->ranks > 1)
		status = pario_err_set(err, PARIO_USAGE,
				       "calls are missing in %s (%s): its %u ranks would wait for "
				       "each other in vain. Trace the program again.",
				       t->path, pario_text_string(&text), scan->ranks);
	pario_text_release(&text);
	return status;
}

/* What the plan needs of a trace, kept from one question to the next. */
static int size_up(const struct params *p, struct pario_replay_scan *scan, struct pario_err *err)
{
	struct pario_trace *trace = calloc(1, sizeof(*trace));
	int status =
		trace ? pario_trace_load(trace, p->trace, err) : pario_err_memory(err, "the trace");

	if (status == 0) {
		if (trace->version < 2)
			status = pario_err_set(
				err, PARIO_USAGE,
				"%s is a trace of version 1, which has no descriptors, no arguments of open and "
				"no communicators: it cannot be replayed. Trace the program again.",
				p->trace);
		else
			status = pario_replay_scan(scan, trace, (enum pario_replay_layer)p->layer,
						   err);
		if (status == 0)
			status = check_losses(trace, scan, err);
		pario_trace_release(trace);
	}
	free(trace);
	return status;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	static struct pario_replay_scan scan;
	static struct params known;
	const struct params *p = point->params;

	(void)client;
	if (!*p->trace)
		return pario_err_set(err, PARIO_USAGE, "which trace? `pario replay TRACE [DIR]`.");
	if (!scan.files || strcmp(known.trace, p->trace) != 0 || known.layer != p->layer) {
		pario_replay_scan_release(&scan);
		if (size_up(p, &scan, err) < 0) {
			pario_replay_scan_release(&scan);
			return -1;
		}
		known = *p;
	}
	if (scan.calls == 0)
		return pario_err_set(err, PARIO_USAGE, "%s holds no call that could be made again.",
				     p->trace);
	if (point->clients != (scan.ranks ? scan.ranks : 1))
		return pario_err_set(
			err, PARIO_USAGE,
			"the trace is of %u rank%s, and there are %llu clients: use --np %u.",
			scan.ranks ? scan.ranks : 1, scan.ranks > 1 ? "s" : "",
			(unsigned long long)point->clients, scan.ranks ? scan.ranks : 1);
	layout->extra_files = scan.file_count;
	layout->extra_bytes = scan.bytes;
	/* a transfer to read into and one to write from, which without ranks the process has as well as its client */
	if (!pario_mul(scan.largest, scan.ranks ? 2 : 3, &layout->memory_bytes) ||
	    !pario_add(layout->memory_bytes, p->ballast ? scan.peak_bytes : 0,
		       &layout->memory_bytes))
		layout->memory_bytes = UINT64_MAX;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	(void)point;
	list[0] = (struct pario_phase){
		.name = "replay", .write = true, .creates = true, .whole = true
	};
	return 1;
}

/* ---- a repetition ---- */

/* Memory that the first client of a node makes and the others reach through it; children of all of them have it too. */
static void *shared_memory(MPI_Comm node, uint64_t bytes, int *descriptor)
{
	long owner[2] = { getpid(), -1 };
	void *memory = MAP_FAILED;
	char path[64];
	int rank, fd = -1;

	MPI_Comm_rank(node, &rank);
	if (rank == 0) {
		fd = memfd_create("pario-replay", MFD_CLOEXEC);
		if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
			owner[1] = fd;
	}
	MPI_Bcast(owner, 2, MPI_LONG, 0, node);
	if (rank != 0 && owner[1] >= 0) {
		snprintf(path, sizeof(path), "/proc/%ld/fd/%ld", owner[0], owner[1]);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	if (fd >= 0 && owner[1] >= 0)
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	MPI_Barrier(node); /* it must be open everywhere before the first client closes it */
	*descriptor = fd;
	return memory == MAP_FAILED ? NULL : memory;
}

/* Counters that all clients of a node see, and who is on this node. */
static int share(struct pario_run *run, struct work *w, struct pario_err *err)
{
	struct pario_replay *r = &w->replay;
	int mine = (int)run->client, *all, count;

	r->shared_bytes =
		((uint64_t)w->scan.thread_count + 1) * sizeof(*r->tallies) + PARIO_REPLAY_LINE;
	MPI_Comm_split_type(run->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &w->node);
	MPI_Comm_size(w->node, &count);
	w->shared = shared_memory(w->node, r->shared_bytes, &r->shared);
	r->near = calloc(run->clients, sizeof(*r->near));
	all = malloc((size_t)count * sizeof(*all));
	if (!w->shared || !r->near || !all) {
		free(all);
		return pario_err_memory(err, "what the ranks of the trace share");
	}
	pario_replay_take_shared(r, w->shared);
	MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, w->node);
	for (int i = 0; i < count; i++)
		r->near[all[i]] = true;
	free(all);
	return 0;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));
	char name[PARIO_NAME_CAPACITY];
	char path[PARIO_PATH_CAPACITY];

	run->scratch = w;
	if (!w)
		return pario_err_memory(err, "the replay");
	w->node = MPI_COMM_NULL;
	w->replay = (struct pario_replay){
		.run = run,
		.trace = &w->trace,
		.scan = &w->scan,
		.settings = { .think = p->speed ? 0 : p->think,
			      .layer = (enum pario_replay_layer)p->layer,
			      .order = p->order },
		.tree = -1,
		.shared = -1,
		.client = (int32_t)run->client,
	};
	if (pario_trace_load(&w->trace, p->trace, err) < 0)
		return -1;
	w->loaded = true;
	if (pario_replay_scan(&w->scan, &w->trace, (enum pario_replay_layer)p->layer, err) < 0)
		return -1;
	w->scanned = true;
	if (w->scan.ranks) /* else its process does */
		pario_replay_unpack(&w->trace, &w->scan, w->replay.client);
	w->replay.data_bytes = w->scan.largest + PARIO_REPLAY_SPARE;
	w->replay.data = pario_replay_make_data(w->replay.data_bytes, run->seed + run->client);
	if (!w->replay.data)
		return pario_err_memory(err, "a transfer of %llu bytes",
					(unsigned long long)w->scan.largest);
	pario_run_own_name(run, NAME "/", name);
	return pario_run_name(run, name, path, sizeof(path), err);
}

/* The memory of the program, as far as this machine has it. */
static void take_ballast(struct pario_run *run, struct work *w)
{
	struct pario_free_space space = pario_run_capacity(run);
	uint64_t bytes = w->scan.peak_bytes,
		 most = space.available_bytes / 2 / (space.clients ? space.clients : 1);

	bytes = bytes < most ? bytes : most;
	w->ballast = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0)
			   : NULL;
	if (w->ballast == MAP_FAILED)
		w->ballast = NULL;
	if (!w->ballast)
		return;
	w->ballast_bytes = bytes;
	memset(w->ballast, 1, bytes);
	madvise(w->ballast, bytes, MADV_DONTFORK);
}

static int before(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	struct pario_replay *r = &w->replay;
	char name[PARIO_NAME_CAPACITY];
	int status;

	if (!w->shared && share(run, w, err) < 0)
		return -1;
	pario_run_own_name(run, NAME, name);
	status = pario_run_directory(run, name, &r->tree, err);
	pario_run_reach(run, name, r->tree_path, sizeof(r->tree_path));
	if (w->scan.pointers)
		r->no_pointers = !pario_replay_has_pointers(r);
	if (status == 0 && run->client == 0)
		status = pario_replay_prepare(r, err);
	if (status == 0 && ((const struct params *)run->params)->ballast)
		take_ballast(run, w);
	return status;
}

/* ---- the answer ---- */

static void add(struct sums *s, const struct pario_replay_tally *t, uint32_t edges)
{
	for (unsigned c = 0; c < PARIO_CLASSES; c++) {
		s->class_calls[c] += (double)t->classes[c].calls;
		s->class_bytes[c] += (double)t->classes[c].bytes;
		s->there[c] += t->classes[c].original_ns;
		s->here[c] += t->classes[c].here_ns;
	}
	for (unsigned l = 0; l < PARIO_LEFTS; l++) {
		s->left_calls[l] += (double)t->left[l].calls;
		s->left_ns[l] += t->left[l].ns;
	}
	s->left_storage_ns += t->left_storage_ns;
	s->unlike += (double)t->unlike;
	s->given_up += (double)t->given_up;
	s->serial += (double)t->serial;
	s->edges += edges;
}

static double total(const double *values, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static const char *const class_names[PARIO_CLASSES] = {
	"other", "open", "close", "read", "write", "seek",   "sync", "size",	"advice",  "map",
	"stat",	 "name", "attr",  "list", "lock",  "submit", "wait", "process", "message",
};

static void tables(struct pario_run *run, const struct sums *s)
{
	for (unsigned c = 0; c < PARIO_CLASSES; c++) {
		if (s->class_calls[c] > 0)
			pario_run_row(
				run, "classes",
				"class calls bytes original_s seconds error_percent",
				(const struct pario_datum[]){ PARIO_TEXT(class_names[c]),
							      PARIO_NUMBER(s->class_calls[c]),
							      PARIO_NUMBER(s->class_bytes[c]),
							      PARIO_NUMBER(s->there[c] * 1e-9),
							      PARIO_NUMBER(s->here[c] * 1e-9),
							      PARIO_NUMBER(pario_replay_off_by(
								      s->here[c], s->there[c])) });
	}
	for (unsigned l = 1; l < PARIO_LEFTS; l++) {
		if (s->left_calls[l] > 0)
			pario_run_row(run, "left", "why calls original_s",
				      (const struct pario_datum[]){
					      PARIO_TEXT(pario_replay_left_names[l]),
					      PARIO_NUMBER(s->left_calls[l]),
					      PARIO_NUMBER(s->left_ns[l] * 1e-9) });
	}
}

static void numbers(struct pario_run *run, const struct work *w, const struct sums *s,
		    double makespan_ns)
{
	double there = total(s->there, PARIO_CLASSES), here = total(s->here, PARIO_CLASSES),
	       left = s->left_storage_ns, span = w->scan.makespan_ns;
	const struct {
		const char *name;
		double value;
	} list[] = {
		{ "makespan_s", makespan_ns * 1e-9 },
		{ "original_makespan_s", span * 1e-9 },
		{ "makespan_error_percent", pario_replay_off_by(makespan_ns, span) },
		{ "io_s", here * 1e-9 },
		{ "original_io_s", there * 1e-9 },
		{ "io_error_percent", pario_replay_off_by(here, there) },
		{ "read_s", s->here[PARIO_CLASS_READ] * 1e-9 },
		{ "original_read_s", s->there[PARIO_CLASS_READ] * 1e-9 },
		{ "write_s", (s->here[PARIO_CLASS_WRITE] + s->here[PARIO_CLASS_SYNC]) * 1e-9 },
		{ "original_write_s",
		  (s->there[PARIO_CLASS_WRITE] + s->there[PARIO_CLASS_SYNC]) * 1e-9 },
		{ "left_percent", left + there > 0 ? 100 * left / (left + there) : 0 },
		{ "calls", total(s->class_calls, PARIO_CLASSES) },
		{ "unlike", s->unlike },
		{ "orderings", s->edges },
		{ "given_up", s->given_up },
		{ "serial", s->serial },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		pario_run_metric(run, list[i].name, metrics[i].unit, list[i].value);
}

/* The first such call of each thread of this node. */
static void unlike_rows(struct pario_run *run, const struct work *w)
{
	unsigned rows = 0;

	for (uint32_t t = 1; t <= w->scan.thread_count && rows < UNLIKE_ROWS; t++) {
		const struct pario_replay_tally *tally = &w->replay.tallies[t];

		if (!tally->unlike)
			continue;
		pario_run_row(run, "unlike", "thread calls first",
			      (const struct pario_datum[]){ PARIO_NUMBER(t),
							    PARIO_NUMBER(tally->unlike),
							    PARIO_TEXT(tally->first_unlike) });
		rows++;
	}
}

static const char *first_unlike(const struct work *w)
{
	for (uint32_t t = 1; t <= w->scan.thread_count; t++) {
		if (w->replay.tallies[t].unlike)
			return w->replay.tallies[t].first_unlike;
	}
	return "on another node";
}

/* Adds up what all clients counted, and says what is doubtful about it. */
static void sum_up(struct pario_run *run, struct work *w)
{
	struct pario_text losses = { 0 };
	struct sums own = { 0 };
	double last = 0, doubt[2] = { *w->replay.stop, 0 };

	for (uint32_t t = 1; t <= w->scan.thread_count; t++) {
		const struct pario_replay_tally *tally = &w->replay.tallies[t];

		if (w->scan.threads[t].client != w->replay.client)
			continue;
		add(&own, tally, w->scan.threads[t].edge_count);
		if ((double)(tally->last_ns - *w->replay.origin_ns) > last)
			last = (double)(tally->last_ns - *w->replay.origin_ns);
	}
	MPI_Allreduce(&own, &w->all, (int)(sizeof(own) / sizeof(double)), MPI_DOUBLE, MPI_SUM,
		      run->comm);
	MPI_Allreduce(&last, &w->makespan_ns, 1, MPI_DOUBLE, MPI_MAX, run->comm);
	MPI_Allreduce(&doubt[0], &doubt[1], 1, MPI_DOUBLE, MPI_MAX, run->comm);
	tell_losses(&w->trace, &losses);
	if (doubt[1] > 0)
		pario_run_suspect(run, "it was ended before the last call of the trace");
	else if (losses.length)
		pario_run_suspect(run, "calls are missing in the trace: %s",
				  pario_text_string(&losses));
	else if (w->all.unlike > 0)
		pario_run_suspect(run,
				  "%.0f calls ended otherwise than in the trace, the first one: %s",
				  w->all.unlike, first_unlike(w));
	else if (w->all.given_up > 0)
		pario_run_suspect(run,
				  "%.0f calls did not wait to the end for a call they depended on",
				  w->all.given_up);
	pario_text_release(&losses);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	double bytes = 0;
	int status;

	status = pario_replay_play(&w->replay, err);
	for (uint32_t t = 1; t <= w->scan.thread_count; t++) {
		for (unsigned c = 0;
		     c < PARIO_CLASSES && w->scan.threads[t].client == w->replay.client; c++)
			bytes += (double)w->replay.tallies[t].classes[c].bytes;
	}
	pario_run_count(run, (uint64_t)bytes);
	sum_up(run, w);
	pario_run_pause(run);
	return status;
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	numbers(run, w, &w->all, w->makespan_ns);
	tables(run, &w->all);
	unlike_rows(run, w);
	if (run->client == 0)
		pario_replay_site_rows(&w->replay);
	return pario_replay_history_rows(&w->replay, err);
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (!w)
		return;
	if (w->ballast)
		munmap(w->ballast, w->ballast_bytes);
	if (w->replay.data)
		munmap(w->replay.data, w->replay.data_bytes);
	if (w->replay.tree >= 0)
		close(w->replay.tree);
	if (w->replay.shared >= 0)
		close(w->replay.shared);
	if (w->shared)
		munmap(w->shared, w->replay.shared_bytes);
	if (w->node != MPI_COMM_NULL)
		MPI_Comm_free(&w->node);
	free(w->replay.near);
	if (w->scanned)
		pario_replay_scan_release(&w->scan);
	if (w->loaded)
		pario_trace_release(&w->trace);
	free(w);
	run->scratch = NULL;
}

const struct pario_test pario_test_trace_replay = {
	.name = "trace_replay",
	.summary = "the calls of a trace again, without the program (pario replay)",
	.question = "How long does the I/O of a traced program take here?",
	.misleads =
		"when much of the time went into calls that cannot be made again, as left_percent says",
	.alone = true,
	.options = pario_replay_options,
	.params_size = sizeof(struct params),
	.repetitions = "1",
	.metrics = metrics,
	.headline = "makespan_s",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
