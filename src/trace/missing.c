/*
 * missing: what was started, against what is there: processes that should have left a segment and did not, by name.
 */
#include "trace/missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "trace/segment.h"

/* From `ticks` on there is something of this process. */
static void present(struct pario_missing *m, uint32_t pid, uint64_t ticks)
{
	bool is_new;
	uint32_t number;
	uint64_t *latest;

	m->pid_of.limit = PARIO_MISSING_STARTS;
	number = pario_map_add(&m->pid_of, (struct pario_map_key){ pid, m->machine, 0 }, &is_new);
	latest = pario_map_grow(m->latest, &m->latest_capacity, number, sizeof(*latest));
	if (!latest)
		return;
	m->latest = latest;
	if (is_new || latest[number] < ticks)
		latest[number] = ticks;
}

static void expect(struct pario_missing *m, const struct pario_missing_start *start)
{
	struct pario_missing_start *starts;

	if (m->count >= PARIO_MISSING_STARTS) {
		m->beyond++;
		return;
	}
	starts = pario_map_grow(m->starts, &m->capacity, m->count, sizeof(*starts));
	if (!starts) {
		m->beyond++;
		return;
	}
	m->starts = starts;
	starts[m->count++] = *start;
}

/* An exec after which its process did nothing more here. */
static void settle(struct pario_missing *m)
{
	if (m->last.ticks)
		expect(m, &m->last);
	m->last.ticks = 0;
}

void pario_missing_begin(struct pario_missing *m, const struct pario_trace_segment *head)
{
	m->machine = XXH64(head->boot, strnlen(head->boot, sizeof(head->boot)), 0);
	present(m, head->pid, head->start_ticks);
	m->owner = m->writer = head->pid;
	m->last.ticks = 0;
}

void pario_missing_end(struct pario_missing *m)
{
	settle(m);
}

static void add_start(struct pario_missing *m, const struct pario_trace_record *r)
{
	struct pario_missing_start start = { .pid = m->writer,
					     .machine = m->machine,
					     .exec = r->op != PARIO_OP_fork,
					     .owner = m->owner,
					     .file = r->file,
					     .ticks = r->t0 };

	if (r->op == PARIO_OP_exec) {
		m->last = start;
	} else if (r->result > 0 && !(r->flags & PARIO_TRACE_FAILED)) {
		start.pid = (uint32_t)r->result;
		expect(m, &start);
	}
}

void pario_missing_record(struct pario_missing *m, const struct pario_trace_record *r)
{
	switch (r->op) {
	case PARIO_TRACE_CHILD:
		settle(m);
		m->writer = (uint32_t)r->size;
		present(m, m->writer, r->t0);
		break;
	case PARIO_TRACE_THREAD:
		if (m->writer != m->owner)
			settle(m);
		m->writer = m->owner;
		break;
	case PARIO_OP_exec:
	case PARIO_OP_fork:
	case PARIO_OP_posix_spawn:
		add_start(m, r);
		break;
	default:
		/*
		 * requests in flight are written down after an exec; whatever else comes after it says that it failed
		 */
		if (r->op >= PARIO_TRACE_FIRST &&
		    !(r->flags & (PARIO_TRACE_STARTED | PARIO_TRACE_COMPLETED)))
			m->last.ticks = 0;
	}
}

const struct pario_missing_start *pario_missing_next(const struct pario_missing *m, uint32_t *at)
{
	while (*at < m->count) {
		const struct pario_missing_start *s = &m->starts[(*at)++];
		uint32_t number =
			pario_map_find(&m->pid_of, (struct pario_map_key){ s->pid, s->machine, 0 });

		if (!number || m->latest[number] < s->ticks)
			return s;
	}
	return NULL;
}

/* The text of a note in one segment; false when it is not there. */
static bool find_text(const char *directory, const char *segment, uint16_t op, uint32_t file,
		      char *name, size_t capacity)
{
	struct pario_trace_record r;
	struct pario_segment s;
	const char *text;
	bool found = false;

	if (pario_segment_open(&s, directory, segment) < 0)
		return false;
	while (!found && pario_segment_next(&s, &r, &text) > 0) {
		if (r.op != op || (op == PARIO_TRACE_FILE && r.file != file))
			continue;
		snprintf(name, capacity, "%.*s", (int)strcspn(text, "\n"), text);
		found = true;
	}
	pario_segment_close(&s);
	return found;
}

void pario_missing_name(const struct pario_missing_start *start, const char *directory, char *name,
			size_t capacity)
{
	struct dirent **names = NULL;
	int count = scandir(directory, &names, pario_segment_is_name, versionsort);
	char prefix[32];
	bool found = false;

	*name = '\0';
	snprintf(prefix, sizeof(prefix), "%u.", start->owner);
	for (int i = 0; i < count; i++) {
		if (!found && strncmp(names[i]->d_name, prefix, strlen(prefix)) == 0)
			found = find_text(directory, names[i]->d_name,
					  start->exec ? PARIO_TRACE_FILE : PARIO_TRACE_PROGRAM,
					  start->file, name, capacity);
		free(names[i]);
	}
	free(names);
}

void pario_missing_release(struct pario_missing *m)
{
	pario_map_release(&m->pid_of);
	free(m->latest);
	free(m->starts);
}
