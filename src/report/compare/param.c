/*
 * param: the parameters that count when measurements are compared.
 */
#include "report/compare/param.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Parameters that do not shape the measurement; the last ones are those of imported results. */
static const char *const unimportant[] = {
	"dir",	     "output",	    "plan",	"label",	"seed",		 "np",
	"clients",   "repetitions", "dry_run",	"show_config",	"json",		 "quiet",
	"color",     "keep_files",  "deadline", "resume",	"minutes",	 "print_path",
	"progress",  "csv",	    "sign",	"print_sbatch", "test_filename", "testFileName",
	"directory", "filename",    "platform", "jobid"
};

bool pario_param_shapes(const char *name)
{
	for (size_t i = 0; i < sizeof(unimportant) / sizeof(unimportant[0]); i++) {
		if (strcmp(unimportant[i], name) == 0)
			return false;
	}
	return true;
}

bool pario_param_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

void pario_param_spell(const char *value, char *text, size_t capacity)
{
	struct pario_err err = { 0 };
	uint64_t bytes;
	double real;

	if (pario_units_parse_size("", value, &bytes, &err) == 0)
		snprintf(text, capacity, "%llu", (unsigned long long)bytes);
	else if (pario_units_parse_real("", value, &real, &err) == 0)
		snprintf(text, capacity, "%.17g", real);
	else
		snprintf(text, capacity, "%s", value);
}
