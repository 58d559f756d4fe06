/*
 * refuse: which parts of the set cannot be measured here, and why.
 */
#ifndef PARIO_CHARACTERIZE_MEASURE_REFUSE_H
#define PARIO_CHARACTERIZE_MEASURE_REFUSE_H

#include "characterize/set.h"
#include "engine/plan.h"

/* What the part "fill" writes: more than may be dirty, or than a cgroup's memory holds. */
uint64_t pario_refuse_fill_bytes(void);
bool pario_refuse_fill_fits(void);

/* Sets the reason where a part cannot be measured in this directory by so many clients. */
void pario_refuse_part(const struct pario_set_part *part, const char *dir, uint64_t clients,
		       struct pario_err *reason);

/* Sets it where there is no room for a point; half of what is free may be used. */
void pario_refuse_space(const struct pario_bound *bound, struct pario_err *reason);

#endif
