/*
 * terminal: what the user looks at: width, colour, and whether a line can be drawn again.
 */
#ifndef PARIO_CMD_TERMINAL_H
#define PARIO_CMD_TERMINAL_H

/* The width now, when the terminal can be asked (it may have been resized), else `before`. */
unsigned pario_terminal_columns(unsigned before);

#endif
