/*
 * test: what bandwidth does parallel I/O really get, over all ways that programs use, in one number?
 *
 * b_eff_io (R. Rabenseifner and others; docs/beff_io.md): 43 patterns of MPI-IO calls in five types (scatter, shared
 * pointers, separate files, segments, segments together), with chunks from 1 kB to a 128th of a node's memory, each
 * also 8 bytes longer. All are written, rewritten and read; each pattern of the initial write has its part of the time
 * T. A type's value is its bytes over the time from open to close; the mean over the types, the scattering one twice,
 * is the value of an access method; a quarter of writing and rewriting and half of reading make b_eff_io. The system's
 * value is the largest over the partitions, which are the client counts of the run.
 *
 * Misleads when an access method moves less than 20 times what the file system may cache: then memory was measured,
 * and the summary says so. MPI_File_sync, which ends each pattern that writes, promises that others see the data, not
 * that they are on disk; --durable adds an fsync. Values below 15 minutes per partition are not official.
 */
#include "engine/test.h"
#include "tests/beff_io/measure/partitions.h"

#include <string.h>

static const char *const releases[] = { "paper", "2.0", NULL };

static const struct pario_option options[] = {
	PARIO_OPTION(struct pario_beff_io_params, minutes, .def = "15", .max = "100000",
		     .unit = "minutes", .flags = PARIO_OPTION_SAMPLE,
		     .help = "scheduled time of a partition; less than 15 is not official"),
	PARIO_OPTION(
		struct pario_beff_io_params, release, .def = "paper", .choices = releases,
		.flags = PARIO_OPTION_NO_SWEEP,
		.help = "paper: one partition after the other, everything rewritten; 2.0: three "
			"partitions side by side in each access method, type 0 rewritten"),
	PARIO_OPTION(struct pario_beff_io_params, memory_per_node, .def = "0", .unit = "bytes",
		     .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "memory of a node, a 128th of each client's part of it is the largest "
			     "chunk; 0 = measured"),
	PARIO_OPTION(struct pario_beff_io_params, shared_pointers, .def = "on",
		     .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "off: type 1 by the view of type 0; the value is then not valid"),
	PARIO_OPTION(struct pario_beff_io_params, durable, .def = "0",
		     .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "fsync after each pattern that writes, beyond the definition"),
	PARIO_OPTION(struct pario_beff_io_params, rewrite_all, .def = "0",
		     .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "with --release 2.0: rewrite all types"),
	PARIO_OPTION(
		struct pario_beff_io_params, partitions, .def = "",
		.flags = PARIO_OPTION_LIST | PARIO_OPTION_NO_SWEEP,
		.help = "with --release 2.0: partitions instead of the three it chooses, as "
			"processes (8) or as nodes and processes on each (4x2); else one of them"),
	PARIO_OPTION(struct pario_beff_io_params, hints_file, .def = "",
		     .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "file of hints for some patterns: lines of processes, access method, "
			     "pattern type, chunk, key and value"),
	PARIO_OPTION_NAMED(
		struct pario_beff_io_params, brief, "short", .def = "0",
		.flags = PARIO_OPTION_NO_SWEEP,
		.help = "6 seconds with the smallest largest chunk, for a look; not official"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "b_eff_io", "MB/s", "the value by the rule of the release that was asked for; 10^6 bytes",
	  1 },
	{ "b_eff_io_paper", "MB/s", "the value by the paper: 25 % write, 25 % rewrite, 50 % read",
	  1 },
	{ "b_eff_io_2_1", "MB/s", "the value by the rule of release 2.1", 1 },
	{ "b_eff_io_write", "MB/s", "value of the initial write", 1 },
	{ "b_eff_io_rewrite", "MB/s", "value of rewriting", 1 },
	{ "b_eff_io_read", "MB/s", "value of reading", 1 },
	{ "wbw", "MB/s", "mean of the patterns, weighted by their time units", 1 },
	{ "moved_percent", "% of memory", "bytes moved over the memory of all nodes", 0 },
	{ "official", "", "1 when the scheduled time is what the definition asks for", 0 },
	{ "partition_clients", "clients", "of the partition that all these numbers are of", 0 },
	{ 0 },
};

