/*
 * ior: what IOR's JSON and its text have in common.
 */
#ifndef PARIO_IMPORT_IOR_H
#define PARIO_IMPORT_IOR_H

#include "import/import.h"

/* A row of the table of results; NaN where it has no such column. */
struct pario_ior_row {
	char access[32]; /* "write", "read", "remove" */
	double bw_mib, iops, latency_s, open_s, transfer_s, close_s, total_s;
	uint64_t moved; /* bytes, where IOR says that they are not what the sizes come to */
};

/* Of the test it belongs to; PARIO_UNTOLD and NaN where they are not told. */
struct pario_ior_sizes {
	uint64_t block, transfer, segments, tasks;
	double stonewall; /* seconds; 0 = none */
};

/* What is told once about a run: "" where it is not. `own`: pario printed it. */
void pario_ior_head(struct pario_harvest *harvest, bool own, const char *began,
		    const char *machine);
int pario_ior_take(struct pario_harvest *harvest, const struct pario_ior_row *row,
		   const struct pario_ior_sizes *sizes, struct pario_err *err);

#endif
