/*
 * options: the options of commands that measure nothing, from their table, the command line and the environment.
 */
#include "cmd/cmd.h"

#include <unistd.h>

int pario_cmd_options(const char *command, const struct pario_table *table, void *params, int argc,
		      char **argv, const char **words, int capacity, int *count,
		      struct pario_err *err)
{
	struct pario_config config = { 0 };
	void *const structs[] = { params };
	int status;

	if (argc > capacity)
		return pario_err_set(err, PARIO_USAGE, "there are too many arguments (%d).", argc);
	if (pario_config_init(&config, table, 1, err) < 0)
		return -1;
	config.subject = command;
	status = pario_config_argv(&config, argc, argv, words, count, err);
	if (status == 0)
		status = pario_config_environment(&config, environ, err);
	if (status == 0)
		status = pario_config_point(&config, 0, structs, err);
	pario_config_release(&config);
	return status;
}
