/*
 * show: tables, the longest time first.
 */
#include "profile/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/findings/findings_text.h"
#include "profile/order.h"
#include "profile/shares.h"

static char *time_text(char *buf, double ns)
{
	return pario_units_time(buf, ns * 1e-9);
}

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

/* ---- losses and coverage, which stand first ---- */

void pario_show_requests(const uint64_t requests[PARIO_RINGS], struct pario_text *text)
{
	if (requests[PARIO_RING_ENTERED])
		pario_text_add(
			text,
			"NOT SEEN: %llu requests of io_uring, which the program submitted by "
			"system calls of its own, without the C library.\n",
			(unsigned long long)requests[PARIO_RING_ENTERED]);
	if (requests[PARIO_RING_PTRACE])
		pario_text_add(
			text,
			"NOT SEEN: %llu asynchronous requests; by ptrace only the calls that "
			"submit them are, and those of a polling kernel thread not at all.\n",
			(unsigned long long)requests[PARIO_RING_PTRACE]);
}

static void show_unseen(const struct pario_job *job, struct pario_text *text)
{
	const char *at = pario_text_string(&job->unseen), *end;

	for (; *at; at = *end ? end + 1 : end) {
		char line[1024];

		end = strchrnul(at, '\n');
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		pario_text_add(text, "NOT TRACED: ");
		pario_text_clean(text, line);
		pario_text_add(text, "\n");
	}
}

static void show_ranks(const struct pario_job *job, struct pario_text *text)
{
	if (pario_ranks_complete(&job->ranks))
		return;
	pario_text_add(text,
		       "THE TRACE HOLDS %u OF %u RANKS; missing: ", pario_ranks_count(&job->ranks),
		       job->ranks.world);
	pario_ranks_missing(&job->ranks, text);
	pario_text_add(text, "\n");
}

static void show_losses(const struct pario_profile *p, struct pario_text *text)
{
	const struct pario_job *job = &p->job;

	show_unseen(job, text);
	show_ranks(job, text);
	pario_show_requests(job->requests, text);

	if (job->losses.dropped)
		pario_text_add(text, "CALLS WERE LOST: %llu calls could not be recorded (%s).\n",
			       (unsigned long long)job->losses.dropped,
			       job->losses.why ? pario_err_name((int)job->losses.why)
					       : "signal handlers");
	if (job->losses.unfinished)
		pario_text_add(
			text,
			"%llu calls were not finished: their process ended, or a signal handler jumped out of them.\n",
			(unsigned long long)job->losses.unfinished);
	if (p->damaged_bytes)
		pario_text_add(
			text,
			"THE FILE IS DAMAGED: %llu bytes in %llu places could not be read%s.\n",
			(unsigned long long)p->damaged_bytes, (unsigned long long)p->damaged_blocks,
			p->torn ? "; its end is torn off" : "");
	if (job->losses.calls > p->all_calls + p->outside)
		pario_text_add(text, "%llu recorded calls are not in the file any more.\n",
			       (unsigned long long)(job->losses.calls - p->all_calls - p->outside));
	if (job->unended)
		pario_text_add(text, "%llu of %llu segments have no end in the file.\n",
			       (unsigned long long)job->unended, (unsigned long long)job->segments);
}

static double unexplained(uint64_t kernel, uint64_t seen)
{
	return kernel > seen ? 100.0 * (double)(kernel - seen) / (double)kernel : 0;
}

/* What the kernel counted from the first to the last call of each thread, against what was seen. */
static void show_coverage(const struct pario_profile *p, struct pario_text *text)
{
	uint64_t kernel[2] = { 0 }, checked = 0;

	for (uint32_t i = 1; i <= p->job.segments; i++) {
		if (!pario_job_checked(&p->job, i))
			continue;
		checked++;
		kernel[0] += p->job.counts[i].sum[0];
		kernel[1] += p->job.counts[i].sum[1];
	}
	pario_text_add(text, "coverage  ");
	if (p->range.limited) {
		pario_text_add(text, "not checked: the kernel's counts are of the whole program\n");
		return;
	}
	if (!checked) {
		pario_text_add(text, "not checked: no thread ended in the usual way\n");
		return;
	}
	pario_text_add(text, "%.1f %% of read and %.1f %% of written bytes unexplained",
		       unexplained(kernel[0], p->checked_bytes[0]),
		       unexplained(kernel[1], p->checked_bytes[1]));
	pario_text_add(text, " (the kernel counted %llu and %llu B in %llu of %llu segments)\n",
		       (unsigned long long)kernel[0], (unsigned long long)kernel[1],
		       (unsigned long long)checked, (unsigned long long)p->job.segments);
}

