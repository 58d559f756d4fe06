/*
 * predict: the trace by its own clock, then simulated on the target, then all models side by side. Of a profile the
 * classes instead.
 */
#include "predict/estimate/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/estimate/doubts.h"
#include "predict/estimate/interval.h"
#include "predict/sheet/profiled.h"
#include "predict/estimate/ratio.h"
#include "predict/estimate/replayed.h"

const char *const pario_model_names[PARIO_MODELS] = { "ratio", "model", "hybrid", "replay" };
const char *const pario_quantity_names[PARIO_QUANTITIES] = { "read", "write", "metadata",
							     "total I/O", "makespan" };

static void take_measured(const struct pario_sim *sim, double quantities[PARIO_QUANTITIES])
{
	for (int i = 0; i < PARIO_IO_PARTS; i++)
		quantities[i] = sim->parts[i].measured;
	quantities[PARIO_QUANTITY_TOTAL] = pario_sim_io_measured(sim);
	quantities[PARIO_QUANTITY_MAKESPAN] = sim->makespan_measured;
}

/* ---- the ratio model ---- */

/*
 * What a benchmark of these calls alone would take: in sequence, as many clients, the same kind of file; files that do
 * not come from memory, and as much written as the program writes.
 */
static double benchmark(const struct pario_costs *c, const struct pario_class *class,
			uint64_t written)
{
	struct pario_cost_key key = class->key;
	unsigned ignored = 0;
	uint64_t each = class->calls ? class->bytes / class->calls : 0;

	if (key.path != PARIO_SYSTEM_DIRECT && key.op == PARIO_SYSTEM_READ)
		key.path = c->stays ? PARIO_SYSTEM_HIT : PARIO_SYSTEM_MISS;
	else if (key.path != PARIO_SYSTEM_DIRECT && key.path != PARIO_SYSTEM_SYNC &&
		 key.op == PARIO_SYSTEM_WRITE)
		key.path = (double)written > c->limit_bytes ? PARIO_SYSTEM_THROTTLED
							    : PARIO_SYSTEM_ABSORBED;
	if (key.locality != PARIO_SYSTEM_ANYWHERE)
		key.locality = PARIO_SYSTEM_SEQUENTIAL;
	key.distance_bytes = 0;
	return pario_cost(c, &key, each, class->calls ? class->clients / (double)class->calls : 1,
			  &ignored);
}

/*
 * The same calls whatever path and place were found for them: a benchmark does not know these, so neither trace nor
 * profile makes a difference.
 */
static bool merge(struct pario_classes *to, const struct pario_classes *from)
{
	for (uint32_t i = 1; i <= from->map.count; i++) {
		const struct pario_class *c = &from->list[i];
		struct pario_cost_key key = c->key;
		struct pario_class *sum;
		uint32_t number;

		if (key.op <= PARIO_SYSTEM_WRITE && key.path != PARIO_SYSTEM_DIRECT &&
		    key.path != PARIO_SYSTEM_SYNC)
			key.path = PARIO_SYSTEM_ANY;
		if (key.locality != PARIO_SYSTEM_ANYWHERE)
			key.locality = PARIO_SYSTEM_SEQUENTIAL;
		key.distance_bytes = 0;
		number = pario_class_of(to, &key, c->part, pario_trace_power_bytes(c->power));
		if (to->no_memory)
			return false;
		sum = &to->list[number];
		sum->calls += c->calls;
		sum->bytes += c->bytes;
		sum->measured += c->measured;
		sum->clients += c->clients;
	}
	return true;
}

static int by_ratio(struct pario_prediction *p, struct pario_err *err)
{
	struct pario_classes classes = { 0 };
	struct pario_seconds *e = p->estimates[PARIO_MODEL_RATIO];
	double total = 0, measured = p->measured[PARIO_QUANTITY_TOTAL];

	if (!merge(&classes, &p->reference.classes)) {
		pario_classes_release(&classes);
		return pario_err_memory(err, "the classes of calls");
	}
	for (int i = 0; i < PARIO_QUANTITIES; i++)
		e[i] = (struct pario_seconds){ 0, (double)NAN, (double)NAN };
	for (int i = 0; i < PARIO_IO_PARTS; i++)
		e[i].seconds = p->reference.parts[i].rest_measured;
	for (uint32_t i = 1; i <= classes.map.count; i++) {
		const struct pario_class *c = &classes.list[i];
		uint64_t written = p->reference.parts[PARIO_IO_WRITE].bytes;
		double here = benchmark(&p->costs[0], c, written);
		double there = benchmark(&p->costs[1], c, written);
		bool known = here > 0 && isfinite(there);

		e[c->part].seconds +=
			known ? pario_ratio_predict(&there, &here, &c->measured, 1) : c->measured;
	}
	for (int i = 0; i < PARIO_IO_PARTS; i++)
		total += e[i].seconds;
	e[PARIO_QUANTITY_TOTAL].seconds = total;
	e[PARIO_QUANTITY_MAKESPAN].seconds =
		p->measured[PARIO_QUANTITY_MAKESPAN] +
		(measured > 0 ? (total / measured - 1) *
					p->reference.thread_io_measured[p->reference.busiest]
			      : 0);
	pario_classes_release(&classes);
	return 0;
}

