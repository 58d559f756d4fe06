/*
 * environment: which variables are pario's? One that no command and no test knows is most likely misspelt, and a value
 * that silently does not count is worse than a refusal. Variables of other commands are fine: an environment serves
 * many runs.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "engine/plan.h"
#include "tests/tests.h"

#define PREFIX "PARIO_"

/* The front tells its clients, and the tracer the programs that are traced: these may be pario themselves. */
static const char *const own[] = {
	"FRONT", "BEGAN", "TERMINAL_PROGRESS", "TERMINAL_COLUMNS", "TERMINAL_COLOR", "TRACE"
};

/* What the tests and benches of the sources are told. */
static const char *const of_tests[] = { "SOURCE", "BUILD", "MPICH", "TORTURE" };

/* What modules of a site set for every program that they load. */
static const char *const of_sites[] = { "ROOT", "HOME", "BASE", "PREFIX", "BIN", "LIB", "VERSION" };

enum { NAMES = 1024, NAME_CAPACITY = 160 };

struct names {
	const char *list[NAMES];
	size_t count;
};

static void add_rows(struct names *names, const struct pario_option *row)
{
	for (; row && row->name; row++) {
		if (names->count < NAMES)
			names->list[names->count++] = row->name;
		if (row->synonym && names->count < NAMES)
			names->list[names->count++] = row->synonym;
	}
}

static void gather(struct names *names)
{
	for (const struct pario_command *c = pario_commands; c->name; c++)
		add_rows(names, c->options);
	for (size_t i = 0; pario_tests[i]; i++)
		add_rows(names, pario_tests[i]->options);
	for (size_t i = 0; pario_backends[i]; i++)
		add_rows(names, pario_backends[i]->options);
	add_rows(names, pario_access_options);
	add_rows(names, pario_mpiio_options());
	add_rows(names, pario_settings_options);
}

static bool is_among(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i], name) == 0)
			return true;
	}
	return false;
}

/* Sets an option, or is meant for none. */
static bool is_known(const struct names *names, const char *name)
{
	char variable[NAME_CAPACITY];

	for (size_t i = 0; i < names->count; i++) {
		pario_option_variable(names->list[i], variable, sizeof(variable));
		if (strcmp(variable + strlen(PREFIX), name) == 0)
			return true;
	}
	return is_among(name, own, sizeof(own) / sizeof(own[0])) ||
	       is_among(name, of_tests, sizeof(of_tests) / sizeof(of_tests[0])) ||
	       is_among(name, of_sites, sizeof(of_sites) / sizeof(of_sites[0]));
}

static int refuse(const struct names *names, const char *name, struct pario_err *err)
{
	char variable[NAME_CAPACITY], word[NAME_CAPACITY];
	const char *near;
	size_t i = 0;

	for (; name[i]; i++)
		word[i] = (char)tolower((unsigned char)name[i]);
	word[i] = '\0';
	near = pario_text_nearest(word, names->list, names->count);
	if (near)
		pario_option_variable(near, variable, sizeof(variable));
	return pario_text_unknown(
		err, near ? variable : NULL, "", "unset it. `pario help TEST` lists the options.",
		"the environment variable " PREFIX "%.80s sets no option of pario", name);
}

int pario_cmd_environment(struct pario_err *err)
{
	static struct names names;
	char name[NAME_CAPACITY];

	gather(&names);
	for (char *const *e = environ; *e; e++) {
		const char *value = strchr(*e, '=');

		if (strncmp(*e, PREFIX, strlen(PREFIX)) != 0 || !value || !value[1])
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(value - *e - (ptrdiff_t)strlen(PREFIX)),
			 *e + strlen(PREFIX));
		if (!is_known(&names, name))
			return refuse(&names, name, err);
	}
	return 0;
}
