/*
 * csv: cells.
 */
#include "report/export/csv.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

static void separate(struct pario_csv *csv)
{
	if (csv->comma)
		pario_text_add(csv->out, ",");
	csv->comma = true;
}

void pario_csv_text(struct pario_csv *csv, const char *text)
{
	struct pario_text clean = { 0 };
	const char *at;

	separate(csv);
	pario_text_clean(&clean, text);
	at = pario_text_string(&clean);
	if (!strpbrk(at, ",\"\r\n")) {
		pario_text_add(csv->out, "%s", at);
	} else {
		pario_text_add(csv->out, "\"");
		for (; *at; at++)
			pario_text_add(csv->out, *at == '"' ? "\"\"" : "%c", *at);
		pario_text_add(csv->out, "\"");
	}
	pario_text_release(&clean);
}

/* The journal's own spelling of numbers. */
void pario_csv_real(struct pario_csv *csv, double value)
{
	struct pario_json json = { 0 };

	separate(csv);
	if (!isfinite(value))
		return;
	pario_json_real(&json, NULL, value);
	pario_text_add(csv->out, "%s", pario_text_string(&json.text));
	pario_json_release(&json);
}

void pario_csv_count(struct pario_csv *csv, uint64_t value)
{
	separate(csv);
	pario_text_add(csv->out, "%llu", (unsigned long long)value);
}

void pario_csv_end(struct pario_csv *csv)
{
	pario_text_add(csv->out, "\r\n");
	csv->comma = false;
}
