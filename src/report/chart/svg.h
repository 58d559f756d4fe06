/*
 * svg: draws a chart: frame, axes, marks. Colours come from the page's style by class, so that the same drawing fits
 * light, dark and paper.
 */
#ifndef PARIO_REPORT_CHART_SVG_H
#define PARIO_REPORT_CHART_SVG_H

#include "report/chart/figure.h"
#include "report/chart/scale.h"

/* The drawing area: h runs to the right, v upwards (downwards where rows are listed). */
struct pario_drawing {
	struct pario_text *out;
	const struct pario_chart *chart;
	struct pario_palette *palette;
	struct pario_scale h, v;
	bool rows;   /* v lists rows from the top */
	bool titles; /* each mark says its value to the pointer; left out where there are many */
	double left, top, width, height; /* of the plot within the picture */
	double full_width, full_height;
};

/* `empty`: the frame in its size, which the script fills. */
void pario_svg_add(struct pario_canvas *canvas, const struct pario_chart *chart, bool empty);

/* True for pictures that take the whole width of the page. */
bool pario_svg_broad(const struct pario_chart *chart);

/* Class words of a series: colour, shape and dashes. */
void pario_svg_class(struct pario_text *out, size_t index);

/* ---- glyphs.c: what stands inside the frame ---- */
void pario_glyphs_add(struct pario_drawing *d);

double pario_drawing_h(const struct pario_drawing *d, double value);
double pario_drawing_v(const struct pario_drawing *d, double value);

/* Colour step of a heat map's value, 0..8, -1 for none. */
int pario_glyphs_heat_step(double low, double high, bool logarithmic, double value);
void pario_glyphs_heat_range(const struct pario_chart *chart, double *low, double *high);

#endif
