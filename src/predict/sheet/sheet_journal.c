/*
 * sheet_journal: the classes as tables of the result of a program, and back. A journal is foreign: every number is
 * checked before it is used.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input.h"
#include "journal/history.h"
#include "predict/sheet/sheet.h"

static const char CLASSES[] =
	"phase part operation up_to_bytes locality distance_bytes shared clients_up_to path "
	"inferred calls bytes seconds clients";
static const char PHASES[] = "phase does from_s to_s calls read_bytes written_bytes seconds";
static const char PARTS[] = "part calls bytes seconds rest_s";
static const char JOB[] =
	"calls ranks makespan_s last_io_s busiest_io_s kept_s asynchronous asynchronous_s mapped trace_version "
	"lacks";

static const char *const part_names[PARIO_IO_PARTS] = { "read", "write", "metadata" };

/* ---- writing ---- */

#define ROW(tables, name, columns, ...) \
	pario_result_tables_row(tables, name, columns, (const struct pario_datum[]){ __VA_ARGS__ })

void pario_sheet_tables(const struct pario_sheet *s, struct pario_result_tables *tables)
{
	for (size_t i = 0; i < s->row_count; i++) {
		const struct pario_sheet_row *r = &s->rows[i];

		ROW(tables, "call_classes", CLASSES, PARIO_NUMBER(r->phase + 1),
		    PARIO_TEXT(part_names[r->part]), PARIO_TEXT(pario_system_op_names[r->key.op]),
		    PARIO_NUMBER(pario_trace_power_bytes(r->power)),
		    PARIO_TEXT(pario_system_locality_names[r->key.locality]),
		    PARIO_NUMBER(r->key.distance_bytes), PARIO_NUMBER(r->key.shared),
		    PARIO_NUMBER(pario_trace_power_bytes(r->concurrency)),
		    PARIO_TEXT(pario_system_path_names[r->key.path]), PARIO_NUMBER(r->inferred),
		    PARIO_NUMBER(r->calls), PARIO_NUMBER(r->bytes), PARIO_NUMBER(r->seconds),
		    PARIO_NUMBER(r->clients));
	}
	for (uint32_t i = 0; i < s->phase_count; i++) {
		const struct pario_sheet_phase *p = &s->phases[i];

		ROW(tables, "call_phases", PHASES, PARIO_NUMBER(i + 1),
		    PARIO_TEXT(pario_sheet_phase_name(p)), PARIO_NUMBER(p->from),
		    PARIO_NUMBER(p->to), PARIO_NUMBER(p->calls), PARIO_NUMBER(p->bytes[0]),
		    PARIO_NUMBER(p->bytes[1]), PARIO_NUMBER(p->seconds));
	}
	for (int i = 0; i < PARIO_IO_PARTS; i++)
		ROW(tables, "call_parts", PARTS, PARIO_TEXT(part_names[i]),
		    PARIO_NUMBER(s->parts[i].calls), PARIO_NUMBER(s->parts[i].bytes),
		    PARIO_NUMBER(s->parts[i].seconds), PARIO_NUMBER(s->parts[i].rest));
	ROW(tables, "call_job", JOB, PARIO_NUMBER(s->calls), PARIO_NUMBER(s->ranks),
	    PARIO_NUMBER(s->makespan), PARIO_NUMBER(s->last_io), PARIO_NUMBER(s->busiest_io),
	    PARIO_NUMBER(s->kept), PARIO_NUMBER(s->asynchronous),
	    PARIO_NUMBER(s->asynchronous_seconds), PARIO_NUMBER(s->mapped),
	    PARIO_NUMBER(s->version), PARIO_TEXT(pario_text_string(&s->lacks)));
}

/* ---- reading ---- */

enum { CELLS = 16 };

static const double MOST_COUNT = 0x1p53; /* calls and bytes: whole numbers up to here are exact */
static const double MOST_SECONDS = 1e12; /* 30 000 years of all threads together */

/* A table with the places of its columns, in the order in which they are written. */
struct reading {
	struct pario_result_table_view view;
	int columns[CELLS];
	const char *path;
	struct pario_err *err;
	bool failed;
};

static void wrong(struct reading *r, const char *what)
{
	if (!r->failed)
		pario_err_set(
			r->err, PARIO_USAGE,
			"the classes of calls in %s are damaged: %s. Profile the trace again.",
			r->path, what);
	r->failed = true;
}

