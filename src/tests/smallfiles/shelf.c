/*
 * shelf: directories of numbered files: made, entered, checked and removed, each client in its own.
 */
#include "tests/smallfiles/shelf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"
#include "tests/common/small_file.h"
#include "tests/common/tree.h"

enum { NAME_CAPACITY = 32 };

static void name_file(char name[NAME_CAPACITY], uint64_t n)
{
	memcpy(name, "file.", 5);
	pario_names_number(name + 5, n);
}

static struct pario_object object_of(const struct pario_shelf *s, uint64_t n,
				     char name[NAME_CAPACITY])
{
	name_file(name, n);
	return (struct pario_object){ .dirfd = s->dirfd,
				      .name = name,
				      .number = 2 * n,
				      .client = s->owner,
				      .bytes = s->bytes,
				      .buffer = s->buffer };
}

int pario_shelf_init(struct pario_shelf *shelf, struct pario_run *run, const char *name,
		     uint64_t bytes, uint64_t capacity, struct pario_err *err)
{
	char tree[PARIO_NAME_CAPACITY + 1];

	*shelf = (struct pario_shelf){
		.run = run, .bytes = bytes, .capacity = capacity, .top = -1, .dirfd = -1
	};
	pario_run_own_name(run, name, shelf->name);
	snprintf(tree, sizeof(tree), "%s/", shelf->name);
	shelf->open = calloc(capacity, sizeof(*shelf->open));
	shelf->held = calloc(capacity, sizeof(*shelf->held));
	shelf->buffer = malloc(bytes);
	if (!shelf->open || !shelf->held || !shelf->buffer)
		return pario_err_memory(err, "the files");
	return pario_run_name(run, tree, NULL, 0, err);
}

static int access_error(const struct pario_shelf *s, uint64_t n, const char *what, ssize_t moved,
			struct pario_err *err)
{
	char name[NAME_CAPACITY];

	name_file(name, n);
	if (moved >= 0)
		errno = ENODATA;
	return pario_run_file_error(s->dirfd, name, what, err);
}

/* The file in one place, if there is one. */
static int close_file(struct pario_shelf *s, uint64_t place, struct pario_err *err)
{
	uint64_t held = s->held[place];

	s->held[place] = 0;
	return held && close(s->open[place]) < 0 ? access_error(s, held - 1, "closing", -1, err)
						 : 0;
}

int pario_shelf_close(struct pario_shelf *shelf, struct pario_err *err)
{
	struct pario_err later = { 0 };
	int status = 0;

	for (uint64_t i = 0; shelf->held && shelf->open && i < shelf->capacity; i++) {
		if (close_file(shelf, i, status == 0 ? err : &later) < 0)
			status = -1;
	}
	if (shelf->dirfd >= 0)
		close(shelf->dirfd);
	shelf->dirfd = -1;
	return status;
}

void pario_shelf_release(struct pario_shelf *shelf)
{
	struct pario_err unread = { 0 };

	pario_shelf_close(shelf, &unread);
	if (shelf->top >= 0)
		close(shelf->top);
	free(shelf->open);
	free(shelf->held);
	free(shelf->buffer);
	memset(shelf, 0, sizeof(*shelf));
	shelf->top = shelf->dirfd = -1;
}

static int enter(int above, const char *name, bool make, int *fd, struct pario_err *err)
{
	if (make && mkdirat(above, name, 0700) < 0 && errno != EEXIST)
		return pario_run_file_error(above, name, "making the directory", err);
	*fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *fd < 0 ? pario_run_file_error(above, name, "opening the directory", err) : 0;
}

int pario_shelf_enter(struct pario_shelf *shelf, struct pario_err *err)
{
	if (shelf->top >= 0)
		return 0;
	return pario_run_directory(shelf->run, shelf->name, &shelf->top, err);
}

int pario_shelf_turn(struct pario_shelf *shelf, uint64_t owner, bool make, struct pario_err *err)
{
	char name[NAME_CAPACITY];

	if (shelf->dirfd >= 0 && shelf->owner == owner)
		return 0;
	if (pario_shelf_close(shelf, err) < 0)
		return -1;
	shelf->owner = owner;
	snprintf(name, sizeof(name), "%llu", (unsigned long long)owner);
	return enter(shelf->top, name, make, &shelf->dirfd, err);
}

/* When filling, a failure is an error; when measuring, an operation that failed. */
static int tell(struct pario_shelf *s, const struct pario_err *err)
{
	if (s->run->mode == PARIO_MODE_FILL)
		return -1;
	pario_run_failed(s->run, err);
	return 0;
}

int pario_shelf_make(struct pario_shelf *shelf, uint64_t count, bool sync, uint64_t *reached,
		     struct pario_err *err)
{
	struct pario_run *run = shelf->run;
	char name[NAME_CAPACITY];
	uint64_t i;

	for (i = 0; pario_run_more(run, i, count); i++) {
		struct pario_object o = object_of(shelf, i, name);

		pario_object_fill(run, &o);
		pario_run_pause(run);
		if (pario_object_make(&o, sync, err) == 0)
			pario_run_count(run, o.bytes);
		else if (tell(shelf, err) < 0)
			return -1;
	}
	*reached = i;
	return 0;
}

