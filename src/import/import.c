/*
 * import: a file whole in memory, the format that knows it, and the harvest that the format fills.
 */
#include "import/import.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

enum {
	RESULTS_MAX = 20000, /* each takes some 8 KiB */
	NOTES_MAX = 100,
};
#define FILE_MAX ((size_t)2 << 30)

static int read_all(struct pario_import_file *source, FILE *file, struct pario_err *err)
{
	size_t capacity = 0;

	do {
		char *more;

		capacity = capacity ? 2 * capacity : 1 << 16;
		more = capacity <= FILE_MAX ? realloc(source->text, capacity + 1) : NULL;
		if (!more)
			return pario_err_set(err, PARIO_SYSTEM,
					     "%s is too large to be imported at once; cut it into "
					     "files below 2 GiB.",
					     source->path);
		source->text = more;
		source->length += fread(more + source->length, 1, capacity - source->length, file);
	} while (source->length == capacity);
	source->text[source->length] = '\0';
	if (ferror(file))
		return pario_err_sys(err, errno, NULL, "%s cannot be read", source->path);
	return 0;
}

int pario_import_file_load(struct pario_import_file *source, const char *path,
			   struct pario_err *err)
{
	struct stat st;
	FILE *file;
	int status;

	*source = (struct pario_import_file){ .path = path };
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return pario_err_set(err, PARIO_USAGE,
				     "%s is a directory; name the files in it, as in %s/*.", path,
				     path);
	file = fopen(path, "re");
	if (!file)
		return pario_err_sys(err, errno, NULL, "%s cannot be opened", path);
	status = read_all(source, file, err);
	fclose(file);
	if (status < 0)
		pario_import_file_release(source);
	return status;
}

void pario_import_file_release(struct pario_import_file *source)
{
	free(source->text);
	*source = (struct pario_import_file){ 0 };
}

static int unknown(const struct pario_import_file *source, struct pario_err *err)
{
	struct pario_text text = { 0 };

	for (const struct pario_import_format *f = pario_import_formats; f->name; f++)
		pario_text_add(&text, "%s%s",
			       f == pario_import_formats ? ""
			       : f[1].name		 ? ", "
							 : " and ",
			       f->summary);
	pario_err_set(
		err, PARIO_USAGE, "%s is none of the files that can be imported: %s.%s",
		source->path, pario_text_string(&text),
		strncmp(source->text, "{\"kind\":\"begin\"", 15) == 0
			? " It looks like a journal of pario, which `pario report` reads as it is."
			: "");
	pario_text_release(&text);
	return -1;
}

int pario_import_read(const struct pario_import_file *source, struct pario_harvest *harvest,
		      struct pario_err *err)
{
	const struct pario_import_format *f = pario_import_formats;
	int status;

	*harvest = (struct pario_harvest){ .points = json_array(), .notes = json_array() };
	if (source->length == 0) {
		pario_harvest_release(harvest);
		return pario_err_set(err, PARIO_USAGE, "%s is empty.", source->path);
	}
	while (f->name && !f->recognise(source))
		f++;
	harvest->format = f->name;
	status = f->name ? f->read(source, harvest, err) : unknown(source, err);
	if (status == 0 && harvest->count == 0)
		status = pario_err_set(err, PARIO_USAGE,
				       "%s looks like %s but holds no result; was the program "
				       "interrupted before its first one?",
				       source->path, f->summary);
	if (status < 0)
		pario_harvest_release(harvest);
	return status;
}

void pario_harvest_release(struct pario_harvest *harvest)
{
	json_decref(harvest->points);
	json_decref(harvest->notes);
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

int pario_harvest_point(struct pario_harvest *harvest, struct pario_err *err)
{
	if (json_array_append_new(harvest->points, json_object()) < 0)
		return pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
	return 0;
}

/* Bytes that are not UTF-8 become \xNN, as in every journal. */
void pario_harvest_param(struct pario_harvest *harvest, const char *name, const char *value)
{
	json_t *point = json_array_get(harvest->points, json_array_size(harvest->points) - 1);
	struct pario_text key = { 0 }, text = { 0 };

	if (!point || !value || !*value || !*name)
		return;
	pario_text_clean(&key, name);
	pario_text_clean(&text, value);
	json_object_set_new(point, pario_text_string(&key), json_string(pario_text_string(&text)));
	pario_text_release(&key);
	pario_text_release(&text);
}

static uint64_t repetition_of(const struct pario_harvest *h, const struct pario_result *r)
{
	for (size_t i = h->count; i-- > 0 && h->results[i].point_index == r->point_index;) {
		if (strcmp(h->results[i].phase, r->phase) == 0 &&
		    h->results[i].clients == r->clients)
			return h->results[i].repetition + 1;
	}
	return 0;
}

static bool grow(struct pario_harvest *h)
{
	size_t capacity = h->capacity ? 2 * h->capacity : 16;
	struct pario_result *more;

	if (h->count < h->capacity)
		return true;
	more = realloc(h->results, capacity * sizeof(*more));
	if (!more)
		return false;
	h->results = more;
	h->capacity = capacity;
	return true;
}

struct pario_result *pario_harvest_result(struct pario_harvest *harvest, const char *phase,
					  uint64_t clients, struct pario_err *err)
{
	uint64_t point = json_array_size(harvest->points);
	struct pario_result *r;

	if (harvest->count == RESULTS_MAX) {
		pario_err_set(err, PARIO_USAGE,
			      "the file holds more than %d results; cut it into several files.",
			      RESULTS_MAX);
		return NULL;
	}
	if (!grow(harvest)) {
		pario_err_set(err, PARIO_SYSTEM, "there is no memory for the results.");
		return NULL;
	}
	r = &harvest->results[harvest->count];
	pario_result_init(r);
	r->bytes = r->ops = r->latency_ns.count = PARIO_UNTOLD;
	r->point_index = point ? point - 1 : 0;
	r->clients = clients == PARIO_UNTOLD ? 0 : clients;
	r->cache.pages_total = r->cache.pages_resident = PARIO_UNTOLD;
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
