/*
 * journal: a harvest as a journal: begin, the line of kind `import` that says where all of it comes from, results,
 * notes, end.
 *
 * Parameters that all points share become the run's, the others the words of their point.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "import/import.h"
#include "import/lines.h"
#include "journal/derived.h"

struct writer {
	const struct pario_import_file *source;
	const struct pario_harvest *harvest;
	const struct pario_import_about *about;
	char id[32];
	struct pario_journal journal;
	struct pario_json line;
	bool cut; /* a point had more parameters than its words have room for */
};

/* Words of a point hold no blanks. */
static void add_word(struct pario_text *text, const char *name, const char *value)
{
	size_t from = text->length;

	pario_text_add(text, "%s%s=%s", from ? " " : "", name, value);
	for (size_t i = from + (from > 0); text->data && i < text->length; i++) {
		if (text->data[i] == ' ' || text->data[i] == '\t')
			text->data[i] = '_';
	}
}

static bool shared(const struct pario_harvest *h, const char *name, const char *value)
{
	const json_t *point;
	size_t i;

	json_array_foreach(h->points, i, point)
	{
		const char *other = json_string_value(json_object_get(point, name));

		if (!other || strcmp(other, value) != 0)
			return false;
	}
	return true;
}

static void write_param(struct pario_json *j, const char *name, const char *value)
{
	char spelled[128];

	snprintf(spelled, sizeof(spelled), "%s", name);
	for (char *c = spelled; *c; c++)
		*c = *c == ' ' ? '_' : *c;
	pario_derived_param(j, spelled, value, "import");
}

static void write_params(struct pario_json *j, const struct pario_harvest *h)
{
	json_t *first = json_array_get(h->points, 0);

	pario_json_open(j, "params", '{');
	for (void *at = json_object_iter(first); at; at = json_object_iter_next(first, at)) {
		const char *name = json_object_iter_key(at);
		const char *value = json_string_value(json_object_iter_value(at));

		if (shared(h, name, value))
			write_param(j, name, value);
	}
	pario_json_close(j, '}');
}

/* The numbers of clients that took part, each once, as in every journal. */
static void write_clients(struct pario_json *j, const struct pario_harvest *h)
{
	pario_json_open(j, "clients", '[');
	for (size_t i = 0; i < h->count; i++) {
		bool known = h->results[i].clients == 0;

		for (size_t k = 0; k < i && !known; k++)
			known = h->results[k].clients == h->results[i].clients;
		if (!known)
			pario_json_u64(j, NULL, h->results[i].clients);
	}
	pario_json_close(j, ']');
}

/* A file that holds results of several programs is a job's; a directory is named by its first ones. */
static const char *test_of(const struct pario_harvest *h)
{
	if (h->named)
		return h->results[0].test;
	for (size_t i = 1; i < h->count; i++) {
		if (strcmp(h->results[i].test, h->results[0].test) != 0)
			return "job";
	}
	return h->results[0].test;
}

static int begin_line(struct writer *w, struct pario_err *err)
{
	const struct pario_derived what = { .command = "import",
					    .file = w->source->path,
					    .label = w->about->label,
					    .test = test_of(w->harvest),
					    .time = w->harvest->time };
	struct pario_json *j = &w->line;

	pario_derived_begin(j, &what, w->source->hash);
	write_params(j, w->harvest);
	write_clients(j, w->harvest);
	pario_derived_machine(j, w->harvest->host);
	return pario_journal_append(&w->journal, j, err);
}

static int import_line(struct writer *w, struct pario_err *err)
{
	struct pario_json *j = &w->line;
	char now[PARIO_CLOCK_CAPACITY];

	pario_journal_line(j, "import");
	pario_json_string(j, "format", w->harvest->format);
	pario_json_string(j, "program", w->harvest->program);
	pario_json_string(j, "file", w->source->path);
	pario_json_u64(j, "file_bytes", w->source->bytes);
	pario_json_string(j, "file_xxh64", w->id);
	pario_json_string(j, "imported", pario_clock_label(now));
	pario_json_string(j, "time_zone",
			  w->harvest->zone_untold ? "not told; taken as UTC"
			  : *w->harvest->time	  ? "UTC"
						  : "");
	return pario_journal_append(&w->journal, j, err);
}

static void name_point(struct writer *w, struct pario_result *r)
{
	json_t *point = json_array_get(w->harvest->points, r->point_index);
	struct pario_text text = { 0 };

	for (void *at = json_object_iter(point); at; at = json_object_iter_next(point, at)) {
		const char *name = json_object_iter_key(at);
		const char *value = json_string_value(json_object_iter_value(at));
		size_t before = text.length;

		if (w->harvest->named ? strcmp(name, "file") != 0 : shared(w->harvest, name, value))
			continue;
		add_word(&text, name, value);
		if (text.length >= sizeof(r->point)) {
			text.data[before] = '\0';
			text.length = before;
			w->cut = true;
		}
	}
	snprintf(r->point, sizeof(r->point), "%s", pario_text_string(&text));
	pario_text_release(&text);
}

/* What varies between the points, as texts by name. */
static void write_point(struct pario_json *j, const struct pario_harvest *h, uint64_t index)
{
	json_t *point = json_array_get(h->points, index);

	pario_json_open(j, "params", '{');
	for (void *at = json_object_iter(point); at; at = json_object_iter_next(point, at)) {
		const char *name = json_object_iter_key(at);
		const char *value = json_string_value(json_object_iter_value(at));

		if (!shared(h, name, value))
			pario_json_string(j, name, value);
	}
	pario_json_close(j, '}');
}

