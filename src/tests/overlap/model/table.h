/*
 * table: what the passes of one routine say: points, laws, and one row of the paper's Table 1 for this machine.
 *
 * Three laws are fitted (docs/overlap.md):
 *
 *	time per operation       t = T_fix + bytes T_byte         waiting for each transfer, against bytes
 *	overhead per sector      T_OH = T_trans + T_call / B      computing meanwhile, against 1/B in sectors
 *	CPU time per sector      the same of all threads          what the machine pays
 *
 * Rotating disks alone have the fourth, in tests/overlap/model/revolution.h.
 */
#ifndef PARIO_TESTS_OVERLAP_MODEL_TABLE_H
#define PARIO_TESTS_OVERLAP_MODEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "base/fit.h"
#include "tests/overlap/model/overhead.h"
#include "tests/overlap/model/revolution.h"

enum {
	PARIO_OVERLAP_SIZES = PARIO_FIT_POINTS,
	PARIO_OVERLAP_COUNTS = 16, /* of channels, in one result */
	PARIO_OVERLAP_NAME = 64,
};

/* One routine moving data one way, over all sizes. */
struct pario_overlap_case {
	char name[PARIO_OVERLAP_NAME];	/* the routine with what sets it apart: "pread direct" */
	char phase[PARIO_OVERLAP_NAME]; /* read, write, both */
	char means[2 * PARIO_OVERLAP_NAME]; /* which calls these are */
	const char *doubt;		    /* why a result it comes from is suspect, or NULL */
	double sector, clients, rpm;	    /* rpm 0 = nothing rotates */
	double tick_ns; /* between the kernel's bookings of time; 0 = not known */
	bool blocking;
	struct pario_overlap_point point[PARIO_OVERLAP_SIZES]; /* by ascending size */
	size_t points;
	struct pario_two_lines operation; /* ns against bytes */
	double inverse_r2; /* of the same law as time per byte against 1/bytes, which the errors make the same line */
	struct pario_two_lines overhead; /* ns per sector against sector / bytes */
	struct pario_two_lines cpu;
	struct pario_estimate
		overlap; /* share of the transfer time that is left to the program, largest B */
	struct pario_revolution_fit waiting, overlapped; /* where something rotates */
	size_t disagreeing, unlike, noisy, slowed, loud; /* points of that kind */
	size_t brief; /* points with passes of less than PARIO_OVERLAP_TICKS ticks */
	size_t best;  /* the point with the highest rate */
};

/*
 * From all passes of the case. Name, phase, doubt, sector, clients, rpm, tick_ns and blocking are the caller's to fill.
 */
void pario_overlap_case_fit(struct pario_overlap_case *c, const struct pario_overlap_pass *passes,
			    size_t n, const struct pario_overlap_own *own);

/* A pass shorter than so many ticks is too short to count what helper threads do. */
#define PARIO_OVERLAP_TICKS 5
bool pario_overlap_brief(const struct pario_overlap_case *c, const struct pario_overlap_point *p);

/* Is anything it is made of in doubt? A fit is as good as its worst part. */
bool pario_overlap_suspect(const struct pario_overlap_case *c);

/* Does the page cache take what is written? */
bool pario_overlap_cached(const struct pario_overlap_case *c);

/* The columns CPU (per sector of all threads, largest buffer) and rate (the best size) of a case that has points. */
const struct pario_estimate *pario_overlap_cpu_at_last(const struct pario_overlap_case *c);
const struct pario_estimate *pario_overlap_rate_at_best(const struct pario_overlap_case *c);

/* A share known no better than this is not told. */
#define PARIO_OVERLAP_VAGUE 0.5

/* A loop that makes transfers longer than this share, beyond the error, has slowed the I/O. */
#define PARIO_OVERLAP_SLOWED 0.03

/* "12.3 ± 0.4", or "< 3.4" where the value cannot be told from zero. */
void pario_overlap_number(struct pario_text *out, const struct pario_estimate *e, double unit,
			  int width);

/* Table 1 for this machine with the meaning of its columns; the points; the laws. */
void pario_overlap_table(struct pario_text *out, const struct pario_overlap_case *cases, size_t n);
void pario_overlap_points(struct pario_text *out, const struct pario_overlap_case *c);
void pario_overlap_laws(struct pario_text *out, const struct pario_overlap_case *cases, size_t n);

#endif
