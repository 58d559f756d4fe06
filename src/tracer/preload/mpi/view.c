/*
 * view: what a file type covers, flattened to blocks of bytes, and blocks to runs of the same length and distance.
 *
 * MPI is asked how the type was made. What would take too long or too much room is cut, and said to be.
 */
#include "tracer/preload/mpi/mpi.h"

#include <string.h>

enum {
	RUNS = PARIO_TRACE_PARTS * (PARIO_TRACE_TEXT_MAX / sizeof(struct pario_trace_run)),
	DEEPEST = 32
};

static const uint64_t most_blocks = 1u << 20;

struct flat {
	struct pario_trace_run *runs;
	size_t count;
	uint64_t blocks;
	int64_t from; /* of the block that may still grow */
	uint64_t length;
	bool cut;
};

/* ---- what MPI is asked ---- */

static bool extent_of(MPI_Datatype type, MPI_Count *lower, MPI_Count *extent)
{
	static struct pario_symbol symbol = { "PMPI_Type_get_extent_x", NULL };
	int (*ask)(MPI_Datatype, MPI_Count *, MPI_Count *) =
		(int (*)(MPI_Datatype, MPI_Count *, MPI_Count *))pario_next(&symbol);

	return ask && ask(type, lower, extent) == MPI_SUCCESS;
}

static bool true_extent_of(MPI_Datatype type, MPI_Count *lower, MPI_Count *extent)
{
	static struct pario_symbol symbol = { "PMPI_Type_get_true_extent_x", NULL };
	int (*ask)(MPI_Datatype, MPI_Count *, MPI_Count *) =
		(int (*)(MPI_Datatype, MPI_Count *, MPI_Count *))pario_next(&symbol);

	return ask && ask(type, lower, extent) == MPI_SUCCESS;
}

/* How a type was made. */
struct made {
	int combiner, ints, addresses, types;
	int *i;
	MPI_Aint *a;
	MPI_Datatype *t;
	size_t bytes;
	bool large; /* with counts that are not asked for */
};

#if MPI_VERSION >= 4
/* The plain question is an error about a type that was made with large counts. */
static bool envelope_of(MPI_Datatype type, struct made *m)
{
	static struct pario_symbol symbol = { "PMPI_Type_get_envelope_c", NULL };
	int (*ask)(MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *, MPI_Count *, int *) =
		(int (*)(MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *, MPI_Count *,
			 int *))pario_next(&symbol);
	MPI_Count ints = 0, addresses = 0, large = 0, types = 0;

	if (!ask || ask(type, &ints, &addresses, &large, &types, &m->combiner) != MPI_SUCCESS)
		return false;
	m->large = large > 0;
	m->ints = (int)ints;
	m->addresses = (int)addresses;
	m->types = (int)types;
	return true;
}
#else
static bool envelope_of(MPI_Datatype type, struct made *m)
{
	static struct pario_symbol symbol = { "PMPI_Type_get_envelope", NULL };
	int (*ask)(MPI_Datatype, int *, int *, int *, int *) =
		(int (*)(MPI_Datatype, int *, int *, int *, int *))pario_next(&symbol);

	return ask && ask(type, &m->ints, &m->addresses, &m->types, &m->combiner) == MPI_SUCCESS;
}
#endif

/* MPI's own types, which nobody may free. */
static bool is_predefined(const struct made *m)
{
	return m->combiner == MPI_COMBINER_NAMED || m->combiner == MPI_COMBINER_F90_REAL ||
	       m->combiner == MPI_COMBINER_F90_COMPLEX || m->combiner == MPI_COMBINER_F90_INTEGER;
}

static bool contents_of(MPI_Datatype type, struct made *m)
{
	static struct pario_symbol symbol = { "PMPI_Type_get_contents", NULL };
	int (*ask)(MPI_Datatype, int, int, int, int *, MPI_Aint *, MPI_Datatype *) = (int (*)(
		MPI_Datatype, int, int, int, int *, MPI_Aint *, MPI_Datatype *))pario_next(&symbol);

	m->bytes = (size_t)m->addresses * sizeof(*m->a) + (size_t)m->types * sizeof(*m->t) +
		   (size_t)m->ints * sizeof(*m->i);
	m->a = pario_mpi_memory(m->bytes);
	if (!m->a || !ask)
		return false;
	m->t = (MPI_Datatype *)(m->a + m->addresses);
	m->i = (int *)(m->t + m->types);
	return ask(type, m->ints, m->addresses, m->types, m->i, m->a, m->t) == MPI_SUCCESS;
}

