/*
 * console: how a command speaks to the person who started it, and how it was started.
 */
#ifndef PARIO_CONSOLE_CONSOLE_H
#define PARIO_CONSOLE_CONSOLE_H

#include "base/err.h"

/* The arguments the program was started with, for starting itself again. */
extern int pario_console_argc;
extern char **pario_console_argv;

/* Prints "pario: sentence" to standard error, control bytes made visible, wrapped; returns the error's code. */
int pario_console_say(const struct pario_err *err);

/* Prints "pario: " and a line to standard error, control bytes made visible whatever the names in it hold. */
void pario_console_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a name that came from outside, control bytes made visible. */
void pario_console_show(const char *name);

/* The same for a text of many lines. */
void pario_console_show_lines(const char *text);

#endif
