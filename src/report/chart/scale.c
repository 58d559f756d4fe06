/*
 * scale: linear axes step by 1, 2 or 5 times a power of ten, logarithmic ones by powers of ten, or of
 * two where bytes are counted.
 */
#include "report/chart/scale.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

void pario_scale_init(struct pario_scale *scale, const struct pario_chart_axis *axis)
{
	*scale = (struct pario_scale){ .axis = axis, .min = INFINITY, .max = -INFINITY };
}

void pario_scale_take(struct pario_scale *scale, double value)
{
	if (!isfinite(value) || (scale->axis->scale == PARIO_SCALE_LOG && value <= 0))
		return;
	scale->min = fmin(scale->min, value);
	scale->max = fmax(scale->max, value);
	for (size_t i = 0; i < scale->own_count; i++) {
		if (scale->own[i] == value)
			return;
	}
	if (scale->own_count < PARIO_SCALE_OWN)
		scale->own[scale->own_count++] = value;
}

#define LARGEST 1e150 /* what an axis shows; journals may say more */

static double linear_step(double span, size_t wanted)
{
	double raw = span / (double)(wanted ? wanted : 1), power = pow(10, floor(log10(raw)));
	double part = raw / power;

	return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void settle_linear(struct pario_scale *s)
{
	double step;

	/* What is far too small for a step to be cut from it is none. */
	s->min = fabs(s->min) < 1 / LARGEST ? 0 : s->min;
	s->max = fabs(s->max) < 1 / LARGEST ? 0 : s->max;
	if (s->axis->zero) {
		s->min = fmin(s->min, 0);
		s->max = fmax(s->max, 0);
	}
	if (s->min == s->max) {
		s->min -= s->min == 0 || s->axis->zero ? 0 : fabs(s->min) / 2;
		s->max += s->max == 0 ? 1 : fabs(s->max) / 2;
	}
	step = linear_step(s->max - s->min, 5);
	if (s->axis->zero && s->max > 0)
		s->max = ceil(s->max / step * 1.02) * step;
}

void pario_scale_settle(struct pario_scale *s)
{
	size_t count = s->axis->tick_count;

	if (s->axis->scale == PARIO_SCALE_CATEGORY) {
		s->min = -0.5;
		s->max = (double)(count ? count : 1) - 0.5;
		return;
	}
	if (s->axis->scale == PARIO_SCALE_CUSTOM && count) {
		s->min = s->axis->tick[0].value;
		s->max = s->axis->tick[count - 1].value;
		return;
	}
	if (s->min > s->max)
		s->min = s->max = 1;
	/* A margin must not turn a number into an infinity, nor one of a logarithm's into 0. */
	s->min = fmax(fmin(s->min, LARGEST),
		      s->axis->scale == PARIO_SCALE_LOG ? 1 / LARGEST : -LARGEST);
	s->max = fmax(fmin(s->max, LARGEST), s->min);
	if (s->axis->scale == PARIO_SCALE_LOG) {
		double capacity = s->min == s->max ? 2 : pow(s->max / s->min, 0.03);

		s->min /= capacity;
		s->max *= capacity;
	} else {
		settle_linear(s);
	}
}

static double custom_place(const struct pario_chart_axis *axis, double value)
{
	for (size_t i = 1; i < axis->tick_count; i++) {
		const struct pario_chart_tick *a = &axis->tick[i - 1], *b = &axis->tick[i];

		if (value >= a->value && value <= b->value && b->value > a->value)
			return a->place +
			       (b->place - a->place) * (value - a->value) / (b->value - a->value);
	}
	return NAN;
}

double pario_scale_place(const struct pario_scale *s, double value)
{
	if (s->axis->scale == PARIO_SCALE_CUSTOM)
		return custom_place(s->axis, value);
	if (s->axis->scale == PARIO_SCALE_LOG)
		return value > 0 ? log(value / s->min) / log(s->max / s->min) : NAN;
	return (value - s->min) / (s->max - s->min);
}

/* Powers of `base`; where they are few, also what lies between them. */
static size_t log_ticks(const struct pario_scale *s, double base, size_t wanted,
			double ticks[PARIO_SCALE_TICKS])
{
	static const double coarse[] = { 1, 2, 5 }, finer[] = { 1, 1.5, 2, 3, 4, 5, 6, 8 };
	double first = floor(log(s->min) / log(base) + 1e-9), last = log(s->max) / log(base);
	double step = fmax(1, ceil((last - first) / (double)wanted));
	double span = last - log(s->min) / log(base);
	const double *between = span < 0.7 ? finer : coarse;
	size_t steps = base != 10 || span >= 2.5 ? 1 : span < 0.7 ? 8 : 3, count = 0;

	for (double e = first; isfinite(e) && e <= last + 1e-9; e += step) {
		for (size_t i = 0; i < steps; i++) {
			double value = between[i] * pow(base, e);

			if (value >= s->min * 0.999 && value <= s->max * 1.001 &&
			    count < PARIO_SCALE_TICKS)
				ticks[count++] = value;
		}
	}
	return count;
}

size_t pario_scale_ticks(const struct pario_scale *s, size_t wanted,
			 double ticks[PARIO_SCALE_TICKS])
{
	const struct pario_chart_axis *axis = s->axis;
	size_t count = 0;
	double step;

	if (axis->scale == PARIO_SCALE_CATEGORY || axis->scale == PARIO_SCALE_CUSTOM) {
		for (size_t i = 0; i < axis->tick_count && count < PARIO_SCALE_TICKS; i++) {
			if (axis->tick[i].label)
				ticks[count++] = axis->tick[i].value;
		}
		return count;
	}
	if (s->prefers_own && s->own_count && s->own_count < PARIO_SCALE_OWN) {
		for (; count < s->own_count; count++) {
			size_t at = count;

			/* Rising: labels are laid out from left to right. */
			for (; at > 0 && ticks[at - 1] > s->own[count]; at--)
				ticks[at] = ticks[at - 1];
			ticks[at] = s->own[count];
		}
		return count;
	}
	if (axis->scale == PARIO_SCALE_LOG)
		return log_ticks(s, axis->format == PARIO_FORMAT_BYTES ? 2 : 10, wanted, ticks);
	step = linear_step(s->max - s->min, wanted);
	for (double i = ceil(s->min / step - 1e-9);
	     i * step <= s->max + step * 1e-9 && count < PARIO_SCALE_TICKS; i++)
		ticks[count++] = i * step;
	return count;
}

const char *pario_scale_label(const struct pario_chart_axis *axis, double value,
			      char buf[PARIO_UNITS_CAPACITY])
{
	if (axis->scale == PARIO_SCALE_CATEGORY || axis->scale == PARIO_SCALE_CUSTOM) {
		for (size_t i = 0; i < axis->tick_count; i++) {
			if (axis->tick[i].value == value && axis->tick[i].label)
				return axis->tick[i].label;
		}
	}
	if (!isfinite(value)) {
		snprintf(buf, PARIO_UNITS_CAPACITY, "–");
		return buf;
	}
	if (axis->format == PARIO_FORMAT_BYTES && value >= 0 && value < 0x1p63)
		return pario_units_size(buf, (uint64_t)(value + 0.5));
	if (axis->format == PARIO_FORMAT_SECONDS)
		return pario_units_time(buf, value);
	if (axis->format == PARIO_FORMAT_MOMENT && fabs(value) < 0x1p40) {
		time_t moment = (time_t)value;
		struct tm at;

		if (gmtime_r(&moment, &at) &&
		    strftime(buf, PARIO_UNITS_CAPACITY, "%Y-%m-%d %H:%M", &at) > 0)
			return buf;
	}
	if (fabs(value) >= 1e6)
		return pario_units_count(buf, value);
	return pario_units_number(buf, value);
}
