/*
 * tables: one function per table; rows beyond the limit are counted, not written.
 */
#include "profile/show/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/findings/findings_text.h"
#include "profile/analyse/order.h"
#include "profile/analyse/shares.h"

#define ROW(tables, name, columns, ...) \
	pario_result_tables_row(tables, name, columns, (const struct pario_datum[]){ __VA_ARGS__ })

static double seconds(double ns)
{
	return ns * 1e-9;
}

static const char *operation(uint16_t op)
{
	return pario_trace_operation(op)->name;
}

/* ---- over time ---- */

static void timeline_level(const struct pario_timeline *t, unsigned level, const char *name,
			   struct pario_result_tables *tables)
{
	char row_name[48];

	for (uint32_t row = 0; row < t->row_count; row++) {
		pario_timeline_name(t, row, row_name);
		for (unsigned lane = 0; lane < PARIO_LANES; lane++) {
			for (unsigned bin = 0; bin < PARIO_TIMELINE_BINS; bin++) {
				const struct pario_timeline_cell *c =
					pario_timeline_cell(t, level, row, bin, lane);

				if (!c->calls && !(c->ns > 0))
					continue;
				ROW(tables, "timeline",
				    "level row what from_s to_s calls bytes busy_s processes",
				    PARIO_TEXT(name), PARIO_TEXT(row_name),
				    PARIO_TEXT(pario_lane_names[lane]),
				    PARIO_NUMBER(seconds(bin * t->bin_ns)),
				    PARIO_NUMBER(seconds((bin + 1) * t->bin_ns)),
				    PARIO_NUMBER(c->calls), PARIO_NUMBER(c->bytes),
				    PARIO_NUMBER(seconds(c->ns)),
				    PARIO_NUMBER(t->rows[row].processes));
			}
		}
	}
}

/* What the program called; and, where calls were made within others, what each layer did. */
static void add_timeline(const struct pario_profile *p, struct pario_result_tables *tables)
{
	timeline_level(&p->timeline, 0, "program", tables);
	if (p->all_calls == p->total.calls)
		return;
	for (uint8_t layer = 0; layer < PARIO_TRACE_LAYERS; layer++) {
		if (layer != PARIO_TRACE_PROCESS && layer != PARIO_TRACE_MPI)
			timeline_level(&p->timeline, 1u + layer, pario_trace_layer_name(layer),
				       tables);
	}
}

/* ---- histograms ---- */

static void add_sizes(const struct pario_profile *p, struct pario_result_tables *tables)
{
	for (uint8_t of = 0; of <= PARIO_TRACE_LAYERS; of++) {
		const char *by = of ? pario_trace_layer_name((uint8_t)(of - 1)) : "program";

		for (int k = 0; k < 2; k++) {
			for (unsigned i = 0; i < PARIO_PROFILE_POWERS; i++) {
				const struct pario_profile_power *s = &p->powers[of][k][i];

				if (s->calls)
					ROW(tables, "sizes",
					    "by what up_to_bytes calls bytes seconds",
					    PARIO_TEXT(by), PARIO_TEXT(pario_lane_names[k]),
					    PARIO_NUMBER(pario_trace_power_bytes(i)),
					    PARIO_NUMBER(s->calls), PARIO_NUMBER(s->bytes),
					    PARIO_NUMBER(seconds(s->ns)));
			}
		}
	}
}

static void add_seeks(const struct pario_profile *p, struct pario_result_tables *tables)
{
	for (int k = 0; k < 2; k++) {
		for (unsigned i = 0; i < PARIO_PROFILE_SEEKS; i++) {
			if (p->seeks[k][i])
				ROW(tables, "seeks", "what from_bytes calls",
				    PARIO_TEXT(pario_lane_names[k]),
				    PARIO_NUMBER(pario_profile_seek_bytes(i)),
				    PARIO_NUMBER(p->seeks[k][i]));
		}
	}
}

/* ---- where in the source ---- */

void pario_profile_source(const struct pario_profile *p, struct pario_symbols *symbols,
			  uint32_t module, uint64_t offset, struct pario_source *source)
{
	const struct pario_job_module *m =
		module < p->job.module_count ? &p->job.modules[module] : NULL;
	bool known = m && m->path && m->build_id;

	pario_symbols_find(symbols, known ? m->path : "", known ? m->build_id : "", offset, source);
}

void pario_profile_function(const struct pario_profile *p, struct pario_symbols *symbols,
			    uint32_t module, uint64_t offset, struct pario_source *source,
			    struct pario_text *text)
{
	const char *path = module < p->job.module_count && p->job.modules[module].path
				   ? p->job.modules[module].path
				   : "?",
		   *slash = strrchr(path, '/');