/* Types that MPI gave out have to be given back, except its own. */
static void give_back(struct made *m, bool have)
{
	static struct pario_symbol symbol = { "PMPI_Type_free", NULL };
	int (*free_type)(MPI_Datatype *) = (int (*)(MPI_Datatype *))pario_next(&symbol);

	for (int k = 0; have && k < m->types; k++) {
		struct made of = { 0 };

		if (envelope_of(m->t[k], &of) && !is_predefined(&of) && free_type)
			free_type(&m->t[k]);
	}
	pario_mpi_memory_free(m->a, m->bytes);
}

/* ---- blocks become runs ---- */

static void settle(struct flat *f)
{
	struct pario_trace_run *last = f->count ? &f->runs[f->count - 1] : NULL;

	if (!f->length)
		return;
	if (last && last->length == f->length) {
		if (last->count == 1)
			last->step = f->from - last->from;
		if (f->from == last->from + last->step * (int64_t)last->count) {
			last->count++;
			f->length = 0;
			return;
		}
	}
	if (f->count == RUNS)
		f->cut = true;
	else
		f->runs[f->count++] = (struct pario_trace_run){ f->from, f->length, 0, 1 };
	f->length = 0;
}

static void emit(struct flat *f, int64_t from, uint64_t length)
{
	if (!length || f->cut)
		return;
	if (f->length && f->from + (int64_t)f->length == from) {
		f->length += length;
		return;
	}
	settle(f);
	f->from = from;
	f->length = length;
	f->cut |= ++f->blocks > most_blocks;
}

static void walk(struct flat *f, MPI_Datatype type, int64_t base, unsigned depth);

/* `count` of a type, one behind the other. */
static void repeat(struct flat *f, MPI_Datatype type, int64_t base, int64_t count, unsigned depth)
{
	MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0;
	uint64_t size = pario_mpi_type_bytes(type);

	if (!extent_of(type, &lower, &extent) || !true_extent_of(type, &true_lower, &true_extent)) {
		f->cut = true;
		return;
	}
	if (count > 0 && (uint64_t)true_extent == size && (count == 1 || extent == true_extent)) {
		emit(f, base + true_lower, size * (uint64_t)count);
		return;
	}
	for (int64_t k = 0; k < count && !f->cut; k++)
		walk(f, type, base + k * extent, depth + 1);
}

/* The part of one dimension that a process has: blocks of `length`, `step` apart. */
struct dimension {
	int64_t size, from, length, step;
};

/* All elements of an array that lie in the parts, rows first. `order` lists dimensions, the slowest first. */
static void cross(struct flat *f, MPI_Datatype type, int64_t base, const struct dimension *d, int n,
		  int64_t width, int64_t extent, unsigned depth)
{
	int64_t inner = width / (d->size ? d->size : 1);

	for (int64_t from = d->from; from < d->size && !f->cut; from += d->step) {
		int64_t length = from + d->length > d->size ? d->size - from : d->length;

		if (n == 1) {
			repeat(f, type, base + from * extent, length, depth);
			continue;
		}
		for (int64_t k = from; k < from + length && !f->cut; k++)
			cross(f, type, base + k * inner * extent, d + 1, n - 1, inner, extent,
			      depth);
	}
}

enum { DIMENSIONS = 64 };

static void array(struct flat *f, MPI_Datatype type, int64_t base, struct dimension *d, int n,
		  bool fortran, unsigned depth)
{
	MPI_Count lower = 0, extent = 0;
	int64_t width = 1;

	for (int k = 0; fortran && k < n / 2; k++) {
		struct dimension other = d[k];

		d[k] = d[n - 1 - k];
		d[n - 1 - k] = other;
	}
	for (int k = 0; k < n; k++) {
		width *= d[k].size;
		if (d[k].step <= 0 || d[k].length < 0)
			return;
	}
	if (extent_of(type, &lower, &extent))
		cross(f, type, base, d, n, width, extent, depth);
}

static void subarray(struct flat *f, const struct made *m, int64_t base, unsigned depth)
{
	struct dimension d[DIMENSIONS];
	int n = m->i[0];

	if (n < 1 || n > DIMENSIONS) {
		f->cut = true;
		return;
	}
	for (int k = 0; k < n; k++)
		d[k] = (struct dimension){ m->i[1 + k], m->i[1 + 2 * n + k], m->i[1 + n + k],
					   m->i[1 + k] + 1 };
	array(f, m->t[0], base, d, n, m->i[1 + 3 * n] == MPI_ORDER_FORTRAN, depth);
}

