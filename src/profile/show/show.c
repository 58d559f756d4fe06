/*
 * show: tables, the longest time first, cut to the width of the terminal. It adds nothing up.
 */
#include "profile/show/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/findings/findings_text.h"
#include "profile/analyse/order.h"
#include "profile/analyse/shares.h"
#include "profile/show/show_summary.h"

static void heading(struct pario_text *text, const char *title)
{
	pario_text_add(text, "\n%s\n", title);
}

/* `others`: what had no place in a table of bounded size. */
static void more(struct pario_text *text, uint32_t count, unsigned rows, uint64_t others)
{
	if (count > rows)
		pario_text_add(text, "  and %u more\n", count - rows);
	if (others)
		pario_text_add(text,
			       "  and %llu calls of others, which are too many to tell apart\n",
			       (unsigned long long)others);
}

void pario_profile_site_name(const struct pario_profile *p, struct pario_symbols *symbols,
			     uint32_t module, uint64_t offset, struct pario_text *text)
{
	const struct pario_job_module *m =
		module < p->job.module_count ? &p->job.modules[module] : NULL;

	if (m && m->path && m->build_id)
		pario_symbols_name(symbols, m->path, m->build_id, offset, text);
	else
		pario_text_add(text, "0x%llx", (unsigned long long)offset);
}

static const char *file_name(const struct pario_profile *p, uint32_t file)
{
	return file && p->job.files[file] ? p->job.files[file] : "-";
}

static double kind_ns(const void *p, uint32_t i)
{
	return ((const struct pario_profile *)p)->kinds[i].sum.ns;
}

static double file_ns(const void *p, uint32_t i)
{
	return pario_profile_file_ns(&((const struct pario_profile *)p)->files[i]);
}

static double site_ns(const void *p, uint32_t i)
{
	return ((const struct pario_profile *)p)->sites[i].sum.ns;
}

static double stack_ns(const void *p, uint32_t i)
{
	return ((const struct pario_profile *)p)->stack_sums[i].ns;
}

static void kinds_heading(bool storage, struct pario_text *text)
{
	heading(text, storage ? "call classes, on storage" : "call classes, not on storage");
	pario_text_add(text, "  %-8s %-28s %-10s %-10s %-8s %10s %10s %10s %9s %9s %9s%s\n",
		       "layer", "operation", "size", "pattern", "cache", "calls", "bytes", "time",
		       "p50", "p99", "max", storage ? "" : "  for");
}

static void show_kinds(const struct pario_profile *p, bool storage, unsigned rows,
		       struct pario_text *text)
{
	uint32_t count = p->kind_of.count, shown = 0;
	struct pario_order *order = pario_order_new(count, kind_ns, p);
	char t[4][PARIO_UNITS_CAPACITY], size[PARIO_UNITS_CAPACITY];

	if (!order)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct pario_profile_kind *k = &p->kinds[order[i].number];
		const struct pario_trace_operation *info = pario_trace_operation(k->op);
		bool data = info->class == PARIO_CLASS_READ || info->class == PARIO_CLASS_WRITE;

		if ((k->medium == PARIO_MEDIUM_STORAGE) != storage || shown++ >= rows)
			continue;
		if (shown == 1)
			kinds_heading(storage, text);
		pario_text_add(
			text, "  %-8s %s%-*s %-10s %-10s %-8s %10llu %10s %10s %9s %9s %9s%s%s%s\n",
			pario_trace_layer_name(k->layer), k->nested ? "> " : "",
			k->nested ? 26 : 28, info->name,
			data ? pario_profile_size_names[k->size_class] : "-",
			pario_pattern_names[k->pattern],
			!data	    ? "-"
			: k->direct ? "direct"
				    : "buffered",
			(unsigned long long)k->sum.calls, pario_units_size(size, k->sum.bytes),
			pario_units_ns(t[0], k->sum.ns),
			pario_units_ns(t[1], pario_histogram_quantile(k->times, 0.5)),
			pario_units_ns(t[2], pario_histogram_quantile(k->times, 0.99)),
			pario_units_ns(t[3], k->sum.max_ns), storage ? "" : "  ",
			storage ? "" : pario_medium_names[k->medium],
			k->sum.failed ? " (some failed)" : "");
	}
	more(text, shown, rows, storage && p->kinds ? p->kinds[0].sum.calls : 0);
	free(order);
}

