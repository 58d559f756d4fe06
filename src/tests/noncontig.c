/*
 * noncontig: what does it cost when data lie in pieces, in memory, in the file, or in both?
 *
 * After the noncontig benchmark (spec/consortium.md section 9). A vector of veclen elements is divided among the
 * clients (kit/share.h), element by element or in other ways. Noncontiguous memory is veccount vectors in which only
 * the client's own elements move; contiguous memory is all moved, and as large. In a noncontiguous file the clients'
 * elements lie where the division puts them, vector after vector; in a contiguous one each client's lie together.
 *
 * What is in the file, and in memory after a read, is compared element by element with the rule who owns a place,
 * without datatypes; what lies between must not change. Every element of every client's memory is another one.
 * Misleads with few elements per call, where the cost of a call hides that of the pieces.
 */
#include <limits.h>
#include <mpi.h>

#include "kit/share.h"
#include "run/test.h"

struct params {
	struct pario_pass_params pass;
	int memory, file, type;
	uint64_t element_size, veclen, veccount, buffer_size;
};

static const char *const ways[] = { "contiguous", "noncontiguous", NULL };
static const char *const types[] = { "vector", "indexed", "subarray", "nested", NULL };

#define OPTION(field, ...) PARIO_OPTION(struct params, field, __VA_ARGS__)

static const struct pario_option options[] = {
	PARIO_PASS_OPTIONS(struct params),
	OPTION(memory, .def = "noncontiguous", .choices = ways, .help = "how data lie in memory"),
	OPTION(file, .def = "noncontiguous", .choices = ways, .help = "how data lie in the file"),
	OPTION(type, .def = "vector", .choices = types, .help = "how a vector is divided"),
	OPTION(element_size, .def = "4", .min = "1", .unit = "bytes", .help = "size of an element"),
	OPTION(veclen, .def = "64", .min = "2", .max = "1m", .unit = "elements",
	       .help = "elements of a vector, of all clients together"),
	OPTION(veccount, .def = "16k", .min = "1", .max = "1g", .unit = "vectors",
	       .help = "vectors in each client's memory"),
	OPTION(buffer_size, .def = "0", .unit = "bytes",
	       .help = "so many bytes of vectors at most go into one call; 0 = all in one"),
	{ 0 },
};

struct state {
	struct pario_pass pass;
	struct pario_share share;
	char *want, *got; /* a vector each, behind the data in the pass's buffer */
};

/* Vectors of the file that one vector of memory fills: contiguous memory holds as much as all clients pick. */
static uint64_t factor(const struct params *p, const struct pario_share *share)
{
	return p->memory ? 1 : share->parties;
}

/* Sizes of this client's pass and of the whole; false when they are too large. */
static bool measure(const struct params *p, const struct pario_share *share,
		    struct pario_pass *pass, struct pario_layout *layout)
{
	uint64_t size = p->element_size, vectors, vector, all, before;

	if (!pario_mul(share->length, size, &vector) ||
	    !pario_mul(factor(p, share), p->veccount, &vectors) ||
	    !pario_mul(vectors, vector, &all) || all > INT64_MAX / 8)
		return false;
	pass->units = p->veccount;
	pass->per_call = p->buffer_size ? p->buffer_size / vector : p->veccount;
	pass->per_call = pass->per_call < p->veccount ? pass->per_call : p->veccount;
	pass->unit_elements = share->own * factor(p, share);
	pass->unit_bytes = pass->unit_elements * size;
	pass->unit_step = p->memory ? vector : pass->unit_bytes;
	before = (vectors - 1) * vector;
	pass->displacement = p->file ? 0 : share->lower * vectors * size;
	pass->end = p->file ? before + share->own_span * size
			    : pass->displacement + share->own * vectors * size;
	layout->data_bytes = share->all * vectors * size;
	layout->file_bytes = p->file ? before + share->span * size : layout->data_bytes;
	layout->buffer_bytes = pass->per_call * pass->unit_bytes;
	layout->memory_bytes = pass->units * pass->unit_step + 2 * vector - layout->buffer_bytes;
	return true;
}

static int measured(const struct pario_point *point, uint64_t client, struct pario_share *share,
		    struct pario_pass *pass, struct pario_layout *layout, struct pario_err *err)
{
	const struct params *p = point->params;

	if (pario_pass_plan(point, err) < 0 ||
	    pario_share_init(share, (enum pario_share_kind)p->type, p->veclen, point->clients,
			     client, point->seed, err) < 0)
		return -1;
	if (!measure(p, share, pass, layout))
		return pario_err_set(err, PARIO_USAGE,
				     "--element_size × --veclen × --veccount × clients is more "
				     "than 2^60 bytes. Use smaller sizes.");
	if (pass->per_call == 0 || layout->buffer_bytes > INT_MAX)
		return pario_err_set(err, PARIO_USAGE,
				     "one call takes at least a vector, of %llu bytes, and at most "
				     "2^31-1 bytes. Use another --buffer_size, such as 1g.",
				     (unsigned long long)(p->veclen * p->element_size));
	return 0;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	struct pario_share share;
	struct pario_pass pass;

