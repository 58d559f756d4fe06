/*
 * budget: the time of a run that has announced how long it will take.
 *
 * How much longer visits take than usual is learned from those before. Where what is left does not fit, phases get
 * shorter limits (to half); a visit that does not fit is not begun. What is under way when even the reserve is used up
 * is ended as by a signal. What was cut is named.
 */
#ifndef PARIO_SESSION_BUDGET_H
#define PARIO_SESSION_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Share of a visit that phases may take, as far as nothing is known; the rest makes, evicts and verifies data. */
#define PARIO_BUDGET_TIMED 0.4

struct pario_budget {
	int64_t begun_ns;
	double whole_s;		 /* what was announced */
	double left_s;		 /* what all visits that are wanted usually take */
	double usual_s, spent_s; /* what those so far usually take, and what they took */
	bool begun;		 /* something was measured */
	struct pario_text left_out, fewer;
};

/* A point with its limits, and how long its last visit took. */
struct pario_budget_visit {
	double usual_s;	 /* what it takes where nobody disturbs */
	double limits_s; /* of its phases, of that; 0 = nothing bounds it */
	double scale;	 /* of these limits, from the budget */
	double took_s;	 /* 0 = it was not visited yet; */
	double at_scale; /* with the limits so much shorter */
};

/* `ago_s`: the user has waited so long already; `usual_s`: what all visits usually take. */
void pario_budget_begin(struct pario_budget *budget, double whole_s, double ago_s, double usual_s);
double pario_budget_elapsed(const struct pario_budget *budget);

/* Is there time for this visit? Sets its scale. */
bool pario_budget_grants(const struct pario_budget *budget, struct pario_budget_visit *visit);
void pario_budget_took(struct pario_budget *budget, struct pario_budget_visit *visit,
		       double seconds);

/* How long from now until what is under way is ended, whatever it is. */
double pario_budget_stops(const struct pario_budget *budget);

/* A part is over: its points were measured so often, the one with the fewest. */
void pario_budget_part_done(struct pario_budget *budget, const char *part, uint64_t least,
			    uint64_t wanted);

/* One sentence about what was cut, empty when nothing was. */
void pario_budget_say(const struct pario_budget *budget, struct pario_text *out);
void pario_budget_release(struct pario_budget *budget);

#endif
