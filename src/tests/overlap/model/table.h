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
	bool blocking;
	struct pario_overlap_point point[PARIO_OVERLAP_SIZES]; /* by ascending size */
	size_t points;
	struct pario_two_lines operation; /* ns against bytes */
	double inverse_r2; /* of the same law as time per byte against 1/bytes, which the errors make the same line */
	struct pario_two_lines overhead; /* ns per sector against sector / bytes */
	struct pario_two_lines cpu;
	struct pario_estimate
		overlap; /* share of the transfer time that is left to the program, largest B */
	size_t disagreeing, unlike, noisy, slowed; /* points of that kind */
	size_t best;				   /* the point with the highest rate */
};

/* From all passes of the case. Name, phase, doubt, sector, clients, rpm and blocking are the caller's to fill. */
void pario_overlap_case_fit(struct pario_overlap_case *c, const struct pario_overlap_pass *passes,
			    size_t n, double clock_ns);

/* A loop that makes transfers longer than this share, beyond the error, has slowed the I/O. */
#define PARIO_OVERLAP_SLOWED 0.03

/* "12.3 ± 0.4", or "< 3.4" where the value cannot be told from zero. */
void pario_overlap_number(struct pario_text *out, const struct pario_estimate *e, double unit,
			  int width);

/* Table 1 for this machine, the points, the fits, and which routine to use. */
void pario_overlap_table(struct pario_text *out, const struct pario_overlap_case *cases, size_t n);
void pario_overlap_points(struct pario_text *out, const struct pario_overlap_case *c);
void pario_overlap_laws(struct pario_text *out, const struct pario_overlap_case *cases, size_t n);
void pario_overlap_advice(struct pario_text *out, const struct pario_overlap_case *cases, size_t n);

#endif
