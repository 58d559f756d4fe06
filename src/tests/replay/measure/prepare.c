/*
 * prepare: the files that the original found, with their sizes and holes and in the cache where its first reads were
 * served from there. Names come from pario_replay_place, so that nothing outside the tree is reached.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

enum {
	PART = 1 << 20,
	UNPACKED = 16 << 20, /* bytes of calls, about ten each */
};

/* Is it in a directory that the trace itself makes? Then that must not be there before. */
static bool made_later(const struct pario_replay *r, const struct pario_replay_file *f)
{
	uint32_t parent = f->parent;

	while (parent && !r->scan->files[parent].settled)
		parent = r->scan->files[parent].parent;
	return parent && !r->scan->files[parent].exists;
}

static int make_parents(int tree, char *path, struct pario_err *err)
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdirat(tree, path, 0700) < 0 && errno != EEXIST) {
			pario_run_file_error(tree, path, "making the directory", err);
			*slash = '/';
			return -1;
		}
		*slash = '/';
	}
	return 0;
}

/* Blocks that were allocated, from the beginning: where the holes were is not in a trace. */
static int write_file(const struct pario_replay *r, int fd, const struct pario_replay_file *f)
{
	uint64_t bytes = f->allocated && f->allocated < f->size ? f->allocated : f->size;

	for (uint64_t at = 0; at < bytes;) {
		uint64_t part = bytes - at < PART ? bytes - at : PART;
		ssize_t n = pwrite(fd, r->data + at / PART % 64 * 4096, part, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += (uint64_t)n;
	}
	return ftruncate(fd, (off_t)f->size);
}

static int make_file(const struct pario_replay *r, const struct pario_replay_file *f,
		     const char *path, struct pario_err *err)
{
	int fd = openat(r->tree, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return errno == EISDIR || errno == ELOOP
			       ? 0
			       : pario_run_file_error(r->tree, path, "making", err);
	if (write_file(r, fd, f) < 0 || (f->size && fsync(fd) < 0)) {
		pario_run_file_error(r->tree, path, "writing", err);
		close(fd);
		return -1;
	}
	/* whoever may execute it is asked by shells; nobody else's rights are needed */
	if (f->mode & 0111 && fchmod(fd, (f->mode & 0777) | 0600) < 0) {
		pario_run_file_error(r->tree, path, "changing the mode of", err);
		close(fd);
		return -1;
	}
	close(fd);
	return 0;
}

/* What stands behind a link of the original, since its text is not in the trace. */
static void name_target(uint32_t number, char path[PARIO_PLACE_CAPACITY])
{
	snprintf(path, PARIO_PLACE_CAPACITY, "pario-behind-link-%u", number);
}

static int make_link(const struct pario_replay *r, const char *target, const char *path,
		     struct pario_err *err)
{
	char text[2 * PARIO_PATH_CAPACITY];

	snprintf(text, sizeof(text), "%s/%s", r->tree_path, target);
	if (symlinkat(text, r->tree, path) < 0 && errno != EEXIST)
		return pario_run_file_error(r->tree, path, "making the link", err);
	return 0;
}

static int make_one(const struct pario_replay *r, uint32_t number, struct pario_err *err)
{
	const struct pario_replay_file *f = &r->scan->files[number];
	const struct pario_trace_file *known = pario_trace_file_of(r->trace, number);
	char path[PARIO_PLACE_CAPACITY];

	if (!f->used || !known->name || !f->storage || !pario_replay_place(known->name, path))
		return 0;
	if ((f->exists || !made_later(r, f)) && make_parents(r->tree, path, err) < 0)
		return -1;
	if (!f->exists || strcmp(path, ".") == 0)
		return 0;
	if (f->link) {
		char target[PARIO_PLACE_CAPACITY];

		name_target(number, target);
		if (make_link(r, target, path, err) < 0)
			return -1;
		if (!f->followed)
			return 0;
		memcpy(path, target, sizeof(path));
	}
	if (f->kind == PARIO_REPLAY_FILE)
		return make_file(r, f, path, err);
	if (mkdirat(r->tree, path, 0700) < 0 && errno != EEXIST)
		return pario_run_file_error(r->tree, path, "making the directory", err);
	return 0;
}

static void warm_up(const struct pario_replay *r, const char *path, char *memory)
{
	int fd = openat(r->tree, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	while (fd >= 0 && read(fd, memory, PART) > 0)
		;
	if (fd >= 0)
		close(fd);
}

/* All cold, then those warm that were. */
static int set_cache(const struct pario_replay *r, struct pario_err *err)
{
	char path[PARIO_PLACE_CAPACITY], *memory = malloc(PART);

	if (!memory)
		return pario_err_memory(err, "the files of the trace");
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 1; i <= r->scan->file_count; i++) {
			const struct pario_replay_file *f = &r->scan->files[i];

			if (!f->used || !f->exists || f->kind != PARIO_REPLAY_FILE || !f->size ||
			    f->warm != (pass == 1) || (f->link && !f->followed) ||
			    !pario_replay_place(pario_trace_file_of(r->trace, i)->name, path))
				continue;
			if (f->link)
				name_target(i, path);
			if (pass == 1)
				warm_up(r, path, memory);
			else if (pario_run_evict(r->run, r->tree, path, err) < 0) {
				free(memory);
				return -1;
			}
		}
	}
	free(memory);
	return 0;
}

int pario_replay_prepare(struct pario_replay *r, struct pario_err *err)
{
	for (int links = 1; links >= 0; links--) { /* first, for others are below them */
		for (uint32_t i = 1; i <= r->scan->file_count; i++) {
			if (r->scan->files[i].link == (links == 1) && make_one(r, i, err) < 0)
				return -1;
		}
	}
	return set_cache(r, err);
}

void pario_replay_unpack(struct pario_trace *trace, const struct pario_replay_scan *scan,
			 int32_t client)
{
	uint64_t bytes = UNPACKED;
	uint32_t threads = 0;

	for (uint32_t t = 1; t <= scan->thread_count; t++)
		threads += scan->threads[t].client == client;
	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		if (scan->threads[t].client == client)
			bytes -= pario_trace_keep(trace, t, bytes / threads--);
	}
}