static int result_lines(struct writer *w, struct pario_err *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < w->harvest->count; i++) {
		struct pario_result r = w->harvest->results[i];

		name_point(w, &r);
		pario_journal_line(&w->line, "result");
		pario_result_write(&w->line, &r);
		write_point(&w->line, w->harvest, r.point_index);
		status = pario_journal_append(&w->journal, &w->line, err);
	}
	return status;
}

static int note_line(struct writer *w, const char *level, const char *text, struct pario_err *err)
{
	return pario_derived_note(&w->journal, &w->line, level, text, "", err);
}

static int note_lines(struct writer *w, struct pario_err *err)
{
	const json_t *note;
	char text[512];
	size_t i;

	snprintf(text, sizeof(text), "Imported from %.300s of %.64s; %s.", w->source->path,
		 w->harvest->program,
		 strncmp(w->harvest->program, "pario ", 6) == 0
			 ? "the journal of that run tells more"
			 : "pario did not measure this");
	if (note_line(w, "info", text, err) < 0)
		return -1;
	if (!*w->harvest->time &&
	    note_line(w, "info", "The imported file does not tell when it was measured.", err) < 0)
		return -1;
	if (w->harvest->zone_untold &&
	    note_line(w, "info",
		      "The imported file tells its time without a zone; it is taken as UTC.",
		      err) < 0)
		return -1;
	json_array_foreach(w->harvest->notes, i, note)
	{
		if (note_line(w, "warning", json_string_value(note), err) < 0)
			return -1;
	}
	return w->cut ? note_line(w, "warning",
				  "Some points have more parameters than fit their names; the last "
				  "ones are left out there.",
				  err)
		      : 0;
}

static int end_line(struct writer *w, struct pario_err *err)
{
	bool suspect = false;

	for (size_t i = 0; i < w->harvest->count; i++)
		suspect |= w->harvest->results[i].outcome != PARIO_PASS;
	return pario_derived_end(&w->journal, &w->line, suspect, w->harvest->count, NAN, err);
}

/* The same file gives the same name, so that it is not imported twice by accident. */
static int make_directory(struct writer *w, char *directory, size_t capacity, struct pario_err *err)
{
	if (*directory)
		return pario_output_make_directory(directory, false, err);
	if (mkdir("pario-results", 0775) < 0 && errno != EEXIST)
		return pario_err_sys(err, errno, "Name a directory with --output.",
				     "pario-results cannot be made here");
	snprintf(directory, capacity, "pario-results/import-%s-%s", w->harvest->format, w->id);
	if (mkdir(directory, 0775) == 0)
		return 0;
	if (errno == EEXIST)
		return pario_err_set(
			err, PARIO_USAGE,
			"%s was imported before, as %s. Remove that to import it anew, "
			"or name another directory with --output.",
			w->source->path, directory);
	return pario_err_sys(err, errno, "Name another directory with --output.",
			     "the result directory %s cannot be made", directory);
}

static int write_lines(struct writer *w, struct pario_err *err)
{
	if (begin_line(w, err) < 0 || import_line(w, err) < 0 || result_lines(w, err) < 0 ||
	    note_lines(w, err) < 0)
		return -1;
	return end_line(w, err);
}

/* What the user says of the run holds for all its points. */
static int add_about(struct pario_harvest *h, const struct pario_import_about *about,
		     struct pario_err *err)
{
	json_t *point;
	size_t i;

	json_array_foreach(h->points, i, point)
	{
		if (*about->system)
			json_object_set_new(point, "system", json_string(about->system));
		if (*about->site)
			json_object_set_new(point, "site", json_string(about->site));
	}
	if (!*about->time)
		return 0;
	if (!pario_time_own(about->time, h->time))
		pario_time_label(about->time, "%Y-%m-%d", h->time);
	h->zone_untold = false;
	return *h->time
		       ? 0
		       : pario_err_set(err, PARIO_USAGE,
				       "--time %s is no time; write it as 2026-03-01T12:00:00Z, in "
				       "UTC, or as 2026-03-01.",
				       about->time);
}

int pario_import_write(const struct pario_import_file *source, struct pario_harvest *harvest,
		       const struct pario_import_about *about, char *directory, size_t capacity,
		       struct pario_err *err)
{
	struct writer w = { .source = source, .harvest = harvest, .about = about };
	int dirfd, status;

	snprintf(w.id, sizeof(w.id), "%016llx", (unsigned long long)source->hash);
	if (add_about(harvest, about, err) < 0 || make_directory(&w, directory, capacity, err) < 0)
		return -1;
	dirfd = pario_output_directory(directory, err);
	if (dirfd < 0)
		return -1;
	status = pario_journal_create_at(&w.journal, dirfd, directory, err);
	if (status == 0) {
		status = write_lines(&w, err);
		if (pario_journal_close(&w.journal, status < 0 ? NULL : err) < 0)
			status = -1;
	}
	/* half a journal would stand in the way of the next attempt */
	if (status < 0) {
		unlinkat(dirfd, "journal.jsonl", 0);
		rmdir(directory);
	}
	close(dirfd);
	pario_json_release(&w.line);
	return status;
}
