/*
 * document: a line for each measured point, from the journal alone; then the numbers of accelerators that were tried,
 * the clients that made the others wait, the finding on loaders where several numbers of them were measured, and the
 * rules.
 *
 * AU no longer rises from the smallest number of loaders that no larger one beats: by more than the 95 % interval of
 * the difference of their means over all epochs of all repetitions, and by more than five percent of AU: a
 * smaller rise is not worth twice the loaders, and two runs would not agree where it ends.
 */
#include "tests/training/report/document.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "journal/table.h"

/* Points with other numbers of loaders, and repetitions of each. */
enum { POINTS = 64 };

/* A waiting of this part of the longest, and of this part of the time, is that of a straggler. */
#define STRAGGLES 2.0

#define LEAST_PERCENT 5.0

struct loaders {
	double threads, clients;
	double count, sum, squares; /* epochs, and of their AU in percent */
};

struct found {
	struct loaders point[POINTS];
	size_t count;
};

static double metric(const json_t *r, const char *name)
{
	return pario_history_metric(r, name);
}

static bool of_phase(const json_t *r, const char *phase)
{
	return strcmp(pario_history_text(r, "test"), "training") == 0 &&
	       strcmp(pario_history_text(r, "phase"), phase) == 0;
}

static void add_line(struct pario_text *out, const json_t *r)
{
	const char *point = pario_history_text(r, "point");
	char samples[PARIO_UNITS_CAPACITY], wait[PARIO_UNITS_CAPACITY], p50[PARIO_UNITS_CAPACITY],
		p99[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "  %4.0f  %4.0f  %9s  %6.2f %%  [%.1f, %.1f]  %7.3f  %9s  %9s  %9s  ",
		       metric(r, "accelerators"), metric(r, "read_threads"),
		       pario_units_count(samples, metric(r, "samples_s")), metric(r, "au_percent"),
		       metric(r, "au_low_percent"), metric(r, "au_high_percent"), metric(r, "zeta"),
		       pario_units_time(wait, metric(r, "wait_mean_s")),
		       pario_units_time(p50, metric(r, "loader_p50_s")),
		       pario_units_time(p99, metric(r, "loader_p99_s")));
	pario_text_clean(out, point);
	pario_text_add(out, "\n");
}

static double cell(const struct pario_result_table_view *v, size_t row, const char *column)
{
	struct pario_err unused;
	int at = pario_result_table_column(v, column, &unused);

	return at < 0 ? (double)NAN : pario_result_table_number(v, row, at);
}

static void add_search(struct pario_text *out, const json_t *r)
{
	struct pario_result_table_view v;
	struct pario_err unused;

	if (pario_result_table_find(r, "accelerators", &v, &unused) < 0)
		return;
	pario_text_add(out, "\nAccelerators that keep %.0f %%: %.0f.", metric(r, "min_au_percent"),
		       metric(r, "accelerators_most"));
	for (size_t i = 0; i < v.row_count; i++)
		pario_text_add(out, " %.0f: %.1f %% [%.1f, %.1f]%s", cell(&v, i, "accelerators"),
			       cell(&v, i, "au_percent"), cell(&v, i, "low_percent"),
			       cell(&v, i, "high_percent"), i + 1 < v.row_count ? "," : ".\n");
}

/* The clients whose loaders made all others wait. */
static void add_stragglers(struct pario_text *out, const json_t *r)
{
	struct pario_result_table_view v;
	struct pario_err unused;
	double mean = 0;
	size_t named = 0;

	if (pario_result_table_find(r, "clients", &v, &unused) < 0 || v.row_count < 2)
		return;
	for (size_t i = 0; i < v.row_count; i++)
		mean += cell(&v, i, "waited_s") / (double)v.row_count;
	for (size_t i = 0; i < v.row_count; i++) {
		double waited = cell(&v, i, "waited_s");

		if (!(waited > STRAGGLES * mean) || waited < 0.01 || named == 8)
			continue;
		pario_text_add(out, "%s client %.0f (%.2f s)",
			       named++ ? "," : "Waited far longer for their batches than the rest:",
			       cell(&v, i, "client"), waited);
	}
	if (named)
		pario_text_add(out, "; mean %.2f s\n", mean);
}

static void add_rules(struct pario_text *out, const json_t *r)
{
	struct pario_result_table_view v;
	struct pario_err unused;
	const char *before = "NOT CONFORMING: ";
	int name;

	if (pario_result_table_find(r, "rules", &v, &unused) < 0)
		return;
	name = pario_result_table_column(&v, "rule", &unused);
	for (size_t i = 0; name >= 0 && i < v.row_count; i++) {
		if (cell(&v, i, "met") > 0)
			continue;
		pario_text_add(out, "%s", before);
		pario_text_clean(out, pario_result_table_text(&v, i, name));
		pario_text_add(out, " (%.4g of %.4g)", cell(&v, i, "is"), cell(&v, i, "wanted"));
		before = ", ";
	}
	pario_text_add(out, "%s\n",
		       metric(r, "conforming") > 0 ? "Within the rules that pario can check." : "");
}

