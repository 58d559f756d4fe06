/*
 * number_table: many numbers in one table, a line each, with what is to be said against them below it.
 *
 *	 what   with              clients       median      interval    max  min   mean  std dev  repetitions
 *	 write  transfer_size=4k        2  317.2 MiB/s  [306, 405.6]  405.6  306  340.1    45.23            5
 */
#ifndef PARIO_REPORT_TEXT_NUMBER_TABLE_H
#define PARIO_REPORT_TEXT_NUMBER_TABLE_H

#include <stddef.h>

#include "base/text.h"
#include "journal/result.h"
#include "report/text/style.h"

struct pario_number_table {
	struct pario_number_row *rows;
	size_t count, capacity;
};

/* Takes the results of one point and phase over its repetitions in. Without memory the line is left out. */
void pario_number_table_take(struct pario_number_table *table, const struct pario_result *results,
			     size_t count);

/*
 * Columns that do not fit the terminal are left out, the least important first; without `verbose` the median and its
 * interval are all of the statistics.
 */
void pario_number_table_add(struct pario_text *out, const struct pario_style *style,
			    const struct pario_number_table *table, bool verbose);

void pario_number_table_release(struct pario_number_table *table);

#endif
