/*
 * test: while I/O runs, how much of the CPU is left, what do a call and a byte cost, which interface should I use?
 *
 * The Cray-1 study's procedure (docs/overlap.md) for today's interfaces: each routine moves files buffer by buffer,
 * once waiting for every transfer, once computing in a calibrated loop meanwhile, once with a loop half as long. What
 * the loops do not account for is overhead. Passes go into the table `passes`; laws and table are made from them.
 *
 * Every client has channels of its own; more clients share the machine, not the files, and the numbers are those of
 * client 0. Misleads on a machine that has other work: time that others take counts as overhead. Buffered writes end
 * in the page cache.
 */
#include "engine/test.h"
#include "tests/overlap/measure/study.h"

#include <stdlib.h>
#include <string.h>

enum {
	READ,
	WRITE,
	BOTH,
};

struct params {
	int routine, order, compute;
	uint32_t phases;
	char buffer_sizes[512];
	uint64_t channels, sector, file_size, passes;
	double loop, study_time, pass_time, rpm;
	bool direct, cached;
	double null_delay, null_delay_per_mib, null_cpu, null_cpu_per_mib, null_track;
};

static const char *const phase_names[] = { "read", "write", "both", NULL };
static const char *const orders[] = { "sequential", "random", NULL };
static const char *const computes[] = { "scalar", "vector", NULL };

#define ALL                                                                                    \
	"pread,readv,stdio_quarter,stdio_half,stdio,stdio_double,mmap,aio,uring,uring_sqpoll," \
	"uring_fixed,mpi_read_at,mpi_iread_at,mpi_read_all,thread"
#define SIZES "4k,8k,12k,36k,72k,144k,360k,720k" /* the paper's 1 2 3 9 18 36 90 180 sectors */
#define US    .min = "0", .max = "1000000", .unit = "us"

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, routine, .def = ALL, .choices = pario_routine_names,
		     .help = "how data are moved; null moves nothing and costs what is planted"),
	PARIO_OPTION(struct params, direct, .def = "0", .help = "bypass the page cache (O_DIRECT)"),
	PARIO_OPTION(
		struct params, channels, .def = "0", .max = "65536", .unit = "files",
		.help = "files of each client that are moved side by side; 0 = 1, 4, 16 ... up to the cores where the routine has several under way, else 1"),
	PARIO_OPTION(struct params, order, .def = "sequential", .choices = orders,
		     .help = "order of the offsets in a file"),
	PARIO_OPTION(struct params, compute, .def = "scalar", .choices = computes,
		     .help = "the loop: multiplications in registers, or sums of long arrays"),
	PARIO_OPTION(struct params, phases, .def = "read,write,both", .choices = phase_names,
		     .help = "both = as many files read as are written at the same time"),
	PARIO_OPTION(struct params, buffer_sizes, .def = SIZES, .min = "8", .max = "1g",
		     .flags = PARIO_OPTION_LIST, .unit = "bytes",
		     .help = "bytes of one call, as a list; multiples of 8"),
	PARIO_OPTION(struct params, sector, .def = "4096", .min = "8", .max = "1m", .unit = "bytes",
		     .help = "the unit of T_OH and T_trans"),
	PARIO_OPTION(struct params, file_size, .def = "8m", .min = "4k", .max = "1t",
		     .unit = "bytes", .help = "size of each file; the paper's had a million words"),
	PARIO_OPTION(struct params, passes, .def = "5", .min = "2", .max = "1000",
		     .help = "passes of each kind at each size in a repetition"),
	PARIO_OPTION(
		struct params, study_time, .def = "75", .min = "0", .max = "1e6", .unit = "seconds",
		.help = "about how long all passes with one channel may take: there are fewer of them, at fewer of the default sizes, before they get shorter than ten ticks of the kernel; 0 = once over the files each"),
	PARIO_OPTION(
		struct params, pass_time, .def = "0", .min = "0", .max = "1e4", .unit = "seconds",
		.help = "about how long one pass takes, whatever --study_time says: files are gone over again, and evicted before where they are read cold; 1 or more for small overheads; 0 = as --study_time allows"),
	PARIO_OPTION(struct params, loop, .def = "0", US,
		     .help = "length of the compute loop; 0 = a fiftieth of the smallest transfer"),
	PARIO_OPTION(struct params, cached, .def = "0",
		     .help = "read what is in the page cache instead of evicting it first"),
	PARIO_OPTION(struct params, rpm, .def = "0", .min = "0", .max = "1e6", .unit = "1/min",
		     .help = "speed of a rotating disk, for the revolution model; 0 = none"),
	PARIO_OPTION(struct params, null_delay, .def = "0", US, .help = "null: time of a transfer"),
	PARIO_OPTION(struct params, null_delay_per_mib, .def = "0", US,
		     .help = "null: and of each MiB, which is a rate limit"),
	PARIO_OPTION(struct params, null_cpu, .def = "0", US, .help = "null: CPU time of a call"),
	PARIO_OPTION(struct params, null_cpu_per_mib, .def = "0", US,
		     .help = "null: and of each MiB"),
	PARIO_OPTION(
		struct params, null_track, .def = "0", .min = "0", .max = "1e6", .unit = "sectors",
		.help = "null: a disk with so many sectors in a track that turns with --rpm; 0 = none"),
	{ 0 },
};

struct work {
	struct pario_study study;
	struct pario_plant plant;
	uint64_t *sizes;
};

static int refuse(const char *name, uint64_t value, const char *why, struct pario_err *err)
{
	return pario_err_set(err, PARIO_USAGE, "--%s %llu %s", name, (unsigned long long)value,
			     why);
}

