/*
 * group: the repetitions of one point, phase and client count, folded into one number with its spread.
 */
#ifndef PARIO_REPORT_PAGE_GROUP_H
#define PARIO_REPORT_PAGE_GROUP_H

#include "report/page/archive.h"

struct pario_group {
	const struct pario_reading *first; /* speaks for what the repetitions share */
	size_t begin, count;		   /* into pario_groups.member */
	size_t numbers;			   /* repetitions with a number */
	size_t repetitions;		   /* that count: without those measured again */
	double median, low, high, coverage;
	double maximum, deviation;	 /* the consortium's own terms */
	struct pario_latency latency_ns; /* medians over the repetitions */
	size_t suspects, failures, skips;
	const char *
		reason; /* of the first that failed, else of the first suspect or skip; "" when all passed */
	const char *unit;     /* of the number; "" while there is none */
	const char *headline; /* the metric that it is; "" = bytes or operations over time */
	int better;	      /* +1 higher, -1 lower, 0 neither */
};

struct pario_groups {
	struct pario_archive *archive;
	struct pario_group *group; /* in the order of the journal */
	size_t count;
	const struct pario_reading **member; /* readings, group by group */
	bool *redone;			     /* of each member: see pario_group_redone */
};

int pario_groups_of(struct pario_archive *archive, struct pario_groups *groups,
		    struct pario_err *err);
void pario_groups_release(struct pario_groups *groups);

/* Was member i stopped by the user and measured again when the run was taken up? Then it counts no more. */
bool pario_group_redone(const struct pario_groups *groups, const struct pario_group *group,
			size_t i);

/* Median and interval of one amount over a group's repetitions; NaN where none has it. */
double pario_group_amount(const struct pario_groups *groups, const struct pario_group *group,
			  const char *name, double *low, double *high);

/* "failed", "skipped", "no number", "suspect", or "" when there is nothing to say. */
const char *pario_group_remark(const struct pario_group *group);

/*
 * True when a's number is better than b's; both have one in the same unit. What is suspect is never better than what is
 * not.
 */
bool pario_group_better(const struct pario_group *a, const struct pario_group *b);

#endif
