/*
 * text: a growing string, and what is done to strings before people see them.
 *
 * An allocation failure is remembered in `failed` and later additions do nothing, so that a long
 * sequence of additions needs one check at its end.
 */
#ifndef PARIO_BASE_TEXT_H
#define PARIO_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pario_text {
	char *data; /* always NUL-terminated once anything was added; NULL before */
	size_t length, capacity;
	bool failed;
};

void pario_text_add(struct pario_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "1 call", "2 calls"; the noun's plural ends with s. */
void pario_text_count(struct pario_text *text, uint64_t count, const char *noun);
void pario_text_vadd(struct pario_text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
void pario_text_bytes(struct pario_text *text, const void *bytes, size_t length);
void pario_text_clear(struct pario_text *text); /* keeps the memory, forgets a failure */
void pario_text_release(struct pario_text *text);

/* The string so far, "" when nothing was added. */
const char *pario_text_string(const struct pario_text *text);

/* Appends a string with control bytes, DEL and invalid UTF-8 as \xNN: safe for a terminal. */
void pario_text_clean(struct pario_text *text, const char *string);

/* Length in bytes of the valid UTF-8 sequence at s (at most `left` bytes), 0 when it is invalid. */
size_t pario_text_utf8(const char *s, size_t left);

/*
 * The name nearest to `word`, or NULL when none is near enough to be what was meant.
 * `-` and `_` count as equal.
 */
const char *pario_text_nearest(const char *word, const char *const *names, size_t count);

/*
 * The one sentence about a word that is not known: what the format says, then the nearest name as "did you mean", in
 * quotes ("''", "[]", or "" for none), or, where none is near (NULL), what to do otherwise (NULL: nothing).
 */
struct pario_err;
int pario_text_unknown(struct pario_err *err, const char *near, const char *quotes,
		       const char *otherwise, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * The next word of what is left of a text, which is cut up for it; NULL when there is none. `*rest` begins at the text.
 *	for (char *rest = list, *word; (word = pario_text_word(&rest, ","));)
 */
char *pario_text_word(char **rest, const char *separators);

/* True when a and b are the same name, `-` and `_` being equal. */
bool pario_text_same_name(const char *a, const char *b);

#endif
