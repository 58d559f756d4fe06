/*
 * Any bytes as a journal: the reader never crashes, a result that it takes survives a round trip, and its report is
 * a page in which nothing of it acts.
 *
 * Mutated bytes would nearly always stop at the sum, so each input is read twice: as it is, and with the
 * sum of every line made right.
 */
#include "journal/journal.h"
#include "journal/result.h"
#include "journal_bytes.h"
#include "report/page/page.h"
#include "tests/report/reports.h"

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

static void read_file(const char *path)
{
	struct pario_journal_reader reader;
	struct pario_result result;
	struct pario_err err = { 0 };
	json_t *line;
	int more;

	require(pario_journal_open(&reader, path, &err) == 0);
	while ((more = pario_journal_next(&reader, &line, &err)) > 0) {
		require(reader.next > reader.offset);
		if (pario_result_read(line, &result, &err) == 0)
			round_trip(&result);
		else
			require(err.text[0] != '\0');
		json_decref(line);
	}
	require(more == 0 || err.text[0] != '\0');
	pario_journal_done(&reader);
}

/* Whatever a journal holds, its page has one script and no byte that a browser or terminal acts upon. */
static void report_file(const char *path)
{
	const struct pario_page page = { .program = "pario", .reports = &pario_test_reports };
	struct pario_archive archive = { 0 };
	struct pario_text out = { 0 };
	struct pario_err err = { 0 };

	if (pario_archive_add(&archive, path, NULL, &err) == 0) {
		const char *script;

		require(pario_page_write(&out, &archive, &page, &err) == 0);
		script = strstr(out.data, "<script>");
		require(script && !strstr(script + 1, "<script>"));
		require(!strchr(out.data, '\033') && strlen(out.data) == out.length);
	}
	pario_text_release(&out);
	pario_archive_release(&archive);
}

static void read_bytes(const char *bytes, size_t length)
{
	char path[64];
	int fd = file_of(bytes, length, path);

	read_file(path);
	report_file(path);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pario_text text = { 0 };

	read_bytes((const char *)data, size);
	repair(&text, (const char *)data, size);
	read_bytes(pario_text_string(&text), text.length);
	pario_text_release(&text);
	return 0;
}
