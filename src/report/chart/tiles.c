/*
 * tiles: which part of a data set each client moves (tests/tile.c says how they are laid out).
 */
#include "report/chart/pictures.h"

#include <stdio.h>

#include "base/units.h"

/* ---- tiles ---- */

static double param(const struct pario_section *s, size_t i, const char *name)
{
	uint64_t value = 0;

	pario_units_parse_size("",
			       pario_reading_param(s->groups->archive, s->group[i]->first, name),
			       &value, NULL);
	return (double)value;
}

void pario_picture_tiles(struct pario_section *s, const struct pario_picture *p)
{
	double low, high, width, height, wide, tall, over_x, over_y;
	struct pario_chart chart;
	uint64_t clients;

	if (!s->count)
		return;
	wide = param(s, 0, "sz_tile_x");
	tall = param(s, 0, "sz_tile_y");
	over_x = param(s, 0, "overlap_x");
	over_y = param(s, 0, "overlap_y");
	width = pario_group_amount(s->groups, s->group[0], "width", &low, &high);
	height = pario_group_amount(s->groups, s->group[0], "height", &low, &high);
	clients = s->group[0]->first->of->clients;
	if (!(width >= wide) || !(height >= tall) || !(wide > over_x) || !(tall > over_y))
		return;
	pario_chart_init(&chart, PARIO_CHART_SPAN, p->title);
	pario_chart_text(&chart, p->text);
	chart.x = (struct pario_chart_axis){ .title = "column", .unit = "elements" };
	chart.y = (struct pario_chart_axis){ .title = "row", .unit = "elements" };
	for (uint64_t c = 0; c < clients && c < 256; c++) {
		uint64_t nx = (uint64_t)((width - over_x) / (wide - over_x) + 0.5);
		double x = (double)(c % (nx ? nx : 1)) * (wide - over_x);
		double y = (double)(c / (nx ? nx : 1)) * (tall - over_y);
		char name[32];
		struct pario_mark *m;

		if (y + tall > height)
			break;
		snprintf(name, sizeof(name), "client %llu", (unsigned long long)c);
		m = pario_chart_mark(&chart, pario_chart_series(&chart, name), x, y);
		m->x_end = x + wide;
		m->y_end = y + tall;
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}
