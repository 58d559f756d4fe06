/*
 * budget: the time of a run that has announced how long it will take.
 *
 * Parts share what is left in proportion to their weights, and the visits of a part what is left of its share. How much
 * of a visit is timed is learned from those before: on a busy machine phases get shorter limits, later repetitions do
 * not fit any more, then later parts. What is under way when even the reserve is used up is ended as by a signal. What
 * was cut is named.
 */
#ifndef PARIO_SESSION_BUDGET_H
#define PARIO_SESSION_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Share of the time that phases may take where nothing is learned yet; the rest makes, evicts and verifies data. */
#define PARIO_BUDGET_TIMED 0.4

struct pario_budget {
	int64_t begun_ns;
	double whole_s; /* what was announced */
	double timed_s,
		spent_s;   /* limits of the phases so far, and what their visits took altogether */
	double part_end_s; /* of the part under way, from the beginning */
	double untimed_s; /* what a visit of it takes where no limit bounds it and nobody disturbs */
	bool begun;	  /* something was measured */
	struct pario_text left_out, fewer;
};

/* What the last visit of a point took, and the limit of its phases. */
struct pario_budget_visit {
	double seconds, limit;
};

/* `ago_s`: the user has waited so long already. */
void pario_budget_begin(struct pario_budget *budget, double whole_s, double ago_s);
double pario_budget_elapsed(const struct pario_budget *budget);

/* A part begins, with so much of the weight that is left; untimed_s as above, or 0. */
void pario_budget_part(struct pario_budget *budget, double share, double untimed_s);

/*
 * Is there time for another visit of a point with so many phases, one of so many visits of its part? *limit, of each
 * phase, gets shorter where that is needed; 0 = no limit bounds it.
 */
bool pario_budget_grants(const struct pario_budget *budget, const struct pario_budget_visit *last,
			 uint64_t visits, unsigned phases, double *limit);
void pario_budget_took(struct pario_budget *budget, unsigned phases,
		       const struct pario_budget_visit *visit);

/* How long from now until what is under way is ended, whatever it is. */
double pario_budget_stops(const struct pario_budget *budget);

/* A part is over: its points were measured so often, the one with the fewest. */
void pario_budget_part_done(struct pario_budget *budget, const char *part, uint64_t least,
			    uint64_t wanted);

/* One sentence about what was cut, empty when nothing was. */
void pario_budget_say(const struct pario_budget *budget, struct pario_text *out);
void pario_budget_release(struct pario_budget *budget);

#endif
