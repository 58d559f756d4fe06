/*
 * figure: a chart on a page: caption, legend, inline SVG, the table behind it, and the same data for the script.
 */
#ifndef PARIO_REPORT_CHART_FIGURE_H
#define PARIO_REPORT_CHART_FIGURE_H

#include <stddef.h>

#include "base/text.h"
#include "report/chart/chart.h"

/* Names of series in the order of their first appearance: the same name keeps its colour and shape. */
struct pario_palette {
	char **name;
	size_t count;
};

/* Colours repeat after this many; shape and dashes differ then. */
enum { PARIO_PALETTE_COLOURS = 8 };

size_t pario_palette_index(struct pario_palette *palette, const char *name);
/* The colour of a series of a chart; a guide takes that of the series it belongs to and none of its own. */
size_t pario_palette_series(struct pario_palette *palette, const struct pario_chart *chart,
			    const struct pario_series *series);
void pario_palette_release(struct pario_palette *palette);

/* Where a page is being written. */
struct pario_canvas {
	struct pario_text *out;
	struct pario_palette palette;
	unsigned figures; /* written so far: numbers of their ids */
	bool late; /* figures are left for the script to draw; who has none sees their tables */
	struct pario_text *first; /* not NULL: the first figure goes here, drawn */
};

/* One chart, complete. A chart without marks writes nothing. */
void pario_figure_add(struct pario_canvas *canvas, const struct pario_chart *chart);

#endif
