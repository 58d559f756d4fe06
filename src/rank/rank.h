/*
 * rank: where the numbers of a run stand among those of others: public systems, or any journals.
 *
 * A number is compared per client node where the nodes are known, else per client: small and large systems stand in one
 * distribution. What is compared is rates, higher being better.
 */
#ifndef PARIO_RANK_RANK_H
#define PARIO_RANK_RANK_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "report/page/archive.h"
#include "report/text/style.h"

enum { PARIO_RANK_BARS = 10, PARIO_RANK_NAME = 256 };

enum pario_rank_per { PARIO_RANK_AUTO, PARIO_RANK_NODE, PARIO_RANK_CLIENT, PARIO_RANK_WHOLE };

/* One number among others. */
struct pario_standing {
	char name[PARIO_RANK_NAME];
	const char *unit;
	enum pario_rank_per per;
	double value;		/* divided as `per` says, in the unit */
	double better;		/* than this share of the others, 0 to 1 */
	double low, high;	/* where the middle half of the others lies */
	double lowest, highest; /* where nine tenths of them lie */
	double bars
		[PARIO_RANK_BARS]; /* how many lie where, from the lowest to the highest on a log axis */
	size_t others;
	bool suspect;
};

struct pario_ranking {
	struct pario_standing *standing; /* in the order of the run */
	size_t count, capacity;
	size_t without;	  /* numbers that nothing could be compared with */
	const char *kind; /* of the file systems of the others; "" = all */
	bool world;
};

/* `kind` narrows the public systems down; an unknown one is refused with those that are known. */
int pario_rank_world(struct pario_archive *archive, enum pario_rank_per per, const char *kind,
		     struct pario_ranking *ranking, struct pario_err *err);

/* Against the runs of another archive, each volume one system. */
int pario_rank_others(struct pario_archive *archive, struct pario_archive *others,
		      enum pario_rank_per per, struct pario_ranking *ranking,
		      struct pario_err *err);

/*
 * Adds every journal below a directory but that of the run `except`; those that cannot be read are left out, and
 * counted.
 */
int pario_rank_gather(struct pario_archive *archive, const char *directory, const char *except,
		      size_t *left_out, struct pario_err *err);

void pario_ranking_release(struct pario_ranking *ranking);

/* What the others are, in a sentence. */
void pario_ranking_about(const struct pario_ranking *ranking, struct pario_text *out);

/* " per node", or "" where the number is not divided. */
const char *pario_standing_per(const struct pario_standing *standing);

/* The smallest share, where there are several; NULL else. */
const struct pario_standing *pario_ranking_weakest(const struct pario_ranking *ranking);

/* The section of a report on one run; nothing where no number has a counterpart among public systems. */
int pario_ranking_section(struct pario_archive *archive, struct pario_text *out,
			  struct pario_err *err);

/* A table for the terminal, and comma-separated values. */
void pario_ranking_text(const struct pario_ranking *ranking, const struct pario_style *style,
			struct pario_text *out);
void pario_ranking_csv(const struct pario_ranking *ranking, struct pario_text *out);

#endif