static void darray(struct flat *f, const struct made *m, int64_t base, unsigned depth)
{
	struct dimension d[DIMENSIONS];
	int n = m->i[2], rank = m->i[1];
	const int *sizes = m->i + 3, *how = sizes + n, *args = how + n, *processes = args + n;

	if (n < 1 || n > DIMENSIONS) {
		f->cut = true;
		return;
	}
	for (int k = n - 1; k >= 0; k--) { /* ranks are counted row by row, whatever the order */
		int64_t p = processes[k] > 0 ? processes[k] : 1, at = rank % p,
			block = (sizes[k] + p - 1) / p;

		rank /= (int)p;
		if (how[k] == MPI_DISTRIBUTE_CYCLIC)
			block = 1;
		if (args[k] != MPI_DISTRIBUTE_DFLT_DARG && how[k] != MPI_DISTRIBUTE_NONE)
			block = args[k];
		if (how[k] == MPI_DISTRIBUTE_NONE) {
			block = sizes[k];
			at = 0;
		}
		d[k] = (struct dimension){ sizes[k], at * block, block, p * block };
		if (how[k] != MPI_DISTRIBUTE_CYCLIC)
			d[k].step = sizes[k] + 1;
	}
	array(f, m->t[0], base, d, n, processes[n] == MPI_ORDER_FORTRAN, depth);
}

/* Blocks of one type at these places; lengths all the same when `lengths` is NULL. */
static void blocks(struct flat *f, const struct made *m, int64_t base, const int *lengths,
		   int length, bool in_bytes, unsigned depth)
{
	MPI_Count lower = 0, extent = 0;
	const int *places = m->i + m->ints - m->i[0]; /* the last of them */

	extent_of(m->t[0], &lower, &extent);
	for (int k = 0; k < m->i[0] && !f->cut; k++)
		repeat(f, m->t[0],
		       base + (in_bytes ? (int64_t)m->a[k] : places[k] * (int64_t)extent),
		       lengths ? lengths[k] : length, depth);
}

static void vector(struct flat *f, const struct made *m, int64_t base, int64_t step, unsigned depth)
{
	for (int64_t k = 0; k < m->i[0] && !f->cut; k++)
		repeat(f, m->t[0], base + k * step, m->i[1], depth);
}

static void walk_made(struct flat *f, const struct made *m, int64_t base, unsigned depth)
{
	MPI_Count lower = 0, extent = 0;

	switch (m->combiner) {
	case MPI_COMBINER_DUP:
	case MPI_COMBINER_RESIZED:
		repeat(f, m->t[0], base, 1, depth);
		break;
	case MPI_COMBINER_CONTIGUOUS:
		repeat(f, m->t[0], base, m->i[0], depth);
		break;
	case MPI_COMBINER_VECTOR:
		extent_of(m->t[0], &lower, &extent);
		vector(f, m, base, m->i[2] * (int64_t)extent, depth);
		break;
	case MPI_COMBINER_HVECTOR:
		vector(f, m, base, m->a[0], depth);
		break;
	case MPI_COMBINER_INDEXED:
		blocks(f, m, base, m->i + 1, 0, false, depth);
		break;
	case MPI_COMBINER_HINDEXED:
		blocks(f, m, base, m->i + 1, 0, true, depth);
		break;
	case MPI_COMBINER_INDEXED_BLOCK:
		blocks(f, m, base, NULL, m->i[1], false, depth);
		break;
	case MPI_COMBINER_HINDEXED_BLOCK:
		blocks(f, m, base, NULL, m->i[1], true, depth);
		break;
	case MPI_COMBINER_STRUCT:
		for (int k = 0; k < m->i[0] && !f->cut; k++)
			repeat(f, m->t[k], base + m->a[k], m->i[1 + k], depth);
		break;
	case MPI_COMBINER_SUBARRAY:
		subarray(f, m, base, depth);
		break;
	case MPI_COMBINER_DARRAY:
		darray(f, m, base, depth);
		break;
	default:
		f->cut = true;
	}
}

static void walk(struct flat *f, MPI_Datatype type, int64_t base, unsigned depth)
{
	struct made m = { 0 };
	bool have;

	if (depth > DEEPEST || !envelope_of(type, &m)) {
		f->cut = true;
		return;
	}
	if (is_predefined(&m)) {
		emit(f, base, pario_mpi_type_bytes(type));
		return;
	}
	have = !m.large && contents_of(type, &m);
	if (have)
		walk_made(f, &m, base, depth);
	else
		f->cut = true;
	give_back(&m, have);
}

/* ---- writing it down ---- */

static uint64_t hash(const void *bytes, size_t length, uint64_t h)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < length; i++)
		h = (h ^ at[i]) * 0x100000001b3u;
	return h;
}

