/*
 * measure: the set of a characterization, measured round by round.
 */
#include "characterize/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "characterize/measure/refuse.h"
#include "engine/watch.h"
#include "session/part.h"
#include "tests/tests.h"

/* Of the time, for timed phases; the rest makes, stores and evicts data. */
#define TIMED_SHARE 0.3
#define LIMIT_LEAST 0.02
#define LIMIT_MOST  0.5

/* A part and its plan; `reason` says why it cannot be measured here. */
struct part {
	const struct pario_set_part *set;
	struct pario_plan plan;
	struct pario_err reason;
	uint64_t repetitions;
};

/* A point of a part at a number of clients. */
struct place {
	struct part *part;
	uint64_t index, clients, complete;
	bool over, visited;
};

struct rounds {
	struct pario_characterization *command;
	struct pario_session *session;
	struct part *parts;
	struct place *places;
	size_t place_count;
	double limit; /* of a phase, in seconds */
};

/* ---- plans ---- */

static bool fill_size(const void *context, const char *value, char *text, size_t capacity)
{
	(void)context;
	if (strcmp(value, PARIO_SET_FILL_SIZE) != 0)
		return false;
	snprintf(text, capacity, "%llu", (unsigned long long)pario_refuse_fill_bytes());
	return true;
}

/* Another backend than the usual, and what it was told: the null backend's planted times, for example. */
static int take_backend(struct part *part, const struct pario_config *command,
			struct pario_err *err)
{
	const struct pario_setting *api = pario_config_find(command, "api");

	if (part->set->role == PARIO_SET_ENGINE || !(part->plan.test->needs & PARIO_NEED_FILES) ||
	    api->origin == PARIO_ORIGIN_DEFAULT)
		return 0;
	for (size_t i = 0; i < command->setting_count; i++) {
		const struct pario_setting *s = &command->settings[i];

		if (s->origin == PARIO_ORIGIN_DEFAULT ||
		    (s != api && strcmp(command->tables[s->table].title, api->text) != 0))
			continue;
		if (pario_config_set(&part->plan.config, s->option->name, s->text, s->origin, err) <
		    0)
			return -1;
	}
	return 0;
}

static int make_plan(struct part *part, const struct rounds *r, struct pario_err *err)
{
	const struct pario_characterization *c = r->command;
	struct pario_plan *plan = &part->plan;
	char clients[256] = "1";

	if (pario_plan_init(plan, pario_test_by_name(part->set->test), err) < 0)
		return -1;
	if (part->set->clients != PARIO_SET_ONE)
		pario_part_clients(c->clients, part->set->clients == PARIO_SET_SWEEP, clients,
				   sizeof(clients));
	if (pario_config_set(&plan->config, "clients", clients, PARIO_ORIGIN_PLAN, err) < 0 ||
	    pario_part_take_over(plan, &c->frame.config, err) < 0 ||
	    pario_part_settings(plan, part->set->settings, fill_size, NULL, err) < 0 ||
	    take_backend(part, &c->frame.config, err) < 0 ||
	    pario_plan_settle(plan, c->clients, err) < 0)
		return -1;
	plan->settings.seed = c->frame.settings.seed;
	plan->per_node = r->session->crew.world.node_clients_max;
	part->repetitions =
		strstr(part->set->settings, "repetitions=1") ? 1 : c->frame.settings.repetitions;
	pario_refuse_part(part->set, c->frame.settings.dir, c->clients, &part->reason);
	return 0;
}

static int add_places(struct rounds *r, struct part *part, struct pario_err *err)
{
	/* What cannot be measured is told once, not point by point. */
	uint64_t points = part->reason.code ? 1 : part->plan.points;
	uint64_t counts = part->reason.code ? 1 : part->plan.client_count;
	struct place *more =
		reallocarray(r->places, r->place_count + points * counts, sizeof(*more));

	if (!more)
		return pario_err_memory(err, "the points");
	r->places = more;
	for (uint64_t i = 0; i < points * counts; i++)
		more[r->place_count++] = (struct place){
			.part = part, .index = i / counts, .clients = part->plan.clients[i % counts]
		};
	return 0;
}

/* Of all repetitions; the time limit of a phase follows from it. */
static uint64_t phase_count(const struct rounds *r)
{
	uint64_t count = 0;

	for (size_t i = 0; i < r->place_count; i++) {
		const struct pario_set_phase *phases = r->places[i].part->set->phases;
		size_t n = 0;

		while (n < PARIO_SET_PHASES && phases[n].name)
			n++;
		count += r->places[i].part->repetitions * (n ? n : 1);
	}
	return count;
}

