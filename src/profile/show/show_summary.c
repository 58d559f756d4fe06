/*
 * show_summary: what stands above the tables of a profile: what was lost or not seen, the sums of each layer, mapped
 * files, clocks, and how much of the kernel's own count of bytes the trace explains.
 */
#include "profile/show/show_summary.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "profile/show/show.h"

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
	pario_job_requests(job->requests, text);

	if (job->losses.dropped)
		pario_text_add(text, "CALLS WERE LOST: %llu calls could not be recorded (%s).\n",
			       (unsigned long long)job->losses.dropped,
			       job->losses.why ? pario_err_name((int)job->losses.why)
					       : "signal handlers");
	if (job->losses.unfinished)
		pario_text_add(
			text,
			"%llu call%s not finished: the process or thread ended within, or jumped out.\n",
			(unsigned long long)job->losses.unfinished,
			job->losses.unfinished == 1 ? " was" : "s were");
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
			pario_units_ns(a, p->range.from_ns),
			isfinite(p->range.to_ns) ? " and before " : "",
			isfinite(p->range.to_ns) ? pario_units_ns(b, p->range.to_ns) : "",
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
		pario_text_add(text, "%-9s %s in ", first ? "besides" : "",
			       pario_units_ns(a, sum->ns));
		pario_text_count(text, sum->calls, "call");
		pario_text_add(text, " for %s", pario_medium_names[i]);
		if (sum->bytes)
			pario_text_add(text, ", %s moved", pario_units_size(b, sum->bytes));
		pario_text_add(text, "\n");
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
			pario_units_size(b, sums[1].bytes), pario_units_ns(c, sums[2].ns));
		first = false;
	}
	if (nested)
		pario_text_add(text, "          Calls within others may move the same bytes again: "
				     "layers are not to be added up.\n");
}

static void show_sums(const struct pario_profile *p, struct pario_text *text)
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
	pario_text_add(text, "processes %u on ", p->job.process_of.count);
	pario_text_count(text, p->job.machine_count, "machine");
	pario_text_add(text, ", ");
	pario_text_count(text, p->job.segments, "thread");
	pario_text_add(text, "\n");
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
		       pario_units_ns(a, storage->ns), pario_units_ns(b, p->timeline.end_ns));
	show_elsewhere(p, text);
	show_layers(p, text);
	if (p->beside.calls)
		pario_text_add(text, "beside    %s of %llu asynchronous requests\n",
			       pario_units_ns(a, p->beside.ns),
			       (unsigned long long)p->beside.calls);
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
	if (mappings || faults[0]) {
		pario_text_add(text, "mapped    %s of files in ", pario_units_size(a, bytes));
		pario_text_count(text, mappings, "mapping");
		pario_text_add(text, "; %llu major and %llu minor page faults\n",
			       (unsigned long long)faults[0], (unsigned long long)faults[1]);
	}
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
				pario_units_ns(a, fabs(l->offset_ns)),
				pario_units_ns(b, l->error_ns),
				l->offset_ns < 0 ? "behind" : "ahead", l->drift * 1e6,
				l->drift_error * 1e6, l->meetings,
				l->applied ? "taken off" : "less than the error, so left alone");
		}
	}
}

/* Of counters, not of calls. */
static void show_counted(const struct pario_profile *p, struct pario_text *text)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];
	const char *program = p->job.process_of.count ? p->job.processes[1].program : NULL;

	pario_text_add(text, "%s", pario_text_string(&p->notes));
	if (program && strchr(program, '\n')) {
		pario_text_add(text, "program   ");
		pario_text_clean(text, strchr(program, '\n') + 1);
		pario_text_add(text, "\n");
	}
	pario_text_add(text, "processes %u; counters of Darshan, no single calls\n",
		       p->job.process_of.count);
	pario_text_add(text, "bytes     %s read, %s written, in %llu calls on storage\n",
		       pario_units_size(a, p->classes[PARIO_CLASS_READ].bytes),
		       pario_units_size(b, p->classes[PARIO_CLASS_WRITE].bytes),
		       (unsigned long long)p->on[PARIO_MEDIUM_STORAGE].calls);
	pario_text_add(text, "time      %s in calls on storage, over %s\n",
		       pario_units_ns(a, p->on[PARIO_MEDIUM_STORAGE].ns),
		       pario_units_ns(b, p->timeline.end_ns));
	show_layers(p, text);
}

void pario_show_summary(const struct pario_profile *p, struct pario_text *text)
{
	if (p->counted) {
		show_counted(p, text);
		return;
	}
	show_losses(p, text);
	show_sums(p, text);
	show_mapped(p, text);
	show_clocks(p, text);
	show_coverage(p, text);
}
