/*
 * ascii: the signs are replaced below stdio, so that nobody who prints needs to know.
 */
#include "console/ascii.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { SIGN_MOST = 3 };

static const struct {
	const char *sign, *letters;
} signs[] = {
	{ "×", "x" },  { "·", "-" },   { "±", "+-" }, { "◀", "<" }, { "–", "-" }, { "─", "-" },
	{ "→", "->" }, { "…", "..." }, { "²", "^2" }, { "µ", "u" }, { "▁", "_" }, { "▂", "." },
	{ "▃", "-" },  { "▄", "~" },   { "▅", "=" },  { "▆", "+" }, { "▇", "*" }, { "█", "#" },
};

struct channel {
	int fd;
	char begun[SIGN_MOST]; /* of a sign whose rest comes with the next bytes */
	size_t begun_count;
};

static struct channel out = { .fd = STDOUT_FILENO }, say = { .fd = STDERR_FILENO };
static FILE *real_out;

static bool put(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno != EINTR)
			return false;
		bytes += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* The sign that these bytes are (its row), that they begin (-1), or none (-2). */
static int sign_of(const char *bytes, size_t length)
{
	for (int i = 0; i < (int)(sizeof(signs) / sizeof(signs[0])); i++) {
		size_t whole = strlen(signs[i].sign);

		if (memcmp(signs[i].sign, bytes, length < whole ? length : whole) == 0)
			return length < whole ? -1 : i;
	}
	return -2;
}

static bool put_byte(struct channel *c, char byte)
{
	int sign;

	c->begun[c->begun_count++] = byte;
	sign = sign_of(c->begun, c->begun_count);
	if (sign == -1)
		return true;
	if (sign >= 0) {
		c->begun_count = 0;
		return put(c->fd, signs[sign].letters, strlen(signs[sign].letters));
	}
	/* Part of something else: it goes out as it came, and the last byte may begin a sign. */
	if (c->begun_count > 1 && sign_of(&byte, 1) == -1) {
		bool good = put(c->fd, c->begun, c->begun_count - 1);

		c->begun[0] = byte;
		c->begun_count = 1;
		return good;
	}
	sign = (int)c->begun_count;
	c->begun_count = 0;
	return put(c->fd, c->begun, (size_t)sign);
}

static ssize_t translate(void *cookie, const char *bytes, size_t length)
{
	struct channel *c = cookie;

	for (size_t i = 0; i < length;) {
		size_t plain = 0;

		while (!c->begun_count && i + plain < length && (signed char)bytes[i + plain] >= 0)
			plain++;
		if (!put(c->fd, bytes + i, plain))
			return 0;
		i += plain;
		if (i < length && !put_byte(c, bytes[i++]))
			return 0;
	}
	return (ssize_t)length;
}

static bool knows_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

static FILE *wrap(struct channel *channel, int mode)
{
	FILE *stream = fopencookie(channel, "w", (cookie_io_functions_t){ .write = translate });

	if (stream)
		setvbuf(stream, NULL, mode, 0);
	return stream;
}

void pario_ascii_start(void)
{
	FILE *to_out, *to_say;

	if (knows_utf8())
		return;
	to_out = wrap(&out, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
	to_say = wrap(&say, _IONBF);
	if (to_out) {
		real_out = stdout;
		stdout = to_out;
	}
	if (to_say)
		stderr = to_say;
}

void pario_ascii_stop(void)
{
	if (!real_out)
		return;
	fflush(stdout);
	stdout = real_out;
	real_out = NULL;
}
