/*
 * context_json: what a trace says beside its calls, as one JSON object.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace/stream.h"

static void write_process(const struct pario_trace *t, uint32_t number, struct pario_json *j)
{
	const struct pario_trace_process *p = pario_trace_process(t, number);

	pario_json_open(j, NULL, '{');
	pario_json_u64(j, "process", number);
	pario_json_u64(j, "pid", p->pid);
	pario_json_u64(j, "parent", p->parent);
	pario_json_u64(j, "before_exec", p->before);
	pario_json_bool(j, "vfork", p->vfork);
	if (p->rank == UINT32_MAX)
		pario_json_null(j, "rank");
	else
		pario_json_u64(j, "rank", p->rank);
	pario_json_string(j, "host", t->job.machines[p->machine].host);
	pario_json_string(j, "program", p->program);
	pario_json_string(j, "directory",
			  p->directory ? pario_trace_file_of(t, p->directory)->name : NULL);
	pario_json_real(j, "start_ns", p->start_ns);
	pario_json_u64(j, "peak_bytes", p->peak_bytes);
	pario_json_u64(j, "memory_bytes", p->memory_bytes);
	if (p->limit_bytes == UINT64_MAX)
		pario_json_null(j, "cgroup_limit_bytes");
	else
		pario_json_u64(j, "cgroup_limit_bytes", p->limit_bytes);
	pario_json_u64(j, "user_ns", p->user_ns);
	pario_json_u64(j, "system_ns", p->system_ns);
	if (p->status < 0)
		pario_json_null(j, "status");
	else
		pario_json_i64(j, "status", p->status);
	pario_json_close(j, '}');
}

static void write_file(const struct pario_trace_file *f, struct pario_json *j)
{
	pario_json_open(j, NULL, '{');
	pario_json_string(j, "name", f->name);
	if (f->exists < 0)
		pario_json_null(j, "existed");
	else
		pario_json_bool(j, "existed", f->exists > 0);
	pario_json_u64(j, "size", f->size);
	pario_json_u64(j, "allocated", f->allocated);
	pario_json_u64(j, "mode", f->mode);
	pario_json_hex(j, "fs_type", f->fs_type);
	pario_json_u64(j, "device", f->device);
	pario_json_u64(j, "inode", f->inode);
	pario_json_close(j, '}');
}

static void write_members(const struct pario_trace_members *runs, uint32_t count, const char *key,
			  struct pario_json *j)
{
	pario_json_open(j, key, '[');
	for (uint32_t i = 0; i < count; i++) {
		pario_json_open(j, NULL, '[');
		pario_json_u64(j, NULL, runs[i].first);
		pario_json_i64(j, NULL, runs[i].step);
		pario_json_u64(j, NULL, runs[i].count);
		pario_json_close(j, ']');
	}
	pario_json_close(j, ']');
}

static void write_comm(const struct pario_trace_comm *c, struct pario_json *j)
{
	pario_json_open(j, NULL, '{');
	pario_json_u64(j, "process", c->process);
	pario_json_u64(j, "number", c->number);
	pario_json_hex(j, "id", c->id);
	pario_json_hex(j, "of", c->parent);
	pario_json_u64(j, "sequence", c->sequence);
	pario_json_i64(j, "rank", c->rank);
	pario_json_u64(j, "size", c->size);
	write_members(c->members, c->member_runs, "members", j);
	if (c->remote_runs)
		write_members(c->remote, c->remote_runs, "remote", j);
	pario_json_bool(j, "whole", c->whole);
	pario_json_close(j, '}');
}

static void write_view(const struct pario_trace_view *v, struct pario_map_key key,
		       struct pario_json *j)
{
	pario_json_open(j, NULL, '{');
	pario_json_u64(j, "process", key.a);
	pario_json_u64(j, "number", key.b);
	pario_json_i64(j, "lower", v->lower);
	pario_json_i64(j, "extent", v->extent);
	pario_json_u64(j, "etype", v->etype);
	pario_json_bool(j, "whole", v->whole);
	pario_json_open(j, "runs", '[');
	for (uint32_t i = 0; i < v->run_count; i++) {
		pario_json_open(j, NULL, '[');
		pario_json_i64(j, NULL, v->runs[i].from);
		pario_json_u64(j, NULL, v->runs[i].length);
		pario_json_i64(j, NULL, v->runs[i].step);
		pario_json_u64(j, NULL, v->runs[i].count);
		pario_json_close(j, ']');
	}
	pario_json_close(j, ']');
	pario_json_close(j, '}');
}

static void write_lists(const struct pario_trace *t, struct pario_json *j)
{
	const struct pario_context *c = &t->context;

	pario_json_open(j, "communicators", '[');
	for (uint32_t i = 1; i <= c->comm_of.count; i++)
		write_comm(&c->comms[i], j);
	pario_json_close(j, ']');
	pario_json_open(j, "views", '[');
	for (uint32_t i = 1; i <= c->view_of.count; i++)
		write_view(&c->views[i], c->view_of.keys[i], j);
	pario_json_close(j, ']');
	pario_json_open(j, "hints", '[');
	for (uint32_t i = 1; i <= c->hints_of.count; i++) {
		pario_json_open(j, NULL, '{');
		pario_json_u64(j, "process", c->hints_of.keys[i].a);
		pario_json_u64(j, "number", c->hints_of.keys[i].b);
		pario_json_string(j, "hints", c->hints[i]);
		pario_json_close(j, '}');
	}
	pario_json_close(j, ']');
}

/* What is missing, a sentence each. */
static void write_lacks(const struct pario_trace *t, struct pario_json *j)
{
	struct pario_text text = { 0 };
	const char *at, *end;

	pario_trace_lacks(t, &text);
	pario_json_open(j, "lacks", '[');
	for (at = pario_text_string(&text); *at; at = *end ? end + 1 : end) {
		char line[2048];

		end = at + strcspn(at, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		pario_json_string(j, NULL, line);
	}
	pario_json_close(j, ']');
	pario_text_release(&text);
}

void pario_trace_json(const struct pario_trace *t, struct pario_json *j)
{
	pario_json_open(j, NULL, '{');
	pario_json_u64(j, "pario_trace", t->version);
	write_lacks(t, j);
	pario_json_open(j, "processes", '[');
	for (uint32_t i = 1; i <= pario_trace_processes(t); i++)
		write_process(t, i, j);
	pario_json_close(j, ']');
	pario_json_open(j, "threads", '[');
	for (uint32_t i = 1; i <= pario_trace_threads(t); i++) {
		const struct pario_trace_thread *thread = pario_trace_thread(t, i);

		pario_json_open(j, NULL, '{');
		pario_json_u64(j, "process", thread->process);
		pario_json_u64(j, "tid", thread->tid);
		pario_json_u64(j, "pthread", thread->pthread);
		pario_json_u64(j, "records", thread->calls);
		pario_json_close(j, '}');
	}
	pario_json_close(j, ']');
	pario_json_open(j, "files", '[');
	for (uint32_t i = 1; i <= pario_trace_files(t); i++) {
		if (!isnan(pario_trace_file_of(t, i)->at_ns))
			write_file(pario_trace_file_of(t, i), j);
	}
	pario_json_close(j, ']');
	write_lists(t, j);
	pario_json_close(j, '}');
}
