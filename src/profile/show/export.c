/*
 * export: calls as they come, the journal at the end.
 */
#include "profile/show/export.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "trace/arguments.h"
#include "profile/show/journal.h"
#include "profile/show/tables.h"

const char *const pario_export_names[PARIO_EXPORTS] = { "journal", "csv", "perfetto", "folded" };

static const char csv_head[] =
	"start_ns,duration_ns,rank,pid,tid,layer,depth,operation,file,offset,size,result,errno,module,address,fd,arguments\n";

static const char perfetto_head[] =
	"{\"otherData\":{\"producer\":\"pario\"},\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";

/* By their first line; folded stacks have no place for one that is pario's alone. */
static const char *const marks[PARIO_EXPORTS] = {
	[PARIO_EXPORT_CSV] = csv_head, [PARIO_EXPORT_PERFETTO] = perfetto_head
};

/* In the head of a compressed file. */
static const char *const gzip_marks[PARIO_EXPORTS] = {
	[PARIO_EXPORT_CSV] = "pario profile --csv",
	[PARIO_EXPORT_PERFETTO] = "pario profile --perfetto",
	[PARIO_EXPORT_FOLDED] = "pario profile --folded",
};

int pario_exports_open(struct pario_exports *e, const char *const paths[PARIO_EXPORTS], bool force,
		       struct pario_err *err)
{
	*e = (struct pario_exports){ 0 };
	memcpy(e->paths, paths, sizeof(e->paths));
	for (int i = PARIO_EXPORT_CSV; i < PARIO_EXPORTS; i++) {
		struct pario_output_rule rule = { .mark = marks[i], .force = force };

		if (paths[i] && pario_export_file_compresses(paths[i]))
			rule.mark = gzip_marks[i];
		if (paths[i] &&
		    pario_output_begin(&e->outputs[i], AT_FDCWD, paths[i], &rule, err) < 0)
			return -1;
	}
	for (int i = PARIO_EXPORT_CSV; i < PARIO_EXPORTS; i++) {
		if (paths[i] && pario_export_file_open(&e->sinks[i], e->outputs[i].file, paths[i],
						       gzip_marks[i], err) < 0)
			return -1;
	}
	if (paths[PARIO_EXPORT_CSV])
		pario_export_file_text(&e->sinks[PARIO_EXPORT_CSV], csv_head);
	if (paths[PARIO_EXPORT_PERFETTO])
		pario_export_file_text(&e->sinks[PARIO_EXPORT_PERFETTO], perfetto_head);
	return 0;
}

/* ---- names, quoted once each ---- */

static char *csv_quoted(const char *text)
{
	struct pario_text out = { 0 };
	char *copy;

	pario_csv_quote(&out, text);
	copy = out.failed ? NULL : strdup(pario_text_string(&out));
	pario_text_release(&out);
	return copy;
}

static char *json_quoted(const char *text)
{
	struct pario_json j = { 0 };
	char *copy;

	pario_json_string(&j, NULL, text);
	copy = j.text.failed ? NULL : strdup(pario_text_string(&j.text));
	pario_json_release(&j);
	return copy;
}

enum name_kind { CSV_FILE, CSV_MODULE, JSON_FILE, NAME_KINDS };

/* The quoted name of a file or module; number 0 is no name. */
static const char *quoted(struct pario_exports *e, const struct pario_profile *p, uint32_t number,
			  enum name_kind kind)
{
	uint32_t files = p->job.file_of.count + 1, modules = p->job.module_count + 1;
	const char *name = kind == CSV_MODULE ? (number ? p->job.modules[number - 1].path : "")
					      : (number ? p->job.files[number] : "");
	char **at;

	if (!e->names) {
		e->name_count = 2 * files + modules;
		e->names = calloc(e->name_count, sizeof(*e->names));
		if (!e->names) {
			e->no_memory = true;
			return "\"\"";
		}
	}
	at = &e->names[number + (kind == CSV_FILE ? 0 : kind == JSON_FILE ? files : 2 * files)];
	if (!*at)
		*at = kind == JSON_FILE ? json_quoted(name ? name : "")
					: csv_quoted(name ? name : "");
	e->no_memory |= !*at;
	return *at ? *at : "\"\"";
}

/* ---- every call as a line ---- */

struct of_process {
	const struct pario_profile *p;
	uint32_t process;
};

