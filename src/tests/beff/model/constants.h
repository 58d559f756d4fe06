/*
 * constants: the constants of b_eff, the effective communication bandwidth (docs/beff.md).
 *
 * This directory is b_eff without a network: which messages there are, how often they are sent, and what follows from
 * the measured times. It knows no MPI, so that a journal can be worked out again wherever it is read. All bandwidths
 * are in byte/s; only what is shown is in MB/s (10^6).
 */
#ifndef PARIO_TESTS_BEFF_MODEL_CONSTANTS_H
#define PARIO_TESTS_BEFF_MODEL_CONSTANTS_H

enum {
	PARIO_BEFF_LENGTHS = 21,
	PARIO_BEFF_METHODS = 3,
	PARIO_BEFF_RINGS = 6,
	PARIO_BEFF_WARM = 18,	  /* an untimed iteration goes before loops of shorter lengths */
	PARIO_BEFF_PREPHASE = 10, /* iterations of release 3.6's first look */
	PARIO_BEFF_FIRST = 300,	  /* the paper's loop length for the shortest message */
	PARIO_BEFF_KEPT =
		2, /* repetitions of the longest message that 3.6 keeps when it shortens */
};

/* Where the paper states a rule it holds; release 3.6 of the authors' program differs here and there (section 1). */
enum pario_beff_release { PARIO_BEFF_PAPER, PARIO_BEFF_3_6 };

enum pario_beff_method { PARIO_BEFF_SENDRECV, PARIO_BEFF_ALLTOALLV, PARIO_BEFF_NONBLOCKING };

extern const char *const pario_beff_methods[PARIO_BEFF_METHODS];

/* The three sizes of a run. Only the first gives a b_eff that may be compared. */
enum pario_beff_extent { PARIO_BEFF_NORMAL, PARIO_BEFF_SHORT, PARIO_BEFF_TEST };

struct pario_beff_scale {
	const char *mark; /* what the result line says: "", "(short)", "(test)" */
	unsigned repetitions, randoms;
	double target_s; /* 3.6: per length, repetition and method, over all patterns */
	double limit_s;	 /* 3.6: expected time of the two longest lengths above which it shortens */
	double loop_s;	 /* paper: aim of one loop, the middle of 2.5 to 5 ms */
	double budget_s; /* of the whole run */
};

extern const struct pario_beff_scale pario_beff_scales[];

#endif
