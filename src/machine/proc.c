/*
 * proc: reading them whole and without surprises; what is missing is false, never an error.
 */
#include "machine/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t read_all(int fd, char *text, size_t capacity)
{
	size_t length = 0;

	while (length < capacity) {
		ssize_t n = read(fd, text + length, capacity - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		length += (size_t)n;
	}
	return length;
}

bool pario_proc_text(const char *path, char *text, size_t capacity)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t length = 0, blank = 0;

	if (fd >= 0) {
		length = read_all(fd, text, capacity - 1);
		close(fd);
	}
	text[length] = '\0';
	/* Some files of /sys pass on what a disk's firmware says, bytes of zero and all. */
	length = strlen(text);
	while (length && is_space(text[length - 1]))
		text[--length] = '\0';
	while (is_space(text[blank]))
		blank++;
	memmove(text, text + blank, length - blank + 1);
	return *text != '\0';
}

bool pario_proc_number(const char *text, uint64_t *value)
{
	unsigned long long parsed;

	while (is_space(*text))
		text++;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	parsed = strtoull(text, NULL, 10);
	if (errno || parsed > INT64_MAX)
		return false;
	*value = parsed;
	return true;
}

bool pario_proc_u64(const char *path, uint64_t *value)
{
	char text[64];

	return pario_proc_text(path, text, sizeof(text)) && pario_proc_number(text, value);
}

bool pario_proc_keyed(const char *path, const char *key, uint64_t *value)
{
	FILE *file = fopen(path, "re");
	size_t length = strlen(key), capacity = 0;
	char *line = NULL;
	bool found = false;

	if (!file)
		return false;
	while (!found && getline(&line, &capacity, file) > 0) {
		const char *rest = line + length;

		if (strncmp(line, key, length) != 0 || (*rest != ':' && !is_space(*rest)))
			continue;
		while (*rest == ':' || is_space(*rest))
			rest++;
		found = pario_proc_number(rest, value);
	}
	free(line);
	fclose(file);
	return found;
}

void pario_proc_copy(char *to, size_t capacity, const char *from)
{
	size_t length = strlen(from);

	if (length >= capacity) {
		length = capacity - 1;
		while (length && ((unsigned char)from[length] & 0xc0) == 0x80)
			length--;
	}
	memcpy(to, from, length);
	to[length] = '\0';
}
