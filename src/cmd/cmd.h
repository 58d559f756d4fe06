/*
 * cmd: the commands of the program. Only here does anything print or exit.
 */
#ifndef PARIO_CMD_CMD_H
#define PARIO_CMD_CMD_H

#include "base/err.h"
#include "base/options.h"

/* Rows of the command table in main.c. `run` gets the words after the command's name and returns the exit code. */
struct pario_command {
	const char *name, *arguments, *summary;
	int (*run)(int argc, char **argv);
	const struct pario_option *options; /* its own; NULL = none */
};

extern const struct pario_command pario_commands[];

int pario_cmd_run(int argc, char **argv);
int pario_cmd_glance(int argc, char **argv);
int pario_cmd_survey(int argc, char **argv);
int pario_cmd_report(int argc, char **argv);
int pario_cmd_compare(int argc, char **argv);
int pario_cmd_doctor(int argc, char **argv);
int pario_cmd_trace(int argc, char **argv);
int pario_cmd_profile(int argc, char **argv);
int pario_cmd_top(int argc, char **argv);
int pario_cmd_list(int argc, char **argv);
int pario_cmd_help(int argc, char **argv);
int pario_cmd_diagonal(int argc, char **argv);
int pario_cmd_clean(int argc, char **argv);

extern const struct pario_option pario_glance_options[], pario_survey_options[];
extern const struct pario_option pario_report_options[], pario_compare_options[];
extern const struct pario_option pario_doctor_options[], pario_diagonal_options[];
extern const struct pario_option pario_trace_options[], pario_profile_options[],
	pario_top_options[];

/* Where in the words of `pario trace` the program stands: after --, or the first that is no option and no value of one. */
int pario_trace_command_at(int argc, char **argv);

/*
 * Reads what a command that measures nothing is told, from arguments and environment, into `params`; the words between
 * the options go to `words`.
 */
int pario_cmd_options(const struct pario_table *table, void *params, int argc, char **argv,
		      const char **words, int room, int *count, struct pario_err *err);

/* The arguments the program was started with, for starting itself again. */
extern int pario_cmd_argc;
extern char **pario_cmd_argv;

/* Prints "pario: sentence" to standard error, control bytes made visible, wrapped; returns the error's code. */
int pario_cmd_say(const struct pario_err *err);

/* Prints "pario: " and a line to standard error, control bytes made visible whatever the names in it hold. */
void pario_cmd_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a name that came from outside, control bytes made visible. */
void pario_cmd_show(const char *name);

/* The same for a text of many lines. */
void pario_cmd_show_lines(const char *text);

/* Columns and colour of standard output, given --color. */
struct pario_style;
void pario_cmd_style(struct pario_style *style, int color);

#endif
