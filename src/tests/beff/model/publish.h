/*
 * publish: the numbers that a run of b_eff is known by, each with name and unit, from the averages. What is measured
 * here and what is worked out from a journal later go through the same lines.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_PUBLISH_H
#define PARIO_TESTS_BEFF_MODEL_PUBLISH_H

#include <stdint.h>

#include "tests/beff/model/average.h"

struct pario_beff_context {
	unsigned n;
	uint64_t memory_bytes; /* per process */
	uint64_t lmax;
	double rmax; /* Gflop/s, 0 = not given */
};

/* name, unit, better, help, value of figures f in context c */
#define PARIO_BEFF_METRICS(X)                                                                    \
	X(b_eff, "MB/s", 1, "effective bandwidth of all processes", f->b_eff / 1e6)              \
	X(b_eff_per_process, "MB/s", 1, "the same per process", f->b_eff / 1e6 / c->n)           \
	X(b_eff_rings, "MB/s", 1, "the ring patterns' part of it", f->rings / 1e6)               \
	X(b_eff_random, "MB/s", 1, "the random patterns' part of it", f->random / 1e6)           \
	X(lmax_bytes, "B", 0, "longest message", (double)c->lmax)                                \
	X(b_eff_at_lmax, "MB/s", 1, "b_eff of the longest message alone", f->lmax / 1e6)         \
	X(b_eff_at_lmax_per_process, "MB/s", 1, "the same per process", f->lmax / 1e6 / c->n)    \
	X(rings_at_lmax, "MB/s", 1, "ring patterns, longest message", f->lmax_rings / 1e6)       \
	X(rings_at_lmax_per_process, "MB/s", 1, "the same per process",                          \
	  f->lmax_rings / 1e6 / c->n)                                                            \
	X(pingpong_mb_s, "MB/s", 1, "one pair of processes alone, longest message",              \
	  f->ping_pong / 1e6)                                                                    \
	X(latency_us, "us", -1, "time of a message of one byte, rings and random patterns",      \
	  f->latency_s * 1e6)                                                                    \
	X(latency_rings_us, "us", -1, "the same, ring patterns only", f->latency_rings_s * 1e6)  \
	X(latency_pingpong_us, "us", -1, "half a round trip of one byte",                        \
	  f->latency_ping_pong_s * 1e6)                                                          \
	X(b_eff_method_later, "MB/s", 0, "for information: best method after averaging lengths", \
	  f->method_after_length / 1e6)                                                          \
	X(b_eff_repetition_later, "MB/s", 0,                                                     \
	  "for information: best repetition after averaging lengths",                            \
	  f->repetition_after_length / 1e6)                                                      \
	X(b_eff_sendrecv, "MB/s", 0, "for information: with MPI_Sendrecv alone",                 \
	  f->by_method[PARIO_BEFF_SENDRECV] / 1e6)                                               \
	X(b_eff_alltoallv, "MB/s", 0, "for information: with MPI_Alltoallv alone",               \
	  f->by_method[PARIO_BEFF_ALLTOALLV] / 1e6)                                              \
	X(b_eff_nonblocking, "MB/s", 0, "for information: with nonblocking messages alone",      \
	  f->by_method[PARIO_BEFF_NONBLOCKING] / 1e6)                                            \
	X(random_patterns, "patterns", 0, "random patterns that count", (double)f->randoms)      \
	X(memory_bytes, "B", 0, "memory per process that Lmax comes from",                       \
	  (double)c->memory_bytes)                                                               \
	X(memory_communicated_s, "s", -1, "time to communicate the memory of all processes",     \
	  (double)c->memory_bytes * c->n / f->b_eff)                                             \
	X(balance_factor, "B/flop", 1, "b_eff over R_max, where --rmax is given",                \
	  c->rmax > 0 ? f->b_eff / (c->rmax * 1e9) : (double)NAN)

enum pario_beff_metric {
#define PARIO_BEFF_METRIC_INDEX(name, unit, better, help, value) PARIO_BEFF_##name,
	PARIO_BEFF_METRICS(PARIO_BEFF_METRIC_INDEX)
#undef PARIO_BEFF_METRIC_INDEX
		PARIO_BEFF_METRIC_COUNT
};

struct pario_beff_number {
	const char *name, *unit;
	double value; /* NaN = there is none */
};

void pario_beff_publish(const struct pario_beff_context *context,
			const struct pario_beff_figures *figures,
			struct pario_beff_number numbers[PARIO_BEFF_METRIC_COUNT]);

#endif
