/*
 * ascii: output for terminals and locales without UTF-8: characters are replaced below stdio, so that nobody else asks
 * for the locale.
 */
#ifndef PARIO_CONSOLE_ASCII_H
#define PARIO_CONSOLE_ASCII_H

/*
 * Where LC_ALL, LC_CTYPE and LANG name no UTF-8, the few signs that pario prints beyond ASCII become letters on their
 * way to standard output and error. Names of files are left as they are.
 */
void pario_ascii_start(void);

/* From now on standard output is passed through as it is: for journals and pages. */
void pario_ascii_stop(void);

#endif
