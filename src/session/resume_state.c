/*
 * resume_state: the journal is the only state. A repetition counts if every phase of it has a result and none was
 * stopped by the user.
 */
#include "session/resume_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "engine/engine.h"
#include "journal/journal.h"

static int keep(struct pario_resume_state *earlier, size_t *capacity, const json_t *line,
		struct pario_err *err)
{
	if (!pario_grow(earlier->list, earlier->count, *capacity))
		return pario_err_memory(err, "the results");
	if (pario_result_read(line, &earlier->list[earlier->count], err) < 0)
		return -1;
	earlier->lines++;
	earlier->count++;
	return 0;
}

int pario_resume_state_read(struct pario_resume_state *earlier, const char *path,
			    struct pario_err *err)
{
	struct pario_journal_reader reader;
	json_t *line = NULL;
	size_t capacity = 0;
	int status;

	*earlier = (struct pario_resume_state){ 0 };
	if (pario_journal_open(&reader, path, err) < 0)
		return -1;
	while ((status = pario_journal_next(&reader, &line, err)) > 0) {
		const char *kind = json_string_value(json_object_get(line, "kind"));

		if (kind && strcmp(kind, "result") == 0 && keep(earlier, &capacity, line, err) < 0)
			status = -1;
		json_decref(line);
		if (status < 0)
			break;
	}
	pario_journal_done(&reader);
	if (status < 0)
		pario_resume_state_release(earlier);
	return status < 0 ? -1 : 0;
}

void pario_resume_state_release(struct pario_resume_state *earlier)
{
	free(earlier->list);
	*earlier = (struct pario_resume_state){ 0 };
}

static bool belongs(const struct pario_result *r, const struct pario_bound *bound)
{
	return r->clients == bound->point.clients && strcmp(r->point, bound->name) == 0 &&
	       strcmp(r->test, bound->point.test->name) == 0;
}

static bool stopped(const struct pario_result *r)
{
	return strstr(r->reason, PARIO_RESULT_EARLY) != NULL;
}

/* A later result of the same phase and repetition stands for an earlier one: the run was taken up before. */
static bool superseded(const struct pario_resume_state *earlier, size_t at,
		       const struct pario_bound *bound)
{
	for (size_t i = at + 1; i < earlier->count; i++) {
		if (belongs(&earlier->list[i], bound) &&
		    earlier->list[i].repetition == earlier->list[at].repetition &&
		    strcmp(earlier->list[i].phase, earlier->list[at].phase) == 0)
			return true;
	}
	return false;
}

uint64_t pario_resume_state_repetitions(const struct pario_resume_state *earlier,
					const struct pario_bound *bound, uint64_t most)
{
	struct pario_phase phases[PARIO_PHASES];
	unsigned wanted = pario_bound_phases(bound, phases);

	for (uint64_t complete = 0; complete < most; complete++) {
		unsigned found = 0;

		for (size_t i = 0; i < earlier->count; i++) {
			const struct pario_result *r = &earlier->list[i];

			if (!belongs(r, bound))
				continue;
			if (r->outcome == PARIO_SKIP && !*r->phase)
				return most;
			found += r->repetition == complete && !stopped(r) &&
				 !superseded(earlier, i, bound);
		}
		if (found < wanted)
			return complete;
	}
	return most;
}

const struct pario_result *pario_resume_state_next(const struct pario_resume_state *earlier,
						   const struct pario_bound *bound,
						   uint64_t repetitions, size_t *at)
{
	for (; *at < earlier->count; (*at)++) {
		const struct pario_result *r = &earlier->list[*at];

		if (belongs(r, bound) && r->repetition < repetitions && !stopped(r) &&
		    !superseded(earlier, *at, bound)) {
			(*at)++;
			return r;
		}
	}
	return NULL;
}
