/*
 * fuzz_options: no text makes the parsers of sizes, numbers, lists, command lines or plans
 * misbehave.
 *
 * The first byte chooses the parser, the rest is its input. Beyond memory errors, what was
 * accepted must be usable: a config that took a plan must fill its structs, and what it shows must
 * be a plan again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/sample_options.h"
#include "base/units.h"

#define MUST(condition)           \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static void one_size(const char *text)
{
	struct pario_err err;
	uint64_t bytes, again;
	uint64_t *list;
	size_t count;
	double real;

	if (!pario_units_parse_size("--x", text, &bytes, &err)) {
		MUST(strspn(text, "0123456789.kmgtpiKMGTPIbB") == strlen(text));
		MUST(!pario_options_list("--x", text, &list, &count, &err));
		again = list[0];
		free(list);
		MUST(count == 1 && again == bytes);
	} else {
		MUST(err.code == PARIO_USAGE && strlen(err.text) > 10);
	}
	pario_units_parse_real("--x", text, &real, &err);
	if (!pario_options_list("--x", text, &list, &count, &err))
		free(list);
}

static void use(struct pario_config *config)
{
	struct engine engine;
	struct params params;
	void *structs[] = { &engine, &params };
	struct pario_text shown = { 0 }, name = { 0 };
	struct pario_err err;
	uint64_t points;

	if (!pario_config_points(config, &points, &err)) {
		/* hints that fit one by one may not fit together */
		MUST(!pario_config_point(config, 0, structs, &err) ||
		     !strncmp(err.text, "No room", 7));
		MUST(!pario_config_point(config, points - 1, structs, &err) ||
		     !strncmp(err.text, "No room", 7));
		pario_config_point_name(config, points - 1, &name);
	}
	pario_config_show(config, &shown);
	pario_config_release(config);
	MUST(!pario_config_init(config, sample_tables, 2, &err));
	MUST(!pario_config_plan(config, "shown", shown.data, shown.length, NULL, &err));
	pario_text_release(&shown);
	pario_text_release(&name);
}

static void one_plan(const char *text, size_t length)
{
	struct pario_config config;
	struct pario_err err;

	MUST(!pario_config_init(&config, sample_tables, 2, &err));
	if (!pario_config_plan(&config, "plan", text, length, "transfer", &err))
		use(&config);
	else
		MUST(err.code == PARIO_USAGE && !strncmp(err.text, "plan:", 5));
	pario_config_release(&config);
}

/* One word per line. */
static void one_command_line(char *text)
{
	struct pario_config config;
	struct pario_err err;
	char *argv[64], *word;
	const char *words[64];
	int argc = 0, count;

	while (argc < 64 && (word = strsep(&text, "\n")))
		argv[argc++] = word;
	MUST(!pario_config_init(&config, sample_tables, 2, &err));
	if (!pario_config_argv(&config, argc, argv, words, &count, &err))
		use(&config);
	else
		MUST(err.code == PARIO_USAGE && strlen(err.text) > 10);
	pario_config_release(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	MUST(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] == 's')
		one_size(text);
	else if (data[0] == 'a')
		one_command_line(text);
	else
		one_plan((const char *)data + 1, size - 1);
	free(text);
	return 0;
}
