/*
 * bound: one point of a plan at one client count, with the values of all its options, checked against the test and the
 * backend. Its buffers are counted here, since they depend on the caches and the memory of a node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan.h"

/* Was --api asked for? Plan files and the environment may serve other runs. */
static bool chooses(const struct pario_plan *plan)
{
	const struct pario_setting *api = pario_config_find(&plan->config, "api");

	return api && api->origin == PARIO_ORIGIN_COMMAND;
}

/* The common access options against what the backend can do. */
static int check_access(const struct pario_access *a, const struct pario_backend *b, double gap,
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
		{ a->fdatasync, b->bits & PARIO_BACKEND_DATA_ONLY, "--fdatasync",
		  "--api posix, uring or mmap" },
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
	if (a->fdatasync && a->durability == PARIO_CACHED)
		return pario_err_set(
			err, PARIO_USAGE,
			"--fdatasync says how sustained writes end, and those of --durability cached end "
			"with no sync at all. Leave one of the two out.");
	if (gap > 0 && a->queue_depth > 1)
		return pario_err_set(
			err, PARIO_USAGE,
			"--gap would hide what a queue does meanwhile. Leave it out, or use "
			"--queue_depth 1.");
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
	if (!a->direct && !a->sync && !a->fdatasync && !a->file_view && !a->reuse_buffers &&
	    a->queue_depth <= 1)
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"%s opens its file itself by MPI-IO: --direct, --sync, --fdatasync, --file_view, "
		"--reuse_buffers and --queue_depth do not apply. Leave them out.",
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
	return pario_text_unknown(err, pario_text_nearest(bound->access.api, names, count), "",
				  "`pario list` shows the backends.", "unknown backend --api %s",
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
				  .data_only = a->fdatasync,
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
	if (unordered && bound->layout.same_data)
		return pario_err_set(
			err, PARIO_USAGE,
			"with a shared file pointer only the data tell which transfer is where, so they "
			"must differ. Leave --same_data out, or use --pointer explicit.");
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

/* Offsets in files are signed, and sums that do not fit stay the largest number (pario_times). */
static bool countable(const struct pario_layout *l)
{
	return l->file_bytes <= INT64_MAX && l->data_bytes <= INT64_MAX &&
	       l->buffer_bytes <= INT64_MAX && l->memory_bytes <= INT64_MAX &&
	       l->extra_bytes <= INT64_MAX && l->extra_files <= INT64_MAX &&
	       l->moved_bytes <= INT64_MAX && l->operations <= INT64_MAX;
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
	if (pario_mpiio_impl_check(bound->access.mpiio_impl, err) < 0)
		return -1;
	if ((test->needs & PARIO_NEED_MPI_FILES) &&
	    (check_own(&bound->access, chooses(plan), test->name, err) < 0 ||
	     check_shift(&bound->access, err) < 0))
		return -1;
	if (test->needs & PARIO_NEED_FILES) {
		if (find_backend(bound, err) < 0 ||
		    check_access(&bound->access, bound->point.backend, bound->settings.gap, err) <
			    0 ||
		    check_shift(&bound->access, err) < 0)
			return -1;
	}
	if (test->plan && test->plan(&bound->point, 0, &bound->layout, err) < 0)
		return -1;
	if (!countable(&bound->layout))
		return pario_err_set(
			err, PARIO_USAGE,
			"with these values and %llu clients %s needs more than 2^63 bytes, files or operations. "
			"Use smaller sizes or counts, or fewer clients.",
			(unsigned long long)bound->point.clients, test->name);
	if (pario_bound_check_file(bound, err) < 0)
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
			pario_err_memory(err, "the plan");
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
		pario_err_memory(err, "the plan");
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
	bound->point.runs =
		pario_times(plan->points * plan->client_count, plan->settings.repetitions);
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
