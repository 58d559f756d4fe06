/*
 * application: NHT-1's application, the BT solver that writes its solution every few steps (docs/nht1.md).
 *
 * new in setup, before in before, the two bodies, check in verify, free in teardown. Each result becomes metrics and
 * tables of the phase.
 */
#ifndef PARIO_TESTS_NHT1_APPLICATION_APPLICATION_H
#define PARIO_TESTS_NHT1_APPLICATION_APPLICATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/nht1/application/vectors.h"

struct pario_run;
struct pario_application; /* one client's state */

struct pario_application_shape {
	char class;
	const char *api;
	bool collective, async;
	enum pario_vectors_layout layout;
	uint64_t write_interval;
	uint64_t best_of; /* runs without writing */
	const char *t_c;  /* seconds, or a journal that knows a time without writing; "" = none */
	bool recompute; /* check compares with the solution of another, untimed run; else checksums */
};

struct pario_application *pario_application_new(struct pario_run *run,
						const struct pario_application_shape *shape,
						struct pario_err *err);
void pario_application_free(struct pario_application *application); /* NULL is fine */

/* Untimed: makes room for the vectors. */
int pario_application_before(struct pario_run *run, struct pario_application *application,
			     struct pario_err *err);

/*
 * T_C: the best of several verified runs without writing, this repetition's. The phase that writes has the best of all
 * so far of this class on as many clients, whatever the point, or a better one that was given.
 */
int pario_application_compute(struct pario_run *run, struct pario_application *application,
			      struct pario_err *err);

/* T_T, zeta and R_IO: one run that writes. */
int pario_application_write(struct pario_run *run, struct pario_application *application,
			    struct pario_err *err);

/*
 * Reads all vectors back: size, every byte (with `recompute` against those of another run, without it by checksums of
 * what was handed over), and the error norms where they are published. Then client 0 reads the diagonals.
 */
int pario_application_check(struct pario_run *run, struct pario_application *application,
			    struct pario_err *err);

#endif