static void files_heading(bool storage, struct pario_text *text)
{
	heading(text, storage ? "files" : "files, not storage");
	pario_text_add(text, "  %10s %10s %10s %10s %10s %10s  %-14s %s\n", "reads", "read",
		       "writes", "written", "others", "time", storage ? "layer" : "kind", "name");
}

static void show_files(const struct pario_profile *p, bool storage, unsigned rows,
		       struct pario_text *text)
{
	uint32_t count = p->job.file_of.count, shown = 0;
	char layers[PARIO_LAYERS_CAPACITY];
	struct pario_order *order = pario_order_new(count, file_ns, p);
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], c[PARIO_UNITS_CAPACITY];

	if (!order)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct pario_profile_file *f = &p->files[order[i].number];
		const struct pario_profile_sum *read = pario_profile_counts(f->read),
					       *write = pario_profile_counts(f->write),
					       *other = pario_profile_counts(f->other);
		enum pario_medium medium = p->media[order[i].number];

		if ((medium == PARIO_MEDIUM_STORAGE) != storage ||
		    read->calls + write->calls + other->calls == 0 || shown++ >= rows)
			continue;
		if (shown == 1)
			files_heading(storage, text);
		pario_text_add(text, "  %10llu %10s %10llu %10s %10llu %10s  %-14s ",
			       (unsigned long long)read->calls, pario_units_size(a, read->bytes),
			       (unsigned long long)write->calls, pario_units_size(b, write->bytes),
			       (unsigned long long)other->calls, pario_units_ns(c, order[i].key),
			       storage ? pario_profile_layers(pario_profile_file_layers(f), layers)
				       : pario_medium_names[medium]);
		pario_text_clean(text, file_name(p, order[i].number));
		pario_text_add(text, "\n");
	}
	more(text, shown, rows, storage ? p->unplaced_calls : 0);
	free(order);
}

static double failure_calls(const void *p, uint32_t i)
{
	return (double)((const struct pario_profile *)p)->failures[i].sum.calls;
}

static void show_failures(const struct pario_profile *p, unsigned rows, struct pario_text *text)
{
	uint32_t count = p->failure_of.count;
	struct pario_order *order = pario_order_new(count, failure_calls, p);
	char t[PARIO_UNITS_CAPACITY], error[PARIO_ERROR_CAPACITY];

	if (order && count) {
		heading(text, "failed calls");
		pario_text_add(text, "  %-14s %10s %10s  %-8s %-28s %s\n", "error", "calls", "time",
			       "layer", "operation", "name");
	}
	for (uint32_t i = 0; order && i < count && i < rows; i++) {
		const struct pario_profile_failure *f = &p->failures[order[i].number];

		pario_text_add(text, "  %-14s %10llu %10s  %-8s %s%-*s ",
			       pario_profile_error(f, error), (unsigned long long)f->sum.calls,
			       pario_units_ns(t, f->sum.ns), pario_trace_layer_name(f->layer),
			       f->nested ? "> " : "", f->nested ? 26 : 28,
			       pario_trace_operation(f->op)->name);
		pario_text_clean(text, file_name(p, f->file));
		pario_text_add(text, "\n");
	}
	if (order)
		more(text, count, rows, p->failures ? p->failures[0].sum.calls : 0);
	free(order);
}

static double mapped_bytes(const void *p, uint32_t i)
{
	return (double)((const struct pario_profile *)p)->files[i].mapped.bytes;
}

