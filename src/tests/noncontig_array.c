/*
 * noncontig_array: what does noncontiguous access cost in array libraries?
 *
 * The counterpart of noncontig for HDF5 hyperslabs and PnetCDF strided access. One array of veccount rows of veclen
 * elements; each client moves its region of it by a single call, all clients together the whole array:
 *
 *	vector     every n-th element of every row
 *	nested     every n-th element of every m-th row
 *	subarray   a block of rows and columns, for comparison
 *
 * One client alone moves what the first of two would. Memory is contiguous. An element's bytes depend only on its place
 * in the array; the check reads whole rows, without strides. Misleads with rows so few that making the file dominates.
 */
#include <stdlib.h>

#include "engine/test.h"
#include "tests/common/share.h"

enum type { VECTOR, SUBARRAY, NESTED };

struct params {
	struct pario_datatype_pass_params pass;
	int type;
	uint64_t element_size, veclen, veccount;
};

static const char *const types[] = { "vector", "subarray", "nested", NULL };

#define OPTION(field, ...) PARIO_OPTION(struct params, field, __VA_ARGS__)

static const struct pario_option options[] = {
	PARIO_DATATYPE_PASS_OPTIONS(struct params),
	OPTION(type, .def = "vector", .choices = types, .help = "which elements are a client's"),
	OPTION(element_size, .def = "4", .min = "1", .unit = "bytes", .help = "size of an element"),
	OPTION(veclen, .def = "64", .min = "1", .max = "1m", .unit = "elements",
	       .help = "elements of a row"),
	OPTION(veccount, .def = "16k", .min = "1", .max = "1g", .unit = "rows", .help = "rows"),
	{ 0 },
};

struct state {
	struct pario_slab slab;
	char *buffer;
	uint64_t bytes;
};

/* Along one axis: every `parts`-th index from `part` on, or a block. */
static void axis(struct pario_slab *slab, unsigned d, uint64_t extent, uint64_t parts,
		 uint64_t part, bool block)
{
	slab->start[d] = block ? extent * part / parts : part;
	slab->stride[d] = block ? 1 : parts;
	slab->count[d] = block ? extent * (part + 1) / parts - slab->start[d]
			       : (extent - part + parts - 1) / parts;
	slab->block[d] = 1;
}

static void divide(const struct pario_point *point, uint64_t *rows, uint64_t *columns)
{
	uint64_t parts = point->clients > 1 ? point->clients : 2;

	*rows = ((const struct params *)point->params)->type == VECTOR
			? 1
			: pario_share_rows(parts, 1, 1);
	*columns = parts / *rows;
}

static void region(const struct pario_point *point, uint64_t client, struct pario_slab *slab)
{
	const struct params *p = point->params;
	uint64_t rows, columns;

	divide(point, &rows, &columns);
	*slab = (struct pario_slab){ .start = { 0 } };
	axis(slab, 0, p->veccount, rows, client / columns, p->type == SUBARRAY);
	axis(slab, 1, p->veclen, columns, client % columns, p->type == SUBARRAY);
}

/* Room for any client's region, and for its part of the rows when they are checked. */
static uint64_t capacity(const struct pario_point *point)
{
	const struct params *p = point->params;
	uint64_t rows, columns, one, other;

	divide(point, &rows, &columns);
	one = pario_times(p->veccount / rows + 1, p->veclen / columns + 1);
	other = pario_times(p->veccount / point->clients + 1, p->veclen);
	return pario_times(one > other ? one : other, p->element_size);
}

