/*
 * course: how the rate went within a phase, of all clients together and of single ones.
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/page/detail.h"

/* Of a journal that pario did not write; clients in one picture; pictures in view, and in all. */
enum { STEPS_MAX = 1000, CLIENTS_MAX = 8, PICTURES_SHOWN = 2, PICTURES_MAX = 12 };

static struct pario_chart_axis time_axis(void)
{
	return (struct pario_chart_axis){ .title = "time since the start",
					  .format = PARIO_FORMAT_SECONDS };
}

static const char *unit_of(const json_t *detail)
{
	const char *unit = json_string_value(json_object_get(detail, "unit"));

	/* Titles are not copied, and the detail does not last. */
	return unit && strcmp(unit, "ops/s") == 0 ? "ops/s" : "MiB/s";
}

static double step_of(const json_t *over)
{
	double step = json_number_value(json_object_get(over, "step_s"));

	return isfinite(step) && step > 0 ? step : (double)NAN;
}

/* ---- all clients ---- */

static void one_course(struct pario_section *s, const struct pario_picture *p,
		       const struct pario_small_multiple *f, size_t x)
{
	struct pario_chart chart;

	(void)x;
	pario_small_multiple_chart(&chart, PARIO_CHART_LINE, s, p, f, p->title);
	chart.x = time_axis();
	chart.y = (struct pario_chart_axis){ .title = "rate", .zero = true };
	for (size_t i = 0; i < s->count; i++) {
		const struct pario_reading *r =
			pario_small_multiple_has(s, f, i)
				? pario_group_typical(s->groups, s->group[i])
				: NULL;
		json_t *detail = r ? pario_reading_detail(r) : NULL;
		const json_t *over = json_object_get(detail, "over_time");
		const json_t *rates = json_object_get(over, "rates");
		double step = step_of(over);
		unsigned series;

		if (json_array_size(rates) && isfinite(step)) {
			chart.y.unit = unit_of(detail);
			series = pario_small_multiple_series(&chart, s, i, f->series);
			for (size_t k = 0; k < json_array_size(rates) && k < STEPS_MAX; k++)
				pario_chart_mark(&chart, series, step * ((double)k + 0.5),
						 pario_detail_number(rates, k));
		}
		json_decref(detail);
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

void pario_picture_course(struct pario_section *s, const struct pario_picture *p)
{
	pario_small_multiples_each(s, p, 0, PARIO_SMALL_MULTIPLES_SERIES, one_course, 0);
}

/* ---- single clients ---- */

/* The list is slowest first; of many, some from either end. */
static void add_clients(struct pario_chart *chart, const json_t *over)
{
	const json_t *clients = json_object_get(over, "clients");
	size_t count = json_array_size(clients), shown = count < CLIENTS_MAX ? count : CLIENTS_MAX;
	double step = step_of(over);
	char name[64];

	for (size_t c = 0; isfinite(step) && c < shown; c++) {
		size_t at = c < shown / 2 ? c : count - shown + c;
		const json_t *one = json_array_get(clients, at);
		const json_t *rates = json_object_get(one, "rates");
		unsigned series;

		snprintf(name, sizeof(name), "client %lld%s",
			 (long long)json_integer_value(json_object_get(one, "client")),
			 at == 0	   ? ", slowest"
			 : at == count - 1 ? ", fastest"
					   : "");
		series = pario_chart_series(chart, name);
		for (size_t k = 0; k < json_array_size(rates) && k < STEPS_MAX; k++)
			pario_chart_mark(chart, series, step * ((double)k + 0.5),
					 pario_detail_number(rates, k));
	}
}

static void draw_clients(struct pario_section *s, const struct pario_picture *p, size_t i,
			 const json_t *detail, size_t *drawn)
{
	const json_t *over = json_object_get(detail, "over_time");
	struct pario_text title = { 0 };
	struct pario_chart chart;

	if (json_array_size(json_object_get(over, "clients")) < 2)
		return;
	pario_text_add(&title, "%s: %s", p->title, s->group[i]->first->phase);
	pario_text_add(&title, " ");
	pario_section_name(s, i, ~pario_dim_bit(PARIO_DIM_PHASE), &title);
	pario_chart_init(&chart, PARIO_CHART_LINE, pario_text_string(&title));
	pario_chart_text(&chart, p->text);
	chart.x = time_axis();
	chart.y = (struct pario_chart_axis){ .title = "rate of one client",
					     .unit = unit_of(detail),
					     .zero = true };
	add_clients(&chart, over);
	pario_table_chart_turn(s, drawn, PICTURES_SHOWN);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&title);
}

void pario_picture_client_courses(struct pario_section *s, const struct pario_picture *p)
{
	size_t drawn = 0;

	for (size_t i = 0; i < s->count && drawn < PICTURES_MAX; i++) {
		const struct pario_reading *r = pario_group_typical(s->groups, s->group[i]);
		json_t *detail = r && r->clients > 1 ? pario_reading_detail(r) : NULL;

		draw_clients(s, p, i, detail, &drawn);
		json_decref(detail);
	}
	pario_table_chart_done(s, drawn, PICTURES_SHOWN);
}
