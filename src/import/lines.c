/*
 * lines: nothing here trusts the text to be short, complete or even text.
 */
#include "import/lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

enum { NEAR = 64 << 10 };

void pario_lines_begin(struct pario_lines *lines, const struct pario_import_file *source)
{
	lines->at = source->text;
	lines->end = source->text + source->length;
	lines->number = 0;
	lines->cut = false;
	lines->text[0] = '\0';
}

bool pario_lines_next(struct pario_lines *lines)
{
	size_t left = (size_t)(lines->end - lines->at), length, kept;
	const char *newline = left ? memchr(lines->at, '\n', left) : NULL;

	if (!left)
		return false;
	length = newline ? (size_t)(newline - lines->at) : left;
	kept = length < PARIO_LINE - 1 ? length : PARIO_LINE - 1;
	memcpy(lines->text, lines->at, kept);
	if (kept && lines->text[kept - 1] == '\r')
		kept--;
	lines->text[kept] = '\0';
	lines->cut = !newline;
	lines->at += length + (newline != NULL);
	lines->number++;
	return true;
}

size_t pario_words(char *line, char *words[PARIO_WORDS])
{
	char *save = NULL;
	size_t count = 0;

	for (char *word = strtok_r(line, " \t", &save); word && count < PARIO_WORDS;
	     word = strtok_r(NULL, " \t", &save))
		words[count++] = word;
	return count;
}

const char *pario_after(const char *line, const char *head)
{
	size_t length = strlen(head);

	if (strncmp(line, head, length) != 0)
		return NULL;
	return line + length + strspn(line + length, " \t");
}

static void trim_end(char *text)
{
	size_t length = strlen(text);

	while (length && strchr(" \t", text[length - 1]))
		text[--length] = '\0';
}

bool pario_key_value(char *line, char separator, char **key, char **value)
{
	char *at = strchr(line, separator);

	if (!at)
		return false;
	*at = '\0';
	*key = line + strspn(line, " \t");
	*value = at + 1 + strspn(at + 1, " \t");
	trim_end(*key);
	trim_end(*value);
	return true;
}

double pario_number(const char *word)
{
	double value;
	bool negative = *word == '-';

	if (pario_units_parse_real("", word + negative, &value, NULL) < 0)
		return (double)NAN;
	return negative ? -value : value;
}

uint64_t pario_whole(const char *word)
{
	double value = pario_number(word);

	return value >= 0 && value < 0x1p63 && value == floor(value) ? (uint64_t)value
								     : PARIO_UNTOLD;
}

void pario_time_label(const char *text, const char *format, char label[32])
{
	struct tm tm = { 0 };

	if (!strptime(text, format, &tm) || !strftime(label, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) ||
	    strlen(label) != 20)
		label[0] = '\0';
}

bool pario_time_own(const char *text, char label[32])
{
	pario_time_label(text, "%Y-%m-%dT%H:%M:%SZ", label);
	return *label != '\0';
}

void pario_time_epoch(double seconds, char label[32])
{
	time_t when = seconds > 0 && seconds < 2e11 ? (time_t)seconds : 0;
	struct tm tm;

	if (!when || !gmtime_r(&when, &tm) || !strftime(label, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
		label[0] = '\0';
}

bool pario_holds_head(const struct pario_import_file *source, const char *head)
{
	struct pario_lines lines;

	for (pario_lines_begin(&lines, source);
	     lines.at < source->text + NEAR && pario_lines_next(&lines);) {
		if (pario_after(lines.text, head))
			return true;
	}
	return false;
}
