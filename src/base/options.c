/*
 * options: what one row of a table accepts: a value, a list, a range.
 */
#include "base/options_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"

static int parse_bool(const char *what, const char *text, bool *value, struct pario_err *err)
{
	static const char *const words[] = { "0", "1", "no", "yes", "false", "true", "off", "on" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcasecmp(text, words[i])) {
			*value = i % 2;
			return 0;
		}
	}
	return pario_err_set(
		err, PARIO_USAGE,
		"%s does not take '%.80s'; write 1 or 0, yes or no, true or false, on or off.",
		what, text);
}

static int unknown_choice(const struct pario_option *row, const char *what, const char *text,
			  struct pario_err *err)
{
	struct pario_text list = { 0 };
	size_t count = 0;

	while (row->choices[count])
		count++;
	pario_text_add(&list, "it takes ");
	for (size_t i = 0; i < count; i++)
		pario_text_add(&list, "%s%s", i ? ", " : "", row->choices[i]);
	pario_text_add(&list, ".");
	pario_text_unknown(err, pario_text_nearest(text, row->choices, count), "''",
			   pario_text_string(&list), "unknown value '%.80s' for %s", text, what);
	pario_text_release(&list);
	return -1;
}

static int parse_choice(const struct pario_option *row, const char *what, const char *text,
			int *value, struct pario_err *err)
{
	for (int i = 0; row->choices[i]; i++) {
		if (pario_text_same_name(text, row->choices[i])) {
			*value = i;
			return 0;
		}
	}
	return unknown_choice(row, what, text, err);
}

/* The next element of a comma list; `cursor` starts at the text and is NULL after the last. */
static bool next_word(const char **cursor, struct pario_text *word)
{
	size_t length;

	if (!*cursor)
		return false;
	length = strcspn(*cursor, ",");
	pario_text_clear(word);
	pario_text_bytes(word, *cursor, length);
	*cursor = (*cursor)[length] ? *cursor + length + 1 : NULL;
	return true;
}

static int check_word(const char *what, const char *text, const struct pario_text *word,
		      struct pario_err *err)
{
	if (word->failed)
		return pario_err_sys(err, ENOMEM, NULL, "cannot read %s", what);
	if (!word->length)
		return pario_err_set(err, PARIO_USAGE,
				     "%s does not take '%.80s'; an element of the list is empty.",
				     what, text);
	return 0;
}

static int parse_set(const struct pario_option *row, const char *what, const char *text,
		     uint32_t *value, struct pario_err *err)
{
	struct pario_text word = { 0 };
	const char *cursor = text;
	uint32_t bits = 0;
	int rc = 0, choice = 0;

	while (!rc && next_word(&cursor, &word)) {
		rc = check_word(what, text, &word, err);
		if (!rc)
			rc = parse_choice(row, what, word.data, &choice, err);
		if (!rc)
			bits |= 1u << (choice & 31);
	}
	pario_text_release(&word);
	if (!rc)
		*value = bits;
	return rc;
}

static void add_range(const struct pario_option *row, struct pario_text *out)
{
	if (row->min && row->max)
		pario_text_add(out, " from %s to %s", row->min, row->max);
	else if (row->min || row->max)
		pario_text_add(out, " of at %s %s", row->min ? "least" : "most",
			       row->min ? row->min : row->max);
}

/* A value that the row takes: its default where that says something, else its smallest. */
static const char *example(const struct pario_option *row, const char *usual)
{
	if (row->def && *row->def && strcmp(row->def, "0") != 0)
		return row->def;
	return row->min && strcmp(row->min, "0") != 0 ? row->min : usual;
}

static bool in_bytes(const struct pario_option *row)
{
	return row->unit && strcmp(row->unit, "bytes") == 0;
}

/* What to write instead of a value that is no number at all, in words that fit the option. */
static int no_number(const struct pario_option *row, const char *what, const char *text,
		     struct pario_err *err)
{
	bool bytes = in_bytes(row);
	bool real = row->type == PARIO_TYPE_REAL;
	struct pario_text form = { 0 };

	pario_text_add(&form, "%s",
		       bytes  ? "a size in bytes"
		       : real ? "a number"
			      : "a whole number");
	if (!bytes && row->unit)
		pario_text_add(&form, " of %s", row->unit);
	add_range(row, &form);
	if (bytes)
		pario_text_add(&form, ", with k, m, g, t or p for powers of 1024");
	pario_text_add(&form, ", such as %s", example(row, bytes ? "64k" : real ? "0.5" : "1"));
	pario_err_set(err, PARIO_USAGE, "%s does not take '%.80s'; write %s.", what, text,
		      pario_text_string(&form));
	pario_text_release(&form);
	return -1;
}

