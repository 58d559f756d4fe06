/*
 * study: one phase of the overlap study on one routine.
 */
#include "tests/overlap/measure/study.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALIBRATIONS = 15, /* of each loop before each pass: enough to tell skewed ones */
	TRIAL = 8,	   /* calls that tell how long a call takes */
	PATIENCE = 2,	   /* times its time a size may take; then ENOUGH passes will do */
	LEAST = 4,	   /* calls of a pass, however slow */
	ENOUGH = 2,	   /* passes of a kind, where time is short */
	FEW_PASSES = 3,	   /* and first, before sizes are left out */
	FEW_SIZES = 4,	   /* laws need three, and one to contradict them */
	TICKS = 10,	   /* of the kernel: a pass takes as long where there is time */
	TICKS_MOST = 25,   /* and no longer unless it is asked for */
	TRIES = 6,	   /* passes made for one that nothing disturbed */
};

/*
 * The loop's part of the smallest transfer, and its bounds: below the first, tests outweigh computing; the second was
 * the paper's longest that did not slow small transfers.
 */
#define LOOP_SHARE    0.02
#define LOOP_LEAST_NS 250.0
#define LOOP_MOST_NS  1e5

/* Controls have as many rounds as their pass; where each round has a transfer in it, those are few: then this part. */
#define CONTROL_SHARE 0.25

#define PASS_COLUMNS                                                                                         \
	"size channels part pass calls elapsed_ns loops loop_ns loop_error_ns idle_ns thread_ns process_ns " \
	"queue_ns idle_cpu_ns idle_late_ns idle_loops walks first_ns"
#define CASE_COLUMNS                                                                        \
	"routine means blocking direct order compute channels sector clients clock_ns rpm " \
	"own_call_ns own_wait_ns tick_ns"

static const char *const parts[] = { "wait", "compute", "half" };

static uint64_t cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
}

size_t pario_study_counts(const struct pario_routine *routine, uint64_t clients,
			  uint64_t counts[PARIO_OVERLAP_COUNTS])
{
	bool one = routine->bits & (PARIO_ROUTINE_BLOCKING | PARIO_ROUTINE_NO_DATA);
	uint64_t most = one || cores() < clients ? 1 : cores() / clients;
	size_t n = 0;

	for (uint64_t i = 1; i < most && n + 1 < PARIO_OVERLAP_COUNTS; i *= 4)
		counts[n++] = i;
	counts[n++] = most;
	return n;
}

static bool blocking(const struct pario_study_shape *shape)
{
	return shape->channels.routine->bits & PARIO_ROUTINE_BLOCKING;
}

/* How many times its length a pass of each kind costs, with the controls of two of them. */
static double three_passes(const struct pario_study_shape *shape)
{
	return PARIO_PARTS + 2 * (blocking(shape) ? CONTROL_SHARE : 1);
}

/*
 * First passes are given up for their length, then sizes; what is left of the time beyond TICKS_MOST is not needed.
 */
static void plan_time(struct pario_study *s, const struct pario_run *run)
{
	const struct pario_study_shape *h = &s->shape;
	struct pario_phase list[PARIO_PHASES];
	double shares = (double)(run->point->runs * run->point->test->phases(run->point, list));
	double wanted = (double)(TICKS * pario_usage_tick()), budget, units;

	s->sizes = h->size_count;
	s->passes = h->passes;
	budget = 1e9 * h->time_s / (shares * three_passes(h));
	while (!(h->pass_s > 0) && budget > 0) {
		units = (double)(s->sizes * s->passes);
		if (units * wanted <= budget)
			break;
		if (s->passes > FEW_PASSES)
			s->passes--;
		else if (h->thin && s->sizes > FEW_SIZES)
			s->sizes--;
		else
			break;
	}
	units = (double)(s->sizes * s->passes);
	s->pass_ns = h->pass_s > 0
			     ? 1e9 * h->pass_s
			     : fmin(budget / units, (double)(TICKS_MOST * pario_usage_tick()));
	s->size_ns = s->pass_ns * three_passes(h) * (double)s->passes;
}

/* The i-th of the sizes that are measured: the first, the last, and others spread between them. */
static uint64_t size_at(const struct pario_study *s, size_t i)
{
	size_t last = s->sizes - 1;

	return s->shape.sizes[last ? (i * (s->shape.size_count - 1) + last / 2) / last : 0];
}

int pario_study_init(struct pario_study *study, struct pario_run *run,
		     const struct pario_study_shape *shape, struct pario_err *err)
{
	size_t rows = shape->count_count * shape->size_count * shape->passes * PARIO_PARTS * TRIES;

	memset(study, 0, sizeof(*study));
	study->shape = *shape;
	plan_time(study, run);
	study->rows = calloc(rows, sizeof(*study->rows));
	if (!study->rows)
		return pario_err_memory(err, "the passes");
	if (pario_compute_init(&study->full, shape->vector, err) < 0 ||
	    pario_compute_init(&study->half, shape->vector, err) < 0)
		return -1;
	return pario_channels_init(&study->channels, run, &shape->channels, err);
}

