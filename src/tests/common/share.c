/*
 * share: the rule of ownership, and the datatypes, which are built without it: tests compare the two.
 */
#include "tests/common/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* Mean length of an indexed block, in elements: short enough to be pieces, long enough to vary. */
enum { BLOCK_MEAN = 4 };

uint64_t pario_share_rows(uint64_t cells, uint64_t least_rows, uint64_t least_columns)
{
	uint64_t rows = 0;

	for (uint64_t d = least_rows; d * d <= cells; d++) {
		if (cells % d == 0 && cells / d >= least_columns)
			rows = d;
	}
	return rows;
}

/* Start of block b: drawn, but less than a regular block away from the regular place, so that none is empty. */
static uint64_t border(const struct pario_share *s, uint64_t b)
{
	uint64_t step = s->length / s->blocks;

	if (b == 0 || b == s->blocks)
		return b ? s->length : 0;
	return b * s->length / s->blocks + pario_random_below(pario_random_join(s->seed, b), step);
}

uint64_t pario_share_owner(const struct pario_share *s, uint64_t place)
{
	uint64_t x = place % s->columns, y = place / s->columns % s->rows, b;

	switch (s->kind) {
	case PARIO_SHARE_INDEXED:
		b = ((place + 1) * s->blocks - 1) / s->length;
		return (border(s, b) > place ? b - 1 : b) % s->parties;
	case PARIO_SHARE_SUBARRAY:
		return ((y + 1) * s->grid_rows - 1) / s->rows * s->grid_columns +
		       ((x + 1) * s->grid_columns - 1) / s->columns;
	case PARIO_SHARE_NESTED:
		return y % s->grid_rows * s->grid_columns + x % s->grid_columns;
	case PARIO_SHARE_VECTOR:
		break;
	}
	return place % s->parties;
}

/* The vector as an array that has at least a row and a column for everyone. */
static bool shape(struct pario_share *s)
{
	s->grid_rows = pario_share_rows(s->parties, 1, 1);
	s->grid_columns = s->parties / s->grid_rows;
	s->planes = s->kind == PARIO_SHARE_NESTED && s->length % 2 == 0 ? 2 : 1;
	s->rows = pario_share_rows(s->length / s->planes, s->grid_rows, s->grid_columns);
	if (!s->rows && s->planes > 1) {
		s->planes = 1;
		s->rows = pario_share_rows(s->length, s->grid_rows, s->grid_columns);
	}
	s->columns = s->rows ? s->length / s->planes / s->rows : 1;
	return s->rows > 0;
}

static void count(struct pario_share *s)
{
	for (uint64_t i = 0; i < s->length; i++) {
		uint64_t owner = pario_share_owner(s, i);

		if (owner >= s->clients)
			continue;
		s->span = i + 1;
		s->all++;
		s->lower += owner < s->client;
		s->own += owner == s->client;
		s->own_span = owner == s->client ? i + 1 : s->own_span;
	}
}

int pario_share_init(struct pario_share *s, enum pario_share_kind kind, uint64_t length,
		     uint64_t clients, uint64_t client, uint64_t seed, struct pario_err *err)
{
	bool square = kind == PARIO_SHARE_SUBARRAY || kind == PARIO_SHARE_NESTED;

	*s = (struct pario_share){ .kind = kind,
				   .length = length,
				   .clients = clients,
				   .client = client,
				   .seed = seed,
				   .parties = clients > 1 ? clients : 2 };
	if (length < s->parties)
		return pario_err_set(err, PARIO_USAGE,
				     "a vector of %llu elements does not have one for each of %llu "
				     "clients. Use a longer one or fewer clients.",
				     (unsigned long long)length, (unsigned long long)s->parties);
	if (!shape(s) && square)
		return pario_err_set(
			err, PARIO_USAGE,
			"a vector of %llu elements is not an array with a row and a column for each of "
			"%llu x %llu clients. Use a length with more factors, such as a power of 2.",
			(unsigned long long)length, (unsigned long long)s->grid_rows,
			(unsigned long long)s->grid_columns);
	s->rows = s->rows ? s->rows : 1;
	s->blocks = length / BLOCK_MEAN / s->parties * s->parties;
	s->blocks = s->blocks ? s->blocks : s->parties;
	count(s);
	return 0;
}

static bool blank(const char *bytes, uint64_t length, char byte)
{
	for (uint64_t i = 0; i < length; i++) {
		if (bytes[i] != byte)
			return false;
	}
	return true;
}