static int out_of_range(const struct pario_option *row, const char *what, const char *text,
			struct pario_err *err)
{
	const char *unit = row->unit ? row->unit : "";

	if (row->min && row->max)
		return pario_err_set(err, PARIO_USAGE,
				     "%s does not take '%.80s'; it must be from %s to %s%s%s.",
				     what, text, row->min, row->max, *unit ? " " : "", unit);
	return pario_err_set(err, PARIO_USAGE, "%s does not take '%.80s'; it must be at %s %s.",
			     what, text, row->min ? "least" : "most",
			     row->min ? row->min : row->max);
}

/* A size may be 1.5m; of what is counted there is no half. */
static bool halves(const struct pario_option *row, const char *text)
{
	const char *point = strchr(text, '.');

	return !in_bytes(row) && point && strspn(text, "0123456789.") == strlen(text) &&
	       strspn(point + 1, "0") != strlen(point + 1);
}

static int parse_u64(const struct pario_option *row, const char *what, const char *text,
		     uint64_t *value, struct pario_err *err)
{
	uint64_t v, low = 0, high = UINT64_MAX;

	if (!pario_units_is_size(text))
		return no_number(row, what, text, err);
	if (halves(row, text))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s does not take '%.80s'; write a whole number such as %.*s.", what, text,
			(int)strcspn(text, ".") < 20 ? (int)strcspn(text, ".") : 20, text);
	if (pario_units_parse_size(what, text, &v, err) < 0 ||
	    (row->min && pario_units_parse_size(what, row->min, &low, err) < 0) ||
	    (row->max && pario_units_parse_size(what, row->max, &high, err) < 0))
		return -1;
	if (v < low || v > high)
		return out_of_range(row, what, text, err);
	*value = v;
	return 0;
}

/* A mean of bytes need not be whole, and may be written as sizes are. */
static int real_of(const struct pario_option *row, const char *what, const char *text,
		   double *value, struct pario_err *err)
{
	uint64_t bytes;

	if (!in_bytes(row) || pario_units_is_real(text))
		return pario_units_parse_real(what, text, value, err);
	if (pario_units_parse_size(what, text, &bytes, err) < 0)
		return -1;
	*value = (double)bytes;
	return 0;
}

static int parse_real(const struct pario_option *row, const char *what, const char *text,
		      double *value, struct pario_err *err)
{
	double v, low, high;

	if (!pario_units_is_real(text) && !(in_bytes(row) && pario_units_is_size(text)))
		return no_number(row, what, text, err);
	if (real_of(row, what, text, &v, err) < 0)
		return -1;
	low = high = v;
	if ((row->min && real_of(row, what, row->min, &low, err) < 0) ||
	    (row->max && real_of(row, what, row->max, &high, err) < 0))
		return -1;
	if (v < low || v > high)
		return out_of_range(row, what, text, err);
	*value = v;
	return 0;
}

static int check_string(const struct pario_option *row, const char *what, const char *text,
			struct pario_err *err)
{
	uint64_t *unused, v;
	size_t count;
	int rc = 0;

	if (strlen(text) >= row->size)
		return pario_err_set(err, PARIO_USAGE,
				     "%s does not take '%.80s...'; it holds at most %zu bytes.",
				     what, text, row->size - 1);
	if (!(row->flags & PARIO_OPTION_LIST) || !(row->min || row->max))
		return 0;
	if (pario_options_list(what, text, &unused, &count, err) < 0)
		return -1;
	for (size_t i = 0; i < count && !rc; i++) {
		char number[24];

		snprintf(number, sizeof(number), "%" PRIu64, unused[i]);
		rc = parse_u64(row, what, number, &v, err);
	}
	free(unused);
	return rc;
}

static int parse_hint(const struct pario_option *row, const char *what, const char *text,
		      struct pario_hints *hints, struct pario_err *err)
{
	const char *equals = strchr(text, '=');
	char key[128];

	if (!pario_option_is_pair(row))
		return pario_hints_set(hints, row->name, text, err);
	if (!equals || equals == text || (size_t)(equals - text) >= sizeof(key))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s does not take '%.80s'; write key=value, such as cb_nodes=4.", what,
			text);
	memcpy(key, text, (size_t)(equals - text));
	key[equals - text] = '\0';
	return pario_hints_set(hints, key, equals + 1, err);
}