static void show_mapped_files(const struct pario_profile *p, unsigned rows, struct pario_text *text)
{
	uint32_t count = p->job.file_of.count, mapped = 0;
	struct pario_order *order = pario_order_new(count, mapped_bytes, p);
	char a[PARIO_UNITS_CAPACITY];

	if (!order)
		return;
	while (mapped < count && order[mapped].key > 0)
		mapped++;
	if (mapped) {
		heading(text, "mapped files");
		pario_text_add(text, "  %10s %10s  %s\n", "mappings", "mapped", "name");
	}
	for (uint32_t i = 0; i < mapped && i < rows; i++) {
		const struct pario_profile_sum *sum = &p->files[order[i].number].mapped;

		pario_text_add(text, "  %10llu %10s  ", (unsigned long long)sum->calls,
			       pario_units_size(a, sum->bytes));
		pario_text_clean(text, file_name(p, order[i].number));
		pario_text_add(text, "\n");
	}
	more(text, mapped, rows, 0);
	free(order);
}

static void sites_heading(bool storage, struct pario_text *text)
{
	heading(text, storage ? "call sites, on storage" : "call sites, not on storage");
	pario_text_add(text, "  %-8s %-28s %10s %10s %10s %6s  %s%s\n", "layer", "operation",
		       "calls", "bytes", "time", "share", storage ? "" : "for             ",
		       "called from");
}

static void show_sites(const struct pario_profile *p, struct pario_symbols *symbols, bool storage,
		       unsigned rows, struct pario_text *text)
{
	uint32_t count = p->site_of.count, shown = 0;
	struct pario_order *order = pario_order_new(count, site_ns, p);
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	if (!order)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct pario_profile_site *s = &p->sites[order[i].number];
		const struct pario_trace_operation *info = pario_trace_operation(s->op);

		if ((s->medium == PARIO_MEDIUM_STORAGE) != storage || shown++ >= rows)
			continue;
		if (shown == 1)
			sites_heading(storage, text);
		pario_text_add(text, "  %-8s %-28s %10llu %10s %10s %4.0f %%  ",
			       pario_trace_layer_name(info->layer), info->name,
			       (unsigned long long)s->sum.calls, pario_units_size(a, s->sum.bytes),
			       pario_units_ns(b, s->sum.ns),
			       p->on[s->medium].ns > 0 ? 100 * s->sum.ns / p->on[s->medium].ns : 0);
		if (!storage)
			pario_text_add(text, "%-15s ", pario_medium_names[s->medium]);
		pario_profile_site_name(p, symbols, s->module, s->offset, text);
		pario_text_add(text, "\n");
	}
	more(text, shown, rows, storage && p->sites ? p->sites[0].sum.calls : 0);
	free(order);
}

/* The whole way to a call, its caller first. */
static void show_stacks(const struct pario_profile *p, struct pario_symbols *symbols, unsigned rows,
			struct pario_text *text)
{
	uint32_t count = p->stacks.of.count;
	struct pario_order *order = pario_order_new(count, stack_ns, p);
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	if (!order || !count) {
		free(order);
		return;
	}
	heading(text, "call stacks, on storage and not");
	for (uint32_t i = 0; i < count && i < rows; i++) {
		const struct pario_stack *s = &p->stacks.stacks[order[i].number];
		const struct pario_profile_sum *sum = &p->stack_sums[order[i].number];

		pario_text_add(text, "  %-28s %10llu %10s %10s\n",
			       pario_trace_operation(s->op)->name, (unsigned long long)sum->calls,
			       pario_units_size(a, sum->bytes), pario_units_ns(b, sum->ns));
		for (uint32_t k = 0; k < s->count; k++) {
			const struct pario_stack_frame *f = &p->stacks.frames[s->first + k];

			pario_text_add(text, "      %s ", k ? "by" : "called from");
			pario_profile_site_name(p, symbols, f->module, f->offset, text);
			pario_text_add(text, "\n");
		}
	}
	more(text, count, rows, p->stack_sums[0].calls);
	free(order);
}

