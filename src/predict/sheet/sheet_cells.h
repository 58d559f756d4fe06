/*
 * sheet_cells: classes while they are gathered: sums, and for reads and writes a histogram of their times, from which
 * paths are inferred. Private to sheet_*.c.
 */
#ifndef PARIO_PREDICT_SHEET_SHEET_CELLS_H
#define PARIO_PREDICT_SHEET_SHEET_CELLS_H

#include "base/histogram.h"
#include "predict/sheet/sheet.h"

enum {
	PARIO_SHEET_COARSE =
		3, /* bits of the histogram's buckets that are not needed: 8 bins an octave */
	PARIO_SHEET_BINS = PARIO_HISTOGRAM_BUCKETS >> PARIO_SHEET_COARSE,
};

/* What was seen together counts once: sequential calls are looked at several at a time. */
struct pario_sheet_bin {
	double seen, calls, seconds;
};

struct pario_sheet_cell {
	struct pario_sheet_row row;
	double distance;	      /* bytes, the sum over the calls */
	struct pario_sheet_bin *bins; /* NULL: nothing is to be inferred */
};

struct pario_sheet_cells {
	struct pario_map map;
	struct pario_sheet_cell *list; /* by number, from 1 */
	uint32_t capacity;
	bool no_memory;
};

/* The bin of a time, and the logarithm of the times in it. */
unsigned pario_sheet_bin_of(double seconds);
double pario_sheet_bin_log(unsigned bin);

/* The number of the class of such a call; 0: there are too many. */
uint32_t pario_sheet_cell_of(struct pario_sheet_cells *c, const struct pario_sheet_row *like);
void pario_sheet_cells_release(struct pario_sheet_cells *c);

/* Tells paths apart, and makes the rows of the sheet. -1: no memory. */
int pario_sheet_infer(struct pario_sheet *s, const struct pario_sheet_cells *c);

#endif