/* ---- what was simulated ---- */

static void by_simulation(struct pario_prediction *p)
{
	struct pario_seconds *m = p->estimates[PARIO_MODEL_MODEL];
	struct pario_seconds *h = p->estimates[PARIO_MODEL_HYBRID];
	const struct pario_sim *t = &p->target;
	double io = 0, io_model = 0;

	for (int i = 0; i < PARIO_IO_PARTS; i++) {
		h[i].seconds = t->parts[i].seconds;
		m[i].seconds = t->parts[i].rest_seconds;
	}
	for (uint32_t i = 1; i <= t->classes.map.count; i++)
		m[t->classes.list[i].part].seconds += t->classes.list[i].model;
	for (int i = 0; i < PARIO_IO_PARTS; i++) {
		io += h[i].seconds;
		io_model += m[i].seconds;
	}
	h[PARIO_QUANTITY_TOTAL].seconds = io;
	m[PARIO_QUANTITY_TOTAL].seconds = io_model;
	h[PARIO_QUANTITY_MAKESPAN].seconds = t->makespan;
	m[PARIO_QUANTITY_MAKESPAN].seconds =
		t->makespan + (io > 0 ? (io_model / io - 1) * t->thread_io[t->busiest] : 0);
}

/* In the terms of the model; the four sum up to the difference of the modelled I/O times. */
static void split_difference(struct pario_prediction *p)
{
	double model_here = 0, model_there = 0, e[PARIO_EXPLAIN_SUMS] = { 0 };

	for (uint32_t i = 1; i <= p->reference.classes.map.count; i++)
		model_here += p->reference.classes.list[i].model;
	for (uint32_t i = 1; i <= p->target.classes.map.count; i++) {
		const struct pario_class *c = &p->target.classes.list[i];

		model_there += c->model;
		for (int k = 0; k < PARIO_EXPLAIN_SUMS; k++)
			e[k] += isfinite(c->explain[k]) ? c->explain[k] : 0;
	}
	/* e: alone here, there; alone and in sequence here, there; here as it was */
	p->difference = (struct pario_difference_parts){
		.path = e[4] - model_here,
		.device = e[3] - e[2],
		.locality = (e[1] - e[3]) - (e[0] - e[2]),
		.concurrency = (model_there - e[1]) - (e[4] - e[0]),
	};
}

/* ---- the passes ---- */

static const float CLEARLY = 2; /* times as long as between memory and device, or as short */
static const float TELLING =
	3; /* times as long as from memory: so much the device takes at least */
static const float INTERRUPTION_S = 1e-4F; /* a call may take so much longer for any reason */

/*
 * A file was in memory where its first read took less than a third of what the device takes beyond memory: a read
 * from memory may take longer for many reasons, one from the device hardly takes less. Where it does not say it
 * clearly, it was as the others were, since files that a program finds have mostly the same past; nor can one read say
 * it of a device that takes no longer than an interruption. Where the system does not tell memory from the device, or
 * drops the pages of files that are opened, they count as in memory.
 */
static bool was_warm(const struct pario_costs *costs, const struct pario_sim_first *f, float margin)
{
	return costs->forgets || f->slow < TELLING * f->fast ||
	       f->measured < margin * (f->fast + (f->slow - f->fast) / 3);
}

static bool *warm_files(const struct pario_prediction *p, enum pario_initial initial)
{
	uint32_t files = pario_trace_files(&p->trace);
	bool *warm = calloc(files + 1ul, sizeof(*warm)), most;
	int votes = 0;

	for (uint32_t i = 1; i <= files; i++) {
		if (p->reference.firsts[i].read)
			votes += was_warm(&p->costs[0], &p->reference.firsts[i], 1) ? 1 : -1;
	}
	most = votes >= 0;
	for (uint32_t i = 1; warm && i <= files; i++) {
		const struct pario_sim_first *f = &p->reference.firsts[i];

		warm[i] = initial == PARIO_INITIAL_WARM	  ? true
			  : initial == PARIO_INITIAL_COLD ? false
			  : !f->read			  ? false
			  : f->slow - f->fast < INTERRUPTION_S
				  ? most
				  : was_warm(&p->costs[0], f, most ? CLEARLY : 1 / CLEARLY);
	}
	return warm;
}

