/*
 * sweep: every point of a plan at every client count, repetition by repetition: the first of all points, then the
 * second of all. What changes with time (a device that warms up, another user) then changes all points alike and is not
 * taken for a difference between them.
 *
 * Many points are taken in batches, so that their results fit into memory. A plan of one point runs in one visit.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/watch.h"
#include "report/text/result_lines.h"
#include "session/part.h"
#include "session/session.h"
#include "session/sink.h"

enum {
	BATCH_RESULTS = 2048, /* of about 7 KiB each */
	UNTIL_LEAST = 6,      /* repetitions: fewer carry no 95 % interval */
	UNTIL_S = 60,	      /* for the repetitions of a point, without --time_limit */
};

/* How far a point at one client count has come. */
struct place {
	uint64_t complete; /* repetitions, with those of an earlier part of the run */
	double seconds;
	struct pario_budget_visit visit;
	bool visited, over;
	bool denied; /* there is no time for it any more */
};

struct pario_sweep {
	struct pario_session *session;
	const struct pario_plan *plan;
	uint64_t from, count; /* the batch: point times client counts, and which of them */
	struct place *places;
	int64_t began_ns;
	bool begun;	  /* something was measured */
	uint64_t cut;	  /* repetitions that --run_limit left out */
	const char *part; /* of a set, and how long a visit takes there that no limit bounds */
	double untimed_s;
};

/* Takes what an earlier part of the run has measured of a point. */
static int take_up(struct pario_session *s, const struct pario_bound *bound, bool open_ended,
		   struct place *place, struct pario_err *err)
{
	uint64_t most = open_ended ? UINT64_MAX : bound->settings.repetitions;
	const struct pario_result *r;
	size_t at = 0;

	place->complete = pario_resume_state_repetitions(&s->earlier, bound, most);
	while ((r = pario_resume_state_next(&s->earlier, bound, place->complete, &at)) != NULL) {
		if (pario_sink_known(s, r, err) < 0)
			return -1;
	}
	return 0;
}

/* Is every number of a point known as well as --until asks for? A phase without one will not get better. */
static bool is_narrow(const struct pario_session *s, const struct pario_bound *bound, double share)
{
	struct pario_result *group = malloc((s->result_count + 1) * sizeof(*group));
	struct pario_phase phases[PARIO_PHASES];
	unsigned count = pario_bound_phases(bound, phases);
	bool narrow = true;

	for (unsigned i = 0; group && i < count; i++) {
		struct pario_summary sum;
		size_t n = pario_sink_gather(s, bound->point.index, bound->point.clients,
					     phases[i].name, group);

		sum = pario_summary_of(group, n);
		narrow &= !(sum.count >= UNTIL_LEAST && sum.high - sum.low > share * sum.median);
	}
	free(group);
	return narrow;
}

static bool is_late(const struct pario_sweep *sweep)
{
	double limit = sweep->plan->settings.run_limit;

	return limit > 0 && pario_clock_s(pario_clock_ns() - sweep->began_ns) >= limit;
}

static bool is_over(const struct pario_sweep *sweep, const struct pario_bound *bound,
		    const struct place *place)
{
	const struct pario_session *s = sweep->session;
	const struct pario_plan *plan = sweep->plan;
	const struct pario_settings *set = &bound->settings;
	double most = set->time_limit > 0 ? set->time_limit : UNTIL_S;

	/* Storage that returns wrong data is not measured again; other points are points of their own. */
	if (s->point_code == PARIO_VERIFY)
		return true;
	if (place->denied || (place->complete > 0 && is_late(sweep)))
		return true;
	if (place->complete < set->repetitions)
		return false;
	return !(plan->until > 0) || (place->complete >= UNTIL_LEAST &&
				      (place->seconds >= most || is_narrow(s, bound, plan->until)));
}

/* --pause; a signal ends it. */
static void wait_between(const struct pario_settings *set)
{
	pario_watch_step(set->deadline > 0 ? set->deadline + set->pause : 0,
			 "the pause before a repetition");
	pario_watch_nap(set->pause);
}

