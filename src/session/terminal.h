/*
 * terminal: the width and colour of the user's terminal, and whether a line can be redrawn on it.
 */
#ifndef PARIO_SESSION_TERMINAL_H
#define PARIO_SESSION_TERMINAL_H

/* The width now, when the terminal can be asked (it may have been resized), else `before`. */
unsigned pario_terminal_columns(unsigned before);

/* Columns and colour of standard output, given --color. */
struct pario_style;
void pario_terminal_style(struct pario_style *style, int color);

/*
 * Prints a text of sentences and tables: the sentences no wider than COLUMNS, where that is set, else the terminal; the
 * rows of tables whole.
 */
void pario_terminal_print(const char *text);

#endif
