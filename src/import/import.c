/*
 * import: a file, the formats that know lines of it, and the harvest that they fill.
 */
#include "import/import.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "import/lines.h"

enum {
	RESULTS_MAX = 20000, /* each takes some 8 KiB */
	NOTES_MAX = 100,
	SOON = 8192, /* bytes of a JSON object within which its first members stand */
	FORMATS = 16,
};

/* Tables for people's eyes, which their programs also write in a form that is read. */
static const struct table {
	const char *begins, *what, *instead;
} tables[] = {
	{ "fio-", "fio's text", "; only its JSON is read: run fio with --output-format=json." },
	{ "OPERATION   RESULT TYPE", "elbencho's text",
	  "; its files are read: run elbencho with --jsonfile or --csvfile." },
	{ "ISO Date,Label,Phase,", "elbencho's live statistics",
	  "; its results are read: run elbencho with --jsonfile or --csvfile." },
};

enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

/* TABLES: none of them. Of fio's terse text a version stands before the name. */
static size_t table_of(const char *line)
{
	size_t i = 0;

	line += line[0] && line[1] == ';' ? 2 : 0;
	while (i < TABLES && strncmp(line, tables[i].begins, strlen(tables[i].begins)) != 0)
		i++;
	return i;
}

/* Files that people try, and what to do with them. */
static void also_known(struct pario_import_file *source, char text[256])
{
	struct pario_lines lines;
	const char *known = "";
	size_t table = TABLES;

	pario_lines_begin(&lines, source);
	while (!*known && pario_lines_next(&lines) && lines.number < 10000) {
		table = table_of(lines.text);
		if (lines.number == 1 && strncmp(lines.text, "#!", 2) == 0)
			known = "a script; its output is what can be read.";
		else if (strncmp(lines.text, "{\"kind\":\"begin\"", 15) == 0)
			known = "a journal of pario, which `pario report` reads as it is.";
		else if (pario_after(lines.text, "[ior-easy]") ||
			 pario_after(lines.text, "[mdtest-easy]"))
			known = "the configuration of io500, which holds no results.";
		else if (table < TABLES)
			known = tables[table].what;
	}
	snprintf(text, 256, "%s%s%s", *known ? " It looks like " : "", known,
		 *known && table < TABLES ? tables[table].instead : "");
}

static int unknown(struct pario_import_file *source, struct pario_err *err)
{
	char known[256];

	also_known(source, known);
	return pario_err_set(err, PARIO_USAGE,
			     "%s is not a file that can be imported: results of IOR, mdtest, "
			     "io500, fio, elbencho and Darshan.%s",
			     source->path, known);
}

static bool shows(const struct pario_import_format *f, const struct pario_lines *lines, long left)
{
	char quoted[64];

	if (f->sign && f->sign(lines->text, lines->number))
		return true;
	snprintf(quoted, sizeof(quoted), "\"%s\"", f->member ? f->member : "");
	return f->member && left > 0 && strstr(lines->text, quoted);
}

/* The rows of the table that any line speaks for, the most special first. Returns how many there are. */
static size_t formats_of(struct pario_import_file *source,
			 const struct pario_import_format *found[FORMATS])
{
	bool shown[FORMATS] = { false };
	struct pario_lines lines;
	long left = 0;
	size_t rows = 0, count = 0;

	for (; pario_import_formats[rows].name; rows++) {
		const struct pario_import_format *f = &pario_import_formats[rows];

		if (f->begins && f->begins(source)) {
			found[0] = f;
			return 1;
		}
	}
	pario_lines_begin(&lines, source);
	while (pario_lines_next(&lines)) {
		left = lines.text[strspn(lines.text, " \t")] == '{' ? SOON : left;
		for (size_t i = 0; i < rows; i++)
			shown[i] = shown[i] || shows(&pario_import_formats[i], &lines, left);
		left -= (long)strlen(lines.text);
	}
	for (size_t i = 0; i < rows; i++) {
		if (shown[i])
			found[count++] = &pario_import_formats[i];
		if (shown[i] && pario_import_formats[i].hides_next)
			i++;
	}
	return count;
}

bool pario_import_known(struct pario_import_file *source)
{
	const struct pario_import_format *found[FORMATS];

	return source->bytes > 0 && formats_of(source, found) > 0;
}

/* As if nothing had been read since there were so many results and points. */
static void forget(struct pario_harvest *h, size_t results, size_t points)
{
	while (h->count > results)
		free((void *)(uintptr_t)h->results[--h->count].detail);
	while (json_array_size(h->points) > points)
		json_array_remove(h->points, json_array_size(h->points) - 1);
}