/* What a repeatable hint holds: one pair per line. */
static int parse_hint_lines(const struct pario_option *row, const char *what, const char *text,
			    struct pario_hints *hints, struct pario_err *err)
{
	char *copy, *line, *rest;
	int rc = 0;

	if (!(row->flags & PARIO_OPTION_REPEAT))
		return parse_hint(row, what, text, hints, err);
	copy = strdup(text);
	if (!copy)
		return pario_err_sys(err, ENOMEM, NULL, "cannot read %s", what);
	for (rest = copy; !rc && (line = strsep(&rest, "\n"));)
		rc = parse_hint(row, what, line, hints, err);
	free(copy);
	return rc;
}

/* Room for any field but a string, which is checked without being copied. */
union scratch {
	uint64_t u64;
	double real;
	bool flag;
	int choice;
	uint32_t set;
	struct pario_hints hints;
};

int pario_option_parse(const struct pario_option *row, const char *what, const char *text,
		       void *field, struct pario_err *err)
{
	union scratch scratch = { .hints.text = "" };
	void *out = field ? field : &scratch;

	switch (row->type) {
	case PARIO_TYPE_U64:
		return parse_u64(row, what, text, out, err);
	case PARIO_TYPE_REAL:
		return parse_real(row, what, text, out, err);
	case PARIO_TYPE_BOOL:
		return parse_bool(what, text, out, err);
	case PARIO_TYPE_CHOICE:
		return parse_choice(row, what, text, out, err);
	case PARIO_TYPE_SET:
		return parse_set(row, what, text, out, err);
	case PARIO_TYPE_HINT:
		return parse_hint_lines(row, what, text, out, err);
	case PARIO_TYPE_STRING:
		break;
	}
	if (check_string(row, what, text, err) < 0)
		return -1;
	if (field)
		memcpy(field, text, strlen(text) + 1);
	return 0;
}

static bool sweeps(const struct pario_option *row)
{
	return row->type != PARIO_TYPE_SET &&
	       !(row->flags & (PARIO_OPTION_NO_SWEEP | PARIO_OPTION_LIST | PARIO_OPTION_REPEAT));
}

struct range {
	uint64_t first, step, count;
	bool multiply;
};

static uint64_t range_value(const struct range *range, uint64_t index)
{
	uint64_t v = range->first;

	if (!range->multiply)
		return v + index * range->step;
	while (index--)
		v *= range->step;
	return v;
}

static void range_length(struct range *range, uint64_t last)
{
	uint64_t v = range->first;

	range->count = 1;
	if (!range->multiply) {
		range->count += (last - v) / range->step;
		return;
	}
	while (pario_mul(v, range->step, &v) && v <= last)
		range->count++;
}

/* A range, or a single number as a range of one. `word` is cut up on the way. */
static int parse_range(const char *what, char *word, struct range *range, struct pario_err *err)
{
	char *dots = strstr(word, ".."), *colon = NULL;
	uint64_t last;

	*range = (struct range){ .step = 2, .count = 1, .multiply = true };
	if (!dots)
		return pario_units_parse_size(what, word, &range->first, err);
	*dots = '\0';
	colon = strchr(dots + 2, ':');
	if (colon) {
		*colon++ = '\0';
		if (*colon != 'x' && *colon != '+')
			return pario_err_set(err, PARIO_USAGE,
					     "%s takes ranges such as 4k..16m:x4 or 1..8:+1, "
					     "not a step of '%.80s'.",
					     what, colon);
		range->multiply = *colon++ == 'x';
	}
	if (pario_units_parse_size(what, word, &range->first, err) < 0 ||
	    pario_units_parse_size(what, dots + 2, &last, err) < 0 ||
	    (colon && pario_units_parse_size(what, colon, &range->step, err) < 0))
		return -1;
	if (range->first > last || range->step < (range->multiply ? 2 : 1) ||
	    (range->multiply && !range->first))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s does not take the range %.80s..%.80s; it must rise from its "
			"first to its last value, and a range from 0 needs a step such as :+1.",
			what, word, dots + 2);
	range_length(range, last);
	return 0;
}

static int too_many(const char *what, struct pario_err *err)
{
	return pario_err_set(err, PARIO_USAGE, "%s has more than %d values; use fewer.", what,
			     PARIO_POINTS_MAX);
}

/* The ends of a range must be good values of the row; then all between them are. */
static int check_range(const struct pario_option *row, const char *what, char *word,
		       uint64_t *count, struct pario_err *err)
{
	struct range range;
	char number[24];

	if (parse_range(what, word, &range, err) < 0)
		return -1;
	for (unsigned end = 0; end < 2; end++) {
		snprintf(number, sizeof(number), "%" PRIu64,
			 range_value(&range, end ? range.count - 1 : 0));
		if (pario_option_parse(row, what, number, NULL, err) < 0)
			return -1;
	}
	*count = range.count;
	return 0;
}

