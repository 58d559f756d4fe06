/*
 * export: calls as they come, the journal at the end.
 */
#include "profile/export.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "record/journal.h"
#include "record/result.h"
#include "version.h"

const char *const pario_export_names[PARIO_EXPORTS] = { "journal", "csv", "perfetto" };

static const char csv_head[] =
	"start_ns,duration_ns,rank,pid,tid,layer,depth,operation,file,offset,size,result,errno,module,address\n";

static FILE *create(const char *path, struct pario_err *err)
{
	FILE *file = fopen(path, "wxe");

	if (!file)
		pario_err_sys(err, errno, "Choose a name that does not exist yet.",
			      "%s cannot be created", path);
	return file;
}

int pario_exports_open(struct pario_exports *e, const char *const paths[PARIO_EXPORTS],
		       struct pario_err *err)
{
	*e = (struct pario_exports){ 0 };
	memcpy(e->paths, paths, sizeof(e->paths));
	if (paths[PARIO_EXPORT_CSV]) {
		e->csv = create(paths[PARIO_EXPORT_CSV], err);
		if (!e->csv)
			return -1;
		fputs(csv_head, e->csv);
	}
	if (paths[PARIO_EXPORT_PERFETTO]) {
		e->perfetto = create(paths[PARIO_EXPORT_PERFETTO], err);
		if (!e->perfetto)
			return -1;
		fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", e->perfetto);
	}
	return 0;
}

/* Quoted; a text that a spreadsheet would take for a formula gets an apostrophe. */
static void csv_text(FILE *file, const char *text)
{
	fputc('"', file);
	if (*text && strchr("=+-@", *text))
		fputc('\'', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc((unsigned char)*text < ' ' ? '?' : *text, file);
	}
	fputc('"', file);
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
	csv_text(e->csv, name_of(p, call->file));
	fputc(',', e->csv);
	if (r->offset != PARIO_TRACE_NOWHERE)
		fprintf(e->csv, "%llu", (unsigned long long)r->offset);
	fprintf(e->csv, ",%llu,%d,%s,", (unsigned long long)r->size, failed ? -1 : r->result,
		failed ? pario_err_name(r->result) : "");
	csv_text(e->csv, m && p->job.modules[m->module].path ? p->job.modules[m->module].path : "");
	fprintf(e->csv, ",0x%llx\n", (unsigned long long)(m ? r->site - m->base : r->site));
}