static int check_sizes(const struct params *p, const uint64_t *sizes, size_t count,
		       struct pario_err *err)
{
	if (count > PARIO_OVERLAP_SIZES)
		return refuse("buffer_sizes", count, "sizes are more than 64. Use fewer.", err);
	for (size_t i = 0; i < count; i++) {
		if (p->direct && sizes[i] % p->sector)
			return refuse("buffer_sizes", sizes[i],
				      "is no multiple of the --sector, which --direct needs. Use "
				      "multiples of it, or drop --direct.",
				      err);
		if (sizes[i] % 8 || sizes[i] > p->file_size)
			return refuse("buffer_sizes", sizes[i],
				      "is no multiple of 8 bytes or more than --file_size. Use "
				      "another size.",
				      err);
	}
	return 0;
}

/* The numbers of channels of a point: the one that was asked for, or those that the routine is studied with. */
static size_t count_channels(const struct params *p, uint64_t clients,
			     uint64_t counts[PARIO_OVERLAP_COUNTS])
{
	if (!p->channels)
		return pario_study_counts(pario_routines[p->routine], clients, counts);
	counts[0] = p->channels;
	return 1;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	bool stores = !(pario_routines[p->routine]->bits & PARIO_ROUTINE_NO_DATA);
	uint64_t *sizes = NULL, most = 0, files, counts[PARIO_OVERLAP_COUNTS] = { 0 }, channels;
	size_t count = 0;
	int status;

	(void)client;
	channels = counts[count_channels(p, point->clients, counts) - 1];
	if (!p->phases)
		return pario_err_set(err, PARIO_USAGE, "--phases is empty. Name at least one.");
	if (p->null_track > 0 && !(p->rpm > 0))
		return pario_err_set(err, PARIO_USAGE,
				     "--null_track %g is a disk that does not turn. Give --rpm.",
				     p->null_track);
	if (pario_options_list("--buffer_sizes", p->buffer_sizes, &sizes, &count, err) < 0)
		return -1;
	status = check_sizes(p, sizes, count, err);
	for (size_t i = 0; i < count; i++)
		most = sizes[i] > most ? sizes[i] : most;
	free(sizes);
	if (status < 0 ||
	    pario_routine_check(pario_routines[p->routine], channels, p->direct, err) < 0)
		return -1;
	files = pario_times(2 * channels, point->clients);
	layout->extra_bytes = pario_times(files, p->file_size);
	layout->memory_bytes = pario_times(2 * channels, most);
	/* Passes that would take longer than --study_time get fewer and shorter; one without I/O goes with each. */
	layout->seconds = p->study_time * (double)count_channels(p, point->clients, counts) *
			  (double)__builtin_popcount(p->phases);
	layout->open_ended = stores && p->pass_time > 0;
	if (p->study_time <= 0 && p->pass_time <= 0)
		layout->moved_bytes = pario_times(
			pario_times(count * (uint64_t)__builtin_popcount(p->phases), p->passes),
			layout->extra_bytes);
	layout->extra_files = stores ? pario_plus(files, 1) : 0;
	layout->extra_bytes = stores ? layout->extra_bytes : 0;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned count = 0;

	for (int i = READ; i <= BOTH; i++)
		if (p->phases & (1u << i))
			list[count++] =
				(struct pario_phase){ .name = phase_names[i], .write = i != READ };
	return count;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));
	struct pario_study_shape shape = { .passes = p->passes,
					   .sector = p->sector,
					   .loop_ns = p->loop * 1e3,
					   .time_s = p->study_time,
					   .pass_s = p->pass_time,
					   .thin = strcmp(p->buffer_sizes, SIZES) == 0,
					   .rpm = p->rpm,
					   .vector = p->compute == 1,
					   .cached = p->cached };

	run->scratch = w;
	if (!w)
		return pario_err_memory(err, "the test");
	if (pario_options_list("--buffer_sizes", p->buffer_sizes, &w->sizes, &shape.size_count,
			       err) < 0)
		return -1;
	w->plant = (struct pario_plant){ .delay_us = p->null_delay,
					 .delay_us_per_mib = p->null_delay_per_mib,
					 .cpu_us = p->null_cpu,
					 .cpu_us_per_mib = p->null_cpu_per_mib,
					 .track = p->null_track,
					 .sector = (double)p->sector,
					 .turns_per_s = p->rpm / 60 };
	shape.sizes = w->sizes;
	shape.count_count = count_channels(p, run->clients, shape.counts);
	shape.channels =
		(struct pario_channels_shape){ .routine = pario_routines[p->routine],
					       .plant = &w->plant,
					       .channels = shape.counts[shape.count_count - 1],
					       .file_bytes = p->file_size,
					       .random = p->order == 1,
					       .direct = p->direct };
	for (size_t i = 0; i < shape.size_count; i++)
		if (w->sizes[i] > shape.channels.buffer_capacity)
			shape.channels.buffer_capacity = w->sizes[i];
	return pario_study_init(&w->study, run, &shape, err);
}

static int before(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	return pario_channels_make(&w->study.channels, err);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	bool reads = run->phase->name != phase_names[WRITE];

	return pario_study_body(&w->study, reads, run->phase->write, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	return pario_channels_check(&w->study.channels, err);
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (w) {
		pario_study_release(&w->study);
		free(w->sizes);
	}
	free(w);
	run->scratch = NULL;
}

const struct pario_test pario_test_overlap = {
	.name = "overlap",
	.summary = "rates and CPU overhead of I/O routines while the program computes",
	.question =
		"While I/O runs, how much of the CPU is left, and what do a call and a byte cost?",
	.misleads = "on a machine with other work, whose time counts as overhead of the I/O",
	.needs = PARIO_NEED_HINTS,
	.alone = true,
	.repetitions = "1", /* the passes are repetitions, and they are to be long */
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = pario_study_metrics,
	.headline = "best_rate_mib_s",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
