/*
 * cmd: the commands of the program. Only here does the program exit; docs/architecture.md says who may print.
 */
#ifndef PARIO_CMD_CMD_H
#define PARIO_CMD_CMD_H

#include "base/err.h"
#include "base/options.h"

/* Rows of the command table in main.c. `run` gets the words after the command's name and returns the exit code. */
struct pario_command {
	const char *name, *group, *arguments, *summary;
	int (*run)(int argc, char **argv);
	const struct pario_option *options; /* its own; NULL = none */
};

extern const struct pario_command pario_commands[];

int pario_cmd_run(int argc, char **argv);
int pario_cmd_glance(int argc, char **argv);
int pario_cmd_survey(int argc, char **argv);
int pario_cmd_characterize(int argc, char **argv);
int pario_cmd_report(int argc, char **argv);
int pario_cmd_compare(int argc, char **argv);
int pario_cmd_history(int argc, char **argv);
int pario_cmd_import(int argc, char **argv);
int pario_cmd_rank(int argc, char **argv);
int pario_cmd_doctor(int argc, char **argv);
int pario_cmd_trace(int argc, char **argv);
int pario_cmd_profile(int argc, char **argv);
int pario_cmd_replay(int argc, char **argv);
int pario_cmd_predict(int argc, char **argv);
int pario_cmd_top(int argc, char **argv);
int pario_cmd_ior(int argc, char **argv);
int pario_cmd_mdtest(int argc, char **argv);
int pario_cmd_io500(int argc, char **argv);
int pario_cmd_list(int argc, char **argv);
int pario_cmd_help(int argc, char **argv);
int pario_cmd_diagonal(int argc, char **argv);
int pario_cmd_clean(int argc, char **argv);
int pario_cmd_sign(int argc, char **argv);

extern const struct pario_option pario_io500_options[];
extern const struct pario_option pario_glance_options[], pario_replay_options[];
extern const struct pario_option pario_characterize_options[];
extern const struct pario_option pario_predict_options[];
extern const struct pario_option pario_report_options[], pario_compare_options[];
extern const struct pario_option pario_import_options[], pario_history_options[];
extern const struct pario_option pario_rank_options[];
extern const struct pario_option pario_doctor_options[], pario_diagonal_options[];
extern const struct pario_option pario_trace_options[], pario_profile_options[],
	pario_top_options[];

/*
 * Where in the words of `pario trace` the program stands: after --, or the first that is no option and no value of one.
 */
int pario_trace_command_at(int argc, char **argv);

/*
 * Reads what a command that measures nothing is told, from arguments and environment, into `params`; the words between
 * the options go to `words`.
 */
int pario_cmd_options(const char *command, const struct pario_table *table, void *params, int argc,
		      char **argv, const char **words, int capacity, int *count,
		      struct pario_err *err);

/* environment.c: refuses a variable that has pario's prefix and sets no option of any command or test. */
int pario_cmd_environment(struct pario_err *err);

/* peer.c: the program whose options a command takes; NULL = it has its own. */
struct pario_peer;
const struct pario_peer *pario_cmd_peer(const struct pario_command *command);

/* passing_journal.c: adds to an archive what `write` writes as a journal into a directory that is removed again. */
struct pario_archive;
typedef int pario_cmd_journal_writer(void *self, const char *directory, struct pario_err *err);
int pario_cmd_passing_journal(struct pario_archive *archive, const char *label,
			      pario_cmd_journal_writer *write, void *self, struct pario_err *err);

/* profile.c: is this a trace, and its profile as if it were the journal of a run; `label` may be NULL. */
bool pario_profile_is_trace(const char *path);
int pario_profile_archive(struct pario_archive *archive, const char *trace, const char *label,
			  struct pario_err *err);

#endif