static uint32_t mpi_number(struct pario_mpi_known *known, uint64_t h, bool *is_new)
{
	for (unsigned i = 0; i < PARIO_MPI_KNOWN; i++) {
		if (known->hash[i] == h && known->number[i]) {
			*is_new = false;
			return known->number[i];
		}
	}
	*is_new = true;
	unsigned at = __atomic_fetch_add(&known->count, 1, __ATOMIC_RELAXED);

	known->hash[at % PARIO_MPI_KNOWN] = h;
	known->number[at % PARIO_MPI_KNOWN] = at + 1;
	return at + 1;
}

static void put(struct pario_trace_record *note, const struct flat *f)
{
	enum { MOST = PARIO_TRACE_TEXT_MAX / sizeof(struct pario_trace_run) };
	uint64_t parts = f->count ? (f->count + MOST - 1) / MOST : 1;

	for (uint64_t part = 0; part < parts; part++) {
		size_t from = (size_t)part * MOST,
		       n = f->count - from < MOST ? f->count - from : MOST;

		note->more = part << 32 | parts;
		note->size = 0;
		pario_trace_note(note, (const char *)(f->runs + from), n * sizeof(f->runs[0]));
	}
}

uint32_t pario_mpi_view(MPI_Datatype etype, MPI_Datatype type)
{
	static struct pario_mpi_known known;
	struct pario_trace_record note = { .op = PARIO_TRACE_VIEW, .t0 = pario_ticks() };
	struct flat f = { 0 };
	MPI_Count lower = 0, extent = 0;
	size_t bytes = RUNS * sizeof(*f.runs);
	bool is_new = false;
	uint64_t h;

	f.runs = pario_mpi_memory(bytes);
	if (!f.runs || !extent_of(type, &lower, &extent)) {
		pario_mpi_memory_free(f.runs, bytes);
		return 0;
	}
	repeat(&f, type, 0, 1, 0);
	settle(&f);
	note.offset = (uint64_t)lower;
	note.site = (uint64_t)extent;
	note.result = f.cut;
	note.arg = (uint32_t)pario_mpi_type_bytes(etype);
	h = hash(f.runs, f.count * sizeof(*f.runs), 0xcbf29ce484222325u);
	h = hash(&note.offset, sizeof(note.offset), h);
	h = hash(&note.site, sizeof(note.site), h ^ note.arg);
	note.file = mpi_number(&known, h, &is_new);
	if (is_new)
		put(&note, &f);
	pario_mpi_memory_free(f.runs, bytes);
	return note.file;
}

/* ---- hints ---- */

static bool key_at(MPI_Info info, int n, char key[MPI_MAX_INFO_KEY + 1])
{
	static struct pario_symbol symbol = { "PMPI_Info_get_nthkey", NULL };
	int (*ask)(MPI_Info, int, char *) = (int (*)(MPI_Info, int, char *))pario_next(&symbol);

	return ask && ask(info, n, key) == MPI_SUCCESS;
}

static bool value_of(MPI_Info info, const char *key, int capacity, char *value)
{
	static struct pario_symbol symbol = { "PMPI_Info_get", NULL };
	int (*ask)(MPI_Info, const char *, int, char *, int *) =
		(int (*)(MPI_Info, const char *, int, char *, int *))pario_next(&symbol);
	int have = 0;

	return ask && ask(info, key, capacity, value, &have) == MPI_SUCCESS && have;
}

uint32_t pario_mpi_hints(MPI_Info info)
{
	static struct pario_symbol symbol = { "PMPI_Info_get_nkeys", NULL };
	int (*count)(MPI_Info, int *) = (int (*)(MPI_Info, int *))pario_next(&symbol);
	const struct pario_mpi_names *names = pario_mpi_names();
	static struct pario_mpi_known known;
	struct pario_trace_record note = { .op = PARIO_TRACE_HINTS, .t0 = pario_ticks() };
	char text[PARIO_TRACE_TEXT_MAX], key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
	size_t length = 0;
	bool is_new = false;
	int n = 0;

	if (!names->no_info || info == names->no_info || !count || count(info, &n) != MPI_SUCCESS)
		return 0;
	for (int i = 0; i < n; i++) {
		size_t k, v;

		if (!key_at(info, i, key) || !value_of(info, key, MPI_MAX_INFO_VAL, value))
			continue;
		k = strlen(key);
		v = strlen(value);
		if (length + k + v + 2 > sizeof(text))
			break;
		memcpy(text + length, key, k);
		text[length + k] = '=';
		memcpy(text + length + k + 1, value, v);
		length += k + v + 2;
		text[length - 1] = '\n';
	}
	if (!length)
		return 0;
	note.file = mpi_number(&known, hash(text, length, 0xcbf29ce484222325u), &is_new);
	if (is_new)
		pario_trace_note(&note, text, length);
	return note.file;
}
