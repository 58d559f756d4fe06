/*
 * fit: the journal of a characterization in, a SYSTEM out.
 *
 * The time of a call is the mean over the calls of a phase, less what pario spent on making data, less what the engine
 * itself takes of a call, measured on the null backend. Means, not medians, since predictions add calls up; the median
 * is that of the repetitions' means.
 */
#include "characterize/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/fit_private.h"

/* So many times the median is an interruption, where few calls took so long: this many of many, or this share. */
#define INTERRUPTED 8
#define FEW_CALLS   4
#define MANY_CALLS  32
#define FEW_SHARE   0.02

/* Closing a file after so many bytes or more costs the same. */
#define MANY (1 << 20)

/* The width of the histogram's bins, as a share of where they begin. */
#define BIN 0.125

double pario_fit_number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const struct pario_set_part *pario_fit_part(const json_t *result)
{
	const char *name =
		json_string_value(json_object_get(json_object_get(result, "params"), "part"));

	return name ? pario_set_find(name) : NULL;
}

static bool misses(const struct pario_set_part *part)
{
	return part->phases[0].path == PARIO_SYSTEM_MISS;
}

bool pario_fit_counts(const struct pario_set_part *part, const json_t *result)
{
	const char *outcome = pario_history_text(result, "outcome");

	return strcmp(outcome, "pass") == 0 || (strcmp(outcome, "suspect") == 0 && !misses(part));
}

static const struct pario_set_phase *phase_of(const struct pario_set_part *part,
					      const json_t *result)
{
	const char *name = pario_history_text(result, "phase");

	for (size_t i = 0; i < PARIO_SET_PHASES && part->phases[i].name; i++) {
		if (strcmp(part->phases[i].name, name) == 0)
			return &part->phases[i];
	}
	return NULL;
}

static struct pario_system_surface surface_of(const struct pario_set_part *part,
					      const struct pario_set_phase *phase, double clients)
{
	return (struct pario_system_surface){ .op = phase->op,
					      .path = phase->path,
					      .locality = part->locality,
					      .distance_bytes = part->distance_bytes,
					      .clients = (uint32_t)clients,
					      .shared = part->shared };
}

/*
 * Calls that memory answers take alike, unless something else runs in between. A few that took many times the median
 * are not counted; they would be most of the time where calls are large and few. Returns how many, and their seconds.
 */
static double interrupted(const json_t *result, double ops, double *seconds)
{
	const json_t *bins = json_object_get(json_object_get(result, "detail"), "latency"), *bin;
	double median = pario_fit_number(json_object_get(result, "latency_ns"), "p50"), calls = 0;
	size_t i;

	*seconds = 0;
	json_array_foreach(bins, i, bin)
	{
		double from = json_number_value(json_array_get(bin, 0));
		double count = json_number_value(json_array_get(bin, 1));

		if (from > INTERRUPTED * median) {
			calls += count;
			*seconds += count * from * (1 + BIN / 2) * 1e-9;
		}
	}
	if (calls > FEW_SHARE * ops && (calls > FEW_CALLS || ops < MANY_CALLS))
		calls = *seconds = 0;
	return calls;
}

/* Of one call: the mean over the clients where the result has it, else that of the slowest. */
static double call_seconds(const struct pario_set_phase *phase, const json_t *result, double ops,
			   double clients)
{
	double mean = pario_history_metric(result, "transfer_mean_s"), less = 0, calls = 0;
	double least = pario_fit_number(json_object_get(result, "latency_ns"), "min") * 1e-9;
	double seconds;

	if (!isfinite(mean))
		mean = pario_fit_number(json_object_get(result, "seconds"), "transfer");
	if (phase->path == PARIO_SYSTEM_HIT || phase->path == PARIO_SYSTEM_ABSORBED ||
	    phase->path == PARIO_SYSTEM_REWRITTEN) {
		/* Of a handful the least interrupted one speaks. */
		if (ops <= FEW_CALLS * clients && least > 0)
			return least;
		calls = interrupted(result, ops, &less);
	}
	if (calls >= ops || less >= mean * clients)
		calls = less = 0;
	seconds = (mean * clients - less) / (ops - calls);
	/* Where the bins say too much, the shortest call still holds. */
	return calls > 0 && seconds < least ? least : seconds;
}

static void take_close(struct pario_fit *fit, const json_t *result, double bytes)
{
	double clients = pario_fit_number(result, "clients");

	pario_cells_add(&fit->calls,
			&(struct pario_system_surface){ .op = PARIO_SYSTEM_CLOSE,
							.clients = (uint32_t)clients },
			(uint64_t)bytes,
			pario_fit_number(json_object_get(result, "seconds"), "close"));
}

