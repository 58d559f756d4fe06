/*
 * options_private: what the rows (options.c) offer to the settings (config.c) and the plans
 * (plan.c).
 */
#ifndef PARIO_BASE_OPTIONS_PRIVATE_H
#define PARIO_BASE_OPTIONS_PRIVATE_H

#include "base/options.h"

enum { PARIO_POINTS_MAX = 1000000 };

/* The row that takes any hint as key=value; for the others the name is the key. */
static inline bool pario_option_is_pair(const struct pario_option *row)
{
	return row->type == PARIO_TYPE_HINT && pario_text_same_name(row->name, "hint");
}

/*
 * Reads one value (not a list) into the field; NULL only checks. `what` names the option in
 * errors.
 */
int pario_option_parse(const struct pario_option *row, const char *what, const char *text,
		       void *field, struct pario_err *err);

/*
 * Checks a value as a user gives it, list or not, and counts its elements (1 when the row takes no
 * list).
 */
int pario_option_check(const struct pario_option *row, const char *what, const char *text,
		       uint64_t *count, struct pario_err *err);

/* Adds element `index` of a checked value to `out`. */
void pario_option_element(const struct pario_option *row, const char *text, uint64_t index,
			  struct pario_text *out);

/* Elements of a checked value; 1 for NULL. */
uint64_t pario_option_count(const struct pario_option *row, const char *text);

/*
 * One value for a setting, checked whatever the origin, kept unless a stronger source has spoken.
 */
int pario_config_assign(struct pario_setting *setting, const char *what, const char *value,
			enum pario_origin origin, struct pario_err *err);

/* "did you mean" among all names that help shows; NULL when there is none. */
const char *pario_config_nearest(const struct pario_config *config, const char *word);

#endif