/* What is beside the results, but of no format that is read. */
static void note_tables(struct pario_import_file *source, struct pario_harvest *h)
{
	bool seen[TABLES + 1] = { false };
	struct pario_lines lines;

	pario_lines_begin(&lines, source);
	while (pario_lines_next(&lines))
		seen[table_of(lines.text)] = true;
	for (size_t i = 0; i < TABLES; i++) {
		if (seen[i])
			pario_harvest_note(h, "The file also holds %s, which is left out%s",
					   tables[i].what, tables[i].instead);
	}
}

/* What a job printed may be of several formats; each is read, and one that cannot be does not keep the others out. */
static int read_each(struct pario_import_file *source, struct pario_harvest *h,
		     const struct pario_import_format *found[FORMATS], size_t count,
		     struct pario_err *err)
{
	size_t failed = 0, useful = 0;

	for (size_t i = 0; i < count; i++) {
		size_t results = h->count, points = json_array_size(h->points);
		const char *format = h->format;
		struct pario_err own = { 0 };

		h->format = found[i]->name;
		if (found[i]->read(source, h, &own) < 0) {
			forget(h, results, points);
			if (!failed++)
				*err = own;
			if (count > 1)
				pario_harvest_note(h, "%s", own.text);
		} else {
			useful++;
		}
		if (h->count == results)
			h->format = format ? format : h->format;
		else if (results)
			h->format = "mixed";
	}
	return useful ? 0 : -1;
}

/* What is left out is said; where nothing but that was there, the file is refused. */
static int settle(struct pario_harvest *h, const struct pario_import_file *source,
		  const char *summary, struct pario_err *err)
{
	if (h->count > 0 && h->lost > 0)
		pario_harvest_note(h, "%llu row%s not understood: the first is line %llu, \"%s\".",
				   (unsigned long long)h->lost, h->lost == 1 ? "" : "s",
				   (unsigned long long)h->lost_line, h->lost_text);
	if (h->count > 0 && h->cells > 0)
		pario_harvest_note(
			h, "%llu number%s beside the results not understood: the first is \"%s\".",
			(unsigned long long)h->cells, h->cells == 1 ? "" : "s", h->cell_text);
	if (h->count > 0)
		return 0;
	if (h->lost > 0)
		return pario_err_set(err, PARIO_INVALID,
				     "%s holds a table of results of which no row was understood: "
				     "the first is line %llu, \"%s\".",
				     source->path, (unsigned long long)h->lost_line, h->lost_text);
	return pario_err_set(err, h->tables ? PARIO_INVALID : PARIO_USAGE,
			     "%s looks like %s but holds no result; was the program interrupted "
			     "before its first one?",
			     source->path, summary);
}

/* Of which run of its test a point is, until it is known whether there are several. */
static const char run_key[] = "run";

/* Runs are told apart only where a program ran more than once; and many files may be in memory. */
static void finish(struct pario_harvest *h)
{
	json_t *point, *count;
	const char *test;
	bool several = false;
	struct pario_result *less = realloc(h->results, h->count * sizeof(*less));
	size_t i;

	if (less) {
		h->results = less;
		h->capacity = h->count;
	}
	json_object_foreach(h->runs, test, count) several |= json_integer_value(count) > 1;
	json_array_foreach(h->points, i, point)
	{
		if (!several)
			json_object_del(point, run_key);
	}
}

int pario_import_read(struct pario_import_file *source, struct pario_harvest *harvest,
		      struct pario_err *err)
{
	const struct pario_import_format *found[FORMATS];
	size_t count;
	int status;

	*harvest = (struct pario_harvest){ .points = json_array(),
					   .runs = json_object(),
					   .repetitions = json_object(),
					   .notes = json_array() };
	if (source->bytes == 0) {
		pario_harvest_release(harvest);
		return pario_err_set(err, PARIO_USAGE, "%s is empty.", source->path);
	}
	count = formats_of(source, found);
	status = count ? read_each(source, harvest, found, count, err) : unknown(source, err);
	if (status == 0 && !found[0]->begins)
		note_tables(source, harvest);
	if (status == 0)
		status = settle(harvest, source, found[0]->summary, err);
	if (status < 0)
		pario_harvest_release(harvest);
	else
		finish(harvest);
	return status;
}

void pario_harvest_release(struct pario_harvest *harvest)
{
	json_decref(harvest->points);
	json_decref(harvest->notes);
	json_decref(harvest->runs);
	json_decref(harvest->repetitions);
	for (size_t i = 0; i < harvest->count; i++)
		free((void *)(uintptr_t)harvest->results[i].detail);
	free(harvest->results);
	*harvest = (struct pario_harvest){ 0 };
}

int pario_import_refuse(const struct pario_import_file *source, const char *what,
			struct pario_err *err)
{
	return pario_err_set(err, PARIO_USAGE, "%s cannot be imported: %s", source->path, what);
}

/* ---- filled by the formats ---- */

