/*
 * Any two journals, one before and one after a line "=", read and, one pair in 64, compared: it ends, and neither
 * table nor page, made of one pair in 512, holds a byte that acts on a terminal.
 */
#include "journal_bytes.h"
#include "report/compare/compare.h"

static void show(struct pario_archive *archive, bool page)
{
	static const unsigned columns[] = { 0, 40, 200 };
	const struct pario_sides sides = { .a = 1,
					   .b = archive->volume_count - 1,
					   .threshold = 0.05 };
	struct pario_comparison comparison = { 0 };
	struct pario_err err = { 0 };
	struct pario_text out = { 0 };

	if (pario_comparison_of(archive, &sides, &comparison, &err) < 0) {
		require(err.text[0] != '\0');
		pario_comparison_release(&comparison);
		return;
	}
	for (size_t i = 0; page && i < sizeof(columns) / sizeof(columns[0]); i++) {
		const struct pario_style style = { .columns = columns[i] };

		pario_comparison_table(&comparison, &style, &out);
		require_inert(&out);
		pario_text_clear(&out);
	}
	if (page)
		require(pario_comparison_page(&comparison, "pario", &out, &err) == 0);
	require_inert(&out);
	pario_text_release(&out);
	pario_comparison_release(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *between = memmem(data, size, "\n=\n", 3);
	size_t first = between ? (size_t)(between - data) + 1 : size;
	const uint8_t *second = between ? between + 3 : data;
	struct pario_archive archive = { 0 };
	struct pario_err err = { 0 };
	const char *a = repaired_input(0, data, first),
		   *b = repaired_input(1, second, between ? size - first - 2 : size);

	if (pario_archive_add(&archive, a, "a", &err) < 0 ||
	    pario_archive_add(&archive, b, "b", &err) < 0)
		require(err.text[0] != '\0');
	else if (one_in(64, data, size))
		show(&archive, one_in(8, data, size));
	pario_archive_release(&archive);
	return 0;
}
