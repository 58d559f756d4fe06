/*
 * diagonals: the numbers that NHT-1 wants to see with every result (docs/nht1.md), read from the solution file
 * as `pario diagonal` does: by one process, from the beginning to the end.
 */
#ifndef PARIO_TESTS_NHT1_APPLICATION_DIAGONALS_H
#define PARIO_TESTS_NHT1_APPLICATION_DIAGONALS_H

#include <stdint.h>

#include "base/err.h"

struct pario_run;

/* On client 0 in verify: adds a row "vector point u1 u2 u3 u4 u5" for every point to the table "diagonal". */
int pario_diagonals_read(struct pario_run *run, int fd, const char *path, uint64_t grid,
			 struct pario_err *err);

#endif
