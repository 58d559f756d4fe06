/*
 * live: reads on where it stopped in each segment.
 */
#include "profile/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/segment.h"

struct pario_live *pario_live_new(void)
{
	struct pario_live *live = calloc(1, sizeof(*live));

	if (live) {
		live->segment_of.limit = live->operations.map.limit = PARIO_LIVE_ROWS;
		live->files.map.limit = live->processes.map.limit = PARIO_LIVE_ROWS;
		live->name_of.limit = 65536;
	}
	return live;
}

void pario_live_free(struct pario_live *live)
{
	if (!live)
		return;
	for (uint32_t i = 0; i < live->name_room; i++)
		free(live->names[i]);
	free(live->names);
	pario_map_release(&live->segment_of);
	pario_map_release(&live->name_of);
	pario_map_release(&live->operations.map);
	pario_map_release(&live->files.map);
	pario_map_release(&live->processes.map);
	free(live);
}

static uint32_t name_number(struct pario_live *live, const struct pario_trace_segment *s,
			    uint32_t file, const char *name)
{
	struct pario_map_key key = { s->pid, s->process, file };
	bool is_new;
	uint32_t number;
	char **names;

	if (!name)
		return pario_map_find(&live->name_of, key);
	number = pario_map_add(&live->name_of, key, &is_new);
	names = is_new ? pario_map_grow(live->names, &live->name_room, number, sizeof(*names))
		       : NULL;
	if (names) {
		live->names = names;
		names[number] = strdup(name);
	}
	return number;
}

static void count(struct pario_live_table *table, struct pario_map_key key, uint8_t class,
		  uint64_t bytes)
{
	bool is_new;
	struct pario_live_row *row = &table->row[pario_map_add(&table->map, key, &is_new)];

	row->calls++;
	if (class == PARIO_CLASS_READ || class == PARIO_CLASS_WRITE)
		row->bytes[class == PARIO_CLASS_WRITE] += bytes;
}

static void add(struct pario_live *live, const struct pario_segment *s,
		const struct pario_trace_record *r)
{
	uint8_t class = pario_trace_op_info[r->op - PARIO_TRACE_FIRST].class;
	uint64_t bytes = pario_profile_bytes(r);
	uint32_t name = name_number(live, &s->head, r->file, NULL);

	live->calls++;
	live->all_calls++;
	count(&live->operations, (struct pario_map_key){ r->op, 0, 0 }, class, bytes);
	if (name)
		count(&live->files, (struct pario_map_key){ name, 0, 0 }, class, bytes);
	count(&live->processes, (struct pario_map_key){ s->head.pid, s->head.rank, 0 }, class,
	      bytes);
}

static void read_on(struct pario_live *live, struct pario_segment *s)
{
	bool is_new;
	struct pario_map_key key = { s->head.pid, s->head.process, s->head.start_ticks };
	uint32_t number = pario_map_add(&live->segment_of, key, &is_new);
	struct pario_trace_record record;
	const char *text;

	live->dropped += s->head.dropped;
	s->next = live->read[number];
	while (pario_segment_next(s, &record, &text) > 0) {
		if (record.op == PARIO_TRACE_FILE)
			name_number(live, &s->head, record.file, text);
		else if (record.op >= PARIO_TRACE_FIRST)
			add(live, s, &record);
	}
	live->read[number] = s->next;
}

int pario_live_look(struct pario_live *live, const char *directory)
{
	struct pario_segment segment;
	struct dirent **names = NULL;
	int segments = scandir(directory, &names, pario_segment_is_name, NULL);

	live->calls = live->dropped = 0;
	memset(live->operations.row, 0, sizeof(live->operations.row));
	memset(live->files.row, 0, sizeof(live->files.row));
	memset(live->processes.row, 0, sizeof(live->processes.row));
	for (int i = 0; i < segments; i++) {
		if (pario_segment_open(&segment, directory, names[i]->d_name) == 0) {
			read_on(live, &segment);
			pario_segment_close(&segment);
		}
		free(names[i]);
	}
	free(names);
	return segments;
}

struct order {
	uint64_t key;
	uint32_t number;
};

static int descending(const void *a, const void *b)
{
	uint64_t x = ((const struct order *)a)->key, y = ((const struct order *)b)->key;

	return x < y ? 1 : x > y ? -1 : 0;
}

enum what { OPERATION, FILE_NAME, PROCESS };

static void show_name(const struct pario_live *live, enum what what, struct pario_map_key key,
		      struct pario_text *text)
{
	if (what == OPERATION)
		pario_text_add(text, "%s", pario_trace_op_info[key.a - PARIO_TRACE_FIRST].name);
	else if (what == FILE_NAME)
		pario_text_clean(text, live->names[key.a] ? live->names[key.a] : "-");
	else if (key.b == UINT32_MAX)
		pario_text_add(text, "pid %llu", (unsigned long long)key.a);
	else
		pario_text_add(text, "rank %llu, pid %llu", (unsigned long long)key.b,
			       (unsigned long long)key.a);
}

static void show_table(const struct pario_live *live, const struct pario_live_table *table,
		       enum what what, double seconds, unsigned rows, struct pario_text *text)
{
	static const char *const titles[] = { "operation", "file", "process" };
	struct order order[PARIO_LIVE_ROWS] = { 0 };
	uint32_t count = table->map.count;
	char a[PARIO_UNITS_ROOM], b[PARIO_UNITS_ROOM];

	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct order){ table->row[i + 1].calls, i + 1 };
	qsort(order, count, sizeof(*order), descending);
	pario_text_add(text, "\n  %12s %14s %14s  %s\n", "calls/s", "read", "written",
		       titles[what]);
	for (uint32_t i = 0; i < count && i < rows && order[i].key; i++) {
		const struct pario_live_row *row = &table->row[order[i].number];

		pario_text_add(text, "  %12.0f %14s %14s  ", (double)row->calls / seconds,
			       pario_units_rate(a, (double)row->bytes[0] / PARIO_MIB / seconds),
			       pario_units_rate(b, (double)row->bytes[1] / PARIO_MIB / seconds));
		show_name(live, what, table->map.keys[order[i].number], text);
		pario_text_add(text, "\n");
	}
}

void pario_live_show(const struct pario_live *live, double seconds, unsigned rows,
		     struct pario_text *text)
{
	pario_text_add(text, "%.0f calls/s, %llu so far%s\n", (double)live->calls / seconds,
		       (unsigned long long)live->all_calls,
		       live->dropped ? ", SOME WERE LOST" : "");
	show_table(live, &live->operations, OPERATION, seconds, rows, text);
	show_table(live, &live->files, FILE_NAME, seconds, rows, text);
	show_table(live, &live->processes, PROCESS, seconds, rows, text);
}
