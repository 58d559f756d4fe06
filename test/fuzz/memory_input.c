/*
 * memory_input: takes the place of base/input.c in the harnesses.
 */
#include "memory_input.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/input.h"

/* As a file that the readers' other questions, such as stat(), find to be a regular one. */
static const char *const names[MEMORY_INPUTS] = { "/proc/self/exe", "/proc/self/maps" };

static struct {
	const void *bytes;
	size_t length;
} inputs[MEMORY_INPUTS];

const char *memory_input(unsigned which, const void *bytes, size_t length)
{
	inputs[which].bytes = bytes;
	inputs[which].length = length;
	return names[which];
}

static int find(const char *path, struct pario_err *err)
{
	for (int i = 0; i < MEMORY_INPUTS; i++) {
		if (strcmp(path, names[i]) == 0 && inputs[i].bytes)
			return i;
	}
	return pario_err_sys(err, ENOENT, NULL, "%s is not in memory", path);
}

int pario_input_open(const char *path, const char *what, struct pario_err *err)
{
	int i = find(path, err), fd;

	(void)what;
	if (i < 0)
		return -1;
	fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0 || write(fd, inputs[i].bytes, inputs[i].length) != (ssize_t)inputs[i].length)
		abort();
	lseek(fd, 0, SEEK_SET);
	return fd;
}

FILE *pario_input_stream(const char *path, const char *what, struct pario_err *err)
{
	int i = find(path, err);
	FILE *file;

	(void)what;
	if (i < 0)
		return NULL;
	file = fmemopen((void *)(uintptr_t)inputs[i].bytes, inputs[i].length, "r");
	if (!file)
		abort();
	return file;
}

char *pario_input_text(const char *path, const char *what, unsigned most, size_t *length,
		       struct pario_err *err)
{
	int i = find(path, err);
	char *text;

	(void)what;
	(void)most;
	if (i < 0)
		return NULL;
	text = malloc(inputs[i].length + 1);
	if (!text)
		abort();
	memcpy(text, inputs[i].bytes, inputs[i].length);
	text[ *length = inputs[i].length] = '\0';
	return text;
}
