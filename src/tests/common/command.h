/*
 * command: a program started with an argument vector, never through a shell, and waited for.
 */
#ifndef PARIO_TESTS_COMMON_COMMAND_H
#define PARIO_TESTS_COMMON_COMMAND_H

#include <stdbool.h>

#include "base/err.h"

/*
 * The program that a word such as "cc|gcc|clang" stands for: the first that is on PATH; NULL when none is. Copied
 * to `name`.
 */
const char *pario_command_choose(const char *word, char name[64]);

enum { PARIO_COMMAND_WORDS = 12 };

/*
 * As run, with at most PARIO_COMMAND_WORDS words, the first as pario_command_choose takes it; words that begin with
 * @ are names in the directory `base`, in which the program runs: a path to it may lead elsewhere by then.
 */
int pario_command_in(int base, const char *const *words, struct pario_err *err);

/*
 * Runs argv[0] from PATH in the directory `base` (-1 is the current one) with nothing on standard input and its
 * output thrown away. In `base` it finds its place for temporary files too. Fails when it cannot be started, ends
 * with another status than 0 or is killed; the sentence quotes the first line it complained with.
 */
int pario_command_run(int base, const char *const *argv, struct pario_err *err);

#endif
