/*
 * table: what the passes of one routine say, as numbers and as text.
 */
#include "tests/overlap/model/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"

#define US 1e3 /* ns */

/* The kernel's timer alone takes about this share of a processor. */
#define INTERRUPTS 0.001

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The different sizes of the passes, ascending. */
static size_t find_sizes(const struct pario_overlap_pass *passes, size_t n, double *sizes)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < count && sizes[k] != passes[i].size)
			k++;
		if (k == count && count < PARIO_OVERLAP_SIZES)
			sizes[count++] = passes[i].size;
	}
	qsort(sizes, count, sizeof(*sizes), by_size);
	return count;
}

static double sync_sector_ns(const struct pario_overlap_case *c,
			     const struct pario_overlap_point *p)
{
	return p->sync_op_ns.value / p->channels / (p->size / c->sector);
}

/*
 * Errors that all points share are not made smaller by fitting. What the procedure costs adds to what is paid per call;
 * interrupts lengthen everything.
 */
static void share_error(struct pario_two_lines *lines, bool slope, double ns)
{
	struct pario_fitted_line *all[] = { &lines->one, &lines->low, &lines->high };

	for (size_t i = 0; i < 3; i++) {
		*(slope ? &all[i]->slope.error : &all[i]->intercept.error) += ns;
		all[i]->slope.error += INTERRUPTS * fabs(all[i]->slope.value);
		all[i]->intercept.error += INTERRUPTS * fabs(all[i]->intercept.value);
	}
}

/*
 * What disturbs passes takes about the same part of their time at all sizes. Few passes tell little of that, and a size
 * where they happened to agree must not draw the line to itself: no error is below the median part of the time.
 */
static void level(const struct pario_overlap_case *c, double *errors)
{
	double part[PARIO_OVERLAP_SIZES];
	size_t n = 0;

	for (size_t i = 0; i < c->points; i++)
		if (isfinite(errors[i] / sync_sector_ns(c, &c->point[i])))
			part[n++] = errors[i] / sync_sector_ns(c, &c->point[i]);
	if (n == 0)
		return;
	part[0] = pario_stats_median(part, n);
	for (size_t i = 0; i < c->points; i++)
		errors[i] = fmax(errors[i], part[0] * sync_sector_ns(c, &c->point[i]));
}

static void fit_laws(struct pario_overlap_case *c, double clock_ns)
{
	double bytes[PARIO_OVERLAP_SIZES], inverse[PARIO_OVERLAP_SIZES], y[4][PARIO_OVERLAP_SIZES],
		e[4][PARIO_OVERLAP_SIZES];

	for (size_t i = 0; i < c->points; i++) {
		const struct pario_overlap_point *p = &c->point[i];

		bytes[i] = p->size;
		inverse[i] = c->sector / p->size;
		y[0][i] = p->sync_op_ns.value;
		e[0][i] = p->sync_op_ns.error;
		y[1][i] = p->difference_ns.value;
		e[1][i] = p->difference_ns.error;
		y[2][i] = p->cpu_ns.value;
		e[2][i] = p->cpu_ns.error;
		y[3][i] = p->sync_op_ns.value / p->size;
		e[3][i] = p->sync_op_ns.error / p->size;
	}
	level(c, e[1]);
	level(c, e[2]);
	c->operation = pario_fit_two_lines(bytes, y[0], e[0], c->points);
	c->inverse_r2 = pario_fit_line(inverse, y[3], e[3], c->points).r2;
	c->overhead = pario_fit_two_lines(inverse, y[1], e[1], c->points);
	c->cpu = pario_fit_two_lines(inverse, y[2], e[2], c->points);
	share_error(&c->operation, false, clock_ns);
	share_error(&c->overhead, true, clock_ns);
	share_error(&c->cpu, true, clock_ns);
}

void pario_overlap_case_fit(struct pario_overlap_case *c, const struct pario_overlap_pass *passes,
			    size_t n, double clock_ns)
{
	double sizes[PARIO_OVERLAP_SIZES] = { 0 };

	c->points = find_sizes(passes, n, sizes);
	c->disagreeing = c->unlike = c->noisy = c->slowed = c->best = 0;
	for (size_t i = 0; i < c->points; i++) {
		struct pario_overlap_point *p = &c->point[i];

		*p = pario_overlap_point(passes, n, sizes[i], c->sector, clock_ns);
		c->disagreeing += p->disagree;
		c->unlike += p->unlike;
		c->noisy += p->noisy;
		c->slowed +=
			!c->blocking && p->slowing.value - p->slowing.error > PARIO_OVERLAP_SLOWED;
		if (p->rate.value > c->point[c->best].rate.value)
			c->best = i;
	}
	fit_laws(c, clock_ns);
	if (c->points) {
		const struct pario_overlap_point *last = &c->point[c->points - 1];
		double whole = sync_sector_ns(c, last);

		c->overlap = (struct pario_estimate){ 1 - last->difference_ns.value / whole,
						      last->difference_ns.error / whole };
	}
}