static int make_plans(struct rounds *r, struct pario_err *err)
{
	r->parts = calloc(pario_set_count, sizeof(*r->parts));
	if (!r->parts)
		return pario_err_memory(err, "the plans");
	for (size_t i = 0; i < pario_set_count; i++) {
		r->parts[i].set = &pario_set[i];
		if (make_plan(&r->parts[i], r, err) < 0 || add_places(r, &r->parts[i], err) < 0)
			return -1;
	}
	r->limit = r->command->minutes * 60 * TIMED_SHARE / (double)phase_count(r);
	if (r->limit > LIMIT_MOST)
		r->limit = LIMIT_MOST;
	if (r->limit < LIMIT_LEAST)
		r->limit = LIMIT_LEAST;
	return 0;
}

/* ---- rounds ---- */

static double elapsed(const struct rounds *r)
{
	return pario_clock_s(pario_clock_ns() - r->session->start_ns);
}

static int run(struct rounds *r, struct place *place, struct pario_bound *bound, uint64_t round,
	       const struct pario_err *reason, struct pario_err *err)
{
	struct pario_session *s = r->session;
	uint64_t failures = s->failures;
	int status;

	if (!strstr(place->part->set->settings, "time_limit="))
		bound->settings.time_limit = r->limit;
	bound->settings.repetitions = place->part->repetitions;
	bound->settings.first_repetition = round;
	bound->settings.end_repetition = round + 1;
	bound->settings.again = place->visited;
	status = pario_session_point(s, bound, reason, err);
	place->visited = true;
	place->complete = round + 1;
	/* What failed is told once; it will not get better. */
	place->over = reason->code || s->failures > failures;
	s->result_count = 0;
	return status;
}

static int visit(struct rounds *r, struct place *place, uint64_t round, struct pario_err *err)
{
	struct part *part = place->part;
	struct pario_err reason = { 0 };
	struct pario_bound bound;
	int status = 0;

	pario_plan_bind(&part->plan, place->index, place->clients, &bound, &reason);
	pario_part_name(&bound, part->set->name);
	if (part->reason.code)
		reason = part->reason;
	pario_refuse_space(&bound, &reason);
	if (round == 0)
		place->complete = pario_resume_state_repetitions(&r->session->earlier, &bound,
								 part->repetitions);
	if (place->complete <= round)
		status = run(r, place, &bound, round, &reason, err);
	place->over |= place->complete >= part->repetitions;
	pario_bound_release(&bound);
	return status;
}

/* The time is over: says what is missing. */
static void stop(struct rounds *r, uint64_t round, size_t at)
{
	char text[200];

	if (round == 0)
		snprintf(text, sizeof(text),
			 "the time was over after %zu of %zu points, so the others are missing", at,
			 r->place_count);
	else
		snprintf(text, sizeof(text), "the time was over in repetition %llu of %llu",
			 (unsigned long long)round + 1,
			 (unsigned long long)r->command->frame.settings.repetitions);
	r->session->sink.note(&r->session->sink, "warning", text, "Use more --minutes");
}

/* `open`: another round is wanted and there is time for it. */
static int measure_round(struct rounds *r, uint64_t round, bool *open, struct pario_err *err)
{
	int status = 0;

	*open = false;
	for (size_t i = 0; i < r->place_count && status == 0 && !pario_watch_interrupted(); i++) {
		if (r->places[i].over)
			continue;
		if (elapsed(r) > r->command->minutes * 60) {
			stop(r, round, i);
			*open = false;
			return 0;
		}
		status = visit(r, &r->places[i], round, err);
		*open |= !r->places[i].over;
	}
	return status;
}

int pario_characterization_measure(struct pario_characterization *c, struct pario_session *session,
				   struct pario_err *err)
{
	struct rounds r = { .command = c, .session = session };
	int status = make_plans(&r, err);
	bool open = true;

	session->planned = phase_count(&r);
	for (uint64_t round = 0; open && status == 0 && !pario_watch_interrupted(); round++)
		status = measure_round(&r, round, &open, err);
	for (size_t i = 0; r.parts && i < pario_set_count; i++)
		pario_plan_release(&r.parts[i].plan);
	free(r.places);
	free(r.parts);
	return status;
}

uint64_t pario_characterization_space(const struct pario_characterization *c)
{
	uint64_t one = (uint64_t)128 << 20, all = c->clients * (64 << 20);
	uint64_t fill = pario_refuse_fill_fits() ? pario_refuse_fill_bytes() : 0;

	one = all > one ? all : one;
	return fill > one ? fill : one;
}
