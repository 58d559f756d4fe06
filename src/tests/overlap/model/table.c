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

static void fit_laws(struct pario_overlap_case *c, double own_error_ns)
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
	/* What the procedure costs is paid per call. */
	pario_fit_share_error(&c->operation, INTERRUPTS, own_error_ns, 0);
	pario_fit_share_error(&c->overhead, INTERRUPTS, 0, own_error_ns);
	pario_fit_share_error(&c->cpu, INTERRUPTS, 0, own_error_ns);
}

/*
 * Of one channel, since each has a disk of its own. Where the disk was when a walk began nobody knows, so its first
 * transfer says nothing.
 */
static struct pario_revolution_fit turn(const struct pario_overlap_case *c, bool overlapped,
					double own_error_ns)
{
	struct pario_rotating_disk disk = { .turns_per_s = c->rpm / 60, .sector = c->sector };
	struct pario_estimate rates[PARIO_OVERLAP_SIZES];
	double b[PARIO_OVERLAP_SIZES], calls[PARIO_OVERLAP_SIZES], late_ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->points; i++) {
		const struct pario_overlap_point *p = &c->point[i];

		const struct pario_overlap_later *l = overlapped ? &p->overlap_later : &p->later;

		if (!isfinite(l->rate.value))
			continue;
		b[n] = p->size / c->sector;
		calls[n] = l->calls;
		rates[n].value = l->rate.value / p->channels;
		rates[n++].error = l->rate.error / p->channels;
		/* The end of a transfer is seen by the next look: that much late at most, each time. */
		if (overlapped)
			late_ns = fmax(late_ns, p->loop_ns);
	}
	return pario_revolution_fit(&disk, b, calls, rates, n, INTERRUPTS,
				    (own_error_ns + late_ns) / 1e9);
}

bool pario_overlap_brief(const struct pario_overlap_case *c, const struct pario_overlap_point *p)
{
	return p->pass_ns < PARIO_OVERLAP_TICKS * c->tick_ns;
}

bool pario_overlap_suspect(const struct pario_overlap_case *c)
{
	return c->doubt || c->disagreeing || c->unlike || c->loud;
}

bool pario_overlap_cached(const struct pario_overlap_case *c)
{
	return strcmp(c->phase, "read") != 0 && !strstr(c->name, "direct");
}

const struct pario_estimate *pario_overlap_rate_at_best(const struct pario_overlap_case *c)
{
	return &c->point[c->best].rate;
}

const struct pario_estimate *pario_overlap_cpu_at_last(const struct pario_overlap_case *c)
{
	return &c->point[c->points - 1].cpu_ns;
}

static void count_kinds(struct pario_overlap_case *c, const struct pario_overlap_point *p)
{
	c->disagreeing += p->disagree;
	c->unlike += p->unlike;
	c->noisy += p->noisy;
	c->loud += p->loud;
	c->brief += pario_overlap_brief(c, p);
	c->slowed += !c->blocking && p->slowing.value - p->slowing.error > PARIO_OVERLAP_SLOWED;
}

