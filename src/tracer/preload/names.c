/*
 * names: which file is it? Descriptors and paths become numbers; each name is written down once per process.
 *
 * What a descriptor stands for is asked of /proc/self/fd once, when it is opened or first used: that gives the whole
 * path however it was opened, and works for descriptors that came by inheritance or over a socket. After fork the
 * tables are empty and fill again.
 */
#include "tracer/preload/trace.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tracer/preload/raw.h"
#include "tracer/preload/readable.h"

enum { NAMES = 65536, PATH_CAPACITY = 4096 };

/*
 * Hashes of the names that have a number; the place in the table is the number. Lies behind the descriptors, wiped too.
 */
static uint64_t *known;

static uint64_t hash(const char *text, size_t length)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, then mixed: the low bits choose the place */

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	h ^= h >> 29;
	return h ? h : 1;
}

/*
 * The number of a name and whether it is new. A full table gives new numbers to every use: nothing is lost, only long.
 */
static uint32_t number_of(uint64_t h, bool *is_new)
{
	static uint32_t more = NAMES;

	if (!known)
		known = pario_trace_wiped(NAMES * sizeof(*known));
	for (uint32_t i = 0; known && i < 64; i++) {
		uint32_t at = (uint32_t)(h + i) % NAMES;
		uint64_t none = 0;

		if (__atomic_load_n(&known[at], __ATOMIC_RELAXED) == h) {
			*is_new = false;
			return at + 1;
		}
		if (__atomic_compare_exchange_n(&known[at], &none, h, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			*is_new = true;
			return at + 1;
		}
		if (none == h) {
			*is_new = false;
			return at + 1;
		}
	}
	*is_new = true;
	return __atomic_add_fetch(&more, 1, __ATOMIC_RELAXED) + 1;
}

uint32_t pario_trace_file(const char *name, size_t length)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_FILE };
	bool is_new;

	if (length > PATH_CAPACITY)
		length = PATH_CAPACITY;
	note.file = number_of(hash(name, length), &is_new);
	if (is_new) {
		note.t0 = pario_ticks();
		pario_trace_note(&note, name, length);
		if (pario_trace_self)
			pario_trace_self->named = true; /* rare enough, and plugins bring files */
	}
	return note.file;
}

uint32_t pario_trace_text(const char *text)
{
	long length = pario_trace_mute || !text ? -1 : pario_readable_length(text, PATH_CAPACITY);

	return length < 0 ? 0 : pario_trace_file(text, (size_t)length);
}

#define FDS "/proc/self/fd/"

/* "/proc/self/fd/N" */
static void fd_path(char *path, int fd)
{
	memcpy(path, FDS, sizeof(FDS));
	pario_number_text(path + sizeof(FDS) - 1, (uint64_t)fd);
}

/* "/proc/self/fd/N/name" is a name below that descriptor: how much of it stands before the name, 0 = it is not. */
static size_t through_fd(const char *path, int *fd)
{
	size_t i = sizeof(FDS) - 1;
	int number = 0;

	if (strncmp(path, FDS, i) != 0)
		return 0;
	for (; path[i] >= '0' && path[i] <= '9' && number < 1 << 24; i++)
		number = 10 * number + path[i] - '0';
	if (i == sizeof(FDS) - 1 || path[i] != '/')
		return 0;
	*fd = number;
	return i + 1;
}

static size_t name_of_fd(int fd, char *name)
{
	char path[32];
	long n;

	if (fd < 0 || pario_trace_mute)
		return 0;
	fd_path(path, fd);
	n = pario_raw3(SYS_readlink, (long)path, (long)name, PATH_CAPACITY);
	return n > 0 ? (size_t)n : 0;
}

/* Removes "/." and doubled slashes. */
static size_t tidy(char *path, size_t length)
{
	size_t to = 0;

	for (size_t i = 0; i < length; i++) {
		if (path[i] == '/' && i + 1 < length && path[i + 1] == '/')
			continue;
		if (path[i] == '/' && i + 1 < length && path[i + 1] == '.' &&
		    (i + 2 == length || path[i + 2] == '/')) {
			i++;
			continue;
		}
		path[to++] = path[i];
	}
	return to;
}