static const char *name_of(void *context, uint32_t number)
{
	const struct of_process *of = context;
	uint32_t place = pario_job_place(&of->p->job, of->process, number);

	return place ? of->p->job.files[of->p->job.places[place]] : NULL;
}

/* In quotes where it has any; most calls have none. */
static void write_arguments(struct pario_exports *e, const struct pario_profile *p,
			    const struct pario_profile_call *call)
{
	struct of_process of = { p, call->process };
	struct pario_arguments arguments;
	char *text;

	pario_arguments_of(&arguments, &call->record);
	if (arguments.kind == PARIO_ARGUMENTS_NONE)
		return;
	pario_text_clear(&e->arguments);
	pario_arguments_text(&arguments, call->record.op, &e->arguments, name_of, &of);
	if (!e->arguments.length)
		return;
	text = csv_quoted(pario_text_string(&e->arguments));
	e->no_memory |= !text;
	pario_export_file_text(&e->sinks[PARIO_EXPORT_CSV], text ? text : "");
	free(text);
}

static void write_csv(struct pario_exports *e, const struct pario_profile *p,
		      const struct pario_profile_call *call)
{
	const struct pario_trace_record *r = &call->record;
	const struct pario_job_process *q = &p->job.processes[call->process];
	const struct pario_job_mapping *m = pario_job_mapping(&p->job, call->process, r->site - 1);
	struct pario_export_file *s = &e->sinks[PARIO_EXPORT_CSV];
	bool failed = r->flags & PARIO_TRACE_FAILED;

	pario_export_file_i64(s, llround(call->start_ns));
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_i64(s, llround(call->ns));
	pario_export_file_bytes(s, ",", 1);
	if (q->rank != UINT32_MAX)
		pario_export_file_u64(s, q->rank);
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_u64(s, q->pid);
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_u64(s, call->thread);
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_text(s, pario_trace_layer_name(r->layer));
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_u64(s, r->flags & PARIO_TRACE_DEPTH);
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_text(s, pario_trace_operation(r->op)->name);
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_text(s, quoted(e, p, call->file, CSV_FILE));
	pario_export_file_bytes(s, ",", 1);
	if (r->offset != PARIO_TRACE_NOWHERE)
		pario_export_file_u64(s, r->offset);
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_u64(s, r->size);
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_i64(s, failed ? -1 : r->result);
	pario_export_file_bytes(s, ",", 1);
	if (failed)
		pario_export_file_text(s, pario_err_name(r->result));
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_text(s, quoted(e, p, m ? m->module + 1 : 0, CSV_MODULE));
	pario_export_file_bytes(s, ",0x", 3);
	pario_export_file_hex(s, m ? r->site - m->base : r->site);
	pario_export_file_bytes(s, ",", 1);
	pario_export_file_i64(s, r->fd);
	pario_export_file_bytes(s, ",", 1);
	write_arguments(e, p, call);
	pario_export_file_bytes(s, "\n", 1);
}

/* Two machines may have a process of one number: Linux counts to 2^22. */
static uint64_t pid_of(const struct pario_profile *p, uint32_t process)
{
	const struct pario_job_process *q = &p->job.processes[process];

	return (uint64_t)q->machine << 22 | q->pid;
}

static void begin_event(struct pario_exports *e)
{
	pario_export_file_text(&e->sinks[PARIO_EXPORT_PERFETTO], e->comma ? ",\n" : "");
	e->comma = true;
}

/* Those that are few are put together the usual way. */
static void end_event(struct pario_exports *e)
{
	begin_event(e);
	pario_export_file_text(&e->sinks[PARIO_EXPORT_PERFETTO], pario_text_string(&e->json.text));
	e->no_memory |= e->json.text.failed;
	pario_text_clear(&e->json.text);
	e->json.comma = false;
}

/* Names of operations and layers need no quoting. */
static void open_event(struct pario_exports *e, const struct pario_profile *p,
		       const struct pario_profile_call *call, const char *kind, double ns)
{
	const struct pario_trace_record *r = &call->record;
	struct pario_export_file *s = &e->sinks[PARIO_EXPORT_PERFETTO];

	begin_event(e);
	pario_export_file_text(s, "{\"name\":\"");
	pario_export_file_text(s, pario_trace_operation(r->op)->name);
	pario_export_file_text(s, "\",\"cat\":\"");
	pario_export_file_text(s, pario_trace_layer_name(r->layer));
	pario_export_file_text(s, "\",\"ph\":\"");
	pario_export_file_text(s, kind);
	pario_export_file_text(s, "\",\"ts\":");
	pario_export_file_us(s, ns);
	pario_export_file_text(s, ",\"pid\":");
	pario_export_file_u64(s, pid_of(p, call->process));
	pario_export_file_text(s, ",\"tid\":");
	pario_export_file_u64(s, call->thread);
}

