/*
 * param: which parameters make two measurements different ones, and when two values are the same.
 */
#ifndef PARIO_REPORT_COMPARE_PARAM_H
#define PARIO_REPORT_COMPARE_PARAM_H

#include <stdbool.h>
#include <stddef.h>

/* Can it not change a number? Then it says how a run is called, shown, paced or ended (PARIO_OPTION_ASIDE). */
bool pario_param_is_aside(const char *name);

/* Does it shape the measurement? Where to measure, how often and what to call it does not. */
bool pario_param_shapes(const char *name);

/* Is the name in this list, which is separated by commas and may be NULL? */
bool pario_param_listed(const char *list, const char *name);

/* One spelling for each value: 1m, 1024k and 1048576 are the same size, 0.50 and 0.5 the same number. */
void pario_param_spell(const char *value, char *text, size_t capacity);

#endif
