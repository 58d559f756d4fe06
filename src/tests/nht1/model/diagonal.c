/*
 * diagonal: counts numbers as they come and hands over those on a diagonal.
 */
#include "tests/nht1/model/diagonal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COMPONENTS = 5, WIDTH = 15, BLOCK = 4096 };

const struct pario_diagonal_class pario_diagonal_classes[] = {
	{ "S", 12, 12 },  { "W", 24, 40 },   { "A", 64, 40 },	{ "B", 102, 40 }, { "C", 162, 40 },
	{ "D", 408, 50 }, { "E", 1020, 50 }, { "F", 2560, 50 }, { NULL, 0, 0 },
};

static uint64_t numbers(uint64_t grid)
{
	return COMPONENTS * grid * grid * grid;
}

/* From (d,d,d) to (d+1,d+1,d+1). */
static uint64_t stride(uint64_t grid)
{
	return COMPONENTS * (grid * grid + grid + 1);
}

uint64_t pario_diagonal_bytes(uint64_t grid)
{
	return sizeof(double) * numbers(grid);
}

void pario_diagonal_init(struct pario_diagonal *diagonal, uint64_t grid)
{
	*diagonal = (struct pario_diagonal){ .grid = grid };
}

void pario_diagonal_line(double value, char line[PARIO_DIAGONAL_LINE])
{
	char text[400]; /* the largest double has 309 digits before the point */
	int length = snprintf(text, sizeof(text), "%*.10f", WIDTH, value);

	if (length == WIDTH) {
		memcpy(line, text, WIDTH);
		line[WIDTH - 11] =
			'.'; /* ten decimals stand behind it, whatever the locale calls it */
	} else {
		memset(line, '*', WIDTH);
	}
	line[WIDTH] = '\n';
	line[WIDTH + 1] = '\0';
}

void pario_diagonal_add(void *text, double value)
{
	char line[PARIO_DIAGONAL_LINE];

	pario_diagonal_line(value, line);
	pario_text_bytes(text, line, WIDTH + 1);
}

/* All bits of the exponent are set in NaN and infinity only. */
static bool finite_all(const double *values, size_t count)
{
	uint64_t bad = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, &values[i], sizeof(bits));
		bad |= (uint64_t)((bits & 0x7ff0000000000000) == 0x7ff0000000000000);
	}
	return !bad;
}

static int not_finite(const struct pario_diagonal *d, const double *values, struct pario_err *err)
{
	uint64_t at = d->at, point;

	while (finite_all(values, 1)) {
		values++;
		at++;
	}
	point = at / COMPONENTS;
	return pario_err_set(err, PARIO_VERIFY,
			     "vector %" PRIu64
			     " holds a number that is not finite (%f): component %" PRIu64
			     " of point x=%" PRIu64 " y=%" PRIu64 " z=%" PRIu64
			     ", counted from 1. The solver or the way to the file spoiled it.",
			     d->vector + 1, *values, at % COMPONENTS + 1, point % d->grid + 1,
			     point / d->grid % d->grid + 1, point / d->grid / d->grid + 1);
}

/* A part of one vector. */
static void pick(struct pario_diagonal *d, const double *values, size_t count,
		 pario_diagonal_taker *take, void *taker)
{
	while (d->next < d->at + count) {
		take(taker, values[d->next - d->at]);
		d->next++;
		if (d->next % stride(d->grid) == COMPONENTS)
			d->next += stride(d->grid) - COMPONENTS;
	}
	d->at += count;
}

int pario_diagonal_feed(struct pario_diagonal *diagonal, const double *values, size_t count,
			pario_diagonal_taker *take, void *taker, struct pario_err *err)
{
	while (count > 0) {
		uint64_t left = numbers(diagonal->grid) - diagonal->at;
		size_t part = count < BLOCK ? count : BLOCK;

		if (part > left)
			part = (size_t)left;
		if (!finite_all(values, part))
			return not_finite(diagonal, values, err);
		pick(diagonal, values, part, take, taker);
		values += part;
		count -= part;
		if (diagonal->at == numbers(diagonal->grid)) {
			diagonal->vector++;
			diagonal->at = diagonal->next = 0;
		}
	}
	return 0;
}

int pario_diagonal_size(uint64_t grid, uint64_t vectors, uint64_t bytes, const char *name,
			struct pario_err *err)
{
	uint64_t whole = bytes / pario_diagonal_bytes(grid);
	uint64_t rest = bytes % pario_diagonal_bytes(grid);

	if (rest)
		return pario_err_set(
			err, PARIO_VERIFY,
			"%s has %" PRIu64 " bytes, which is not a multiple of the %" PRIu64
			" bytes of a solution vector of %" PRIu64
			" points each way: vector %" PRIu64 " ends after %" PRIu64
			" bytes. The file is truncated, or of another --class or --grid.",
			name, bytes, pario_diagonal_bytes(grid), grid, whole + 1, rest);
	if (whole < vectors || whole == 0)
		return pario_err_set(
			err, PARIO_VERIFY,
			"%s is too short: it has %" PRIu64 " solution vector%s, and vector %" PRIu64
			" of %" PRIu64 " is missing. The file is truncated, or of another --class; "
			"--vectors says how many there should be.",
			name, whole, whole == 1 ? "" : "s", whole + 1, vectors ? vectors : 1);
	if (vectors && whole > vectors)
		return pario_err_set(
			err, PARIO_VERIFY,
			"%s is too long: it has %" PRIu64 " solution vectors, and vector %" PRIu64
			" is one more than the %" PRIu64
			" there should be. It is of another --class; --vectors says how many there "
			"should be.",
			name, whole, vectors + 1, vectors);
	return 0;
}
