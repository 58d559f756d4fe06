/*
 * param: the parameters that count when measurements are compared, and how a value is spelt. Which count is the option
 * table's to say.
 */
#include "report/compare/param.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "engine/run_options.h"

bool pario_param_is_aside(const char *name)
{
	return pario_option_role(name) & PARIO_OPTION_ASIDE;
}

bool pario_param_shapes(const char *name)
{
	return pario_option_role(name) == 0;
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
