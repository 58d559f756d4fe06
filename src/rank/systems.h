/*
 * systems: many runs side by side, each a system: what they all measured, as a table of systems and measurements.
 *
 * Columns are measurements that several systems have: test, point, phase and unit are the same. Of a hundred kinds of
 * measurement the ones that most systems have are kept.
 */
#ifndef PARIO_RANK_SYSTEMS_H
#define PARIO_RANK_SYSTEMS_H

#include "rank/rates.h"
#include "report/text/style.h"

struct pario_system_column {
	struct pario_rate like; /* what is measured */
	char *name;
	size_t systems; /* that have it */
};

struct pario_systems {
	struct pario_archive *archive; /* each volume is a system */
	struct pario_groups groups;
	size_t count, column_count;
	struct pario_system_column *column;
	struct pario_rate *cell; /* count rows; without a group where it was not measured */
	size_t left_out;	 /* measurements that have no column */
	size_t marked;		 /* the system that is highlighted */
};

/* Refused where no two systems measured the same; `mark` is the label of the system to highlight, "" = the first. */
int pario_systems_of(struct pario_archive *archive, const char *mark, struct pario_systems *systems,
		     struct pario_err *err);
void pario_systems_release(struct pario_systems *systems);

const struct pario_rate *pario_systems_cell(const struct pario_systems *systems, size_t system,
					    size_t column);
/* The number in a cell; NaN where there is none. Scores are not divided. */
double pario_systems_value(const struct pario_systems *systems, size_t system, size_t column,
			   enum pario_rank_per per);
/* The values of a column in rising order, without those that are not known; `sorted` has room for all systems. */
size_t pario_systems_sorted(const struct pario_systems *systems, size_t column,
			    enum pario_rank_per per, double *sorted);
/* The nodes or clients of a system where all its numbers agree; NaN else. */
double pario_systems_size(const struct pario_systems *systems, size_t system,
			  enum pario_rank_per per);

void pario_systems_text(const struct pario_systems *systems, enum pario_rank_per per,
			const struct pario_style *style, struct pario_text *out);
void pario_systems_csv(const struct pario_systems *systems, struct pario_text *out);

/* One page; `per` is what it shows first. */
int pario_systems_page(const struct pario_systems *systems, enum pario_rank_per per,
		       const char *program, struct pario_text *out, struct pario_err *err);

#endif
