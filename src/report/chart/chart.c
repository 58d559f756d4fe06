/*
 * chart: builds a chart: its texts, series, marks, ticks and notes.
 */
#include "report/chart/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Two decades. */
#define WIDE 100

static char *copy(struct pario_chart *chart, const char *text)
{
	char *mine = text ? strdup(text) : NULL;

	chart->failed |= text && !mine;
	return mine;
}

void pario_chart_init(struct pario_chart *chart, enum pario_chart_kind kind, const char *title)
{
	*chart = (struct pario_chart){ .kind = kind };
	chart->title = copy(chart, title);
}

void pario_chart_text(struct pario_chart *chart, const char *text)
{
	free(chart->text);
	chart->text = copy(chart, text);
}

static void release_axis(struct pario_chart_axis *axis)
{
	for (size_t i = 0; i < axis->tick_count; i++)
		free(axis->tick[i].label);
	free(axis->tick);
}

void pario_chart_release(struct pario_chart *chart)
{
	for (size_t i = 0; i < chart->series_count; i++) {
		for (size_t k = 0; k < chart->series[i].count; k++)
			free(chart->series[i].mark[k].note);
		free(chart->series[i].mark);
		free(chart->series[i].name);
	}
	free(chart->series);
	free(chart->scrap.note);
	free(chart->title);
	free(chart->text);
	release_axis(&chart->x);
	release_axis(&chart->y);
	*chart = (struct pario_chart){ 0 };
}

unsigned pario_chart_series(struct pario_chart *chart, const char *name)
{
	struct pario_series *more;

	for (size_t i = 0; i < chart->series_count; i++) {
		if (chart->series[i].name && strcmp(chart->series[i].name, name) == 0)
			return (unsigned)i;
	}
	more = realloc(chart->series, (chart->series_count + 1) * sizeof(*more));
	if (!more) {
		chart->failed = true;
		return 0;
	}
	chart->series = more;
	more[chart->series_count] = (struct pario_series){ .name = copy(chart, name) };
	return (unsigned)chart->series_count++;
}

static const struct pario_mark blank = {
	.x = NAN,
	.y = NAN,
	.low = NAN,
	.high = NAN,
	.z = NAN,
	.x_end = NAN,
	.y_end = NAN,
	.q = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN },
};

struct pario_mark *pario_chart_mark(struct pario_chart *chart, unsigned series, double x, double y)
{
	struct pario_mark *mark = &chart->scrap;
	struct pario_series *s = series < chart->series_count ? &chart->series[series] : NULL;

	if (s && pario_grow(s->mark, s->count, s->capacity))
		mark = &s->mark[s->count++];
	else
		chart->failed = true;
	if (mark == &chart->scrap)
		free(mark->note);
	*mark = blank;
	mark->x = x;
	mark->y = y;
	return mark;
}

void pario_chart_note(struct pario_chart *chart, struct pario_mark *mark, const char *note)
{
	free(mark->note);
	mark->note = copy(chart, note);
}

static double add_tick(struct pario_chart *chart, struct pario_chart_axis *axis, double value,
		       double place, const char *label)
{
	struct pario_chart_tick *more = realloc(axis->tick, (axis->tick_count + 1) * sizeof(*more));

	if (!more) {
		chart->failed = true;
		return 0;
	}
	axis->tick = more;
	more[axis->tick_count++] = (struct pario_chart_tick){ value, place, copy(chart, label) };
	return value;
}

double pario_chart_category(struct pario_chart *chart, struct pario_chart_axis *axis,
			    const char *label)
{
	for (size_t i = 0; i < axis->tick_count; i++) {
		if (axis->tick[i].label && strcmp(axis->tick[i].label, label) == 0)
			return (double)i;
	}
	return add_tick(chart, axis, (double)axis->tick_count, 0, label);
}

void pario_chart_anchor(struct pario_chart *chart, struct pario_chart_axis *axis, double value,
			double place, const char *label)
{
	add_tick(chart, axis, value, place, label);
}

void pario_chart_log_where_wide(struct pario_chart *chart)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < chart->series_count; i++) {
		for (size_t k = 0; k < chart->series[i].count; k++) {
			const struct pario_mark *m = &chart->series[i].mark[k];

			low = fmin(low, fmin(m->y, isfinite(m->low) ? m->low : m->y));
			high = fmax(high, m->y);
		}
	}
	if (chart->y.scale != PARIO_SCALE_LINEAR || !(low > 0) || !(high >= WIDE * low))
		return;
	chart->y.scale = PARIO_SCALE_LOG;
	chart->y.zero = false;
}

size_t pario_chart_flagged(const struct pario_chart *chart, unsigned flags)
{
	size_t count = 0;

	for (size_t i = 0; i < chart->series_count; i++) {
		for (size_t k = 0; k < chart->series[i].count; k++)
			count += (chart->series[i].mark[k].flags & flags) != 0;
	}
	return count;
}
