/*
 * diagonals: reads the file in pieces of 1 MiB and keeps the numbers on the diagonals.
 */
#include "tests/nht1/application/diagonals.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/test.h"
#include "tests/nht1/model/diagonal.h"

enum { PIECE = 1 << 20, COMPONENTS = 5 };

struct collector {
	struct pario_run *run;
	uint64_t grid, taken; /* numbers */
	double point[COMPONENTS];
};

static void take(void *taker, double value)
{
	struct collector *c = taker;
	uint64_t point = c->taken / COMPONENTS;

	c->point[c->taken++ % COMPONENTS] = value;
	if (c->taken % COMPONENTS == 0)
		pario_run_row(c->run, "diagonal", "vector point u1 u2 u3 u4 u5",
			      (const struct pario_datum[]){
				      PARIO_NUMBER(point / c->grid + 1),
				      PARIO_NUMBER(point % c->grid + 1), PARIO_NUMBER(c->point[0]),
				      PARIO_NUMBER(c->point[1]), PARIO_NUMBER(c->point[2]),
				      PARIO_NUMBER(c->point[3]), PARIO_NUMBER(c->point[4]) });
}

/* Whole numbers only: what is left of one is read again with the next piece. */
static int read_all(struct collector *c, int fd, const char *path, double *piece,
		    struct pario_err *err)
{
	struct pario_diagonal diagonal;
	uint64_t at = 0;
	ssize_t n;

	pario_diagonal_init(&diagonal, c->grid);
	while ((n = pread(fd, piece, PIECE, (off_t)at)) > 0 || (n < 0 && errno == EINTR)) {
		size_t count = n > 0 ? (size_t)n / sizeof(*piece) : 0;

		if (pario_run_over(c->run))
			return pario_err_set(err, PARIO_INTERRUPTED,
					     "stopped while the diagonals were read.");
		if (n > 0 && count == 0)
			return pario_err_set(err, PARIO_VERIFY, "%s ends within a number.", path);
		if (pario_diagonal_feed(&diagonal, piece, count, take, c, err) < 0)
			return -1;
		at += count * sizeof(*piece);
	}
	return n < 0 ? pario_err_sys(err, errno, NULL, "reading %s for its diagonals failed", path)
		     : 0;
}

int pario_diagonals_read(struct pario_run *run, int fd, const char *path, uint64_t grid,
			 struct pario_err *err)
{
	struct collector collector = { .run = run, .grid = grid };
	double *piece = malloc(PIECE);
	int status = piece ? read_all(&collector, fd, path, piece, err)
			   : pario_err_memory(err, "the diagonals");

	free(piece);
	return status;
}
