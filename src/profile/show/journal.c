/*
 * journal: begin line, one result for the program with its tables, one per call class, end line.
 */
#include "profile/show/journal.h"

#include <stdio.h>

#include "journal/derived.h"
#include "journal/result.h"
#include "profile/show/tables.h"

/* Sizes as words: a point's values hold no blanks. */
static const char *const size_words[PARIO_PROFILE_SIZES] = { "0",  "256", "4k",	  "64k",
							     "1m", "16m", "256m", "more" };

static const char *const medium_words[PARIO_MEDIA] = { "storage",   "pipes",	"sockets",
						       "terminals", "proc_sys", "devices",
						       "memory",    "events",	"processes",
						       "messages",  "runtime" };

static void begin_line(struct pario_json *j, const struct pario_profile *p, const char *trace)
{
	const struct pario_derived what = {
		.command = "profile", .file = trace, .label = "", .test = "profile"
	};
	const struct pario_job *job = &p->job;

	pario_derived_begin(j, &what, (uint64_t)job->start_ns);
	pario_json_open(j, "params", '{');
	pario_json_close(j, '}');
	pario_json_open(j, "clients", '[');
	pario_json_u64(j, NULL, job->process_of.count);
	pario_json_close(j, ']');
	pario_json_open(j, "processes", '[');
	for (uint32_t i = 1; i <= job->process_of.count; i++) {
		pario_json_open(j, NULL, '{');
		pario_json_u64(j, "pid", job->processes[i].pid);
		if (job->processes[i].rank != UINT32_MAX)
			pario_json_u64(j, "rank", job->processes[i].rank);
		pario_json_string(j, "host", job->machines[job->processes[i].machine].host);
		pario_json_close(j, '}');
	}
	pario_json_close(j, ']');
	pario_derived_machine(j, job->machine_count ? job->machines[0].host : "");
}

static bool incomplete(const struct pario_profile *p)
{
	return p->partial || p->job.losses.dropped || p->damaged_bytes ||
	       !pario_ranks_complete(&p->job.ranks) ||
	       p->job.losses.calls > p->all_calls + p->outside;
}

static void judge(const struct pario_profile *p, struct pario_result *r)
{
	r->outcome = incomplete(p) ? PARIO_SUSPECT : PARIO_PASS;
	if (incomplete(p))
		snprintf(r->reason, sizeof(r->reason), "the trace is not complete");
}

static double ranks_of(const struct pario_job *job)
{
	uint32_t ranks = 0;

	for (uint32_t i = 1; i <= job->process_of.count; i++) {
		if (job->processes[i].rank != UINT32_MAX && job->processes[i].rank >= ranks)
			ranks = job->processes[i].rank + 1;
	}
	return ranks;
}

/* The program as a whole, with the tables the pictures are drawn from. */
static int whole_line(struct pario_json *j, const struct pario_profile *p,
		      struct pario_symbols *symbols, struct pario_err *err)
{
	struct pario_result_tables_omitted omitted;
	struct pario_result_tables tables = { 0 };
	const struct pario_profile_sum *storage = &p->on[PARIO_MEDIUM_STORAGE];
	struct pario_result r;

	if (pario_profile_tables(p, symbols, &tables, &omitted, err) < 0) {
		pario_result_tables_release(&tables);
		return -1;
	}
	if (p->more)
		p->more->add(p->more->self, &tables);
	pario_result_init(&r);
	snprintf(r.test, sizeof(r.test), "trace");
	snprintf(r.phase, sizeof(r.phase), "program");
	r.clients = p->job.process_of.count;
	judge(p, &r);
	r.bytes = storage->bytes;
	r.ops = storage->calls;
	r.seconds.transfer = storage->ns * 1e-9;
	r.seconds.total = p->timeline.end_ns * 1e-9;
	pario_result_metric(&r, "ranks", "ranks", ranks_of(&p->job));
	pario_result_metric(&r, "in_calls", "s", storage->ns * 1e-9);
	pario_result_metric(&r, "elsewhere", "s", (p->total.ns - storage->ns) * 1e-9);
	pario_result_metric(&r, "failed", "calls", (double)p->total.failed);
	pario_result_metric(&r, "lost", "calls", (double)p->job.losses.dropped);
	pario_result_metric(&r, "imbalance", "ratio", pario_profile_imbalance(p));
	pario_result_metric(&r, "sites_left_out", "rows", omitted.sites);
	pario_result_metric(&r, "stacks_left_out", "rows", omitted.stacks);
	pario_result_metric(&r, "files_left_out", "rows", omitted.files);
	pario_result_metric(&r, "processes_left_out", "rows", omitted.processes);
	pario_result_metric(&r, "failures_left_out", "rows", omitted.failures);
	r.tables = &tables;
	pario_journal_line(j, "result");
	pario_result_write(j, &r);
	pario_result_tables_release(&tables);
	return 0;
}

