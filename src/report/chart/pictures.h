/*
 * pictures: which results become which charts. A picture is a row of a table; the functions it names build charts from
 * the dimensions of a section.
 */
#ifndef PARIO_REPORT_CHART_PICTURES_H
#define PARIO_REPORT_CHART_PICTURES_H

#include "report/page/section.h"

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

/*
 * What the tests themselves add to a report: pictures of their own (ends with a row without `draw`) and the files their
 * definitions ask for (ends with NULL). tests/report/reports.c lists them; whoever makes a page hands them in.
 */
struct pario_test_reports {
	const struct pario_picture *pictures;
	const struct pario_document *const *documents;
	/* Why a number that passed its checks is still not the one that the definition asks for; NULL when it is. */
	const char *(*lacks)(struct pario_archive *archive, const struct pario_group *group);
};

/* All pictures that the results of this section give. */
void pario_pictures_add(struct pario_section *section);

typedef void pario_picture_draw(struct pario_section *section, const struct pario_picture *picture);

/* plots.c, heatmap.c, latency.c, tiles.c */
pario_picture_draw pario_picture_over, pario_picture_scaling, pario_picture_bars,
	pario_picture_waits;
pario_picture_draw pario_picture_heat, pario_picture_latency, pario_picture_latency_over;
pario_picture_draw pario_picture_tiles;
pario_picture_draw pario_picture_times, pario_picture_times_summed;
pario_picture_draw pario_picture_summary_text; /* summary_text.c */
pario_picture_draw pario_picture_prediction;   /* prediction.c */

/* client_heat.c, rate_history.c, clients.c: from the details of the results */
pario_picture_draw pario_picture_client_heat, pario_picture_rate_history, pario_picture_clients;

/* report/trace/picture.c, report/trace/classes.c */
pario_picture_draw pario_picture_trace, pario_picture_profile;

/* ---- what the builders share (small_multiples.c) ---- */

uint32_t pario_dim_bit(size_t dim);

/* Its name says that it counts bytes. */
bool pario_dim_is_size(const char *name);

/* Logarithmic where few steps go over a wide range. */
enum pario_chart_scale pario_dim_scale(const struct pario_dimension *dim);

enum {
	PARIO_SMALL_MULTIPLES_SERIES = 8,
	PARIO_SMALL_MULTIPLES_SHOWN = 4,
	PARIO_SMALL_MULTIPLES_MAX = 24,
	PARIO_SMALL_MULTIPLES_UNITS = 8
};

/* One picture of several that differ in the small multiple dimensions. */
struct pario_small_multiple {
	uint32_t series, multiples; /* bits of dimensions */
	const char *unit;	    /* only groups whose number has this unit */
	size_t first;		    /* a group that says which small multiple this is */
};

/*
 * Splits the dimensions other than `axes` into series and small multiples so that no picture has more than `most`
 * series, and calls `draw` once per small multiple. Groups without a number or of the other unit are not counted.
 */
void pario_small_multiples_each(struct pario_section *section, const struct pario_picture *picture,
				uint32_t axes, size_t most,
				void (*draw)(struct pario_section *section,
					     const struct pario_picture *picture,
					     const struct pario_small_multiple *multiple, size_t x),
				size_t x);

/* Does group i belong to this small multiple? */
bool pario_small_multiple_has(const struct pario_section *section,
			      const struct pario_small_multiple *multiple, size_t i);

/* Number, spread, flags and reason of a group into a mark. */
void pario_small_multiple_fill(struct pario_chart *chart, struct pario_mark *mark,
			       const struct pario_group *group);

/* "bandwidth, MiB/s", "operations, ops/s", or the test's own number where it has one. */
struct pario_chart_axis pario_small_multiple_axis(const struct pario_section *section,
						  const struct pario_small_multiple *multiple);

/* The n-th different unit of the section's numbers; NULL when there are fewer. */
const char *pario_small_multiple_unit(const struct pario_section *section, size_t n);

/* What goes to a mark for this number: times are drawn in seconds. */
double pario_small_multiple_value(const struct pario_group *group, double number);

/* Begins a chart with the small multiple's title and the picture's text. */
void pario_small_multiple_chart(struct pario_chart *chart, enum pario_chart_kind kind,
				const struct pario_section *section,
				const struct pario_picture *picture,
				const struct pario_small_multiple *multiple, const char *title);

/* The series that group i belongs to, named after these dimensions. */
unsigned pario_small_multiple_series(struct pario_chart *chart, const struct pario_section *section,
				     size_t i, uint32_t dims);

#endif
