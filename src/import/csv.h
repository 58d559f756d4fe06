/*
 * csv: cells of a line, and what tables of single ranks say of a result.
 */
#ifndef PARIO_IMPORT_CSV_H
#define PARIO_IMPORT_CSV_H

#include "import/import.h"

enum { PARIO_CSV_COLUMNS = 128 };

/* Splits at commas, in place; a cell in quotes holds no quotes of its own in what the programs print. */
size_t pario_csv_cells(char *line, char *cells[PARIO_CSV_COLUMNS]);

/* What ranks did in one phase. */
struct pario_rank_sums {
	uint64_t count;
	double min, max, mean,
		squares; /* of their times; squares are those of the distances from the mean, summed */
	double bytes, ops;
	struct pario_detail_part part;
};

#endif
