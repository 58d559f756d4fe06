/*
 * past: see past.h. The journal is the only state; a repetition counts when every phase of it has a result and none was
 * stopped by the user.
 */
#include "cmd/past.h"

#include <stdlib.h>
#include <string.h>

#include "record/journal.h"
#include "run/engine.h"

static int keep(struct pario_past *past, size_t *room, const json_t *line, struct pario_err *err)
{
	if (past->count == *room) {
		size_t wide = *room ? 2 * *room : 64;
		struct pario_result *more = realloc(past->list, wide * sizeof(*more));

		if (!more)
			return pario_err_set(err, PARIO_SYSTEM, "no memory for the results.");
		past->list = more;
		*room = wide;
	}
	if (pario_result_read(line, &past->list[past->count], err) < 0)
		return -1;
	past->lines++;
	past->count++;
	return 0;
}

int pario_past_read(struct pario_past *past, const char *path, struct pario_err *err)
{
	struct pario_journal_reader reader;
	json_t *line = NULL;
	size_t room = 0;
	int status;

	*past = (struct pario_past){ 0 };
	if (pario_journal_open(&reader, path, err) < 0)
		return -1;
	while ((status = pario_journal_next(&reader, &line, err)) > 0) {
		const char *kind = json_string_value(json_object_get(line, "kind"));

		if (kind && strcmp(kind, "result") == 0 && keep(past, &room, line, err) < 0)
			status = -1;
		json_decref(line);
		if (status < 0)
			break;
	}
	pario_journal_done(&reader);
	if (status < 0)
		pario_past_release(past);
	return status < 0 ? -1 : 0;
}

void pario_past_release(struct pario_past *past)
{
	free(past->list);
	*past = (struct pario_past){ 0 };
}

static bool belongs(const struct pario_result *r, const struct pario_bound *bound)
{
	return r->clients == bound->point.clients && strcmp(r->point, bound->name) == 0 &&
	       strcmp(r->test, bound->point.test->name) == 0;
}

static bool stopped(const struct pario_result *r)
{
	return strstr(r->reason, PARIO_STOPPED_BY_USER) != NULL;
}

/* A later result of the same phase and repetition stands for an earlier one: the run was taken up before. */
static bool superseded(const struct pario_past *past, size_t at, const struct pario_bound *bound)
{
	for (size_t i = at + 1; i < past->count; i++) {
		if (belongs(&past->list[i], bound) &&
		    past->list[i].repetition == past->list[at].repetition &&
		    strcmp(past->list[i].phase, past->list[at].phase) == 0)
			return true;
	}
	return false;
}

uint64_t pario_past_repetitions(const struct pario_past *past, const struct pario_bound *bound)
{
	struct pario_phase phases[PARIO_PHASES];
	unsigned wanted = pario_bound_phases(bound, phases);

	for (uint64_t complete = 0; complete < bound->settings.repetitions; complete++) {
		unsigned found = 0;

		for (size_t i = 0; i < past->count; i++) {
			const struct pario_result *r = &past->list[i];

			if (!belongs(r, bound))
				continue;
			if (r->outcome == PARIO_SKIP && !*r->phase)
				return bound->settings.repetitions;
			found += r->repetition == complete && !stopped(r) &&
				 !superseded(past, i, bound);
		}
		if (found < wanted)
			return complete;
	}
	return bound->settings.repetitions;
}

const struct pario_result *pario_past_next(const struct pario_past *past,
					   const struct pario_bound *bound, uint64_t repetitions,
					   size_t *at)
{
	for (; *at < past->count; (*at)++) {
		const struct pario_result *r = &past->list[*at];

		if (belongs(r, bound) && r->repetition < repetitions && !stopped(r) &&
		    !superseded(past, *at, bound)) {
			(*at)++;
			return r;
		}
	}
	return NULL;
}
