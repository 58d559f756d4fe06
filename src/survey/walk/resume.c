/*
 * resume: what an interrupted survey has measured already: the results of its journal, put back into the space.
 */
#include "survey/walk/walk.h"

#include <string.h>

#include "journal/journal.h"

static int take_result(struct pario_walk *walk, const struct pario_result *r, struct pario_err *err)
{
	struct pario_space *space = &walk->space;
	size_t cell = (size_t)r->point_index;
	char name[512];

	if (r->point_index >= space->cells)
		return pario_err_set(err, PARIO_INVALID,
				     "the journal holds the point %llu of another survey.",
				     (unsigned long long)r->point_index);
	pario_walk_name(walk, cell, name, sizeof(name));
	if (strcmp(name, r->point) != 0)
		return pario_err_set(
			err, PARIO_INVALID,
			"the journal holds the point \"%.200s\", which has another place "
			"in this survey. Start a new one.",
			r->point);
	for (unsigned m = 0; m < space->measures; m++) {
		if ((r->outcome == PARIO_SKIP || strcmp(space->measure[m], r->phase) == 0) &&
		    pario_space_take(space, cell, m, pario_walk_cost(r), err) < 0)
			return -1;
	}
	return 0;
}

int pario_walk_resume(struct pario_walk *walk, struct pario_resume *resume, struct pario_err *err)
{
	struct pario_journal_reader reader;
	struct pario_result result;
	json_t *line = NULL;
	int status;

	resume->results = 0;
	if (pario_journal_open(&reader, walk->frame.settings.resume, err) < 0)
		return -1;
	while ((status = pario_journal_next(&reader, &line, err)) > 0) {
		const char *kind = json_string_value(json_object_get(line, "kind"));

		if (kind && strcmp(kind, "result") == 0) {
			resume->results++;
			if (pario_result_read(line, &result, err) < 0 ||
			    take_result(walk, &result, err) < 0)
				status = -1;
		}
		json_decref(line);
		if (status < 0)
			break;
	}
	pario_journal_done(&reader);
	return status < 0 ? -1 : 0;
}