static void show_range(const struct pario_profile *p, struct pario_text *text)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	if (p->range.limited)
		pario_text_add(
			text,
			"range     only calls that began from %s on%s%s; %llu others are left "
			"out\n",
			time_text(a, p->range.from_ns),
			isfinite(p->range.to_ns) ? " and before " : "",
			isfinite(p->range.to_ns) ? time_text(b, p->range.to_ns) : "",
			(unsigned long long)p->outside);
}

/* Waiting for a child's pipe is not waiting for storage: a line for each kind. */
static void show_elsewhere(const struct pario_profile *p, struct pario_text *text)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];
	bool first = true;

	for (int i = PARIO_MEDIUM_STORAGE + 1; i < PARIO_MEDIA; i++) {
		const struct pario_profile_sum *sum = &p->on[i];

		if (!sum->calls)
			continue;
		pario_text_add(text, "%-9s %s in %llu calls for %s, %s moved\n",
			       first ? "besides" : "", time_text(a, sum->ns),
			       (unsigned long long)sum->calls, pario_medium_names[i],
			       pario_units_size(b, sum->bytes));
		first = false;
	}
}

/* Where several layers saw the same bytes, what each of them saw. */
static void show_layers(const struct pario_profile *p, struct pario_text *text)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], c[PARIO_UNITS_CAPACITY];
	bool first = true, nested = false;

	for (int i = 0; i < PARIO_TRACE_LAYERS; i++)
		nested |= p->layers[i][1][2].calls > 0;
	for (int i = 0; nested && i < 2 * PARIO_TRACE_LAYERS; i++) {
		const struct pario_profile_sum *sums =
			p->layers[i % PARIO_TRACE_LAYERS][i / PARIO_TRACE_LAYERS];

		if (!sums[2].calls)
			continue;
		pario_text_add(
			text, "%-9s %-7s %s: %llu calls, %s read, %s written, %s\n",
			first ? "layers" : "",
			pario_trace_layer_name((uint8_t)(i % PARIO_TRACE_LAYERS)),
			i < PARIO_TRACE_LAYERS ? "by the program itself" : "within other calls",
			(unsigned long long)sums[2].calls, pario_units_size(a, sums[0].bytes),
			pario_units_size(b, sums[1].bytes), time_text(c, sums[2].ns));
		first = false;
	}
	if (nested)
		pario_text_add(text, "          Calls within others may move the same bytes again: "
				     "layers are not to be added up.\n");
}

static void show_summary(const struct pario_profile *p, struct pario_text *text)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];
	uint64_t bytes[2] = { 0 };
	const char *program = p->job.process_of.count ? p->job.processes[1].program : NULL;
	const struct pario_profile_sum *storage = &p->on[PARIO_MEDIUM_STORAGE];
	char layers[PARIO_LAYERS_CAPACITY];

	for (uint32_t i = 1; i <= p->job.process_of.count; i++) {
		bytes[0] += p->processes[i].read.bytes;
		bytes[1] += p->processes[i].write.bytes;
	}
	if (program && strchr(program, '\n')) {
		pario_text_add(text, "program   ");
		pario_text_clean(text, strchr(program, '\n') + 1);
		pario_text_add(text, "\n");
	}
	pario_text_add(text, "processes %u on %u machine%s, %llu threads' segments\n",
		       p->job.process_of.count, p->job.machine_count,
		       p->job.machine_count == 1 ? "" : "s", (unsigned long long)p->job.segments);
	show_range(p, text);
	pario_text_add(text,
		       "calls     %llu (%llu by the program itself, %llu of these on storage, "
		       "%llu failed)\n",
		       (unsigned long long)p->all_calls, (unsigned long long)p->total.calls,
		       (unsigned long long)storage->calls, (unsigned long long)p->total.failed);
	pario_text_add(
		text, "bytes     %s read, %s written on storage, by the program's own calls (%s)\n",
		pario_units_size(a, bytes[0]), pario_units_size(b, bytes[1]),
		pario_profile_layers(storage->layers, layers));
	pario_text_add(text, "time      %s in calls on storage, over %s\n",
		       time_text(a, storage->ns), time_text(b, p->timeline.end_ns));
	show_elsewhere(p, text);
	show_layers(p, text);
	if (p->beside.calls)
		pario_text_add(text, "beside    %s of %llu asynchronous requests\n",
			       time_text(a, p->beside.ns), (unsigned long long)p->beside.calls);
}

/*
 * What goes through mappings makes no calls: what was mapped, and how often a page had to be brought, is all there is.
 */
