/*
 * characterize: what does everything cost here? Measures the set of characterize/set.h once, so that `pario predict`
 * can say how long a program would take on this system.
 *
 * The measurements are an ordinary journal; the SYSTEM is fitted from it, now or later (--from).
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "characterize/fit.h"
#include "characterize/measure/measure.h"
#include "characterize/set.h"
#include "cmd/cmd.h"
#include "comm/launch.h"
#include "console/console.h"
#include "engine/watch.h"
#include "report/text/style.h"
#include "session/resume.h"
#include "session/sink.h"
#include "session/terminal.h"

#define SYSTEM_NAME "system.json"

enum { FROM_MOST = 256 }; /* journals of one SYSTEM */

struct params {
	double minutes;
	char system[1024], from[16384];
	bool force;
};

const struct pario_option pario_characterize_options[] = {
	PARIO_OPTION(
		struct params, minutes, .def = PARIO_SET_MINUTES, .min = "0.05", .max = "1000",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE | PARIO_OPTION_GOES_ON,
		.help = "roughly how long the whole run may take; shorter runs are marked as such"),
	PARIO_OPTION(
		struct params, system, .def = "", .flags = PARIO_OPTION_NO_SWEEP, .letter = 'o',
		.help = "file for the SYSTEM; default " SYSTEM_NAME " in the result directory"),
	PARIO_OPTION(
		struct params, from, .def = "", .flags = PARIO_OPTION_NO_SWEEP,
		.help = "measure nothing: fit the journal of an earlier characterization, or those of several, separated by "
			"commas"),
	PARIO_OPTION(struct params, force, .def = "0", .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "replace the file that is there"),
	{ 0 },
};

/* Not a test of the registry: it lends the command its options. */
static const struct pario_test frame = {
	.name = "characterize",
	.summary = "what I/O costs on this system",
	.needs = PARIO_NEED_FILES,
	.options = pario_characterize_options,
	.params_size = sizeof(struct params),
};

struct characterize {
	struct pario_characterization c;
	struct pario_resume resume;
	bool force;
};

static const char *text_of(const struct characterize *self, const char *name)
{
	return pario_config_find(&self->c.frame.config, name)->text;
}

/* ---- the SYSTEM ---- */

/* Everything that was not measured for one reason, in one sentence. */
static void add_left_out(struct pario_text *out, const struct pario_system *s, size_t first)
{
	const char *why = s->coverage[first].why;

	for (size_t i = 0; i < first; i++) {
		if (strcmp(s->coverage[i].why, why) == 0)
			return;
	}
	pario_text_add(out, "not measured:");
	for (size_t i = first; i < s->coverage_count; i++) {
		if (strcmp(s->coverage[i].why, why) == 0) {
			pario_text_add(out, "%s", i == first ? " " : "; ");
			pario_text_clean(out, s->coverage[i].what);
		}
	}
	pario_text_add(out, ": ");
	pario_text_clean(out, why);
	pario_text_add(out, "\n");
}

static void show(const struct pario_system *s, const char *path)
{
	struct pario_text out = { 0 };

	pario_text_add(&out, "%s: %zu surfaces", path, s->surface_count);
	if (isnan(s->noise_floor_rsd))
		pario_text_add(&out, ", noise unknown, since nothing was repeated\n");
	else
		pario_text_add(&out, ", noise floor %.1f %%\n", s->noise_floor_rsd);
	for (size_t i = 0; i < s->coverage_count; i++)
		add_left_out(&out, s, i);
	pario_terminal_print(pario_text_string(&out));
	pario_text_release(&out);
}

/* Five minutes of measuring are not to end with a name that is taken, or a place where nothing can be written. */
static int check_place(const char *path, bool force, struct pario_err *err)
{
	const struct pario_output_rule rule = { .force = true };
	struct pario_output output;
	struct stat st;

	if (!*path || pario_output_is_stdout(path))
		return 0;
	if (!force && lstat(path, &st) == 0)
		return pario_err_set(
			err, PARIO_USAGE,
			"%s is there already. Use another name, or --force 1 to replace it.", path);
	return pario_output_begin(&output, AT_FDCWD, path, &rule, err) < 0
		       ? -1
		       : pario_output_end(&output, false, NULL);
}

