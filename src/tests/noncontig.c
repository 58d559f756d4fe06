/*
 * noncontig: what does it cost when data are noncontiguous, in memory, in the file, or in both?
 *
 * After the noncontig benchmark (docs/tests.md). A vector of veclen elements is divided among the
 * clients (tests/common/share.h), element by element or in other ways. Noncontiguous memory is veccount vectors in
 * which only the client's own elements move; contiguous memory is all moved, and as large. In a noncontiguous file the
 * clients' elements lie where the division puts them, vector after vector; in a contiguous one each client's lie
 * together. fsize chooses veccount so that the file has the same size and all four combinations move the same bytes.
 *
 * What is in the file, and in memory after a read, is compared element by element with the rule who owns a place,
 * without datatypes; what lies between must not change. Every element of every client's memory is another one.
 * Misleads with few elements per call, where the cost of a call hides that of the pieces.
 */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "engine/test.h"
#include "tests/common/share.h"

struct params {
	struct pario_datatype_pass_params pass;
	int memory, file, type;
	uint64_t element_size, veclen, veccount, fsize, buffer_size, offset, loops;
};

static const char *const ways[] = { "contiguous", "noncontiguous", NULL };
static const char *const types[] = { "vector", "indexed", "subarray", "nested", NULL };

#define OPTION(field, ...) PARIO_OPTION(struct params, field, __VA_ARGS__)

static const struct pario_option options[] = {
	PARIO_DATATYPE_PASS_OPTIONS(struct params),
	PARIO_DATATYPE_PASS_FILENAME(struct params),
	OPTION(memory, .def = "noncontiguous", .choices = ways,
	       .help = "layout of the data in memory"),
	OPTION(file, .def = "noncontiguous", .choices = ways,
	       .help = "layout of the data in the file"),
	OPTION(type, .def = "vector", .choices = types, .help = "how a vector is divided"),
	OPTION(element_size, .def = "4", .min = "1", .unit = "bytes", .help = "size of an element"),
	OPTION(veclen, .def = "0", .max = "1m", .unit = "elements",
	       .help = "elements of a vector, of all clients together; 0 = 64 or a little more, the same for each"),
	OPTION(fsize, .def = "4m", .max = "1p", .unit = "bytes",
	       .help = "size of the file, in whole vectors: the same bytes move whatever the memory; veccount sets it instead"),
	OPTION(veccount, .def = "0", .max = "1g", .unit = "vectors",
	       .help = "vectors in each client's memory, instead of fsize; contiguous memory then moves more by the number of clients"),
	OPTION(loops, .def = "1", .min = "1", .max = "1m", .unit = "times",
	       .help = "how often all of it is moved in a phase, to the same places"),
	OPTION(offset, .def = "0", .max = "1p", .unit = "bytes",
	       .help = "the data begin here in the file"),
	OPTION(buffer_size, .def = "0", .unit = "bytes",
	       .help = "most bytes of vectors in one call, which no time limit interrupts; 0 = all in one"),
	{ 0 },
};

struct state {
	struct pario_datatype_pass pass;
	struct pario_share share;
	char *want, *got; /* a vector each, behind the data in the pass's buffer */
};

/* So long by default, or a little longer. */
enum { VECLEN = 64 };

/* The least multiple of the number of clients that is not less than the default: each has as many elements. */
static uint64_t veclen_of(const struct params *p, uint64_t clients)
{
	uint64_t parties = clients > 1 ? clients : 2;

	return p->veclen ? p->veclen : (VECLEN + parties - 1) / parties * parties;
}

/* Vectors of the file that one vector of memory fills: contiguous memory holds as much as all clients pick. */
static uint64_t factor(const struct params *p, const struct pario_share *share)
{
	return p->memory ? 1 : share->parties;
}

/*
 * Vectors in a client's memory: as given, or as many as make a file of about this size, which is the same for both
 * kinds of memory, and not nothing. Memory with gaps is as large as the file: with so many clients that one vector of
 * each exceeds the size, there are fewer, or memory would grow with the square of their number.
 */
