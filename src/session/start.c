/*
 * start: what a measuring command does before there are clients. It reads environment, plan file and arguments, finds
 * out how many clients a plain start means (a batch system's tasks, else the cores), and starts them.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/mpiio_impl.h"
#include "base/input.h"
#include "comm/launch.h"
#include "console/ascii.h"
#include "session/sbatch.h"
#include "console/console.h"
#include "engine/watch.h"
#include "session/session.h"
#include "session/striping.h"
#include "session/terminal.h"

enum { PLAN_FILE_MIB = 1 };

extern char **environ;

static int take_plan_file(struct pario_plan *plan, struct pario_err *err)
{
	const struct pario_setting *setting = pario_config_find(&plan->config, "plan");
	size_t length;
	char *text;
	int status;

	if (!setting || !setting->text || !*setting->text)
		return 0;
	text = pario_input_text(setting->text, "the plan file", PLAN_FILE_MIB, &length, err);
	if (!text)
		return -1;
	status = pario_config_plan(&plan->config, setting->text, text, length, plan->test->name,
				   err);
	free(text);
	return status;
}

/* The options are read, but the plan is not settled yet. */
static double deadline_of(const struct pario_plan *plan)
{
	const struct pario_setting *setting = pario_config_find(&plan->config, "deadline");

	return setting && setting->text ? strtod(setting->text, NULL)
					: PARIO_SESSION_UNTOLD_DEADLINE_S;
}

/* A set of tests decides itself when its repetitions come and when it ends. */
static int refuse_for_sets(const struct pario_plan *plan, struct pario_err *err)
{
	for (size_t i = 0; i < plan->config.setting_count && !plan->test->body; i++) {
		const struct pario_setting *s = &plan->config.settings[i];

		if ((s->option->flags & PARIO_OPTION_ONE_TEST) && s->origin != PARIO_ORIGIN_DEFAULT)
			return pario_err_set(
				err, PARIO_USAGE,
				"--%s is for the repetitions of one test (pario run); pario %s "
				"measures a set of them. Leave it out.",
				s->option->name, plan->test->name);
	}
	return 0;
}

int pario_session_options(struct pario_plan *plan, int argc, char **argv, const char **words,
			  int *word_count, struct pario_err *err)
{
	if (pario_config_argv(&plan->config, argc, argv, words, word_count, err) < 0 ||
	    pario_config_environment(&plan->config, environ, err) < 0)
		return -1;
	pario_watch_step(deadline_of(plan), "reading the plan file");
	if (take_plan_file(plan, err) < 0 || refuse_for_sets(plan, err) < 0)
		return -1;
	pario_watch_step(deadline_of(plan), "looking at the directories");
	return pario_striping_hints(plan, err);
}

/* All tasks of an allocation, else one per core; of these as many as the test can put into its grid. */
static uint64_t usual_clients(const struct pario_test *test)
{
	const struct pario_launch_batch batch = pario_launch_batch();
	bool all = batch.tasks > 1 && batch.step_tasks == 0;
	uint64_t most = all ? batch.tasks : pario_launch_cores(), side = 1;

	if (!(test->needs & PARIO_NEED_SQUARE))
		return most;
	while ((side + 1) * (side + 1) <= most)
		side++;
	return side * side;
}

/*
 * Is this one of several tasks that srun started without telling them about each other? Each would measure alone, all
 * at once. The first one speaks for all: 1 = this is another one.
 */
static int refuse_separate_tasks(struct pario_err *err)
{
	const struct pario_launch_batch batch = pario_launch_batch();

	if (batch.step_tasks <= 1)
		return 0;
	pario_err_set(
		err, PARIO_USAGE,
		"srun started %llu tasks that do not know of each other, so each would measure alone. "
		"Use srun --mpi=%s, or start pario once without srun: it starts a client for every "
		"task of the allocation by itself.",
		(unsigned long long)batch.step_tasks,
		strcmp(pario_launch_flavour(), "mpich") == 0 ? "pmi2" : "pmix");
	return batch.step_rank == 0 ? -1 : 1;
}

/* A task of an allocation has only its own cores; whoever expects more should know. */
static void say_alone(uint64_t clients)
{
	const struct pario_launch_batch batch = pario_launch_batch();

	if (batch.step_tasks == 1 && batch.tasks > clients)
		pario_console_warn(
			"this is one task of an allocation of %llu on %llu node%s, and only this one is "
			"used. Start pario without srun, or with srun -n %llu --mpi=pmix (or pmi2), to use "
			"all.",
			(unsigned long long)batch.tasks, (unsigned long long)batch.nodes,
			batch.nodes == 1 ? "" : "s", (unsigned long long)batch.tasks);
}

/* How many of the clients that will be started share a node's memory. */
static uint64_t per_node(uint64_t clients)
{
	const struct pario_launch_batch batch = pario_launch_batch();
	uint64_t nodes = batch.nodes > 1 && batch.step_tasks == 0 ? batch.nodes : 1;

	return (clients + nodes - 1) / nodes;
}