	return measured(point, client, &share, &pass, layout, err);
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	return pario_pass_setup(run, sizeof(struct state), err) ? 0 : -1;
}

/* The part of the target client, and empty memory for it. */
static int aim(struct pario_run *run, struct state *s, struct pario_err *err)
{
	const struct params *p = run->params;
	uint64_t data, vector = p->veclen * p->element_size;
	struct pario_layout unused;

	if (measured(run->point, run->target, &s->share, &s->pass, &unused, err) < 0)
		return -1;
	data = s->pass.units * s->pass.unit_step;
	if (pario_pass_renew(&s->pass, data + 2 * vector, err) < 0)
		return -1;
	s->want = s->pass.buffer + data;
	s->got = s->want + vector;
	return 0;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	struct pario_pass *pass = &s->pass;
	uint64_t size = p->element_size;

	if (aim(run, s, err) < 0)
		return -1;
	MPI_Type_contiguous((int)size, MPI_BYTE, &pass->element);
	if (!p->file)
		MPI_Type_dup(pass->element, &pass->view);
	else if (pario_share_type(&s->share, pass->element, size, &pass->view, err) < 0)
		return -1;
	if (!p->memory)
		MPI_Type_contiguous((int)pass->unit_elements, pass->element, &pass->memory);
	else if (pario_share_type(&s->share, pass->element, size, &pass->memory, err) < 0)
		return -1;
	pario_pass_commit(pass);
	if (run->phase->write)
		pario_run_fill(run, 0, run->client, pass->buffer, 0, pass->units * pass->unit_step);
	return 0;
}

/* Vector v as it was found, in pieces or not, against what the target client had in memory. */
static int compare(struct pario_run *run, uint64_t v, const char *found, bool pieces, char gap,
		   struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	uint64_t place, step = (p->memory ? p->veclen : s->share.own) * p->element_size;

	pario_run_fill(run, 0, run->target, s->want, v * step, step);
	place = pario_share_compare(&s->share, p->element_size, found, pieces, gap, s->want,
				    p->memory);
	if (place == p->veclen)
		return 0;
	return pario_err_set(err, PARIO_VERIFY,
			     "wrong data in %s, seen by client %llu: place %llu of vector %llu of "
			     "client %llu does not hold what the datatype puts there.",
			     s->pass.path, (unsigned long long)run->client,
			     (unsigned long long)place, (unsigned long long)v,
			     (unsigned long long)run->target);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	uint64_t checks = 0, step = (p->memory ? p->veclen : s->share.own) * p->element_size;
	int status = pario_run_pass(run, &s->pass, NULL, err);
	char gap;

	pario_run_poison(&gap, 1);
	if (!run->phase->write && run->point->access->verify)
		checks = s->pass.moved * factor(p, &s->share);
	for (uint64_t v = 0; v < checks && status == 0; v++)
		status = compare(run, v, s->pass.buffer + v * step, p->memory, gap, err);
	pario_run_pause(run);
	return status;
}

/* One vector of the target's in the file, by plain reads. Libraries leave anything in places that are nobody's. */
static int check_file(struct pario_run *run, uint64_t v, struct pario_err *err)
{
	const struct params *p = run->params;
	const struct state *s = run->scratch;
	uint64_t size = p->element_size, own = s->share.own * size, length = own;
	uint64_t at = s->pass.displacement + v * own;

	if (p->file) {
		at = v * p->veclen * size;
		length = s->share.own_span * size;
	}
	pario_run_count(run, own);
	if (pario_pass_read(run, s->got, at, length, err) < 0)
		return -1;
	return compare(run, v, s->got, p->file, 0, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	uint64_t per_call, vectors;

	if (aim(run, s, err) < 0)
		return -1;
	per_call = s->pass.per_call * factor(p, &s->share);
	vectors = s->pass.units * factor(p, &s->share);
	for (uint64_t i = 0; pario_run_more(run, i, (vectors + per_call - 1) / per_call); i++) {
		for (uint64_t v = i * per_call; v < vectors && v < (i + 1) * per_call; v++) {
			if (check_file(run, v, err) < 0)
				return -1;
		}
	}
	return 0;
}

const struct pario_test pario_test_noncontig = {
	.name = "noncontig",
	.summary = "data in pieces, in memory and in the file, by derived datatypes",
	.question = "What does it cost when data lie in pieces, in memory, file or both?",
	.misleads = "with few elements per call, where the cost of a call hides that of the pieces",
	.needs = PARIO_NEED_MPI_FILES,
	.options = options,
	.params_size = sizeof(struct params),
	.plan = plan,
	.phases = pario_pass_phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = pario_pass_teardown,
};