static uint64_t count_vectors(const struct params *p, const struct pario_share *share,
			      uint64_t vector)
{
	uint64_t fit = p->fsize > vector ? p->fsize / vector : 1;
	uint64_t whole = fit > share->parties ? fit / share->parties : 1;

	if (p->veccount)
		return p->veccount;
	return !p->memory ? whole : fit < share->parties ? fit : whole * share->parties;
}

/* Sizes of this client's pass and of the whole; false when they are too large. */
static bool measure(const struct params *p, const struct pario_share *share,
		    struct pario_datatype_pass *pass, struct pario_layout *layout)
{
	uint64_t size = p->element_size, count, vectors, vector, each, before;

	vector = pario_times(share->length, size);
	count = count_vectors(p, share, vector);
	vectors = pario_times(factor(p, share), count);
	each = pario_times(vectors, size);
	if (pario_times(vectors, vector) > INT64_MAX / 8)
		return false;
	pass->units = count;
	pass->loops = p->loops;
	pass->per_call = p->buffer_size ? p->buffer_size / vector : count;
	pass->per_call = pass->per_call < count ? pass->per_call : count;
	pass->unit_elements = share->own * factor(p, share);
	pass->unit_bytes = pario_times(pass->unit_elements, size);
	pass->unit_step = p->memory ? vector : pass->unit_bytes;
	before = pario_times(vectors - 1, vector);
	pass->displacement =
		p->file ? p->offset : pario_plus(p->offset, pario_times(share->lower, each));
	pass->end = p->file ? pario_plus(pario_plus(p->offset, before),
					 pario_times(share->own_span, size))
			    : pario_plus(pass->displacement, pario_times(share->own, each));
	layout->data_bytes = pario_times(pario_times(share->all, each), p->loops);
	layout->file_bytes =
		pario_plus(p->offset, p->file ? pario_plus(before, pario_times(share->span, size))
					      : pario_times(share->all, each));
	layout->buffer_bytes = pario_times(pass->per_call, pass->unit_bytes);
	layout->memory_bytes =
		pario_plus(pario_times(pass->units, pass->unit_step), pario_times(2, vector)) -
		layout->buffer_bytes;
	return layout->data_bytes <= INT64_MAX;
}

static int measured(const struct pario_point *point, uint64_t client, struct pario_share *share,
		    struct pario_datatype_pass *pass, struct pario_layout *layout,
		    struct pario_err *err)
{
	const struct params *p = point->params;

	if (pario_datatype_pass_plan(point, layout, err) < 0 ||
	    pario_share_init(share, (enum pario_share_kind)p->type, veclen_of(p, point->clients),
			     point->clients, client, point->seed, err) < 0)
		return -1;
	if (!measure(p, share, pass, layout))
		return pario_err_set(err, PARIO_USAGE,
				     "--element_size × --veclen × --veccount × clients is more "
				     "than 2^60 bytes, or with --loops more than 2^63. Use smaller "
				     "sizes.");
	if (pass->per_call == 0 || layout->buffer_bytes > INT_MAX)
		return pario_err_set(
			err, PARIO_USAGE,
			"one call takes at least a vector, of %llu bytes, and at most "
			"2^31-1 bytes. Use another --buffer_size, such as 1g.",
			(unsigned long long)pario_times(share->length, p->element_size));
	return 0;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	struct pario_share share;
	struct pario_datatype_pass pass;

	return measured(point, client, &share, &pass, layout, err);
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	return pario_datatype_pass_setup(run, sizeof(struct state), err) ? 0 : -1;
}