/* The definition says what is collective, synced and checked. */
static int check_access(const struct pario_access *a, struct pario_err *err)
{
	if (!a->collective && !a->preallocate && a->verify && a->durability == PARIO_SUSTAINED &&
	    a->cache == PARIO_CACHE_AUTO && strcmp(a->read_shift, "auto") == 0)
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"b_eff_io's definition says which calls are collective, what is synced and "
		"what is checked: --collective, --preallocate, --durability, --cache, "
		"--read_shift and --verify do not apply. Leave them out; --durable adds an fsync.");
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct pario_beff_io_params *p = point->params;
	struct pario_beff_io_hints hints;
	struct pario_beff_io_shape s;
	uint64_t writers = 0, longest = 0, least = 0, part;

	if (check_access(point->access, err) < 0)
		return -1;
	/* As if all were on one node: on more, each has a larger part of its memory. */
	if (pario_beff_io_shape(p, point->clients, point->clients, &s, err) < 0)
		return -1;
	if (client == 0 && pario_beff_io_read_hints(p->hints_file, &hints, err) < 0)
		return -1;
	for (unsigned i = 0; i < s.parts; i++) {
		writers += s.sizes[i];
		longest = s.mpart[i] > longest ? s.mpart[i] : longest;
		if (!pario_mul(s.sizes[i], pario_beff_io_least(s.mpart[i]), &part) ||
		    !pario_add(least, part, &least))
			return pario_err_set(
				err, PARIO_USAGE,
				"the largest chunk times the clients is beyond 2^64 bytes. Use a "
				"smaller --memory_per_node.");
	}
	layout->buffer_bytes = pario_beff_io_longest(longest);
	layout->memory_bytes = layout->buffer_bytes;
	layout->extra_files = writers + 4 * s.parts;
	layout->open_ended = true;
	layout->seconds = s.plan.seconds;
	layout->extra_bytes = least;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	(void)point;
	list[0] = (struct pario_phase){ .name = "write", .write = true, .creates = true };
	list[1] = (struct pario_phase){ .name = "rewrite", .write = true };
	list[2] = (struct pario_phase){ .name = "read" };
	return 3;
}

static enum pario_beff_io_access access_of(const struct pario_phase *phase)
{
	if (phase->creates)
		return PARIO_BEFF_IO_WRITE;
	return phase->write ? PARIO_BEFF_IO_REWRITE : PARIO_BEFF_IO_READ;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	return pario_beff_io_go(run, access_of(run->phase), err);
}

/* Every call that reads is looked at as a whole; what is rewritten before it is read is read back here. */
static int verify(struct pario_run *run, struct pario_err *err)
{
	return pario_beff_io_verify(run, access_of(run->phase), err);
}

const struct pario_test pario_test_beff_io = {
	.name = "beff_io",
	.summary = "b_eff_io: the effective I/O bandwidth, one number from 43 patterns",
	.question = "What bandwidth does parallel I/O get over all the ways that programs use?",
	.misleads =
		"when less than 20 times the file system's cache is moved: then it measured memory",
	.needs = PARIO_NEED_MPI_FILES | PARIO_NEED_POINTERS,
	.options = options,
	.params_size = sizeof(struct pario_beff_io_params),
	.repetitions = "1",
	.metrics = metrics,
	.headline = "b_eff_io,b_eff_io_read,b_eff_io_rewrite,b_eff_io_write",
	.plan = plan,
	.phases = phases,
	.setup = pario_beff_io_setup,
	.before = pario_beff_io_before,
	.body = body,
	.verify = verify,
	.teardown = pario_beff_io_teardown,
};