void pario_overlap_case_fit(struct pario_overlap_case *c, const struct pario_overlap_pass *passes,
			    size_t n, const struct pario_overlap_own *own)
{
	double sizes[PARIO_OVERLAP_SIZES] = { 0 };

	c->points = find_sizes(passes, n, sizes);
	c->disagreeing = c->unlike = c->noisy = c->slowed = c->loud = c->brief = c->best = 0;
	for (size_t i = 0; i < c->points; i++) {
		c->point[i] = pario_overlap_point(passes, n, sizes[i], c->sector, own);
		count_kinds(c, &c->point[i]);
		if (c->point[i].rate.value > c->point[c->best].rate.value)
			c->best = i;
	}
	fit_laws(c, own->error_ns);
	if (c->rpm > 0) {
		c->waiting = turn(c, false, own->error_ns);
		c->overlapped = turn(c, true, own->error_ns);
	}
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

/* "write, cached" where the page cache takes it. */
static void add_name(struct pario_text *out, const struct pario_overlap_case *c, int width)
{
	pario_text_add(out, "%-*s %-5s%-8s", width, c->name, c->phase,
		       pario_overlap_cached(c) ? ", cached" : "");
}

enum { COLUMN = 16, NARROW = 13 };

static const struct {
	const char *name, *unit;
	int width;
	bool turning; /* only where something rotates */
} columns[] = {
	{ "S", "sectors/rev", NARROW, true },
	{ "M", "missed/call", NARROW, true },
	{ "M overlapped", "missed/call", NARROW, true },
	{ "T_call", "us", COLUMN, false },
	{ "T_trans", "us/sector", COLUMN, false },
	{ "CPU", "us/MiB", COLUMN, false },
	{ "rate", "MiB/s", COLUMN, false },
	{ "overlap", "%", NARROW, false },
};

static void head(struct pario_text *out, int width, bool turning)
{
	for (int line = 0; line < 2; line++) {
		pario_text_add(out, "%-*s %-13s", width, line ? "" : "routine",
			       line ? "" : "moves");
		for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
			if (turning || !columns[i].turning)
				pario_text_add(out, " %*s", columns[i].width,
					       line ? columns[i].unit : columns[i].name);
		pario_text_add(out, "\n");
	}
}

static void meaning(struct pario_text *out, const struct pario_overlap_case *cases, size_t n,
		    bool turning)
{
	pario_text_add(
		out,
		"T_call, T_trans  overhead of a call and of a sector: T_OH = T_trans + T_call / B over all sizes B in sectors\n"
		"                 of %.0f bytes, where T_OH is the time per sector in which the program could not compute\n"
		"CPU              CPU time of all threads of the process beyond that of the computing, largest buffer\n"
		"rate             highest of all sizes when every transfer is waited for, all channels together\n"
		"overlap          part of the time of waiting that computing got instead, largest buffer\n",
		n ? cases[0].sector : 0);
	if (turning)
		pario_text_add(
			out,
			"S, M             sectors per revolution and revolutions missed per call: revolutions per sector = 1.1 / S + M / B,\n"
			"                 when every transfer is waited for; M overlapped is that of the passes that compute\n");
	for (size_t i = 0; i < n; i++)
		if (pario_overlap_cached(&cases[i])) {
			pario_text_add(
				out,
				"cached           without --direct writes end in the page cache: their rates are those of memory\n");
			break;
		}
	if (!turning)
		pario_text_add(
			out,
			"The study's columns S and M belong to rotating disks: give --rpm to have them.\n");
}

/* What the letters behind a row mean. */
static const char *const remarks[] = {
	"one line does not describe T_OH; see the two below",
	"the two ways to find T_OH disagree beyond their errors at some size: suspect",
	"T_OH with the whole loop and with half of it disagree beyond their errors at some size: suspect",
	"the compute loop slowed the transfers at some size; use a shorter --loop",
	"T_OH cannot be told from zero at some size: an upper bound is given",
	"passes at some size are too short to count what helper threads do; use a longer --pass_time",
	"others kept the thread from running in all passes of some size: suspect",
	"a result that this row is made of is suspect, and so is the row",
};

enum { REMARKS = sizeof(remarks) / sizeof(remarks[0]) };

static bool remarked(const struct pario_overlap_case *c, size_t i)
{
	const bool holds[REMARKS] = { c->overhead.broken, c->disagreeing > 0, c->unlike > 0,
				      c->slowed > 0,	  c->noisy > 0,	      c->brief > 0,
				      c->loud > 0,	  c->doubt != NULL };

	return holds[i];
}

static void add_sectors(struct pario_text *out, const struct pario_revolution *r)
{
	char bound[32];

	snprintf(bound, sizeof(bound), "> %.2g", r->s_least);
	if (isfinite(r->s_least))
		pario_text_add(out, "%*s", NARROW, bound);
	else
		pario_overlap_number(out, &r->s, 1, NARROW);
}

static void add_revolutions(struct pario_text *out, const struct pario_overlap_case *c)
{
	pario_text_add(out, " ");
	add_sectors(out, &c->waiting.all);
	pario_text_add(out, " ");
	pario_overlap_number(out, &c->waiting.all.m, 1, NARROW);
	pario_text_add(out, " ");
	pario_overlap_number(out, &c->overlapped.all.m, 1, NARROW);
}

static void add_number(struct pario_text *out, const struct pario_estimate *e, double unit,
		       int width)
{
	pario_text_add(out, " ");
	pario_overlap_number(out, e, unit, width);
}

/* A law that one line does not describe is marked; its two lines stand among the laws. */
static void table_row(struct pario_text *out, const struct pario_overlap_case *c, int width,
		      bool turning)
{
	struct pario_estimate share = { 100 * c->overlap.value, 100 * c->overlap.error };
	static const struct pario_estimate none = { NAN, NAN };

	add_name(out, c, width);
	if (turning)
		add_revolutions(out, c);
	add_number(out, &c->overhead.one.slope, US, COLUMN);
	add_number(out, &c->overhead.one.intercept, US, COLUMN);
	add_number(out, c->points ? pario_overlap_cpu_at_last(c) : &none,
		   US * c->sector / PARIO_MIB, COLUMN);
	add_number(out, c->points ? pario_overlap_rate_at_best(c) : &none, PARIO_MIB, COLUMN);
	add_number(out, c->overlap.error <= PARIO_OVERLAP_VAGUE ? &share : &none, 1, NARROW);
	for (size_t i = 0; i < REMARKS; i++)
		if (remarked(c, i))
			pario_text_add(out, "  %c", (char)('a' + i));
	pario_text_add(out, "\n");
}

void pario_overlap_table(struct pario_text *out, const struct pario_overlap_case *cases, size_t n)
{
	int width = name_width(cases, n);
	bool any[REMARKS] = { false }, turning = false;

	for (size_t i = 0; i < n; i++)
		turning |= cases[i].rpm > 0;
	head(out, width, turning);
	for (size_t i = 0; i < n; i++) {
		table_row(out, &cases[i], width, turning);
		for (size_t k = 0; k < REMARKS; k++)
			any[k] |= remarked(&cases[i], k);
	}
	for (size_t k = 0; k < REMARKS; k++)
		if (any[k])
			pario_text_add(out, "%c  %s\n", (char)('a' + k), remarks[k]);
	pario_text_add(out, "\n");
	meaning(out, cases, n, turning);
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
		pario_text_add(out, "%s%s%s\n",
			       p->disagree || p->unlike || p->loud ? "  suspect" : "",
			       p->noisy ? "  upper bound" : "",
			       pario_overlap_brief(c, p) ? "  brief" : "");
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