	pario_profile_source(p, symbols, module, offset, source);
	if (source->function.length)
		pario_text_clean(text, pario_text_string(&source->function));
	else {
		pario_text_clean(text, slash ? slash + 1 : path);
		pario_text_add(text, "+0x%llx", (unsigned long long)offset);
	}
}

static double site_ns(const void *p, uint32_t i)
{
	return ((const struct pario_profile *)p)->sites[i].sum.ns;
}

static void add_site(const struct pario_profile *p, struct pario_symbols *symbols,
		     const struct pario_profile_site *s, struct pario_source *at,
		     struct pario_result_tables *tables)
{
	const char *module = s->module < p->job.module_count ? p->job.modules[s->module].path : "";

	pario_profile_source(p, symbols, s->module, s->offset, at);
	ROW(tables, "sites",
	    "operation layer on function file line module offset calls failed bytes seconds max_s",
	    PARIO_TEXT(operation(s->op)),
	    PARIO_TEXT(pario_trace_layer_name(pario_trace_operation(s->op)->layer)),
	    PARIO_TEXT(pario_medium_names[s->medium]), PARIO_TEXT(pario_text_string(&at->function)),
	    PARIO_TEXT(pario_text_string(&at->file)),
	    PARIO_NUMBER(at->line ? at->line : (double)NAN), PARIO_TEXT(module ? module : ""),
	    PARIO_NUMBER(s->offset), PARIO_NUMBER(s->sum.calls), PARIO_NUMBER(s->sum.failed),
	    PARIO_NUMBER(s->sum.bytes), PARIO_NUMBER(seconds(s->sum.ns)),
	    PARIO_NUMBER(seconds(s->sum.max_ns)));
}

static bool add_sites(const struct pario_profile *p, struct pario_symbols *symbols,
		      struct pario_result_tables *tables)
{
	struct pario_order *order = pario_order_new(p->site_of.count, site_ns, p);
	struct pario_source at = { 0 };
	/* counters do not tell where in the program they were */
	uint32_t left = p->counted ? 0 : PARIO_TRACE_TABLE_SITES;

	for (int storage = 1; storage >= 0; storage--) {
		for (uint32_t i = 0; order && i < p->site_of.count && left; i++) {
			const struct pario_profile_site *s = &p->sites[order[i].number];

			if ((s->medium == PARIO_MEDIUM_STORAGE) != storage)
				continue;
			add_site(p, symbols, s, &at, tables);
			left--;
		}
	}
	pario_source_release(&at);
	free(order);
	return order;
}

static double stack_ns(const void *p, uint32_t i)
{
	return ((const struct pario_profile *)p)->stack_sums[i].ns;
}

static bool add_stacks(const struct pario_profile *p, struct pario_symbols *symbols,
		       struct pario_result_tables *tables)
{
	uint32_t count = p->stacks.of.count;
	struct pario_order *order = pario_order_new(count, stack_ns, p);
	struct pario_source at = { 0 };
	struct pario_text frames = { 0 };

	for (uint32_t i = 0; order && i < count && i < PARIO_TRACE_TABLE_STACKS; i++) {
		const struct pario_stack *s = &p->stacks.stacks[order[i].number];
		const struct pario_profile_sum *sum = &p->stack_sums[order[i].number];

		pario_text_clear(&frames);
		for (uint32_t k = 0; k < s->count; k++) {
			const struct pario_stack_frame *f = &p->stacks.frames[s->first + k];

			pario_text_add(&frames, "%s", k ? " ← " : "");
			pario_profile_function(p, symbols, f->module, f->offset, &at, &frames);
			if (at.line)
				pario_text_add(&frames, ":%d", at.line);
		}
		ROW(tables, "stacks", "operation frames calls bytes seconds",
		    PARIO_TEXT(operation(s->op)), PARIO_TEXT(pario_text_string(&frames)),
		    PARIO_NUMBER(sum->calls), PARIO_NUMBER(sum->bytes),
		    PARIO_NUMBER(seconds(sum->ns)));
	}
	pario_source_release(&at);
	pario_text_release(&frames);
	free(order);
	return order;
}

/* ---- files, processes, clocks ---- */

static double file_ns(const void *p, uint32_t i)
{
	return pario_profile_file_ns(&((const struct pario_profile *)p)->files[i]);
}

static void add_file(const struct pario_profile *p, uint32_t number,
		     struct pario_result_tables *tables)
{
	const struct pario_profile_file *f = &p->files[number];
	const struct pario_profile_sum *read = pario_profile_counts(f->read),
				       *write = pario_profile_counts(f->write),
				       *other = pario_profile_counts(f->other);
	const char *name = p->job.files[number];
	char layers[PARIO_LAYERS_CAPACITY];

