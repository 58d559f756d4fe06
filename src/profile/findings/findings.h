/*
 * findings: what should be changed? Rules look at the evidence of a profile; each finding has the time at stake, where
 * in the source it comes from, what was seen, and what would help. Silent when there is nothing.
 *
 * The time at stake is what the calls in question took: the most that a change can save, not what it will save. A rule
 * whose calls took less than a hundredth of the program's time on storage, or a thousandth of its run, says nothing,
 * unless it is about data.
 */
#ifndef PARIO_PROFILE_FINDINGS_FINDINGS_H
#define PARIO_PROFILE_FINDINGS_FINDINGS_H

#include "profile/findings/rules.h"
#include "trace/symbols.h"

struct pario_profile_finding {
	const struct pario_rule *rule;
	double ns;	      /* at stake */
	uint32_t site;	      /* number in the profile; 0: none */
	uint32_t classes;     /* of the calls it is about, a bit each; 0: that of the site */
	uint32_t file, files; /* the one it is about most, and how many there are; 0: none */
	double file_ns;
	uint64_t calls, all; /* calls that show it, of how many */
	uint64_t bytes, range, names;
	uint64_t moves;				/* calls that moved `bytes`; 0: `calls` */
	uint32_t processes, last_process, rank; /* last: that was counted */
	double ratio, other_ns, mean_ns, longest_ns;
	int32_t error;
	uint32_t advice; /* of posix_fadvise */
};

struct pario_profile_findings {
	struct pario_profile_finding *items; /* the most time first */
	uint32_t count, capacity;
	bool no_memory;
};

/* All rules over one profile. */
void pario_profile_findings_judge(struct pario_profile_findings *f, const struct pario_profile *p);
void pario_profile_findings_release(struct pario_profile_findings *f);

/* For rules: one more. */
void pario_profile_findings_add(struct pario_profile_findings *f,
				const struct pario_profile_finding *finding);

/* The classes of calls it is about, a bit each. */
uint32_t pario_profile_finding_classes(const struct pario_profile *p,
				       const struct pario_profile_finding *f);
/* What was seen, with counts: one sentence. */
void pario_profile_finding_says(const struct pario_profile *p,
				const struct pario_profile_finding *f, struct pario_text *text);
/* "function file.c:12", or nothing where no place in the source is known. */
void pario_profile_finding_where(const struct pario_profile *p, struct pario_symbols *symbols,
				 const struct pario_profile_finding *f, struct pario_text *text);

#endif
