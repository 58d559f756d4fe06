/*
 * table: allocates a table in which nothing has been measured yet.
 */
#include "tests/beff/model/table.h"

#include <math.h>
#include <stdlib.h>

int pario_beff_table_init(struct pario_beff_table *table, unsigned patterns, unsigned repetitions,
			  struct pario_err *err)
{
	size_t count = (size_t)patterns * PARIO_BEFF_LENGTHS * PARIO_BEFF_METHODS * repetitions;

	*table = (struct pario_beff_table){ .patterns = patterns, .repetitions = repetitions };
	table->records = calloc(count ? count : 1, sizeof(*table->records));
	if (!table->records)
		return pario_err_memory(err, "the measurements of b_eff");
	for (size_t i = 0; i < count; i++) {
		table->records[i].bandwidth = NAN;
		table->records[i].mark = ' ';
	}
	return 0;
}

void pario_beff_table_release(struct pario_beff_table *table)
{
	free(table->records);
	table->records = NULL;
}