/* `seconds` since the measuring began, where its journal has no end yet. */
static int fit(const char *const *journals, size_t count, const char *path, bool force, bool quiet,
	       double seconds, struct pario_err *err)
{
	struct pario_system system;
	int status;

	if (check_place(path, force, err) < 0 ||
	    pario_characterize_fit_all(&system, journals, count, err) < 0)
		return -1;
	if (isnan(system.seconds))
		system.seconds = seconds;
	status = pario_system_save(&system, path, force, err);
	if (status == 0 && !quiet && !pario_output_is_stdout(path))
		show(&system, path);
	pario_system_release(&system);
	return status;
}

/* ---- before the clients ---- */

/* The set decides how data are accessed; only the backend may be another. */
static int check_access(const struct pario_config *config, struct pario_err *err)
{
	for (size_t i = 0; i < config->setting_count; i++) {
		const struct pario_setting *s = &config->settings[i];

		if (strcmp(config->tables[s->table].title, "access") == 0 &&
		    s->origin != PARIO_ORIGIN_DEFAULT && strcmp(s->option->name, "api") != 0)
			return pario_err_set(
				err, PARIO_USAGE,
				"a characterization tries every --%s itself; leave it out.",
				s->option->name);
	}
	return 0;
}

static int prepare(struct characterize *self, int argc, char **argv, struct pario_err *err)
{
	struct pario_config *config = &self->c.frame.config;
	const char *words[64] = { 0 };
	int count = 0;

	if (argc > 60)
		return pario_err_set(err, PARIO_USAGE,
				     "too many words; usage: pario characterize [DIR] -o SYSTEM");
	if (pario_plan_init(&self->c.frame, &frame, err) < 0 ||
	    pario_session_options(&self->c.frame, argc, argv, words, &count, err) < 0)
		return -1;
	if (count > 1)
		return pario_err_set(err, PARIO_USAGE, "one directory at a time: got %s and %s.",
				     words[0], words[1]);
	if (count == 1 && pario_config_set(config, "dir", words[0], PARIO_ORIGIN_COMMAND, err) < 0)
		return -1;
	if (*text_of(self, "until") || *text_of(self, "clients"))
		return pario_err_set(
			err, PARIO_USAGE,
			"a characterization keeps to --minutes and measures 1, 2, 4 ... of --np "
			"clients; --until and --clients do not apply.");
	if (*text_of(self, "resume") && pario_resume_begin(&self->resume, config, "characterize",
							   text_of(self, "resume"), err) < 0)
		return -1;
	return check_access(config, err);
}

static int size_up(struct characterize *self, uint64_t clients, struct pario_err *err)
{
	struct pario_characterization *c = &self->c;

	if (pario_plan_settle(&c->frame, clients, err) < 0 ||
	    pario_resume_clients(&self->resume, &c->frame, clients, err) < 0 ||
	    pario_workspace_check(c->frame.settings.dir, err) < 0)
		return -1;
	c->clients = clients;
	return pario_units_parse_real("--minutes", text_of(self, "minutes"), &c->minutes, err);
}

static void announce(const struct characterize *self)
{
	char space[PARIO_UNITS_CAPACITY], minutes[PARIO_UNITS_CAPACITY];
	struct pario_text clean = { 0 };

	pario_session_machine(&self->c.frame.settings);
	pario_text_clean(&clean, self->c.frame.settings.dir);
	printf("will use at most %s in %s and about %s; everything is removed afterwards\n\n",
	       pario_units_size(space, pario_characterization_space(&self->c)),
	       pario_text_string(&clean), pario_units_time(minutes, self->c.minutes * 60));
	fflush(stdout);
	pario_text_release(&clean);
}

/* A name that is there is one, whatever is in it; else commas stand between several. Returns how many. */
static size_t split(char *text, const char *names[FROM_MOST])
{
	size_t count = 0;

	if (access(text, F_OK) == 0) {
		names[0] = text;
		return 1;
	}
	for (char *rest = text, *name; count < FROM_MOST && (name = pario_text_word(&rest, ","));)
		names[count++] = name;
	return count;
}