void pario_study_release(struct pario_study *study)
{
	pario_channels_release(&study->channels);
	pario_compute_release(&study->full);
	pario_compute_release(&study->half);
	free(study->rows);
	memset(study, 0, sizeof(*study));
}

/* How long one transfer takes when nothing is known yet; the shorter of two short passes. */
static int try_calls(struct pario_study *s, double *ns, struct pario_err *err)
{
	struct pario_channels_pass pass;

	*ns = INFINITY;
	for (int i = 0; i < 2; i++) {
		if (pario_channels_pass(&s->channels, TRIAL, 0, NULL, &pass, err) < 0)
			return -1;
		*ns = fmin(*ns, (double)pass.elapsed_ns / (double)pass.calls);
	}
	return 0;
}

static int choose_loop(struct pario_study *s, bool readers, bool writers, struct pario_err *err)
{
	uint64_t least = s->shape.sizes[0];
	double ns = s->shape.loop_ns, call_ns;

	s->channels.patience_ns = 0;
	for (size_t i = 1; i < s->shape.size_count; i++)
		least = s->shape.sizes[i] < least ? s->shape.sizes[i] : least;
	if (pario_channels_open(&s->channels, readers, writers, least, err) < 0 ||
	    try_calls(s, &call_ns, err) < 0)
		return -1;
	if (ns <= 0)
		ns = fmin(fmax(LOOP_SHARE * call_ns, LOOP_LEAST_NS), LOOP_MOST_NS);
	pario_compute_tune(&s->full, ns);
	s->half.length = (s->full.length + 1) / 2;
	return pario_channels_own(&s->channels, readers, writers, &s->own, err);
}

static void tell(struct pario_study *s, const struct pario_overlap_pass *p, uint64_t number)
{
	const struct pario_datum cells[] = {
		PARIO_NUMBER(p->size),		PARIO_NUMBER(p->channels),
		PARIO_TEXT(parts[p->part]),	PARIO_NUMBER(number),
		PARIO_NUMBER(p->calls),		PARIO_NUMBER(p->elapsed_ns),
		PARIO_NUMBER(p->loops),		PARIO_NUMBER(p->loop_ns),
		PARIO_NUMBER(p->loop_error_ns), PARIO_NUMBER(p->idle_ns),
		PARIO_NUMBER(p->thread_ns),	PARIO_NUMBER(p->process_ns),
		PARIO_NUMBER(p->queue_ns),	PARIO_NUMBER(p->idle_cpu_ns),
		PARIO_NUMBER(p->idle_late_ns),	PARIO_NUMBER(p->idle_loops),
		PARIO_NUMBER(p->walks),		PARIO_NUMBER(p->first_ns),
	};

	pario_run_row(s->channels.run, "passes", PASS_COLUMNS, cells);
	s->rows[s->count++] = *p;
}

/* Everything around the passes counts here, and so does waiting for a processor. */
static bool late(const struct pario_study *s)
{
	double allowed = PATIENCE * s->size_ns;

	return (double)(pario_run_now() - s->began_ns) > allowed;
}

/* Rounds that the pass to come will have. */
static double expected_rounds(const struct pario_study *s, double pass_ns, double loop_ns)
{
	double each = (double)s->channels.count * s->call_ns;

	if (!blocking(&s->shape))
		return pass_ns / loop_ns;
	return fmax(pass_ns / (each + loop_ns), CONTROL_SHARE * pass_ns / loop_ns);
}

/* A round by itself, and one of as many as the pass to come will have. */
static int calibrate(struct pario_study *s, struct pario_compute *compute, double pass_ns,
		     struct pario_estimate *loop, struct pario_channels_control *control,
		     struct pario_err *err)
{
	double values[CALIBRATIONS];

	if (pario_channels_calibrate(&s->channels, compute, values, CALIBRATIONS, err) < 0)
		return -1;
	*loop = pario_overlap_centre(values, CALIBRATIONS, NULL);
	return pario_channels_idle(&s->channels, compute,
				   (uint64_t)expected_rounds(s, pass_ns, loop->value) + 1, control,
				   err);
}

static int one_pass(struct pario_study *s, enum pario_part part, uint64_t calls, uint64_t number,
		    struct pario_err *err)
{
	struct pario_compute *compute = part == PARIO_PART_FULL	  ? &s->full
					: part == PARIO_PART_HALF ? &s->half
								  : NULL;
	struct pario_estimate loop = { NAN, NAN };
	struct pario_channels_pass pass;
	struct pario_channels_control control = { .ns = NAN, .cpu_ns = NAN, .late_ns = NAN };
	double once_ns = (double)(calls * s->channels.count) * s->call_ns;

