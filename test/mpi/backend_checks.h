/*
 * backend_checks: what the tests of the backends share: checks, options, files, patterns, a full
 * queue.
 *
 * Included once, by the test program itself.
 */
#ifndef PARIO_TEST_BACKEND_CHECKS_H
#define PARIO_TEST_BACKEND_CHECKS_H

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"

extern const struct pario_backend pario_backend_mmap, pario_backend_null, pario_backend_posix,
	pario_backend_uring;

/* Weak: where the build's own list is linked in, that one counts. */
__attribute__((weak)) const struct pario_backend *const pario_backends[] = {
	&pario_backend_mmap, &pario_backend_null, &pario_backend_posix, &pario_backend_uring, NULL,
};

enum { BLOCKS = 16, PAGE = 4096, HANG_S = 300 };

static int rank, clients;
static int workspace = -1;
static char dir[4096];
static const struct pario_backend *backend;
static void *params;

static void sweep_up(void)
{
	DIR *d = opendir(dir);

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
		unlinkat(workspace, e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

static void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void check(bool good, const char *format, ...)
{
	va_list args;

	if (good)
		return;
	fprintf(stderr, "FAIL client %d of %d, %s: ", rank, clients,
		backend ? backend->name : "agree");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	sweep_up();
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void skip(const char *what, const char *why)
{
	if (rank == 0)
		printf("skip %s, %s: %s\n", backend->name, what, why);
}

/* Sets the backend's options from "name=value" words, the others to their defaults. */
static void set_params(const char *words)
{
	struct pario_table table = { backend->name, backend->options, backend->params_size };
	struct pario_config config;
	struct pario_err err = { 0 };
	char copy[256], *rest = copy;

	free(params);
	params = NULL;
	if (!backend->options)
		return;
	params = calloc(1, backend->params_size);
	check(params && pario_config_init(&config, &table, 1, &err) == 0, "options: %s", err.text);
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word; (word = strsep(&rest, " "));) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		check(pario_config_set(&config, word, value, PARIO_ORIGIN_COMMAND, &err) == 0,
		      "option %s: %s", word, err.text);
	}
	check(pario_config_point(&config, 0, &params, &err) == 0, "options: %s", err.text);
	pario_config_release(&config);
}

static struct pario_open how_to(const char *name, const char *mode, uint64_t size)
{
	static char path[sizeof(dir) + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return (struct pario_open){
		.dirfd = workspace,
		.name = name,
		.path = path,
		.comm = MPI_COMM_WORLD,
		.read = strchr(mode, 'r'),
		.write = strchr(mode, 'w'),
		.create = strchr(mode, 'c'),
		.direct = strchr(mode, 'd'),
		.preallocate = strchr(mode, 'p'),
		.size = size,
		.queue_depth = 1,
		.params = params,
	};
}

static int try_open(struct pario_file *file, const struct pario_open *how, struct pario_err *err)
{
	memset(err, 0, sizeof(*err));
	*file = (struct pario_file){ .backend = backend };
	return backend->extent->open(file, how, err);
}

static struct pario_file open_how(const struct pario_open *how)
{
	struct pario_err err;
	struct pario_file file;

	check(try_open(&file, how, &err) == 0, "open: %s", err.text);
	return file;
}

static struct pario_file open_file(const char *name, const char *mode, uint64_t size)
{
	struct pario_open how = how_to(name, mode, size);

	return open_how(&how);
}

static void close_file(struct pario_file *file)
{
	struct pario_err err = { 0 };

	check(backend->extent->close(file, &err) == 0, "close: %s", err.text);
	check(!file->state, "close left its state behind");
}

static void refused(const char *what, const char *name, const char *mode, int sys)
{
	struct pario_open how = how_to(name, mode, PAGE);
	struct pario_err err;
	struct pario_file file;

	check(try_open(&file, &how, &err) < 0, "%s was opened (%s)", what, mode);
	check(err.code == PARIO_SYSTEM && strstr(err.text, name), "%s: odd error \"%s\"", what,
	      err.text);
	check(!sys || err.sys == sys, "%s: errno %d instead of %d: %s", what, err.sys, sys,
	      err.text);
}

static void remove_file(const char *name)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		unlinkat(workspace, name, 0);
	MPI_Barrier(MPI_COMM_WORLD);
}

static unsigned char byte_at(uint64_t position)
{
	return (unsigned char)((position * 0x9e3779b97f4a7c15u) >> 56);
}

static void fill(void *buffer, uint64_t length, uint64_t offset)
{
	for (uint64_t i = 0; i < length; i++)
		((unsigned char *)buffer)[i] = byte_at(offset + i);
}

static void verify(const void *buffer, uint64_t length, uint64_t offset)
{
	for (uint64_t i = 0; i < length; i++)
		check(((const unsigned char *)buffer)[i] == byte_at(offset + i),
		      "byte %llu of the file is wrong after a read of %llu bytes at %llu",
		      (unsigned long long)(offset + i), (unsigned long long)length,
		      (unsigned long long)offset);
}

static void *aligned(uint64_t size)
{
	void *p = NULL;

	check(posix_memalign(&p, PAGE, size) == 0, "no memory");
	memset(p, 0xee, size);
	return p;
}

static uint64_t block_offset(int client, unsigned block, uint64_t size)
{
	return ((uint64_t)block * (unsigned)clients + (unsigned)client) * size;
}

static void write_interleaved(struct pario_file *file, char *buffer, uint64_t size)
{
	struct pario_err err = { 0 };

	for (unsigned i = 0; i < BLOCKS; i++) {
		uint64_t at = block_offset(rank, i, size);

		fill(buffer, size, at);
		check(backend->extent->write(file, buffer, size, at, &err) == 0, "write: %s",
		      err.text);
	}
	check(backend->extent->sync(file, &err) == 0, "sync: %s", err.text);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void read_neighbour(struct pario_file *file, char *buffer, uint64_t size)
{
	struct pario_err err = { 0 };

	for (unsigned i = 0; i < BLOCKS; i++) {
		uint64_t at = block_offset((rank + 1) % clients, i, size);

		memset(buffer, 0xee, size);
		check(backend->extent->read(file, buffer, size, at, &err) == 0, "read: %s",
		      err.text);
		verify(buffer, size, at);
	}
}

/* Moves `count` blocks of this client through a queue that is kept full. */
static void pump(struct pario_file *file, bool write, unsigned count, uint64_t size, char *buffers)
{
	unsigned depth = file->how.queue_depth, sent = 0, back = 0, idle = depth, least = 0;
	struct pario_request requests[64] = { { 0 } }, *done[64];
	struct pario_err err = { 0 };
	unsigned slots[64];

	for (unsigned i = 0; i < depth; i++)
		slots[i] = i;
	while (back < count) {
		int n;

		while (idle && sent < count) {
			unsigned slot = slots[--idle];
			char *buffer = buffers + slot * size;
			uint64_t at = block_offset(rank, sent++, size);

			memset(buffer, 0xee, size);
			if (write)
				fill(buffer, size, at);
			requests[slot] = (struct pario_request){ .write = write,
								 .buffer = buffer,
								 .length = size,
								 .offset = at,
								 .slot = slot };
			check(backend->extent->submit(file, &requests[slot], &err) == 0,
			      "submit: %s", err.text);
		}
		n = backend->extent->reap(file, least, depth, done, &err);
		check(n >= 0 && (unsigned)n <= depth - idle, "reap gave %d: %s", n, err.text);
		check((unsigned)n >= least || least > depth - idle, "reap gave only %d", n);
		for (int i = 0; i < n; i++) {
			check(done[i]->done == size, "a request came back incomplete");
			if (!write && !(backend->bits & PARIO_BACKEND_NO_DATA))
				verify(done[i]->buffer, size, done[i]->offset);
			slots[idle++] = done[i]->slot;
		}
		back += (unsigned)n;
		/* who finds nothing waits, and does not ask again and again */
		least = n ? back % 3 : 1;
	}
	check(backend->extent->reap(file, 1, depth, done, &err) == 0, "reap from an empty queue");
}

#endif
