/*
 * pictures: which results become which charts. A picture is a row of a table; the functions it names build charts from
 * the dimensions of a section.
 */
#ifndef PARIO_REPORT_PICTURES_H
#define PARIO_REPORT_PICTURES_H

#include "report/section.h"

enum pario_hides {
	PARIO_HIDES_RATES = 1, /* its number is not bytes over time */
	PARIO_HIDES_TIMES = 2, /* its operations are not those of a program */
};

struct pario_picture {
	const char *test; /* NULL = any */
	const char *x; /* parameter along the axis; NULL = every one that varies and is a number */
	const char *title, *text;
	void (*draw)(struct pario_section *section, const struct pario_picture *picture);
	unsigned
		hides; /* what is drawn of any test and would mislead for this one: enum pario_hides */
};

/* All pictures that the results of this section give. */
void pario_pictures_add(struct pario_section *section);

typedef void pario_picture_draw(struct pario_section *section, const struct pario_picture *picture);

/* plots.c, cells.c, latency.c, tiles.c */
pario_picture_draw pario_picture_over, pario_picture_scaling, pario_picture_bars,
	pario_picture_waits;
pario_picture_draw pario_picture_heat, pario_picture_map, pario_picture_latency,
	pario_picture_tiles;
pario_picture_draw pario_picture_words; /* words.c */

/* From the sheets of results: beff_picture.c, beff_io_picture.c, nht1_picture.c, overlap_charts.c, madbench2_picture.c */
pario_picture_draw pario_picture_beff, pario_picture_beff_io, pario_picture_nht1,
	pario_picture_overlap, pario_picture_madbench2;
/* trace_picture.c, trace_classes.c */
pario_picture_draw pario_picture_trace, pario_picture_profile;

/* ---- what the builders share (facets.c) ---- */

uint32_t pario_dim_bit(size_t dim);

/* Its name says that it counts bytes. */
bool pario_dim_is_size(const char *name);

/* Logarithmic where few steps go over a wide range. */
enum pario_chart_scale pario_dim_scale(const struct pario_dimension *dim);

enum {
	PARIO_FACETS_SERIES = 8,
	PARIO_FACETS_SHOWN = 4,
	PARIO_FACETS_MAX = 24,
	PARIO_FACETS_UNITS = 8
};

/* One picture of several that differ in the facet dimensions. */
struct pario_facet {
	uint32_t series, facets; /* bits of dimensions */
	const char *unit;	 /* only groups whose number has this unit */
	size_t first;		 /* a group that says which facet this is */
};

/*
 * Splits the dimensions other than `axes` into series and facets so that no picture has more than `most` series, and
 * calls `draw` once per facet. Groups without a number or of the other unit are not counted.
 */
void pario_facets_each(struct pario_section *section, const struct pario_picture *picture,
		       uint32_t axes, size_t most,
		       void (*draw)(struct pario_section *section,
				    const struct pario_picture *picture,
				    const struct pario_facet *facet, size_t x),
		       size_t x);

/* Does group i belong to this facet? */
bool pario_facet_has(const struct pario_section *section, const struct pario_facet *facet,
		     size_t i);

/* "Bandwidth over transfer_size: strided, 4 clients" */
void pario_facet_title(const struct pario_section *section, const struct pario_facet *facet,
		       const char *title, struct pario_text *out);

/* Number, spread, flags and reason of a group into a mark. */
void pario_facet_fill(struct pario_chart *chart, struct pario_mark *mark,
		      const struct pario_group *group);

/* "bandwidth, MiB/s", "operations, ops/s", or the test's own number where it has one. */
struct pario_chart_axis pario_facet_axis(const struct pario_section *section,
					 const struct pario_facet *facet);

/* The n-th different unit of the section's numbers; NULL when there are fewer. */
const char *pario_facet_unit(const struct pario_section *section, size_t n);

/* What goes to a mark for this number: times are drawn in seconds. */
double pario_facet_value(const struct pario_group *group, double number);

/* Begins a chart with the facet's title and the picture's text. */
void pario_facet_chart(struct pario_chart *chart, enum pario_chart_kind kind,
		       const struct pario_section *section, const struct pario_picture *picture,
		       const struct pario_facet *facet, const char *title);

/* The series that group i belongs to, named after these dimensions. */
unsigned pario_facet_series(struct pario_chart *chart, const struct pario_section *section,
			    size_t i, uint32_t dims);

#endif
