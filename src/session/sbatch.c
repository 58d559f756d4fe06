/*
 * sbatch: options of Slurm from the plan, values from the environment, and the command line word by word.
 *
 * pario starts a client for every task of an allocation by itself, so the script needs neither srun nor mpirun.
 */
#include "session/sbatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TIME_FACTOR = 3, /* an estimate is no limit: other jobs, slower storage */
	TIME_LEAST_S = 600,
	TIME_UNKNOWN_S = 3600,
};

/* A word as a shell reads it back. */
static void add_word(struct pario_text *out, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "_-+=:,./%@";

	if (*word && !word[strspn(word, plain)]) {
		pario_text_add(out, "%s", word);
		return;
	}
	pario_text_add(out, "'");
	for (; *word; word++)
		pario_text_add(out, *word == '\'' ? "'\\''" : "%c", *word);
	pario_text_add(out, "'");
}

static bool asks_for_script(const char *word)
{
	char name[32];

	if (strncmp(word, "--", 2) != 0)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	return pario_text_same_name(name, "print_sbatch");
}

static bool is_value(const char *word)
{
	return strcmp(word, "0") == 0 || strcmp(word, "1") == 0;
}

static void add_command(struct pario_text *out, int argc, char *const *argv)
{
	char *program = strchr(argv[0], '/') ? realpath(argv[0], NULL) : NULL;

	pario_text_add(out, "exec ");
	add_word(out, program ? program : argv[0]);
	free(program);
	for (int i = 1; i < argc; i++) {
		if (asks_for_script(argv[i])) {
			i += !strchr(argv[i], '=') && i + 1 < argc && is_value(argv[i + 1]);
			continue;
		}
		pario_text_add(out, " ");
		add_word(out, argv[i]);
	}
	pario_text_add(out, "\n");
}

static void add_environment(struct pario_text *out, const struct pario_plan *plan)
{
	for (size_t i = 0; i < plan->config.setting_count; i++) {
		const struct pario_setting *s = &plan->config.settings[i];

		if (s->origin != PARIO_ORIGIN_ENVIRONMENT || !s->text ||
		    strcmp(s->option->name, "print_sbatch") == 0)
			continue;
		pario_text_add(out, "export PARIO_");
		for (const char *c = s->option->name; *c; c++)
			pario_text_add(out, "%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
		pario_text_add(out, "=");
		add_word(out, s->text);
		pario_text_add(out, "\n");
	}
}

static void add_time(struct pario_text *out, double seconds)
{
	bool known = isfinite(seconds) && seconds > 0;
	double limit = known ? fmax(TIME_FACTOR * seconds, TIME_LEAST_S) : TIME_UNKNOWN_S;
	unsigned long minutes = (unsigned long)fmin(ceil(limit / 60), 1e6);

	pario_text_add(out, "#SBATCH --time=%02lu:%02lu:00\n", minutes / 60, minutes % 60);
}

void pario_sbatch_script(const struct pario_plan *plan, const struct pario_need *need,
			 uint64_t clients, int argc, char *const *argv, struct pario_text *out)
{
	const char *name = argc > 1 && strcmp(argv[1], "run") != 0 ? argv[1] : plan->test->name;

	pario_text_add(out,
		       "#!/bin/bash\n"
		       "#SBATCH --job-name=pario-%s\n",
		       name);
	if (clients)
		pario_text_add(out, "#SBATCH --ntasks=%llu\n", (unsigned long long)clients);
	else
		pario_text_add(
			out,
			"# A client for every core of the node it gets; --ntasks instead for more nodes.\n"
			"#SBATCH --nodes=1\n");
	add_time(out, need->seconds);
	pario_text_add(
		out,
		"#SBATCH --output=pario-%s-%%j.out\n"
		"#SBATCH --exclusive\n"
		"# Add what your site asks for: --partition, --account, --ntasks-per-node.\n"
		"# The time is three times what pario expects, or an hour where it does not know.\n"
		"# pario starts a client for every task by itself; the directory must be on storage that\n"
		"# all nodes share. Results go to pario-results where the job was submitted.\n\n",
		name);
	add_environment(out, plan);
	add_command(out, argc, argv);
}