static bool open_table(struct reading *r, const json_t *line, const char *name, const char *columns)
{
	char word[32];
	int length, count = 0;

	if (pario_result_table_find(line, name, &r->view, r->err) < 0) {
		r->failed = true;
		return false;
	}
	for (const char *at = columns; *at; at += length + (at[length] == ' ')) {
		length = (int)strcspn(at, " ");
		snprintf(word, sizeof(word), "%.*s", length, at);
		r->columns[count] = pario_result_table_column(&r->view, word, r->err);
		if (r->columns[count++] < 0) {
			r->failed = true;
			return false;
		}
	}
	return true;
}

static double number(struct reading *r, size_t row, int cell, double most)
{
	double value = pario_result_table_number(&r->view, row, r->columns[cell]);

	if (value >= 0 && value <= most)
		return value;
	wrong(r, "a number is missing, below zero or too large");
	return 0;
}

static uint64_t whole(struct reading *r, size_t row, int cell, double most)
{
	return (uint64_t)number(r, row, cell, most);
}

static unsigned word(struct reading *r, size_t row, int cell, const char *const *words, int count)
{
	const char *text = pario_result_table_text(&r->view, row, r->columns[cell]);

	for (int i = 0; i < count; i++) {
		if (strcmp(text, words[i]) == 0)
			return (unsigned)i;
	}
	wrong(r, "unknown operation, locality or path");
	return 0;
}

static void read_class(struct reading *r, struct pario_sheet *s, size_t i)
{
	struct pario_sheet_row *row = pario_sheet_add(s);
	double phase = number(r, i, 0, PARIO_SHEET_PHASES);

	if (!row) {
		pario_err_memory(r->err, "the classes in %s", r->path);
		r->failed = true;
		return;
	}
	row->phase = phase > 1 ? (uint32_t)phase - 1 : 0;
	row->part = (enum pario_io_part)word(r, i, 1, part_names, PARIO_IO_PARTS);
	row->key.op = (enum pario_system_op)word(r, i, 2, pario_system_op_names, PARIO_SYSTEM_OPS);
	row->power = pario_trace_power(whole(r, i, 3, MOST_COUNT));
	row->key.locality = (enum pario_system_locality)word(r, i, 4, pario_system_locality_names,
							     PARIO_SYSTEM_LOCALITIES);
	row->key.distance_bytes = whole(r, i, 5, MOST_COUNT);
	row->key.shared = number(r, i, 6, 1) > 0;
	row->concurrency = pario_trace_power(whole(r, i, 7, MOST_COUNT));
	row->key.path =
		(enum pario_system_path)word(r, i, 8, pario_system_path_names, PARIO_SYSTEM_PATHS);
	row->inferred = number(r, i, 9, 1) > 0;
	row->calls = whole(r, i, 10, MOST_COUNT);
	row->bytes = whole(r, i, 11, MOST_COUNT);
	row->seconds = number(r, i, 12, MOST_SECONDS);
	row->clients = number(r, i, 13, MOST_COUNT);
	if (!row->calls)
		wrong(r, "a class has no calls");
}

static void read_classes(struct reading *r, struct pario_sheet *s, const json_t *line)
{
	/* none where a program had no calls on storage */
	if (!json_object_get(json_object_get(line, "sheets"), "call_classes") ||
	    !open_table(r, line, "call_classes", CLASSES))
		return;
	if (r->view.row_count > 2 * PARIO_SHEET_ROWS)
		wrong(r, "there are more of them than pario writes");
	for (size_t i = 0; !r->failed && i < r->view.row_count; i++)
		read_class(r, s, i);
}

static void read_phases(struct reading *r, struct pario_sheet *s, const json_t *line)
{
	if (!json_object_get(json_object_get(line, "sheets"), "call_phases") ||
	    !open_table(r, line, "call_phases", PHASES))
		return;
	for (size_t i = 0; !r->failed && i < r->view.row_count && i < PARIO_SHEET_PHASES; i++) {
		struct pario_sheet_phase *p = &s->phases[s->phase_count++];

		p->from = number(r, i, 2, MOST_SECONDS);
		p->to = number(r, i, 3, MOST_SECONDS);
		p->calls = whole(r, i, 4, MOST_COUNT);
		p->bytes[0] = whole(r, i, 5, MOST_COUNT);
		p->bytes[1] = whole(r, i, 6, MOST_COUNT);
		p->seconds = number(r, i, 7, MOST_SECONDS);
	}
}

