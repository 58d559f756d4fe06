/*
 * plan: turns option texts into points that have been checked against this system.
 */
#include "engine/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "machine/machine.h"

static size_t add_table(struct pario_plan *plan, const char *title, const struct pario_option *rows,
			size_t size)
{
	plan->tables[plan->table_count] = (struct pario_table){ title, rows, size };
	return plan->table_count++;
}

/* The first backend of the list that is there; without any the first, whose reason is then told. */
static int default_api(struct pario_plan *plan, const char *list, struct pario_err *err)
{
	char names[128], first[64], *save = NULL;

	snprintf(names, sizeof(names), "%s", list);
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(list, ","), list);
	for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		const struct pario_backend *b = pario_backend_find(name);

		if (b && (!b->unavailable || !b->unavailable()))
			return pario_config_set(&plan->config, "api", name, PARIO_ORIGIN_DEFAULT,
						err);
	}
	return pario_config_set(&plan->config, "api", first, PARIO_ORIGIN_DEFAULT, err);
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
		add_table(plan, "hint", pario_hint_options(), sizeof(struct pario_access));
	for (size_t i = 0; (test->needs & PARIO_NEED_FILES) && pario_backends[i]; i++) {
		const struct pario_backend *b = pario_backends[i];

		if (b->options)
			plan->backend_table[i] =
				add_table(plan, b->name, b->options, b->params_size);
	}
	add_table(plan, "run", pario_settings_options, sizeof(struct pario_settings));
	if (pario_config_init(&plan->config, plan->tables, plan->table_count, err) < 0)
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
	if (*np || !list || !list->text || !*list->text)
		return 0;
	if (pario_options_list("--clients", list->text, &counts, &n, err) < 0)
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

/* Was --api asked for? Plan files and the environment may serve other runs. */
static bool chooses(const struct pario_plan *plan)
{
	const struct pario_setting *api = pario_config_find(&plan->config, "api");

	return api && api->origin == PARIO_ORIGIN_COMMAND;
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

/* "5%" or "5". */
static int take_until(struct pario_plan *plan, struct pario_err *err)
{
	char text[sizeof(plan->settings.until)];
	size_t length = strlen(plan->settings.until);
	struct pario_err unread = { 0 };
	double percent = 0;

	plan->until = 0;
	if (length == 0)
		return 0;
	memcpy(text, plan->settings.until, length + 1);
	if (text[length - 1] == '%')
		text[length - 1] = '\0';
	if (pario_units_parse_real("--until", text, &percent, &unread) < 0 || !(percent > 0) ||
	    percent > 100)
		return pario_err_set(
			err, PARIO_USAGE,
			"--until %s is not a share; use one above 0%% and up to 100%%, "
			"such as 5%%.",
			plan->settings.until);
	if (plan->settings.keep_files)
		return pario_err_set(
			err, PARIO_USAGE,
			"--keep_files keeps the data of the last repetition, and with --until "
			"nobody knows before which one that is. Use --repetitions instead.");
	if (plan->test->needs & PARIO_NEED_ROW)
		return pario_err_set(
			err, PARIO_USAGE,
			"the repetitions of %s belong together, so --until does not apply. Use "
			"--repetitions.",
			plan->test->name);
	plan->until = percent / 100;
	return 0;
}

int pario_plan_settle(struct pario_plan *plan, uint64_t available, struct pario_err *err)
{
	struct statvfs fs;
	void *structs[PARIO_PLAN_TABLES] = { 0 };
	int status = -1;

	for (size_t i = 0; i < plan->table_count; i++) {
		structs[i] = calloc(1, plan->tables[i].size ? plan->tables[i].size : 1);
		if (!structs[i])
			goto free_structs;
	}
	if (check_owners(plan, err) < 0 ||
	    pario_config_points(&plan->config, &plan->points, err) < 0 ||
	    pario_config_point(&plan->config, 0, structs, err) < 0)
		goto free_structs;
	memcpy(&plan->settings, structs[plan->table_count - 1], sizeof(plan->settings));
	plan->free_bytes = statvfs(plan->settings.dir, &fs) == 0
				   ? (uint64_t)fs.f_bavail * fs.f_frsize
				   : UINT64_MAX;
	if (take_until(plan, err) < 0)
		goto free_structs;
	free(plan->clients);
	plan->clients = NULL;
	if (*plan->settings.clients) {
		if (pario_options_list("--clients", plan->settings.clients, &plan->clients,
				       &plan->client_count, err) < 0)
			goto free_structs;
	} else {
		plan->clients = malloc(sizeof(*plan->clients));
		if (!plan->clients) {
			pario_err_set(err, PARIO_SYSTEM, "no memory for the plan.");
			goto free_structs;
		}
		plan->clients[0] = available;
		plan->client_count = 1;
	}
	status = check_counts(plan, available, err);
free_structs:
	for (size_t i = 0; i < plan->table_count; i++)
		free(structs[i]);
	return status;
}

/* The common access options against what the backend can do. */
static int check_access(const struct pario_access *a, const struct pario_backend *b,
			struct pario_err *err)
{
	const struct {
		bool asked, able;
		const char *option, *instead;
	} rules[] = {
		{ a->collective, b->bits & PARIO_BACKEND_COLLECTIVE, "--collective",
		  "--api mpiio, hdf5 or pnetcdf" },
		{ a->direct, b->bits & PARIO_BACKEND_DIRECT, "--direct", "--api posix or uring" },
		{ a->sync, b->bits & PARIO_BACKEND_SYNCHRONOUS, "--sync", "--api posix or uring" },
		{ a->file_view, b->extent && b->extent->view, "--file_view", "--api mpiio" },
		{ a->queue_depth > 1, b->extent && b->extent->submit, "--queue_depth above 1",
		  "--api uring or mpiio" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].asked && !rules[i].able)
			return pario_err_set(
				err, PARIO_USAGE,
				"the backend %s does not support %s. Use %s, or leave it out.",
				b->name, rules[i].option, rules[i].instead);
	}
	return 0;
}

