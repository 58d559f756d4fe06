/*
 * section: the results of one test as a table of dimensions: phase, clients, run, and every parameter that varies.
 * Pictures choose which dimension lies along an axis, which makes series and which makes pictures beside each other.
 */
#ifndef PARIO_REPORT_PAGE_SECTION_H
#define PARIO_REPORT_PAGE_SECTION_H

#include "report/chart/figure.h"
#include "report/page/group.h"

enum { PARIO_SECTION_DIMS = 24 };

enum pario_section_dim {
	PARIO_DIM_PHASE,
	PARIO_DIM_CLIENTS,
	PARIO_DIM_RUN,
	PARIO_DIM_PARAM, /* the first of the parameters */
};

struct pario_dimension {
	const char *name;
	const char **value; /* in order of appearance; strings of the archive */
	double *number;	    /* of each value; NaN when it is none */
	size_t count, capacity;
	uint32_t *
		slot; /* where each value is, + 1, by its address: equal strings are one; 0 = free */
	size_t slots;
	bool numeric; /* every value is a size or count */
	bool boolean; /* 0 and 1 are all there is: nothing lies between them */
};

struct pario_test_reports;

struct pario_section {
	struct pario_canvas *canvas;
	const struct pario_test_reports *reports; /* NULL = none */
	const struct pario_groups *groups;
	const char *test;
	const struct pario_group **group;
	size_t count;
	struct pario_dimension dim[PARIO_SECTION_DIMS];
	size_t dim_count;
	uint32_t *at; /* count rows of dim_count: which value of each dimension a group has */
	bool failed;
};

/* The groups of one test; strings are those of the archive. */
void pario_section_init(struct pario_section *section, struct pario_canvas *canvas,
			const struct pario_groups *groups, const char *test);
void pario_section_release(struct pario_section *section);

/* The value of a dimension at group i, as an index and as text. */
uint32_t pario_section_at(const struct pario_section *section, size_t i, size_t dim);
const char *pario_section_value(const struct pario_section *section, size_t i, size_t dim);

/* As a number; NaN when it is none. */
double pario_section_number(const struct pario_section *section, size_t i, size_t dim);

/* The dimension of this name; SIZE_MAX when nothing of this name varies. */
size_t pario_section_find(const struct pario_section *section, const char *name);

/* Adds "write, strided, 64 KiB, 4 clients": the values of the dimensions whose bit is set and that vary. */
void pario_section_name(const struct pario_section *section, size_t i, uint32_t dims,
			struct pario_text *out);

/* How many different combinations of these dimensions there are. */
size_t pario_section_combinations(const struct pario_section *section, uint32_t dims);

/* True when group i and k agree in all these dimensions. */
bool pario_section_same(const struct pario_section *section, size_t i, size_t k, uint32_t dims);

#endif