static void write_args(struct pario_exports *e, const struct pario_profile *p,
		       const struct pario_profile_call *call)
{
	const struct pario_trace_record *r = &call->record;
	struct pario_export_file *s = &e->sinks[PARIO_EXPORT_PERFETTO];

	pario_export_file_text(s, ",\"args\":{\"file\":");
	pario_export_file_text(s, quoted(e, p, call->file, JSON_FILE));
	if (r->offset != PARIO_TRACE_NOWHERE) {
		pario_export_file_text(s, ",\"offset\":");
		pario_export_file_u64(s, r->offset);
	}
	pario_export_file_text(s, ",\"size\":");
	pario_export_file_u64(s, r->size);
	if (r->flags & PARIO_TRACE_FAILED) {
		pario_export_file_text(s, ",\"errno\":\"");
		pario_export_file_text(s, pario_err_name(r->result));
		pario_export_file_text(s, "\"}}");
	} else {
		pario_export_file_text(s, ",\"result\":");
		pario_export_file_i64(s, r->result);
		pario_export_file_text(s, "}}");
	}
}

/* Calls of a thread lie within each other. Requests overlap: each has a beginning and an end that share a number. */
static void write_perfetto(struct pario_exports *e, const struct pario_profile *p,
			   const struct pario_profile_call *call)
{
	struct pario_export_file *s = &e->sinks[PARIO_EXPORT_PERFETTO];
	bool request = call->record.flags & PARIO_TRACE_COMPLETED;

	open_event(e, p, call, request ? "b" : "X", call->start_ns);
	pario_export_file_text(s, request ? ",\"id\":" : ",\"dur\":");
	if (request)
		pario_export_file_u64(s, ++e->requests);
	else
		pario_export_file_us(s, call->ns);
	write_args(e, p, call);
	if (!request)
		return;
	open_event(e, p, call, "e", call->start_ns + call->ns);
	pario_export_file_text(s, ",\"id\":");
	pario_export_file_u64(s, e->requests);
	pario_export_file_text(s, "}");
}

static void write_meta(struct pario_exports *e, uint64_t pid, const char *what, const char *name,
		       uint64_t index)
{
	struct pario_json *j = &e->json;

	pario_json_open(j, NULL, '{');
	pario_json_string(j, "name", what);
	pario_json_string(j, "ph", "M");
	pario_json_u64(j, "pid", pid);
	pario_json_open(j, "args", '{');
	if (name)
		pario_json_string(j, "name", name);
	else
		pario_json_u64(j, "sort_index", index);
	pario_json_close(j, '}');
	pario_json_close(j, '}');
	end_event(e);
}

/* The programs of one pid, one after the other: exec changes the program and keeps the number. */
struct names {
	struct pario_map of;
	struct pario_text *texts;
	uint32_t capacity;
};

static void add_name(struct pario_exports *e, struct names *n, const struct pario_profile *p,
		     uint32_t process)
{
	const struct pario_job_process *q = &p->job.processes[process];
	const char *words = q->program ? strchr(q->program, '\n') : NULL;
	bool is_new;
	uint32_t at =
		pario_map_add(&n->of, (struct pario_map_key){ pid_of(p, process), 0, 0 }, &is_new);
	struct pario_text *texts = pario_map_grow(n->texts, &n->capacity, at, sizeof(*texts));

	e->no_memory |= !texts;
	if (!texts)
		return;
	n->texts = texts;
	if (is_new && q->rank != UINT32_MAX)
		pario_text_add(&texts[at], "rank %u: ", q->rank);
	pario_text_add(&texts[at], "%s%s", is_new ? "" : ", then ", words ? words + 1 : "?");
}