static void show_processes(const struct pario_profile *p, unsigned rows, struct pario_text *text)
{
	uint32_t count = p->job.process_of.count;
	double uneven = pario_profile_imbalance(p);
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], c[PARIO_UNITS_CAPACITY],
		d[PARIO_UNITS_CAPACITY], e[PARIO_UNITS_CAPACITY], g[PARIO_UNITS_CAPACITY];

	heading(text, "processes: calls, bytes and time on storage, and time elsewhere");
	pario_text_add(text, "  %6s %10s %10s %10s %10s %10s %10s %10s %10s %6s %7s  %s\n", "rank",
		       "pid", "calls", "read", "written", "time", "messages", "elsewhere", "mapped",
		       "major", "minor", "program");
	for (uint32_t i = 1; i <= count && i <= rows; i++) {
		const struct pario_job_process *q = &p->job.processes[i];
		const struct pario_profile_process *w = &p->processes[i];
		char rank[16] = "-";

		if (q->rank != UINT32_MAX)
			snprintf(rank, sizeof(rank), "%u", q->rank);
		pario_text_add(
			text, "  %6s %10u %10llu %10s %10s %10s %10s %10s %10s %6llu %7llu  ", rank,
			q->pid,
			(unsigned long long)(w->read.calls + w->write.calls + w->other.calls),
			pario_units_size(a, w->read.bytes), pario_units_size(b, w->write.bytes),
			pario_units_ns(c, pario_profile_busy_ns(w)), pario_units_ns(d, w->meet.ns),
			pario_units_ns(g, w->elsewhere.ns), pario_units_size(e, w->mapped.bytes),
			(unsigned long long)q->faults[0], (unsigned long long)q->faults[1]);
		pario_text_clean(text, q->program && strchr(q->program, '\n')
					       ? strchr(q->program, '\n') + 1
					       : "-");
		pario_text_add(text, "\n");
	}
	more(text, count, rows, 0);
	if (isfinite(uneven))
		pario_text_add(text,
			       "  imbalance: the busiest rank spent %.2f times the mean in its "
			       "calls on storage\n",
			       uneven);
}

enum { MOMENTS = 32 }; /* rows of the timeline */

struct moment {
	uint64_t bytes[2];
	double ns, lane_ns[PARIO_LANES];
};

static void gather(const struct pario_timeline *t, struct moment moments[MOMENTS])
{
	for (uint32_t row = 0; row < t->row_count; row++) {
		for (unsigned bin = 0; bin < PARIO_TIMELINE_BINS; bin++) {
			struct moment *m = &moments[bin * MOMENTS / PARIO_TIMELINE_BINS];

			for (unsigned lane = 0; lane <= PARIO_LANE_OTHER; lane++) {
				const struct pario_timeline_cell *c =
					pario_timeline_cell(t, 0, row, bin, lane);

				m->ns += c->ns;
				m->lane_ns[lane] += c->ns;
				if (lane <= PARIO_LANE_WRITE)
					m->bytes[lane] += c->bytes;
			}
		}
	}
}

/* Letters in the shares of reading, writing, syncing and the rest, 40 where it is `most`. */
static void add_moment_bar(struct pario_text *text, const struct moment *m, double most)
{
	static const char letters[] = "rws.";
	double sum = 0;
	long drawn = 0;

	for (unsigned lane = 0; lane <= PARIO_LANE_OTHER; lane++) {
		sum += m->lane_ns[lane];
		for (; drawn < lround(40 * sum / most); drawn++)
			pario_text_bytes(text, &letters[lane], 1);
	}
	pario_text_add(text, "\n");
}

