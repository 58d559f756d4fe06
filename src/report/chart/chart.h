/*
 * chart: a picture as data. Fill one of these, and the report draws it, writes the table behind it, gives it a text
 * alternative and makes it live in the browser (figure.h). A new picture needs no drawing code:
 *
 *	struct pario_chart chart;
 *	unsigned s;
 *
 *	pario_chart_init(&chart, PARIO_CHART_LINE, "Bandwidth over transfer size");
 *	chart.x = (struct pario_chart_axis){ .title = "transfer size", .unit = "bytes",
 *					     .scale = PARIO_SCALE_LOG, .format = PARIO_FORMAT_BYTES };
 *	chart.y = (struct pario_chart_axis){ .title = "bandwidth", .unit = "MiB/s", .zero = true };
 *	s = pario_chart_series(&chart, "write");
 *	pario_chart_mark(&chart, s, 4096, 211.5);
 *	m = pario_chart_mark(&chart, s, 65536, 890.0);
 *	m->low = 850, m->high = 912, m->flags = PARIO_MARK_SUSPECT;
 *	pario_figure_add(&page, &chart);
 *	pario_chart_release(&chart);
 *
 * Kinds, and what a mark means in each:
 *
 *	LINE	(x, y) joined in rising x per series; low..high is the spread of y.
 *	BAR	one bar per series at category x, of height y; low..high is the spread.
 *	HEAT	the cell in column x, row y (both axes categories) has the value z; one series.
 *	BOX	lying: one row per mark. y is the row's category, q[] are the quantiles named in `quantiles`
 *		along x; whiskers reach from the first to the last, the box from `box_from` to `box_to`.
 *	SPAN	a rectangle from (x, y) to (x_end, y_end). With a category y, y_end is not used: the bar fills
 *		its row (a timeline, rank by time). With two linear axes: areas in a plane (tiles, file regions).
 *
 * Scales: LINEAR, LOG (values must be > 0; others are left out and counted in the table), CATEGORY (values are indices
 * made by pario_chart_category), CUSTOM: anchors give places between 0 and 1 to values, linear in between, as in
 * b_eff's axis of two scales. Every number that is NaN is "not measured": no mark is drawn, the table shows a dash.
 *
 * Flags travel with the mark into picture, table and text alternative. Set PARIO_MARK_SUSPECT for every number that has
 * a reason to be doubted, PARIO_MARK_FAILED (y may be NaN) for what has no number.
 *
 * Text handed in is copied, may hold anything, and is escaped when it is written. An allocation failure is remembered
 * in `failed`, and later calls do nothing.
 */
#ifndef PARIO_REPORT_CHART_CHART_H
#define PARIO_REPORT_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>

enum pario_chart_kind {
	PARIO_CHART_LINE,
	PARIO_CHART_BAR,
	PARIO_CHART_HEAT,
	PARIO_CHART_BOX,
	PARIO_CHART_SPAN,
};

enum pario_chart_scale {
	PARIO_SCALE_LINEAR,
	PARIO_SCALE_LOG,
	PARIO_SCALE_CATEGORY,
	PARIO_SCALE_CUSTOM,
};

/* How values are written at ticks, in tables and under the pointer. */
enum pario_chart_format {
	PARIO_FORMAT_NUMBER,  /* "1 412", "38.1 k" */
	PARIO_FORMAT_BYTES,   /* "64 KiB" */
	PARIO_FORMAT_SECONDS, /* "3.5 ms" */
	PARIO_FORMAT_MOMENT,  /* seconds since 1970: "2026-11-17 08:03", in UTC */
};

struct pario_chart_tick {
	double value;
	double place; /* CUSTOM: 0..1 along the axis */
	char *label;  /* NULL: an anchor without a tick */
};

struct pario_chart_axis {
	const char *title, *unit; /* not copied; unit may be NULL */
	enum pario_chart_scale scale;
	enum pario_chart_format format;
	bool zero;		       /* LINEAR: the axis begins at 0 */
	struct pario_chart_tick *tick; /* CATEGORY and CUSTOM; made by the functions below */
	size_t tick_count;
};

enum pario_mark_flags {
	PARIO_MARK_SUSPECT = 1,
	PARIO_MARK_FAILED = 2,
};

enum { PARIO_CHART_QUANTILES = 8 };

struct pario_mark {
	double x, y;
	double low, high;		 /* spread of y; NaN = none known */
	double z;			 /* HEAT */
	double x_end, y_end;		 /* SPAN */
	double q[PARIO_CHART_QUANTILES]; /* BOX */
	size_t samples;			 /* repetitions behind it, 0 = not said */
	unsigned flags;
	char *note; /* shown with the mark: why it is suspect; set by pario_chart_note */
};

enum pario_series_flags {
	PARIO_SERIES_GUIDE = 1,	 /* a thin dashed line without marks: an ideal, a fit, a limit */
	PARIO_SERIES_POINTS = 2, /* marks that no line joins */
};

struct pario_series {
	char *name; /* the same name has the same colour on the whole page */
	unsigned flags;
	unsigned
		like; /* GUIDE: 1 + the series whose law it is: its colour, hidden with it, no key; 0 = none */
	struct pario_mark *mark;
	size_t count, capacity;
};

struct pario_chart {
	enum pario_chart_kind kind;
	char *title;
	char *text; /* one or two sentences below the title: what to look for; NULL = none */
	struct pario_chart_axis x, y;
	const char *z_title, *z_unit; /* HEAT: what the colour means */
	bool z_log;
	unsigned
		lanes; /* SPAN by rows: low..high of a mark is its part of the row, 0 = top, 1 = bottom; 0: all of it */
	double z_low, z_high;	      /* the range of the colours; both 0 = that of the marks */
	const char *const *quantiles; /* BOX: names of q[], NULL-terminated */
	unsigned box_from, box_to;
	struct pario_series *series;
	size_t series_count;
	bool failed;
	struct pario_mark scrap; /* handed out when there is no memory */
};

void pario_chart_init(struct pario_chart *chart, enum pario_chart_kind kind, const char *title);
void pario_chart_release(struct pario_chart *chart);
void pario_chart_text(struct pario_chart *chart, const char *text);

/* The series of this name, made when it is new. */
unsigned pario_chart_series(struct pario_chart *chart, const char *name);

/* A new mark with everything else unset; never NULL; valid until the next one is made. */
struct pario_mark *pario_chart_mark(struct pario_chart *chart, unsigned series, double x, double y);
void pario_chart_note(struct pario_chart *chart, struct pario_mark *mark, const char *note);

/* The value of a category (0, 1, 2 ...), made when it is new. The axis is one of the chart's. */
double pario_chart_category(struct pario_chart *chart, struct pario_chart_axis *axis,
			    const char *label);

/* CUSTOM: a value, its place and its label (NULL = no tick). Anchors come in rising order. */
void pario_chart_anchor(struct pario_chart *chart, struct pario_chart_axis *axis, double value,
			double place, const char *label);

/* Makes the y axis logarithmic when all numbers on it are positive and span two decades: else the small ones vanish. */
void pario_chart_log_where_wide(struct pario_chart *chart);

/* How many marks carry any of the flags. */
size_t pario_chart_flagged(const struct pario_chart *chart, unsigned flags);

#endif
