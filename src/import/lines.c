/*
 * lines: nothing here trusts the text to be short, complete or even text.
 */
#include "import/lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

void pario_lines_begin(struct pario_lines *lines, struct pario_import_file *source)
{
	pario_import_file_rewind(source);
	lines->source = source;
	lines->at = lines->filled = 0;
	lines->number = 0;
	lines->cut = false;
	lines->text[0] = '\0';
}

static bool refill(struct pario_lines *lines)
{
	lines->at = 0;
	lines->filled = pario_import_file_read(lines->source, lines->piece, sizeof(lines->piece));
	return lines->filled > 0;
}

/* How long the mark of the byte order is that Windows puts first. */
static size_t byte_order(const char *text, size_t length)
{
	if (length > 2 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return 3;
	return length > 1 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)
		       ? 2
		       : 0;
}

/*
 * What a terminal would show of it: without colours, and of what was written over with carriage returns the last.
 * Bytes of 0 are left out: text of two bytes a letter has them, and files that lost a part.
 */
static size_t shown(char *text, size_t length, bool first)
{
	size_t kept = 0, mark = first ? byte_order(text, length) : 0;

	while (length && text[length - 1] == '\r')
		length--;
	for (size_t i = mark; i < length; i++) {
		if (text[i] == '\r') {
			kept = 0;
		} else if (text[i] == '\x1b') {
			i++;
			while (i < length && !(text[i] >= '@' && text[i] <= '~' && text[i] != '['))
				i++;
		} else if (text[i]) {
			text[kept++] = text[i];
		}
	}
	text[kept] = '\0';
	return kept;
}

size_t pario_launcher_prefix(const char *line)
{
	const char *at = line + strspn(line, " "), *end;

	if (*at == '[') {
		end = strchr(at, ']');
		if (end && strncmp(end, "]<stdout>:", 10) == 0)
			end += 10;
		else if (end && end > at + 1 && at + 1 + strspn(at + 1, "0123456789,") == end)
			end++;
		else
			return 0;
	} else {
		end = at + strspn(at, "0123456789");
		if (end == at || *end++ != ':')
			return 0;
	}
	return (size_t)(end - line) + (*end == ' ');
}

static void drop(char *text, size_t length)
{
	memmove(text, text + length, strlen(text + length) + 1);
}

bool pario_lines_next(struct pario_lines *lines)
{
	const char *newline = NULL;
	size_t kept = 0;

	if (lines->at == lines->filled && !refill(lines))
		return false;
	do {
		const char *from = lines->piece + lines->at;
		size_t left = lines->filled - lines->at, length, room = PARIO_LINE - 1 - kept;

		newline = memchr(from, '\n', left);
		length = newline ? (size_t)(newline - from) : left;
		memcpy(lines->text + kept, from, length < room ? length : room);
		kept += length < room ? length : room;
		lines->at += length + (newline != NULL);
	} while (!newline && refill(lines));
	lines->cut = !newline;
	shown(lines->text, kept, lines->number++ == 0);
	drop(lines->text, pario_launcher_prefix(lines->text));
	return true;
}

size_t pario_words(char *line, char *words[PARIO_WORDS])
{
	size_t count = 0;

	for (char *rest = line, *word;
	     count < PARIO_WORDS && (word = pario_text_word(&rest, " \t"));)
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

void pario_trim_end(char *text)
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
	pario_trim_end(*key);
	pario_trim_end(*value);
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

void pario_word_after(const char *line, const char *head, char *word, size_t capacity)
{
	const char *at = strstr(line, head);
	size_t length;

	at = at ? at + strlen(head) : "";
	at += strspn(at, " \t");
	length = strcspn(at, " \t,;:)");
	/* a comma within a number is not its end */
	if (at[length] == ',' && at[length + 1] >= '0' && at[length + 1] <= '9')
		length = strcspn(at, " \t;:)");
	snprintf(word, capacity, "%.*s", (int)length, at);
}
