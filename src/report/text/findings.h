/*
 * findings: what stands out in a set of regions, in plain sentences, each with a next step where there is one.
 *
 * A finding needs a difference that is large enough to matter and larger than the spread of both numbers: their
 * intervals must not touch. A number that is suspect, or rests on fewer than PARIO_REGION_LEAST values, proves
 * nothing.
 */
#ifndef PARIO_REPORT_TEXT_FINDINGS_H
#define PARIO_REPORT_TEXT_FINDINGS_H

#include <stddef.h>

#include "base/text.h"
#include "report/text/region.h"

enum { PARIO_FINDINGS_MAX = 16 };

struct pario_finding {
	char text[400], next[240]; /* with both numbers; what to try */
	const char *slower,
		*faster; /* ids of the ways it holds against each other; NULL = counts of clients */
	uint64_t clients; /* of the slower one */
	double factor;	  /* how many times slower: the largest comes first */
};

size_t pario_findings_of(const struct pario_region *regions, size_t count,
			 struct pario_finding findings[PARIO_FINDINGS_MAX]);

/* What a list of so many findings has to say as a whole: one or two sentences. */
void pario_findings_verdict(struct pario_text *out, size_t found,
			    const struct pario_region *regions, size_t count);

/* As a numbered list under "What stands out"; says so when nothing does, or when the regions prove nothing. */
void pario_findings_add(struct pario_text *out, const struct pario_finding *findings, size_t count,
			const struct pario_region *regions, size_t region_count);

#endif
