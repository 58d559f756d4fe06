/*
 * weak: a region of the access space where the same bytes could move faster.
 */
#ifndef PARIO_SURVEY_WEAK_H
#define PARIO_SURVEY_WEAK_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "survey/space.h"

enum { PARIO_WEAK_MAX = 64 };

/* A box: on every axis (and, last, among the measures) the levels that belong to it. */
struct pario_weak {
	uint64_t levels[PARIO_AXES + 1];
	unsigned causes; /* bit a: its cost breaks along axis a */
	double factor; /* slower than expected from its neighbours; median over the points of the box */
	double best;	  /* slower than the best way with as many clients; median */
	size_t best_cell; /* that way, for the point where it is the median */
	size_t points;	  /* measured points and measures in the box that are poor */

	/* found by pario_weak_find, for saying it */
	double factor_low, factor_high, best_low, best_high; /* over the points of the box */
	uint64_t measured[PARIO_AXES + 1]; /* levels at which the box holds a measured point */
	size_t measured_points;		   /* points and measures of it with a number */
	int below[PARIO_AXES],
		above[PARIO_AXES]; /* nearest measured level outside, all else within; -1 = none */
	bool out_below[PARIO_AXES], out_above[PARIO_AXES]; /* the same bytes move faster there */
};

/* Finds the regions, worst first; returns how many, at most PARIO_WEAK_MAX. */
size_t pario_weak_find(const struct pario_space *space, struct pario_weak *found,
		       struct pario_err *err);

/* Is this point in the region, in any direction? */
bool pario_weak_holds(const struct pario_space *space, const struct pario_weak *weak, size_t cell);

/*
 * One sentence without a full stop: what is slow, how much, on how many points that stands, and where its borders lie.
 * Names only levels that were measured.
 */
void pario_weak_say(const struct pario_space *space, const struct pario_weak *weak,
		    struct pario_text *out);

/* "use transfers of at least 64 KiB, or ...": how to stay out of it, by what was measured outside; may be empty. */
void pario_weak_remedy(const struct pario_space *space, const struct pario_weak *weak,
		       struct pario_text *out);

#endif
