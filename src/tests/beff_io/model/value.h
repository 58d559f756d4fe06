/*
 * value: what was measured on one partition, and the values that b_eff_io makes of it (docs/beff_io.md). Test and
 * report both work with this, so that a value from the journal is the one that was printed.
 *
 * Rates are MB/s, 10^6 bytes. A value whose parts were not all measured is NaN.
 */
#ifndef PARIO_TESTS_BEFF_IO_MODEL_VALUE_H
#define PARIO_TESTS_BEFF_IO_MODEL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/beff_io/model/pattern.h"
#include "tests/beff_io/model/schedule.h"

/* One pattern by one access method, by the clock of the partition's first client. */
struct pario_beff_io_timing {
	uint64_t calls, bytes; /* of each process */
	uint64_t errors;       /* wrong elements and failed calls of all processes */
	int64_t ns;	       /* view, calls, sync: from barrier to barrier, less check_ns */
	int64_t io_ns, barrier_ns, bcast_ns, sync_ns;
	int64_t loop_ns;   /* from the first call to the end of the last batch */
	int64_t check_ns;  /* looking at what was read, which is in none of the other times */
	int64_t decide_ns; /* decisions alone, without waiting for slower processes */
	int64_t last_call_ns, last_decide_ns;
	bool done;
};

struct pario_beff_io_record {
	uint64_t clients, nodes;
	uint64_t per_node;	 /* processes on a node, at most */
	uint64_t mpart, segment; /* bytes; the segment is 0 when it was not reached */
	struct pario_beff_io_plan plan;
	struct pario_beff_io_timing pattern[PARIO_BEFF_IO_ACCESSES][PARIO_BEFF_IO_PATTERNS];
	struct {
		int64_t open_ns, close_ns;
		bool done;
	} type[PARIO_BEFF_IO_ACCESSES][PARIO_BEFF_IO_TYPES];
};

/* ---- of numbers ---- */

double pario_beff_io_mb_s(uint64_t bytes, int64_t ns);
double pario_beff_io_access_value(const double types[PARIO_BEFF_IO_TYPES]);
double pario_beff_io_partition_value(double write, double rewrite, double read);
/* Release 2.1: the values of the types when written, of type 0 when rewritten, and the value of reading. */
double pario_beff_io_release_value(const double written[PARIO_BEFF_IO_TYPES], double rewritten,
				   double read);

/* ---- of a record ---- */

double pario_beff_io_pattern_mb_s(const struct pario_beff_io_record *record,
				  enum pario_beff_io_access access, unsigned pattern);
int64_t pario_beff_io_type_ns(const struct pario_beff_io_record *record,
			      enum pario_beff_io_access access, enum pario_beff_io_type type);
uint64_t pario_beff_io_type_bytes(const struct pario_beff_io_record *record,
				  enum pario_beff_io_access access, enum pario_beff_io_type type);
double pario_beff_io_type_mb_s(const struct pario_beff_io_record *record,
			       enum pario_beff_io_access access, enum pario_beff_io_type type);
/* Of one type, or of all when it is PARIO_BEFF_IO_TYPES: the mean of the pattern rates, weighted by their units. */
double pario_beff_io_weighted_mb_s(const struct pario_beff_io_record *record,
				   enum pario_beff_io_access access, unsigned type);
double pario_beff_io_access_mb_s(const struct pario_beff_io_record *record,
				 enum pario_beff_io_access access);
uint64_t pario_beff_io_access_bytes(const struct pario_beff_io_record *record,
				    enum pario_beff_io_access access);
uint64_t pario_beff_io_errors(const struct pario_beff_io_record *record);
/* Have all types been measured by all access methods that the release asks for? */
bool pario_beff_io_record_complete(const struct pario_beff_io_record *record);
/* The smallest size of all files together that the definition allows: the rate of the initial write for 300 s. */
double pario_beff_io_smallest_mb(const struct pario_beff_io_record *record);
/* By the paper's weights, by release 2.1's rule, and the one of these that the record's release says. */
double pario_beff_io_record_paper(const struct pario_beff_io_record *record);
double pario_beff_io_record_release(const struct pario_beff_io_record *record);
double pario_beff_io_record_value(const struct pario_beff_io_record *record);
/* One of these, but NaN where data were wrong: such a value is shown nowhere and is nobody's best. */
double pario_beff_io_sound(const struct pario_beff_io_record *record,
			   double (*of)(const struct pario_beff_io_record *record));

#endif
