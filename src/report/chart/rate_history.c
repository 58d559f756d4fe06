/*
 * rate_history: how the rate went within a phase, of all clients together and of single ones.
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/page/detail.h"

/* Of a journal that pario did not write; clients in one picture; pictures in view, and in all. */
enum { STEPS_MAX = 1000, CLIENTS_MAX = 8, PICTURES_SHOWN = 4, PICTURES_MAX = 24 };

static void add_history(struct pario_chart *chart, const char *name, const json_t *rates,
			double step)
{
	unsigned series = pario_chart_series(chart, name);

	for (size_t k = 0; k < json_array_size(rates) && k < STEPS_MAX; k++)
		pario_chart_mark(chart, series, step * ((double)k + 0.5),
				 pario_detail_number(rates, k));
}

/* The list is slowest first; of many, some from either end. */
static void add_clients(struct pario_chart *chart, const json_t *clients, double step)
{
	size_t count = json_array_size(clients), shown = count < CLIENTS_MAX ? count : CLIENTS_MAX;
	char name[64];

	for (size_t c = 0; c < shown; c++) {
		size_t at = c < shown / 2 ? c : count - shown + c;
		const json_t *one = json_array_get(clients, at);

		snprintf(name, sizeof(name), "client %lld%s",
			 (long long)json_integer_value(json_object_get(one, "client")),
			 at == 0	   ? ", slowest"
			 : at == count - 1 ? ", fastest"
					   : "");
		add_history(chart, name, json_object_get(one, "rates"), step);
	}
}

static void draw(struct pario_section *s, const struct pario_picture *p, size_t i,
		 const json_t *detail, size_t *drawn)
{
	const json_t *over = json_object_get(detail, "over_time");
	double step = json_number_value(json_object_get(over, "step_s"));
	const char *unit = json_string_value(json_object_get(detail, "unit"));
	struct pario_text title = { 0 };
	struct pario_chart chart;

	if (!over || !isfinite(step) || !(step > 0))
		return;
	pario_text_add(&title, "%s: %s ", p->title, s->group[i]->first->of->phase);
	pario_section_name(s, i, ~pario_dim_bit(PARIO_DIM_PHASE), &title);
	pario_chart_init(&chart, PARIO_CHART_LINE, pario_text_string(&title));
	pario_chart_text(&chart, p->text);
	chart.x = (struct pario_chart_axis){ .title = "time since the start",
					     .format = PARIO_FORMAT_SECONDS };
	/* A unit is not copied, and the detail does not last. */
	chart.y = (struct pario_chart_axis){ .title = "rate",
					     .unit = unit && strcmp(unit, "ops/s") == 0 ? "ops/s"
											: "MiB/s",
					     .zero = true };
	add_history(&chart, "all clients", json_object_get(over, "rates"), step);
	add_clients(&chart, json_object_get(over, "clients"), step);
	pario_table_chart_turn(s, drawn, PICTURES_SHOWN);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&title);
}

void pario_picture_rate_history(struct pario_section *s, const struct pario_picture *p)
{
	size_t drawn = 0;

	for (size_t i = 0; i < s->count && drawn < PICTURES_MAX; i++) {
		const struct pario_reading *r = pario_group_typical(s->groups, s->group[i]);
		json_t *detail = r ? pario_reading_detail(r) : NULL;

		draw(s, p, i, detail, &drawn);
		json_decref(detail);
	}
	pario_table_chart_done(s, drawn, PICTURES_SHOWN);
}
