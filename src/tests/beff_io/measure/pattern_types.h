/*
 * pattern_types: all types of one partition by one access method, and what is recorded of them.
 */
#ifndef PARIO_TESTS_BEFF_IO_MEASURE_PATTERN_TYPES_H
#define PARIO_TESTS_BEFF_IO_MEASURE_PATTERN_TYPES_H

#include "tests/beff_io/measure/file.h"
#include "tests/beff_io/measure/partitions.h"

/* The file of a type as this client sees it. */
void pario_beff_io_file_of(const struct pario_beff_io *bench, unsigned part,
			   enum pario_beff_io_type type, enum pario_beff_io_access access,
			   struct pario_beff_io_file *file);

/* Called by the members of the partition. bench->stop and bench->err tell how it ended. */
void pario_beff_io_pattern_types(struct pario_beff_io *bench, unsigned part,
				 enum pario_beff_io_access access);

/* The same, untimed: every byte of the initial write that is going to be rewritten. What is not is read at the end. */
void pario_beff_io_look_again(struct pario_beff_io *bench, unsigned part);

#endif