	/* Where others want the processor, they get it now, and the pass begins with a whole time slice. */
	if (!late(s))
		sched_yield();
	if (compute && calibrate(s, compute, fmax(once_ns, s->pass_ns), &loop, &control, err) < 0)
		return -1;
	if (pario_channels_pass(&s->channels, calls, (int64_t)s->pass_ns, compute, &pass, err) < 0)
		return -1;
	tell(s,
	     &(struct pario_overlap_pass){ .blocking = blocking(&s->shape),
					   .size = (double)s->channels.size,
					   .channels = (double)s->channels.count,
					   .part = part,
					   .calls = (double)pass.calls,
					   .walks = (double)pass.walks,
					   .first_ns = (double)pass.first_ns,
					   .elapsed_ns = (double)pass.elapsed_ns,
					   .loops = (double)pass.loops,
					   .loop_ns = loop.value,
					   .loop_error_ns = loop.error,
					   .idle_ns = control.ns,
					   .idle_cpu_ns = control.cpu_ns,
					   .idle_late_ns = control.late_ns,
					   .idle_loops = (double)control.rounds,
					   .thread_ns = (double)pass.used.thread_ns,
					   .process_ns = (double)pass.used.process_ns,
					   .queue_ns = pass.used.queue_ns < 0
							       ? (double)NAN
							       : (double)pass.used.queue_ns },
	     number);
	return 0;
}

/* Again while others keep the thread from running, as long as there is time for that. All passes are recorded. */
static int quiet_pass(struct pario_study *s, enum pario_part part, uint64_t calls, uint64_t number,
		      struct pario_err *err)
{
	for (int i = 0; i < TRIES; i++) {
		const struct pario_overlap_pass *last = &s->rows[s->count];

		if (one_pass(s, part, calls, number, err) < 0)
			return -1;
		if (pario_overlap_quiet(last) || late(s))
			break;
	}
	return 0;
}

/* Of a walk, on each channel: as many as the time of a pass allows, and at most the whole file. */
static uint64_t count_calls(const struct pario_study *s)
{
	uint64_t blocks = s->shape.channels.file_bytes / s->channels.size;
	double allowed = s->pass_ns / (s->call_ns * (double)s->channels.count);

	if (s->pass_ns <= 0 || allowed > (double)blocks)
		return blocks;
	return allowed < LEAST ? LEAST : (uint64_t)allowed;
}

/* All passes of one size; 1 = stopped by the user or the time limit. */
static int one_size(struct pario_study *s, struct pario_err *err)
{
	uint64_t all = s->shape.count_count * s->sizes * s->passes, calls;

	s->began_ns = pario_run_now();
	s->channels.patience_ns = (int64_t)s->size_ns;
	if (try_calls(s, &s->call_ns, err) < 0)
		return -1;
	calls = count_calls(s);
	for (uint64_t i = 0; i < s->passes; i++) {
		if (!pario_run_more(s->channels.run, s->pass, all))
			return 1;
		s->pass++;
		if (i >= ENOUGH && s->size_ns > 0 && late(s))
			continue;
		for (int part = 0; part < PARIO_PARTS; part++)
			if (quiet_pass(s, (enum pario_part)part, calls, i, err) < 0)
				return -1;
	}
	return 0;
}

static void describe(struct pario_study *s)
{
	const struct pario_study_shape *h = &s->shape;
	const struct pario_datum cells[] = {
		PARIO_TEXT(h->channels.routine->name),
		PARIO_TEXT(h->channels.routine->summary),
		PARIO_NUMBER(blocking(h)),
		PARIO_NUMBER(h->channels.direct),
		PARIO_TEXT(h->channels.random ? "random" : "sequential"),
		PARIO_TEXT(h->vector ? "vector" : "scalar"),
		PARIO_NUMBER(s->channels.active),
		PARIO_NUMBER(h->sector),
		PARIO_NUMBER(s->channels.run->clients),
		PARIO_NUMBER(s->own.error_ns),
		PARIO_NUMBER(h->rpm),
		PARIO_NUMBER(s->own.call_ns),
		PARIO_NUMBER(s->own.wait_ns),
		PARIO_NUMBER(pario_usage_tick()),
	};

	pario_run_row(s->channels.run, "case", CASE_COLUMNS, cells);
}

