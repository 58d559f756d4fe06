/*
 * Any bytes as a journal: the reader never crashes, a result that it takes survives a round trip, and so does what
 * reports make of it. Their page is fuzz_report's.
 *
 * Mutated bytes would nearly always stop at the sum: most inputs are read with the sum of every line made right,
 * one in eight as it is. Half of them are read line by line, one in four of these there and back, the others as
 * reports do.
 */
#include "journal/journal.h"
#include "journal/result.h"
#include "journal_bytes.h"
#include "report/page/group.h"

static json_t *written(const struct pario_result *result)
{
	struct pario_json json = { 0 };
	json_t *line;

	pario_json_open(&json, NULL, '{');
	pario_result_write(&json, result);
	pario_json_close(&json, '}');
	line = json_loadb(json.text.data, json.text.length, JSON_REJECT_DUPLICATES, NULL);
	pario_json_release(&json);
	return line;
}

static void round_trip(const struct pario_result *result)
{
	struct pario_result again;
	json_t *first = written(result), *second;

	require(first && pario_result_read(first, &again, NULL) == 0);
	second = written(&again);
	require(second && json_equal(first, second));
	json_decref(first);
	json_decref(second);
}

static void read_file(const char *path, bool back)
{
	struct pario_journal_reader reader;
	struct pario_result result;
	struct pario_err err = { 0 };
	json_t *line;
	int more;

	require(pario_journal_open(&reader, path, &err) == 0);
	while ((more = pario_journal_next(&reader, &line, &err)) > 0) {
		require(reader.next > reader.offset);
		if (pario_result_read(line, &result, &err) < 0)
			require(err.text[0] != '\0');
		else if (back)
			round_trip(&result);
		json_decref(line);
	}
	require(more == 0 || err.text[0] != '\0');
	pario_journal_done(&reader);
}

/* As reports take it: straight from the text of its lines, folded by point. */
static void archive_file(const char *path)
{
	struct pario_archive archive = { 0 };
	struct pario_groups groups;
	struct pario_err err = { 0 };

	if (pario_archive_add(&archive, path, NULL, &err) == 0) {
		require(pario_groups_of(&archive, &groups, &err) == 0);
		pario_groups_release(&groups);
	} else {
		require(err.text[0] != '\0');
	}
	pario_archive_release(&archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path =
		one_in(8, data, size) ? memory_input(0, data, size) : repaired_input(0, data, size);

	if (one_in(2, data, size))
		read_file(path, one_in(4, data, size));
	else
		archive_file(path);
	return 0;
}
