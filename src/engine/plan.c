/*
 * plan: the options of a test, its access, its backends and the run, read as one table; the lists among them become
 * points. bound.c takes one point out of it, need.c adds them up.
 */
#include "engine/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "machine/machine.h"

/* --clients that asks for all counts that say how a number scales. */
static const char SWEEP[] = "sweep";

static size_t add_table(struct pario_plan *plan, const char *title, const struct pario_option *rows,
			size_t size)
{
	plan->tables[plan->table_count] = (struct pario_table){ title, rows, size };
	return plan->table_count++;
}

/* The first backend of the list that is there; without any the first, whose reason is then told. */
static int default_api(struct pario_plan *plan, const char *list, struct pario_err *err)
{
	char names[128], first[64];

	snprintf(names, sizeof(names), "%s", list);
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(list, ","), list);
	for (char *rest = names, *name; (name = pario_text_word(&rest, ","));) {
		const struct pario_backend *b = pario_backend_find(name);

		if (b && (!b->unavailable || !b->unavailable()))
			return pario_config_set(&plan->config, "api", name, PARIO_ORIGIN_DEFAULT,
						err);
	}
	return pario_config_set(&plan->config, "api", first, PARIO_ORIGIN_DEFAULT, err);
}

/* Whoever compares runs knows options by name alone, so every row says of itself what it believes. */
static int check_roles(const struct pario_config *config, struct pario_err *err)
{
	for (size_t i = 0; i < config->setting_count; i++) {
		const struct pario_option *row = config->settings[i].option;

		if ((row->flags & PARIO_OPTION_ROLES) != pario_option_role(row->name))
			return pario_err_set(
				err, PARIO_SYSTEM,
				"a bug in pario: the row of --%s and pario_option_role disagree about whether it "
				"shapes a measurement (engine/settings.c).",
				row->name);
	}
	return 0;
}

int pario_plan_init(struct pario_plan *plan, const struct pario_test *test, struct pario_err *err)
{
	memset(plan, 0, sizeof(*plan));
	plan->test = test;
	plan->last_cache = pario_machine_last_cache(PARIO_CPU_DIR);
	plan->memory_bytes = pario_machine_memory_total();
	add_table(plan, "test", test->options, test->params_size);
	if (test->needs & (PARIO_NEED_FILES | PARIO_NEED_MPI_FILES))
		add_table(plan, "access", pario_access_options, sizeof(struct pario_access));
	else if (test->needs & PARIO_NEED_HINTS)
		add_table(plan, "hint", pario_mpiio_options(), sizeof(struct pario_access));
	for (size_t i = 0; (test->needs & PARIO_NEED_FILES) && pario_backends[i]; i++) {
		const struct pario_backend *b = pario_backends[i];

		if (b->options)
			plan->backend_table[i] =
				add_table(plan, b->name, b->options, b->params_size);
	}
	add_table(plan, "run", pario_settings_options, sizeof(struct pario_settings));
	if (pario_config_init(&plan->config, plan->tables, plan->table_count, err) < 0 ||
	    check_roles(&plan->config, err) < 0)
		return -1;
	plan->config.subject = test->name;
	if (test->repetitions && pario_config_set(&plan->config, "repetitions", test->repetitions,
						  PARIO_ORIGIN_DEFAULT, err) < 0)
		return -1;
	return test->api ? default_api(plan, test->api, err) : 0;
}

void pario_plan_release(struct pario_plan *plan)
{
	pario_config_release(&plan->config);
	free(plan->clients);
	plan->clients = NULL;
}

/* `sweep`: 1, 2, 4 ... and all; squares where the test makes a grid of them, none alone where it needs two. */
static int count_up(const struct pario_test *test, uint64_t available, uint64_t **counts, size_t *n,
		    struct pario_err *err)
{
	bool square = test->needs & PARIO_NEED_SQUARE;
	uint64_t *list = calloc(66, sizeof(*list)), c = 1, side = (uint64_t)sqrt((double)available);
	uint64_t most = square ? side * side : available;

