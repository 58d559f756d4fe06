/*
 * context: the pass over the notes: communicators, views, hints, states and ends. Calls are counted and passed over.
 */
#include "trace/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists that come in parts ---- */

/* The next part is joined to what is there; false when one is missing or there is no memory. */
static bool join(void **list, uint32_t *count, size_t size, const struct pario_trace_record *note,
		 const char *text, bool *whole)
{
	uint64_t part = note->more >> 32, parts = (uint32_t)note->more;
	uint32_t more = (uint32_t)(note->size / size);
	char *grown;

	if (part == 0)
		*count = 0;
	*whole = part + 1 == parts && parts <= PARIO_TRACE_PARTS;
	if (!more)
		return true;
	grown = realloc(*list, (*count + (size_t)more) * size);
	if (!grown)
		return false;
	memcpy(grown + *count * size, text, more * size);
	*list = grown;
	*count += more;
	return true;
}

static uint32_t size_of(const struct pario_trace_members *runs, uint32_t count)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < count; i++)
		size += runs[i].count;
	return size > INT32_MAX ? INT32_MAX : (uint32_t)size;
}

uint32_t pario_trace_member(const struct pario_trace_members *runs, uint32_t count, uint32_t index)
{
	for (uint32_t i = 0; i < count; i++) {
		if (index < runs[i].count)
			return runs[i].first == UINT32_MAX
				       ? UINT32_MAX
				       : runs[i].first + index * (uint32_t)runs[i].step;
		index -= runs[i].count;
	}
	return UINT32_MAX;
}

static void add_comm(struct pario_context *c, uint32_t process,
		     const struct pario_trace_record *note, const char *text)
{
	struct pario_map_key key = { process, note->file, 0 };
	bool is_new, remote = note->flags & PARIO_COMM_REMOTE, whole = true, good;
	uint32_t number = pario_map_add(&c->comm_of, key, &is_new);
	struct pario_trace_comm *comms, *m;

	if (!number)
		return;
	comms = pario_map_grow(c->comms, &c->comm_capacity, number, sizeof(*comms));
	if (!comms) {
		c->no_memory = true;
		return;
	}
	c->comms = comms;
	m = &comms[number];
	good = remote ? join((void **)&m->remote, &m->remote_runs, sizeof(*m->remote), note, text,
			     &whole)
		      : join((void **)&m->members, &m->member_runs, sizeof(*m->members), note, text,
			     &whole);
	c->no_memory |= !good;
	m->id = note->offset;
	m->parent = note->site;
	m->process = process;
	m->number = note->file;
	m->sequence = (uint32_t)note->result;
	m->op = note->arg;
	m->rank = note->fd;
	m->whole = remote ? m->whole && whole : whole;
	m->size = size_of(m->members, m->member_runs);
	m->remote_size = size_of(m->remote, m->remote_runs);
}

static void add_view(struct pario_context *c, uint32_t process,
		     const struct pario_trace_record *note, const char *text)
{
	bool is_new;
	uint32_t number = pario_map_add(&c->view_of,
					(struct pario_map_key){ process, note->file, 0 }, &is_new);
	struct pario_trace_view *views, *v;

	if (!number)
		return;
	views = pario_map_grow(c->views, &c->view_capacity, number, sizeof(*views));
	if (!views) {
		c->no_memory = true;
		return;
	}
	c->views = views;
	v = &views[number];
	c->no_memory |=
		!join((void **)&v->runs, &v->run_count, sizeof(*v->runs), note, text, &v->whole);
	v->lower = (int64_t)note->offset;
	v->extent = (int64_t)note->site;
	v->etype = note->arg;
	v->whole &= note->result == 0;
}

static void add_hints(struct pario_context *c, uint32_t process,
		      const struct pario_trace_record *note, const char *text)
{
	bool is_new;
	uint32_t number = pario_map_add(&c->hints_of,
					(struct pario_map_key){ process, note->file, 0 }, &is_new);
	char **hints;

	if (!number || !is_new)
		return;
	hints = pario_map_grow(c->hints, &c->hint_capacity, number, sizeof(*hints));
	if (!hints || !(hints[number] = strdup(text)))
		c->no_memory = true;
	c->hints = hints ? hints : c->hints;
}

