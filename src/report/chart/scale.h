/*
 * scale: where a value stands on an axis, and which values get a tick.
 */
#ifndef PARIO_REPORT_CHART_SCALE_H
#define PARIO_REPORT_CHART_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"
#include "report/chart/chart.h"

enum { PARIO_SCALE_TICKS = 64, PARIO_SCALE_OWN = 9 };

struct pario_scale {
	const struct pario_chart_axis *axis;
	double min, max; /* of what is shown; min < max once settled */
	/* The different values taken, while they are few: they make better ticks than round numbers. */
	double own[PARIO_SCALE_OWN];
	size_t own_count;
	bool prefers_own;
};

/* Begins with nothing to show; values that the scale cannot show are passed over. */
void pario_scale_init(struct pario_scale *scale, const struct pario_chart_axis *axis);
void pario_scale_take(struct pario_scale *scale, double value);
void pario_scale_settle(struct pario_scale *scale);

/* 0..1 along the axis; NaN for what it cannot show. */
double pario_scale_place(const struct pario_scale *scale, double value);

/*
 * The ticks, at most PARIO_SCALE_TICKS of them; about `wanted` where the axis leaves a choice. With prefers_own set and
 * few different values, those values.
 */
size_t pario_scale_ticks(const struct pario_scale *scale, size_t wanted,
			 double ticks[PARIO_SCALE_TICKS]);

/* A value as the axis writes it; fills and returns buf. Categories give their label. */
const char *pario_scale_label(const struct pario_chart_axis *axis, double value,
			      char buf[PARIO_UNITS_CAPACITY]);

#endif