	ROW(tables, "files",
	    "file on layer reads read_bytes read_s writes written_bytes write_s others other_s",
	    PARIO_TEXT(name ? name : ""), PARIO_TEXT(pario_medium_names[p->media[number]]),
	    PARIO_TEXT(pario_profile_layers(pario_profile_file_layers(f), layers)),
	    PARIO_NUMBER(read->calls), PARIO_NUMBER(read->bytes), PARIO_NUMBER(seconds(read->ns)),
	    PARIO_NUMBER(write->calls), PARIO_NUMBER(write->bytes),
	    PARIO_NUMBER(seconds(write->ns)), PARIO_NUMBER(other->calls),
	    PARIO_NUMBER(seconds(other->ns)));
}

static bool add_files(const struct pario_profile *p, struct pario_result_tables *tables)
{
	uint32_t count = p->job.file_of.count;
	struct pario_order *order = pario_order_new(count, file_ns, p);
	uint32_t left = PARIO_TRACE_TABLE_FILES;

	for (int storage = 1; storage >= 0; storage--) {
		for (uint32_t i = 0; order && i < count && left; i++) {
			if ((p->media[order[i].number] == PARIO_MEDIUM_STORAGE) != storage ||
			    !pario_profile_file_calls(&p->files[order[i].number]))
				continue;
			add_file(p, order[i].number, tables);
			left--;
		}
	}
	free(order);
	return order;
}

static double process_ns(const void *p, uint32_t i)
{
	return pario_profile_busy_ns(&((const struct pario_profile *)p)->processes[i]);
}

/* The last part of its path. */
static const char *program_name(const struct pario_job_process *of, char name[64])
{
	*name = '\0';
	if (of->program) {
		const char *end = strchrnul(of->program, '\n'), *at = end;

		while (at > of->program && at[-1] != '/')
			at--;
		snprintf(name, 64, "%.*s", (int)(end - at), at);
	}
	return name;
}

static bool add_processes(const struct pario_profile *p, struct pario_result_tables *tables)
{
	char name[64];
	uint32_t count = p->job.process_of.count;
	struct pario_order *order = pario_order_new(count, process_ns, p);

	for (uint32_t i = 0; order && i < count && i < PARIO_TRACE_TABLE_PROCESSES; i++) {
		const struct pario_job_process *of = &p->job.processes[order[i].number];
		const struct pario_profile_process *q = &p->processes[order[i].number];

		ROW(tables, "processes",
		    "rank pid program host calls read_bytes written_bytes read_s write_s other_s communication_s elsewhere_s "
		    "mapped_bytes major_faults minor_faults",
		    PARIO_NUMBER(of->rank == UINT32_MAX ? (double)NAN : of->rank),
		    PARIO_NUMBER(of->pid), PARIO_TEXT(program_name(of, name)),
		    PARIO_TEXT(p->job.machines[of->machine].host),
		    PARIO_NUMBER(q->read.calls + q->write.calls + q->other.calls),
		    PARIO_NUMBER(q->read.bytes), PARIO_NUMBER(q->write.bytes),
		    PARIO_NUMBER(seconds(q->read.ns)), PARIO_NUMBER(seconds(q->write.ns)),
		    PARIO_NUMBER(seconds(q->other.ns)), PARIO_NUMBER(seconds(q->meet.ns)),
		    PARIO_NUMBER(seconds(q->elsewhere.ns)), PARIO_NUMBER(q->mapped.bytes),
		    PARIO_NUMBER(of->faults[0]), PARIO_NUMBER(of->faults[1]));
	}
	free(order);
	return order;
}

/* ---- kinds of things, layers, failures ---- */

static void add_media(const struct pario_profile *p, struct pario_result_tables *tables)
{
	for (int i = 0; i < PARIO_MEDIA; i++) {
		const struct pario_profile_sum *sum = &p->on[i];

		if (sum->calls)
			ROW(tables, "media", "on calls failed bytes seconds max_s",
			    PARIO_TEXT(pario_medium_names[i]), PARIO_NUMBER(sum->calls),
			    PARIO_NUMBER(sum->failed), PARIO_NUMBER(sum->bytes),
			    PARIO_NUMBER(seconds(sum->ns)), PARIO_NUMBER(seconds(sum->max_ns)));
	}
}