const struct pario_metric_info pario_study_metrics[] = {
	{ "t_call_us", "us", "T_call: overhead of a call", -1 },
	{ "t_call_error_us", "us", "half of its 95 % interval", 0 },
	{ "t_call_bound_us", "us", "what T_call is below, where it cannot be told from zero", 0 },
	{ "t_trans_us", "us", "T_trans: overhead of a sector", -1 },
	{ "t_trans_error_us", "us", "half of its 95 % interval", 0 },
	{ "t_trans_bound_us", "us", "what T_trans is below, where it cannot be told from zero", 0 },
	{ "t_fix_us", "us", "time of an operation besides its bytes", -1 },
	{ "t_fix_error_us", "us", "half of its 95 % interval", 0 },
	{ "t_byte_ns", "ns", "time of a byte", -1 },
	{ "t_byte_error_ns", "ns", "half of its 95 % interval", 0 },
	{ "half_size_bytes", "B", "buffer that reaches half of the asymptotic rate (r-infinity)",
	  -1 },
	{ "best_rate_mib_s", "MiB/s", "highest rate of all sizes, waiting for every transfer", 1 },
	{ "overlap_share", "1", "part of the transfer time left to the program, largest buffer",
	  1 },
	{ 0 },
};

/* Value and error in us; or a bound alone, where the value cannot be told from zero. */
static void spell(const struct pario_estimate *e, double out[3])
{
	bool told = e->value > e->error || isnan(e->error);

	out[0] = told ? e->value / 1e3 : (double)NAN;
	out[1] = told ? e->error / 1e3 : (double)NAN;
	out[2] = told ? (double)NAN : pario_overlap_bound(e) / 1e3;
}

/* The laws of this repetition alone; the summary puts all repetitions together. */
static void conclude(struct pario_study *s)
{
	struct pario_overlap_case *c = calloc(1, sizeof(*c));
	double call[3], trans[3];

	if (!c)
		return;
	c->sector = (double)s->shape.sector;
	c->blocking = blocking(&s->shape);
	c->tick_ns = (double)pario_usage_tick();
	pario_overlap_case_fit(c, s->rows, s->count, &s->own);
	spell(&c->overhead.one.slope, call);
	spell(&c->overhead.one.intercept, trans);
	const double values[] = { /* in the order of the metrics */
				  call[0],
				  call[1],
				  call[2],
				  trans[0],
				  trans[1],
				  trans[2],
				  c->operation.one.intercept.value / 1e3,
				  c->operation.one.intercept.error / 1e3,
				  c->operation.one.slope.value,
				  c->operation.one.slope.error,
				  pario_fit_half_size(&c->operation.one),
				  c->point[c->best].rate.value / PARIO_MIB,
				  c->overlap.value
	};

	for (size_t i = 0; pario_study_metrics[i].name; i++)
		if (isfinite(values[i]))
			pario_run_metric(s->channels.run, pario_study_metrics[i].name,
					 pario_study_metrics[i].unit, values[i]);
	if (c->disagreeing)
		pario_run_suspect(
			s->channels.run,
			"the overhead by difference and by the scheduler's account disagree "
			"beyond their errors at %zu of %zu sizes: the thread slept in calls that "
			"should not, or others kept it from running",
			c->disagreeing, c->points);
	else if (c->unlike)
		pario_run_suspect(s->channels.run,
				  "the overhead with the whole compute loop and with half of it "
				  "disagree beyond their errors at %zu of %zu sizes",
				  c->unlike, c->points);
	else if (c->loud)
		pario_run_suspect(s->channels.run,
				  "others kept the thread from running for more than %g %% of the "
				  "passes at %zu of %zu sizes, and there were no better ones",
				  100 * PARIO_LOUD, c->loud, c->points);
	free(c);
}

/* All sizes with as many channels as are active; 1 = stopped. */
static int one_count(struct pario_study *s, bool readers, bool writers, struct pario_err *err)
{
	int status = choose_loop(s, readers, writers, err);

	for (size_t i = 0; i < s->sizes && status == 0; i++) {
		status = pario_channels_open(&s->channels, readers, writers, size_at(s, i), err);
		if (status == 0)
			status = one_size(s, err);
	}
	if (status >= 0)
		describe(s);
	return status;
}

int pario_study_body(struct pario_study *study, bool readers, bool writers, struct pario_err *err)
{
	struct pario_err later = { 0 };
	int status = 0;

	study->channels.cold = !study->shape.cached;
	study->count = study->pass = 0;
	for (size_t i = 0; i < study->shape.count_count && status == 0; i++) {
		study->channels.active = study->shape.counts[i];
		status = one_count(study, readers, writers, err);
		/* The metrics are those of the first count; the summary has them all. */
		if (i == 0 && status >= 0 && study->count)
			conclude(study);
	}
	if (pario_channels_close(&study->channels, status < 0 ? &later : err) < 0)
		return -1;
	return status < 0 ? -1 : 0;
}
