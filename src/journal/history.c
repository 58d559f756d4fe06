/*
 * history: all lines of a journal by kind; of several begin or end lines, which a resumed run has, the last one
 * counts.
 */
#include "journal/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "journal/journal.h"

static int keep(json_t ***list, size_t *count, size_t *capacity, json_t *line,
		struct pario_err *err)
{
	if (!pario_grow(*list, *count, *capacity)) {
		json_decref(line);
		return pario_err_memory(err, "the lines of a journal");
	}
	(*list)[(*count)++] = line;
	return 0;
}

static void replace(json_t **at, json_t *line)
{
	json_decref(*at);
	*at = line;
}

static int take(struct pario_history *h, json_t *line, struct pario_err *err)
{
	const char *kind = json_string_value(json_object_get(line, "kind"));

	if (strcmp(kind, "result") == 0)
		return keep(&h->results, &h->result_count, &h->result_capacity, line, err);
	if (strcmp(kind, "note") == 0)
		return keep(&h->notes, &h->note_count, &h->note_capacity, line, err);
	if (strcmp(kind, "begin") == 0 && !h->begin)
		replace(&h->begin, line);
	else if (strcmp(kind, "end") == 0)
		replace(&h->end, line);
	else
		json_decref(line);
	return 0;
}

int pario_history_load(struct pario_history *history, const char *path, struct pario_err *err)
{
	struct pario_journal_reader reader;
	json_t *line;
	int status;

	memset(history, 0, sizeof(*history));
	if (pario_journal_open(&reader, path, err) < 0)
		return -1;
	while ((status = pario_journal_next(&reader, &line, err)) == 1)
		if (take(history, line, err) < 0) {
			status = -1;
			break;
		}
	history->torn = reader.torn;
	memcpy(history->path, reader.path, sizeof(history->path));
	pario_journal_done(&reader);
	if (status < 0)
		pario_history_release(history);
	return status;
}

void pario_history_release(struct pario_history *history)
{
	json_decref(history->begin);
	json_decref(history->end);
	for (size_t i = 0; i < history->result_count; i++)
		json_decref(history->results[i]);
	for (size_t i = 0; i < history->note_count; i++)
		json_decref(history->notes[i]);
	free(history->results);
	free(history->notes);
	memset(history, 0, sizeof(*history));
}

int pario_history_join(struct pario_history *history, struct pario_history *from,
		       struct pario_err *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < from->result_count; i++)
		status = take(history, json_incref(from->results[i]), err);
	for (size_t i = 0; status == 0 && i < from->note_count; i++)
		status = take(history, json_incref(from->notes[i]), err);
	pario_history_release(from);
	return status;
}

const char *pario_history_text(const json_t *line, const char *name)
{
	const char *text = json_string_value(json_object_get(line, name));

	return text ? text : "";
}

double pario_history_metric(const json_t *line, const char *name)
{
	const json_t *value =
		json_object_get(json_object_get(json_object_get(line, "metrics"), name), "value");

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *pario_history_param(const struct pario_history *history, const char *name)
{
	return json_string_value(json_object_get(
		json_object_get(json_object_get(history->begin, "params"), name), "value"));
}
