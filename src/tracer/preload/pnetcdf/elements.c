/*
 * elements: counts elements by the shape of a call, times the size of the variable's type in the file.
 */
#include "tracer/preload/pnetcdf/elements.h"

#include "tracer/preload/shim.h"

enum { DIMENSIONS = 64, MANY = 1 << 20 };

/* Sizes of NC_BYTE (1) to NC_UINT64 (11). */
static uint64_t type_bytes(int type)
{
	static const unsigned char bytes[] = { 0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8 };

	return type > 0 && type < (int)sizeof(bytes) ? bytes[type] : 0;
}

/* A question about a variable that has one answer. */
static int ask(struct pario_symbol *symbol, int file, int variable, void *to)
{
	int (*function)(int, int, void *) = (int (*)(int, int, void *))pario_next(symbol);

	return function ? function(file, variable, to) : -1;
}

static uint64_t element_bytes(int file, int variable)
{
	static struct pario_symbol symbol = { "ncmpi_inq_vartype", NULL };
	int type = 0;

	return ask(&symbol, file, variable, &type) == 0 ? type_bytes(type) : 0;
}

static int dimensions(int file, int variable)
{
	static struct pario_symbol symbol = { "ncmpi_inq_varndims", NULL };
	int count = 0;

	return ask(&symbol, file, variable, &count) == 0 && count <= DIMENSIONS ? count : -1;
}

static uint64_t product(const int64_t *counts, int n)
{
	uint64_t elements = 1;

	for (int i = 0; counts && i < n; i++)
		elements *= counts[i] > 0 ? (uint64_t)counts[i] : 0;
	return elements;
}

static uint64_t whole(int file, int variable, int n)
{
	static struct pario_symbol ids_of = { "ncmpi_inq_vardimid", NULL },
				   length_of = { "ncmpi_inq_dimlen", NULL };
	int64_t lengths[DIMENSIONS];
	int ids[DIMENSIONS];

	if (ask(&ids_of, file, variable, ids) != 0)
		return 0;
	for (int i = 0; i < n; i++) {
		if (ask(&length_of, file, ids[i], &lengths[i]) != 0)
			return 0;
	}
	return product(lengths, n);
}

/*
 * The type is a handle of MPI, an int or an address: it travels in the same register. It may be MPI_DATATYPE_NULL,
 * which only the shim of MPI knows; that one stands before this one.
 */
static uint64_t type_size(long type)
{
	int error = errno;
	uint64_t (*size)(long) = (uint64_t(*)(long))dlsym(RTLD_DEFAULT, "pario_mpi_type_bytes");

	errno = error;
	return size ? size(type) : 0;
}

static uint64_t attribute(int file, int variable, const char *name)
{
	static struct pario_symbol symbol = { "ncmpi_inq_att", NULL };
	int (*inq)(int, int, const char *, int *, int64_t *) =
		(int (*)(int, int, const char *, int *, int64_t *))pario_next(&symbol);
	int64_t length = 0;
	int type = 0;

	if (!inq || inq(file, variable, name, &type, &length) != 0 || length < 0)
		return 0;
	return (uint64_t)length * type_bytes(type);
}

/* One variable; `rest` are the arguments behind it. */
static uint64_t of_variable(enum pario_elements shape, int file, int variable, const long *rest)
{
	int n = dimensions(file, variable);
	uint64_t elements = 0;

	if (n < 0)
		return 0;
	switch (shape) {
	case PARIO_ELEMENTS_VAR:
		elements = whole(file, variable, n);
		break;
	case PARIO_ELEMENTS_VAR1:
		elements = 1;
		break;
	case PARIO_ELEMENTS_VARN: {
		const int64_t *const *counts = (const int64_t *const *)rest[2];

		for (int i = 0; i < (int)rest[0] && i < MANY; i++)
			elements += counts ? product(counts[i], n) : 1;
		break;
	}
	default:
		elements = product((const int64_t *)rest[1], n);
	}
	return elements * element_bytes(file, variable);
}

uint64_t pario_elements_bytes(enum pario_elements shape, const long *a, bool many)
{
	int file = (int)a[0], variable = (int)a[1];
	uint64_t bytes = 0;

	switch (shape) {
	case PARIO_ELEMENTS_OTHER:
		return 0;
	case PARIO_ELEMENTS_VARD:
		return type_size(a[2]);
	case PARIO_ELEMENTS_ATT_PUT:
		return a[4] > 0 ? (uint64_t)a[4] * type_bytes((int)a[3]) : 0;
	case PARIO_ELEMENTS_ATT_PUT_TEXT:
		return a[3] > 0 ? (uint64_t)a[3] : 0;
	case PARIO_ELEMENTS_ATT_GET:
	case PARIO_ELEMENTS_ATT_GET_TEXT:
		return attribute(file, variable, (const char *)a[2]);
	default:
		break;
	}
	if (!many)
		return of_variable(shape, file, variable, a + 2);
	for (int i = 0; i < variable && i < MANY; i++) {
		long rest[2] = { 0 };

		if (shape != PARIO_ELEMENTS_VAR && shape != PARIO_ELEMENTS_VAR1)
			rest[1] = ((const long *)a[4])[i];
		bytes += of_variable(shape, file, ((const int *)a[2])[i], rest);
	}
	return bytes;
}