/* What processes are called, and ranks in their order. */
static void name_processes(struct pario_exports *e, const struct pario_profile *p)
{
	struct names n = { .of.limit = PARIO_JOB_PROCESSES };

	for (uint32_t i = 1; i <= p->job.process_of.count; i++)
		add_name(e, &n, p, i);
	for (uint32_t i = 1; i <= p->job.process_of.count && !e->no_memory; i++) {
		const struct pario_job_process *q = &p->job.processes[i];
		uint64_t pid = pid_of(p, i);
		struct pario_text *name =
			&n.texts[pario_map_find(&n.of, (struct pario_map_key){ pid, 0, 0 })];

		if (name->length) {
			pario_text_add(name, " on %s", p->job.machines[q->machine].host);
			write_meta(e, pid, "process_name", pario_text_string(name), 0);
		}
		pario_text_clear(name);
		if (q->rank != UINT32_MAX)
			write_meta(e, pid, "process_sort_index", NULL, q->rank);
	}
	for (uint32_t i = 0; i < n.capacity; i++)
		pario_text_release(&n.texts[i]);
	free(n.texts);
	pario_map_release(&n.of);
}

int pario_exports_see(void *exports, const struct pario_profile *p,
		      const struct pario_profile_call *call, struct pario_err *err)
{
	struct pario_exports *e = exports;

	if (e->sinks[PARIO_EXPORT_CSV].file)
		write_csv(e, p, call);
	if (e->sinks[PARIO_EXPORT_PERFETTO].file)
		write_perfetto(e, p, call);
	if (e->sinks[PARIO_EXPORT_CSV].failed || e->sinks[PARIO_EXPORT_PERFETTO].failed)
		return pario_err_sys(err, errno, NULL, "the export of the trace cannot be written");
	if (e->no_memory)
		return pario_err_memory(err, "the export");
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
static void write_stack(struct pario_export_file *sink, const struct pario_profile *p,
			struct pario_symbols *symbols, uint32_t number, struct pario_source *at,
			struct pario_text *line)
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
	pario_export_file_text(sink, pario_text_string(line));
	pario_export_file_text(sink, pario_trace_operation(s->op)->name);
}

static int write_folded(struct pario_exports *e, const struct pario_profile *p,
			struct pario_symbols *symbols, struct pario_err *err)
{
	struct pario_export_file *sink = &e->sinks[PARIO_EXPORT_FOLDED];
	struct pario_source at = { 0 };
	struct pario_text line = { 0 };
	bool failed = false;

	for (uint32_t i = 1; i <= p->stacks.of.count; i++) {
		uint64_t weight = weight_of(&p->stack_sums[i], e->weight);

		if (!weight)
			continue;
		write_stack(sink, p, symbols, i, &at, &line);
		pario_export_file_text(sink, " ");
		pario_export_file_u64(sink, weight);
		pario_export_file_text(sink, "\n");
	}
	failed = line.failed || sink->failed;
	pario_source_release(&at);
	pario_text_release(&line);
	return failed ? pario_err_sys(err, errno, NULL, "the stacks cannot be written") : 0;
}

int pario_exports_close(struct pario_exports *e, const struct pario_profile *p,
			struct pario_symbols *symbols, const char *trace, struct pario_err *err)
{
	int status = e->sinks[PARIO_EXPORT_FOLDED].file && p ? write_folded(e, p, symbols, err) : 0;

	if (e->sinks[PARIO_EXPORT_PERFETTO].file && p) {
		name_processes(e, p);
		pario_export_file_text(&e->sinks[PARIO_EXPORT_PERFETTO], "\n]}\n");
	}
	for (int i = 0; i < PARIO_EXPORTS; i++) {
		if (pario_export_file_close(&e->sinks[i]) < 0 && status == 0)
			status = p ? pario_err_sys(err, errno, NULL, "%s cannot be written",
						   e->paths[i])
				   : -1;
	}
	for (int i = 0; i < PARIO_EXPORTS; i++) {
		if (pario_output_end(&e->outputs[i], p && status == 0, status == 0 ? err : NULL) <
		    0)
			status = -1;
	}
	for (uint32_t i = 0; i < e->name_count; i++)
		free(e->names[i]);
	free(e->names);
	pario_json_release(&e->json);
	pario_text_release(&e->arguments);
	if (status < 0)
		return -1;
	if (p && e->paths[PARIO_EXPORT_JOURNAL])
		return pario_profile_journal(e->paths[PARIO_EXPORT_JOURNAL], p, symbols, trace,
					     err);
	return 0;
}