static void take_calls(struct pario_fit *fit, const struct pario_set_part *part,
		       const struct pario_set_phase *phase, const json_t *result)
{
	double ops = pario_fit_number(result, "ops"), clients = pario_fit_number(result, "clients");
	double moved = pario_fit_number(result, "bytes"), bytes = moved / ops;
	double seconds = call_seconds(phase, result, ops, clients);
	double fill = pario_history_metric(result, "fill_s") * clients / ops;
	struct pario_system_surface of = surface_of(part, phase, clients);

	if (part->role == PARIO_SET_NAMES) {
		bytes = (double)of.distance_bytes;
		of.distance_bytes = 0;
	}
	if (!(ops > 0) || !(bytes >= 0))
		return;
	if (part->role == PARIO_SET_ENGINE) {
		pario_cells_add(&fit->engine, &of, 0, seconds);
		return;
	}
	/* In turn with the others: their calls lie between one's own. */
	if (of.locality == PARIO_SYSTEM_STRIDED && !of.distance_bytes)
		of.distance_bytes = (uint64_t)(bytes * clients);
	pario_cells_add_less(&fit->calls, &of, (uint64_t)bytes, seconds, fill > 0 ? fill : 0);
	if (phase->path == PARIO_SYSTEM_ABSORBED && of.locality == PARIO_SYSTEM_SEQUENTIAL &&
	    !of.shared && moved / clients >= MANY)
		take_close(fit, result, MANY);
}

/* Closing costs by what was written; the first read says whether an open file finds its pages again. */
static void take_small(struct pario_fit *fit, const json_t *result)
{
	const struct pario_system_surface none = { 0 };
	double clients = pario_fit_number(result, "clients");
	bool wrote = strcmp(pario_history_text(result, "phase"), "write") == 0;

	if (wrote)
		take_close(fit, result, pario_fit_number(result, "bytes") / clients);
	else if (clients == 1)
		pario_cells_add(&fit->reopened, &none, 0,
				pario_fit_number(json_object_get(result, "seconds"), "transfer"));
}

static void take_found(struct pario_fit *fit, const json_t *result)
{
	const struct pario_system_surface none = { 0 };

	pario_cells_add(&fit->found, &none, 0,
			pario_fit_number(json_object_get(result, "seconds"), "transfer") /
				pario_fit_number(result, "ops"));
}

static void take_fsync(struct pario_fit *fit, const struct pario_set_part *part,
		       const struct pario_set_phase *phase, const json_t *result)
{
	double clients = pario_fit_number(result, "clients");
	struct pario_system_surface of = surface_of(part, phase, clients);

	pario_cells_add(&fit->calls, &of, (uint64_t)(pario_fit_number(result, "bytes") / clients),
			pario_fit_number(json_object_get(result, "seconds"), "sync"));
}

static void take_device(struct pario_fit *fit, const struct pario_set_part *part,
			const struct pario_set_phase *phase, const json_t *result)
{
	bool large = part->role == PARIO_SET_DEVICE_BYTES;
	double amount = pario_fit_number(result, large ? "bytes" : "ops");
	const char *depth = json_string_value(
		json_object_get(json_object_get(result, "params"), "queue_depth"));
	struct pario_system_surface of = { .op = phase->op,
					   .clients =
						   depth ? (uint32_t)strtoul(depth, NULL, 10) : 1 };

	pario_cells_add(large ? &fit->bytes : &fit->ops, &of, 0,
			pario_fit_number(json_object_get(result, "seconds"), "transfer") / amount);
}

static void take_messages(struct pario_fit *fit, const json_t *result)
{
	const struct pario_system_surface of = { 0 };

	pario_cells_add(&fit->latency, &of, 0,
			pario_history_metric(result, "hpcc_random_latency_us") / 1e6);
	pario_cells_add(&fit->message_seconds, &of, 0,
			1 / (pario_history_metric(result, "hpcc_random_mb_s") * 1e6));
}

static void take(struct pario_fit *fit, const json_t *result)
{
	const struct pario_set_part *part = pario_fit_part(result);
	const struct pario_set_phase *phase = part ? phase_of(part, result) : NULL;
	double clients = pario_fit_number(result, "clients");

	if (!part || !pario_fit_counts(part, result) || !(clients >= 1) || clients > 1 << 24)
		return;
	if ((uint64_t)clients > fit->clients)
		fit->clients = (uint64_t)clients;
	if (part->role == PARIO_SET_MESSAGES)
		take_messages(fit, result);
	else if (!phase || part->role == PARIO_SET_FILL)
		return;
	else if (part->role == PARIO_SET_FSYNC)
		take_fsync(fit, part, phase, result);
	else if (part->role == PARIO_SET_SMALL)
		take_small(fit, result);
	else if (part->role == PARIO_SET_FOUND)
		take_found(fit, result);
	else if (part->role == PARIO_SET_DEVICE_BYTES || part->role == PARIO_SET_DEVICE_OPS)
		take_device(fit, part, phase, result);
	else
		take_calls(fit, part, phase, result);
}