static void read_parts(struct reading *r, struct pario_sheet *s, const json_t *line)
{
	if (!open_table(r, line, "call_parts", PARTS))
		return;
	for (size_t i = 0; !r->failed && i < r->view.row_count; i++) {
		struct pario_sheet_part *p = &s->parts[word(r, i, 0, part_names, PARIO_IO_PARTS)];

		p->calls = whole(r, i, 1, MOST_COUNT);
		p->bytes = whole(r, i, 2, MOST_COUNT);
		p->seconds = number(r, i, 3, MOST_SECONDS);
		/* of calls around others, what these leave may be rounded below nothing */
		p->rest = pario_result_table_number(&r->view, i, r->columns[4]);
		if (!(fabs(p->rest) <= MOST_SECONDS))
			wrong(r, "the rest of a part is missing or too large");
	}
}

/* Each with its end, and nothing in them that a terminal acts upon. */
static void take_lines(struct pario_text *text, const char *lines)
{
	char line[1024];

	while (*lines) {
		size_t length = strcspn(lines, "\n");

		snprintf(line, sizeof(line), "%.*s", length < 1000 ? (int)length : 1000, lines);
		pario_text_clean(text, line);
		pario_text_add(text, "\n");
		lines += length + (lines[length] == '\n');
	}
}

static void read_job(struct reading *r, struct pario_sheet *s, const json_t *line)
{
	if (!open_table(r, line, "call_job", JOB))
		return;
	if (r->view.row_count != 1) {
		wrong(r, "the job is told not once");
		return;
	}
	s->calls = whole(r, 0, 0, MOST_COUNT);
	s->ranks = (uint32_t)whole(r, 0, 1, UINT32_MAX);
	s->makespan = number(r, 0, 2, MOST_SECONDS);
	s->last_io = number(r, 0, 3, MOST_SECONDS);
	s->busiest_io = number(r, 0, 4, MOST_SECONDS);
	s->kept = number(r, 0, 5, MOST_SECONDS);
	s->asynchronous = whole(r, 0, 6, MOST_COUNT);
	s->asynchronous_seconds = number(r, 0, 7, MOST_SECONDS);
	s->mapped = whole(r, 0, 8, MOST_COUNT);
	s->version = (unsigned)whole(r, 0, 9, UINT16_MAX);
	take_lines(&s->lacks, pario_result_table_text(&r->view, 0, r->columns[10]));
}

static const json_t *program_of(const struct pario_history *h)
{
	for (size_t i = 0; i < h->result_count; i++) {
		if (strcmp(pario_history_text(h->results[i], "test"), "trace") == 0 &&
		    strcmp(pario_history_text(h->results[i], "phase"), "program") == 0)
			return h->results[i];
	}
	return NULL;
}

static int read_sheet(struct pario_sheet *s, const struct pario_history *h, const char *path,
		      struct pario_err *err)
{
	const json_t *line = program_of(h);
	struct reading r = { .path = path, .err = err };

	if (!line)
		return pario_err_set(
			err, PARIO_USAGE,
			"%s is no profile: it holds no result of a traced program. `pario profile TRACE "
			"--journal DIR` makes one.",
			path);
	if (!json_object_get(json_object_get(line, "sheets"), "call_job"))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s holds no classes of calls: it is of an older pario, or of a part of the run "
			"(--from, --to). Profile the trace again with `pario profile TRACE --journal DIR`.",
			path);
	s->run = strtoull(pario_history_text(h->begin, "run"), NULL, 16);
	read_classes(&r, s, line);
	if (!r.failed)
		read_phases(&r, s, line);
	if (!r.failed)
		read_parts(&r, s, line);
	if (!r.failed)
		read_job(&r, s, line);
	return r.failed ? -1 : 0;
}

int pario_sheet_load(struct pario_sheet *s, const char *path, struct pario_err *err)
{
	struct pario_history history;
	int status;

	memset(s, 0, sizeof(*s));
	if (pario_history_load(&history, path, err) < 0)
		return -1;
	status = read_sheet(s, &history, path, err);
	pario_history_release(&history);
	if (status < 0)
		pario_sheet_release(s);
	return status;
}

bool pario_sheet_is_journal(const char *path)
{
	static const char mark[] = "{\"kind\":";
	char journal[4352], first[sizeof(mark)] = "";
	struct stat st;
	FILE *file;

	if (stat(path, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode)) {
		snprintf(journal, sizeof(journal), "%.4096s/journal.jsonl", path);
		return stat(journal, &st) == 0;
	}
	file = pario_input_stream(path, "", NULL);
	if (file && fread(first, sizeof(mark) - 1, 1, file) != 1)
		*first = '\0';
	if (file)
		fclose(file);
	return strcmp(first, mark) == 0;
}
