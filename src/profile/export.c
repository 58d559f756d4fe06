/*
 * export: calls as they come, the journal at the end.
 */
#include "profile/export.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "profile/journal.h"
#include "profile/tables.h"

const char *const pario_export_names[PARIO_EXPORTS] = { "journal", "csv", "perfetto", "folded" };

static const char csv_head[] =
	"start_ns,duration_ns,rank,pid,tid,layer,depth,operation,file,offset,size,result,errno,module,address\n";

static const char perfetto_head[] =
	"{\"otherData\":{\"producer\":\"pario\"},\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";

/* By their first line; folded stacks have no place for one that is pario's alone. */
static const char *const marks[PARIO_EXPORTS] = {
	[PARIO_EXPORT_CSV] = csv_head, [PARIO_EXPORT_PERFETTO] = perfetto_head
};

int pario_exports_open(struct pario_exports *e, const char *const paths[PARIO_EXPORTS], bool force,
		       struct pario_err *err)
{
	*e = (struct pario_exports){ 0 };
	memcpy(e->paths, paths, sizeof(e->paths));
	for (int i = PARIO_EXPORT_CSV; i < PARIO_EXPORTS; i++) {
		const struct pario_output_rule rule = { .mark = marks[i], .force = force };

		if (paths[i] &&
		    pario_output_begin(&e->outputs[i], AT_FDCWD, paths[i], &rule, err) < 0)
			return -1;
	}
	e->csv = e->outputs[PARIO_EXPORT_CSV].file;
	e->perfetto = e->outputs[PARIO_EXPORT_PERFETTO].file;
	e->folded = e->outputs[PARIO_EXPORT_FOLDED].file;
	if (e->csv)
		fputs(csv_head, e->csv);
	if (e->perfetto)
		fputs(perfetto_head, e->perfetto);
	return 0;
}

/* Quoted, with control bytes and invalid UTF-8 made visible; what a spreadsheet would take for a formula gets an apostrophe. */
static void csv_text(struct pario_exports *e, const char *text)
{
	struct pario_text *clean = &e->json.text;

	pario_text_clear(clean);
	pario_text_clean(clean, text);
	fputc('"', e->csv);
	if (*text && strchr("=+-@", *text))
		fputc('\'', e->csv);
	for (text = pario_text_string(clean); *text; text++) {
		if (*text == '"')
			fputc('"', e->csv);
		fputc(*text, e->csv);
	}
	fputc('"', e->csv);
	pario_text_clear(clean);
}

static const char *name_of(const struct pario_profile *p, uint32_t file)
{
	return file && p->job.files[file] ? p->job.files[file] : "";
}

static void write_csv(struct pario_exports *e, const struct pario_profile *p,
		      const struct pario_profile_call *call)
{
	const struct pario_trace_record *r = &call->record;
	const struct pario_job_process *q = &p->job.processes[call->process];
	const struct pario_job_mapping *m = pario_job_mapping(&p->job, call->process, r->site - 1);
	bool failed = r->flags & PARIO_TRACE_FAILED;

	fprintf(e->csv, "%.0f,%.0f,", call->start_ns, call->ns);
	if (q->rank != UINT32_MAX)
		fprintf(e->csv, "%u", q->rank);
	fprintf(e->csv, ",%u,%u,%s,%d,%s,", q->pid, call->thread, pario_trace_layer_name(r->layer),
		r->flags & PARIO_TRACE_DEPTH, pario_trace_op_info[r->op - PARIO_TRACE_FIRST].name);
	csv_text(e, name_of(p, call->file));
	fputc(',', e->csv);
	if (r->offset != PARIO_TRACE_NOWHERE)
		fprintf(e->csv, "%llu", (unsigned long long)r->offset);
	fprintf(e->csv, ",%llu,%d,%s,", (unsigned long long)r->size, failed ? -1 : r->result,
		failed ? pario_err_name(r->result) : "");
	csv_text(e, m && p->job.modules[m->module].path ? p->job.modules[m->module].path : "");
	fprintf(e->csv, ",0x%llx\n", (unsigned long long)(m ? r->site - m->base : r->site));
}