static int nothing_to_predict(const char *path, struct pario_err *err)
{
	return pario_err_set(err, PARIO_USAGE,
			     "%s holds no I/O on storage: there is nothing to predict.", path);
}

/* The order of calls is not in a profile, so what needs it is refused rather than ignored. */
static int by_profile(struct pario_prediction *p, const struct pario_predict_request *request,
		      struct pario_err *err)
{
	if (request->think != 1 || request->initial != PARIO_INITIAL_REFERENCE)
		return pario_err_set(
			err, PARIO_USAGE,
			"--%s needs the trace: %s is a profile, which does not hold the order of calls.",
			request->think != 1 ? "think" : "initial", request->trace);
	pario_profiled_measured(&p->sheet, p->measured);
	if (!(p->measured[PARIO_QUANTITY_TOTAL] > 0))
		return nothing_to_predict(request->trace, err);
	return pario_profiled(p, request->background, err);
}

static int simulate_from(const struct pario_prediction *p, struct pario_sim *sim,
			 struct pario_sim_input input, enum pario_initial initial,
			 struct pario_err *err)
{
	bool *warm = warm_files(p, initial);
	int status;

	input.warm = warm;
	status = pario_simulate(sim, &input, err);
	free(warm);
	return status;
}

static struct pario_sim_input on_target(struct pario_prediction *p,
					const struct pario_predict_request *request)
{
	return (struct pario_sim_input){ .trace = &p->trace,
					 .costs = &p->costs[1],
					 .reference = &p->costs[0],
					 .point = p->systems[0]->point,
					 .background = request->background,
					 .learnt = &p->learnt,
					 .think = request->think,
					 .factor = pario_hybrid_factor,
					 .factor_self = &p->hybrid };
}

/* By the trace's clock, as the model has it there, and on the target. */
static int simulate_all(struct pario_prediction *p, const struct pario_predict_request *request,
			struct pario_err *err)
{
	struct pario_sim_input here = { .trace = &p->trace,
					.costs = &p->costs[0],
					.point = p->systems[0]->point,
					.by_trace = true,
					.learnt = &p->learnt,
					.think = 1 };
	struct pario_sim_input again = { .trace = &p->trace,
					 .costs = &p->costs[0],
					 .point = p->systems[0]->point,
					 .learnt = &p->learnt,
					 .think = 1 };

	if (pario_learnt_init(&p->learnt, &p->trace, err) < 0 ||
	    pario_simulate(&p->reference, &here, err) < 0 ||
	    pario_learnt_settle(&p->learnt, err) < 0)
		return -1;
	take_measured(&p->reference, p->measured);
	if (!(p->measured[PARIO_QUANTITY_TOTAL] > 0))
		return nothing_to_predict(request->trace, err);
	if (simulate_from(p, &p->model, again, PARIO_INITIAL_REFERENCE, err) < 0)
		return -1;
	pario_hybrid_init(&p->hybrid, &p->model.classes, &p->costs[0]);
	return simulate_from(p, &p->target, on_target(p, request), request->initial, err);
}

/*
 * How far the makespan follows when all calls take as long as the ends of the interval of the I/O time say: who waits
 * for whom decides. Of one thread the draws say it.
 */
static int bound_makespan(struct pario_prediction *p, const struct pario_predict_request *request,
			  struct pario_err *err)
{
	const struct pario_seconds *io = &p->estimates[PARIO_MODEL_HYBRID][PARIO_QUANTITY_TOTAL];
	double bounds[2] = { (double)NAN, (double)NAN };

	for (int i = 0; i < 2 && !p->profiled && p->target.threads > 1 && io->seconds > 0; i++) {
		struct pario_sim_input input = on_target(p, request);
		struct pario_sim sim;

		input.stretch = (i ? io->high : io->low) / io->seconds;
		if (simulate_from(p, &sim, input, request->initial, err) < 0)
			return -1;
		bounds[i] = sim.makespan;
		pario_sim_release(&sim);
	}
	pario_interval_of_makespan(p, bounds);
	return 0;
}

/* ---- what it really took ---- */

static int measure_profile(const char *path, double quantities[PARIO_QUANTITIES],
			   struct pario_err *err)
{
	struct pario_sheet sheet;

	if (pario_sheet_load(&sheet, path, err) < 0)
		return -1;
	pario_profiled_measured(&sheet, quantities);
	pario_sheet_release(&sheet);
	return 0;
}

