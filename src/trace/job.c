/*
 * job: the first pass: processes, clocks, ranks, names and modules. No call is looked at.
 */
#include "trace/job.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

static struct pario_map_key process_key(const struct pario_trace_segment *s)
{
	return (struct pario_map_key){ XXH64(s->boot, strlen(s->boot), 0), s->pid, s->process };
}

uint32_t pario_job_process(const struct pario_job *job, const struct pario_trace_segment *segment)
{
	return pario_map_find(&job->process_of, process_key(segment));
}

uint32_t pario_job_writer(const struct pario_job *job, uint32_t process, uint32_t thread)
{
	uint32_t child =
		pario_map_find(&job->child_of, (struct pario_map_key){ process, thread, 0 });

	return child ? job->children[child] : process;
}

uint32_t pario_job_place(const struct pario_job *job, uint32_t process, uint32_t file)
{
	process = job->processes[process].shares;
	return file ? pario_map_find(&job->place_of, (struct pario_map_key){ process, file, 0 })
		    : 0;
}

/* ---- clocks ---- */

static uint32_t machine_of(struct pario_job *job, const struct pario_trace_segment *s)
{
	struct pario_job_machine *m;

	for (uint32_t i = 0; i < job->machine_count; i++) {
		m = &job->machines[i];
		if (strcmp(m->boot, s->boot) == 0 && m->counter == (s->counter != 0))
			return i;
	}
	m = realloc(job->machines, (job->machine_count + 1ul) * sizeof(*m));
	if (!m) {
		job->no_memory = true;
		return 0;
	}
	job->machines = m;
	m = &job->machines[job->machine_count];
	memset(m, 0, sizeof(*m));
	memcpy(m->boot, s->boot, sizeof(m->boot));
	memcpy(m->host, s->host, sizeof(m->host));
	m->counter = s->counter != 0;
	return job->machine_count++;
}

static void add_anchor(struct pario_job_machine *m, uint64_t ticks, uint64_t ns, uint64_t real_ns)
{
	struct pario_pack_anchor a = { .ticks = ticks, .ns = ns, .real_ns = real_ns };

	if (!m->first.ticks || ticks < m->first.ticks)
		m->first = a;
	if (!m->last.ticks || ticks > m->last.ticks)
		m->last = a;
}

static void settle_clocks(struct pario_job *job)
{
	job->start_ns = UINT64_MAX;
	for (uint32_t i = 0; i < job->machine_count; i++) {
		struct pario_job_machine *m = &job->machines[i];
		uint64_t ticks = m->last.ticks - m->first.ticks;

		m->ns_per_tick = 1;
		if (m->counter && ticks > 0 && m->last.ns > m->first.ns)
			m->ns_per_tick = (double)(m->last.ns - m->first.ns) / (double)ticks;
		if (m->first.real_ns < job->start_ns)
			job->start_ns = m->first.real_ns;
	}
	for (uint32_t i = 0; i < job->machine_count; i++) {
		struct pario_job_machine *m = &job->machines[i];

		m->start_ns = (double)(m->first.real_ns - job->start_ns);
		m->end_ns = m->start_ns + (double)(m->last.ticks - m->first.ticks) * m->ns_per_tick;
	}
}

/* ---- names ---- */

static char *copy(struct pario_job *job, const char *text, size_t length)
{
	char *to = malloc(length + 1);

	if (!to) {
		job->no_memory = true;
		return NULL;
	}
	memcpy(to, text, length);
	to[length] = '\0';
	return to;
}

static uint32_t file_number(struct pario_job *job, const char *name)
{
	size_t length = strlen(name);
	struct pario_map_key key = { XXH64(name, length, 0), XXH64(name, length, 1), 0 };
	bool is_new;
	uint32_t number = pario_map_add(&job->file_of, key, &is_new);
	char **files;

	if (!is_new)
		return number;
	files = pario_map_grow(job->files, &job->file_capacity, number, sizeof(*files));
	if (!files) {
		job->no_memory = true;
		return 0;
	}
	job->files = files;
	job->files[number] = copy(job, name, length);
	return number;
}

/* The kernel calls what has no name in the tree "pipe:[123]", "socket:[4]" or "anon_inode:[eventfd]". */
bool pario_job_has_places(const struct pario_job *job, uint32_t file)
{
	const char *name = file ? job->files[file] : NULL, *mark;

	if (!name || *name == '/')
		return name != NULL;
	mark = strstr(name, ":[");
	return !mark || strchr(name, '/') || name[strlen(name) - 1] != ']';
}

