/*
 * runs: the records of b_eff_io as they are worked out again from a journal.
 */
#ifndef PARIO_TESTS_BEFF_IO_REPORT_RUNS_H
#define PARIO_TESTS_BEFF_IO_REPORT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "journal/history.h"
#include "tests/beff_io/model/value.h"

/* One partition of one whole run. */
struct pario_beff_io_run {
	const char *point;	      /* belongs to the history */
	uint64_t clients, repetition; /* of the result lines; a partition may be smaller */
	unsigned partition;
	struct pario_beff_io_record record;
	int64_t scheduled_ns[PARIO_BEFF_IO_PATTERNS];
	uint64_t chunk[PARIO_BEFF_IO_PATTERNS], call[PARIO_BEFF_IO_PATTERNS];
	uint64_t node_bytes, memory_bytes;
	bool pointers, durable, brief;
	struct {
		int access; /* whose data they were */
		uint64_t client, call, element;
		double found, expected;
		bool seen;
	} first[PARIO_BEFF_IO_PATTERNS]; /* of each pattern that read something wrong */
};

struct pario_beff_io_runs {
	struct pario_beff_io_run *run;
	size_t count;
};

int pario_beff_io_runs_load(struct pario_beff_io_runs *runs, const struct pario_history *history,
			    struct pario_err *err);
void pario_beff_io_runs_release(struct pario_beff_io_runs *runs);

/* Scheduled seconds of this partition alone. */
double pario_beff_io_run_seconds(const struct pario_beff_io_run *run);

/* What the definition asks for before a value counts. */
enum pario_beff_io_flaw {
	PARIO_BEFF_IO_TOO_SHORT = 1,
	PARIO_BEFF_IO_NO_POINTERS = 2,
	PARIO_BEFF_IO_ERRORS = 4,
	PARIO_BEFF_IO_INCOMPLETE = 8,
};
unsigned pario_beff_io_run_flaws(const struct pario_beff_io_run *run);

/* The run with the largest value, which is the system's; NULL when none has one. Wrong data leave no value. */
const struct pario_beff_io_run *pario_beff_io_runs_best(const struct pario_beff_io_runs *runs);

#endif
