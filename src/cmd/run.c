/*
 * run: `pario run TEST`: one test at every point of its sweep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "comm/launch.h"
#include "session/resume.h"
#include "session/session.h"
#include "tests/tests.h"

static const struct pario_test *find(const char *name, struct pario_err *err)
{
	const struct pario_test *test = pario_test_by_name(name);
	const char *names[256];
	size_t count = 0;

	if (test)
		return test;
	while (count < 256 && pario_tests[count]) {
		names[count] = pario_tests[count]->name;
		count++;
	}
	pario_text_unknown(err, pario_text_nearest(name, names, count), "",
			   "`pario list` shows the tests.", "unknown test %s", name);
	return NULL;
}

struct run {
	struct pario_plan plan;
	struct pario_resume resume;
};

static int prepare(struct run *run, int argc, char **argv, struct pario_err *err)
{
	struct pario_plan *plan = &run->plan;
	const struct pario_test *test;
	const char *path;

	if (argc < 1 || argv[0][0] == '-')
		return pario_err_set(err, PARIO_USAGE,
				     "which test? `pario run TEST`; `pario list` shows them.");
	test = find(argv[0], err);
	if (!test || pario_plan_init(plan, test, err) < 0)
		return -1;
	if (pario_session_options(plan, argc - 1, argv + 1, NULL, NULL, err) < 0)
		return -1;
	path = pario_config_find(&plan->config, "resume")->text;
	if (!path || !*path)
		return 0;
	return pario_resume_begin(&run->resume, &plan->config, test->name, path, err);
}

static bool asked_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	}
	return false;
}

/* Everything that needs no client: help, --show_config, --dry_run, refusals. 1 = done with *code. */
static int before(void *self, int argc, char **argv, int *code, struct pario_err *err)
{
	struct run *run = self;
	struct pario_plan *plan = &run->plan;
	struct pario_need need;
	uint64_t clients;

	if (asked_help(argc, argv)) {
		*code = pario_cmd_help(argc, argv);
		return 1;
	}
	if (prepare(run, argc, argv, err) < 0)
		return -1;
	clients = pario_launch_promised();
	if (clients == 0 && pario_session_clients(plan, &clients, err) < 0)
		return -1;
	if (pario_plan_settle(plan, clients, err) < 0 ||
	    pario_resume_clients(&run->resume, plan, clients, err) < 0)
		return -1;
	if (plan->settings.show_config)
		return pario_session_show_config(plan);
	if (pario_plan_need(plan, &need, err) < 0)
		return -1;
	if (plan->settings.dry_run) {
		pario_session_dry(plan, &need);
		return pario_plan_fits_here(plan, &need, clients, err) < 0 ? -1 : 1;
	}
	return pario_session_launch(plan, &need, code, err);
}

static uint64_t phases_of(const struct pario_plan *plan)
{
	struct pario_phase phases[PARIO_PHASES];
	struct pario_err err = { 0 };
	struct pario_bound bound;
	uint64_t count = 1;

	if (pario_plan_bind(plan, 0, plan->clients[0], &bound, &err) == 0)
		count = pario_bound_phases(&bound, phases);
	pario_bound_release(&bound);
	return pario_times(count * plan->points * plan->client_count, plan->settings.repetitions);
}

static void lead(struct pario_session *s, void *self)
{
	struct run *run = self;
	struct pario_plan *plan = &run->plan;
	struct pario_err err = { 0 };
	struct pario_need need;
	int status = pario_plan_settle(plan, s->crew.world.clients, &err);

	plan->per_node = s->crew.world.node_clients_max;
	if (status == 0 && plan->settings.seed == 0)
		plan->settings.seed =
			run->resume.seed ? run->resume.seed : pario_random_seed() >> 1;
	if (status == 0)
		status = pario_plan_need(plan, &need, &err);
	if (status == 0)
		status = pario_session_place(plan, &err);
	if (status == 0)
		status = pario_plan_fits(plan, &need, &s->crew.nodes, &err);
	if (status == 0) {
		s->command = plan->test->name;
		s->resume = *plan->settings.resume ? plan->settings.resume : NULL;
		s->planned = phases_of(plan);
		status = pario_session_begin(s, plan, &err);
	}
	if (status == 0)
		status = pario_session_plan(s, plan, &err);
	pario_session_end(s, status < 0 ? &err : NULL);
}

int pario_cmd_run(int argc, char **argv)
{
	static struct run run;
	const struct pario_measuring_command job = { before, lead, &run };
	int code = pario_session_main(&job, argc, argv);

	pario_plan_release(&run.plan);
	return code;
}