static void show_timeline(const struct pario_profile *p, struct pario_text *text)
{
	double width_ns = p->timeline.bin_ns * PARIO_TIMELINE_BINS / MOMENTS, most = 0;
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], c[PARIO_UNITS_CAPACITY];
	struct moment moments[MOMENTS] = { 0 };
	int first = 0, last = MOMENTS - 1;

	gather(&p->timeline, moments);
	while (first < last && moments[first].ns <= 0)
		first++;
	while (last > first && moments[last].ns <= 0)
		last--;
	for (int i = first; i <= last; i++)
		most = fmax(most, moments[i].ns);
	heading(text, "timeline, of storage");
	if (most > 0)
		pario_text_add(
			text,
			"  the bar: time in calls of all processes, the longest %s; r read, w "
			"write, s sync, . other\n",
			pario_units_ns(a, most));
	for (int i = first; i <= last && most > 0; i++) {
		const struct moment *m = &moments[i];

		pario_text_add(text, "  %10s  read %10s  written %10s  |",
			       pario_units_ns(a, i * width_ns), pario_units_size(b, m->bytes[0]),
			       pario_units_size(c, m->bytes[1]));
		add_moment_bar(text, m, most);
	}
}

static void show_seeks(const struct pario_profile *p, struct pario_text *text)
{
	char a[PARIO_UNITS_CAPACITY];

	heading(text, "seek distances between transfers of one process to one file");
	for (unsigned i = 0; i < PARIO_PROFILE_SEEKS; i++) {
		uint64_t calls = p->seeks[0][i] + p->seeks[1][i];
		double bytes = fabs(pario_profile_seek_bytes(i));

		if (!calls)
			continue;
		if (i == 64)
			pario_text_add(text, "  %-24s %12llu\n", "none", (unsigned long long)calls);
		else
			pario_text_add(
				text, "  %s %-14s %12llu\n", i < 64 ? "back from" : "on from  ",
				pario_units_size(a, (uint64_t)bytes), (unsigned long long)calls);
	}
}

static int longer(const void *a, const void *b)
{
	double x = ((const struct pario_profile_call *)a)->ns,
	       y = ((const struct pario_profile_call *)b)->ns;

	return x < y ? 1 : x > y ? -1 : 0;
}

static void show_longest(const struct pario_profile *p, unsigned rows, struct pario_text *text)
{
	struct pario_profile_call calls[PARIO_PROFILE_LONGEST];
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], c[PARIO_UNITS_CAPACITY];

	memcpy(calls, p->longest, sizeof(calls));
	qsort(calls, p->longest_count, sizeof(*calls), longer);
	heading(text, "longest calls, on storage");
	for (uint32_t i = 0; i < p->longest_count && i < rows; i++) {
		const struct pario_trace_record *r = &calls[i].record;

		pario_text_add(text, "  %10s at %10s  pid %u  %s %s  ",
			       pario_units_ns(a, calls[i].ns), pario_units_ns(b, calls[i].start_ns),
			       p->job.processes[calls[i].process].pid,
			       pario_trace_operation(r->op)->name, pario_units_size(c, r->size));
		pario_text_clean(text, file_name(p, calls[i].file));
		pario_text_add(text, "\n");
	}
}

void pario_profile_show(const struct pario_profile *p, struct pario_symbols *symbols, unsigned rows,
			bool verbose, struct pario_text *text)
{
	struct pario_profile_findings findings;

	pario_profile_findings_judge(&findings, p);
	pario_profile_verdict_show(p, &findings, text);
	pario_show_summary(p, text);
	pario_profile_findings_show(p, &findings, symbols, rows, verbose, text);
	pario_profile_findings_release(&findings);
	pario_shares_show(p, text);
	if (p->counted) {
		show_files(p, true, rows, text);
		show_processes(p, rows, text);
		return;
	}
	show_sites(p, symbols, true, rows, text);
	show_stacks(p, symbols, rows, text);
	show_files(p, true, rows, text);
	show_failures(p, rows, text);
	show_processes(p, rows, text);
	show_kinds(p, true, rows, text);
	show_mapped_files(p, rows, text);
	show_timeline(p, text);
	show_seeks(p, text);
	show_longest(p, rows, text);
	show_kinds(p, false, rows, text);
	show_files(p, false, rows, text);
	show_sites(p, symbols, false, rows, text);
}
