/*
 * survey: where is this storage slow for no good reason, and what access avoids it?
 *
 * Walks the access space of `transfer`: interface, pattern, alignment, layout, clients, transfer size, writing and
 * reading; coarse first, then closer where neighbouring points differ by more than their noise (src/survey). Ends with
 * the regions of poor performance, worst first. Every measurement is an ordinary result in the journal, from which an
 * interrupted survey goes on. docs/survey.md says when the answer misleads.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "comm/launch.h"
#include "console/console.h"
#include "engine/watch.h"
#include "session/resume.h"
#include "session/session.h"
#include "session/sink.h"
#include "survey/walk/walk.h"
#include "survey/weak.h"

#define DEFAULT_DIR "pario-scratch"

/* A point whose two best repetitions are further apart than this (as a logarithm) is measured again. */
#define NOISY 0.15

enum {
	TRIES = 3,
	FEW = 4, /* a region of no more points than this is measured twice */
};

/* Not a test of the registry: it lends survey its options and those of access and backends. */
static const struct pario_test frame = {
	.name = "survey",
	.summary = "the extended set",
	.needs = PARIO_NEED_FILES,
	.repetitions = "3", /* the best counts: more points say more than more of these */
	.options = pario_survey_options,
	.params_size = sizeof(struct pario_walk_params),
};

struct survey {
	struct pario_walk walk;
	struct pario_resume resume;
	uint64_t sized; /* clients that the space was made for */
	bool over;	/* the time is */
	size_t left;	/* points that were still wanted then */
	bool *doubted;	/* points that had their second look */
};

/* ---- before clients are needed ---- */

static int take_words(struct survey *v, int argc, char **argv, struct pario_err *err)
{
	struct pario_plan *plan = &v->walk.frame;
	const char *words[64] = { 0 };
	int word_count = 0;

	if (argc > 60)
		return pario_err_set(err, PARIO_USAGE, "too many words; usage: pario survey [DIR]");
	if (pario_plan_init(plan, &frame, err) < 0 ||
	    pario_session_options(plan, argc, argv, words, &word_count, err) < 0)
		return -1;
	if (word_count > 1)
		return pario_err_set(err, PARIO_USAGE, "one directory at a time: got %s and %s.",
				     words[0], words[1]);
	if (word_count == 1)
		return pario_config_set(&plan->config, "dir", words[0], PARIO_ORIGIN_COMMAND, err);
	return 0;
}

static int prepare(struct survey *v, int argc, char **argv, struct pario_err *err)
{
	struct pario_config *config = &v->walk.frame.config;
	const char *resume;

	if (take_words(v, argc, argv, err) < 0)
		return -1;
	if (*pario_config_find(config, "until")->text)
		return pario_err_set(
			err, PARIO_USAGE,
			"a survey measures again by itself where repetitions disagree, so --until "
			"does not apply. Use --repetitions and --minutes.");
	resume = pario_config_find(config, "resume")->text;
	return resume && *resume ? pario_resume_begin(&v->resume, config, "survey", resume, err)
				 : 0;
}

static int size_up(struct survey *v, uint64_t clients, struct pario_err *err)
{
	struct pario_plan *plan = &v->walk.frame;

	if (pario_plan_settle(plan, clients, err) < 0 ||
	    pario_session_own_dir(plan, DEFAULT_DIR, err) < 0 ||
	    pario_workspace_check(plan->settings.dir, err) < 0)
		return -1;
	if (pario_resume_clients(&v->resume, plan, clients, err) < 0)
		return -1;
	v->sized = clients;
	if (pario_walk_init(&v->walk, clients, err) < 0)
		return -1;
	return *plan->settings.resume ? pario_walk_resume(&v->walk, &v->resume, err) : 0;
}

static size_t coarse_points(const struct pario_space *space)
{
	size_t *list = malloc(space->cells * sizeof(*list)), count = 0;
	struct pario_err err = { 0 };

	if (list)
		count = pario_space_wave(space, list, &err);
	free(list);
	return count;
}

