/*
 * loaded: a trace without its calls: what its two first passes found, for whoever then asks about a process, thread or
 * file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/stream.h"

int pario_trace_load(struct pario_trace *t, const char *path, struct pario_err *err)
{
	struct pario_unpack u;
	int status;

	memset(t, 0, sizeof(*t));
	snprintf(t->path, sizeof(t->path), "%s", path);
	if (pario_unpack_open(&u, path, err) < 0)
		return -1;
	t->version = u.head.version;
	status = pario_job_read(&t->job, &u, err);
	if (status == 0)
		status = pario_context_read(&t->context, &t->job, &u, err);
	t->damaged_bytes = u.damaged_bytes;
	t->torn = u.torn;
	pario_unpack_close(&u);
	if (status < 0)
		pario_trace_release(t);
	return status;
}

void pario_trace_release(struct pario_trace *t)
{
	pario_context_release(&t->context);
	pario_job_release(&t->job);
}

uint64_t pario_trace_keep(struct pario_trace *t, uint32_t thread, uint64_t bytes)
{
	struct pario_trace_thread *of = &t->context.threads[thread];
	struct pario_err err = { 0 };
	struct pario_unpack u;
	uint64_t kept = 0;

	if (pario_unpack_open(&u, t->path, &err) < 0)
		return 0;
	for (uint32_t i = 0; i < of->block_count; i++) {
		struct pario_trace_block *b = &of->blocks[i];

		if (!b->plain) {
			/* one that is damaged is the stream's to step over */
			if (!pario_unpack_at(&u, b->at) || u.length > bytes - kept ||
			    !(b->plain = malloc(u.length + 1)))
				break;
			memcpy(b->plain, u.plain, u.length);
			b->length = (uint32_t)u.length;
		}
		kept += b->length;
	}
	pario_unpack_close(&u);
	return kept;
}

void pario_trace_lacks(const struct pario_trace *t, struct pario_text *text)
{
	if (t->version == 1)
		pario_text_add(
			text,
			"This trace is of version 1. It has no descriptors, no flags and modes of opens, no second names of renames and links, no arguments of locks, maps and advice, no communicators, peers and requests of messages, no views and hints of MPI-IO, no state of files before the program, no processor time and no exit status. Trace the program again to have them.\n");
	if (t->job.losses.dropped)
		pario_text_add(text, "%llu calls were not recorded (%s).\n",
			       (unsigned long long)t->job.losses.dropped,
			       t->job.losses.why ? pario_err_name((int)t->job.losses.why)
						 : "signal handlers");
	if (t->job.losses.unfinished)
		pario_text_add(text, "%llu call%s not finished.\n",
			       (unsigned long long)t->job.losses.unfinished,
			       t->job.losses.unfinished == 1 ? " was" : "s were");
	if (t->job.unended)
		pario_text_add(text, "%llu threads are cut off.\n",
			       (unsigned long long)t->job.unended);
	if (t->damaged_bytes)
		pario_text_add(text, "%llu bytes of the trace are damaged.\n",
			       (unsigned long long)t->damaged_bytes);
	pario_job_requests(t->job.requests, text);
	pario_text_add(text, "%s", pario_text_string(&t->job.unseen));
}

uint32_t pario_trace_processes(const struct pario_trace *t)
{
	return t->job.process_of.count;
}

uint32_t pario_trace_threads(const struct pario_trace *t)
{
	return t->context.thread_of.count;
}

uint32_t pario_trace_files(const struct pario_trace *t)
{
	return t->job.file_of.count;
}

const struct pario_trace_process *pario_trace_process(const struct pario_trace *t, uint32_t number)
{
	return number && number <= pario_trace_processes(t) ? &t->context.processes[number] : NULL;
}

const struct pario_trace_thread *pario_trace_thread(const struct pario_trace *t, uint32_t number)
{
	return number && number <= pario_trace_threads(t) ? &t->context.threads[number] : NULL;
}

const struct pario_trace_file *pario_trace_file_of(const struct pario_trace *t, uint32_t number)
{
	return number && number <= pario_trace_files(t) ? &t->context.files[number] : NULL;
}

bool pario_trace_comm_of(const struct pario_trace *t, uint32_t process, int32_t number,
			 struct pario_trace_comm *comm)
{
	uint32_t at =
		number < 0 ? 0
			   : pario_map_find(&t->context.comm_of,
					    (struct pario_map_key){ process, (uint32_t)number, 0 });

	if (at)
		*comm = t->context.comms[at];
	return at != 0;
}

const struct pario_trace_view *pario_trace_view_of(const struct pario_trace *t, uint32_t process,
						   uint32_t number)
{
	uint32_t at =
		pario_map_find(&t->context.view_of, (struct pario_map_key){ process, number, 0 });

	return at ? &t->context.views[at] : NULL;
}

const char *pario_trace_hints_of(const struct pario_trace *t, uint32_t process, uint32_t number)
{
	uint32_t at =
		pario_map_find(&t->context.hints_of, (struct pario_map_key){ process, number, 0 });

	return at ? t->context.hints[at] : NULL;
}

const char *pario_trace_name_of(const struct pario_trace *t, uint32_t process, uint32_t number)
{
	uint32_t place =
		pario_trace_process(t, process) ? pario_job_place(&t->job, process, number) : 0;
	const char *name = place ? t->job.files[t->job.places[place]] : NULL;

	return name ? name : "";
}