/* The common access options where a test opens its file itself by MPI-IO; `chosen`: --api was given. */
static int check_own(const struct pario_access *a, bool chosen, const char *test,
		     struct pario_err *err)
{
	if (chosen && !pario_text_same_name(a->api, "mpiio"))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s opens its file itself by MPI-IO: --api %s does not apply. Leave it out.",
			test, a->api);
	if (!a->direct && !a->sync && !a->file_view && !a->reuse_buffers && a->queue_depth <= 1)
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"%s opens its file itself by MPI-IO: --direct, --sync, --file_view, --reuse_buffers "
		"and --queue_depth do not apply. Leave them out.",
		test);
}

static int find_backend(struct pario_bound *bound, struct pario_err *err)
{
	const char *names[64] = { 0 };
	size_t count = 0;

	for (size_t i = 0; pario_backends[i] && count < 64; i++)
		names[count++] = pario_backends[i]->name;
	for (size_t i = 0; i < count; i++) {
		if (pario_text_same_name(names[i], bound->access.api)) {
			const char *reason = pario_backends[i]->unavailable
						     ? pario_backends[i]->unavailable()
						     : NULL;

			bound->backend_index = i;
			bound->point.backend = pario_backends[i];
			if (reason)
				return pario_err_set(err, PARIO_SYSTEM,
						     "the backend %s is not available: %s.",
						     names[i], reason);
			return 0;
		}
	}
	if (pario_text_nearest(bound->access.api, names, count))
		return pario_err_set(err, PARIO_USAGE, "unknown backend --api %s; did you mean %s?",
				     bound->access.api,
				     pario_text_nearest(bound->access.api, names, count));
	return pario_err_set(err, PARIO_USAGE,
			     "unknown backend --api %s; `pario list` shows the backends.",
			     bound->access.api);
}