static int offline(struct characterize *self, int *code, struct pario_err *err)
{
	const char *path = text_of(self, "system"), *names[FROM_MOST];
	char from[sizeof(((struct params *)0)->from)];
	size_t count;

	if (!*path)
		return pario_err_set(err, PARIO_USAGE,
				     "--from needs a name for the SYSTEM: -o FILE.");
	*code = 0;
	snprintf(from, sizeof(from), "%s", text_of(self, "from"));
	count = split(from, names);
	if (!count)
		return pario_err_set(err, PARIO_USAGE, "--from names no journal.");
	return fit(names, count, path, self->force, strcmp(text_of(self, "quiet"), "1") == 0, NAN,
		   err) < 0
		       ? -1
		       : 1;
}

static int before(void *context, int argc, char **argv, int *code, struct pario_err *err)
{
	struct characterize *self = context;
	struct pario_need need = { 0 };
	uint64_t clients = pario_launch_promised();

	if (prepare(self, argc, argv, err) < 0)
		return -1;
	self->force = strcmp(text_of(self, "force"), "1") == 0;
	if (*text_of(self, "from"))
		return offline(self, code, err);
	if (clients == 0 && pario_session_clients(&self->c.frame, &clients, err) < 0)
		return -1;
	if (size_up(self, clients, err) < 0 ||
	    check_place(text_of(self, "system"), self->force, err) < 0)
		return -1;
	if (self->c.frame.settings.show_config)
		return pario_session_show_config(&self->c.frame);
	if (self->c.frame.settings.dry_run) {
		announce(self);
		return 1;
	}
	return pario_session_launch(&self->c.frame, &need, code, err);
}

/* ---- client 0 ---- */

/* Beside the journal, unless another name was given. */
static int conclude(const struct characterize *self, const struct pario_session *s,
		    struct pario_err *err)
{
	char path[sizeof(s->directory) + sizeof(SYSTEM_NAME) + 1];
	const char *directory = s->directory;
	const char *name = text_of(self, "system");

	if (*name)
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/" SYSTEM_NAME, s->directory);
	if (fit(&directory, 1, path, self->force, s->quiet || s->json,
		pario_clock_s(pario_clock_ns() - s->start_ns), err) == 0)
		return 0;
	if (*name) {
		size_t length = strlen(err->text);

		snprintf(
			err->text + length, sizeof(err->text) - length,
			" What was measured is kept: `pario characterize --from %.400s -o FILE` makes a "
			"SYSTEM of it.",
			s->directory);
	}
	return -1;
}

static void lead(struct pario_session *s, void *context)
{
	struct characterize *self = context;
	struct pario_settings *settings = &self->c.frame.settings;
	struct pario_err err = { 0 };
	int status = size_up(self, s->crew.world.clients, &err);

	if (settings->seed == 0)
		settings->seed = self->resume.seed ? self->resume.seed : pario_random_seed() >> 1;
	if (status == 0) {
		s->command = "characterize";
		s->resume = *settings->resume ? settings->resume : NULL;
		s->collects = true;
		s->expected_s = self->c.minutes * 60;
		if (!settings->quiet && !settings->json)
			announce(self);
		status = pario_session_begin(s, &self->c.frame, &err);
	}
	if (status == 0) {
		s->sink.note(&s->sink, "info", "characterization set " PARIO_SET_VERSION, "");
		status = pario_characterization_measure(&self->c, s, &err);
	}
	pario_sink_clear_progress(s);
	if (status == 0 && !pario_watch_interrupted())
		status = conclude(self, s, &err);
	pario_session_end(s, status < 0 ? &err : NULL);
}

int pario_cmd_characterize(int argc, char **argv)
{
	static struct characterize self;
	const struct pario_measuring_command job = { before, lead, &self };
	int code = pario_session_main(&job, argc, argv);

	pario_plan_release(&self.c.frame);
	return code;
}
