/*
 * What the test of the library backends stands on: data that follow from their position, options by their
 * words, and one line per expectation that fails.
 */
#ifndef PARIO_TEST_LIBRARY_BACKENDS_H
#define PARIO_TEST_LIBRARY_BACKENDS_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/options.h"

static int rank, clients, dir, failures;
static const char *dir_name;
static char title[128];
static char path[4096];
static uint64_t params[64];
static struct pario_hints hints;

__attribute__((format(printf, 2, 3))) static bool expect(bool ok, const char *format, ...)
{
	char text[1400];
	va_list args;

	if (ok)
		return true;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "FAIL client %d of %d, %s: %s\n", rank, clients, title, text);
	failures++;
	return false;
}

/* Names what is tested, so that a failure or a hang tells where. */
__attribute__((format(printf, 1, 2))) static void begin(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(title, sizeof(title), format, args);
	va_end(args);
	if (getenv("VERBOSE") && rank == 0)
		fprintf(stderr, "%s\n", title);
}

static uint8_t byte_at(uint64_t position)
{
	return (uint8_t)((position * 0x9e3779b97f4a7c15u) >> 41) ^ (uint8_t)position;
}

static void fill(uint8_t *buffer, uint64_t length, uint64_t position)
{
	for (uint64_t i = 0; i < length; i++)
		buffer[i] = byte_at(position + i);
}

static bool holds(const uint8_t *buffer, uint64_t length, uint64_t position)
{
	for (uint64_t i = 0; i < length; i++)
		if (buffer[i] != byte_at(position + i))
			return expect(false, "byte %llu is wrong",
				      (unsigned long long)(position + i));
	return true;
}

/* "name=value name=value" through the option table, as a user's words would go. */
static void parse(const struct pario_backend *backend, const char *settings)
{
	struct pario_table table = { .rows = backend->options, .size = backend->params_size };
	struct pario_config config;
	struct pario_err err = { 0 };
	void *structs[] = { params };
	char copy[256], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", settings);
	if (!expect(!pario_config_init(&config, &table, 1, &err), "%s", err.text))
		return;
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		expect(!pario_config_set(&config, word, value, PARIO_ORIGIN_COMMAND, &err), "%s",
		       err.text);
	}
	expect(!pario_config_point(&config, 0, structs, &err), "%s", err.text);
	pario_config_release(&config);
}

static struct pario_open how_of(const char *name, bool create)
{
	snprintf(path, sizeof(path), "%s/%s", dir_name, name);
	return (struct pario_open){ .dirfd = dir,
				    .name = name,
				    .path = path,
				    .comm = MPI_COMM_WORLD,
				    .read = true,
				    .write = create,
				    .create = create,
				    .queue_depth = 1,
				    .buffer_size = 1 << 20,
				    .hints = &hints,
				    .params = params };
}

static void remove_file(const char *name)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		unlinkat(dir, name, 0);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The file by plain system calls, on client 0. */
static void check_plain(const char *name, uint64_t length)
{
	uint8_t *buffer = malloc(length);
	int fd;

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		fd = openat(dir, name, O_RDONLY);
		if (expect(fd >= 0 && pread(fd, buffer, length, 0) == (ssize_t)length,
			   "%s is shorter than %llu", name, (unsigned long long)length))
			holds(buffer, length, 0);
		close(fd);
	}
	free(buffer);
	MPI_Barrier(MPI_COMM_WORLD);
}

#endif
