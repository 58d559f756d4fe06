/*
 * comma_locale: a locale that writes 0,5, to prove that output does not depend on it.
 *
 * Few machines have one installed, so one is compiled into a directory of its own when need be.
 */
#ifndef PARIO_TEST_COMMA_LOCALE_H
#define PARIO_TEST_COMMA_LOCALE_H

#include <ftw.h>
#include <locale.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../temporary.h"

static bool comma_locale_active(void)
{
	return !strcmp(localeconv()->decimal_point, ",");
}

static bool comma_locale_installed(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (setlocale(LC_ALL, names[i]) && comma_locale_active())
			return true;
	return false;
}

static int comma_locale_remove(const char *path, const struct stat *status, int type,
			       struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

/* False when the machine can neither offer nor make such a locale. */
static bool comma_locale_enter(void)
{
	char directory[TEMPORARY_CAPACITY], output[TEMPORARY_CAPACITY + 16];
	char *argv[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", output, NULL };
	bool active = false;
	int status;
	pid_t pid;

	if (comma_locale_installed())
		return true;
	if (!mkdtemp(temporary(directory, "locale")))
		return false;
	snprintf(output, sizeof(output), "%s/de_DE.UTF-8", directory);
	if (!posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) &&
	    waitpid(pid, &status, 0) == pid) {
		setenv("LOCPATH", directory, 1);
		active = comma_locale_installed();
		unsetenv("LOCPATH");
	}
	nftw(directory, comma_locale_remove, 8, FTW_DEPTH | FTW_PHYS);
	return active;
}

static void comma_locale_leave(void)
{
	setlocale(LC_ALL, "C");
}

#endif
