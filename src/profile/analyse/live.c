/*
 * live: reads on where it stopped in each segment, and shows what came since. It writes nothing into a segment.
 */
#include "profile/analyse/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/units.h"
#include "trace/segment.h"

struct pario_live *pario_live_new(void)
{
	struct pario_live *live = calloc(1, sizeof(*live));

	if (live) {
		live->segment_of.limit = live->operations.map.limit = PARIO_LIVE_ROWS;
		live->named.map.limit = live->processes.map.limit = PARIO_LIVE_ROWS;
		live->place_of.limit = live->file_of.limit = 65536;
	}
	return live;
}

void pario_live_free(struct pario_live *live)
{
	if (!live)
		return;
	for (uint32_t i = 0; i < live->name_capacity; i++)
		free(live->names[i]);
	free(live->names);
	free(live->files);
	pario_map_release(&live->segment_of);
	pario_map_release(&live->place_of);
	pario_map_release(&live->file_of);
	pario_map_release(&live->operations.map);
	pario_map_release(&live->named.map);
	pario_map_release(&live->processes.map);
	free(live);
}

/* One name is one file, whichever process opened it. */
static uint32_t file_number(struct pario_live *live, const char *name)
{
	size_t length = strlen(name);
	struct pario_map_key key = { XXH64(name, length, 0), XXH64(name, length, 1), 0 };
	bool is_new;
	uint32_t number = pario_map_add(&live->file_of, key, &is_new);
	char **names =
		is_new ? pario_map_grow(live->names, &live->name_capacity, number, sizeof(*names))
		       : NULL;

	if (names) {
		live->names = names;
		names[number] = strdup(name);
	}
	return is_new && !names ? 0 : number;
}

static struct pario_map_key place_key(const struct pario_trace_segment *s, uint32_t file)
{
	return (struct pario_map_key){ s->pid, s->process, file };
}

static void name_place(struct pario_live *live, const struct pario_trace_segment *s, uint32_t file,
		       const char *name)
{
	bool is_new;
	uint32_t place = pario_map_add(&live->place_of, place_key(s, file), &is_new);
	uint32_t *files = pario_map_grow(live->files, &live->file_capacity, place, sizeof(*files));

	if (!files || !is_new)
		return;
	live->files = files;
	files[place] = file_number(live, name);
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
	uint8_t class = pario_trace_operation(r->op)->class;
	uint64_t bytes = pario_trace_moved(r);
	uint32_t place = pario_map_find(&live->place_of, place_key(&s->head, r->file));
	uint32_t file = place ? live->files[place] : 0;

	live->calls++;
	live->all_calls++;
	count(&live->operations, (struct pario_map_key){ r->op, 0, 0 }, class, bytes);
	if (file)
		count(&live->named, (struct pario_map_key){ file, 0, 0 }, class, bytes);
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
	if (!number) { /* more threads than are kept apart */
		live->unseen++;
		return;
	}
	s->next = live->read[number];
	while (pario_segment_next(s, &record, &text) > 0) {
		if (record.op == PARIO_TRACE_FILE)
			name_place(live, &s->head, record.file, text);
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

	live->calls = live->dropped = live->unseen = 0;
	memset(live->operations.row, 0, sizeof(live->operations.row));
	memset(live->named.row, 0, sizeof(live->named.row));
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
		pario_text_add(text, "%s", pario_trace_operation((unsigned)key.a)->name);
	else if (what == FILE_NAME)
		pario_text_clean(text, key.a < live->name_capacity && live->names[key.a]
					       ? live->names[key.a]
					       : "-");
	else if (key.b == UINT32_MAX)
		pario_text_add(text, "pid %llu", (unsigned long long)key.a);
	else
		pario_text_add(text, "rank %llu, pid %llu", (unsigned long long)key.b,
			       (unsigned long long)key.a);
}

/* Where the numbers of a row end. */
enum { NUMBERS = 46 };

/* The end of a name says more than its beginning. */
static void add_cut(struct pario_text *text, const char *name, unsigned columns)
{
	size_t capacity = columns > NUMBERS + 8 ? columns - NUMBERS : 8, letters = 0;

	for (const char *c = name; *c; c++)
		letters += ((unsigned char)*c & 0xc0) != 0x80;
	if (columns && letters > capacity) {
		for (; letters >= capacity; letters--) {
			name++;
			while (((unsigned char)*name & 0xc0) == 0x80)
				name++;
		}
		pario_text_add(text, "…");
	}
	pario_text_add(text, "%s", name);
}

static void show_table(const struct pario_live *live, const struct pario_live_table *table,
		       enum what what, double seconds, unsigned rows, unsigned columns,
		       struct pario_text *text)
{
	static const char *const titles[] = { "operation", "file", "process" };
	struct order order[PARIO_LIVE_ROWS] = { 0 };
	uint32_t count = table->map.count;
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];
	struct pario_text name = { 0 };

	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct order){ table->row[i + 1].calls, i + 1 };
	qsort(order, count, sizeof(*order), descending);
	pario_text_add(text, "\n  %12s %14s %14s  %s\n", "calls/s", "read", "written",
		       titles[what]);
	for (uint32_t i = 0; i < count && i < rows && order[i].key; i++) {
		const struct pario_live_row *row = &table->row[order[i].number];

		pario_text_add(text, "  %12.0f %12s/s %12s/s  ", (double)row->calls / seconds,
			       pario_units_size(a, (uint64_t)((double)row->bytes[0] / seconds)),
			       pario_units_size(b, (uint64_t)((double)row->bytes[1] / seconds)));
		pario_text_clear(&name);
		show_name(live, what, table->map.keys[order[i].number], &name);
		add_cut(text, pario_text_string(&name), columns);
		pario_text_add(text, "\n");
	}
	pario_text_release(&name);
}

void pario_live_show(const struct pario_live *live, double seconds, unsigned rows, unsigned columns,
		     struct pario_text *text)
{
	pario_text_add(text, "%.0f calls/s, %llu so far%s%s\n", (double)live->calls / seconds,
		       (unsigned long long)live->all_calls, live->dropped ? ", SOME WERE LOST" : "",
		       live->unseen ? ", some threads are not shown" : "");
	show_table(live, &live->operations, OPERATION, seconds, rows, columns, text);
	show_table(live, &live->named, FILE_NAME, seconds, rows, columns, text);
	show_table(live, &live->processes, PROCESS, seconds, rows, columns, text);
}