/* What a visit of this point takes where nobody disturbs. */
static void set_usual(const struct pario_sweep *sweep, const struct pario_bound *bound,
		      struct pario_budget_visit *v)
{
	struct pario_phase list[PARIO_PHASES];

	v->limits_s = bound->settings.time_limit * pario_bound_phases(bound, list);
	v->usual_s = sweep->untimed_s > 0 ? sweep->untimed_s : v->limits_s / PARIO_BUDGET_TIMED;
}

/* Without time for it, what is left of a point is not waited for. */
static bool is_granted(struct pario_sweep *sweep, struct pario_bound *bound, struct place *place)
{
	struct pario_session *s = sweep->session;
	struct pario_phase list[PARIO_PHASES];
	unsigned phases = pario_bound_phases(bound, list);
	uint64_t left = bound->settings.repetitions - place->complete;
	struct pario_budget_visit *v = &place->visit;

	if (!s->budget)
		return true;
	set_usual(sweep, bound, v);
	if (pario_budget_grants(s->budget, v)) {
		bound->settings.ends_s = pario_budget_stops(s->budget);
		bound->settings.time_limit *= v->scale;
		return true;
	}
	place->denied = true;
	s->planned -= pario_times(left, phases);
	s->budget->left_s -= v->usual_s * (double)left;
	return false;
}

/* What a visit took counts for the point and for those after it. */
static void take_time(struct pario_sweep *sweep, struct place *place, double seconds)
{
	place->seconds += seconds;
	if (sweep->session->budget)
		pario_budget_took(sweep->session->budget, &place->visit, seconds);
}

/* One repetition of a point, or all of them where it is the only one or they belong together. */
static int measure(struct pario_sweep *sweep, struct pario_bound *bound, struct place *place,
		   struct pario_err *err)
{
	const struct pario_settings *set = &sweep->plan->settings;
	bool apart = set->pause > 0 || set->run_limit > 0 || sweep->session->budget;
	bool alone = (sweep->plan->points * sweep->plan->client_count == 1 && !apart) ||
		     (sweep->plan->test->needs & PARIO_NEED_ROW);
	uint64_t end = alone && place->complete < bound->settings.repetitions
			       ? bound->settings.repetitions
			       : place->complete + 1;
	struct pario_phase phases[PARIO_PHASES];
	int64_t began;
	int status;

	if (!is_granted(sweep, bound, place))
		return 0;
	if (set->pause > 0 && sweep->begun)
		wait_between(set);
	if (pario_watch_interrupted())
		return 0;
	began = pario_clock_ns();
	sweep->begun = true;
	if (end > bound->settings.repetitions)
		sweep->session->planned += pario_bound_phases(bound, phases);
	bound->settings.first_repetition = place->complete;
	bound->settings.end_repetition = end;
	bound->settings.again = place->visited;
	status = pario_session_point(sweep->session, bound, NULL, err);
	take_time(sweep, place, pario_clock_s(pario_clock_ns() - began));
	place->complete = end;
	place->visited = true;
	return status;
}

static int visit(struct pario_sweep *sweep, uint64_t at, uint64_t round, struct pario_err *err)
{
	const struct pario_plan *plan = sweep->plan;
	struct pario_session *s = sweep->session;
	struct place *place = &sweep->places[at];
	uint64_t i = sweep->from + at;
	struct pario_err reason = { 0 };
	struct pario_bound bound;
	int status = 0;

	pario_plan_bind(plan, i / plan->client_count, plan->clients[i % plan->client_count], &bound,
			&reason);
	if (s->part)
		pario_part_name(&bound, s->part);
	s->point_code = 0;
	if (round == 0 && s->earlier.count)
		status = take_up(s, &bound, plan->until > 0, place, err);
	if (round == 0 && place->complete > 0 && s->budget) {
		set_usual(sweep, &bound, &place->visit);
		s->budget->left_s -= place->visit.usual_s * (double)place->complete;
	}
	if (status == 0 && reason.code) {
		if (place->complete == 0)
			status = pario_session_point(s, &bound, &reason, err);
		place->over = true;
	} else if (status == 0) {
		if (place->complete <= round && !is_over(sweep, &bound, place))
			status = measure(sweep, &bound, place, err);
		place->over = is_over(sweep, &bound, place);
		if (place->over && place->complete < plan->settings.repetitions && is_late(sweep))
			sweep->cut += plan->settings.repetitions - place->complete;
	}
	pario_bound_release(&bound);
	return status;
}

