/*
 * table: everything that was measured, one record per pattern, length, method and repetition.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_TABLE_H
#define PARIO_TESTS_BEFF_MODEL_TABLE_H

#include <stdint.h>

#include "base/err.h"
#include "tests/beff/model/constants.h"

struct pario_beff_record {
	double bandwidth;		/* byte/s; NaN = not measured */
	double min_ns, mean_ns, max_ns; /* of the loop, over the processes that took part */
	uint64_t loop;
	char mark; /* 'M', 'R': release 3.6 copied it from another method or repetition; else ' ' */
};

struct pario_beff_table {
	unsigned patterns, repetitions;
	struct pario_beff_record *records;
};

int pario_beff_table_init(struct pario_beff_table *table, unsigned patterns, unsigned repetitions,
			  struct pario_err *err);
void pario_beff_table_release(struct pario_beff_table *table);

static inline struct pario_beff_record *pario_beff_at(const struct pario_beff_table *table,
						      unsigned pattern, unsigned length,
						      unsigned method, unsigned repetition)
{
	return &table->records[((pattern * PARIO_BEFF_LENGTHS + length) * PARIO_BEFF_METHODS +
				method) *
				       table->repetitions +
			       repetition];
}

#endif
