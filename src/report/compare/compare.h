/*
 * compare: two runs, point by point. Points belong together when test, phase, clients and every parameter that shapes
 * the measurement are equal; where to measure, how often and what to call it does not count.
 */
#ifndef PARIO_REPORT_COMPARE_COMPARE_H
#define PARIO_REPORT_COMPARE_COMPARE_H

#include "base/err.h"
#include "base/text.h"
#include "report/compare/difference.h"
#include "report/page/group.h"
#include "report/text/style.h"

enum pario_verdict {
	PARIO_VERDICT_SAME, /* no difference found */
	PARIO_VERDICT_FASTER,
	PARIO_VERDICT_SLOWER,
	PARIO_VERDICT_UNDECIDED, /* too few repetitions to tell */
	PARIO_VERDICT_LOST,	 /* a number before, none after */
	PARIO_VERDICT_GAINED,
	PARIO_VERDICT_NEITHER, /* failed in both */
	PARIO_VERDICTS,
};

struct pario_pair {
	const struct pario_group *a, *b;
	struct pario_difference difference;
	enum pario_verdict verdict;
	bool suspect;
	bool regression; /* worse (or lost), and beyond the threshold */
};

struct pario_comparison {
	struct pario_groups groups; /* of an archive with two volumes, a and b */
	struct pario_pair *pair;
	size_t count, only_a, only_b;
	size_t verdicts[PARIO_VERDICTS], regressions;
	bool cut_short[2]; /* the run did not come to its end */
	double threshold;
};

/*
 * Compares volume 1 of the archive with volume 0. `across` names parameters, separated by commas, that may differ.
 * `threshold` is the ratio below which a difference is a regression; NaN = none is asked for. Fails, naming the
 * parameters that differ, when no point of one run belongs to a point of the other. Points that the second run did not
 * reach because it was cut short count as regressions.
 */
int pario_comparison_of(struct pario_archive *archive, const char *across, double threshold,
			struct pario_comparison *comparison, struct pario_err *err);
void pario_comparison_release(struct pario_comparison *comparison);

const char *pario_verdict_words(enum pario_verdict verdict);

/* One sentence: how many points, how many of each verdict. */
void pario_comparison_say(const struct pario_comparison *comparison, struct pario_text *out);

/* "write, 4 clients, transfer_size=64k" */
void pario_pair_name(const struct pario_pair *pair, struct pario_text *out);

/* A table for a terminal, and a whole HTML page. */
void pario_comparison_table(const struct pario_comparison *comparison,
			    const struct pario_style *style, struct pario_text *out);
int pario_comparison_page(const struct pario_comparison *comparison, const char *program,
			  struct pario_text *out, struct pario_err *err);

#endif