	if (!list)
		return pario_err_memory(err, "the plan");
	if ((test->needs & PARIO_NEED_TWO) && available > 1)
		c = 2;
	for (*n = 0; c < most; c *= square ? 4 : 2)
		list[(*n)++] = c;
	list[(*n)++] = most;
	*counts = list;
	return 0;
}

static int list_counts(const char *asked, uint64_t **counts, size_t *n, struct pario_err *err)
{
	int status = pario_options_list("--clients", asked, counts, n, err);

	if (status == 0 || err->code != PARIO_USAGE)
		return status;
	return pario_err_set(err, PARIO_USAGE,
			     "--clients does not take '%s'. Write counts as a list such as 1,2,4, "
			     "or `%s` for 1, 2, 4 ... and all.",
			     asked, SWEEP);
}

static int take_clients(struct pario_plan *plan, uint64_t available, struct pario_err *err)
{
	const char *asked = *plan->settings.clients ? plan->settings.clients : NULL;

	free(plan->clients);
	plan->clients = NULL;
	if (asked && strcmp(asked, SWEEP) == 0)
		return count_up(plan->test, available, &plan->clients, &plan->client_count, err);
	if (asked)
		return list_counts(asked, &plan->clients, &plan->client_count, err);
	plan->clients = malloc(sizeof(*plan->clients));
	if (!plan->clients)
		return pario_err_memory(err, "the plan");
	plan->clients[0] = available;
	plan->client_count = 1;
	return 0;
}

int pario_plan_wanted(const struct pario_plan *plan, uint64_t *np, struct pario_err *err)
{
	const struct pario_setting *list = pario_config_find(&plan->config, "clients");
	const struct pario_setting *given = pario_config_find(&plan->config, "np");
	uint64_t *counts = NULL;
	size_t n = 0;

	*np = 0;
	if (given && given->text && pario_units_parse_size("--np", given->text, np, err) < 0)
		return -1;
	if (*np == 0 && plan->test->alone && !(list && list->text && *list->text))
		*np = 1;
	if (*np || !list || !list->text || !*list->text || strcmp(list->text, SWEEP) == 0)
		return 0;
	if (list_counts(list->text, &counts, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		*np = counts[i] > *np ? counts[i] : *np;
	free(counts);
	return 0;
}

static int check_counts(struct pario_plan *plan, uint64_t available, struct pario_err *err)
{
	for (size_t i = 0; i < plan->client_count; i++) {
		if (plan->clients[i] == 0)
			return pario_err_set(
				err, PARIO_USAGE,
				"--clients 0 is not a group; use counts from 1 to %llu.",
				(unsigned long long)available);
		if (plan->clients[i] > available)
			return pario_err_set(
				err, PARIO_USAGE,
				"--clients %llu needs as many processes, but %llu were started. "
				"Start more (--np, mpirun -n) or ask for fewer clients.",
				(unsigned long long)plan->clients[i],
				(unsigned long long)available);
	}
	return 0;
}

/* Is the backend one of the list that --api gives? */
static bool uses(const struct pario_plan *plan, const char *backend)
{
	const struct pario_setting *api = pario_config_find(&plan->config, "api");
	const char *from = api && api->text ? api->text : "";
	char name[64];

	for (; *from; from += strcspn(from, ",") + (from[strcspn(from, ",")] == ',')) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(from, ","), from);
		if (pario_text_same_name(name, backend))
			return true;
	}
	return false;
}

/* An option for a backend that no point uses is a mistake; plan files and the environment may serve other runs. */
static int check_owners(const struct pario_plan *plan, struct pario_err *err)
{
	for (size_t i = 0; pario_backends[i]; i++) {
		const char *name = pario_backends[i]->name;

		for (size_t k = 0; plan->backend_table[i] && k < plan->config.setting_count; k++) {
			const struct pario_setting *s = &plan->config.settings[k];

			if (s->table != plan->backend_table[i] ||
			    s->origin != PARIO_ORIGIN_COMMAND || uses(plan, name))
				continue;
			return pario_err_set(
				err, PARIO_USAGE,
				"--%s is an option of the backend %s, which this run does not use. "
				"Use --api %s, or leave it out.",
				s->option->name, name, name);
		}
	}
	return 0;
}