/* What the backend itself says about the combination; asked through the same struct that open will get. */
static int ask_backend(const struct pario_bound *bound, struct pario_err *err)
{
	const struct pario_access *a = &bound->access;
	struct pario_open how = { .dirfd = -1,
				  .name = "",
				  .path = "",
				  .comm = MPI_COMM_NULL,
				  .direct = a->direct,
				  .synchronous = a->sync,
				  .preallocate = a->preallocate,
				  .collective = a->collective,
				  .queue_depth = (unsigned)a->queue_depth,
				  .hints = &a->hints,
				  .params = bound->point.backend_params };
	bool unordered = bound->point.backend->unordered &&
			 bound->point.backend->unordered(bound->point.backend_params);

	if (unordered && (!bound->layout.uniform || bound->layout.per_client || a->file_view))
		return pario_err_set(
			err, PARIO_USAGE,
			"a shared file pointer lets the library choose each place, so it needs one "
			"shared file without gaps, header or varying sizes, in sequential order, "
			"and no file view. Use --pointer explicit, or a plain pattern.");
	if (a->file_view && !bound->layout.regular)
		return pario_err_set(
			err, PARIO_USAGE,
			"--file_view needs a regular pattern on a shared file; this one is not. "
			"Use --pattern segmented or strided with --layout shared.");
	return bound->point.backend->check ? bound->point.backend->check(&how, err) : 0;
}

static int check_shift(const struct pario_access *a, struct pario_err *err)
{
	uint64_t shift;

	if (strcmp(a->read_shift, "auto") == 0)
		return 0;
	return pario_units_parse_size("--read_shift", a->read_shift, &shift, err);
}

static int check_point(const struct pario_plan *plan, struct pario_bound *bound,
		       struct pario_err *err)
{
	const struct pario_test *test = bound->point.test;

	if ((test->needs & PARIO_NEED_TWO) && bound->point.clients < 2)
		return pario_err_set(err, PARIO_USAGE,
				     "%s needs at least 2 clients. Start it with --np 2 or more.",
				     test->name);
	if ((test->needs & PARIO_NEED_NO_DIR) && bound->settings.drop_caches)
		return pario_err_set(
			err, PARIO_USAGE,
			"%s exchanges messages and reads no file, so there is nothing to drop from "
			"the caches. Leave --drop_caches away.",
			test->name);
	if ((test->needs & PARIO_NEED_MPI_FILES) &&
	    (check_own(&bound->access, chooses(plan), test->name, err) < 0 ||
	     check_shift(&bound->access, err) < 0))
		return -1;
	if (test->needs & PARIO_NEED_FILES) {
		if (find_backend(bound, err) < 0 ||
		    check_access(&bound->access, bound->point.backend, err) < 0 ||
		    check_shift(&bound->access, err) < 0)
			return -1;
	}
	if (test->plan && test->plan(&bound->point, 0, &bound->layout, err) < 0)
		return -1;
	return test->needs & PARIO_NEED_FILES ? ask_backend(bound, err) : 0;
}

/* Rings of all clients of a node take at most this part of its memory. */
enum { RING_SHARE = 8, CACHE_LINE = 64, PAGE = 4096 };

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t parts(uint64_t whole, uint64_t part)
{
	return whole / part + (whole % part != 0);
}

/*
 * Whole pages, as direct transfers need them; of smaller ones whole cache lines, as a page for each would be mostly
 * empty.
 */
static uint64_t buffer_capacity(const struct pario_bound *bound)
{
	uint64_t bytes = bound->layout.buffer_bytes ? bound->layout.buffer_bytes : 1;
	uint64_t unit = bytes < PAGE && !bound->access.direct ? CACHE_LINE : PAGE;

	return parts(bytes, unit) * unit;
}

/*
 * Buffers that a client's transfers take in turn (the consortium's rules 6.8 to 6.10: bytes of a buffer are not used
 * again). Those of all clients of a node are twice its last-level caches, so that none is still cached when its turn
 * comes again; more than the client has transfers are not needed.
 */
static uint64_t ring(const struct pario_plan *plan, const struct pario_bound *bound)
{
	const struct pario_layout *l = &bound->layout;
	uint64_t depth = bound->access.queue_depth, clients = bound->point.clients;
	uint64_t cache = 2 * plan->last_cache.bytes, here, bytes, count;

	if (!(plan->test->needs & PARIO_NEED_FILES) || bound->access.reuse_buffers ||
	    l->buffer_bytes == 0 || (bound->point.backend->bits & PARIO_BACKEND_NO_DATA))
		return depth;
	here = plan->per_node && plan->per_node < clients ? plan->per_node : clients;
	bytes = least(cache * plan->last_cache.count / here, cache);
	bytes = least(bytes, plan->memory_bytes / RING_SHARE / here);
	count = least(parts(bytes, bound->buffer_capacity),
		      parts(parts(l->data_bytes, clients), l->buffer_bytes));
	return count > depth ? count : depth;
}