static uint64_t bytes_of(const struct params *p, const struct pario_slab *slab)
{
	return pario_times(slab->count[0] * slab->count[1], p->element_size);
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	uint64_t rows, columns, bytes;

	(void)client;
	divide(point, &rows, &columns);
	if (!point->backend->array)
		return pario_err_set(
			err, PARIO_USAGE,
			"noncontig_array needs a library that supports arrays. Use --api "
			"hdf5 or pnetcdf; noncontig is the test for MPI-IO.");
	if (p->veccount < rows || p->veclen < columns)
		return pario_err_set(
			err, PARIO_USAGE,
			"an array of %llu x %llu elements has none for some of %llu x %llu "
			"clients. Use a larger --veccount or --veclen.",
			(unsigned long long)p->veccount, (unsigned long long)p->veclen,
			(unsigned long long)rows, (unsigned long long)columns);
	bytes = pario_times(pario_times(p->veclen, p->veccount), p->element_size);
	if (bytes > INT64_MAX / 8)
		return pario_err_set(err, PARIO_USAGE,
				     "--element_size × --veclen × --veccount is more than 2^60 "
				     "bytes. Use smaller sizes.");
	layout->array = (struct pario_array){ .dims = 2,
					      .extent = { p->veccount, p->veclen },
					      .element_size = p->element_size };
	layout->file_bytes = layout->data_bytes = bytes;
	layout->memory_bytes = capacity(point);
	return pario_datatype_pass_plan(point, layout, err);
}

static void aim(struct pario_run *run, const struct pario_slab *slab)
{
	struct state *s = run->scratch;

	s->slab = *slab;
	s->bytes = bytes_of(run->params, slab);
	pario_run_poison(s->buffer, s->bytes);
}

/* Fills the buffer with what belongs into the region, or compares it with that. */
static int each(struct pario_run *run, bool fill, struct pario_err *err)
{
	const struct params *p = run->params;
	const struct state *s = run->scratch;
	const struct pario_slab *slab = &s->slab;
	bool dense = slab->stride[1] == 1;
	uint64_t size = p->element_size * (dense ? slab->count[1] : 1);
	char *at = s->buffer;

	for (uint64_t i = 0; i < slab->count[0]; i++) {
		uint64_t row = (slab->start[0] + i * slab->stride[0]) * p->veclen + slab->start[1];

		for (uint64_t k = 0; k < (dense ? 1 : slab->count[1]); k++, at += size) {
			uint64_t place = (row + k * slab->stride[1]) * p->element_size;

			if (fill)
				pario_run_fill(run, 0, 0, at, place, size);
			else if (pario_run_check(run, 0, 0, at, place, size, "the array", err) < 0)
				return -1;
		}
	}
	return 0;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	struct state *s = run->scratch = calloc(1, sizeof(*s));

	if (!s || !(s->buffer = malloc(capacity(run->point))))
		return pario_err_memory(err, "%llu bytes of data. Use smaller sizes",
					(unsigned long long)capacity(run->point));
	return 0;
}

static void teardown(struct pario_run *run)
{
	struct state *s = run->scratch;

	free(s ? s->buffer : NULL);
	free(s);
	run->scratch = NULL;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	struct pario_slab slab;

	region(run->point, run->target, &slab);
	aim(run, &slab);
	return run->phase->write ? each(run, true, err) : 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct state *s = run->scratch;
	bool reads = !run->phase->write || run->mode == PARIO_MODE_VERIFY;
	int status = pario_run_slab(run, &s->slab, s->buffer, s->bytes, err);

	if (status == 0 && reads && run->point->access->verify)
		status = each(run, false, err);
	pario_run_pause(run);
	return status;
}

/* Whole rows, an equal part of them for every client; one client alone can only look at its own elements. */
static int verify(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct pario_slab slab = { .start = { 0 } };

	region(run->point, run->target, &slab);
	if (run->clients > 1) {
		axis(&slab, 0, p->veccount, run->clients, run->target, true);
		axis(&slab, 1, p->veclen, 1, 0, true);
	}
	aim(run, &slab);
	return pario_verify_pattern(run, err);
}

const struct pario_test pario_test_noncontig_array = {
	.name = "noncontig_array",
	.summary = "strided regions of an array, by HDF5 hyperslabs or PnetCDF",
	.question = "What does noncontiguous access cost in array libraries?",
	.misleads = "when the array is so small that making and closing the file dominate",
	.needs = PARIO_NEED_FILES | PARIO_NEED_GAP,
	.api = "hdf5,pnetcdf",
	.options = options,
	.params_size = sizeof(struct params),
	.plan = plan,
	.phases = pario_datatype_pass_phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
