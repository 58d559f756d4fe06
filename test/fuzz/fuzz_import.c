/*
 * Any bytes as a file to be imported: they become results or a sentence, whichever format takes them for its own.
 */
#include "import/import.h"
#include "journal_bytes.h"

static void check(const struct pario_harvest *harvest)
{
	require(harvest->count > 0 && harvest->format);
	for (size_t i = 0; i < harvest->count; i++) {
		const struct pario_result *r = &harvest->results[i];

		require(r->point_index < json_array_size(harvest->points));
		require(r->test[0] != '\0' && r->phase[0] != '\0');
		require(!*r->headline || pario_result_find(r, r->headline));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pario_import_file file;
	struct pario_harvest harvest;
	struct pario_err err = { 0 };

	require(pario_import_file_memory(&file, "input", data, size, &err) == 0);
	if (pario_import_read(&file, &harvest, &err) == 0) {
		check(&harvest);
		pario_harvest_release(&harvest);
	} else {
		require(err.text[0] != '\0');
	}
	pario_import_file_release(&file);
	return 0;
}