int pario_session_clients(const struct pario_plan *plan, uint64_t *clients, struct pario_err *err)
{
	if (pario_plan_wanted(plan, clients, err) < 0)
		return -1;
	if (*clients == 0)
		*clients = usual_clients(plan->test);
	return 0;
}

static const char *io_component(const struct pario_plan *plan, char name[PARIO_MPIIO_COMPONENT])
{
	const struct pario_setting *impl = pario_config_find(&plan->config, "mpiio_impl");
	int i = 0;

	if (!impl || !impl->text)
		return NULL;
	while (pario_mpiio_impls[i] && strcmp(pario_mpiio_impls[i], impl->text) != 0)
		i++;
	return pario_mpiio_impls[i] && pario_mpiio_component(i, name) ? name : NULL;
}

static int make_level(const char *path, struct pario_err *err)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return 0;
	return pario_err_sys(err, errno, "Name a directory with --dir.",
			     "the directory %s cannot be made", path);
}

int pario_session_make_dir(const char *path, struct pario_err *err)
{
	char level[PATH_MAX];
	struct stat st;

	if (stat(path, &st) == 0)
		return 0;
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(level, sizeof(level), "%.*s", (int)(slash - path), path);
		if (stat(level, &st) < 0 && make_level(level, err) < 0)
			return -1;
	}
	return make_level(path, err);
}

void pario_session_above(char *dir)
{
	struct stat st;

	while (stat(dir, &st) < 0 && errno == ENOENT) {
		char *slash = strrchr(dir, '/');

		if (!slash)
			strcpy(dir, ".");
		else
			slash[slash == dir] = '\0';
	}
}

int pario_session_own_dir(struct pario_plan *plan, const char *name, struct pario_err *err)
{
	struct pario_settings *s = &plan->settings;
	bool looks = s->dry_run || s->show_config || s->print_sbatch;
	char dir[sizeof(s->dir)];

	if (pario_config_find(&plan->config, "dir")->origin != PARIO_ORIGIN_DEFAULT)
		return 0;
	if (!looks && make_level(name, err) < 0)
		return -1;
	snprintf(dir, sizeof(dir), "%s", name);
	if (looks)
		pario_session_above(dir);
	if (pario_config_set(&plan->config, "dir", name, PARIO_ORIGIN_PLAN, err) < 0)
		return -1;
	snprintf(s->dir, sizeof(s->dir), "%s", dir);
	return 0;
}

int pario_session_show_config(const struct pario_plan *plan)
{
	struct pario_text out = { 0 };

	pario_config_show(&plan->config, &out);
	fputs(pario_text_string(&out), stdout);
	pario_text_release(&out);
	return 1;
}

int pario_session_place(const struct pario_plan *plan, struct pario_err *err)
{
	if (plan->test->needs & PARIO_NEED_NO_DIR)
		return 0;
	if (pario_workspace_check(plan->settings.dir, err) < 0)
		return -1;
	return pario_striping_check(plan, err);
}

/* 1: nothing is left to do. */
static int print_sbatch(struct pario_plan *plan, const struct pario_need *need,
			struct pario_err *err)
{
	struct pario_text script = { 0 };
	uint64_t clients;

	/* the cores of this machine say nothing about those of the job's */
	if (pario_plan_wanted(plan, &clients, err) < 0)
		return -1;
	pario_sbatch_script(plan, need, clients, pario_console_argc, pario_console_argv, &script);
	pario_ascii_stop();
	fputs(pario_text_string(&script), stdout);
	pario_text_release(&script);
	return 1;
}

int pario_session_launch(struct pario_plan *plan, const struct pario_need *need, int *code,
			 struct pario_err *err)
{
	char component[PARIO_MPIIO_COMPONENT];
	struct pario_launch launch = { .io_component = io_component(plan, component) };
	struct pario_style style = { 0 };
	int status;

	if (plan->settings.print_sbatch)
		return print_sbatch(plan, need, err);
	if (pario_launch_promised() > 0)
		return 0;
	status = refuse_separate_tasks(err);
	if (status > 0)
		*code = PARIO_USAGE;
	if (status != 0)
		return status;
	if (pario_session_place(plan, err) < 0 ||
	    pario_session_clients(plan, &launch.clients, err) < 0 ||
	    pario_plan_fits_here(plan, need, per_node(launch.clients), err) < 0)
		return -1;
	say_alone(launch.clients);
	pario_terminal_style(&style, plan->settings.color);
	launch.columns = style.columns;
	launch.color = style.color;
	launch.progress = style.progress;
	launch.deadline = plan->settings.deadline;
	launch.dir = plan->settings.dir;
	pario_watch_step(0, NULL);
	status = pario_launch_self(&launch, pario_console_argc, pario_console_argv, code, err);
	if (status < 0)
		return -1;
	if (pario_launch_unbegun()) {
		pario_console_warn("stopped by a signal before the clients had begun; nothing was "
				   "measured.");
	} else if (pario_launch_signals() > 1) {
		if (style.progress)
			fputs("\r\033[K", stderr);
		pario_console_warn(
			"ended at once; the journal holds what was complete. `pario clean %s` "
			"removes the data that stayed.",
			plan->settings.dir);
	}
	return status == 0 ? 1 : 0;
}