/* ---- text ---- */

/* As many digits as the error allows, one more where it begins with 1. */
static int digits(double error)
{
	int places;

	if (!isfinite(error) || error <= 0)
		return 3;
	places = (int)ceil(-log10(error)) + (error * pow(10, ceil(-log10(error))) < 2);
	return places < 0 ? 0 : places > 6 ? 6 : places;
}

static void pad(struct pario_text *out, const char *text, int columns, int width)
{
	for (; columns < width; columns++)
		pario_text_add(out, " ");
	pario_text_add(out, "%s", text);
}

void pario_overlap_number(struct pario_text *out, const struct pario_estimate *e, double unit,
			  int width)
{
	double value = e->value / unit, error = e->error / unit;
	char text[80];
	int columns;

	if (!isfinite(value))
		columns = snprintf(text, sizeof(text), "-");
	else if (isfinite(error) && value <= error)
		columns = snprintf(text, sizeof(text), "< %.2g", pario_overlap_bound(e) / unit);
	else if (!isfinite(error))
		columns = snprintf(text, sizeof(text), "%.4g", value);
	else /* the sign of plus or minus is two bytes and one column */
		columns = snprintf(text, sizeof(text), "%.*f ± %.*f", digits(error), value,
				   digits(error), error) -
			  1;
	pad(out, text, columns, width);
}

static void size_text(char text[PARIO_UNITS_CAPACITY], double bytes)
{
	int unit = bytes >= PARIO_MIB ? 2 : bytes >= 1024;
	static const char *const names[] = { "B", "KiB", "MiB" };

	snprintf(text, PARIO_UNITS_CAPACITY, "%.4g %s", bytes / pow(1024, unit), names[unit]);
}

/* Columns that the longest name needs. */
static int name_width(const struct pario_overlap_case *cases, size_t n)
{
	size_t width = 14;

	for (size_t i = 0; i < n; i++)
		width = strlen(cases[i].name) > width ? strlen(cases[i].name) : width;
	return (int)width;
}

static void head(struct pario_text *out, int width)
{
	pario_text_add(out, "%-*s %-6s %16s %16s %16s %10s %8s\n", width, "routine", "moves",
		       "T_call", "T_trans", "CPU/call", "rate", "overlap");
	pario_text_add(out, "%-*s %-6s %16s %16s %16s %10s %8s\n", width, "", "", "us", "us/sector",
		       "us", "MiB/s", "%");
}

/* What the letters behind a row mean. */
static const char *const remarks[] = {
	"one line does not describe T_OH; see the two below",
	"the two ways to find T_OH disagree beyond their errors at some size: suspect",
	"T_OH with the whole loop and with half of it disagree beyond their errors at some size: suspect",
	"the compute loop slowed the transfers at some size; use a shorter --loop",
	"T_OH cannot be told from zero at some size: an upper bound stands there",
};

enum { REMARKS = sizeof(remarks) / sizeof(remarks[0]) };

static bool remarked(const struct pario_overlap_case *c, size_t i)
{
	const bool holds[REMARKS] = { c->overhead.broken, c->disagreeing > 0, c->unlike > 0,
				      c->slowed > 0, c->noisy > 0 };

	return holds[i];
}

/* A law that one line does not describe is marked; its two lines stand among the laws. */
static void table_row(struct pario_text *out, const struct pario_overlap_case *c, int width)
{
	struct pario_estimate share = { 100 * c->overlap.value, 100 * c->overlap.error };

	pario_text_add(out, "%-*s %-6s ", width, c->name, c->phase);
	pario_overlap_number(out, &c->overhead.one.slope, US, 16);
	pario_text_add(out, " ");
	pario_overlap_number(out, &c->overhead.one.intercept, US, 16);
	pario_text_add(out, " ");
	pario_overlap_number(out, &c->cpu.one.slope, US, 16);
	pario_text_add(out, " %10.1f ", c->points ? c->point[c->best].rate.value / PARIO_MIB : 0);
	if (share.error > 50)
		pario_text_add(out, "%8s", "?");
	else
		pario_text_add(out, "%8.0f", fmax(share.value, 0));
	for (size_t i = 0; i < REMARKS; i++)
		if (remarked(c, i))
			pario_text_add(out, "  %c", (char)('a' + i));
	pario_text_add(out, "\n");
}