static void show_mapped(const struct pario_profile *p, struct pario_text *text)
{
	uint64_t faults[2] = { 0 }, mappings = 0, bytes = 0;
	char a[PARIO_UNITS_CAPACITY];

	for (uint32_t i = 1; i <= p->job.process_of.count; i++) {
		faults[0] += p->job.processes[i].faults[0];
		faults[1] += p->job.processes[i].faults[1];
		mappings += p->processes[i].mapped.calls;
		bytes += p->processes[i].mapped.bytes;
	}
	if (mappings || faults[0])
		pario_text_add(text,
			       "mapped    %s of files in %llu mappings; %llu major and %llu minor "
			       "page faults\n",
			       pario_units_size(a, bytes), (unsigned long long)mappings,
			       (unsigned long long)faults[0], (unsigned long long)faults[1]);
}

/* How the clocks of several machines were laid beside each other. */
static void show_clocks(const struct pario_profile *p, struct pario_text *text)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	for (uint32_t i = 0; p->job.machine_count > 1 && i < p->job.machine_count; i++) {
		const struct pario_job_machine *m = &p->job.machines[i];
		const struct pario_align *l = &m->align;

		pario_text_add(text, "clock     ");
		pario_text_clean(text, *m->host ? m->host : "?");
		if (l->reference) {
			pario_text_add(text, ": the others are compared with it\n");
		} else if (!l->meetings) {
			pario_text_add(text,
				       ": has no barriers in common; its wall clock is taken\n");
		} else {
			pario_text_add(
				text, ": %s ± %s %s, drift %.3g ± %.2g ppm, from %u barriers; %s\n",
				time_text(a, fabs(l->offset_ns)), time_text(b, l->error_ns),
				l->offset_ns < 0 ? "behind" : "ahead", l->drift * 1e6,
				l->drift_error * 1e6, l->meetings,
				l->applied ? "taken off" : "less than the error, so left alone");
		}
	}
}

/* ---- tables ---- */

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
		const struct pario_trace_op_info *info =
			&pario_trace_op_info[k->op - PARIO_TRACE_FIRST];
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
				    : "cached",
			(unsigned long long)k->sum.calls, pario_units_size(size, k->sum.bytes),
			time_text(t[0], k->sum.ns),
			time_text(t[1], pario_histogram_quantile(k->times, 0.5)),
			time_text(t[2], pario_histogram_quantile(k->times, 0.99)),
			time_text(t[3], k->sum.max_ns), storage ? "" : "  ",
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
			       (unsigned long long)other->calls, time_text(c, order[i].key),
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
			       time_text(t, f->sum.ns), pario_trace_layer_name(f->layer),
			       f->nested ? "> " : "", f->nested ? 26 : 28,
			       pario_trace_op_info[f->op - PARIO_TRACE_FIRST].name);
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
		const struct pario_trace_op_info *info =
			&pario_trace_op_info[s->op - PARIO_TRACE_FIRST];

		if ((s->medium == PARIO_MEDIUM_STORAGE) != storage || shown++ >= rows)
			continue;
		if (shown == 1)
			sites_heading(storage, text);
		pario_text_add(text, "  %-8s %-28s %10llu %10s %10s %4.0f %%  ",
			       pario_trace_layer_name(info->layer), info->name,
			       (unsigned long long)s->sum.calls, pario_units_size(a, s->sum.bytes),
			       time_text(b, s->sum.ns),
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
			       pario_trace_op_info[s->op - PARIO_TRACE_FIRST].name,
			       (unsigned long long)sum->calls, pario_units_size(a, sum->bytes),
			       time_text(b, sum->ns));
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
			time_text(c, pario_profile_busy_ns(w)), time_text(d, w->meet.ns),
			time_text(g, w->elsewhere.ns), pario_units_size(e, w->mapped.bytes),
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
	double ns;
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
				if (lane <= PARIO_LANE_WRITE)
					m->bytes[lane] += c->bytes;
			}
		}
	}
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
	for (int i = first; i <= last && most > 0; i++) {
		const struct moment *m = &moments[i];

		pario_text_add(text, "  %10s  read %10s  written %10s  |%.*s\n",
			       time_text(a, i * width_ns), pario_units_size(b, m->bytes[0]),
			       pario_units_size(c, m->bytes[1]), (int)lround(40 * m->ns / most),
			       "****************************************");
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

		pario_text_add(text, "  %10s at %10s  pid %u  %s %s  ", time_text(a, calls[i].ns),
			       time_text(b, calls[i].start_ns),
			       p->job.processes[calls[i].process].pid,
			       pario_trace_op_info[r->op - PARIO_TRACE_FIRST].name,
			       pario_units_size(c, r->size));
		pario_text_clean(text, file_name(p, calls[i].file));
		pario_text_add(text, "\n");
	}
}

void pario_profile_show(const struct pario_profile *p, struct pario_symbols *symbols, unsigned rows,
			struct pario_text *text)
{
	show_losses(p, text);
	show_summary(p, text);
	show_mapped(p, text);
	show_clocks(p, text);
	show_coverage(p, text);
	pario_profile_findings_show(p, symbols, rows, text);
	pario_shares_show(p, text);
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
