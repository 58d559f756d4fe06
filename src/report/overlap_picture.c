/*
 * overlap_picture: T_OH and time per operation against 1/B, with the fitted lines, as the paper's figures 1 to 4.
 *
 * Two rows of panels, one column for each phase that was measured: above the overhead per sector, below the elapsed
 * time per sector when waiting. x is 1/B in sectors, so that a law is a straight line whose intercept is the cost of a
 * sector and whose slope is the cost of a call. A panel's height is its largest value whose error is not endless.
 */
#include "report/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 420,
	HEIGHT = 300,
	LEFT = 70,
	TOP = 40,
	GAP = 90,
	LEGEND = 18, /* height of a line of it */
};

static const char *const phases[] = { "read", "write", "both" };

/* Colours that stay apart for most eyes; beyond twelve they come again. */
static const char *const colours[] = { "#1f77b4", "#d62728", "#2ca02c", "#9467bd",
				       "#ff7f0e", "#17becf", "#8c564b", "#e377c2",
				       "#7f7f7f", "#bcbd22", "#003f5c", "#a05195" };

struct panel {
	double x0, y0, xmax, ymax;
	bool overhead;
};

static struct pario_estimate height(const struct pario_overlap_case *c, size_t i, bool overhead)
{
	const struct pario_overlap_point *p = &c->point[i];
	double per = c->sector / p->size / 1e3;

	if (overhead)
		return (struct pario_estimate){ p->difference_ns.value / 1e3,
						p->difference_ns.error / 1e3 };
	return (struct pario_estimate){ p->sync_op_ns.value * per, p->sync_op_ns.error * per };
}

static double x_of(const struct panel *panel, double x)
{
	return panel->x0 + x / panel->xmax * WIDTH;
}

static double y_of(const struct panel *panel, double y)
{
	double share = y / panel->ymax;

	return panel->y0 + HEIGHT - fmin(fmax(share, -0.05), 1.05) * HEIGHT;
}

static void scale(struct panel *panel, const struct pario_overlap_case *cases, size_t n,
		  const char *phase)
{
	panel->xmax = panel->ymax = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; strcmp(cases[i].phase, phase) == 0 && k < cases[i].points; k++) {
			struct pario_estimate e = height(&cases[i], k, panel->overhead);

			panel->xmax = fmax(panel->xmax, cases[i].sector / cases[i].point[k].size);
			/* One wild point must not flatten the others. */
			if (isfinite(e.value) && e.error < fabs(e.value))
				panel->ymax = fmax(panel->ymax, e.value);
		}
	panel->xmax = panel->xmax > 0 ? 1.05 * panel->xmax : 1;
	panel->ymax = panel->ymax > 0 ? 1.1 * panel->ymax : 1;
}

static void frame(struct pario_text *out, const struct panel *panel, const char *phase)
{
	pario_text_add(out,
		       "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" fill=\"none\" "
		       "stroke=\"#888\"/>\n"
		       "<text x=\"%.0f\" y=\"%.0f\">%s: %s, us per sector</text>\n"
		       "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">1/B (sectors)</text>\n",
		       panel->x0, panel->y0, WIDTH, HEIGHT, panel->x0, panel->y0 - 10, phase,
		       panel->overhead ? "T_OH" : "elapsed when waiting", panel->x0 + WIDTH / 2.0,
		       panel->y0 + HEIGHT + 32);
	for (int i = 0; i <= 4; i++) {
		double x = panel->xmax * i / 4, y = panel->ymax * i / 4;

		pario_text_add(out,
			       "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%.2g</text>\n"
			       "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%.3g</text>\n",
			       x_of(panel, x), panel->y0 + HEIGHT + 16, x, panel->x0 - 6,
			       y_of(panel, y) + 4, y);
	}
}

static void segment(struct pario_text *out, const struct panel *panel, double from, double to,
		    double intercept, double slope, const char *colour)
{
	if (!isfinite(intercept) || !isfinite(slope) || !(to > from))
		return;
	pario_text_add(out,
		       "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
		       x_of(panel, from), y_of(panel, intercept + slope * from), x_of(panel, to),
		       y_of(panel, intercept + slope * to), colour);
}

