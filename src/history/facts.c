/*
 * facts: what may have changed along with a number: versions, kernel, mount options, libraries, hosts, parameters.
 *
 * Numbers that always differ (free space, free memory) are no facts.
 */
#include "history/facts.h"

#include <stdio.h>
#include <string.h>

#include "report/compare/param.h"
#include "report/page/archive.h"

/* Members of the begin line, by path. */
static const struct {
	const char *name, *path;
} facts[] = {
	{ "pario", "version" },
	{ "host", "machine.host" },
	{ "kernel", "machine.kernel" },
	{ "processor", "machine.cpu" },
	{ "cores", "machine.cores" },
	{ "memory", "machine.memory_bytes" },
	{ "governor", "machine.governor" },
	{ "MPI", "machine.mpi.library" },
	{ "nodes", "machine.mpi.nodes" },
	{ "file system", "machine.filesystem.type" },
	{ "device", "machine.filesystem.device" },
	{ "mount options", "machine.filesystem.options" },
	{ "file system detail", "machine.filesystem.detail" },
	{ "I/O scheduler", "machine.filesystem.scheduler" },
	{ "stripe count", "machine.filesystem.stripe_count" },
	{ "stripe size", "machine.filesystem.stripe_size" },
	{ "dirty_ratio", "machine.writeback.dirty_ratio" },
	{ "dirty_background_ratio", "machine.writeback.dirty_background_ratio" },
};

/* A tab or newline within would end it. */
static void add(struct pario_text *out, const char *kind, const char *name, const char *value)
{
	struct pario_text clean = { 0 };

	pario_text_clean(&clean, value);
	pario_text_add(out, "%s%s\t%s\n", kind, name, pario_text_string(&clean));
	pario_text_release(&clean);
}

static void add_member(struct pario_text *out, const char *kind, const char *name, const json_t *at)
{
	char number[40];

	if (json_is_string(at) && *json_string_value(at))
		add(out, kind, name, json_string_value(at));
	if (!json_is_number(at))
		return;
	snprintf(number, sizeof(number), "%.15g", json_number_value(at));
	add(out, kind, name, number);
}

void pario_facts_of(const struct pario_archive *archive, struct pario_text *out)
{
	const json_t *begin = archive->volume[0].begin;
	json_t *libraries = json_object_get(json_object_get(begin, "machine"), "libraries");
	json_t *params = json_object_get(begin, "params");

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		add_member(out, "", facts[i].name,
			   pario_volume_at(&archive->volume[0], facts[i].path));
	}
	for (void *at = json_object_iter(libraries); at; at = json_object_iter_next(libraries, at))
		add_member(out, "library ", json_object_iter_key(at), json_object_iter_value(at));
	for (void *at = json_object_iter(params); at; at = json_object_iter_next(params, at)) {
		const json_t *value = json_object_get(json_object_iter_value(at), "value");

		if (pario_param_shapes(json_object_iter_key(at)))
			add_member(out, "--", json_object_iter_key(at), value);
	}
}

/* The value of the line that begins with this name; NULL when there is none. */
static const char *value_in(const char *text, const char *name, size_t length, size_t *size)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && line[length] == '\t') {
			*size = strcspn(line + length + 1, "\n");
			return line + length + 1;
		}
	}
	return NULL;
}

/* Lines of `text` whose value is another in `other`; those that are missing there only when asked for. */
static void differing(const char *text, const char *other, bool swapped, struct pario_text *out)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t name = strcspn(line, "\t\n"), size, length = 0;
		const char *value = line + name + (line[name] == '\t'), *found;

		size = strcspn(value, "\n");
		found = value_in(other, line, name, &length);
		if (found && (swapped || (length == size && memcmp(found, value, size) == 0)))
			continue;
		if (swapped)
			pario_text_add(out, "%.*s: %.*s, not told before\n", (int)name, line,
				       (int)size, value);
		else if (found)
			pario_text_add(out, "%.*s: %.*s → %.*s\n", (int)name, line, (int)size,
				       value, (int)length, found);
		else
			pario_text_add(out, "%.*s: %.*s, not told after\n", (int)name, line,
				       (int)size, value);
	}
}

void pario_facts_differ(const char *before, const char *after, struct pario_text *out)
{
	differing(before, after, false, out);
	differing(after, before, true, out);
}
