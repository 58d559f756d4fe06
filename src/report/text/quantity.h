/*
 * quantity: a number as people read it, in the unit that the journal gives it.
 */
#ifndef PARIO_REPORT_TEXT_QUANTITY_H
#define PARIO_REPORT_TEXT_QUANTITY_H

#include "journal/result.h"

enum { PARIO_QUANTITY_CAPACITY = 80 };

/* The number of a result: its headline, else MiB/s where bytes were moved, else operations per second. */
double pario_quantity_of(const struct pario_result *result);
const char *pario_quantity_unit(const struct pario_result *result);

/* Units in which a number would have too many digits become larger ones, and the number with them: "B/s" is "MB/s". */
const char *pario_quantity_scaled(const char *unit, double *value);

/* How many seconds a unit of time is; 0 for other units. */
double pario_quantity_seconds(const char *unit);

/* "1 412 MiB/s", "38.1 k/s", "3.5 ms", "633 MB/s", "0.043" */
char *pario_quantity_text(char buf[PARIO_QUANTITY_CAPACITY], double value, const char *unit);

/* "1 455": another number in the unit in which pario_quantity_text writes `value`, without its name. */
char *pario_quantity_like(char buf[PARIO_QUANTITY_CAPACITY], double value, double other,
			  const char *unit);

/* "[1 380, 1 455]": low and high in the unit in which pario_quantity_text writes the number between them. */
char *pario_quantity_interval(char buf[PARIO_QUANTITY_CAPACITY], double value, double low,
			      double high, const char *unit);

/* "[1 380, 1 455] MiB/s": the same with its unit. */
char *pario_quantity_range(char buf[PARIO_QUANTITY_CAPACITY], double value, double low, double high,
			   const char *unit);

#endif
