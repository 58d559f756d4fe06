/*
 * Any text as hints: lines "key=value". What is set can be read again, one by one and all in a row.
 */
#include "base/options.h"

#include "journal_bytes.h"

static void set(struct pario_hints *hints, const char *pair)
{
	struct pario_err err = { 0 };
	const char *equals = strchr(pair, '=');
	char key[128], value[512];

	if (!equals || (size_t)(equals - pair) >= sizeof(key))
		return;
	snprintf(key, sizeof(key), "%.*s", (int)(equals - pair), pair);
	if (pario_hints_set(hints, key, equals + 1, &err) < 0)
		require(err.text[0] != '\0');
	else if (strlen(equals + 1) < sizeof(value))
		require(pario_hints_get(hints, key, value, sizeof(value)) &&
			strcmp(value, equals + 1) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pario_hints hints = { { 0 } };
	char key[128], value[512], again[512];
	char *text = strndup((const char *)data, size), *save = NULL;
	size_t cursor = 0, pairs = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		set(&hints, line);
	while (pario_hints_next(&hints, &cursor, key, value)) {
		require(++pairs <= sizeof(hints));
		require(pario_hints_get(&hints, key, again, sizeof(again)) &&
			strcmp(value, again) == 0);
	}
	free(text);
	return 0;
}
