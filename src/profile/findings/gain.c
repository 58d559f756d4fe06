/*
 * gain: of a survey, what its model predicts for the best of its points that fit, at the slow end of the interval; of
 * a run, the best result of `transfer` that fits. Misleads where the survey found the storage as it is not when the
 * program runs.
 */
#include "profile/findings/gain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "survey/record.h"

static const uint64_t LARGE = 64 << 10;

/* A parameter of one result: of its point, or else of the whole run. */
static void parameter(const struct pario_history *h, const json_t *line, const char *name,
		      char *value, size_t capacity)
{
	const char *at = pario_history_text(line, "point"), *whole = pario_history_param(h, name);
	size_t length = strlen(name);

	for (; *at; at += strcspn(at, " "), at += *at == ' ') {
		if (strncmp(at, name, length) == 0 && at[length] == '=') {
			at += length + 1;
			snprintf(value, capacity, "%.*s", (int)strcspn(at, " "), at);
			return;
		}
	}
	snprintf(value, capacity, "%s", whole ? whole : "");
}

static uint64_t clients_of(const json_t *line)
{
	return (uint64_t)json_integer_value(json_object_get(line, "clients"));
}

static uint64_t size_of(const struct pario_history *h, const json_t *line)
{
	struct pario_err err = { 0 };
	char text[64];
	uint64_t bytes = 0;

	parameter(h, line, "transfer_size", text, sizeof(text));
	return pario_units_parse_size("transfer_size", text, &bytes, &err) < 0 ? 0 : bytes;
}

static bool fits(const struct pario_history *h, const json_t *line, const char *phase,
		 const struct pario_profile_finding *f)
{
	char api[32], collective[32];

	parameter(h, line, "api", api, sizeof(api));
	parameter(h, line, "collective", collective, sizeof(collective));
	return strcmp(pario_history_text(line, "test"), "transfer") == 0 &&
	       strcmp(pario_history_text(line, "phase"), phase) == 0 &&
	       strcmp(pario_history_text(line, "outcome"), "pass") == 0 &&
	       strcmp(api, "null") != 0 &&
	       (f->rule->better == PARIO_BETTER_COLLECTIVE) == (strcmp(collective, "1") == 0) &&
	       clients_of(line) <= (f->processes ? f->processes : 1) &&
	       (f->rule->better == PARIO_BETTER_COLLECTIVE || size_of(h, line) >= LARGE);
}

static double rate_of(const json_t *line)
{
	return json_number_value(json_object_get(line, "rate_mib_s"));
}

/* The least of a point's repetitions: so much can be relied on. */
static double least_rate(const struct pario_history *h, const json_t *of)
{
	double least = rate_of(of);

	for (size_t i = 0; i < h->result_count; i++) {
		const json_t *line = h->results[i];

		if (strcmp(pario_history_text(line, "point"), pario_history_text(of, "point")) ==
			    0 &&
		    strcmp(pario_history_text(line, "phase"), pario_history_text(of, "phase")) ==
			    0 &&
		    clients_of(line) == clients_of(of) && rate_of(line) < least)
			least = rate_of(line);
	}
	return least;
}

/* The best of what fits; NULL where nothing does. */
static const json_t *best_of(const struct pario_history *h, const char *phase,
			     const struct pario_profile_finding *f, double *rate)
{
	const json_t *best = NULL;

	*rate = 0;
	for (size_t i = 0; i < h->result_count; i++) {
		double least;

		/* whose own rate is no better cannot have a better least one */
		if (!(rate_of(h->results[i]) > *rate) || !fits(h, h->results[i], phase, f))
			continue;
		least = least_rate(h, h->results[i]);
		if (least > *rate) {
			*rate = least;
			best = h->results[i];
		}
	}
	return best;
}

/* A way to do it, and how fast it is. */
struct way {
	double rate, low; /* MiB/s of all clients together, and what can be relied on */
	uint64_t bytes, clients;
	const char *origin;
};

/* ---- what a survey predicts ---- */

static bool is_level(const struct pario_space *space, size_t cell, const char *axis,
		     const char *label)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		if (strcmp(space->axes[a].name, axis) == 0)
			return strcmp(space->axes[a].label[pario_space_level(space, cell, a)],
				      label) == 0;
	}
	return false;
}

static bool survey_fits(const struct pario_space *space, size_t cell,
			const struct pario_profile_finding *f)
{
	bool collective = f->rule->better == PARIO_BETTER_COLLECTIVE;

	return space->cell[cell].exists && !is_level(space, cell, "interface", "null") &&
	       is_level(space, cell, "pattern", "random") == false &&
	       collective == is_level(space, cell, "interface", "mpiio collective") &&
	       pario_space_value(space, cell, PARIO_AXIS_COUNT) <=
		       (double)(f->processes ? f->processes : 1) &&
	       (collective || pario_space_value(space, cell, PARIO_AXIS_SIZE) >= (double)LARGE);
}

