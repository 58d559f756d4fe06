/*
 * hints: parses a hints file, and decides which hints apply to a pattern.
 */
#include "tests/beff_io/model/hints.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum { WORDS = 6, WORD_CAPACITY = 192 };

/* Bits 0 to 6 are the rows of the summary, in the order of the table; bit 7 the opening. */
static const char *const chunks[] = { "1024",	 "1032", "32768",   "32776", "1048576",
				      "1048584", "Lmax", "on_open", NULL };
enum { ON_OPEN = 7 };

static int find(const char *word, const char *const *names, const char *what, const char *where,
		unsigned *set, struct pario_err *err)
{
	char otherwise[128];
	size_t count = 0;

	while (names[count])
		count++;
	if (strcmp(word, "all") == 0) {
		*set = (1u << count) - 1;
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, names[i]) == 0) {
			*set = 1u << i;
			return 0;
		}
	snprintf(otherwise, sizeof(otherwise), "use %s ... %s, or all.", names[0],
		 names[count - 1]);
	return pario_text_unknown(err, pario_text_nearest(word, names, count), "", otherwise,
				  "%s: unknown %s \"%s\"", where, what, word);
}

static int take(char words[WORDS][WORD_CAPACITY], const char *where, struct pario_beff_io_hint *h,
		struct pario_err *err)
{
	h->processes = 0;
	if (strcmp(words[0], "all") != 0 &&
	    (pario_units_parse_size("processes", words[0], &h->processes, NULL) < 0 ||
	     h->processes == 0))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s: \"%s\" is not a number of processes; use a number from 1 or all.",
			where, words[0]);
	if (find(words[1], pario_beff_io_access_names, "access method", where, &h->accesses, err) <
		    0 ||
	    find(words[2], pario_beff_io_type_names, "pattern type", where, &h->types, err) < 0 ||
	    find(words[3], chunks, "pattern", where, &h->chunks, err) < 0)
		return -1;
	if (strlen(words[4]) >= sizeof(h->key))
		return pario_err_set(err, PARIO_USAGE, "%s: the key is longer than %zu bytes.",
				     where, sizeof(h->key) - 1);
	for (int i = 0; i < 4; i++)
		snprintf(h->where[i], sizeof(h->where[i]), "%.15s", words[i]);
	memcpy(h->key, words[4], sizeof(h->key));
	memcpy(h->value, words[5], sizeof(h->value));
	return 0;
}

static int take_line(struct pario_beff_io_hints *hints, const char *where, char *line,
		     struct pario_err *err)
{
	char words[WORDS][WORD_CAPACITY] = { { 0 } }, *word;
	unsigned count = 0;

	line[strcspn(line, "#")] = '\0';
	while ((word = strsep(&line, " \t\r"))) {
		if (!*word)
			continue;
		if (count == WORDS || strlen(word) >= WORD_CAPACITY)
			return pario_err_set(
				err, PARIO_USAGE,
				"%s: a line has six words of at most %d bytes: processes, access "
				"method, pattern type, chunk, key, value.",
				where, WORD_CAPACITY - 1);
		snprintf(words[count++], WORD_CAPACITY, "%s", word);
	}
	if (count == 0)
		return 0;
	if (count < WORDS)
		return pario_err_set(err, PARIO_USAGE,
				     "%s: %u words; a line has six: processes, access method, "
				     "pattern type, chunk, key, value.",
				     where, count);
	if (hints->count == PARIO_BEFF_IO_HINTS)
		return pario_err_set(err, PARIO_USAGE, "%s: more than %d hints.", where,
				     PARIO_BEFF_IO_HINTS);
	if (take(words, where, &hints->hint[hints->count], err) < 0)
		return -1;
	hints->count++;
	return 0;
}

int pario_beff_io_hints_parse(struct pario_beff_io_hints *hints, const char *path, const char *text,
			      size_t length, struct pario_err *err)
{
	char copy[PARIO_BEFF_IO_HINTS_TEXT + 1], where[400], *rest = copy, *line;

	memset(hints, 0, sizeof(*hints));
	if (length > PARIO_BEFF_IO_HINTS_TEXT || memchr(text, '\0', length))
		return pario_err_set(
			err, PARIO_USAGE,
			"the hints file \"%s\" is not a text of at most %d characters.", path,
			PARIO_BEFF_IO_HINTS_TEXT);
	memcpy(copy, text, length);
	copy[length] = '\0';
	for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
		snprintf(where, sizeof(where), "line %u of the hints file \"%.300s\"", number,
			 path);
		if (take_line(hints, where, line, err) < 0)
			return -1;
	}
	return 0;
}

/* Patterns that only place the others have the chunk of row 5; those that fill up have none. */
static unsigned chunk_bit(int pattern)
{
	const struct pario_beff_io_pattern *p;

	if (pattern < 0)
		return 1u << ON_OPEN;
	p = &pario_beff_io_patterns[pattern];
	if (p->chunk == PARIO_BEFF_IO_FILL)
		return 0;
	return 1u << ((p->row == 0 || p->row == PARIO_BEFF_IO_EXTRA_ROW ? 5 : p->row) - 1);
}

bool pario_beff_io_hint_applies(const struct pario_beff_io_hint *h,
				const struct pario_beff_io_place *place)
{
	unsigned bit = chunk_bit(place->pattern), all = (2u << ON_OPEN) - 1;

	return (h->processes == 0 || h->processes == place->processes) &&
	       (h->accesses & 1u << place->access) && (h->types & 1u << place->type) &&
	       (h->chunks == all || (h->chunks & bit));
}
