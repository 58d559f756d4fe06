/*
 * resume: what an interrupted survey has measured already. A point counts as measured when every direction of it has
 * been tried at least once.
 */
#include "survey/walk/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "journal/journal.h"

/* One number of the journal. */
struct sample {
	size_t cell;
	unsigned measure;
	double seconds; /* NaN = tried, and failed */
};

struct samples {
	struct pario_walk *walk;
	struct sample *list;
	size_t count, capacity;
};

static int add_sample(struct samples *v, const struct sample *sample, struct pario_err *err)
{
	if (v->count == v->capacity) {
		size_t wide = v->capacity ? 2 * v->capacity : 256;
		struct sample *more = realloc(v->list, wide * sizeof(*more));

		if (!more)
			return pario_err_set(err, PARIO_SYSTEM, "no memory for the results.");
		v->list = more;
		v->capacity = wide;
	}
	v->list[v->count++] = *sample;
	return 0;
}

static int take_result(struct samples *v, const struct pario_result *r, struct pario_err *err)
{
	const struct pario_space *space = &v->walk->space;
	struct sample sample = { .cell = (size_t)r->point_index, .seconds = pario_walk_cost(r) };
	char name[512];

	if (r->point_index >= space->cells)
		return pario_err_set(err, PARIO_INVALID,
				     "the journal holds the point %llu of another survey.",
				     (unsigned long long)r->point_index);
	pario_walk_name(v->walk, sample.cell, name, sizeof(name));
	if (strcmp(name, r->point) != 0)
		return pario_err_set(
			err, PARIO_INVALID,
			"the journal holds the point \"%.200s\", which has another place "
			"in this survey. Start a new one.",
			r->point);
	for (unsigned m = 0; m < space->measures; m++) {
		sample.measure = m;
		if ((r->outcome == PARIO_SKIP || strcmp(space->measure[m], r->phase) == 0) &&
		    add_sample(v, &sample, err) < 0)
			return -1;
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return (x->measure > y->measure) - (x->measure < y->measure);
}

/* All samples of a point and measure, from `from` on; returns the first of the next. */
static size_t take_group(struct samples *v, size_t from)
{
	size_t to = from, count = 0;
	double *seconds = malloc(v->count * sizeof(*seconds));

	for (; to < v->count && by_place(&v->list[from], &v->list[to]) == 0; to++) {
		if (seconds && isfinite(v->list[to].seconds))
			seconds[count++] = v->list[to].seconds;
	}
	if (seconds)
		pario_space_take(&v->walk->space, v->list[from].cell, v->list[from].measure,
				 seconds, count);
	free(seconds);
	return to;
}

/* A point counts as measured once every direction was tried. */
static void take_samples(struct samples *v)
{
	const struct pario_space *space = &v->walk->space;

	qsort(v->list, v->count, sizeof(*v->list), by_place);
	for (size_t i = 0; i < v->count;) {
		size_t cell = v->list[i].cell;
		unsigned tried = 0;

		while (i < v->count && v->list[i].cell == cell) {
			i = take_group(v, i);
			tried++;
		}
		space->cell[cell].measured = tried == space->measures;
	}
	v->count = 0;
}

int pario_walk_resume(struct pario_walk *walk, struct pario_resume *resume, struct pario_err *err)
{
	struct pario_journal_reader reader;
	struct samples v = { .walk = walk };
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
			    take_result(&v, &result, err) < 0)
				status = -1;
		}
		json_decref(line);
		if (status < 0)
			break;
	}
	pario_journal_done(&reader);
	if (status == 0)
		take_samples(&v);
	free(v.list);
	return status < 0 ? -1 : 0;
}