/* ---- files and processes ---- */

static void add_state(struct pario_context *c, const struct pario_job *job, uint32_t process,
		      const struct pario_trace_record *note)
{
	uint32_t place = pario_job_place(job, process, note->file),
		 number = place ? job->places[place] : 0;
	struct pario_trace_file *f = &c->files[number];
	double at = pario_job_ns(job, &job->processes[process], note->t0);

	if (!number || !(isnan(f->at_ns) || at < f->at_ns))
		return;
	f->at_ns = at;
	f->exists = note->result;
	f->size = note->size;
	f->allocated = note->more;
	f->device = note->offset;
	f->inode = note->site;
	f->mode = (uint32_t)note->fd;
	f->fs_type = note->arg;
}

static void add_usage(struct pario_trace_process *p, const struct pario_trace_record *note)
{
	if (note->size > p->peak_bytes)
		p->peak_bytes = note->size;
	if (note->offset + note->more > p->user_ns + p->system_ns) {
		p->user_ns = note->offset;
		p->system_ns = note->more;
	}
}

static uint32_t thread_number(struct pario_context *c, uint32_t process, uint32_t tid)
{
	bool is_new;
	uint32_t number =
		pario_map_add(&c->thread_of, (struct pario_map_key){ process, tid, 0 }, &is_new);
	struct pario_trace_thread *threads;

	if (!number)
		return 0;
	threads = pario_map_grow(c->threads, &c->thread_capacity, number, sizeof(*threads));
	if (!threads) {
		c->no_memory = true;
		return 0;
	}
	c->threads = threads;
	threads[number].process = process;
	threads[number].tid = tid;
	return number;
}

/* Where what is under way stands in the file. */
struct place {
	uint32_t segment, process; /* process: that of the segment */
	bool noted;		   /* this block of notes is in the list */
};

static void keep_notes(struct pario_context *c, struct place *at, uint64_t block)
{
	struct pario_trace_notes *notes;

	if (at->noted)
		return;
	at->noted = true;
	notes = pario_map_grow(c->notes, &c->note_capacity, c->note_count, sizeof(*notes));
	if (!notes) {
		c->no_memory = true;
		return;
	}
	c->notes = notes;
	notes[c->note_count++] = (struct pario_trace_notes){ .at = block, .segment = at->segment };
}

static void add_note(struct pario_context *c, const struct pario_job *job, struct place *at,
		     uint64_t block, const struct pario_trace_record *note, const char *text)
{
	struct pario_trace_process *p = &c->processes[at->process];
	uint32_t thread;

	switch (note->op) {
	case PARIO_TRACE_THREAD:
		thread = thread_number(c, at->process, (uint32_t)note->size);
		if (thread)
			c->threads[thread].pthread = note->more;
		break;
	case PARIO_TRACE_STATE:
		add_state(c, job, at->process, note);
		break;
	case PARIO_TRACE_USAGE:
		add_usage(p, note);
		break;
	case PARIO_TRACE_MEMORY:
		p->memory_bytes = note->size;
		p->limit_bytes = note->offset;
		break;
	case PARIO_TRACE_EXIT:
		p->status = (int)(note->size & 255);
		break;
	case PARIO_TRACE_COMM:
		add_comm(c, at->process, note, text);
		break;
	case PARIO_TRACE_VIEW:
		add_view(c, at->process, note, text);
		break;
	case PARIO_TRACE_HINTS:
		add_hints(c, at->process, note, text);
		break;
	case PARIO_TRACE_REQUESTS:
	case PARIO_TRACE_MATCH:
		keep_notes(c, at, block);
		break;
	default:
		break;
	}
}

