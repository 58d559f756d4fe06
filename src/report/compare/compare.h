/*
 * compare: two runs, or several of each side, point by point. Points belong together when test, phase, clients and
 * every parameter that shapes the measurement are equal; where to measure, how often and what to call it does not
 * count.
 */
#ifndef PARIO_REPORT_COMPARE_COMPARE_H
#define PARIO_REPORT_COMPARE_COMPARE_H

#include "base/err.h"
#include "base/text.h"
#include "report/compare/difference.h"
#include "report/page/group.h"
#include "report/text/style.h"

enum pario_pair_verdict {
	PARIO_VERDICT_SAME, /* no difference found */
	PARIO_VERDICT_FASTER,
	PARIO_VERDICT_SLOWER,
	PARIO_VERDICT_ITSELF, /* both sides are the same run */
	PARIO_VERDICT_UNDECIDED, /* a large difference could hide, or nothing tells how far runs scatter */
	PARIO_VERDICT_LOST, /* a number before, none after */
	PARIO_VERDICT_GAINED,
	PARIO_VERDICT_NEITHER, /* failed in both */
	PARIO_VERDICTS,
};

struct pario_pair {
	const struct pario_group *a, *b; /* of the first run of each side that has the point */
	size_t place;	/* into the comparison's places: all runs of the point begin there */
	size_t runs[3]; /* how many of a, of b, and earlier ones */
	size_t repetitions[2];
	struct pario_difference difference;
	enum pario_pair_verdict verdict;
	bool suspect;
	bool discovered; /* differs, and stays when all points are looked at together */
	bool regression; /* worse (or lost), and beyond the threshold */
};

/* A group of the archive by the point it measures. */
struct pario_compared_point {
	uint64_t key;
	size_t group, again; /* a run may measure the same point more than once */
};

/* Volumes of the archive: first those of a, then those of b, then earlier runs in the order of time. */
struct pario_sides {
	size_t a, b;
	const char *across; /* parameters, separated by commas, that may differ */
	bool itself;	    /* both are one and the same run */
	double threshold;   /* the ratio below which a difference is a regression; NaN = none */
};

struct pario_comparison {
	struct pario_groups groups;
	struct pario_sides sides;
	struct pario_compared_point *place;
	struct pario_pair *pair;
	struct pario_drift drift;
	size_t places, count, only_a, only_b;
	size_t verdicts[PARIO_VERDICTS], regressions;
	size_t tested, discovered;
	size_t source[PARIO_SPREAD_SOURCES]; /* pairs with a verdict by what it rests on */
	bool paired;			     /* measured by `pario compare --run` */
	bool cut_short[2];		     /* a run did not come to its end */
};

/*
 * Compares the runs of the two sides. Fails, naming the parameters that differ, when no point of one side belongs to a
 * point of the other. Points that the second side did not reach because it was cut short count as regressions.
 */
int pario_comparison_of(struct pario_archive *archive, const struct pario_sides *sides,
			struct pario_comparison *comparison, struct pario_err *err);
void pario_comparison_release(struct pario_comparison *comparison);

/* Judges every pair, and all of them together. Part of pario_comparison_of, in verdict.c. */
int pario_comparison_judge(struct pario_comparison *comparison, struct pario_err *err);

const char *pario_verdict_words(enum pario_pair_verdict verdict);

/* How a side (0 or 1) is called: its run's label, with the number of runs where there are several. */
void pario_comparison_label(const struct pario_comparison *comparison, size_t side,
			    struct pario_text *out);

/* How many points, how many of each verdict, what they rest on, and what would tell more. */
void pario_comparison_say(const struct pario_comparison *comparison, struct pario_text *out);

/* "write, 4 clients, transfer_size=64k" */
void pario_pair_name(const struct pario_pair *pair, struct pario_text *out);

/* A table for a terminal, and a whole HTML page. */
void pario_comparison_table(const struct pario_comparison *comparison,
			    const struct pario_style *style, struct pario_text *out);
int pario_comparison_page(const struct pario_comparison *comparison, const char *program,
			  struct pario_text *out, struct pario_err *err);

#endif