static void collect(struct found *f, const json_t *r)
{
	double threads = metric(r, "read_threads"), clients = metric(r, "accelerators");
	struct pario_result_table_view v;
	struct pario_err unused;
	struct loaders *p = f->point;

	while (p < f->point + f->count && !(p->threads == threads && p->clients == clients))
		p++;
	if (p == f->point + POINTS)
		return;
	if (p == f->point + f->count)
		f->point[f->count++] = (struct loaders){ .threads = threads, .clients = clients };
	if (pario_result_table_find(r, "epochs", &v, &unused) < 0)
		return;
	for (size_t i = 0; i < v.row_count; i++) {
		double au = cell(&v, i, "au_percent");

		if (isnan(au))
			continue;
		p->count++;
		p->sum += au;
		p->squares += au * au;
	}
}

static double mean_au(const struct loaders *p)
{
	return p->sum / p->count;
}

static double variance_of_mean(const struct loaders *p)
{
	double v = p->squares / p->count - mean_au(p) * mean_au(p);

	return v > 0 ? v / (p->count - 1) : 0;
}

/* Is the first one's AU higher than the other's, for certain and by something? */
static bool beats(const struct loaders *p, const struct loaders *other)
{
	double more = mean_au(p) - mean_au(other), freedom = p->count + other->count - 2;

	return p->count > 1 && other->count > 1 && more > LEAST_PERCENT &&
	       more > pario_stats_student(0.975, freedom) *
			       sqrt(variance_of_mean(p) + variance_of_mean(other));
}

/* The smallest number whose AU no larger one exceeds; and the one that was measured with fewest. */
static void add_finding(struct pario_text *out, const struct found *f, double clients)
{
	const struct loaders *enough = NULL, *least = NULL, *largest = NULL;

	for (size_t i = 0; i < f->count; i++) {
		const struct loaders *p = &f->point[i];
		bool risen = false;

		if (p->clients != clients || p->count < 1)
			continue;
		for (size_t k = 0; k < f->count; k++)
			risen |= f->point[k].clients == clients &&
				 f->point[k].threads > p->threads && beats(&f->point[k], p);
		least = !least || p->threads < least->threads ? p : least;
		largest = !largest || p->threads > largest->threads ? p : largest;
		if (!risen && (!enough || p->threads < enough->threads))
			enough = p;
	}
	if (!enough || least == largest)
		return;
	pario_text_add(out, "%.0f accelerator%s: ", clients, clients == 1 ? "" : "s");
	if (enough == largest)
		pario_text_add(out, "AU rises up to the largest number of loaders that was "
				    "measured, so measure more (--read_threads):");
	else
		pario_text_add(out, "AU no longer rises from %.0f loader%s on:", enough->threads,
			       enough->threads > 1 ? "s" : "");
	if (enough != least)
		pario_text_add(out, " %.0f reach %.1f %%,", least->threads, mean_au(least));
	pario_text_add(out, " %.0f reach %.1f %%", enough->threads, mean_au(enough));
	if (enough != largest)
		pario_text_add(out, ", %.0f reach %.1f %%", largest->threads, mean_au(largest));
	pario_text_add(out, ".\n");
}

static void add_findings(struct pario_text *out, const struct found *f)
{
	for (size_t i = 0; i < f->count; i++) {
		bool said = false;

		for (size_t k = 0; k < i; k++)
			said |= f->point[k].clients == f->point[i].clients;
		if (!said)
			add_finding(out, f, f->point[i].clients);
	}
}

static int write_summary(const struct pario_history *h, struct pario_text *out,
			 struct pario_err *err)
{
	struct found found = { .count = 0 };
	const json_t *last = NULL;

	(void)err;
	pario_text_add(out, "Training\n  %4s  %4s  %9s  %8s  %-13s  %5s  %9s  %9s  %9s\n", "acc.",
		       "thr.", "samples/s", "AU", "95 %", "zeta", "wait", "read p50", "p99");
	for (size_t i = 0; i < h->result_count; i++) {
		const json_t *r = h->results[i];

		if (of_phase(r, "search"))
			add_search(out, r);
		if (!of_phase(r, "train") || isnan(metric(r, "samples_s")))
			continue;
		last = r;
		add_line(out, r);
		collect(&found, r);
	}
	if (!last)
		return 0;
	add_stragglers(out, last);
	add_findings(out, &found);
	add_rules(out, last);
	pario_text_add(out, "Not an official MLPerf Storage result.\n");
	return 0;
}

const struct pario_document pario_training_summary = {
	.test = "training",
	.file = "training.txt",
	.shown = true,
	.write = write_summary,
};
