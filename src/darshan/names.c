/*
 * names: a table with open addressing, half empty. Ids are hashes already.
 */
#include "darshan/names.h"

#include <stdlib.h>
#include <string.h>

static struct pario_darshan_named *slot(const struct pario_darshan_names *names, uint64_t id)
{
	size_t i = (size_t)(id * 0x9e3779b97f4a7c15u >> 32) % names->slots;

	while (names->table[i].at && names->table[i].id != id)
		i = (i + 1) % names->slots;
	return &names->table[i];
}

/* Twice as many slots. */
static bool grow_table(struct pario_darshan_names *names)
{
	struct pario_darshan_names more = { .slots = names->slots ? 2 * names->slots : 256 };

	more.table = calloc(more.slots, sizeof(*more.table));
	if (!more.table)
		return false;
	for (size_t i = 0; i < names->slots; i++) {
		if (names->table[i].at)
			*slot(&more, names->table[i].id) = names->table[i];
	}
	free(names->table);
	names->table = more.table;
	names->slots = more.slots;
	return true;
}

static bool grow_text(struct pario_darshan_names *names, size_t needed)
{
	size_t room = names->room ? names->room : 4096;
	char *text;

	while (room < needed)
		room *= 2;
	text = room > names->room ? realloc(names->text, room) : names->text;
	if (text) {
		names->text = text;
		names->room = room;
	}
	return text;
}

static int take(void *self, uint64_t id, const char *name, struct pario_err *err)
{
	struct pario_darshan_names *names = self;
	size_t length = strlen(name) + 1;

	if (names->count == PARIO_DARSHAN_NAMES || names->used + length > PARIO_DARSHAN_NAMES_BYTES)
		return 0;
	if ((2 * names->count >= names->slots && !grow_table(names)) ||
	    !grow_text(names, names->used + length))
		return pario_err_memory(err, NULL);
	if (slot(names, id)->at)
		return 0;
	memcpy(names->text + names->used, name, length);
	*slot(names, id) = (struct pario_darshan_named){ id, (uint32_t)names->used + 1 };
	names->used += length;
	names->count++;
	return 0;
}

int pario_darshan_names_load(struct pario_darshan_names *names, const struct pario_darshan_log *log,
			     struct pario_err *err)
{
	*names = (struct pario_darshan_names){ 0 };
	if (pario_darshan_names_read(log, take, names, err) >= 0)
		return 0;
	pario_darshan_names_release(names);
	return -1;
}

void pario_darshan_names_release(struct pario_darshan_names *names)
{
	free(names->table);
	free(names->text);
	*names = (struct pario_darshan_names){ 0 };
}

const char *pario_darshan_names_of(const struct pario_darshan_names *names, uint64_t id)
{
	const struct pario_darshan_named *at = names->table ? slot(names, id) : NULL;

	return at && at->at ? names->text + at->at - 1 : NULL;
}
