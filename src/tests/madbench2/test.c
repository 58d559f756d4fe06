/*
 * test: what does storage do for an application that keeps its matrices there?
 *
 * MADbench2, the out-of-core core of an analysis of the cosmic microwave background (docs/madbench2.md). Phase S builds
 * and writes a matrix per bin, D inverts their sum, W reads each, multiplies and writes it, C reads the products and
 * takes traces. In I/O mode busy-work stands for every calculation and D is left out; in full mode ScaLAPACK
 * calculates, and dC0 must come out the same whatever the grid, the gangs and the way of I/O. Each I/O call moves all
 * that a client holds of a matrix. Clients wait for each other around each call, and the waiting is in its time; data
 * that are made up and the comparison of what is read are not. Every phase runs to its end.
 *
 * Misleads when the matrices fit into memory: what is read then comes from the page cache, as it would in the
 * application.
 */
#include <mpi.h>

#include "engine/test.h"
#include "tests/madbench2/measure/phases.h"

static const char *const modes[] = { "io", "full", NULL };
static const char *const methods[] = { "posix", "mpi", "stdio", NULL };
static const char *const ways[] = { "sync", "async", "none", NULL };
static const char *const types[] = { "unique", "shared", NULL };
static const char *const remaps[] = { "custom", "scalapack", NULL };

