/*
 * session: what every measuring command does around its points: options, launch, journal, tables, the end.
 */
#ifndef PARIO_SESSION_SESSION_H
#define PARIO_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/crew.h"
#include "engine/plan.h"
#include "journal/journal.h"
#include "report/text/style.h"
#include "session/budget.h"
#include "session/progress_thread.h"
#include "session/resume_state.h"

/* Of --deadline, before the options are known. */
enum { PARIO_SESSION_UNTOLD_DEADLINE_S = 3600 };

/* A result takes 7 KiB, and no terminal shows more; nor is a page made in passing of more than so many in all. */
enum { PARIO_SESSION_SHOWN = 8192, PARIO_SESSION_PAGE_MOST = 100000 };

struct pario_session {
	struct pario_sink sink; /* first: the sink's pointer is the session's */
	struct pario_crew crew;
	struct pario_journal journal;
	struct pario_style style;
	struct pario_settings settings; /* of the whole session */
	struct pario_json line;
	const char *command; /* "transfer", "glance": names the result directory */
	char id[32], directory[2048];
	int dirfd; /* of the directory: what is written there goes through it */
	bool quiet, json;
	const char *resume; /* the run directory whose journal is continued; NULL = a new one */
	struct pario_resume_state earlier; /* what it holds already */
	const char *part; /* of a set, named in front of its points; NULL = there are none */
	struct pario_budget *budget; /* of a run that keeps to a time; else NULL */
	bool once;		     /* cannot be taken up again by --resume */
	bool collects;		     /* results stay in `results` for the command's own table */

	/* results of the points under way, for their tables: the first PARIO_SESSION_SHOWN, the journal has all */
	struct pario_result *results;
	size_t result_count, result_capacity;
	uint64_t not_shown;

	uint64_t done, planned; /* phases, for the progress line */
	double expected_s;	/* of the whole run, where the command knows; else 0 */
	double ends_s;		/* no point begins later than this after the start; 0 = no end */
	int64_t start_ns;
	uint64_t written, suspects, failures;
	struct pario_err failure; /* the last one that was told and ended the run */
	struct pario_progress_thread progress;
	bool reported;	      /* report.html lies beside the journal */
	bool tables;	      /* a result has some: its test may have documents */
	int code, point_code; /* of the whole run, and of the last visit of a point */
};

/* A measuring command. */
struct pario_measuring_command {
	/* What needs no clients: options, refusals, dry runs, the launch. 0 = go on, 1 = done with *code. */
	int (*before)(void *self, int argc, char **argv, int *code, struct pario_err *err);
	/* Client 0's part, from pario_session_begin to pario_session_end. */
	void (*lead)(struct pario_session *session, void *self);
	void *self;
};

/* Runs a measuring command from its options to the last line of its journal, on every client; returns the exit code. */
int pario_session_main(const struct pario_measuring_command *job, int argc, char **argv);

/* Takes environment, plan file and arguments into the plan. `words` as in pario_config_argv. */
int pario_session_options(struct pario_plan *plan, int argc, char **argv, const char **words,
			  int *word_count, struct pario_err *err);

/* Makes the directory to measure in, with all levels above it that are not there. */
int pario_session_make_dir(const char *path, struct pario_err *err);

/* Of a directory that a dry run does not make: the nearest one above it that is there, on the same storage. */
void pario_session_above(char *dir);

/*
 * The directory of a command that was told none, once its plan is settled: `name`, which is made. With --dry_run,
 * --show_config and --print_sbatch nothing is made, and the directory above, on the same storage, stands for it.
 */
int pario_session_own_dir(struct pario_plan *plan, const char *name, struct pario_err *err);

/* Prints every option with its value and origin (--show_config); returns 1, as there is nothing left to do. */
int pario_session_show_config(const struct pario_plan *plan);

/* Can the workspace be made? Tests that make no files need none. */
int pario_session_place(const struct pario_plan *plan, struct pario_err *err);

/*
 * Without a launcher: checks directory and space, then starts the clients and waits; returns 1 and *code. Returns 0
 * in a client, or when there is no launcher and this process goes on alone.
 */
int pario_session_launch(struct pario_plan *plan, const struct pario_need *need, int *code,
			 struct pario_err *err);

/* Number of clients a plain start would get. */
int pario_session_clients(const struct pario_plan *plan, uint64_t *clients, struct pario_err *err);

/* The first line of what is printed: "pario 0.2.0 · node17, 16 cores, 64 GiB · /scratch: lustre · Open MPI". */
void pario_session_machine(const struct pario_settings *settings);

/* Client 0: result directory, journal with its begin line, workspace. */
int pario_session_begin(struct pario_session *session, const struct pario_plan *plan,
			struct pario_err *err);

/*
 * Client 0: one bound point; `reason` says why it cannot be run, or is NULL (or empty) when it can. Sets
 * session->code.
 */
int pario_session_point(struct pario_session *session, const struct pario_bound *bound,
			const struct pario_err *reason, struct pario_err *err);

/*
 * Client 0: every point of a plan at every client count, one repetition of each after the other (sweep.c). Sets
 * session->code.
 */
int pario_session_plan(struct pario_session *session, const struct pario_plan *plan,
		       struct pario_err *err);

/*
 * The same in turn with other plans: a round of each, the first repetition of all its points, then the next of each.
 * `part` is how they are called; a visit that no time limit bounds takes untimed_s. The plan must outlive the sweep.
 */
struct pario_sweep *pario_sweep_begin(struct pario_session *session, const struct pario_plan *plan,
				      const char *part, double untimed_s, struct pario_err *err);
int pario_sweep_round(struct pario_sweep *sweep, uint64_t round, bool *open, struct pario_err *err);
void pario_sweep_end(struct pario_sweep *sweep);

/* Client 0: removes the workspace, writes the end line, dismisses the others. */
void pario_session_end(struct pario_session *session, const struct pario_err *failed);

/* Prints what the plan would do (--dry_run). */
void pario_session_dry(const struct pario_plan *plan, const struct pario_need *need);

#endif
