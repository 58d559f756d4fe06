/*
 * systems: every rate of every run finds its column; the columns that most systems share are kept.
 */
#include "rank/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 24, KINDS = 4096 };

static size_t column_of(struct pario_systems *s, const struct pario_rate *rate)
{
	for (size_t c = 0; c < s->column_count; c++) {
		if (pario_rate_alike(&s->column[c].like, rate))
			return c;
	}
	if (s->column_count == KINDS) {
		s->left_out++;
		return KINDS;
	}
	s->column[s->column_count] = (struct pario_system_column){ .like = *rate };
	return s->column_count++;
}

/* How many systems have each measurement. Rates of one system stand together and each is a measurement of its own. */
static void find_columns(struct pario_systems *s, const struct pario_rate *rates, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t c = column_of(s, &rates[i]);

		if (c < KINDS)
			s->column[c].systems++;
	}
}

/* The smallest number of systems that a column needs so that no more than COLUMNS are kept. */
static size_t wanted(const struct pario_systems *s)
{
	size_t least = 2, kept = COLUMNS + 1;

	for (; kept > COLUMNS && least <= s->count; least++) {
		kept = 0;
		for (size_t c = 0; c < s->column_count; c++)
			kept += s->column[c].systems >= least;
	}
	return least - 1;
}

static void keep_columns(struct pario_systems *s)
{
	size_t least = wanted(s), kept = 0;

	for (size_t c = 0; c < s->column_count; c++) {
		struct pario_text name = { 0 };

		if (s->column[c].systems < least || kept == COLUMNS) {
			s->left_out++;
			continue;
		}
		pario_rate_name(&s->column[c].like, &name);
		s->column[kept] = s->column[c];
		s->column[kept++].name = name.data;
	}
	s->column_count = kept;
}

static int fill(struct pario_systems *s, const struct pario_rate *rates, size_t count,
		struct pario_err *err)
{
	s->cell = calloc(s->count * s->column_count + 1, sizeof(*s->cell));
	if (!s->cell)
		return pario_err_memory(err, NULL);
	for (size_t i = 0; i < count; i++) {
		size_t row = rates[i].group->first->of->volume, c = 0;

		while (c < s->column_count && !pario_rate_alike(&s->column[c].like, &rates[i]))
			c++;
		if (c < s->column_count)
			s->cell[row * s->column_count + c] = rates[i];
	}
	return 0;
}

static int find_marked(struct pario_systems *s, const char *mark, struct pario_err *err)
{
	for (size_t i = 0; *mark && i < s->count; i++) {
		if (strcmp(s->archive->volume[i].label, mark) == 0) {
			s->marked = i;
			return 0;
		}
	}
	return *mark ? pario_err_set(err, PARIO_USAGE,
				     "none of the runs is called %s; --highlight takes a name as "
				     "the table shows it.",
				     mark)
		     : 0;
}

int pario_systems_of(struct pario_archive *archive, const char *mark, struct pario_systems *s,
		     struct pario_err *err)
{
	struct pario_rate *rates = NULL;
	size_t count = 0;
	int status = -1;

	*s = (struct pario_systems){ .archive = archive, .count = archive->volume_count };
	if (find_marked(s, mark, err) < 0 || pario_groups_of(archive, &s->groups, err) < 0)
		return -1;
	rates = calloc(s->groups.count + 1, sizeof(*rates));
	s->column = calloc(KINDS, sizeof(*s->column));
	if (!rates || !s->column) {
		pario_err_memory(err, NULL);
		goto out;
	}
	count = pario_rates_of(&s->groups, rates);
	find_columns(s, rates, count);
	keep_columns(s);
	if (s->column_count)
		status = fill(s, rates, count, err);
	else
		pario_err_set(err, PARIO_USAGE,
			      "no two of the %zu runs measured the same: tests, points and phases "
			      "must be equal.",
			      s->count);
out:
	free(rates);
	return status;
}

void pario_systems_release(struct pario_systems *s)
{
	for (size_t c = 0; c < s->column_count; c++)
		free(s->column[c].name);
	free(s->column);
	free(s->cell);
	if (s->archive)
		pario_groups_release(&s->groups);
	*s = (struct pario_systems){ 0 };
}

const struct pario_rate *pario_systems_cell(const struct pario_systems *s, size_t system,
					    size_t column)
{
	return &s->cell[system * s->column_count + column];
}

double pario_systems_value(const struct pario_systems *s, size_t system, size_t column,
			   enum pario_rank_per per)
{
	const struct pario_rate *rate = pario_systems_cell(s, system, column);

	if (!rate->group)
		return (double)NAN;
	return strcmp(rate->unit, "score") == 0 ? rate->value : pario_rate_per(rate, per);
}

size_t pario_systems_sorted(const struct pario_systems *s, size_t column, enum pario_rank_per per,
			    double *sorted)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		double value = pario_systems_value(s, i, column, per);

		if (isfinite(value))
			sorted[n++] = value;
	}
	qsort(sorted, n, sizeof(*sorted), pario_rank_ascending);
	return n;
}

double pario_systems_size(const struct pario_systems *s, size_t system, enum pario_rank_per per)
{
	double common = (double)NAN;

	for (size_t c = 0; c < s->column_count; c++) {
		const struct pario_rate *rate = pario_systems_cell(s, system, c);
		double own = !rate->group	      ? (double)NAN
			     : per == PARIO_RANK_NODE ? rate->nodes
						      : rate->clients;

		if (isfinite(own) && isfinite(common) && own != common)
			return (double)NAN;
		common = isfinite(own) ? own : common;
	}
	return common;
}
