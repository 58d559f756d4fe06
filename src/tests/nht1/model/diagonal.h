/*
 * diagonal: NHT-1's verification program without its input and output (docs/nht1.md).
 *
 * A solution file is a sequence of vectors u[z][y][x][5] of native 8-byte numbers, N points each way. For every vector,
 * in the order they were made, the five numbers at (d,d,d) for d = 1 ... N become lines as Fortran's F15.10 writes
 * them. The values are fed in pieces of any size, so that memory does not grow with the file; all of them are looked
 * at, and one that is no finite number is an error.
 */
#ifndef PARIO_TESTS_NHT1_MODEL_DIAGONAL_H
#define PARIO_TESTS_NHT1_MODEL_DIAGONAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* A field of 15 characters, the end of the line, and NUL. */
enum { PARIO_DIAGONAL_LINE = 17 };

/* Largest grid whose vectors can be counted in bytes within 63 bits, far above class F's 2560. */
enum { PARIO_DIAGONAL_GRID_MAX = 100000 };

struct pario_diagonal {
	uint64_t grid;	 /* points each way, 1 ... PARIO_DIAGONAL_GRID_MAX */
	uint64_t vector; /* the one under way, from 0 */
	uint64_t at;	 /* numbers of it that were fed */
	uint64_t next;	 /* place in it of the next number on the diagonal */
};

/* The classes of BT; `vectors` at one every five steps. */
struct pario_diagonal_class {
	const char *name;
	uint64_t grid, vectors;
};

/* In the order S W A B C D E F; ends with a NULL name. */
extern const struct pario_diagonal_class pario_diagonal_classes[];

void pario_diagonal_init(struct pario_diagonal *diagonal, uint64_t grid);

/* Bytes of one vector. */
uint64_t pario_diagonal_bytes(uint64_t grid);

/* Writes one number and a line end: "%15.10f" with a point in every locale, asterisks where that is wider. */
void pario_diagonal_line(double value, char line[PARIO_DIAGONAL_LINE]);

/* Gets the numbers of the diagonals in their order: vector by vector, point by point, component by component. */
typedef void pario_diagonal_taker(void *taker, double value);

/* One that adds their lines to a struct pario_text. */
void pario_diagonal_add(void *text, double value);

/* Takes the next `count` numbers and passes on those on a diagonal; PARIO_VERIFY for NaN and infinity, saying where. */
int pario_diagonal_feed(struct pario_diagonal *diagonal, const double *values, size_t count,
			pario_diagonal_taker *take, void *taker, struct pario_err *err);

/* Is a file of this size whole vectors, and so many (0 = any number)? Otherwise a sentence that says which is not. */
int pario_diagonal_size(uint64_t grid, uint64_t vectors, uint64_t bytes, const char *name,
			struct pario_err *err);

#endif
