/*
 * part: the plans of a command that measures a fixed set of parts (glance, characterize).
 */
#ifndef PARIO_SESSION_PART_H
#define PARIO_SESSION_PART_H

#include "engine/plan.h"

/* Points of different parts of a set would else have the same name. */
void pario_part_name(struct pario_bound *bound, const char *part);

/* What --clients takes for 1, 2, 4 ... and all, or for all alone. */
void pario_part_clients(uint64_t clients, bool sweep, char *text, size_t capacity);

/* Puts what stands for a value ("@BLOCK@") into `text`; false where the value stands for itself. */
typedef bool pario_part_value(const void *context, const char *value, char *text, size_t capacity);

/* Sets the options of "name=value name=value"; without value_of each value stands for itself. */
int pario_part_settings(struct pario_plan *plan, const char *settings, pario_part_value *value_of,
			const void *context, struct pario_err *err);

/* What the command was told and every part is told as well (PARIO_OPTION_HANDED_ON). */
int pario_part_hand_on(struct pario_plan *plan, const struct pario_config *command,
		       struct pario_err *err);

/*
 * Takes over what the command was told, since every point is bound from the options of its own plan: the directory and
 * what else applies to all parts; --repetitions only where they were given.
 */
int pario_part_take_over(struct pario_plan *plan, const struct pario_config *command,
			 struct pario_err *err);

#endif
