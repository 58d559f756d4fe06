/*
 * line: how a line of the journal begins and ends, and whether its sum is right.
 */
#include <inttypes.h>
#include <string.h>

#include <xxhash.h>

#include "journal/journal.h"

void pario_journal_line(struct pario_json *json, const char *kind)
{
	pario_json_open(json, NULL, '{');
	pario_json_string(json, "kind", kind);
}

void pario_journal_tail(char tail[PARIO_JOURNAL_TAIL + 1], const char *line, size_t length)
{
	snprintf(tail, PARIO_JOURNAL_TAIL + 1, ",\"sum\":\"%016" PRIx64 "\"}",
		 (uint64_t)XXH64(line, length, 0));
}

const char *pario_journal_check(const char *line, size_t length)
{
	static const char shape[] = ",\"sum\":\"";
	char tail[PARIO_JOURNAL_TAIL + 1];
	const char *found;

	if (length < PARIO_JOURNAL_TAIL)
		return "it is too short to end in a sum";
	found = line + length - PARIO_JOURNAL_TAIL;
	if (memcmp(found, shape, sizeof(shape) - 1) != 0)
		return "it does not end in a sum";
	pario_journal_tail(tail, line, length - PARIO_JOURNAL_TAIL);
	if (memcmp(found, tail, PARIO_JOURNAL_TAIL) != 0)
		return "its sum does not match its bytes";
	return NULL;
}