uint64_t pario_share_compare(const struct pario_share *s, uint64_t size, const char *found,
			     bool found_pieces, char gap, const char *want, bool want_pieces)
{
	for (uint64_t place = 0, k = 0; place < s->length; place++) {
		uint64_t owner = pario_share_owner(s, place);
		const char *is = found + (found_pieces ? place : k) * size;
		bool right = true;

		if (owner == s->client)
			right = !memcmp(is, want + (want_pieces ? place : k) * size, size);
		else if (found_pieces && gap)
			right = blank(is, size, gap);
		if (!right)
			return place;
		k += owner == s->client;
	}
	return s->length;
}

static MPI_Aint bytes(uint64_t elements, uint64_t element_size)
{
	return (MPI_Aint)(elements * element_size);
}

/* The type moved on by so many bytes, with the vector as its extent; `inner` is freed. */
static void place_type(MPI_Datatype inner, MPI_Aint start, MPI_Aint extent, MPI_Datatype *type)
{
	MPI_Datatype moved = MPI_DATATYPE_NULL;

	MPI_Type_create_hindexed(1, &(int){ 1 }, &start, inner, &moved);
	MPI_Type_create_resized(moved, 0, extent, type);
	MPI_Type_free(&moved);
	MPI_Type_free(&inner);
}

static int indexed(const struct pario_share *s, MPI_Datatype element, MPI_Datatype *type,
		   struct pario_err *err)
{
	int n = (int)(s->blocks / s->parties), *lengths = malloc(2 * (size_t)n * sizeof(int));

	if (!lengths)
		return pario_err_memory(err, "a datatype of %d blocks", n);
	for (int i = 0; i < n; i++) {
		uint64_t b = (uint64_t)i * s->parties + s->client;

		lengths[n + i] = (int)border(s, b);
		lengths[i] = (int)border(s, b + 1) - lengths[n + i];
	}
	MPI_Type_indexed(n, lengths, lengths + n, element, type);
	free(lengths);
	return 0;
}

static void subarray(const struct pario_share *s, MPI_Datatype element, MPI_Datatype *type)
{
	uint64_t y = s->client / s->grid_columns, x = s->client % s->grid_columns;
	const int whole[] = { (int)s->rows, (int)s->columns };
	const int first[] = { (int)(s->rows * y / s->grid_rows),
			      (int)(s->columns * x / s->grid_columns) };
	const int part[] = { (int)(s->rows * (y + 1) / s->grid_rows) - first[0],
			     (int)(s->columns * (x + 1) / s->grid_columns) - first[1] };

	MPI_Type_create_subarray(2, whole, part, first, MPI_ORDER_C, element, type);
}

/* How many of `n` things are a client's that gets every `step`-th from `first` on. */
static int every(uint64_t n, uint64_t step, uint64_t first)
{
	return (int)((n - first + step - 1) / step);
}

static MPI_Aint nested(const struct pario_share *s, MPI_Datatype element, uint64_t size,
		       MPI_Datatype *type)
{
	uint64_t y = s->client / s->grid_columns, x = s->client % s->grid_columns;
	MPI_Datatype row, plane;

	MPI_Type_create_hvector(every(s->columns, s->grid_columns, x), 1,
				bytes(s->grid_columns, size), element, &row);
	MPI_Type_create_hvector(every(s->rows, s->grid_rows, y), 1,
				bytes(s->grid_rows * s->columns, size), row, &plane);
	MPI_Type_create_hvector((int)s->planes, 1, bytes(s->rows * s->columns, size), plane, type);
	MPI_Type_free(&row);
	MPI_Type_free(&plane);
	return bytes(y * s->columns + x, size);
}

int pario_share_type(const struct pario_share *s, MPI_Datatype element, uint64_t element_size,
		     MPI_Datatype *type, struct pario_err *err)
{
	MPI_Datatype inner = MPI_DATATYPE_NULL;
	MPI_Aint start = 0;

	switch (s->kind) {
	case PARIO_SHARE_VECTOR:
		MPI_Type_vector(every(s->length, s->parties, s->client), 1, (int)s->parties,
				element, &inner);
		start = bytes(s->client, element_size);
		break;
	case PARIO_SHARE_INDEXED:
		if (indexed(s, element, &inner, err) < 0)
			return -1;
		break;
	case PARIO_SHARE_SUBARRAY:
		subarray(s, element, &inner);
		break;
	case PARIO_SHARE_NESTED:
		start = nested(s, element, element_size, &inner);
		break;
	}
	place_type(inner, start, bytes(s->length, element_size), type);
	return 0;
}