uint32_t pario_file_of_path(int dir, const char *path)
{
	char name[2 * PATH_CAPACITY];
	long length = pario_trace_mute ? -1 : pario_readable_length(path, PATH_CAPACITY - 1), n;
	size_t base = 0, skip = length < 0 ? 0 : through_fd(path, &dir);

	if (length < 0)
		return 0;
	path += skip;
	length -= (long)skip;
	if (skip || path[0] != '/') {
		if (dir == AT_FDCWD) {
			n = pario_raw3(SYS_getcwd, (long)name, PATH_CAPACITY, 0);
			base = n > 1 ? (size_t)n - 1 : 0; /* the kernel counts the zero */
		} else {
			base = name_of_fd(dir, name);
		}
		if (length)
			name[base++] = '/';
	}
	memcpy(name + base, path, (size_t)length);
	return pario_trace_file(name, tidy(name, base + (size_t)length));
}

uint64_t pario_fd_where(int fd)
{
	long at = pario_trace_mute ? -1 : pario_raw3(SYS_lseek, fd, 0, SEEK_CUR);

	return at < 0 ? PARIO_TRACE_NOWHERE : (uint64_t)at;
}

/* Fills an entry; a descriptor we did not see opened may be shared with anybody. */
static void learn(struct pario_fd *f, int fd, uint32_t file, bool ours)
{
	long flags = pario_raw3(SYS_fcntl, fd, F_GETFL, 0);

	f->at = pario_fd_where(fd);
	f->direct = flags > 0 && (flags & O_DIRECT) != 0;
	if (f->at == PARIO_TRACE_NOWHERE)
		f->place = PARIO_PLACE_NONE;
	else
		f->place = ours && flags >= 0 && !(flags & O_APPEND) ? PARIO_PLACE_TRACKED
								     : PARIO_PLACE_ASK;
	__atomic_store_n(&f->file, file, __ATOMIC_RELEASE);
}

struct pario_fd *pario_fd_look(int fd)
{
	static __thread struct pario_fd beyond __attribute__((tls_model("initial-exec")));
	struct pario_fd *f = pario_fd_entry(fd) ? pario_fd_entry(fd) : &beyond;
	char name[PATH_CAPACITY];
	size_t length = name_of_fd(fd, name);

	if (!length)
		return NULL;
	learn(f, fd, pario_trace_file(name, length), false);
	pario_state_after(NULL, f->file, fd, 0);
	return f;
}

void pario_fd_opened(struct pario_call *call, int fd, int dir, const char *path)
{
	char name[PATH_CAPACITY];
	size_t length = name_of_fd(fd, name);
	struct pario_fd *f = pario_fd_entry(fd);

	if (length)
		call->file = pario_trace_file(name, length);
	else if (path)
		call->file = pario_file_of_path(dir, path);
	if (path)
		call->fd = pario_looked_up_in(dir, path);
	if (f && call->file) {
		learn(f, fd, call->file, true);
		call->flags |= f->direct ? PARIO_TRACE_DIRECT : 0;
	}
}

static void share(int fd)
{
	struct pario_fd *f = pario_fd_entry(fd);

	if (f && f->file && f->place == PARIO_PLACE_TRACKED)
		f->place = PARIO_PLACE_ASK;
}

void pario_fd_shared(int fd, int twin)
{
	const struct pario_fd *f = pario_fd_entry(fd);
	struct pario_fd *to = pario_fd_entry(twin);

	share(fd);
	if (f && to)
		*to = *f;
	else if (to)
		to->file = 0;
}

void pario_fds_shared(void)
{
	/* Descriptors are given out from below: after many free ones in a row there are no more. */
	for (int fd = 0, empty = 0; pario_fd_entry(fd) && empty < 1024; fd++) {
		empty = pario_fd_entry(fd)->file ? 0 : empty + 1;
		share(fd);
	}
}

void pario_fds_forget(unsigned first, unsigned last)
{
	for (unsigned fd = first, empty = 0; pario_fd_entry((int)fd) && fd <= last && empty < 4096;
	     fd++) {
		empty = pario_fd_entry((int)fd)->file ? 0 : empty + 1;
		pario_fd_forget((int)fd);
	}
}

void pario_fd_stream(int fd, bool append)
{
	struct pario_fd *f = pario_fd_entry(fd) ? pario_fd(fd) : NULL;

	if (f && (f->place == PARIO_PLACE_TRACKED || (append && f->place == PARIO_PLACE_ASK)))
		f->place = PARIO_PLACE_STREAM;
}
