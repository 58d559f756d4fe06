/*
 * result: one measured point, phase and repetition, as it stands in the journal.
 *
 * A number that was not measured is NaN (written as null); a string that does not apply is "".
 */
#ifndef PARIO_JOURNAL_RESULT_H
#define PARIO_JOURNAL_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/json.h"
#include "journal/detail.h"
#include "journal/disturbance.h"
#include "journal/table.h"

enum pario_outcome {
	PARIO_PASS,
	PARIO_FAIL,    /* no number */
	PARIO_SKIP,    /* could not run here; the reason says why */
	PARIO_SUSPECT, /* the number is kept and flagged wherever it is shown */
};

const char *pario_outcome_name(enum pario_outcome outcome);

/* In the reason of a result whose phase a signal or the clock of the whole run ended. */
#define PARIO_RESULT_INTERRUPTED "interrupted by the user" PARIO_RESULT_EARLY
#define PARIO_RESULT_TIME_OVER	 "the time of the run was over" PARIO_RESULT_EARLY
#define PARIO_RESULT_EARLY	 " before its end"

/* Where nothing else is doubtful: the number stands, and says nothing of a device. */
#define PARIO_RESULT_IN_MEMORY \
	"the file system keeps its data in memory, so no storage device was measured"

enum { PARIO_RESULT_METRICS = 64, PARIO_RESULT_PARAMS = 64 };

/* A number that a test adds beyond the common ones. */
struct pario_metric {
	char name[48];
	char unit[24];
	double value;
};

/* What was known about cached data when the timed body began. */
struct pario_cache_state {
	char wanted[16]; /* "cold", "warm", "any"; "none" where no storage is measured */
	char method[64]; /* "cachestat", "mincore", "none" */
	uint64_t pages_total, pages_resident;
	char excluded[160]; /* the caches that held nothing of it, "" = none, or nobody looked */
	char not_excluded[160]; /* those that may have; of a device's own nothing is said */
	char reason[256];	/* why it could not be set or proved; "" when it was */
};

struct pario_times {
	double open, transfer, sync, close, total;
};

struct pario_spread {
	double min_s, mean_s, max_s, variance;
};

struct pario_latency {
	uint64_t count;
	double min, p50, p90, p99, p999, max;
};

struct pario_result {
	char test[32];
	char point[512]; /* "transfer_size=64k pattern=strided", "" for a single point */
	char phase[32];
	uint64_t point_index, clients, repetition;
	enum pario_outcome outcome;
	char reason[1024];
	uint64_t bytes, ops;
	struct pario_times
		seconds; /* parts of the slowest client each; total: earliest start to latest stop */
	double rate_mib_s;	      /* bytes over seconds.total */
	double rate_first_done_mib_s; /* bytes moved by all when the first client was done, over that time */
	struct pario_spread between_clients; /* of the open-to-close times */
	struct pario_latency latency_ns;
	struct pario_cache_state cache;
	struct pario_metric metrics[PARIO_RESULT_METRICS];
	size_t metric_count;
	char headline
		[48]; /* the metric that is this result's number; "" = bytes or operations over time */
	int better; /* of it: +1 higher, -1 lower, 0 neither */
	const struct pario_result_tables
		*tables; /* the measurements behind it, or NULL; not read back */
	const struct pario_detail
		*detail; /* how it went within the phase, or NULL; not read back */
	struct pario_disturbance
		disturbance; /* of the node that others used most, and of all nodes */
	const struct pario_disturbances *disturbances; /* or NULL; not read back */
};

/* A count that is not known, which happens only in imported results; written as null. */
#define PARIO_UNTOLD UINT64_MAX

void pario_result_init(struct pario_result *result);

/*
 * Adds a metric; silently keeps the first PARIO_RESULT_METRICS (a bug in the test otherwise, asserted in debug builds).
 */
void pario_result_metric(struct pario_result *result, const char *name, const char *unit,
			 double value);
const struct pario_metric *pario_result_find(const struct pario_result *result, const char *name);

/* Makes a metric that the result has its number; `better` as in the struct. */
void pario_result_headline(struct pario_result *result, const char *name, int better);

/* How the journal says which way is better, and back: +1, -1 or 0; an unknown word is +1. */
const char *pario_better_name(int better);
int pario_better_of(const char *name);

/* Writes the members (without kind and braces), and reads them back from a journal line. */
void pario_result_write(struct pario_json *json, const struct pario_result *result);
int pario_result_read(const json_t *line, struct pario_result *result, struct pario_err *err);

#endif