static int take_values(const struct pario_plan *plan, uint64_t index, struct pario_bound *bound,
		       struct pario_err *err)
{
	void *structs[PARIO_PLAN_TABLES] = { 0 };
	size_t table, bytes = 0;
	int status = -1;

	for (size_t i = 0; i < plan->table_count; i++) {
		structs[i] = calloc(1, plan->tables[i].size ? plan->tables[i].size : 1);
		if (!structs[i]) {
			pario_err_set(err, PARIO_SYSTEM, "no memory for the plan.");
			goto free_structs;
		}
	}
	if (pario_config_point(&plan->config, index, structs, err) < 0)
		goto free_structs;
	memcpy(&bound->settings, structs[plan->table_count - 1], sizeof(bound->settings));
	if (plan->test->needs & (PARIO_NEED_FILES | PARIO_NEED_MPI_FILES | PARIO_NEED_HINTS))
		memcpy(&bound->access, structs[1], sizeof(bound->access));
	/* The backend is looked up by name here only to know which table is its own. */
	for (table = 0; pario_backends[table]; table++) {
		if (pario_text_same_name(pario_backends[table]->name, bound->access.api))
			break;
	}
	table = pario_backends[table] ? plan->backend_table[table] : 0;
	bound->params_bytes = plan->tables[0].size;
	bound->backend_bytes = table ? plan->tables[table].size : 0;
	bytes = bound->params_bytes + bound->backend_bytes;
	bound->tail = calloc(1, bytes ? bytes : 1);
	if (!bound->tail) {
		pario_err_set(err, PARIO_SYSTEM, "no memory for the plan.");
		goto free_structs;
	}
	memcpy(bound->tail, structs[0], bound->params_bytes);
	if (table)
		memcpy(bound->tail + bound->params_bytes, structs[table], bound->backend_bytes);
	status = 0;
free_structs:
	for (size_t i = 0; i < plan->table_count; i++)
		free(structs[i]);
	return status;
}

void pario_bound_link(struct pario_bound *bound, const struct pario_test *test)
{
	bound->point.test = test;
	bound->point.params = bound->tail;
	bound->point.access = &bound->access;
	bound->point.backend_params = bound->tail + bound->params_bytes;
	bound->point.backend = pario_backends[bound->backend_index];
}

int pario_plan_bind(const struct pario_plan *plan, uint64_t index, uint64_t clients,
		    struct pario_bound *bound, struct pario_err *err)
{
	struct pario_text name = { 0 };

	memset(bound, 0, sizeof(*bound));
	if (take_values(plan, index, bound, err) < 0)
		return -1;
	pario_bound_link(bound, plan->test);
	bound->point.index = index;
	bound->point.clients = clients;
	bound->point.runs = plan->points * plan->client_count * plan->settings.repetitions;
	bound->point.per_node =
		plan->per_node && plan->per_node < clients ? plan->per_node : clients;
	bound->point.free_bytes = plan->free_bytes;
	bound->point.seed = bound->settings.seed = plan->settings.seed;
	pario_config_point_name(&plan->config, index, &name);
	snprintf(bound->name, sizeof(bound->name), "%s", pario_text_string(&name));
	pario_text_release(&name);
	if (check_point(plan, bound, err) < 0)
		return -1;
	bound->buffer_capacity = buffer_capacity(bound);
	bound->buffers = ring(plan, bound);
	return 0;
}

bool pario_plan_shared_pointers(const struct pario_plan *plan)
{
	const struct pario_setting *pointer = pario_config_find(&plan->config, "pointer");

	return (plan->test->needs & PARIO_NEED_POINTERS) ||
	       (pointer && pointer->text && strstr(pointer->text, "shared"));
}

void pario_bound_release(struct pario_bound *bound)
{
	free(bound->tail);
	bound->tail = NULL;
}

