/*
 * survey: the extended set. A walk over the access space of `transfer`, and the few statements that explain it.
 *
 * Few points are measured, and a small model is fitted to them: a law of the size for each direction, and factors
 * for what slows it down. The model says where to measure next and what to measure again. Every result is an
 * ordinary result in the journal, from which an interrupted survey goes on. docs/survey.md says when the answer
 * misleads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "comm/launch.h"
#include "console/console.h"
#include "journal/history.h"
#include "session/resume.h"
#include "session/session.h"
#include "session/sink.h"
#include "session/terminal.h"
#include "survey/walk/tour.h"

#define DEFAULT_DIR "pario-scratch"

/* Not a test of the registry: it lends survey its options and those of access and backends. */
static const struct pario_test frame = {
	.name = "survey",
	.summary = "the extended set",
	.needs = PARIO_NEED_FILES,
	.repetitions = "1", /* of a visit: what is measured again is measured at another time */
	.options = pario_survey_options,
	.params_size = sizeof(struct pario_walk_params),
};

struct survey {
	struct pario_walk walk;
	struct pario_resume resume;
	uint64_t sized; /* clients that the space was made for */
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

/* A point of an earlier survey, in words. */
static int answer(const struct pario_finding_set *set, const char *question, struct pario_err *err)
{
	char rate[PARIO_UNITS_CAPACITY], low[PARIO_UNITS_CAPACITY], high[PARIO_UNITS_CAPACITY],
		time[PARIO_UNITS_CAPACITY];
	struct pario_guesser guesser;
	struct pario_spot place;
	struct pario_guess g;
	double log_mib;

	if (pario_guess_parse(&set->space, question, &place, err) < 0 ||
	    pario_guesser_init(&guesser, &set->space, &set->model, err) < 0)
		return -1;
	g = pario_guess_at(&guesser, &place);
	log_mib = place.log_bytes + place.log_clients - log(PARIO_MIB);
	for (unsigned a = 0; a < set->space.axis_count; a++) {
		const struct pario_axis *axis = &set->space.axes[a];

		if (axis->kind == PARIO_AXIS_CHOICE)
			pario_console_show(axis->label[__builtin_ctzll(place.at[a])]);
		else
			printf("%s", axis->kind == PARIO_AXIS_SIZE
					     ? pario_units_size(
						       time, (uint64_t)(exp(place.log_bytes) + 0.5))
					     : "");
		if (axis->kind == PARIO_AXIS_COUNT)
			printf("%.0f client%s", exp(place.log_clients),
			       place.log_clients > 0 ? "s" : "");
		printf(", ");
	}
	printf("%s: %s [%s, %s], %s an operation. 9 of 10 points lie in the interval.\n",
	       set->space.measure[place.measure], pario_units_rate(rate, exp(log_mib - g.cost)),
	       pario_units_rate(low, exp(log_mib - g.high)),
	       pario_units_rate(high, exp(log_mib - g.low)), pario_units_time(time, exp(g.cost)));
	pario_guesser_release(&guesser);
	return 0;
}

/* Offline: nothing is measured. */
static int ask(const char *path, const char *question, struct pario_err *err)
{
	struct pario_history history;
	struct pario_finding_set set;
	const json_t *survey;
	int status = -1;

	if (pario_history_load(&history, path, err) < 0)
		return -1;
	survey = pario_record_find(history.notes, history.note_count);
	if (!survey)
		pario_err_set(err, PARIO_INVALID, "%.200s holds no survey that came to its end.",
			      path);
	else if (pario_record_read(survey, &set, err) == 0) {
		status = answer(&set, question, err) < 0 ? -1 : 1;
		pario_space_release(&set.space);
	}
	pario_history_release(&history);
	return status;
}

static int prepare(struct survey *v, int argc, char **argv, struct pario_err *err)
{
	struct pario_config *config = &v->walk.frame.config;
	const char *resume;

	if (take_words(v, argc, argv, err) < 0)
		return -1;
	if (*pario_config_find(config, "ask")->text &&
	    pario_config_find(config, "dir")->origin == PARIO_ORIGIN_DEFAULT)
		return pario_err_set(err, PARIO_USAGE,
				     "which survey is asked? Name the directory of its results: "
				     "pario survey RESULTS --ask \"read random 64k\".");
	if (*pario_config_find(config, "ask")->text)
		return ask(pario_config_find(config, "dir")->text,
			   pario_config_find(config, "ask")->text, err);
	if (*pario_config_find(config, "until")->text)
		return pario_err_set(
			err, PARIO_USAGE,
			"a survey decides by itself what it measures again, so --until does not apply. "
			"Use --minutes.");
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
	printf("%zu points in all, measured for at most %s and %s per client, about %s\n\n",
	       pario_space_existing(s), pario_units_time(limit, w->limit),
	       pario_units_size(volume, w->volume), pario_units_time(time, w->params.minutes * 60));
	fflush(stdout);
}

static int before(void *self, int argc, char **argv, int *code, struct pario_err *err)
{
	struct survey *v = self;
	struct pario_plan *plan = &v->walk.frame;
	struct pario_need need = { 0 };
	uint64_t clients = pario_launch_promised();
	int status = prepare(v, argc, argv, err);

	if (status)
		return status;
	if ((clients == 0 && pario_session_clients(plan, &clients, err) < 0) ||
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

/* ---- the answer ---- */

static int record(struct pario_session *s, const struct pario_finding_set *found, const char *text,
		  struct pario_err *err)
{
	struct pario_json *j = &s->line;

	pario_journal_line(j, "note");
	pario_json_string(j, "level", "info");
	pario_json_string(j, "text", text);
	pario_json_string(j, "next", "");
	pario_survey_record_write(j, found);
	return pario_journal_append(&s->journal, j, err);
}

static void say_test(const struct pario_finding_set *found, bool beyond, struct pario_text *out)
{
	const struct pario_test_of_model *t = &found->test;

	if (isnan(t->explained)) {
		pario_text_add(
			out,
			"There was no time left to test this on enough points that were held back.\n");
		return;
	}
	pario_text_add(out,
		       "%s %.0f %% of the differences; %zu points measured afterwards lay within "
		       "%.0f %% (median).\n",
		       found->count == 0   ? "The law of the size alone explains"
		       : found->count == 1 ? "This explains"
					   : "These explain",
		       fmax(100 * t->explained, 0), t->points, 100 * t->median);
	if (beyond && pario_guess_doubted(t))
		pario_text_add(out,
			       "That is too far off to rely on any of this: survey for longer, "
			       "or while nobody else uses the machine.\n");
}

static void say_all(const struct pario_finding_set *found, struct pario_text *out)
{
	size_t untried = 0, beyond = 0;

	for (size_t i = 0; i < found->count; i++) {
		untried += found->statement[i].standing == PARIO_STANDS_UNTRIED;
		beyond += found->statement[i].standing != PARIO_STANDS_LAW;
	}
	pario_statements_add(&found->space, found->statement, found->count, out);
	if (beyond == 0) {
		pario_guess_none_text(&found->test, found->space.threshold, found->count > 0, out);
		pario_text_add(out, "\n");
	}
	pario_text_add(out, "\n");
	say_test(found, beyond > 0, out);
	if (untried)
		pario_text_add(
			out,
			"? = not confirmed: measured again beside their neighbours its points were not clear, or there was no time.\n");
	if (found->dropped)
		pario_text_add(
			out,
			"%zu more did not hold when measured again beside their neighbours, and %s left out.\n",
			found->dropped, found->dropped == 1 ? "is" : "are");
}

static int conclude(struct pario_session *s, const struct survey *v,
		    const struct pario_finding_set *found, bool short_of_time,
		    struct pario_err *err)
{
	char time[PARIO_UNITS_CAPACITY];
	struct pario_text text = { 0 };
	int status;

	say_all(found, &text);
	status = record(s, found, pario_text_string(&text), err);
	if (status == 0 && !s->quiet && !s->json) {
		printf("%zu of %zu points measured in %s; slower than it would be otherwise, the dearest first:\n\n",
		       pario_space_tried(&v->walk.space), pario_space_existing(&v->walk.space),
		       pario_units_time(time, pario_clock_s(pario_clock_ns() - s->start_ns)));
		pario_terminal_print(pario_text_string(&text));
		fflush(stdout);
	}
	pario_text_release(&text);
	if (status == 0 && short_of_time)
		s->sink.note(
			&s->sink, "warning",
			"the time was over before every axis was covered, so that much may be missing",
			"--resume with this result directory goes on");
	return status;
}

static void lead(struct pario_session *s, void *self)
{
	static struct pario_finding_set found;
	struct survey *v = self;
	struct pario_tour tour = { .session = s, .walk = &v->walk };
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
	if (status == 0)
		status = pario_tour_make(&tour, &found, &err);
	pario_sink_clear_progress(s);
	found.space = v->walk.space;
	if (status == 0)
		status = conclude(s, v, &found, tour.short_of_time, &err);
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
