/*
 * client_heat: who was slow when? Clients against time, the rate as colour, in the repetition nearest to the median: a
 * dark row is a fast client, a pale column a moment when all of them waited.
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/page/detail.h"

/* So many columns can be told apart on a page. */
enum { FEW = 4, COLUMNS = 48, CLIENTS = 32, PICTURES = 6 };

/* The mean of the steps that a column stands for; NaN where there is none. */
static double mean(const json_t *rates, size_t from, size_t to)
{
	double sum = 0, count = 0;

	for (size_t i = from; i < to; i++) {
		if (isfinite(pario_detail_number(rates, i))) {
			sum += pario_detail_number(rates, i);
			count++;
		}
	}
	return count > 0 ? sum / count : (double)NAN;
}

static size_t longest(const json_t *clients)
{
	size_t most = 0;

	for (size_t i = 0; i < json_array_size(clients) && i < CLIENTS; i++) {
		size_t steps =
			json_array_size(json_object_get(json_array_get(clients, i), "rates"));

		most = steps > most ? steps : most;
	}
	return most;
}

static void add_client(struct pario_chart *chart, unsigned series, const json_t *client,
		       size_t steps, double step)
{
	const json_t *rates = json_object_get(client, "rates");
	size_t columns = steps < COLUMNS ? steps : COLUMNS;
	char name[64];
	double y;

	snprintf(name, sizeof(name), "client %lld",
		 (long long)json_integer_value(json_object_get(client, "client")));
	y = pario_chart_category(chart, &chart->y, name);
	for (size_t i = 0; i < columns; i++) {
		size_t from = i * steps / columns, to = (i + 1) * steps / columns;
		char text[PARIO_UNITS_CAPACITY];
		struct pario_mark *m;
		double x = pario_chart_category(chart, &chart->x,
						pario_units_time(text, step * (double)from));

		m = pario_chart_mark(chart, series, x, y);
		m->z = mean(rates, from, to);
	}
}

static bool draw(struct pario_section *s, const struct pario_picture *p, size_t i,
		 const json_t *detail)
{
	const json_t *over = json_object_get(detail, "over_time");
	const json_t *clients = json_object_get(over, "clients");
	const char *unit = json_string_value(json_object_get(detail, "unit"));
	double step = json_number_value(json_object_get(over, "step_s"));
	size_t steps = longest(clients);
	struct pario_text title = { 0 };
	struct pario_chart chart;
	unsigned series;

	if (json_array_size(clients) < 2 || steps < 2 || !(step > 0) || !isfinite(step))
		return false;
	pario_text_add(&title, "%s: %s ", p->title, s->group[i]->first->of->phase);
	pario_section_name(s, i, ~pario_dim_bit(PARIO_DIM_PHASE), &title);
	pario_chart_init(&chart, PARIO_CHART_HEAT, pario_text_string(&title));
	pario_chart_text(&chart, p->text);
	chart.x = (struct pario_chart_axis){ .title = "time since the start",
					     .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "client", .scale = PARIO_SCALE_CATEGORY };
	chart.z_title = "rate";
	chart.z_unit = unit && strcmp(unit, "ops/s") == 0 ? "ops/s" : "MiB/s";
	series = pario_chart_series(&chart, "rate");
	for (size_t k = 0; k < json_array_size(clients) && k < CLIENTS; k++)
		add_client(&chart, series, json_array_get(clients, k), steps, step);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&title);
	return true;
}

void pario_picture_client_heat(struct pario_section *s, const struct pario_picture *p)
{
	size_t drawn = 0;

	/* Of a sweep the numbers come first: its maps are the row that names an axis. */
	if ((s->count > FEW) != (p->x != NULL))
		return;
	for (size_t i = 0; i < s->count && drawn < PICTURES; i++) {
		const struct pario_reading *r = pario_group_typical(s->groups, s->group[i]);
		json_t *detail = r ? pario_reading_detail(r) : NULL;

		drawn += draw(s, p, i, detail);
		json_decref(detail);
	}
}
