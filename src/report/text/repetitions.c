/*
 * repetitions: an error's name says most in a line; the sentence stands below it.
 */
#include "report/text/repetitions.h"

#include <string.h>

enum { REASON_MOST = 60 };

/* The name of an error as sentences give it, "(ENOSPC)"; its length, 0 = there is none. */
static size_t errno_in(const char *reason, const char **name)
{
	for (const char *at = strstr(reason, "(E"); at; at = strstr(at + 1, "(E")) {
		size_t length = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

		*name = at + 1;
		if (length > 2 && at[1 + length] == ')')
			return length;
	}
	return 0;
}

static void add_reason(struct pario_text *out, const char *reason)
{
	struct pario_text shown = { 0 };
	const char *name;
	size_t length = errno_in(reason, &name);

	if (length == 0) {
		name = reason;
		length = strcspn(reason, ".;:");
		length = length < REASON_MOST ? length : REASON_MOST;
		while (length > 0 && ((unsigned char)reason[length] & 0xc0) == 0x80)
			length--;
	}
	pario_text_bytes(&shown, name, length);
	pario_text_clean(out, pario_text_string(&shown));
	pario_text_release(&shown);
}

void pario_repetitions_add(struct pario_text *out, size_t numbers, size_t all, size_t failed,
			   const char *reason)
{
	if (numbers == all) {
		pario_text_add(out, "%zu repetition%s", all, all == 1 ? "" : "s");
		return;
	}
	pario_text_add(out, "%zu of %zu", numbers, all);
	if (!failed)
		return;
	pario_text_add(out, ", %zu failed%s", failed, *reason ? ": " : "");
	add_reason(out, reason);
}

bool pario_reasons_alike(const char *a, const char *b)
{
	while (*a && *b) {
		size_t digits_a = strspn(a, "0123456789."), digits_b = strspn(b, "0123456789.");

		if (digits_a && digits_b) {
			a += digits_a;
			b += digits_b;
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return *a == *b;
}