unsigned pario_bound_phases(const struct pario_bound *bound, struct pario_phase *phases)
{
	if (bound->point.test->phases)
		return bound->point.test->phases(&bound->point, phases);
	phases[0] = (struct pario_phase){ .name = "run", .write = true, .creates = true };
	return 1;
}

static bool stores(const struct pario_bound *bound)
{
	return bound->layout.file_bytes > 0 && !bound->layout.existing &&
	       ((bound->point.test->needs & PARIO_NEED_MPI_FILES) ||
		(bound->point.backend && !(bound->point.backend->bits & PARIO_BACKEND_NO_DATA)));
}

/* Where the storage decides, as if it were one of PARIO_PLAN_RATE and PARIO_PLAN_OPS. */
static double seconds_of(const struct pario_bound *bound, const struct pario_phase *phases,
			 uint64_t count)
{
	const struct pario_layout *l = &bound->layout;
	double limit = bound->settings.time_limit, sum = l->seconds, each;

	each = ((double)l->data_bytes + (double)l->moved_bytes / (double)count) / PARIO_PLAN_RATE +
	       (double)l->operations / (double)count / PARIO_PLAN_OPS;
	for (uint64_t i = 0; i < count; i++)
		sum += limit > 0 && !phases[i].whole && each > limit ? limit : each;
	return sum;
}

static bool add_point(const struct pario_plan *plan, const struct pario_bound *bound,
		      struct pario_need *need)
{
	const struct pario_layout *l = &bound->layout;
	struct pario_phase phases[PARIO_PHASES];
	uint64_t each = pario_bound_phases(bound, phases),
		 count = each * plan->settings.repetitions;
	uint64_t files = stores(bound) ? l->per_client ? bound->point.clients : 1 : 0;
	uint64_t bytes, moved, own, memory;

	if (!pario_mul(files, l->file_bytes, &bytes) || !pario_add(bytes, l->extra_bytes, &bytes) ||
	    !pario_add(files, l->extra_files, &files) || !pario_mul(l->data_bytes, count, &moved) ||
	    !pario_mul(l->moved_bytes, plan->settings.repetitions, &own) ||
	    !pario_add(moved, own, &moved) ||
	    !pario_add(need->moved_bytes, moved, &need->moved_bytes) ||
	    !pario_mul(bound->buffer_capacity, bound->buffers, &memory) ||
	    !pario_add(memory, l->memory_bytes, &memory))
		return false;
	if (memory > need->memory_bytes)
		need->memory_bytes = memory;
	need->open_ended |= l->open_ended;
	need->operations += l->operations * plan->settings.repetitions;
	if (l->buffer_bytes)
		need->operations += moved / l->buffer_bytes;
	need->seconds += seconds_of(bound, phases, each) * (double)plan->settings.repetitions;
	if (plan->settings.keep_files)
		return pario_add(need->files, files, &need->files) &&
		       pario_add(need->disk_bytes, bytes, &need->disk_bytes);
	need->files = files > need->files ? files : need->files;
	need->disk_bytes = bytes > need->disk_bytes ? bytes : need->disk_bytes;
	return true;
}

int pario_plan_need(const struct pario_plan *plan, struct pario_need *need, struct pario_err *err)
{
	struct pario_err first = { 0 };

	memset(need, 0, sizeof(*need));
	for (uint64_t i = 0; i < plan->points * plan->client_count; i++) {
		struct pario_bound bound;
		struct pario_err reason = { 0 };
		int status =
			pario_plan_bind(plan, i / plan->client_count,
					plan->clients[i % plan->client_count], &bound, &reason);

		if (status == 0 && !add_point(plan, &bound, need))
			status = pario_err_set(
				&reason, PARIO_USAGE,
				"the sizes of this plan multiply to more than 2^64 bytes. "
				"Use smaller sizes, fewer clients or fewer segments.");
		if (status < 0 && need->skipped++ == 0)
			first = reason;
		need->points++;
		pario_bound_release(&bound);
	}
	if (need->skipped == need->points) {
		*err = first;
		return -1;
	}
	return 0;
}

static int fits_disk(const struct pario_plan *plan, const struct pario_need *need,
		     struct pario_err *err)
{
	char wanted[PARIO_UNITS_CAPACITY], there[PARIO_UNITS_CAPACITY];
	struct statvfs fs;
	uint64_t available;

