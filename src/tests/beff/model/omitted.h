/*
 * omitted: what of the whole b_eff a table does not hold. Read from the measurements themselves, not from the decisions
 * that led to them, so that nothing that was left out can go unsaid.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_OMITTED_H
#define PARIO_TESTS_BEFF_MODEL_OMITTED_H

#include <stdint.h>

#include "base/text.h"
#include "tests/beff/model/pattern.h"
#include "tests/beff/model/table.h"

struct pario_beff_omitted {
	uint64_t made, planned; /* copies that release 3.6 makes by its rules count as made */
	/* bit i: message length i */
	uint32_t rings, extras;		      /* a pattern has no measurement there */
	uint32_t ring_methods, extra_methods; /* a pattern lacks a method there */
	unsigned randoms_whole, randoms;      /* with every length, and how many there are */
	uint64_t later_made, later_planned;   /* of the repetitions after the first */
};

void pario_beff_omitted(const struct pario_beff_table *table,
			const struct pario_beff_pattern *patterns,
			struct pario_beff_omitted *omitted);

/* What lacks, as a list in one line, "nothing" when all is there. */
void pario_beff_omitted_list(const struct pario_beff_omitted *omitted, const uint64_t *lengths,
			     struct pario_text *out);

/* "1 B to 64 B, 4 KiB" */
void pario_beff_length_ranges(uint32_t mask, const uint64_t *lengths, struct pario_text *out);

#endif