static void add_file(struct pario_job *job, uint32_t process, uint32_t file, const char *name)
{
	bool is_new;
	uint32_t place =
		pario_map_add(&job->place_of, (struct pario_map_key){ process, file, 0 }, &is_new);
	uint32_t *places;

	if (!is_new)
		return;
	places = pario_map_grow(job->places, &job->place_capacity, place, sizeof(*places));
	if (!places) {
		job->no_memory = true;
		return;
	}
	job->places = places;
	places[place] = file_number(job, name);
}

static uint32_t module_number(struct pario_job *job, const char *path, const char *build_id)
{
	struct pario_job_module *modules;

	for (uint32_t i = 0; i < job->module_count; i++) {
		if (job->modules[i].path && strcmp(job->modules[i].path, path) == 0 &&
		    strcmp(job->modules[i].build_id, build_id) == 0)
			return i;
	}
	modules = pario_map_grow(job->modules, &job->module_capacity, job->module_count,
				 sizeof(*modules));
	if (!modules || job->module_count > 65535) {
		job->no_memory = true;
		return 0;
	}
	job->modules = modules;
	modules[job->module_count].path = copy(job, path, strlen(path));
	modules[job->module_count].build_id = copy(job, build_id, strlen(build_id));
	return job->module_count++;
}

static void add_mapping(struct pario_job *job, uint32_t process,
			const struct pario_trace_record *note, char *text)
{
	struct pario_job_mapping *mappings;
	char *newline = strchr(text, '\n');

	if (!newline || job->mapping_count > 4u << 20)
		return;
	*newline = '\0';
	mappings = pario_map_grow(job->mappings, &job->mapping_capacity, job->mapping_count,
				  sizeof(*mappings));
	if (!mappings) {
		job->no_memory = true;
		return;
	}
	job->mappings = mappings;
	mappings[job->mapping_count++] = (struct pario_job_mapping){
		.process = process,
		.module = module_number(job, text, newline + 1),
		.from = note->offset,
		.to = note->site,
		.base = (uint64_t)(uint32_t)note->result << 32 | note->file,
	};
}

