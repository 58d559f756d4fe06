/*
 * need: how much disk, memory and time a plan takes, and whether this system has that much.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/room.h"
#include "engine/plan.h"
#include "machine/machine.h"

static bool stores(const struct pario_bound *bound)
{
	return bound->layout.file_bytes > 0 &&
	       !(bound->layout.filename && pario_bound_only_reads(bound)) &&
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

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* False when one of the sums is no size that a file or a memory can have. */
static bool add_point(const struct pario_plan *plan, const struct pario_bound *bound,
		      struct pario_need *need)
{
	const struct pario_layout *l = &bound->layout;
	struct pario_phase phases[PARIO_PHASES];
	uint64_t each = pario_bound_phases(bound, phases), times = plan->settings.repetitions;
	uint64_t files = stores(bound) ? l->per_client ? bound->point.clients : 1 : 0;
	uint64_t bytes = pario_plus(pario_times(files, l->file_bytes), l->extra_bytes);
	uint64_t moved =
		pario_times(pario_plus(pario_times(l->data_bytes, each), l->moved_bytes), times);
	uint64_t calls = l->buffer_bytes ? moved / l->buffer_bytes : 0;
	uint64_t memory =
		pario_plus(pario_times(bound->buffer_capacity, bound->buffers), l->memory_bytes);

	files = pario_plus(files, l->extra_files);
	need->moved_bytes = pario_plus(need->moved_bytes, moved);
	need->memory_bytes = most(need->memory_bytes, memory);
	need->group_bytes = most(need->group_bytes, pario_times(memory, bound->point.clients));
	need->open_ended |= l->open_ended;
	need->operations =
		pario_plus(need->operations, pario_plus(calls, pario_times(l->operations, times)));
	need->seconds += seconds_of(bound, phases, each) * (double)times;
	if (plan->settings.keep_files) {
		files = pario_plus(need->files, files);
		bytes = pario_plus(need->disk_bytes, bytes);
	}
	need->files = most(need->files, files);
	need->disk_bytes = most(need->disk_bytes, bytes);
	return most(most(most(need->files, need->disk_bytes),
			 most(need->moved_bytes, need->operations)),
		    most(need->memory_bytes, need->group_bytes)) <= INT64_MAX;
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
				"the sizes of this plan multiply to more than 2^63 bytes. "
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
	struct pario_room room;

	if (need->disk_bytes == 0 && need->files == 0)
		return 0;
	if (pario_room_at(plan->settings.dir, &room) < 0)
		return pario_err_sys(err, errno, "Name a directory with --dir.",
				     "the free space in %s cannot be found", plan->settings.dir);
	if (need->disk_bytes > room.free_bytes)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"this plan needs %s in %s and %s are free. Use smaller sizes, fewer --clients, or "
			"another --dir.",
			pario_units_size(wanted, need->disk_bytes), plan->settings.dir,
			pario_units_size(there, room.free_bytes));
	/* Two more for the workspace and its manifest. */
	if (room.free_files < 2 || need->files > room.free_files - 2)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"this plan needs %llu files in %s and %llu inodes are free. Use fewer "
			"files or another --dir.",
			(unsigned long long)need->files, plan->settings.dir,
			(unsigned long long)room.free_files);
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
	char wanted[PARIO_UNITS_CAPACITY], each[PARIO_UNITS_CAPACITY], there[PARIO_UNITS_CAPACITY];
	uint64_t sum;

	/* Few clients that need much and many that need little do not come together. */
	if (!pario_mul(need->memory_bytes, node->clients, &sum) || sum > need->group_bytes)
		sum = need->group_bytes;
	if (sum <= node->memory_available)
		return 0;
	memory_advice(plan, &advice);
	pario_err_set(
		err, PARIO_SYSTEM,
		"this plan needs %s of buffers, up to %s each, for the %llu clients on %s, and %s of "
		"memory are available. %s",
		pario_units_size(wanted, sum), pario_units_size(each, need->memory_bytes),
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