static void add_block(struct pario_context *c, const struct pario_job *job, const struct place *at,
		      uint64_t block, const struct pario_pack_block *head)
{
	uint32_t process = pario_job_writer(job, at->process, head->thread),
		 number = thread_number(c, process, head->thread);
	struct pario_trace_thread *t;
	struct pario_trace_block *blocks;

	if (!number)
		return;
	t = &c->threads[number];
	blocks = pario_map_grow(t->blocks, &t->block_capacity, t->block_count, sizeof(*blocks));
	if (!blocks) {
		c->no_memory = true;
		return;
	}
	t->blocks = blocks;
	blocks[t->block_count++] = (struct pario_trace_block){
		.at = block, .calls = head->count, .first = head->first, .segment = at->segment
	};
	t->calls += head->count;
}

/* ---- who started whom ---- */

/* When a process began, by the clock of its machine. */
static uint64_t began(const struct pario_job *job, uint32_t process)
{
	return job->process_of.keys[process].c;
}

struct start {
	uint32_t machine, pid, process;
	uint64_t began;
};

static int by_pid(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->began < y->began ? -1 : x->began > y->began;
}

/* The latest process of this number that began before that moment; 0 = none. */
static uint32_t latest(const struct start *starts, uint32_t count, uint32_t machine, uint32_t pid,
		       uint64_t before)
{
	struct start key = { machine, pid, 0, before };
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (by_pid(&starts[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && starts[low - 1].machine == machine && starts[low - 1].pid == pid
		       ? starts[low - 1].process
		       : 0;
}

static bool link_processes(struct pario_context *c, const struct pario_job *job)
{
	uint32_t count = job->process_of.count;
	struct start *starts = calloc(count + 1ul, sizeof(*starts));

	if (!starts)
		return false;
	for (uint32_t i = 1; i <= count; i++)
		starts[i - 1] = (struct start){ job->processes[i].machine, job->processes[i].pid, i,
						began(job, i) };
	qsort(starts, count, sizeof(*starts), by_pid);
	for (uint32_t i = 1; i <= count; i++) {
		const struct pario_job_process *q = &job->processes[i];
		struct pario_trace_process *p = &c->processes[i];

		p->before = latest(starts, count, q->machine, q->pid, began(job, i));
		p->parent = p->before ? c->processes[p->before].parent
				      : latest(starts, count, q->machine, q->ppid, began(job, i));
		p->vfork = q->shares != i;
	}
	/* the parent of one that came before may have been found after it */
	for (uint32_t i = 1; i <= count; i++) {
		struct pario_trace_process *p = &c->processes[i];

		if (p->before && !p->parent)
			p->parent = c->processes[p->before].parent;
	}
	free(starts);
	return true;
}

/* ---- communicators that need no note ---- */

static void add_own_comm(struct pario_context *c, const struct pario_trace_process *p,
			 uint32_t process, uint32_t number)
{
	bool self = number == PARIO_COMM_SELF;
	struct pario_trace_members all = { self ? p->rank : 0, 1, self ? 1 : p->ranks };
	struct pario_trace_record note = { .file = number,
					   .offset = self ? (uint64_t)p->rank << 32 |
								     PARIO_COMM_SELF_LOW
							  : PARIO_COMM_WORLD_ID,
					   .size = sizeof(all),
					   .more = 1,
					   .fd = self ? 0 : (int32_t)p->rank };

	add_comm(c, process, &note, (const char *)&all);
}

static void add_own_comms(struct pario_context *c, uint32_t processes)
{
	for (uint32_t i = 1; i <= processes; i++) {
		const struct pario_trace_process *p = &c->processes[i];

		if (p->rank == UINT32_MAX || p->ranks == UINT32_MAX || !p->ranks ||
		    p->rank >= p->ranks)
			continue;
		add_own_comm(c, p, i, PARIO_COMM_WORLD);
		add_own_comm(c, p, i, PARIO_COMM_SELF);
	}
}

/* ---- the pass ---- */

static bool prepare(struct pario_context *c, const struct pario_job *job)
{
	*c = (struct pario_context){ .thread_of.limit = PARIO_CONTEXT_THREADS,
				     .comm_of.limit = PARIO_CONTEXT_LISTS,
				     .view_of.limit = PARIO_CONTEXT_LISTS,
				     .hints_of.limit = PARIO_CONTEXT_LISTS };
	c->files = calloc(job->file_of.count + 1ul, sizeof(*c->files));
	c->processes = calloc(job->process_of.count + 1ul, sizeof(*c->processes));
	if (!c->files || !c->processes)
		return false;
	for (uint32_t i = 0; i <= job->file_of.count; i++)
		c->files[i] = (struct pario_trace_file){ .name = i ? job->files[i] : NULL,
							 .exists = -1,
							 .at_ns = (double)NAN };
	for (uint32_t i = 1; i <= job->process_of.count; i++) {
		const struct pario_job_process *q = &job->processes[i];
		uint32_t place = pario_job_place(job, i, q->directory);

		c->processes[i] =
			(struct pario_trace_process){ .pid = q->pid,
						      .ppid = q->ppid,
						      .rank = q->rank,
						      .ranks = q->ranks,
						      .machine = q->machine,
						      .program = q->program,
						      .directory = place ? job->places[place] : 0,
						      .limit_bytes = UINT64_MAX,
						      .status = -1 };
	}
	return link_processes(c, job);
}

int pario_context_read(struct pario_context *c, const struct pario_job *job, struct pario_unpack *u,
		       struct pario_err *err)
{
	char text[PARIO_TRACE_TEXT_MAX + 1];
	struct pario_trace_record note;
	struct place at = { 0 };
	int kind;

	c->no_memory = !prepare(c, job);
	if (!c->no_memory && u->head.version > 1)
		add_own_comms(c, job->process_of.count);
	u->heads = true;
	while (!c->no_memory && (kind = pario_unpack_next(u, true)) > 0) {
		uint64_t block = u->at - u->block.packed - sizeof(u->block);
		size_t within = 0;

		at.noted = false;
		if (kind == PARIO_PACK_SEGMENT) {
			at.segment++;
			at.process = pario_job_process(job, &u->segment);
			if (at.process && c->processes[at.process].start_ns == 0.0)
				c->processes[at.process].start_ns = pario_job_ns(
					job, &job->processes[at.process], u->segment.start_ticks);
		} else if (kind == PARIO_PACK_CALLS_OF && at.process) {
			add_block(c, job, &at, block, &u->block);
		} else if (kind == PARIO_PACK_NOTES && at.process) {
			while (pario_unpack_note(u, &within, &note, text) > 0)
				add_note(c, job, &at, block, &note, text);
		}
	}
	u->heads = false;
	pario_unpack_rewind(u);
	if (c->no_memory)
		return pario_err_memory(err, "reading the trace %s", u->path);
	return 0;
}

void pario_context_release(struct pario_context *c)
{
	for (uint32_t i = 1; i <= c->thread_of.count && i < c->thread_capacity; i++) {
		for (uint32_t b = 0; b < c->threads[i].block_count; b++)
			free(c->threads[i].blocks[b].plain);
		free(c->threads[i].blocks);
	}
	for (uint32_t i = 1; i <= c->comm_of.count && i < c->comm_capacity; i++) {
		free(c->comms[i].members);
		free(c->comms[i].remote);
	}
	for (uint32_t i = 1; i <= c->view_of.count && i < c->view_capacity; i++)
		free(c->views[i].runs);
	for (uint32_t i = 1; i <= c->hints_of.count && i < c->hint_capacity; i++)
		free(c->hints[i]);
	pario_map_release(&c->thread_of);
	pario_map_release(&c->comm_of);
	pario_map_release(&c->view_of);
	pario_map_release(&c->hints_of);
	free(c->threads);
	free(c->comms);
	free(c->views);
	free(c->hints);
	free(c->notes);
	free(c->files);
	free(c->processes);
}