static void add_layers(const struct pario_profile *p, struct pario_result_tables *tables)
{
	static const char *const by[] = { "program", "within other calls" };

	for (int nested = 0; nested < 2; nested++) {
		for (uint8_t i = 0; i < PARIO_TRACE_LAYERS; i++) {
			const struct pario_profile_sum *sums = p->layers[i][nested];

			if (sums[2].calls)
				ROW(tables, "layers",
				    "layer by calls reads read_bytes writes written_bytes seconds",
				    PARIO_TEXT(pario_trace_layer_name(i)), PARIO_TEXT(by[nested]),
				    PARIO_NUMBER(sums[2].calls), PARIO_NUMBER(sums[0].calls),
				    PARIO_NUMBER(sums[0].bytes), PARIO_NUMBER(sums[1].calls),
				    PARIO_NUMBER(sums[1].bytes), PARIO_NUMBER(seconds(sums[2].ns)));
		}
	}
}

static double failure_calls(const void *p, uint32_t i)
{
	return (double)((const struct pario_profile *)p)->failures[i].sum.calls;
}

static bool add_failures(const struct pario_profile *p, struct pario_result_tables *tables)
{
	uint32_t count = p->failure_of.count;
	struct pario_order *order = pario_order_new(count, failure_calls, p);
	char error[PARIO_ERROR_CAPACITY];

	for (uint32_t i = 0; order && i < count && i < PARIO_TRACE_TABLE_FAILURES; i++) {
		const struct pario_profile_failure *f = &p->failures[order[i].number];
		const char *name = f->file ? p->job.files[f->file] : NULL;

		ROW(tables, "failures", "operation layer by errno file calls seconds",
		    PARIO_TEXT(operation(f->op)), PARIO_TEXT(pario_trace_layer_name(f->layer)),
		    PARIO_TEXT(f->nested ? "within other calls" : "program"),
		    PARIO_TEXT(pario_profile_error(f, error)), PARIO_TEXT(name ? name : ""),
		    PARIO_NUMBER(f->sum.calls), PARIO_NUMBER(seconds(f->sum.ns)));
	}
	free(order);
	return order;
}

static void add_clocks(const struct pario_profile *p, struct pario_result_tables *tables)
{
	for (uint32_t i = 0; i < p->job.machine_count; i++) {
		const struct pario_job_machine *m = &p->job.machines[i];
		bool known = m->align.meetings > 0;
		uint32_t processes = 0;

		for (uint32_t k = 1; k <= p->job.process_of.count; k++)
			processes += p->job.processes[k].machine == i;
		ROW(tables, "clocks",
		    "host processes ahead_s drift_ppm drift_error_ppm error_s meetings applied",
		    PARIO_TEXT(m->host), PARIO_NUMBER(processes),
		    PARIO_NUMBER(known ? seconds(m->align.offset_ns) : (double)NAN),
		    PARIO_NUMBER(known ? m->align.drift * 1e6 : (double)NAN),
		    PARIO_NUMBER(known ? m->align.drift_error * 1e6 : (double)NAN),
		    PARIO_NUMBER(known ? seconds(m->align.error_ns) : (double)NAN),
		    PARIO_NUMBER(m->align.meetings), PARIO_NUMBER(m->align.applied));
	}
}

static void add_program(const struct pario_profile *p, struct pario_result_tables *tables)
{
	const char *program = p->job.process_of.count ? p->job.processes[1].program : NULL,
		   *command = program ? strchr(program, '\n') : NULL;

	if (command)
		ROW(tables, "program", "command", PARIO_TEXT(command + 1));
}

static uint32_t beyond(uint32_t count, uint32_t most)
{
	return count > most ? count - most : 0;
}

int pario_profile_tables(const struct pario_profile *p, struct pario_symbols *symbols,
			 struct pario_result_tables *tables,
			 struct pario_result_tables_omitted *omitted, struct pario_err *err)
{
	*omitted = (struct pario_result_tables_omitted){
		.sites = beyond(p->site_of.count, PARIO_TRACE_TABLE_SITES),
		.stacks = beyond(p->stacks.of.count, PARIO_TRACE_TABLE_STACKS),
		.files = beyond(p->job.file_of.count, PARIO_TRACE_TABLE_FILES),
		.failures = beyond(p->failure_of.count, PARIO_TRACE_TABLE_FAILURES),
		.processes = beyond(p->job.process_of.count, PARIO_TRACE_TABLE_PROCESSES),
	};
	add_program(p, tables);
	add_timeline(p, tables);
	add_sizes(p, tables);
	add_seeks(p, tables);
	add_clocks(p, tables);
	add_media(p, tables);
	add_layers(p, tables);
	if (!pario_profile_findings_table(p, symbols, tables) || !pario_shares_table(p, tables) ||
	    !add_failures(p, tables) || !add_sites(p, symbols, tables) ||
	    !add_stacks(p, symbols, tables) || !add_files(p, tables) || !add_processes(p, tables))
		return pario_err_memory(err, "the journal");
	return 0;
}
