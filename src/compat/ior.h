/*
 * ior: IOR's options and scripts as runs of the test transfer, and IOR's tables of the results.
 */
#ifndef PARIO_COMPAT_IOR_H
#define PARIO_COMPAT_IOR_H

#include "base/json.h"
#include "compat/peer.h"
#include "journal/result.h"

extern const struct pario_peer pario_ior;

/*
 * A command line of IOR, with the scripts it names and the hints in `environment` (IOR_HINT__MPI__key=value; may be
 * NULL). The job is to be released in any case.
 */
int pario_ior_command(struct pario_peer_job *job, int argc, char *const *argv,
		      char *const *environment, struct pario_err *err);

/* A script's text: its tests become runs behind those the job has. `path` is for sentences. */
int pario_ior_script(struct pario_peer_job *job, const char *path, char *text,
		     struct pario_err *err);

/* One of IOR's tests: what was asked for, where, and what came out. */
struct pario_ior_test {
	const struct pario_peer_job *job;
	const struct pario_peer_run *run;
	uint64_t number, tasks, tasks_per_node, nodes;
	const char *path;	 /* where the data were */
	const char *api_version; /* as IOR tells it: "", "(3.1)" */
	int64_t began_s;	 /* seconds since 1970 */
	struct pario_peer_room room;
	const struct pario_result *results; /* write and read, repetition by repetition */
	size_t result_count;
};

enum pario_ior_format { PARIO_IOR_TEXT, PARIO_IOR_JSON, PARIO_IOR_CSV };
enum pario_ior_format pario_ior_format(const struct pario_peer_job *job);

/*
 * Who made the tables, when, by which command line, where: above the first test. A version of IOR is claimed only with
 * --peer_output only.
 * `command` and `machine` as in pario_ior_json.
 */
void pario_ior_banner(const struct pario_ior_test *first, const char *command, const char *machine,
		      struct pario_text *out);
/* "Options:" and "Results:" of a test, with the lines of the best rates. */
void pario_ior_results(const struct pario_ior_test *test, struct pario_text *out);
/* "Summary of all tests:", and that this is the end */
void pario_ior_summary(const struct pario_ior_test *tests, size_t count, struct pario_text *out);
/* summaryFormat=CSV: a line for each result; JSON: IOR's keys. */
void pario_ior_csv(const struct pario_ior_test *tests, size_t count, struct pario_text *out);
void pario_ior_json(const struct pario_ior_test *tests, size_t count, const char *command,
		    const char *machine, struct pario_json *out);

/* ---- between the files of ior ---- */

/* IOR's list of options, in its order; `text` NULL: the number. */
typedef void pario_ior_option(void *to, const char *name, const char *text, uint64_t number);
void pario_ior_options(const struct pario_ior_test *test, pario_ior_option *say, void *to);

/* Results of one access of a test, over its repetitions; IOR's definitions. */
struct pario_ior_sums {
	unsigned count;
	double max, min, mean, sd, ops_max, ops_min, ops_mean, ops_sd, seconds, stonewall_s,
		stonewall_mib_s;
};
bool pario_ior_sums(const struct pario_ior_test *test, const char *access,
		    struct pario_ior_sums *sums);
/* Bytes that all tasks of a test write. */
uint64_t pario_ior_aggregate(const struct pario_ior_test *test);
/* One result as IOR counts it. */
struct pario_ior_result {
	double mib_s, iops, latency_s, open_s, access_s, close_s, total_s;
};
void pario_ior_result_of(const struct pario_result *result, struct pario_ior_result *row);

#endif