void pario_overlap_table(struct pario_text *out, const struct pario_overlap_case *cases, size_t n)
{
	int width = name_width(cases, n);
	bool any[REMARKS] = { false };

	head(out, width);
	for (size_t i = 0; i < n; i++) {
		table_row(out, &cases[i], width);
		for (size_t k = 0; k < REMARKS; k++)
			any[k] |= remarked(&cases[i], k);
	}
	for (size_t k = 0; k < REMARKS; k++)
		if (any[k])
			pario_text_add(out, "%c  %s\n", (char)('a' + k), remarks[k]);
}

void pario_overlap_points(struct pario_text *out, const struct pario_overlap_case *c)
{
	char size[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "%s, %s: %s\n", c->name, c->phase, c->means);
	pario_text_add(out, "%10s %11s %11s %17s %17s %17s %9s %14s\n", "B", "R MiB/s",
		       "overlapped", "T_OH us/sector", "by scheduler", "CPU us/sector", "loop us",
		       "slowed by %");
	for (size_t i = 0; i < c->points; i++) {
		const struct pario_overlap_point *p = &c->point[i];

		size_text(size, p->size);
		pario_text_add(out, "%10s %11.1f %11.1f ", size,
			       p->rate.value / p->channels / PARIO_MIB,
			       p->overlap_rate.value / p->channels / PARIO_MIB);
		pario_overlap_number(out, &p->difference_ns, US, 17);
		pario_text_add(out, " ");
		pario_overlap_number(out, &p->scheduled_ns, US, 17);
		pario_text_add(out, " ");
		pario_overlap_number(out, &p->cpu_ns, US, 17);
		pario_text_add(out, " %9.2f", p->loop_ns / US);
		if (c->blocking)
			pario_text_add(out, " %13s", "-");
		else
			pario_text_add(out, " %6.1f ± %-4.1f", 100 * p->slowing.value,
				       100 * p->slowing.error);
		pario_text_add(out, "%s%s\n", p->disagree || p->unlike ? "  suspect" : "",
			       p->noisy ? "  upper bound" : "");
	}
}

static void law(struct pario_text *out, const struct pario_overlap_case *c, int width)
{
	const struct pario_fitted_line *line = &c->operation.one;
	char half[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "%-*s %-6s ", width, c->name, c->phase);
	if (!isfinite(line->slope.value)) {
		pario_text_add(out, "one size makes no law\n");
		return;
	}
	pario_overlap_number(out, &line->intercept, US, 16);
	pario_text_add(out, " us + bytes × ");
	pario_overlap_number(out, &line->slope, 1, 17);
	pario_text_add(out, " ns, R² %.4f (1/B: %.4f)", line->r2, c->inverse_r2);
	if (line->slope.value > line->slope.error)
		pario_text_add(out, "; at most %.1f MiB/s per channel",
			       pario_fit_rate(line) * 1e9 / PARIO_MIB);
	if (line->slope.value > line->slope.error && line->intercept.value > 0) {
		size_text(half, pario_fit_half_size(line));
		pario_text_add(out, ", half of it at %s", half);
	}
	pario_text_add(out, "\n");
}

static void broken(struct pario_text *out, const struct pario_overlap_case *c, const char *what,
		   const struct pario_two_lines *two)
{
	char at[PARIO_UNITS_CAPACITY];
	double size = two == &c->operation ? two->at : c->sector / two->at;

	if (!two->broken)
		return;
	size_text(at, size);
	pario_text_add(out, "%s %s: %s: two lines, below and above %s (one line: R² %.4f)\n",
		       c->name, c->phase, what, at, two->one.r2);
	for (int i = 0; i < 2; i++) {
		/* a small buffer is a large 1/B */
		const struct pario_fitted_line *l =
			(i == 0) == (two == &c->operation) ? &two->low : &two->high;

		pario_text_add(out, "    %s ", i ? "above:" : "below:");
		pario_overlap_number(out, two == &c->operation ? &l->intercept : &l->slope, US, 0);
		pario_text_add(out, " us per call and ");
		pario_overlap_number(out, two == &c->operation ? &l->slope : &l->intercept,
				     two == &c->operation ? 1 : US, 0);
		pario_text_add(out, two == &c->operation ? " ns per byte\n" : " us per sector\n");
	}
}