int pario_shelf_destroy(struct pario_shelf *shelf, uint64_t count, struct pario_err *err)
{
	struct pario_run *run = shelf->run;
	char name[NAME_CAPACITY];

	for (uint64_t i = 0; pario_run_more(run, i, count); i++) {
		name_file(name, i);
		if (unlinkat(shelf->dirfd, name, 0) == 0)
			pario_run_count(run, 0);
		else if (pario_run_file_error(shelf->dirfd, name, "removing", err) < 0 &&
			 tell(shelf, err) < 0)
			return -1;
	}
	return 0;
}

int pario_shelf_check(struct pario_shelf *shelf, uint64_t count, struct pario_err *err)
{
	char name[NAME_CAPACITY];

	for (uint64_t i = 0; pario_run_more(shelf->run, i, count); i++) {
		struct pario_object o = object_of(shelf, i, name);

		if (pario_object_verify(shelf->run, &o, err) < 0)
			return -1;
	}
	return 0;
}

int pario_shelf_evict(struct pario_shelf *shelf, uint64_t count, struct pario_err *err)
{
	char name[NAME_CAPACITY];

	for (uint64_t i = 0; i < count; i++) {
		name_file(name, i);
		if (pario_run_evict(shelf->run, shelf->dirfd, name, err) < 0)
			return -1;
	}
	return 0;
}

int pario_shelf_remove(struct pario_shelf *shelf, struct pario_err *err)
{
	char name[NAME_CAPACITY];

	if (pario_shelf_close(shelf, err) < 0)
		return -1;
	snprintf(name, sizeof(name), "%llu", (unsigned long long)shelf->owner);
	if (unlinkat(shelf->top, name, AT_REMOVEDIR) == 0)
		return 0;
	return pario_run_file_error(shelf->top, name, "removing the directory", err);
}

static int file_of(struct pario_shelf *s, uint64_t n, struct pario_err *err)
{
	uint64_t place = n % s->capacity;
	char name[NAME_CAPACITY];

	if (s->held[place] == n + 1)
		return s->open[place];
	if (close_file(s, place, err) < 0)
		return -1;
	name_file(name, n);
	s->open[place] = openat(s->dirfd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (s->open[place] < 0)
		return pario_run_file_error(s->dirfd, name, "opening", err);
	s->held[place] = n + 1;
	return s->open[place];
}

int pario_shelf_sync(struct pario_shelf *shelf, uint64_t n, struct pario_err *err)
{
	int fd = file_of(shelf, n, err);

	if (fd < 0)
		return -1;
	return fsync(fd) < 0 ? access_error(shelf, n, "the fsync of", -1, err) : 0;
}

void pario_places_init(struct pario_places *places, struct pario_shelf *shelf, uint64_t files,
		       uint64_t length, uint64_t again)
{
	uint64_t seed = pario_random_join(shelf->run->seed, shelf->owner);

	*places = (struct pario_places){
		.shelf = shelf, .per_file = shelf->bytes / length, .length = length, .again = again
	};
	places->count = files * places->per_file;
	pario_permutation_init(&places->writing, places->count, seed);
	pario_permutation_init(&places->reading, places->count, ~seed);
}

/* Which file, where in it, and the number of the data that stand there. */
static void place(const struct pario_places *p, uint64_t i, bool again, uint64_t *file,
		  uint64_t *offset, uint64_t *number)
{
	uint64_t at = pario_permutation_at(&p->writing, i);

	*file = at / p->per_file;
	*offset = at % p->per_file * p->length;
	*number = 2 * *file + again;
}

int pario_places_write(struct pario_places *places, uint64_t i, bool sync, struct pario_err *err)
{
	struct pario_shelf *s = places->shelf;
	uint64_t file, offset, number;
	ssize_t moved;
	int fd;

	place(places, i, true, &file, &offset, &number);
	pario_run_fill(s->run, number, s->owner, s->buffer, offset, places->length);
	pario_run_pause(s->run);
	fd = file_of(s, file, err);
	if (fd < 0)
		return -1;
	moved = pwrite(fd, s->buffer, places->length, (off_t)offset);
	if (moved != (ssize_t)places->length)
		return access_error(s, file, "writing", moved, err);
	if (sync && fsync(fd) < 0)
		return access_error(s, file, "the fsync of", -1, err);
	pario_run_count(s->run, places->length);
	return 0;
}

int pario_places_read(struct pario_places *places, uint64_t i, struct pario_err *err)
{
	struct pario_shelf *s = places->shelf;
	uint64_t file, offset, number;
	char name[NAME_CAPACITY];
	ssize_t moved;
	int fd, status;

	place(places, i, i < places->again, &file, &offset, &number);
	fd = file_of(s, file, err);
	if (fd < 0)
		return -1;
	moved = pread(fd, s->buffer, places->length, (off_t)offset);
	if (moved != (ssize_t)places->length)
		return access_error(s, file, "reading", moved, err);
	pario_run_count(s->run, places->length);
	name_file(name, file);
	status = pario_run_check(s->run, number, s->owner, s->buffer, offset, places->length, name,
				 err);
	pario_run_pause(s->run);
	return status;
}