static void announce(const struct survey *v)
{
	const struct pario_walk *w = &v->walk;
	const struct pario_space *s = &w->space;
	char time[PARIO_UNITS_CAPACITY], limit[PARIO_UNITS_CAPACITY], volume[PARIO_UNITS_CAPACITY];

	pario_session_machine(&w->frame.settings);
	for (unsigned a = 0; a < s->axis_count; a++) {
		printf(" %-14s", s->axes[a].name);
		for (unsigned l = 0; l < s->axes[a].count; l++) {
			printf("%s", l ? ", " : " ");
			pario_console_show(s->axes[a].label[l]);
		}
		printf("\n");
	}
	printf(" %-14s %s%s%s\n", "direction", s->measure[0], s->measures > 1 ? ", " : "",
	       s->measures > 1 ? s->measure[1] : "");
	printf("%zu points in all, %zu of them first; %llu repetitions of at most %s and %s per "
	       "client, about %s\n\n",
	       pario_space_existing(s), coarse_points(s),
	       (unsigned long long)w->frame.settings.repetitions, pario_units_time(limit, w->limit),
	       pario_units_size(volume, w->volume), pario_units_time(time, w->params.minutes * 60));
	fflush(stdout);
}

static int before(void *self, int argc, char **argv, int *code, struct pario_err *err)
{
	struct survey *v = self;
	struct pario_plan *plan = &v->walk.frame;
	struct pario_need need = { 0 };
	uint64_t clients = pario_launch_promised();

	if (prepare(v, argc, argv, err) < 0 ||
	    (clients == 0 && pario_session_clients(plan, &clients, err) < 0) ||
	    size_up(v, clients, err) < 0)
		return -1;
	if (plan->settings.show_config)
		return pario_session_show_config(plan);
	if (plan->settings.dry_run) {
		announce(v);
		return 1;
	}
	return pario_session_launch(plan, &need, code, err);
}

/* ---- measuring ---- */

/* The results of a point that is measured again count on. */
static int (*hand_on)(struct pario_sink *sink, const struct pario_bound *bound,
		      const struct pario_result *result, struct pario_err *err);
static uint64_t repetitions_before;

static int number(struct pario_sink *sink, const struct pario_bound *bound,
		  const struct pario_result *result, struct pario_err *err)
{
	struct pario_result copy = *result;

	copy.repetition += repetitions_before;
	return hand_on(sink, bound, &copy, err);
}

static void take_point(const struct pario_session *s, struct pario_space *space, size_t cell)
{
	double *seconds = malloc((s->result_count + 1) * sizeof(*seconds));

	for (unsigned m = 0; m < space->measures; m++) {
		size_t count = 0;

		for (size_t i = 0; seconds && i < s->result_count; i++) {
			const struct pario_result *r = &s->results[i];

			if (strcmp(r->phase, space->measure[m]) == 0 &&
			    isfinite(pario_walk_cost(r)))
				seconds[count++] = pario_walk_cost(r);
		}
		pario_space_take(space, cell, m, seconds, count);
	}
	free(seconds);
}

static bool is_noisy(const struct pario_space *space, size_t cell)
{
	for (unsigned m = 0; m < space->measures; m++) {
		if (space->cell[cell].noise[m] > NOISY)
			return true;
	}
	return false;
}

static double seconds_left(const struct pario_session *s, const struct survey *v)
{
	return v->walk.params.minutes * 60 - pario_clock_s(pario_clock_ns() - s->start_ns);
}

static uint64_t samples_of(const struct pario_space *space, size_t cell)
{
	uint64_t most = 0;

	for (unsigned m = 0; m < space->measures; m++) {
		if (space->cell[cell].samples[m] > most)
			most = space->cell[cell].samples[m];
	}
	return most;
}

/* A point, up to `tries` times while its repetitions disagree. */
static int measure(struct pario_session *s, struct survey *v, size_t cell, unsigned tries,
		   struct pario_err *err)
{
	struct pario_space *space = &v->walk.space;
	int status = 0;

	for (unsigned i = 0; i < tries && status == 0 && !pario_watch_interrupted(); i++) {
		struct pario_err reason = { 0 };
		struct pario_bound bound;

		s->result_count = 0;
		repetitions_before = samples_of(space, cell);
		pario_walk_bind(&v->walk, cell, &bound, &reason);
		status = pario_session_point(s, &bound, &reason, err);
		pario_bound_release(&bound);
		if (status == 0)
			take_point(s, space, cell);
		if (!is_noisy(space, cell) || seconds_left(s, v) <= 0)
			break;
	}
	return status;
}

