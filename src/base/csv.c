/*
 * csv: cells: what is quoted, what a spreadsheet would take for a formula, and how numbers are spelt. It writes to a
 * text, never to a file.
 */
#include "base/csv.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

#define DIGITS "0123456789"

static void separate(struct pario_csv *csv)
{
	if (csv->comma)
		pario_text_add(csv->out, ",");
	csv->comma = true;
}

/* [+-]digits[.digits][e[+-]digits], and nothing else: no hexadecimal, no infinity. */
static bool is_number(const char *text)
{
	size_t whole, part = 0;

	text += *text == '+' || *text == '-';
	whole = strspn(text, DIGITS);
	text += whole;
	if (*text == '.') {
		part = strspn(text + 1, DIGITS);
		text += 1 + part;
	}
	if (whole + part > 0 && (*text == 'e' || *text == 'E')) {
		text += 1 + (text[1] == '+' || text[1] == '-');
		if (!*text)
			return false;
		text += strspn(text, DIGITS);
	}
	return whole + part > 0 && !*text;
}

/* Spreadsheets look past a space, a tab or a line's end in front, and take wide signs for signs. */
static bool is_formula(const char *text)
{
	static const char *const signs[] = { "=",  "+",	     "-",      "@",	 "\t",	  "\r",
					     "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20" };

	text += strspn(text, " ");
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (strncmp(text, signs[i], strlen(signs[i])) == 0)
			return !is_number(text);
	}
	return false;
}

void pario_csv_quote(struct pario_text *out, const char *text)
{
	struct pario_text clean = { 0 };
	const char *at;

	if (is_formula(text))
		pario_text_add(&clean, "'");
	pario_text_clean(&clean, text);
	out->failed |= clean.failed;
	at = pario_text_string(&clean);
	/* a semicolon is no comma, except in countries where a comma is a point */
	if (!strpbrk(at, ",;\"")) {
		pario_text_bytes(out, at, clean.length);
	} else {
		pario_text_bytes(out, "\"", 1);
		for (; *at; at++)
			pario_text_bytes(out, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
		pario_text_bytes(out, "\"", 1);
	}
	pario_text_release(&clean);
}

void pario_csv_text(struct pario_csv *csv, const char *text)
{
	separate(csv);
	pario_csv_quote(csv->out, text);
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
