/*
 * pictures: which results become which charts. A picture is a row of a table; the functions it names build charts from
 * the dimensions of a section.
 */
#ifndef PARIO_REPORT_PICTURES_H
#define PARIO_REPORT_PICTURES_H

#include "report/section.h"

struct pario_picture {
	const char *test; /* NULL = any */
	const char *x; /* parameter along the axis; NULL = every one that varies and is a number */
	const char *title, *text;
	void (*draw)(struct pario_section *section, const struct pario_picture *picture);
};

/* All pictures that the results of this section give. */
void pario_pictures_add(struct pario_section *section);

/* ---- what the builders share (facets.c) ---- */

enum { PARIO_FACETS_SERIES = 8, PARIO_FACETS_SHOWN = 4, PARIO_FACETS_MAX = 24 };

/* One picture of several that differ in the facet dimensions. */
struct pario_facet {
	uint32_t series, facets; /* bits of dimensions */
	bool operations;	 /* only groups whose number is operations (or bytes) per second */
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

#endif