/* One wave of points; sets v->over when the next point would not fit into the time. */
static int measure_wave(struct pario_session *s, struct survey *v, const size_t *list, size_t count,
			size_t *measured, struct pario_err *err)
{
	uint64_t phases = v->walk.space.measures * v->walk.frame.settings.repetitions;

	s->planned = s->done + count * phases;
	for (size_t i = 0; i < count && !pario_watch_interrupted(); i++) {
		double left = seconds_left(s, v), spent = v->walk.params.minutes * 60 - left;
		double each = *measured ? spent / (double)*measured : 0;

		if (left < each) {
			v->over = true;
			v->left = count - i;
			return 0;
		}
		/* All points once are worth more than some of them well. */
		if (measure(s, v, list[i], left > each * (double)(count - i) ? TRIES : 1, err) < 0)
			return -1;
		++*measured;
	}
	return 0;
}

/* The points that small regions stand on, once each; returns how many. */
static size_t doubtful(struct survey *v, size_t *list, struct pario_err *err)
{
	static struct pario_weak found[PARIO_WEAK_MAX];
	const struct pario_space *space = &v->walk.space;
	size_t regions = pario_weak_find(space, found, err), count = 0;

	for (size_t r = 0; r < regions; r++) {
		for (size_t i = 0; found[r].points <= FEW * space->measures && i < space->cells;
		     i++) {
			if (v->doubted[i] || !space->cell[i].exists || !space->cell[i].measured ||
			    !pario_weak_holds(space, &found[r], i))
				continue;
			v->doubted[i] = true;
			list[count++] = i;
		}
	}
	return count;
}

/* Waves, until nothing is wanted; then a second look at what could be chance, which may call for more waves. */
static int explore(struct pario_session *s, struct survey *v, struct pario_err *err)
{
	size_t *list = malloc(v->walk.space.cells * sizeof(*list)), count, measured = 0;
	int status = 0;

	v->doubted = calloc(v->walk.space.cells, sizeof(*v->doubted));
	if (!list || !v->doubted)
		status = pario_err_set(err, PARIO_SYSTEM, "no memory for the points.");
	while (status == 0 && !v->over && !pario_watch_interrupted()) {
		count = pario_space_wave(&v->walk.space, list, err);
		if (count == 0)
			count = doubtful(v, list, err);
		if (count == 0 || err->code)
			break;
		status = measure_wave(s, v, list, count, &measured, err);
	}
	free(v->doubted);
	free(list);
	return status < 0 || err->code ? -1 : 0;
}

/* ---- the answer ---- */

static void write_levels(struct pario_json *j, const struct pario_space *space,
			 const struct pario_weak *weak)
{
	for (unsigned a = 0; a <= space->axis_count; a++) {
		const struct pario_axis *axis = &space->axes[a];
		bool direction = a == space->axis_count;

		pario_json_open(j, direction ? "direction" : axis->name, '[');
		for (unsigned l = 0; l < (direction ? space->measures : axis->count); l++) {
			if (!(weak->measured[a] >> l & 1))
				continue;
			if (direction)
				pario_json_string(j, NULL, space->measure[l]);
			else if (axis->kind == PARIO_AXIS_CHOICE)
				pario_json_string(j, NULL, axis->label[l]);
			else
				pario_json_u64(j, NULL, (uint64_t)axis->value[l]);
		}
		pario_json_close(j, ']');
	}
}

static void write_range(struct pario_json *j, const char *name, double low, double high)
{
	pario_json_open(j, name, '[');
	pario_json_real(j, NULL, low);
	pario_json_real(j, NULL, high);
	pario_json_close(j, ']');
}

static int record(struct pario_session *s, const struct pario_space *space,
		  const struct pario_weak *weak, const char *text, const char *next,
		  struct pario_err *err)
{
	struct pario_json *j = &s->line;

