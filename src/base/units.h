/*
 * units: sizes, counts, times and rates as people write and read them.
 *
 * Sizes take k m g t p (powers of 1024, either case, an optional "iB" or "B" after the letter).
 * Everything is strict: no sign, no space, no trailing text, no overflow.
 */
#ifndef PARIO_BASE_UNITS_H
#define PARIO_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define PARIO_MIB 1048576.0

/* "4k" -> 4096. `what` names the option in the sentence when the text is refused. */
int pario_units_parse_size(const char *what, const char *text, uint64_t *bytes,
			   struct pario_err *err);

/* A finite decimal number, point as separator whatever the locale. */
int pario_units_parse_real(const char *what, const char *text, double *value,
			   struct pario_err *err);

/* Is the text a number of this form at all, whatever its value? */
/* "5%" or "5": a share above 0 and up to 1. */
int pario_units_parse_share(const char *what, const char *text, double *share,
			    struct pario_err *err);

bool pario_units_is_size(const char *text);
bool pario_units_is_real(const char *text);

enum { PARIO_UNITS_CAPACITY = 40 };

/* All of these fill the caller's buffer of PARIO_UNITS_CAPACITY bytes and return it. */
char *pario_units_size(char *buf, uint64_t bytes); /* "4 KiB", "1.5 MiB", exact when whole */
char *pario_units_rate(char *buf, double mib_s);   /* "1 412 MiB/s" */
char *pario_units_count(char *buf, double value);  /* "38.1 k", "1 412" */
char *pario_units_time(char *buf, double seconds); /* "3.5 ms", "1 min 52 s" */
char *pario_units_ns(char *buf, double ns);	   /* the same */
/* The unit in which the two above write such a number; its name goes to *name. Times from 99.95 s have two: 0. */
double pario_units_count_unit(double value, const char **name);
double pario_units_time_unit(double seconds, const char **name);
char *pario_units_number(char *buf,
			 double value); /* four significant digits, thin groups of three */

/*
 * Sums and products of what somebody gave. Where a plan adds up what it needs, what is more than the largest number
 * stays the largest, and no plan is made with it (engine/bound.c, engine/need.c); elsewhere pario_mul and pario_add
 * say so.
 */
static inline uint64_t pario_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t pario_plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* These bytes in whole blocks. */
static inline uint64_t pario_blocks(uint64_t bytes, uint64_t block)
{
	return pario_times(bytes / block + (bytes % block != 0), block);
}

static inline bool pario_mul(uint64_t a, uint64_t b, uint64_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

static inline bool pario_add(uint64_t a, uint64_t b, uint64_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

#endif
