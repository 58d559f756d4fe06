/*
 * help: the text that explains a table, from its rows alone.
 */
#include "base/options_private.h"

#include <string.h>

enum { HELP_COLUMN = 34, HELP_TEXT_MIN = 20 };

static size_t columns(const char *s, size_t length)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* Adds words from HELP_COLUMN on, given that the line is filled up to `at`. */
static void wrap(struct pario_text *out, const char *words, size_t at, size_t width)
{
	bool first = true;

	if (at + 2 > HELP_COLUMN) {
		pario_text_add(out, "\n");
		at = 0;
	}
	pario_text_add(out, "%*s", (int)(HELP_COLUMN - at), "");
	at = HELP_COLUMN;
	while (*(words += strspn(words, " "))) {
		size_t length = strcspn(words, " "), wide = columns(words, length);

		if (!first && at + 1 + wide > width) {
			pario_text_add(out, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
			first = true;
		}
		pario_text_add(out, "%s%.*s", first ? "" : " ", (int)length, words);
		at += wide + !first;
		words += length;
		first = false;
	}
	pario_text_add(out, "\n");
}

const char *pario_option_placeholder(const struct pario_option *row)
{
	static const char *const names[] = {
		[PARIO_TYPE_U64] = "number",  [PARIO_TYPE_REAL] = "number",
		[PARIO_TYPE_CHOICE] = "name", [PARIO_TYPE_SET] = "names",
		[PARIO_TYPE_STRING] = "text", [PARIO_TYPE_HINT] = "value",
		[PARIO_TYPE_BOOL] = "0|1",
	};

	if (pario_option_is_pair(row))
		return "key=value";
	return row->unit ? row->unit : names[row->type];
}

bool pario_option_is_known_hint(const struct pario_option *row)
{
	return row->type == PARIO_TYPE_HINT && !row->help && !(row->flags & PARIO_OPTION_HIDDEN);
}

void pario_option_describe(const struct pario_option *row, struct pario_text *out)
{
	pario_text_add(out, "%s", row->help ? row->help : "");
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		pario_text_add(out, "%s%s",
			       i			     ? ", "
			       : row->type == PARIO_TYPE_SET ? "; any of "
							     : "; one of ",
			       row->choices[i]);
	if (row->min && row->max)
		pario_text_add(out, "; %s to %s", row->min, row->max);
	else if (row->min || row->max)
		pario_text_add(out, "; at %s %s", row->min ? "least" : "most",
			       row->min ? row->min : row->max);
	if (row->synonym)
		pario_text_add(out, "; --%s is the same", row->synonym);
	if (row->letter_value)
		pario_text_add(out, "; -%c means %s", row->letter, row->letter_value);
	if (row->flags & PARIO_OPTION_REPEAT)
		pario_text_add(out, "; may be repeated");
	if (row->def && strcmp(row->def, "18446744073709551615") == 0)
		pario_text_add(out, " [no limit]");
	else if (row->def && *row->def)
		pario_text_add(out, " [%s]", row->def);
}

void pario_options_help(const struct pario_table *table, unsigned width, bool all,
			struct pario_text *out)
{
	struct pario_text right = { 0 };
	size_t planted = 0;
	size_t capacity = width < HELP_COLUMN + HELP_TEXT_MIN ? HELP_COLUMN + HELP_TEXT_MIN : width;

	if (table->title)
		pario_text_add(out, "%s\n", table->title);
	for (const struct pario_option *row = table->rows; row && row->name; row++) {
		size_t start = out->length;

		if ((row->flags & PARIO_OPTION_HIDDEN) || pario_option_is_known_hint(row))
			continue;
		if ((row->flags & PARIO_OPTION_PLANTED) && !all) {
			planted++;
			continue;
		}
		if (row->letter)
			pario_text_add(out, "  -%c, ", row->letter);
		else
			pario_text_add(out, "      ");
		pario_text_add(out, "--%s <%s>", row->name, pario_option_placeholder(row));
		pario_text_clear(&right);
		pario_option_describe(row, &right);
		wrap(out, pario_text_string(&right), out->length - start, capacity);
		out->failed |= right.failed;
	}
	if (planted)
		pario_text_add(out,
			       "      and %zu that only tests of pario need; --all shows them\n",
			       planted);
	pario_text_clear(&right);
	for (const struct pario_option *row = table->rows; row && row->name; row++) {
		if (pario_option_is_known_hint(row))
			pario_text_add(&right, "%s--%s", right.length ? ", " : "", row->name);
	}
	if (right.length) {
		pario_text_add(out, "      MPI-IO hints by their own names\n");
		wrap(out, pario_text_string(&right), 0, capacity);
	}
	out->failed |= right.failed;
	pario_text_release(&right);
}