static int add_notes(struct pario_journal *journal, struct pario_json *j,
		     const struct pario_profile *p, struct pario_err *err)
{
	char text[160];
	int status = 0;

	if (p->job.losses.dropped) {
		snprintf(text, sizeof(text), "%llu calls could not be recorded.",
			 (unsigned long long)p->job.losses.dropped);
		status = pario_derived_note(
			journal, j, "warning", text,
			"Trace again with `pario trace -o` on a file system with more space.", err);
	}
	if (status == 0 && !pario_ranks_complete(&p->job.ranks)) {
		snprintf(text, sizeof(text), "The trace holds %u of %u ranks.",
			 pario_ranks_count(&p->job.ranks), p->job.ranks.world);
		status = pario_derived_note(
			journal, j, "warning", text,
			"Join the traces of all nodes with `pario trace --join`, or trace again "
			"with -o in a directory that every node sees.",
			err);
	}
	if (status == 0 && p->damaged_bytes) {
		snprintf(text, sizeof(text), "The trace is damaged: %llu bytes could not be read.",
			 (unsigned long long)p->damaged_bytes);
		status = pario_derived_note(journal, j, "warning", text,
					    "Trace again: what is missing cannot be known.", err);
	}
	return status;
}

static void result_line(struct pario_json *j, const struct pario_profile *p, uint32_t number)
{
	const struct pario_profile_kind *k = &p->kinds[number];
	const struct pario_trace_operation *info = pario_trace_operation(k->op);
	bool data = info->class == PARIO_CLASS_READ || info->class == PARIO_CLASS_WRITE;
	struct pario_result r;

	pario_result_init(&r);
	snprintf(r.test, sizeof(r.test), "profile");
	snprintf(r.phase, sizeof(r.phase), "%s", info->name);
	snprintf(r.point, sizeof(r.point), "layer=%s up_to=%s pattern=%s cache=%s nested=%d on=%s",
		 pario_trace_layer_name(k->layer), data ? size_words[k->size_class] : "-",
		 pario_pattern_names[k->pattern],
		 !data	     ? "-"
		 : k->direct ? "direct"
			     : "buffered",
		 k->nested, medium_words[k->medium]);
	r.point_index = number;
	r.clients = p->job.process_of.count;
	judge(p, &r);
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

int pario_profile_journal(const char *directory, const struct pario_profile *p,
			  struct pario_symbols *symbols, const char *trace, struct pario_err *err)
{
	struct pario_journal journal;
	struct pario_json j = { 0 };
	int status;

	if (pario_derived_create(&journal, directory, err) < 0)
		return -1;
	begin_line(&j, p, trace);
	status = pario_journal_append(&journal, &j, err);
	if (status == 0)
		status = whole_line(&j, p, symbols, err);
	if (status == 0)
		status = pario_journal_append(&journal, &j, err);
	for (uint32_t i = 1; status == 0 && i <= p->kind_of.count; i++) {
		result_line(&j, p, i);
		status = pario_journal_append(&journal, &j, err);
	}
	if (status == 0)
		status = add_notes(&journal, &j, p, err);
	if (status == 0)
		status = pario_derived_end(&journal, &j, incomplete(p), p->kind_of.count + 1ull,
					   p->timeline.end_ns * 1e-9, err);
	if (pario_journal_close(&journal, status < 0 ? NULL : err) < 0)
		status = -1;
	pario_json_release(&j);
	return status;
}