int pario_harvest_run(struct pario_harvest *harvest, const char *test, const char *program,
		      struct pario_err *err)
{
	json_int_t number = json_integer_value(json_object_get(harvest->runs, test)) + 1;
	size_t length = strlen(harvest->program);

	json_object_set_new(harvest->runs, test, json_integer(number));
	harvest->test = test;
	if (*program && !strstr(harvest->program, program))
		snprintf(harvest->program + length, sizeof(harvest->program) - length, "%s%s",
			 length ? ", " : "", program);
	return pario_harvest_point(harvest, err);
}

void pario_harvest_resume(struct pario_harvest *harvest, const char *test, size_t point)
{
	/* one that has not begun has no name yet */
	harvest->test = test ? test : harvest->test;
	harvest->point = point;
}

double pario_harvest_cell(struct pario_harvest *harvest, const char *word)
{
	double value = pario_number(word);

	if (value >= 0)
		return value;
	if (*word && strcmp(word, "-") != 0 && strcmp(word, "NA") != 0 && !harvest->cells++)
		snprintf(harvest->cell_text, sizeof(harvest->cell_text), "%.31s", word);
	return (double)NAN;
}

void pario_harvest_lost(struct pario_harvest *harvest, uint64_t number, const char *line)
{
	if (harvest->lost++)
		return;
	harvest->lost_line = number;
	snprintf(harvest->lost_text, sizeof(harvest->lost_text), "%.120s", line);
}

int pario_harvest_point(struct pario_harvest *harvest, struct pario_err *err)
{
	json_int_t run = harvest->test
				 ? json_integer_value(json_object_get(harvest->runs, harvest->test))
				 : 0;
	char number[24];

	if (json_array_append_new(harvest->points, json_object()) < 0)
		return pario_err_memory(err, NULL);
	harvest->point = json_array_size(harvest->points) - 1;
	snprintf(number, sizeof(number), "%lld", (long long)run);
	if (run)
		pario_harvest_param(harvest, run_key, number);
	return 0;
}

/* Bytes that are not UTF-8 become \xNN, as in every journal. */
void pario_harvest_param(struct pario_harvest *harvest, const char *name, const char *value)
{
	json_t *point = json_array_get(harvest->points, harvest->point);
	struct pario_text key = { 0 }, text = { 0 };

	if (!point || !value || !*value || !*name)
		return;
	pario_text_clean(&key, name);
	pario_text_clean(&text, value);
	json_object_set_new(point, pario_text_string(&key), json_string(pario_text_string(&text)));
	pario_text_release(&key);
	pario_text_release(&text);
}

/* How many results of the point have the phase and the clients already; this one is counted, too. */
static uint64_t repetition_of(struct pario_harvest *h, const struct pario_result *r)
{
	char key[96];
	json_int_t before;

	snprintf(key, sizeof(key), "%llu %llu %s", (unsigned long long)r->point_index,
		 (unsigned long long)r->clients, r->phase);
	before = json_integer_value(json_object_get(h->repetitions, key));
	json_object_set_new_nocheck(h->repetitions, key, json_integer(before + 1));
	return (uint64_t)before;
}

struct pario_result *pario_harvest_result(struct pario_harvest *harvest, const char *phase,
					  uint64_t clients, struct pario_err *err)
{
	struct pario_result *r;

	if (harvest->count == RESULTS_MAX) {
		pario_err_set(err, PARIO_USAGE,
			      "the file holds more than %d results; cut it into several files.",
			      RESULTS_MAX);
		return NULL;
	}
	if (!pario_grow(harvest->results, harvest->count, harvest->capacity)) {
		pario_err_memory(err, "the results");
		return NULL;
	}
	r = &harvest->results[harvest->count];
	pario_result_init(r);
	r->bytes = r->ops = r->latency_ns.count = PARIO_UNTOLD;
	r->point_index = harvest->point;
	r->clients = clients == PARIO_UNTOLD ? 0 : clients;
	r->cache.pages_total = r->cache.pages_resident = PARIO_UNTOLD;
	snprintf(r->test, sizeof(r->test), "%s", harvest->test);
	snprintf(r->phase, sizeof(r->phase), "%s", phase);
	snprintf(r->cache.reason, sizeof(r->cache.reason), "the imported file does not tell");
	r->repetition = repetition_of(harvest, r);
	harvest->count++;
	return r;
}

void pario_harvest_note(struct pario_harvest *harvest, const char *format, ...)
{
	struct pario_text text = { 0 }, clean = { 0 };
	va_list args;

	if (json_array_size(harvest->notes) >= NOTES_MAX)
		return;
	va_start(args, format);
	pario_text_vadd(&text, format, args);
	va_end(args);
	pario_text_clean(&clean, pario_text_string(&text));
	json_array_append_new(harvest->notes, json_string(pario_text_string(&clean)));
	pario_text_release(&text);
	pario_text_release(&clean);
}