	if (need->disk_bytes == 0 && need->files == 0)
		return 0;
	if (statvfs(plan->settings.dir, &fs) < 0)
		return pario_err_sys(err, errno, "Name a directory with --dir.",
				     "the free space in %s cannot be found", plan->settings.dir);
	available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (need->disk_bytes > available)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"this plan needs %s in %s and %s are free. Use smaller sizes, fewer --clients, or "
			"another --dir.",
			pario_units_size(wanted, need->disk_bytes), plan->settings.dir,
			pario_units_size(there, available));
	/* Two more for the workspace and its manifest. */
	if (fs.f_files > 0 && (fs.f_favail < 2 || need->files > fs.f_favail - 2))
		return pario_err_set(
			err, PARIO_SYSTEM,
			"this plan needs %llu files in %s and %llu inodes are free. Use fewer "
			"files or another --dir.",
			(unsigned long long)need->files, plan->settings.dir,
			(unsigned long long)fs.f_favail);
	return 0;
}

/* Queues and rings of buffers are the engine's: a test that opens its files itself has neither. */
static bool of_the_engine(const char *name)
{
	return strcmp(name, "queue_depth") == 0 || strcmp(name, "reuse_buffers") == 0;
}

static bool has_option(const struct pario_plan *plan, const char *name)
{
	if (of_the_engine(name) && !(plan->test->needs & PARIO_NEED_FILES))
		return false;
	for (size_t i = 0; i < plan->config.setting_count; i++)
		if (strcmp(plan->config.settings[i].option->name, name) == 0)
			return true;
	return false;
}

/* What to do about too little memory, in options that this test has. */
static void memory_advice(const struct pario_plan *plan, struct pario_text *out)
{
	static const char *const smaller[] = {
		"transfer_size", "queue_depth",	    "file_size",   "memory_per_process",
		"class",	 "memory_per_node", "write_bytes", "buffer_size",
		"no_pix",	 "sz_tile_x",	    "sz_tile_y",   "veclen"
	};
	const char *before = "Use a smaller --";

	for (size_t i = 0; i < sizeof(smaller) / sizeof(*smaller); i++) {
		if (!has_option(plan, smaller[i]))
			continue;
		pario_text_add(out, "%s%s", before, smaller[i]);
		before = " or --";
	}
	if (has_option(plan, "reuse_buffers"))
		pario_text_add(out, "%s--reuse_buffers 1", out->length ? ", " : "Use ");
	pario_text_add(out, "%s", out->length ? ", or fewer clients." : "Use fewer clients.");
}

static int fits_node(const struct pario_plan *plan, const struct pario_need *need,
		     const struct pario_node *node, struct pario_err *err)
{
	struct pario_text advice = { 0 };
	char wanted[PARIO_UNITS_CAPACITY], there[PARIO_UNITS_CAPACITY];
	uint64_t sum;

	if (pario_mul(need->memory_bytes, node->clients, &sum) && sum <= node->memory_available)
		return 0;
	memory_advice(plan, &advice);
	pario_err_set(err, PARIO_SYSTEM,
		      "this plan needs %s of buffers for each of %llu clients on %s and %s of "
		      "memory are available. %s",
		      pario_units_size(wanted, need->memory_bytes),
		      (unsigned long long)node->clients, *node->host ? node->host : "a node",
		      pario_units_size(there, node->memory_available), pario_text_string(&advice));
	pario_text_release(&advice);
	return -1;
}

int pario_plan_fits(const struct pario_plan *plan, const struct pario_need *need,
		    const struct pario_nodes *nodes, struct pario_err *err)
{
	for (size_t i = 0; i < nodes->count; i++) {
		if (fits_node(plan, need, &nodes->list[i], err) < 0)
			return -1;
	}
	return fits_disk(plan, need, err);
}

int pario_plan_fits_here(const struct pario_plan *plan, const struct pario_need *need,
			 uint64_t clients, struct pario_err *err)
{
	struct pario_node here = { .clients = clients,
				   .memory_available = pario_machine_memory_available() };

	return pario_plan_fits(plan, need, &(struct pario_nodes){ &here, 1 }, err);
}