/* A file is made and closed: the close is known by itself. */
static void take_off(struct pario_fit *fit)
{
	const struct pario_system_surface close = { .op = PARIO_SYSTEM_CLOSE };
	const struct pario_system_surface engine = { .op = PARIO_SYSTEM_READ,
						     .path = PARIO_SYSTEM_HIT,
						     .locality = PARIO_SYSTEM_SEQUENTIAL };
	double closing, own;

	pario_cells_settle(&fit->calls);
	closing = pario_cells_median(&fit->calls, &close, 0);
	own = pario_cells_median(&fit->engine, &engine, 0);

	pario_cells_less(&fit->calls, PARIO_SYSTEM_CREATE, closing);
	pario_cells_less(&fit->calls, PARIO_SYSTEM_READ, own);
	pario_cells_less(&fit->calls, PARIO_SYSTEM_WRITE, own);
}

static const char *place_of(const struct pario_history *history)
{
	const json_t *machine = json_object_get(history->begin, "machine");

	return pario_history_text(json_object_get(machine, "filesystem"), "mount");
}

/* Is this the journal of a characterization with this set? */
static int recognise(const struct pario_history *history, struct pario_err *err)
{
	const char *test = pario_history_text(history->begin, "test");
	bool known = false;

	if (strcmp(test, "characterize") != 0)
		return pario_err_set(err, PARIO_USAGE,
				     "%s is the journal of %s, not of a characterization. "
				     "`pario characterize DIR` makes one.",
				     history->path, *test ? test : "another program");
	for (size_t i = 0; i < history->note_count; i++)
		known |= strcmp(pario_history_text(history->notes[i], "text"),
				"characterization set " PARIO_SET_VERSION) == 0;
	if (!known)
		return pario_err_set(
			err, PARIO_USAGE,
			"%s was measured with another set than " PARIO_SET_VERSION
			", by another pario. Fit it with that one, or characterize again.",
			history->path);
	return 0;
}

/* Another journal of the same place: what it measured counts likewise. */
static int add_journal(struct pario_fit *fit, const char *path, struct pario_err *err)
{
	struct pario_history more, *all = &fit->history;
	const char *minutes;

	if (pario_history_load(&more, path, err) < 0)
		return -1;
	if (recognise(&more, err) < 0) {
		pario_history_release(&more);
		return -1;
	}
	minutes = pario_history_param(&more, "minutes");
	fit->minutes += minutes ? strtod(minutes, NULL) : strtod(PARIO_SET_MINUTES, NULL);
	if (!all->begin) {
		*all = more;
		return 0;
	}
	if (strcmp(place_of(all), place_of(&more)) != 0) {
		pario_err_set(err, PARIO_USAGE,
			      "%s was measured at %s and %s at %s: a SYSTEM describes one place.",
			      all->path, place_of(all), more.path, place_of(&more));
		pario_history_release(&more);
		return -1;
	}
	fit->seconds += pario_fit_number(more.end, "seconds");
	return pario_history_join(all, &more, err);
}

static int build(struct pario_fit *fit, struct pario_err *err)
{
	for (size_t i = 0; i < fit->history.result_count; i++)
		take(fit, fit->history.results[i]);
	take_off(fit);
	fit->system->noise_floor_rsd = pario_cells_noise(&fit->calls);
	fit->system->reopened_read_seconds =
		pario_cells_median(&fit->reopened, &(struct pario_system_surface){ 0 }, 0);
	fit->system->found_read_seconds =
		pario_cells_median(&fit->found, &(struct pario_system_surface){ 0 }, 0);
	pario_fit_head(fit);
	pario_fit_memory(fit);
	if (pario_cells_surfaces(&fit->calls, fit->system) < 0 || pario_fit_devices(fit) < 0 ||
	    pario_fit_messages(fit) < 0 || pario_fit_coverage(fit) < 0)
		return pario_err_memory(err, "the SYSTEM");
	if (fit->system->surface_count == 0)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"%s holds no measurement that could be fitted. Characterize again.",
			fit->history.path);
	return 0;
}

int pario_characterize_fit_all(struct pario_system *system, const char *const *paths, size_t count,
			       struct pario_err *err)
{
	struct pario_fit fit = { .system = system };
	int status = 0;

	pario_system_init(system);
	for (size_t i = 0; status == 0 && i < count; i++)
		status = add_journal(&fit, paths[i], err);
	if (status == 0)
		status = build(&fit, err);
	pario_cells_release(&fit.calls);
	pario_cells_release(&fit.engine);
	pario_cells_release(&fit.bytes);
	pario_cells_release(&fit.ops);
	pario_cells_release(&fit.latency);
	pario_cells_release(&fit.message_seconds);
	pario_cells_release(&fit.reopened);
	pario_cells_release(&fit.found);
	pario_history_release(&fit.history);
	if (status < 0)
		pario_system_release(system);
	return status;
}