void pario_overlap_laws(struct pario_text *out, const struct pario_overlap_case *cases, size_t n)
{
	int width = name_width(cases, n);

	for (size_t i = 0; i < n; i++)
		law(out, &cases[i], width);
	for (size_t i = 0; i < n; i++) {
		broken(out, &cases[i], "time per operation", &cases[i].operation);
		broken(out, &cases[i], "T_OH", &cases[i].overhead);
	}
}

/* ---- which routine to use ---- */

static const struct pario_estimate *rate_at_best(const struct pario_overlap_case *c)
{
	return &c->point[c->best].rate;
}

static const struct pario_estimate *cpu_at_last(const struct pario_overlap_case *c)
{
	return &c->point[c->points - 1].cpu_ns;
}

static bool in(const struct pario_overlap_case *c, const char *phase)
{
	return c->points && strcmp(c->phase, phase) == 0;
}

/* The case with the largest (sign 1) or smallest (-1) of a number, and whether the next best cannot be told apart. */
static const struct pario_overlap_case *extreme(
	const struct pario_overlap_case *cases, size_t n, const char *phase, int sign,
	const struct pario_estimate *(*of)(const struct pario_overlap_case *),
	const struct pario_overlap_case **like)
{
	const struct pario_overlap_case *best = NULL;

	*like = NULL;
	for (size_t i = 0; i < n; i++)
		if (in(&cases[i], phase) && isfinite(of(&cases[i])->value) &&
		    (!best || sign * (of(&cases[i])->value - of(best)->value) > 0))
			best = &cases[i];
	for (size_t i = 0; best && i < n; i++) {
		const struct pario_estimate *e = of(&cases[i]);

		if (&cases[i] != best && in(&cases[i], phase) &&
		    fabs(e->value - of(best)->value) <= e->error + of(best)->error &&
		    (!*like || sign * (e->value - of(*like)->value) > 0))
			*like = &cases[i];
	}
	return best;
}

/* From zero. */
static bool told(const struct pario_estimate *e)
{
	return e->value > e->error;
}

/* A routine is named after the call that reads; "thread" is none. */
static void add_writer(struct pario_text *out, const char *name)
{
	const char *read = strstr(name, "read");

	if (!read || (read - name >= 2 && strncmp(read - 2, "th", 2) == 0))
		pario_text_add(out, "%s", name);
	else
		pario_text_add(out, "%.*swrite%s", (int)(read - name), name, read + strlen("read"));
}

static void add_call(struct pario_text *out, const struct pario_overlap_case *c)
{
	if (strcmp(c->phase, "write") != 0)
		pario_text_add(out, "%s", c->name);
	if (strcmp(c->phase, "both") == 0)
		pario_text_add(out, " and ");
	if (strcmp(c->phase, "read") != 0)
		add_writer(out, c->name);
}

/* Nothing here waits for the device but what goes past the page cache. */
static const char *where(const struct pario_overlap_case *c)
{
	if (strcmp(c->phase, "read") == 0 || strstr(c->name, "direct"))
		return "";
	return strcmp(c->phase, "write") == 0 ? " into the page cache"
					      : ", writing into the page cache";
}

static void advise(struct pario_text *out, const struct pario_overlap_case *cases, size_t n,
		   int sign, const char *opening)
{
	static const char *const phases[] = { "read", "write", "both" };
	static const char *const verbs[] = { "read with", "write with", "do both at once with" };
	bool any = false;

	for (size_t i = 0; i < 3; i++) {
		const struct pario_overlap_case *like,
			*best = extreme(cases, n, phases[i], sign,
					sign > 0 ? rate_at_best : cpu_at_last, &like);

		if (!best)
			continue;
		pario_text_add(out, "%s %s ", any ? ";" : opening, verbs[i]);
		add_call(out, best);
		if (sign > 0)
			pario_text_add(out, " (%.0f MiB/s%s", rate_at_best(best)->value / PARIO_MIB,
				       where(best));
		else
			pario_text_add(out, " (%s%.3g us of CPU per MiB",
				       told(cpu_at_last(best)) ? "" : "less than ",
				       (told(cpu_at_last(best))
						? cpu_at_last(best)->value
						: pario_overlap_bound(cpu_at_last(best))) /
					       US * PARIO_MIB / best->sector);
		if (like)
			pario_text_add(out, "; %s cannot be told from it", like->name);
		pario_text_add(out, ")");
		any = true;
	}
	if (any)
		pario_text_add(out, ".\n");
}

void pario_overlap_advice(struct pario_text *out, const struct pario_overlap_case *cases, size_t n)
{
	advise(out, cases, n, 1, "For the highest rate");
	advise(out, cases, n, -1, "For the least CPU");
}