	pario_journal_line(j, "note");
	pario_json_string(j, "level", "warning");
	pario_json_string(j, "text", text);
	pario_json_string(j, "next", next);
	pario_json_open(j, "region", '{');
	write_levels(j, space, weak);
	pario_json_real(j, "slower_than_neighbours", weak->factor);
	pario_json_real(j, "slower_than_best", weak->best);
	write_range(j, "slower_than_neighbours_range", weak->factor_low, weak->factor_high);
	write_range(j, "slower_than_best_range", weak->best_low, weak->best_high);
	pario_json_u64(j, "points", weak->measured_points);
	pario_json_close(j, '}');
	return pario_journal_append(&s->journal, j, err);
}

static int tell(struct pario_session *s, const struct pario_space *space, size_t number,
		const struct pario_weak *weak, struct pario_err *err)
{
	struct pario_text next = { 0 }, text = { 0 }, lines = { 0 }, wrapped = { 0 };
	int status;

	pario_weak_say(space, weak, &text);
	pario_weak_remedy(space, weak, &next);
	status = record(s, space, weak, pario_text_string(&text), pario_text_string(&next), err);
	if (!s->quiet && !s->json) {
		const char *said = pario_text_string(&text);

		pario_text_add(&lines, "%2zu. %c%s.\n", number, toupper(said[0]), said + 1);
		if (next.length)
			pario_text_add(&lines, "    Try: %s\n", pario_text_string(&next));
		pario_style_wrap(&s->style, pario_text_string(&lines), 4, &wrapped);
		pario_console_show_lines(pario_text_string(&wrapped));
	}
	pario_text_release(&next);
	pario_text_release(&text);
	pario_text_release(&lines);
	pario_text_release(&wrapped);
	return status;
}

static int conclude(struct pario_session *s, const struct survey *v, struct pario_err *err)
{
	static struct pario_weak found[PARIO_WEAK_MAX];
	const struct pario_space *space = &v->walk.space;
	size_t count = pario_weak_find(space, found, err);
	char time[PARIO_UNITS_CAPACITY], text[200];
	int status = err->code ? -1 : 0;

	if (status == 0 && !s->quiet && !s->json)
		printf("%zu of %zu points measured in %s: %zu region%s of poor performance%s\n\n",
		       pario_space_measured(space), pario_space_existing(space),
		       pario_units_time(time, pario_clock_s(pario_clock_ns() - s->start_ns)), count,
		       count == 1 ? "" : "s", count ? ", worst first" : "");
	for (size_t i = 0; i < count && status == 0; i++)
		status = tell(s, space, i + 1, &found[i], err);
	fflush(stdout);
	if (status == 0 && v->over) {
		snprintf(text, sizeof(text),
			 "the time was over with %zu points still to look at, so that borders may "
			 "lie further and regions be missing",
			 v->left);
		s->sink.note(&s->sink, "warning", text,
			     "--resume with this result directory goes on");
	}
	return status;
}

static void lead(struct pario_session *s, void *self)
{
	struct survey *v = self;
	struct pario_settings *settings = &v->walk.frame.settings;
	struct pario_err err = { 0 };
	int status = 0;

	/* Without a launcher fewer came than were counted on. */
	if (v->sized != s->crew.world.clients)
		status = size_up(v, s->crew.world.clients, &err);
	v->walk.plan.per_node = s->crew.world.node_clients_max;
	if (settings->seed == 0)
		settings->seed = v->resume.seed ? v->resume.seed : pario_random_seed() >> 1;
	s->command = "survey";
	s->collects = true;
	s->ends_s = v->walk.params.minutes * 60;
	s->resume = *settings->resume ? settings->resume : NULL;
	s->written = v->resume.results;
	if (status == 0 && !settings->quiet && !settings->json)
		announce(v);
	if (status == 0)
		status = pario_session_begin(s, &v->walk.frame, &err);
	hand_on = s->sink.result;
	s->sink.result = number;
	if (status == 0)
		status = explore(s, v, &err);
	pario_sink_clear_progress(s);
	if (status == 0)
		status = conclude(s, v, &err);
	pario_session_end(s, status < 0 ? &err : NULL);
}

int pario_cmd_survey(int argc, char **argv)
{
	static struct survey v;
	const struct pario_measuring_command job = { before, lead, &v };
	int code = pario_session_main(&job, argc, argv);

	pario_walk_release(&v.walk);
	return code;
}