static void set_program(struct pario_job *job, struct pario_job_process *p,
			const struct pario_trace_record *note, char *text)
{
	if (p->program)
		return;
	p->directory = note->file;
	for (uint64_t i = 0; i + 1 < note->size; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	p->program = copy(job, text, strlen(text));
}

static void close_counts(struct pario_job_counts *c)
{
	c->known |= c->open && c->ended;
	if (c->open && c->ended) {
		for (int k = 0; k < PARIO_COUNTS; k++)
			c->sum[k] += c->last[k] > c->first[k] ? c->last[k] - c->first[k] : 0;
	}
	c->unchecked |= c->open && !c->ended;
	c->open = c->ended = false;
}

static void add_counts(struct pario_job_counts *c, const struct pario_trace_record *note)
{
	uint64_t *to = note->file ? c->first : c->last;

	if (note->file)
		close_counts(c);
	c->open |= note->file != 0;
	c->ended = !note->file;
	to[PARIO_COUNT_READ] = note->offset;
	to[PARIO_COUNT_WRITTEN] = note->size;
	to[PARIO_COUNT_MAJOR] = note->site >> 32;
	to[PARIO_COUNT_MINOR] = (uint32_t)note->site;
}

bool pario_job_checked(const struct pario_job *job, uint32_t segment)
{
	return segment && segment <= job->segments && job->counts[segment].known &&
	       !job->counts[segment].unchecked;
}

/* The number of a process that may be new; 0 = no memory, or too many. */
static uint32_t add_process(struct pario_job *job, struct pario_map_key key,
			    const struct pario_job_process *as)
{
	bool is_new;
	uint32_t number = pario_map_add(&job->process_of, key, &is_new);
	struct pario_job_process *processes;

	if (!is_new)
		return number;
	processes =
		pario_map_grow(job->processes, &job->process_capacity, number, sizeof(*processes));
	if (!processes) {
		job->no_memory = true;
		return 0;
	}
	job->processes = processes;
	processes[number] = *as;
	if (!as->shares)
		processes[number].shares = number;
	return number;
}

static void add_child(struct pario_job *job, uint32_t parent, const struct pario_trace_record *note)
{
	const struct pario_job_process *p = &job->processes[parent];
	const char *boot = job->machines[p->machine].boot;
	struct pario_job_process as = { .machine = p->machine,
					.pid = (uint32_t)note->size,
					.ppid = p->pid,
					.rank = UINT32_MAX,
					.ranks = UINT32_MAX,
					.shares = p->shares };
	struct pario_map_key key = { XXH64(boot, strlen(boot), 0), note->size, note->offset };
	uint32_t number = add_process(job, key, &as), child, *children;
	bool is_new;

	if (!number)
		return;
	child = pario_map_add(&job->child_of, (struct pario_map_key){ parent, note->size, 0 },
			      &is_new);
	children = pario_map_grow(job->children, &job->child_capacity, child, sizeof(*children));
	if (!children) {
		job->no_memory = true;
		return;
	}
	job->children = children;
	children[child] = number;
	p = &job->processes[parent];
	if (p->program && !job->processes[number].program)
		job->processes[number].program = copy(job, p->program, strlen(p->program));
}

static void add_comm(struct pario_job *job, uint32_t process, const struct pario_trace_record *note)
{
	struct pario_map_key key = { process, note->file, 0 };
	bool is_new;
	uint32_t number;
	uint64_t *comms;

	if (note->flags & PARIO_COMM_REMOTE)
		return;
	number = pario_map_add(&job->comm_of, key, &is_new);
	comms = pario_map_grow(job->comms, &job->comm_capacity, number, sizeof(*comms));
	if (!comms) {
		job->no_memory = true;
		return;
	}
	job->comms = comms;
	comms[number] = number ? note->offset : 0;
}

uint64_t pario_job_comm(const struct pario_job *job, uint32_t process, int32_t comm)
{
	uint32_t number;

	if (comm == PARIO_COMM_WORLD)
		return PARIO_COMM_WORLD_ID;
	if (comm < PARIO_COMM_FIRST)
		return 0;
	number =
		pario_map_find(&job->comm_of, (struct pario_map_key){ process, (uint32_t)comm, 0 });
	return number ? job->comms[number] : 0;
}

static void add_note(struct pario_job *job, uint32_t process, const struct pario_trace_record *note,
		     char *text)
{
	struct pario_job_process *p = &job->processes[process];

	switch (note->op) {
	case PARIO_TRACE_FILE:
		add_file(job, process, note->file, text);
		break;
	case PARIO_TRACE_MODULE:
		add_mapping(job, process, note, text);
		break;
	case PARIO_TRACE_PROGRAM:
		set_program(job, p, note, text);
		break;
	case PARIO_TRACE_CLOCK:
		add_anchor(&job->machines[p->machine], note->t0, note->offset, note->size);
		break;
	case PARIO_TRACE_RANK:
		p->rank = note->file;
		p->ranks = (uint32_t)note->size;
		p->told_by_mpi = true;
		break;
	case PARIO_TRACE_STACK:
		job->stacks = true;
		break;
	case PARIO_TRACE_RING:
		if (note->file < PARIO_RINGS)
			job->requests[note->file] += note->size;
		break;
	case PARIO_TRACE_COMM:
		add_comm(job, process, note);
		break;
	case PARIO_TRACE_CHILD:
		add_child(job, process, note);
		break;
	case PARIO_TRACE_IO:
		add_counts(&job->counts[job->segments], note);
		break;
	default:
		break;
	}
}

/* ---- blocks ---- */

static uint32_t add_segment(struct pario_job *job, const struct pario_trace_segment *s)
{
	struct pario_job_process as = { .machine = machine_of(job, s),
					.pid = s->pid,
					.ppid = s->ppid,
					.rank = s->rank,
					.ranks = s->ranks };
	struct pario_job_counts *counts = pario_map_grow(
		job->counts, &job->counts_capacity, (uint32_t)job->segments + 1, sizeof(*counts));
	uint32_t number;

	if (!counts) {
		job->no_memory = true;
		return 0;
	}
	job->counts = counts;
	job->segments++;
	job->unended++;
	number = job->no_memory ? 0 : add_process(job, process_key(s), &as);
	counts[job->segments].process = number;
	if (number)
		add_anchor(&job->machines[as.machine], s->start_ticks, s->start_ns,
			   s->start_real_ns);
	return number;
}

static void add_end(struct pario_job *job, const struct pario_unpack *u)
{
	struct pario_pack_end end;

	memcpy(&end, u->plain, sizeof(end));
	job->unended--;
	job->losses.calls += end.calls;
	job->losses.unfinished += end.unfinished;
	job->losses.dropped += end.dropped;
	if (!job->losses.why)
		job->losses.why = end.why;
}

static void add_unseen(struct pario_job *job, const struct pario_unpack *u)
{
	if (job->unseen.length + u->length < PARIO_PACK_PLAIN_MAX &&
	    !memchr(u->plain, 0, u->length))
		pario_text_bytes(&job->unseen, u->plain, u->length);
}

static int by_process(const void *a, const void *b)
{
	const struct pario_job_mapping *x = a, *y = b;

	return x->process < y->process ? -1 : x->process > y->process;
}

static void sort_mappings(struct pario_job *job)
{
	if (job->mapping_count)
		qsort(job->mappings, job->mapping_count, sizeof(*job->mappings), by_process);
	for (uint32_t i = 0; i < job->mapping_count; i++) {
		struct pario_job_process *p = &job->processes[job->mappings[i].process];

		if (!p->mapping_count++)
			p->mapping_first = i;
	}
}

const struct pario_job_mapping *pario_job_mapping(const struct pario_job *job, uint32_t process,
						  uint64_t address)
{
	const struct pario_job_process *p = &job->processes[job->processes[process].shares];

	for (uint32_t i = p->mapping_count; i > 0; i--) {
		const struct pario_job_mapping *m = &job->mappings[p->mapping_first + i - 1];

		if (address >= m->from && address < m->to)
			return m;
	}
	return NULL;
}

int pario_job_read(struct pario_job *job, struct pario_unpack *u, struct pario_err *err)
{
	char text[PARIO_TRACE_TEXT_MAX + 1];
	struct pario_trace_record note;
	uint32_t process = 0;
	int kind;

	*job = (struct pario_job){ .process_of.limit = PARIO_JOB_PROCESSES,
				   .file_of.limit = PARIO_JOB_FILES,
				   .place_of.limit = PARIO_JOB_PLACES,
				   .comm_of.limit = PARIO_JOB_COMMS,
				   .child_of.limit = PARIO_JOB_PROCESSES };
	while ((kind = pario_unpack_next(u, true)) > 0) {
		size_t at = 0;

		if (kind == PARIO_PACK_SEGMENT)
			process = add_segment(job, &u->segment);
		else if (kind == PARIO_PACK_END)
			add_end(job, u);
		else if (kind == PARIO_PACK_UNSEEN)
			add_unseen(job, u);
		else
			while (process && pario_unpack_note(u, &at, &note, text) > 0)
				add_note(job, process, &note, text);
	}
	pario_unpack_rewind(u);
	if (job->no_memory)
		return pario_err_memory(err, "reading the trace %s", u->path);
	for (uint32_t i = 1; i <= job->segments; i++) {
		struct pario_job_counts *c = &job->counts[i];

		close_counts(c);
		if (!c->process)
			continue;
		job->processes[c->process].faults[0] += c->sum[PARIO_COUNT_MAJOR];
		job->processes[c->process].faults[1] += c->sum[PARIO_COUNT_MINOR];
	}
	for (uint32_t i = 1; i <= job->process_of.count; i++)
		pario_ranks_add(&job->ranks, job->processes[i].rank, job->processes[i].ranks);
	settle_clocks(job);
	sort_mappings(job);
	return pario_align_job(job, u, err);
}

void pario_job_release(struct pario_job *job)
{
	for (uint32_t i = 1; i <= job->file_of.count && i < job->file_capacity; i++)
		free(job->files[i]);
	for (uint32_t i = 0; i < job->module_count; i++) {
		free(job->modules[i].path);
		free(job->modules[i].build_id);
	}
	for (uint32_t i = 1; i <= job->process_of.count && i < job->process_capacity; i++)
		free(job->processes[i].program);
	pario_map_release(&job->process_of);
	pario_map_release(&job->file_of);
	pario_map_release(&job->place_of);
	pario_map_release(&job->child_of);
	free(job->children);
	pario_map_release(&job->comm_of);
	free(job->comms);
	pario_text_release(&job->unseen);
	pario_ranks_release(&job->ranks);
	free(job->processes);
	free(job->counts);
	free(job->files);
	free(job->places);
	free(job->machines);
	free(job->modules);
	free(job->mappings);
}

void pario_job_requests(const uint64_t requests[PARIO_RINGS], struct pario_text *text)
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