static void write_perfetto(struct pario_exports *e, const struct pario_profile *p,
			   const struct pario_profile_call *call)
{
	const struct pario_trace_record *r = &call->record;
	struct pario_json *j = &e->json;

	pario_json_open(j, NULL, '{');
	pario_json_string(j, "name", pario_trace_op_info[r->op - PARIO_TRACE_FIRST].name);
	pario_json_string(j, "cat", pario_trace_layer_name(r->layer));
	pario_json_string(j, "ph", "X");
	pario_json_real(j, "ts", call->start_ns / 1000);
	pario_json_real(j, "dur", call->ns / 1000);
	pario_json_u64(j, "pid", p->job.processes[call->process].pid);
	pario_json_u64(j, "tid", call->thread);
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
	fprintf(e->perfetto, "%s%s", e->comma ? ",\n" : "", pario_text_string(&j->text));
	e->comma = true;
	pario_text_clear(&j->text);
	j->comma = false;
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

/* ---- the journal ---- */

static void begin_line(struct pario_json *j, const struct pario_profile *p, const char *trace)
{
	static const char *const unknown[] = { "kernel",       "cpu", "cores",
					       "memory_bytes", "mpi", "filesystem" };
	const struct pario_job *job = &p->job;
	char time[PARIO_CLOCK_ROOM], run[32];

	snprintf(run, sizeof(run), "%016llx", (unsigned long long)job->start_ns);
	pario_journal_line(j, "begin");
	pario_json_string(j, "schema", PARIO_JOURNAL_SCHEMA);
	pario_json_string(j, "run", run);
	pario_json_string(j, "version", PARIO_VERSION);
	pario_json_open(j, "command", '[');
	pario_json_string(j, NULL, "pario");
	pario_json_string(j, NULL, "profile");
	pario_json_string(j, NULL, trace);
	pario_json_close(j, ']');
	pario_json_string(j, "label", "");
	pario_json_string(j, "test", "profile");
	pario_json_string(j, "time", pario_clock_label(time));
	pario_json_open(j, "params", '{');
	pario_json_close(j, '}');
	pario_json_open(j, "clients", '[');
	for (uint32_t i = 1; i <= job->process_of.count; i++) {
		pario_json_open(j, NULL, '{');
		pario_json_u64(j, "pid", job->processes[i].pid);
		if (job->processes[i].rank != UINT32_MAX)
			pario_json_u64(j, "rank", job->processes[i].rank);
		pario_json_string(j, "host", job->machines[job->processes[i].machine].host);
		pario_json_close(j, '}');
	}
	pario_json_close(j, ']');
	pario_json_open(j, "machine", '{');
	pario_json_string(j, "host", job->machine_count ? job->machines[0].host : "");
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		pario_json_null(j, unknown[i]);
	pario_json_close(j, '}');
	pario_json_open(j, "environment", '{');
	pario_json_close(j, '}');
}

static void result_line(struct pario_json *j, const struct pario_profile *p, uint32_t number)
{
	const struct pario_profile_kind *k = &p->kinds[number];
	const struct pario_trace_op_info *info = &pario_trace_op_info[k->op - PARIO_TRACE_FIRST];
	struct pario_result r;

	pario_result_init(&r);
	snprintf(r.test, sizeof(r.test), "profile");
	snprintf(r.phase, sizeof(r.phase), "%s", info->name);
	snprintf(r.point, sizeof(r.point), "layer=%s size=%s pattern=%s cache=%s nested=%d",
		 pario_trace_layer_name(k->layer), pario_profile_size_names[k->size_class],
		 pario_pattern_names[k->pattern], k->direct ? "direct" : "cached", k->nested);
	r.point_index = number - 1;
	r.clients = p->job.process_of.count;
	r.outcome = p->job.losses.dropped || p->damaged_bytes ? PARIO_SUSPECT : PARIO_PASS;
	if (r.outcome == PARIO_SUSPECT)
		snprintf(r.reason, sizeof(r.reason), "the trace is not complete");
	r.bytes = k->sum.bytes;
	r.ops = k->sum.calls;
	r.seconds.transfer = k->sum.ns * 1e-9;
	r.seconds.total = k->sum.ns * 1e-9;
	if (k->sum.ns > 0)
		r.rate_mib_s = (double)k->sum.bytes / 1048576.0 / (k->sum.ns * 1e-9);
	r.latency_ns = (struct pario_latency){
		.count = k->times->count,
		.min = (double)k->times->min_ns,
		.p50 = pario_histogram_quantile(k->times, 0.5),
		.p90 = pario_histogram_quantile(k->times, 0.9),
		.p99 = pario_histogram_quantile(k->times, 0.99),
		.p999 = pario_histogram_quantile(k->times, 0.999),
		.max = (double)k->times->max_ns,
	};
	pario_result_metric(&r, "failed", "calls", (double)k->sum.failed);
	pario_journal_line(j, "result");
	pario_result_write(j, &r);
}

static void end_line(struct pario_json *j, const struct pario_profile *p)
{
	bool lost = p->job.losses.dropped || p->damaged_bytes;

	pario_journal_line(j, "end");
	pario_json_string(j, "outcome", lost ? "suspect" : "pass");
	pario_json_u64(j, "exit_code", 0);
	pario_json_u64(j, "results", p->kind_of.count);
	pario_json_real(j, "seconds", p->end_ns * 1e-9);
	pario_json_open(j, "kept", '[');
	pario_json_close(j, ']');
	pario_json_bool(j, "removed", true);
}

static int write_journal(const char *directory, const struct pario_profile *p, const char *trace,
			 struct pario_err *err)
{
	struct pario_journal journal;
	struct pario_json j = { 0 };
	int status;

	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return pario_err_sys(err, errno, NULL,
				     "The directory %s for the journal cannot be made", directory);
	if (pario_journal_create(&journal, directory, err) < 0)
		return -1;
	begin_line(&j, p, trace);
	status = pario_journal_append(&journal, &j, err);
	for (uint32_t i = 1; status == 0 && i <= p->kind_of.count; i++) {
		result_line(&j, p, i);
		status = pario_journal_append(&journal, &j, err);
	}
	if (status == 0) {
		end_line(&j, p);
		status = pario_journal_append(&journal, &j, err);
	}
	if (pario_journal_close(&journal, status < 0 ? NULL : err) < 0)
		status = -1;
	pario_json_release(&j);
	return status;
}

int pario_exports_close(struct pario_exports *e, const struct pario_profile *p, const char *trace,
			struct pario_err *err)
{
	bool failed = false;

	if (e->perfetto && p)
		fputs("\n]}\n", e->perfetto);
	if (e->csv)
		failed |= fclose(e->csv) != 0;
	if (e->perfetto)
		failed |= fclose(e->perfetto) != 0;
	pario_json_release(&e->json);
	if (failed && p)
		return pario_err_sys(err, errno, NULL, "The export of the trace cannot be written");
	if (p && e->paths[PARIO_EXPORT_JOURNAL])
		return write_journal(e->paths[PARIO_EXPORT_JOURNAL], p, trace, err);
	return 0;
}
