/*
 * gain: looks for results of `transfer` with large pieces, in runs and surveys alike.
 */
#include "profile/findings/gain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

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

void pario_gain_says(const struct pario_history *storage, const struct pario_profile *p,
		     const struct pario_profile_finding *f, struct pario_text *text)
{
	uint8_t class =
		f->site ? pario_trace_op_info[p->sites[f->site].op - PARIO_TRACE_FIRST].class
			: PARIO_CLASS_OTHER;
	const char *phase = class == PARIO_CLASS_READ ? "read" : "write";
	double rate,
		bytes = (double)f->bytes * (f->moves ? (double)f->calls / (double)f->moves : 1);
	char size[PARIO_UNITS_CAPACITY], moved[PARIO_UNITS_CAPACITY], speed[PARIO_UNITS_CAPACITY],
		then[PARIO_UNITS_CAPACITY], now[PARIO_UNITS_CAPACITY];
	const json_t *best;
	/* processes that worked beside each other took their time together */
	double seconds, took = f->ns * 1e-9 / (f->processes ? f->processes : 1);

	if (!storage || f->rule->better == PARIO_BETTER_UNKNOWN ||
	    (class != PARIO_CLASS_READ && class != PARIO_CLASS_WRITE))
		return;
	best = best_of(storage, phase, f, &rate);
	if (!best)
		return;
	seconds = bytes / 1048576 / rate;
	if (seconds >= took)
		return;
	pario_text_add(text,
		       "Measured on this storage: %ss of %s by %llu client%s%s at %s. These %s "
		       "would take %s that way, not %s.",
		       phase, pario_units_size(size, size_of(storage, best)),
		       (unsigned long long)clients_of(best), clients_of(best) == 1 ? "" : "s",
		       f->rule->better == PARIO_BETTER_COLLECTIVE ? ", collectively," : "",
		       pario_units_rate(speed, rate), pario_units_size(moved, (uint64_t)bytes),
		       pario_units_time(then, seconds), pario_units_time(now, took));
}