/* The part of the target client, and empty memory for it. */
static int aim(struct pario_run *run, struct state *s, struct pario_err *err)
{
	const struct params *p = run->params;
	uint64_t data, vector;
	struct pario_layout unused = { 0 };

	if (measured(run->point, run->target, &s->share, &s->pass, &unused, err) < 0)
		return -1;
	vector = s->share.length * p->element_size;
	data = s->pass.units * s->pass.unit_step;
	if (pario_datatype_pass_renew(&s->pass, data + 2 * vector, err) < 0)
		return -1;
	s->want = s->pass.buffer + data;
	s->got = s->want + vector;
	return 0;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	struct pario_datatype_pass *pass = &s->pass;
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
	pario_datatype_pass_commit(pass);
	if (run->phase->write)
		pario_run_fill(run, 0, run->client, pass->buffer, 0, pass->units * pass->unit_step);
	return 0;
}

static int wrong(const struct pario_run *run, uint64_t v, uint64_t place, uint64_t owner,
		 struct pario_err *err)
{
	const struct state *s = run->scratch;

	return pario_err_set(err, PARIO_VERIFY,
			     "wrong data in %s, seen by client %llu: place %llu of vector %llu of "
			     "client %llu does not hold what the datatype puts there.",
			     s->pass.path, (unsigned long long)run->client,
			     (unsigned long long)place, (unsigned long long)v,
			     (unsigned long long)owner);
}

/* Vector v as it was found, in pieces or not, against what the target client had in memory. */
static int compare(struct pario_run *run, uint64_t v, const char *found, bool pieces, char gap,
		   struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	uint64_t place, step = (p->memory ? s->share.length : s->share.own) * p->element_size;

	pario_run_fill(run, 0, run->target, s->want, v * step, step);
	place = pario_share_compare(&s->share, p->element_size, found, pieces, gap, s->want,
				    p->memory);
	return place == s->share.length ? 0 : wrong(run, v, place, run->target, err);
}

/* What the original prints: the slowest and the fastest client by its own time of calls and sync, and all added up. */
static void tell_rates(struct pario_run *run, const struct pario_datatype_pass *pass)
{
	double s = (double)pass->moving_ns / 1e9;
	double own = s > 0 ? (double)pass->moved_bytes / PARIO_MIB / s : 0, ends[2] = { own, -own },
	       sum;

	MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, run->comm);
	MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, run->comm);
	pario_run_metric(run, "rate_min_mib_s", "MiB/s", -ends[1]);
	pario_run_metric(run, "rate_max_mib_s", "MiB/s", ends[0]);
	pario_run_metric(run, "rate_acc_mib_s", "MiB/s", sum);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	uint64_t checks = 0, step = (p->memory ? s->share.length : s->share.own) * p->element_size;
	int status = pario_run_pass(run, &s->pass, NULL, err);
	char gap;

	tell_rates(run, &s->pass);
	pario_run_poison(&gap, 1);
	if (pario_run_compares(run))
		checks = s->pass.moved * factor(p, &s->share);
	for (uint64_t v = 0; v < checks && status == 0; v++)
		status = compare(run, v, s->pass.buffer + v * step, p->memory, gap, err);
	pario_run_pause(run);
	return status;
}

/* One vector of the target's in a contiguous file, by plain reads. */
static int check_own(struct pario_run *run, uint64_t v, struct pario_err *err)
{
	const struct params *p = run->params;
	const struct state *s = run->scratch;
	uint64_t own = s->share.own * p->element_size;

	pario_run_count(run, own);
	if (pario_datatype_pass_read(run, s->got, s->pass.displacement + v * own, own, err) < 0)
		return -1;
	return compare(run, v, s->got, false, 0, err);
}

/* Each client's elements of a vector: how many there are, how many came already, how many vectors it wrote. */
struct tally {
	uint64_t own, seen, vectors;
};

/* Whose element of vector v stands at this place, or NULL when nobody wrote one there. */
static struct tally *writer(const struct pario_run *run, const struct pario_share *share,
			    struct tally *tally, uint64_t v, uint64_t place)
{
	uint64_t owner = pario_share_owner(share, place);