#define OPTION(field, ...) PARIO_OPTION(struct pario_mad_params, field, __VA_ARGS__)
#define SHAPE(field, ...) \
	PARIO_OPTION_NAMED(struct pario_mad_params, shape.field, #field, __VA_ARGS__)

static const struct pario_option options[] = {
	OPTION(mode, .def = "io", .choices = modes,
	       .help = "io: busy-work instead of calculation; full: all of it, with ScaLAPACK"),
	SHAPE(no_pix, .def = "1000", .max = "1m", .unit = "pixels",
	      .help = "side of the matrices; 0 = the smallest whose matrices do not fit into the memory of the nodes"),
	SHAPE(no_bin, .def = "8", .min = "1", .max = "4k", .unit = "bins",
	      .help = "number of matrices"),
	SHAPE(no_gang, .def = "1", .min = "1", .max = "1m", .unit = "gangs",
	      .help = "groups of clients that work on a matrix each in W and C; a square number"),
	SHAPE(sblocksize, .def = "64", .min = "1", .max = "1m", .unit = "elements",
	      .help = "side of the blocks that a matrix is distributed in, and length of a turn of busy-work"),
	SHAPE(fblocksize, .def = "1m", .min = "8", .max = "1t", .unit = "bytes",
	      .help = "matrices begin at multiples of this in the file"),
	SHAPE(r_mod, .def = "1", .min = "1", .max = "1m", .unit = "clients",
	      .help = "clients that read one after the other; 1 = all at once"),
	SHAPE(w_mod, .def = "1", .min = "1", .max = "1m", .unit = "clients",
	      .help = "clients that write one after the other; 1 = all at once"),
	OPTION(iomethod, .def = "posix", .choices = methods,
	       .help = "how files are reached: read and write, MPI-IO, or fread and fwrite as the original's POSIX does"),
	OPTION(iomode, .def = "sync", .choices = ways,
	       .help = "async: I/O goes on behind the calculation (POSIX aio, nonblocking MPI-IO); none: no I/O"),
	OPTION(filetype, .def = "unique", .choices = types,
	       .help = "a file for each client, or one for all"),
	OPTION(remap, .def = "custom", .choices = remaps,
	       .help = "who moves a matrix from all clients to a gang: pario, or ScaLAPACK"),
	OPTION(bwexp, .def = "-1", .min = "-1", .max = "4",
	       .help = "busy-work grows with no_pix^(2 bwexp); -1 = as the calculation would, no_pix^2 or, in W, no_pix^3"),
	{ 0 },
};

#define TIME(name_, what)                                         \
	{                                                         \
		name_, "s", what ", average over the clients", -1 \
	}

static const struct pario_metric_info metrics[] = {
	TIME("S_bw", "busy-work in S"),
	TIME("S_cc", "calculation and communication in S"),
	TIME("S_w", "writing in S"),
	TIME("S_total", "all of S"),
	TIME("D_cc", "calculation and communication in D"),
	TIME("D_total", "all of D"),
	TIME("W_bw", "busy-work in W"),
	TIME("W_cc", "calculation and communication in W"),
	TIME("W_r", "reading in W"),
	TIME("W_w", "writing in W"),
	TIME("W_total", "all of W"),
	TIME("C_bw", "busy-work in C"),
	TIME("C_cc", "calculation and communication in C"),
	TIME("C_r", "reading in C"),
	TIME("C_total", "all of C"),
	{ "no_pix", "pixels", "side of the matrices, as it was measured", 0 },
	{ "trace_S", "", "trace of S, no_pix ((10 no_bin + 1)^2 - 1) / 4 pi", 0 },
	{ "sum_S", "", "sum of all elements of S", 0 },
	{ "trace_D_inverse", "", "trace of the inverse of D", 0 },
	{ "dC0", "", "first element of dC: the answer, the same for every grid", 0 },
	{ NULL, NULL, NULL, 0 },
};

static int check(const struct pario_mad_params *p, const struct pario_mad_shape *shape,
		 struct pario_err *err)
{
	if (p->iomethod == PARIO_MAD_STDIO && p->iomode == PARIO_MAD_ASYNC)
		return pario_err_set(err, PARIO_USAGE,
				     "--iomethod stdio has no asynchronous calls. Use --iomethod "
				     "posix or mpi with --iomode async.");
	if (p->mode != PARIO_MAD_FULL)
		return 0;
	if (pario_mad_algebra()->missing)
		return pario_err_set(err, PARIO_USAGE,
				     "--mode full is not available: %s. Use --mode io.",
				     pario_mad_algebra()->missing);
	if (p->iomode == PARIO_MAD_NONE)
		return pario_err_set(err, PARIO_USAGE,
				     "--mode full reads what it has written, so --iomode none has "
				     "no result. Use --mode io, or --iomode sync or async.");
	/* The second derivatives are products of symmetric matrices of so many numbers. */
	if (shape->no_bin > shape->no_pix * (shape->no_pix + 1) / 2)
		return pario_err_set(err, PARIO_USAGE,
				     "--no_bin %llu is more than %llu pixels can tell apart, so "
				     "there is no dC. Use fewer bins or more pixels (--no_pix).",
				     (unsigned long long)shape->no_bin,
				     (unsigned long long)shape->no_pix);
	return 0;
}

/* All matrices are written, read, written, and read: in full mode each once for every step up to its own. */
static int count_moved(const struct pario_mad_params *p, const struct pario_mad_shape *shape,
		       uint64_t *bytes, struct pario_err *err)
{
	uint64_t matrices = shape->no_pix * shape->no_pix * sizeof(double) * shape->no_bin;
	uint64_t steps = shape->no_bin / shape->no_gang;
	bool full = p->mode == PARIO_MAD_FULL;

	if (!pario_mul(matrices, full ? 6 + steps + 1 : 8, bytes))
		return pario_err_set(err, PARIO_USAGE,
				     "the phases move more than 2^63 bytes. Use fewer bins or "
				     "pixels.");
	*bytes /= full ? 2 * 4 : 2 * 3; /* what a phase moves, on average */
	return 0;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct pario_mad_params *p = point->params;
	uint64_t nodes = (point->clients + point->per_node - 1) / point->per_node;
	struct pario_mad_shape shape =
		pario_mad_shape_of(p, point->clients, nodes * pario_run_capacity(NULL).total_bytes);

	(void)client;
	if (pario_mad_shape_check(&shape, err) < 0 || check(p, &shape, err) < 0)
		return -1;
	layout->memory_bytes = pario_mad_work_bytes(p, &shape);
	layout->extra_files = 1;
	if (p->iomode == PARIO_MAD_NONE)
		return 0;
	layout->extra_files += p->filetype ? 1 : point->clients;
	layout->extra_bytes = point->clients * pario_mad_file_bytes(&shape);
	return count_moved(p, &shape, &layout->data_bytes, err);
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct pario_mad_params *p = point->params;
	unsigned n = 0;

	list[n++] =
		(struct pario_phase){ .name = "S", .write = true, .creates = true, .whole = true };
	if (p->mode == PARIO_MAD_FULL)
		list[n++] = (struct pario_phase){ .name = "D", .whole = true };
	list[n++] = (struct pario_phase){ .name = "W", .write = true, .whole = true };
	list[n++] = (struct pario_phase){ .name = "C", .whole = true };
	return n;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	return pario_mad_work_new(run, err);
}

static int before(struct pario_run *run, struct pario_err *err)
{
	return run->phase->creates ? pario_mad_work_open(run->scratch, err) : 0;
}

/* The definition neither syncs nor evicts: what fits into memory was never waited for, nor read from a device. */
static void doubt_cache(struct pario_run *run)
{
	const struct pario_mad_params *p = run->params;
	struct pario_free_space node = pario_run_capacity(run);
	const struct pario_mad_work *w = run->scratch;
	char bytes[PARIO_UNITS_CAPACITY], memory[PARIO_UNITS_CAPACITY];
	uint64_t files;

	files = node.clients * pario_mad_file_bytes(&w->shape);
	if (p->iomode == PARIO_MAD_NONE || run->phase->name[0] == 'D' || files >= node.total_bytes)
		return;
	pario_run_suspect(
		run,
		"the %s that the clients of a node have in files fit into its memory (%s): "
		"the page cache was measured, not the storage",
		pario_units_size(bytes, files), pario_units_size(memory, node.total_bytes));
}

static int body(struct pario_run *run, struct pario_err *err)
{
	doubt_cache(run);
	return pario_mad_phases_run(run->scratch, err);
}

/* The last phase ends with the files closed, by all clients: some storage tells only then that a write was lost. */
static int verify(struct pario_run *run, struct pario_err *err)
{
	struct pario_mad_work *w = run->scratch;
	struct pario_err later = { 0 };
	int status = pario_mad_phases_tell(w, err);

	if (run->phase->name[0] == 'C' &&
	    pario_mad_store_close(&w->store, status == 0 ? err : &later) < 0)
		status = -1;
	return status;
}

static void teardown(struct pario_run *run)
{
	pario_mad_work_free(run->scratch);
	run->scratch = NULL;
}

const struct pario_test pario_test_madbench2 = {
	.name = "madbench2",
	.summary = "an out-of-core application: matrices written, read, multiplied",
	.question = "What does storage do for an application that keeps its matrices there?",
	.misleads = "when the matrices fit into memory and are read from the page cache",
	.needs = PARIO_NEED_SQUARE | PARIO_NEED_HINTS,
	.options = options,
	.params_size = sizeof(struct pario_mad_params),
	.metrics = metrics,
	.headline = "S_total,D_total,W_total,C_total",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