static int measure_run(struct pario_prediction *p, const char *path,
		       double quantities[PARIO_QUANTITIES], struct pario_err *err)
{
	struct pario_trace *trace = calloc(1, sizeof(*trace));
	struct pario_sim_input input = { .trace = trace,
					 .costs = &p->costs[1],
					 .point = p->systems[1]->point,
					 .by_trace = true,
					 .think = 1 };
	struct pario_sim sim;
	int status;

	if (pario_sheet_is_journal(path)) {
		free(trace);
		return measure_profile(path, quantities, err);
	}
	if (!trace)
		return pario_err_memory(err, "the trace %s", path);
	status = pario_trace_load(trace, path, err);
	if (status == 0) {
		status = pario_simulate(&sim, &input, err);
		if (status == 0) {
			take_measured(&sim, quantities);
			pario_sim_release(&sim);
		}
		pario_trace_release(trace);
	}
	free(trace);
	return status;
}

static int measure_actual(struct pario_prediction *p, const struct pario_predict_request *request,
			  struct pario_err *err)
{
	double runs[PARIO_ACTUAL_RUNS][PARIO_QUANTITIES], column[PARIO_ACTUAL_RUNS];

	p->actual_count = request->actual_count;
	for (int i = 0; i < request->actual_count; i++) {
		if (measure_run(p, request->actual[i], runs[i], err) < 0)
			return -1;
	}
	for (int q = 0; q < PARIO_QUANTITIES; q++) {
		double sum = 0;

		for (int i = 0; i < request->actual_count; i++) {
			column[i] = runs[i][q];
			sum += column[i];
		}
		p->actual[q] = p->actual_count ? sum / p->actual_count : (double)NAN;
		p->actual_rsd[q] = p->actual_count > 1
					   ? pario_ratio_rsd(column, (size_t)p->actual_count)
					   : (double)NAN;
	}
	return 0;
}

/* ---- all of it ---- */

static int work_out(struct pario_prediction *p, const struct pario_predict_request *request,
		    struct pario_err *err)
{
	double floors[2];

	for (int i = 0; i < 2; i++) {
		if (pario_costs_init(&p->costs[i], p->systems[i], err) < 0)
			return -1;
		floors[i] =
			isnan(p->systems[i]->noise_floor_rsd) ? 0 : p->systems[i]->noise_floor_rsd;
	}
	p->noise_floor = hypot(floors[0], floors[1]);
	if ((p->profiled ? by_profile(p, request, err) : simulate_all(p, request, err)) < 0 ||
	    by_ratio(p, err) < 0)
		return -1;
	by_simulation(p);
	split_difference(p);
	if (pario_intervals(p, err) < 0 || bound_makespan(p, request, err) < 0)
		return -1;
	/* without the order of calls there is no simulation */
	for (int q = 0; p->profiled && q < PARIO_QUANTITIES; q++)
		p->estimates[PARIO_MODEL_MODEL][q] =
			(struct pario_seconds){ (double)NAN, (double)NAN, (double)NAN };
	if (pario_replayed(p, request, err) < 0 || measure_actual(p, request, err) < 0)
		return -1;
	pario_prediction_doubt(p);
	return 0;
}

static int load_profile(struct pario_prediction *p, const char *path, struct pario_err *err)
{
	if (pario_sheet_load(&p->sheet, path, err) < 0)
		return -1;
	snprintf(p->trace.path, sizeof(p->trace.path), "%s", path);
	p->trace.version = p->sheet.version;
	p->trace.job.start_ns = p->sheet.run;
	return 0;
}

int pario_predict(struct pario_prediction *p, const struct pario_predict_request *request,
		  struct pario_err *err)
{
	int status;

	memset(p, 0, sizeof(*p));
	p->profiled = pario_sheet_is_journal(request->trace);
	if ((p->profiled ? load_profile(p, request->trace, err)
			 : pario_trace_load(&p->trace, request->trace, err)) < 0)
		return -1;
	p->systems[0] = request->reference;
	p->systems[1] = request->target;
	p->same = request->reference == request->target;
	status = work_out(p, request, err);
	if (status < 0)
		pario_prediction_release(p);
	return status;
}

void pario_prediction_release(struct pario_prediction *p)
{
	pario_sim_release(&p->reference);
	pario_sim_release(&p->model);
	pario_sim_release(&p->target);
	pario_learnt_release(&p->learnt);
	for (int i = 0; i < 2; i++)
		pario_costs_release(&p->costs[i]);
	pario_trace_release(&p->trace);
	pario_sheet_release(&p->sheet);
	pario_text_release(&p->doubts);
}