/* The law in this panel's units; time per operation was fitted against bytes and is turned into time per sector. */
static void law(struct pario_text *out, const struct panel *panel,
		const struct pario_overlap_case *c, const char *colour)
{
	const struct pario_two_lines *two = panel->overhead ? &c->overhead : &c->operation;
	double end = panel->xmax / 1.05, at = panel->overhead ? two->at : c->sector / two->at;
	const struct pario_line *lines[2] = { &two->one, NULL };

	if (two->broken) { /* small x first: of the one law the low line, of the other the high */
		lines[0] = panel->overhead ? &two->low : &two->high;
		lines[1] = panel->overhead ? &two->high : &two->low;
	}
	for (int i = 0; i < 2 && lines[i]; i++) {
		double per_sector = panel->overhead ? lines[i]->intercept.value
						    : lines[i]->slope.value * c->sector;
		double per_call =
			panel->overhead ? lines[i]->slope.value : lines[i]->intercept.value;

		segment(out, panel, i ? at : 0, two->broken && !i ? at : end, per_sector / 1e3,
			per_call / 1e3, colour);
	}
}

static void points(struct pario_text *out, const struct panel *panel,
		   const struct pario_overlap_case *c, const char *colour)
{
	for (size_t i = 0; i < c->points; i++) {
		struct pario_estimate e = height(c, i, panel->overhead);
		double x = x_of(panel, c->sector / c->point[i].size);

		if (!isfinite(e.value))
			continue;
		pario_text_add(out,
			       "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s %.0f "
			       "bytes: %.4g us</title></circle>\n",
			       x, y_of(panel, e.value), colour, c->name, c->point[i].size, e.value);
		if (isfinite(e.error))
			pario_text_add(out,
				       "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
				       "stroke=\"%s\"/>\n",
				       x, y_of(panel, e.value - e.error), x,
				       y_of(panel, e.value + e.error), colour);
	}
}

/* One column; false when the phase was not measured. */
static bool column(struct pario_text *out, const struct pario_overlap_case *cases, size_t n,
		   const char *phase, double x0)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += strcmp(cases[i].phase, phase) == 0;
	for (int row = 0; found && row < 2; row++) {
		struct panel panel = { .x0 = x0,
				       .y0 = TOP + row * (HEIGHT + GAP),
				       .overhead = row == 0 };
		size_t number = 0;

		scale(&panel, cases, n, phase);
		frame(out, &panel, phase);
		for (size_t i = 0; i < n; i++) {
			const char *colour = colours[number % 12];

			if (strcmp(cases[i].phase, phase) != 0)
				continue;
			law(out, &panel, &cases[i], colour);
			points(out, &panel, &cases[i], colour);
			if (row == 1)
				pario_text_add(
					out, "<text x=\"%.0f\" y=\"%.0f\" fill=\"%s\">%s</text>\n",
					x0, panel.y0 + HEIGHT + 60 + LEGEND * (double)number,
					colour, cases[i].name);
			number++;
		}
	}
	return found > 0;
}

static int write_picture(const struct pario_history *history, struct pario_text *out,
			 struct pario_err *err)
{
	struct pario_overlap_case *cases;
	struct pario_text body = { 0 };
	size_t n, columns = 0;

	if (pario_overlap_cases(history, &cases, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < 3; i++)
		columns +=
			column(&body, cases, n, phases[i], LEFT + (double)columns * (WIDTH + GAP));
	pario_text_add(out,
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
		       "font-family=\"sans-serif\" font-size=\"11\">\n"
		       "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n%s</svg>\n",
		       columns * (WIDTH + GAP) + LEFT, TOP + 2 * (HEIGHT + GAP) + LEGEND * (n + 2),
		       pario_text_string(&body));
	pario_text_release(&body);
	free(cases);
	return 0;
}

const struct pario_document pario_overlap_picture = {
	.test = "overlap",
	.file = "overlap.svg",
	.write = write_picture,
};
