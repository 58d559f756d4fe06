/*
 * formulae: the three formulae of NHT-1 (docs/nht1.md). All rates are bytes per second.
 */
#ifndef PARIO_TESTS_NHT1_MODEL_FORMULAE_H
#define PARIO_TESTS_NHT1_MODEL_FORMULAE_H

#include <stdint.h>

/* The share of memory that a conforming peak test moves, and that its formula counts even when more was moved. */
#define PARIO_NHT1_SHARE 0.8

/* R_IO: `word` bytes per number, N points each way, every `interval` steps of `steps` one vector of 5 N^3 numbers. */
static inline double pario_nht1_application(double word, double grid, double steps, double interval,
					    double total_s)
{
	return 5 * word * grid * grid * grid * steps / (interval * total_s);
}

/* zeta: what I/O added to the time of the computation alone. */
static inline double pario_nht1_overhead(double total_s, double compute_s)
{
	return total_s / compute_s - 1;
}

/* The bytes that R_PEAK counts once for each direction: what was moved, or 80 % of memory when that is less. */
static inline double pario_nht1_counted(uint64_t memory_bytes, uint64_t moved_bytes)
{
	double share = PARIO_NHT1_SHARE * (double)memory_bytes;

	return (double)moved_bytes < share ? (double)moved_bytes : share;
}

/* R_PEAK of the counted bytes, written and read. */
static inline double pario_nht1_peak(double counted_bytes, double read_s, double write_s)
{
	return 2 * counted_bytes / (read_s + write_s);
}

/* Bytes of NHT-1's own 40 vectors of 102 x 102 x 102 points, which no other class and interval of BT have. */
#define PARIO_NHT1_BYTES ((uint64_t)40 * 40 * 102 * 102 * 102)

/* What an application run that wrote so much lacks when it does not conform. */
static inline const char *pario_nht1_lacks(uint64_t bytes)
{
	if (bytes < PARIO_NHT1_BYTES)
		return "smaller than NHT-1 asks for";
	return bytes > PARIO_NHT1_BYTES ? "larger than NHT-1 asks for"
					: "not the one file NHT-1 asks for";
}

#endif