int pario_sweep_round(struct pario_sweep *sweep, uint64_t round, bool *open, struct pario_err *err)
{
	int status = 0;

	*open = false;
	if (sweep->part)
		sweep->session->part = sweep->part;
	for (uint64_t i = 0; i < sweep->count && status == 0 && !pario_watch_interrupted(); i++) {
		if (!sweep->places[i].over)
			status = visit(sweep, i, round, err);
		*open |= !sweep->places[i].over;
	}
	return status;
}

static int measure_batch(struct pario_sweep *sweep, struct pario_err *err)
{
	bool open = true;
	int status = 0;

	for (uint64_t round = 0; open && status == 0 && !pario_watch_interrupted(); round++)
		status = pario_sweep_round(sweep, round, &open, err);
	return status;
}

/* Whole points with all their client counts, at least one of them. */
static uint64_t batch_of(const struct pario_session *s, const struct pario_plan *plan)
{
	uint64_t all = plan->points * plan->client_count, each = s->planned / (all ? all : 1) + 1;
	uint64_t points = BATCH_RESULTS / each / plan->client_count;

	return (points ? points : 1) * plan->client_count;
}

static void say_cut(const struct pario_sweep *sweep)
{
	struct pario_session *s = sweep->session;
	char text[200];

	if (sweep->cut == 0 || pario_watch_interrupted())
		return;
	snprintf(text, sizeof(text), "--run_limit %g: %llu repetition%s not begun",
		 sweep->plan->settings.run_limit, (unsigned long long)sweep->cut,
		 sweep->cut == 1 ? " was" : "s were");
	s->sink.note(&s->sink, "warning", text, "");
}

int pario_session_plan(struct pario_session *session, const struct pario_plan *plan,
		       struct pario_err *err)
{
	uint64_t all = plan->points * plan->client_count, batch = batch_of(session, plan);
	struct pario_sweep sweep = { .session = session,
				     .plan = plan,
				     .began_ns = pario_clock_ns() };
	int status = 0;

	for (; status == 0 && sweep.from < all && !pario_watch_interrupted(); sweep.from += batch) {
		sweep.count = all - sweep.from < batch ? all - sweep.from : batch;
		sweep.places = calloc(sweep.count, sizeof(*sweep.places));
		if (!sweep.places)
			return pario_err_memory(err, "the points");
		status = measure_batch(&sweep, err);
		free(sweep.places);
		if (!session->collects)
			pario_sink_tables(session);
	}
	if (status == 0)
		say_cut(&sweep);
	return status;
}

struct pario_sweep *pario_sweep_begin(struct pario_session *session, const struct pario_plan *plan,
				      const char *part, double untimed_s, struct pario_err *err)
{
	struct pario_sweep *sweep = calloc(1, sizeof(*sweep));
	uint64_t count = plan->points * plan->client_count;
	struct place *places = calloc(count, sizeof(*places));

	if (!sweep || !places) {
		pario_err_memory(err, "the points");
		free(places);
		free(sweep);
		return NULL;
	}
	*sweep = (struct pario_sweep){ .session = session,
				       .plan = plan,
				       .count = count,
				       .places = places,
				       .began_ns = pario_clock_ns(),
				       .part = part,
				       .untimed_s = untimed_s };
	return sweep;
}

void pario_sweep_end(struct pario_sweep *sweep)
{
	struct pario_budget *budget = sweep->session->budget;
	uint64_t all = sweep->plan->settings.repetitions, least = all;

	for (uint64_t i = 0; i < sweep->count; i++) {
		const struct place *place = &sweep->places[i];

		if ((!place->over || place->denied) && place->complete < least)
			least = place->complete;
	}
	if (budget && pario_watch_cause() != PARIO_WATCH_SIGNAL)
		pario_budget_part_done(budget, sweep->part, least, all);
	free(sweep->places);
	free(sweep);
}