/* The point that the model finds fastest; what is near it was measured, and says how far that can be trusted. */
static bool best_of_survey(const struct pario_finding_set *set, unsigned m,
			   const struct pario_profile_finding *f, struct way *way)
{
	const struct pario_space *space = &set->space;
	double best = INFINITY, log_mib;
	struct pario_err err = { 0 };
	struct pario_spot place;
	struct pario_guesser guesser;
	struct pario_guess guess;

	for (size_t i = 0; i < space->cells; i++) {
		struct pario_spot at = pario_spot_of(space, i, m);
		double per_byte =
			pario_model_cost(&set->model, &at, 0) - at.log_bytes - at.log_clients;

		if (!survey_fits(space, i, f) || per_byte >= best)
			continue;
		best = per_byte;
		place = at;
	}
	if (!isfinite(best) || pario_guesser_init(&guesser, space, &set->model, &err) < 0)
		return false;
	guess = pario_guess_at(&guesser, &place);
	pario_guesser_release(&guesser);
	log_mib = place.log_bytes + place.log_clients - log(PARIO_MIB);
	*way = (struct way){ .rate = exp(log_mib - guess.cost),
			     .low = exp(log_mib - guess.high),
			     .bytes = (uint64_t)(exp(place.log_bytes) + 0.5),
			     .clients = (uint64_t)(exp(place.log_clients) + 0.5),
			     .origin = "By the survey of this storage" };
	return true;
}

static bool ask_survey(const json_t *survey, const char *phase,
		       const struct pario_profile_finding *f, struct way *way)
{
	struct pario_finding_set *set = malloc(sizeof(*set));
	struct pario_err err = { 0 };
	bool found = false;

	if (set && pario_record_read(survey, set, &err) == 0) {
		for (unsigned m = 0; m < set->space.measures; m++)
			found |= strcmp(set->space.measure[m], phase) == 0 &&
				 best_of_survey(set, m, f, way);
		pario_space_release(&set->space);
	}
	free(set);
	return found;
}

static bool find_way(const struct pario_history *storage, const char *phase,
		     const struct pario_profile_finding *f, struct way *way)
{
	const json_t *survey = pario_record_find(storage->notes, storage->note_count), *best;

	if (survey)
		return ask_survey(survey, phase, f, way);
	best = best_of(storage, phase, f, &way->rate);
	if (!best)
		return false;
	way->low = way->rate;
	way->bytes = size_of(storage, best);
	way->clients = clients_of(best);
	way->origin = "Measured on this storage";
	return true;
}

void pario_gain_says(const struct pario_history *storage, const struct pario_profile *p,
		     const struct pario_profile_finding *f, struct pario_text *text)
{
	uint8_t class =
		f->site ? pario_trace_operation(p->sites[f->site].op)->class : PARIO_CLASS_OTHER;
	const char *phase = class == PARIO_CLASS_READ ? "read" : "write";
	double bytes = (double)f->bytes * (f->moves ? (double)f->calls / (double)f->moves : 1);
	char size[PARIO_UNITS_CAPACITY], moved[PARIO_UNITS_CAPACITY], speed[PARIO_UNITS_CAPACITY],
		then[PARIO_UNITS_CAPACITY], now[PARIO_UNITS_CAPACITY];
	struct way way = { 0 };
	/* processes that worked beside each other took their time together */
	double seconds, took = f->ns * 1e-9 / (f->processes ? f->processes : 1);

	if (!storage || f->rule->better == PARIO_BETTER_UNKNOWN ||
	    (class != PARIO_CLASS_READ && class != PARIO_CLASS_WRITE) ||
	    !find_way(storage, phase, f, &way))
		return;
	seconds = bytes / PARIO_MIB / way.low;
	if (seconds >= took)
		return;
	pario_text_add(text,
		       "%s: %ss of %s by %llu client%s%s at %s%s. These %s would take %s that way, "
		       "not %s.",
		       way.origin, phase, pario_units_size(size, way.bytes),
		       (unsigned long long)way.clients, way.clients == 1 ? "" : "s",
		       f->rule->better == PARIO_BETTER_COLLECTIVE ? ", collectively," : "",
		       way.low < way.rate ? "no less than " : "", pario_units_rate(speed, way.low),
		       pario_units_size(moved, (uint64_t)bytes), pario_units_time(then, seconds),
		       pario_units_time(now, took));
}
