/*
 * answer: which routine to use: least CPU, most overlap, fastest, with the interval of each.
 *
 * A routine is recommended only where routines differ: those whose intervals meet that of the best, or that are within
 * PARIO_OVERLAP_ALIKE of it, are named with it. Where that is all of them, there is nothing to choose.
 */
#ifndef PARIO_TESTS_OVERLAP_MODEL_ANSWER_H
#define PARIO_TESTS_OVERLAP_MODEL_ANSWER_H

#include "tests/overlap/model/table.h"

/* Two runs of the same routine differ by as much. */
#define PARIO_OVERLAP_ALIKE 0.05

void pario_overlap_answer(struct pario_text *out, const struct pario_overlap_case *cases, size_t n);

#endif