static bool is_range(const struct pario_option *row, const struct pario_text *word)
{
	return row->type == PARIO_TYPE_U64 && strstr(pario_text_string(word), "..");
}

static int check_list(const struct pario_option *row, const char *what, const char *text,
		      uint64_t *count, struct pario_err *err)
{
	struct pario_text word = { 0 };
	const char *cursor = text;
	uint64_t total = 0, more;
	int rc = 0;

	while (!rc && next_word(&cursor, &word)) {
		more = 1;
		rc = check_word(what, text, &word, err);
		if (!rc && is_range(row, &word))
			rc = check_range(row, what, word.data, &more, err);
		else if (!rc)
			rc = pario_option_parse(row, what, word.data, NULL, err);
		if (!rc && (!pario_add(total, more, &total) || total > PARIO_POINTS_MAX))
			rc = too_many(what, err);
	}
	pario_text_release(&word);
	if (!rc)
		*count = total;
	return rc;
}

int pario_option_check(const struct pario_option *row, const char *what, const char *text,
		       uint64_t *count, struct pario_err *err)
{
	if (sweeps(row) && *text)
		return check_list(row, what, text, count, err);
	if (pario_option_parse(row, what, text, NULL, err) < 0)
		return -1;
	*count = 1;
	return 0;
}

/* The shortest exact way to write a number as input: 65536 is 64k. */
static void add_size(struct pario_text *out, uint64_t v)
{
	static const char *const letters[] = { "", "k", "m", "g", "t", "p" };
	unsigned power = 0;

	while (v && v % 1024 == 0 && power < 5) {
		v /= 1024;
		power++;
	}
	pario_text_add(out, "%" PRIu64 "%s", v, letters[power]);
}

/*
 * Walks a checked list; stops at element `stop`, adding it to `out`, else returns the number of
 * elements.
 */
static uint64_t walk(const struct pario_option *row, const char *text, uint64_t stop,
		     struct pario_text *out)
{
	struct pario_text word = { 0 };
	const char *cursor = text;
	uint64_t seen = 0;

	while (next_word(&cursor, &word)) {
		struct range range = { .count = 1 };
		bool ranged = is_range(row, &word);

		if (ranged && parse_range("", word.data, &range, NULL) < 0)
			break;
		if (out && stop - seen < range.count) {
			if (ranged)
				add_size(out, range_value(&range, stop - seen));
			else
				pario_text_bytes(out, word.data, word.length);
			break;
		}
		seen += range.count;
	}
	pario_text_release(&word);
	return seen;
}

uint64_t pario_option_count(const struct pario_option *row, const char *text)
{
	return text && *text && sweeps(row) ? walk(row, text, 0, NULL) : 1;
}

void pario_option_element(const struct pario_option *row, const char *text, uint64_t index,
			  struct pario_text *out)
{
	if (*text && sweeps(row))
		walk(row, text, index, out);
	else
		pario_text_bytes(out, text, strlen(text));
}

static int append_range(const char *what, const struct range *range, uint64_t **values,
			size_t *count, struct pario_err *err)
{
	uint64_t *grown;

	if (range->count > PARIO_POINTS_MAX || *count + range->count > PARIO_POINTS_MAX)
		return too_many(what, err);
	grown = realloc(*values, (*count + range->count) * sizeof(**values));
	if (!grown)
		return pario_err_sys(err, ENOMEM, NULL, "cannot read %s", what);
	for (uint64_t i = 0; i < range->count; i++)
		grown[*count + i] = range_value(range, i);
	*values = grown;
	*count += range->count;
	return 0;
}

int pario_options_list(const char *what, const char *text, uint64_t **values, size_t *count,
		       struct pario_err *err)
{
	struct pario_text word = { 0 };
	const char *cursor = text;
	uint64_t *list = NULL;
	size_t length = 0;
	int rc = 0;

	while (!rc && next_word(&cursor, &word)) {
		struct range range;

		rc = check_word(what, text, &word, err);
		if (!rc)
			rc = parse_range(what, word.data, &range, err);
		if (!rc)
			rc = append_range(what, &range, &list, &length, err);
	}
	pario_text_release(&word);
	if (rc < 0) {
		free(list);
		return -1;
	}
	*values = list;
	*count = length;
	return 0;
}
