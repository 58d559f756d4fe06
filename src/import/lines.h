/*
 * lines: text line by line and word by word, with every length bounded.
 */
#ifndef PARIO_IMPORT_LINES_H
#define PARIO_IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/import.h"

enum { PARIO_LINE = 4096, PARIO_WORDS = 96, PARIO_LINES_PIECE = 16 << 10 };

struct pario_lines {
	uint64_t number;
	bool cut; /* the last line has no end */
	char text
		[PARIO_LINE]; /* the line, without its end and a launcher's prefix; what is longer is cut off */
	/* private */
	struct pario_import_file *source;
	size_t at, filled;
	char piece[PARIO_LINES_PIECE];
};

/* From the beginning of the source; one at a time reads it. */
void pario_lines_begin(struct pario_lines *lines, struct pario_import_file *source);
bool pario_lines_next(struct pario_lines *lines);

/* The length of what a launcher puts before a line: "[1,0]<stdout>:" of mpirun, "[0] " of mpiexec, " 0: " of srun. */
size_t pario_launcher_prefix(const char *line);

/* Splits at blanks and tabs, in place; returns how many words there are, at most PARIO_WORDS. */
size_t pario_words(char *line, char *words[PARIO_WORDS]);

/* The text after `head` without leading blanks; NULL when the line does not begin with it. */
const char *pario_after(const char *line, const char *head);

void pario_trim_end(char *text); /* of blanks and tabs */

/* Splits "key<separator>value" and trims both; false when there is no separator. */
bool pario_key_value(char *line, char separator, char **key, char **value);

/* The whole word as a finite number; NaN when it is none. */
double pario_number(const char *word);

/* As a whole number of at most 2^63-1; PARIO_UNTOLD when it is none. */
uint64_t pario_whole(const char *word);

/* A time as `strptime` reads it with this format, as ISO 8601; "" when it is none. */
void pario_time_label(const char *text, const char *format, char label[32]);
bool pario_time_own(const char *text, char label[32]); /* as pario writes it: in UTC */
void pario_time_epoch(double seconds, char label[32]);

/* The word after a head that stands anywhere in the line, without the marks behind it; "" when there is none. */
void pario_word_after(const char *line, const char *head, char *word, size_t capacity);

#endif