/* Two machines may have a process of one number: Linux counts to 2^22. */
static uint64_t pid_of(const struct pario_profile *p, uint32_t process)
{
	const struct pario_job_process *q = &p->job.processes[process];

	return (uint64_t)q->machine << 22 | q->pid;
}

static void end_event(struct pario_exports *e)
{
	fprintf(e->perfetto, "%s%s", e->comma ? ",\n" : "", pario_text_string(&e->json.text));
	e->comma = true;
	pario_text_clear(&e->json.text);
	e->json.comma = false;
}

static void open_event(struct pario_exports *e, const struct pario_profile *p,
		       const struct pario_profile_call *call, const char *kind, double ns)
{
	const struct pario_trace_record *r = &call->record;
	struct pario_json *j = &e->json;

	pario_json_open(j, NULL, '{');
	pario_json_string(j, "name", pario_trace_op_info[r->op - PARIO_TRACE_FIRST].name);
	pario_json_string(j, "cat", pario_trace_layer_name(r->layer));
	pario_json_string(j, "ph", kind);
	pario_json_real(j, "ts", ns / 1000);
	pario_json_u64(j, "pid", pid_of(p, call->process));
	pario_json_u64(j, "tid", call->thread);
}

/* Calls of a thread lie within each other. Requests overlap: each has a beginning and an end that share a number. */
static void write_perfetto(struct pario_exports *e, const struct pario_profile *p,
			   const struct pario_profile_call *call)
{
	const struct pario_trace_record *r = &call->record;
	struct pario_json *j = &e->json;

	bool request = r->flags & PARIO_TRACE_COMPLETED;

	open_event(e, p, call, request ? "b" : "X", call->start_ns);
	if (request)
		pario_json_u64(j, "id", ++e->requests);
	else
		pario_json_real(j, "dur", call->ns / 1000);
	pario_json_open(j, "args", '{');
	pario_json_string(j, "file", name_of(p, call->file));
	if (r->offset != PARIO_TRACE_NOWHERE)
		pario_json_u64(j, "offset", r->offset);
	pario_json_u64(j, "size", r->size);
	if (r->flags & PARIO_TRACE_FAILED)
		pario_json_string(j, "errno", pario_err_name(r->result));
	else
		pario_json_i64(j, "result", r->result);
	pario_json_close(j, '}');
	pario_json_close(j, '}');
	end_event(e);
	if (!request)
		return;
	open_event(e, p, call, "e", call->start_ns + call->ns);
	pario_json_u64(j, "id", e->requests);
	pario_json_close(j, '}');
	end_event(e);
}

/* What processes are called, and ranks in their order. */
static void name_processes(struct pario_exports *e, const struct pario_profile *p)
{
	struct pario_text name = { 0 };
	struct pario_json *j = &e->json;

	for (uint32_t i = 1; i <= p->job.process_of.count; i++) {
		const struct pario_job_process *q = &p->job.processes[i];
		const char *words = q->program ? strchr(q->program, '\n') : NULL;

		pario_text_clear(&name);
		if (q->rank != UINT32_MAX)
			pario_text_add(&name, "rank %u: ", q->rank);
		pario_text_add(&name, "%s on %s", words ? words + 1 : "?",
			       p->job.machines[q->machine].host);
		pario_json_open(j, NULL, '{');
		pario_json_string(j, "name", "process_name");
		pario_json_string(j, "ph", "M");
		pario_json_u64(j, "pid", pid_of(p, i));
		pario_json_open(j, "args", '{');
		pario_json_string(j, "name", pario_text_string(&name));
		pario_json_close(j, '}');
		pario_json_close(j, '}');
		end_event(e);
		if (q->rank == UINT32_MAX)
			continue;
		pario_json_open(j, NULL, '{');
		pario_json_string(j, "name", "process_sort_index");
		pario_json_string(j, "ph", "M");
		pario_json_u64(j, "pid", pid_of(p, i));
		pario_json_open(j, "args", '{');
		pario_json_u64(j, "sort_index", q->rank);
		pario_json_close(j, '}');
		pario_json_close(j, '}');
		end_event(e);
	}
	pario_text_release(&name);
}