/* The same for the implementation of MPI-IO, which several backends stand on. */
static int check_impl(const struct pario_plan *plan, struct pario_err *err)
{
	const struct pario_setting *impl = pario_config_find(&plan->config, "mpiio_impl");

	if (!impl || impl->origin != PARIO_ORIGIN_COMMAND ||
	    !(plan->test->needs & PARIO_NEED_FILES))
		return 0;
	for (size_t i = 0; pario_backends[i]; i++) {
		if ((pario_backends[i]->bits & PARIO_BACKEND_COLLECTIVE) &&
		    uses(plan, pario_backends[i]->name))
			return 0;
	}
	return pario_err_set(err, PARIO_USAGE,
			     "--mpiio_impl is for backends that stand on MPI-IO, and this run uses "
			     "none. Use --api mpiio, hdf5 or pnetcdf, or leave it out.");
}

static int take_until(struct pario_plan *plan, struct pario_err *err)
{
	plan->until = 0;
	if (!*plan->settings.until)
		return 0;
	return pario_units_parse_share("--until", plan->settings.until, &plan->until, err);
}

/* What may come between the repetitions, or end them before their number. */
static int check_repetitions(const struct pario_plan *plan, struct pario_err *err)
{
	const struct pario_settings *s = &plan->settings;
	const char *limit = s->run_limit > 0 && s->repetitions > 1 ? "--run_limit" : NULL;
	const char *early = plan->until > 0 ? "--until" : limit;
	const char *between = early ? early : s->pause > 0 ? "--pause" : NULL;

	if (early && s->keep_files)
		return pario_err_set(
			err, PARIO_USAGE,
			"--keep_files keeps the data of the last repetition, and with %s "
			"nobody knows before which one that is. Use --repetitions instead.",
			early);
	if (between && (plan->test->needs & PARIO_NEED_ROW))
		return pario_err_set(
			err, PARIO_USAGE,
			"the repetitions of %s belong together, so %s does not apply. Use "
			"--repetitions.",
			plan->test->name, between);
	return 0;
}

/* The engine takes computing out of the times that begin where it is asked for the next operation, and of no others. */
static int check_gap(const struct pario_plan *plan, struct pario_err *err)
{
	if (!(plan->settings.gap > 0) || (plan->test->needs & PARIO_NEED_GAP))
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"%s does not measure one operation after the other: --gap would be in its "
		"times, or hide them, or do nothing. Leave --gap out.",
		plan->test->name);
}

int pario_plan_settle(struct pario_plan *plan, uint64_t available, struct pario_err *err)
{
	struct pario_room room;
	void *structs[PARIO_PLAN_TABLES] = { 0 };
	int status = -1;

	for (size_t i = 0; i < plan->table_count; i++) {
		structs[i] = calloc(1, plan->tables[i].size ? plan->tables[i].size : 1);
		if (!structs[i])
			goto free_structs;
	}
	if (check_owners(plan, err) < 0 || check_impl(plan, err) < 0 ||
	    pario_config_points(&plan->config, &plan->points, err) < 0 ||
	    pario_config_point(&plan->config, 0, structs, err) < 0)
		goto free_structs;
	memcpy(&plan->settings, structs[plan->table_count - 1], sizeof(plan->settings));
	pario_room_at(plan->settings.dir, &room);
	plan->free_bytes = room.free_bytes;
	if (take_until(plan, err) < 0 || check_repetitions(plan, err) < 0 ||
	    check_gap(plan, err) < 0)
		goto free_structs;
	if (take_clients(plan, available, err) == 0)
		status = check_counts(plan, available, err);
free_structs:
	for (size_t i = 0; i < plan->table_count; i++)
		free(structs[i]);
	return status;
}
