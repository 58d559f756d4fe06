/*
 * hints: MPI-IO hints as lines "key=value" of bounded length, so that they travel as plain bytes.
 */
#include "base/options.h"

#include <stdio.h>
#include <string.h>

/* Rooms of pario_hints_next(), whose callers bring the buffers. */
enum { KEY_CAPACITY = 128, VALUE_CAPACITY = 512 };

struct pair {
	const char *key, *value, *next; /* next: start of the following line */
	size_t key_length, value_length;
};

/* The pair that starts at `cursor`; false at the end or where the text is not made of pairs. */
static bool pair_at(const struct pario_hints *hints, size_t cursor, struct pair *pair)
{
	const char *end, *equals;

	if (cursor >= sizeof(hints->text))
		return false;
	pair->key = hints->text + cursor;
	end = memchr(pair->key, '\n', sizeof(hints->text) - cursor);
	if (!end)
		return false;
	equals = memchr(pair->key, '=', (size_t)(end - pair->key));
	if (!equals)
		return false;
	pair->key_length = (size_t)(equals - pair->key);
	pair->value = equals + 1;
	pair->value_length = (size_t)(end - pair->value);
	pair->next = end + 1;
	return pair->key_length < KEY_CAPACITY && pair->value_length < VALUE_CAPACITY;
}

static bool find(const struct pario_hints *hints, const char *key, struct pair *pair)
{
	size_t length = strlen(key);

	for (size_t cursor = 0; pair_at(hints, cursor, pair);
	     cursor = (size_t)(pair->next - hints->text))
		if (pair->key_length == length && !memcmp(pair->key, key, length))
			return true;
	return false;
}

bool pario_hints_next(const struct pario_hints *hints, size_t *cursor, char key[128],
		      char value[512])
{
	struct pair pair;

	if (!pair_at(hints, *cursor, &pair))
		return false;
	memcpy(key, pair.key, pair.key_length);
	key[pair.key_length] = '\0';
	memcpy(value, pair.value, pair.value_length);
	value[pair.value_length] = '\0';
	*cursor = (size_t)(pair.next - hints->text);
	return true;
}

const char *pario_hints_get(const struct pario_hints *hints, const char *key, char *buf,
			    size_t capacity)
{
	struct pair pair;

	if (!capacity || !find(hints, key, &pair))
		return NULL;
	if (pair.value_length >= capacity)
		pair.value_length = capacity - 1;
	memcpy(buf, pair.value, pair.value_length);
	buf[pair.value_length] = '\0';
	return buf;
}

static int check(const char *key, const char *value, struct pario_err *err)
{
	if (!*key || strpbrk(key, "=\n"))
		return pario_err_set(err, PARIO_USAGE,
				     "'%.80s' is not the name of a hint; write key=value.", key);
	if (strlen(key) >= KEY_CAPACITY)
		return pario_err_set(err, PARIO_USAGE,
				     "the hint name '%.80s...' is longer than %d bytes.", key,
				     KEY_CAPACITY - 1);
	if (strchr(value, '\n'))
		return pario_err_set(err, PARIO_USAGE,
				     "the value of hint %s must not contain a line break.", key);
	if (strlen(value) >= VALUE_CAPACITY)
		return pario_err_set(err, PARIO_USAGE,
				     "the value of hint %s is longer than %d bytes.", key,
				     VALUE_CAPACITY - 1);
	return 0;
}

/* A key that is set again keeps only the new value, at the end. */
int pario_hints_set(struct pario_hints *hints, const char *key, const char *value,
		    struct pario_err *err)
{
	struct pair old;
	size_t used = strnlen(hints->text, sizeof(hints->text) - 1), freed = 0;
	size_t need = strlen(key) + strlen(value) + 2;

	if (check(key, value, err) < 0)
		return -1;
	if (find(hints, key, &old))
		freed = (size_t)(old.next - old.key);
	if (used - freed + need >= sizeof(hints->text))
		return pario_err_set(
			err, PARIO_USAGE,
			"no room for hint %s; all hints together take at most %zu bytes.", key,
			sizeof(hints->text) - 1);
	if (freed) {
		size_t start = (size_t)(old.key - hints->text);

		memmove(hints->text + start, old.next, used - start - freed);
		used -= freed;
	}
	memset(hints->text + used, 0, sizeof(hints->text) - used);
	snprintf(hints->text + used, sizeof(hints->text) - used, "%s=%s\n", key, value);
	return 0;
}