	return owner < run->clients && v < tally[owner].vectors ? &tally[owner] : NULL;
}

/*
 * One vector of a noncontiguous file, whoever wrote its elements. Libraries leave anything in places that are nobody's.
 */
static int check_mixed(struct pario_run *run, uint64_t v, const struct pario_share *share,
		       struct tally *tally, struct pario_err *err)
{
	const struct params *p = run->params;
	const struct state *s = run->scratch;
	uint64_t size = p->element_size, end = share->span;

	while (end > 0 && !writer(run, share, tally, v, end - 1))
		end--;
	if (pario_datatype_pass_read(run, s->got, p->offset + v * share->length * size, end * size,
				     err) < 0)
		return -1;
	for (uint64_t i = 0; i < run->clients; i++)
		tally[i].seen = 0;
	for (uint64_t place = 0; place < end; place++) {
		struct tally *t = writer(run, share, tally, v, place);
		uint64_t at = v * share->length + place;

		if (!t)
			continue;
		if (!p->memory)
			at = v * t->own + t->seen++;
		pario_run_fill(run, 0, (uint64_t)(t - tally), s->want, at * size, size);
		if (memcmp(s->got + place * size, s->want, size) != 0)
			return wrong(run, v, place, (uint64_t)(t - tally), err);
		pario_run_count(run, size);
	}
	return 0;
}

/* Clients' elements lie side by side: each client looks at its share of the vectors, for all of them. */
static int verify_mixed(struct pario_run *run, uint64_t vectors, struct pario_err *err)
{
	const struct params *p = run->params;
	const struct state *s = run->scratch;
	uint64_t per_call = s->pass.per_call * factor(p, &s->share);
	uint64_t calls = (vectors + per_call - 1) / per_call, most = 0;
	struct tally *tally = calloc(run->clients, sizeof(*tally));
	int status = 0;

	if (!tally)
		return pario_err_memory(err, "the verification");
	for (uint64_t place = 0; place < s->share.span; place++) {
		uint64_t owner = pario_share_owner(&s->share, place);

		if (owner < run->clients)
			tally[owner].own++;
	}
	for (uint64_t i = 0; i < run->clients; i++) {
		tally[i].vectors = pario_run_written(run, i, calls) * per_call;
		most = tally[i].vectors > most ? tally[i].vectors : most;
	}
	most = most < vectors ? most : vectors;
	for (uint64_t v = most * run->client / run->clients,
		      end = most * (run->client + 1) / run->clients;
	     v < end && status == 0 && !pario_run_over(run); v++)
		status = check_mixed(run, v, &s->share, tally, err);
	free(tally);
	return status;
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
	if (p->file)
		return verify_mixed(run, vectors, err);
	for (uint64_t i = 0; pario_run_more(run, i, (vectors + per_call - 1) / per_call); i++) {
		for (uint64_t v = i * per_call; v < vectors && v < (i + 1) * per_call; v++) {
			if (check_own(run, v, err) < 0)
				return -1;
		}
	}
	return 0;
}

static const struct pario_metric_info metrics[] = {
	{ "rate_min_mib_s", "MiB/s", "of the slowest client, by its own time of calls and sync",
	  1 },
	{ "rate_max_mib_s", "MiB/s", "of the fastest client, likewise", 1 },
	{ "rate_acc_mib_s", "MiB/s", "of all clients, each by its own time, added up", 1 },
	{ 0 },
};

const struct pario_test pario_test_noncontig = {
	.name = "noncontig",
	.summary = "data in pieces, in memory and in the file, by derived datatypes",
	.question =
		"What does it cost when data are noncontiguous, in memory, in the file or in both?",
	.misleads = "with few elements per call, where the cost of a call hides that of the pieces",
	.needs = PARIO_NEED_MPI_FILES | PARIO_NEED_GAP,
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.plan = plan,
	.phases = pario_datatype_pass_phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = pario_datatype_pass_teardown,
};