int pario_exports_see(void *exports, const struct pario_profile *p,
		      const struct pario_profile_call *call, struct pario_err *err)
{
	struct pario_exports *e = exports;

	if (e->csv)
		write_csv(e, p, call);
	if (e->perfetto)
		write_perfetto(e, p, call);
	if ((e->csv && ferror(e->csv)) || (e->perfetto && ferror(e->perfetto)))
		return pario_err_sys(err, errno, NULL, "The export of the trace cannot be written");
	return 0;
}

/* ---- stacks, one line each, as flame graphs are made of ---- */

static uint64_t weight_of(const struct pario_profile_sum *sum, enum pario_weight weight)
{
	return weight == PARIO_WEIGHT_BYTES   ? sum->bytes
	       : weight == PARIO_WEIGHT_CALLS ? sum->calls
					      : (uint64_t)llround(sum->ns);
}

/* The outermost caller first; a semicolon separates, so none stays in a name. */
static void write_stack(FILE *file, const struct pario_profile *p, struct pario_symbols *symbols,
			uint32_t number, struct pario_source *at, struct pario_text *line)
{
	const struct pario_stack *s = &p->stacks.stacks[number];

	pario_text_clear(line);
	for (uint32_t k = s->count; k > 0; k--) {
		const struct pario_stack_frame *f = &p->stacks.frames[s->first + k - 1];
		size_t from = line->length;

		pario_profile_function(p, symbols, f->module, f->offset, at, line);
		for (size_t i = from; i < line->length; i++) {
			if (line->data[i] == ';')
				line->data[i] = ':';
		}
		pario_text_add(line, ";");
	}
	fprintf(file, "%s%s", pario_text_string(line),
		pario_trace_op_info[s->op - PARIO_TRACE_FIRST].name);
}

static int write_folded(struct pario_exports *e, const struct pario_profile *p,
			struct pario_symbols *symbols, struct pario_err *err)
{
	struct pario_source at = { 0 };
	struct pario_text line = { 0 };
	bool failed = false;

	for (uint32_t i = 1; i <= p->stacks.of.count; i++) {
		uint64_t weight = weight_of(&p->stack_sums[i], e->weight);

		if (!weight)
			continue;
		write_stack(e->folded, p, symbols, i, &at, &line);
		fprintf(e->folded, " %llu\n", (unsigned long long)weight);
	}
	failed = line.failed || fflush(e->folded) != 0;
	pario_source_release(&at);
	pario_text_release(&line);
	return failed ? pario_err_sys(err, errno, NULL, "The stacks cannot be written") : 0;
}

int pario_exports_close(struct pario_exports *e, const struct pario_profile *p,
			struct pario_symbols *symbols, const char *trace, struct pario_err *err)
{
	int status = e->folded && p ? write_folded(e, p, symbols, err) : 0;
	bool whole = p && status == 0;

	if (e->perfetto && p) {
		name_processes(e, p);
		fputs("\n]}\n", e->perfetto);
	}
	for (int i = 0; i < PARIO_EXPORTS; i++) {
		if (pario_output_end(&e->outputs[i], whole, status == 0 ? err : NULL) < 0)
			status = -1;
	}
	pario_json_release(&e->json);
	if (status < 0)
		return -1;
	if (p && e->paths[PARIO_EXPORT_JOURNAL])
		return pario_profile_journal(e->paths[PARIO_EXPORT_JOURNAL], p, symbols, trace,
					     err);
	return 0;
}
