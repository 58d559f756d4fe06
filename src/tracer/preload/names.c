/*
 * names: which file is it? Descriptors and paths become numbers; each name is written down once per process.
 *
 * The kernel's name of a descriptor is the whole path however it was opened. It is asked for where it may differ from
 * the name that the program used; where the directory is known by that text and the file is no link (known.h), both
 * are the same, and nobody is asked. Descriptors that came by inheritance or over a socket are always looked up. After
 * fork the tables are empty and fill again.
 */
#include "tracer/preload/known.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/preload/raw.h"
#include "tracer/preload/readable.h"

/* ---- numbers ---- */

static uint64_t hash(const char *text, size_t length, uint64_t h)
{
	uint64_t word;

	for (; length >= sizeof(word); text += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	word = (uint64_t)length << 56;
	memcpy(&word, text, length);
	h = (h ^ word) * 0xc2b2ae3d27d4eb4fu;
	return h ^ h >> 32;
}

uint64_t pario_directory_hash(const char *text, size_t length)
{
	return hash(text, length, 1);
}

/* Of a name and of the directory it is in, 0 where that stands for something else than its text says. */
static uint64_t hashes(const char *text, size_t length, uint64_t *directory)
{
	const char *slash = memrchr(text, '/', length);
	size_t before = slash ? (size_t)(slash - text) : 0, leaf = length - before;
	uint64_t h;

	*directory = pario_directory_hash(text, before);
	h = hash(text + before, leaf, *directory);
	if (!slash || (leaf == 3 && memcmp(slash, "/..", 3) == 0))
		*directory = 0;
	return h + (h == 0);
}

/* Writes the name down if that has not been done. */
static uint32_t introduce(uint64_t h, const char *text, size_t length)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_FILE };

	note.file = pario_number_of(h, true);
	if (pario_facts(note.file) & PARIO_FACT_NAMED)
		return note.file;
	note.t0 = pario_ticks();
	pario_trace_note(&note, text, length);
	pario_facts_add(note.file, PARIO_FACT_NAMED); /* jumped out of, it is written down again */
	if (pario_trace_self)
		pario_trace_self->named = true; /* rare enough, and plugins bring files */
	return note.file;
}

static uint32_t name_number(const struct pario_name *name)
{
	return introduce(name->hash, name->text,
			 name->length < PARIO_NAME_PATH ? name->length : PARIO_NAME_PATH);
}

uint32_t pario_name_find(const struct pario_name *name)
{
	return pario_number_of(name->hash, false);
}

uint32_t pario_trace_file(const char *text, size_t length)
{
	uint64_t directory;

	if (length > PARIO_NAME_PATH)
		length = PARIO_NAME_PATH;
	return introduce(hashes(text, length, &directory), text, length);
}

uint32_t pario_trace_text(const char *text)
{
	long length = pario_trace_mute || !text ? -1 : pario_readable_length(text, PARIO_NAME_PATH);

	return length < 0 ? 0 : pario_trace_file(text, (size_t)length);
}

uint32_t pario_trace_taken_text(const struct pario_call *call, const char *text)
{
	if (call->flags & PARIO_TRACE_FAILED || !text)
		return pario_trace_text(text);
	return pario_trace_file(text, strnlen(text, PARIO_NAME_PATH));
}

/* ---- spelling ---- */

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

size_t pario_fd_name(int fd, char *name)
{
	char path[32];
	long n;

	if (fd < 0 || pario_trace_mute)
		return 0;
	fd_path(path, fd);
	n = pario_raw3(SYS_readlink, (long)path, (long)name, PARIO_NAME_PATH);
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

static bool is_tidy(const char *path, size_t length)
{
	const char *end = path + length, *at = memchr(path, '/', length);

	for (; at && at + 1 < end; at = memchr(at + 1, '/', (size_t)(end - at) - 1)) {
		if (at[1] == '/' || (at[1] == '.' && (at + 2 == end || at[2] == '/')))
			return false;
	}
	return true;
}

void pario_name_spell(struct pario_name *name, int dir, const char *path, size_t length)
{
	size_t skip = through_fd(path, &dir), base = 0, from;

	path += skip;
	length -= skip;
	if (skip || path[0] != '/')
		base = pario_directory_text(dir, name->text);
	from = base;
	if (length && path[0] != '/')
		name->text[base++] = '/';
	memcpy(name->text + base, path, length);
	length += base - from;
	if (!is_tidy(name->text + from, length))
		length = tidy(name->text + from, length);
	name->length = from + length;
	if (!name->length)
		name->text[name->length++] = '/';
	name->hash = hashes(name->text, name->length, &name->directory);
}

/* The name as that of a directory, before which names in it have a slash. */
static uint64_t as_directory(const struct pario_name *name)
{
	size_t length = name->length;

	while (length && name->text[length - 1] == '/')
		length--;
	return pario_directory_hash(name->text, length);
}

/* Of the directory above it. */
static unsigned known_above(const struct pario_name *name)
{
	return name->text[name->length - 1] == '/' ? 0 : pario_known_directory(name->directory);
}

/* What a call that succeeded has done to its first name. */
static void changed(uint16_t op, uint32_t file, const struct pario_name *name)
{
	switch (op) {
	case PARIO_OP_mkdir:
	case PARIO_OP_mkdirat:
		pario_facts_change(file, PARIO_FACT_PRESENT | PARIO_FACT_LEAF);
		pario_know_directory(as_directory(name),
				     PARIO_FRESH | (known_above(name) & PARIO_PLAIN));
		break;
	case PARIO_OP_unlink:
	case PARIO_OP_unlinkat:
	case PARIO_OP_remove:
	case PARIO_OP_rmdir:
		pario_forget_directory(as_directory(name));
		pario_facts_change(file, PARIO_FACT_REMOVED);
		break;
	case PARIO_OP_rename: /* what becomes of it is seen with the second name */
	case PARIO_OP_renameat:
	case PARIO_OP_renameat2:
		break;
	case PARIO_OP_symlink:
	case PARIO_OP_symlinkat:
	case PARIO_OP_mknod:
	case PARIO_OP_mknodat:
	case PARIO_OP_mkfifo:
	case PARIO_OP_mkfifoat:
		pario_facts_change(file, PARIO_FACT_PRESENT);
		break;
	default:
		if (!(pario_facts(file) & PARIO_FACT_PRESENT))
			pario_facts_add(file, PARIO_FACT_PRESENT);
	}
}

/* Here and no further up the names of a call are in memory. */
static uint32_t file_of(const struct pario_call *call, int dir, const char *path, size_t length)
{
	PARIO_SCRATCH(struct pario_name, name, sizeof(*name));
	uint32_t file;

	pario_name_spell(name, dir, path, length);
	file = name_number(name);
	if (call && !(call->flags & PARIO_TRACE_FAILED))
		changed(call->op, file, name);
	return file;
}

uint32_t pario_file_of_path(int dir, const char *path)
{
	long length = pario_trace_mute ? -1 : pario_readable_length(path, PARIO_NAME_PATH - 1);

	return length < 0 ? 0 : file_of(NULL, dir, path, (size_t)length);
}

/* These errors come after the kernel has read the first name of a call, or its only one. */
static bool has_read(const struct pario_call *call)
{
	switch (call->flags & PARIO_TRACE_FAILED ? call->result : 0) {
	case 0:
	case ENOENT:
	case ENOTDIR:
	case EACCES:
	case EEXIST:
	case EISDIR:
	case ELOOP:
	case ENOTEMPTY:
	case ENODATA:
		return true;
	default:
		return false;
	}
}

uint32_t pario_file_of_call(const struct pario_call *call, int dir, const char *path)
{
	if (!path || pario_trace_mute)
		return 0;
	if (!has_read(call))
		return pario_file_of_path(dir, path);
	return file_of(call, dir, path, strnlen(path, PARIO_NAME_PATH - 1));
}

/* A file is the same under its new name; anything else may be a directory with others in it. */
static void renamed(const struct pario_call *call, uint32_t to)
{
	unsigned facts = pario_facts(call->file);

	if (!(facts & PARIO_FACT_FILE) ||
	    (call->op == PARIO_OP_renameat2 && call->arg & RENAME_EXCHANGE)) {
		pario_forget_names();
		return;
	}
	pario_facts_change(call->file, PARIO_FACT_REMOVED);
	pario_facts_change(to, (facts & (PARIO_FACT_LEAF | PARIO_FACT_FILE)) | PARIO_FACT_PRESENT);
}

uint32_t pario_second_of_call(const struct pario_call *call, int dir, const char *path)
{
	uint32_t file;

	if (!path || pario_trace_mute)
		return 0;
	if (call->flags & PARIO_TRACE_FAILED)
		return pario_file_of_path(dir, path);
	file = file_of(NULL, dir, path, strnlen(path, PARIO_NAME_PATH - 1));
	if (call->op == PARIO_OP_link || call->op == PARIO_OP_linkat)
		pario_facts_change(file, PARIO_FACT_PRESENT);
	else
		renamed(call, file);
	return file;
}

uint64_t pario_fd_where(int fd)
{
	long at = pario_trace_mute ? -1 : pario_raw3(SYS_lseek, fd, 0, SEEK_CUR);

	return at < 0 ? PARIO_TRACE_NOWHERE : (uint64_t)at;
}

/* ---- descriptors ---- */

/* Where the place is after an open, which is asked for once of what is no file. */
static uint64_t first_place(int fd, uint32_t file, int flags)
{
	const unsigned begins = PARIO_FACT_FILE | PARIO_FACT_BEGINS;
	uint64_t at;

	if (flags >= 0 && (flags & O_DIRECTORY || pario_facts(file) & begins))
		return 0;
	at = pario_fd_where(fd);
	if (at == 0 && flags >= 0)
		pario_facts_add(file, PARIO_FACT_BEGINS);
	return at;
}

/* Fills an entry; a descriptor we did not see opened may be shared with anybody. */
static void learn(struct pario_fd *f, int fd, uint32_t file, bool ours, int flags)
{
	if (flags == PARIO_FLAGS_UNKNOWN)
		flags = (int)pario_raw3(SYS_fcntl, fd, F_GETFL, 0);
	if (flags >= 0 && flags & O_PATH)
		f->at = PARIO_TRACE_NOWHERE;
	else
		f->at = ours ? first_place(fd, file, flags) : pario_fd_where(fd);
	f->direct = flags > 0 && (flags & O_DIRECT) != 0;
	if (f->at == PARIO_TRACE_NOWHERE)
		f->place = PARIO_PLACE_NONE;
	else
		f->place = ours && flags >= 0 && !(flags & O_APPEND) ? PARIO_PLACE_TRACKED
								     : PARIO_PLACE_ASK;
	__atomic_store_n(&f->file, file, __ATOMIC_RELEASE);
}

/* By the kernel's name alone. */
static uint32_t file_of_fd(int fd)
{
	size_t length;
	PARIO_SCRATCH(char, text, PARIO_NAME_PATH);

	length = pario_fd_name(fd, text);
	return length ? pario_trace_file(text, length) : 0;
}

struct pario_fd *pario_fd_look(int fd)
{
	static __thread struct pario_fd beyond __attribute__((tls_model("initial-exec")));
	struct pario_fd *f = pario_fd_entry(fd) ? pario_fd_entry(fd) : &beyond;
	struct pario_opening o = { .flags = 0 };
	uint32_t file = file_of_fd(fd);

	if (!file)
		return NULL;
	learn(f, fd, file, false, PARIO_FLAGS_UNKNOWN);
	pario_state_after(&o, f->file, fd);
	return f;
}

void pario_fd_set_flags(int fd, int flags)
{
	struct pario_fd *f = pario_fd_entry(fd);

	if (!f || !f->file)
		return;
	f->direct = (flags & O_DIRECT) != 0;
	if (flags & O_APPEND && f->place == PARIO_PLACE_TRACKED)
		f->place = PARIO_PLACE_ASK;
}

/* Is the name, whose directory is plain, that of the file itself? Asks for that and its state at once if it must. */
static bool is_no_link(struct pario_opening *o, uint32_t file)
{
	const int made = O_CREAT | O_EXCL;
	unsigned facts = pario_facts(file);

	if (facts & PARIO_FACT_LEAF || (o->flags & made) == made || o->flags & O_NOFOLLOW)
		return true;
	if (!o->state.asked && !pario_known_state(file, &o->state) &&
	    !(facts & (PARIO_FACT_STATED | PARIO_FACT_LINK)) && !(o->flags & O_CREAT))
		pario_state_ask(o);
	if (o->state.asked)
		return !o->state.link;
	return o->flags & O_CREAT && facts & PARIO_FACT_REMOVED;
}

/* The file by the kernel's name of the descriptor, which may be the name that the program used. */
static uint32_t look_up(struct pario_opening *o, int fd, struct pario_name *name)
{
	char *text = name->length <= PARIO_NAME_PATH ? name->text + PARIO_NAME_PATH : name->text;
	size_t length = pario_fd_name(fd, text);

	if (text == name->text || length != name->length || memcmp(text, name->text, length) != 0) {
		pario_facts_add(pario_number_of(name->hash, true), PARIO_FACT_LINK);
		o->directory = 0;
		return length ? pario_trace_file(text, length) : 0;
	}
	if (name->directory)
		pario_know_directory(name->directory, PARIO_PLAIN);
	return name_number(name);
}

/* The file that was opened by this name. */
static uint32_t identify(struct pario_opening *o, int fd)
{
	uint32_t file;
	PARIO_SCRATCH(struct pario_name, name, sizeof(*name));

	pario_name_spell(name, o->dir, o->path, strnlen(o->path, PARIO_NAME_PATH - 1));
	o->directory = name->directory;
	if (name->directory && pario_known_directory(name->directory) & PARIO_PLAIN &&
	    is_no_link(o, pario_name_find(name)))
		file = name_number(name);
	else
		file = look_up(o, fd, name);
	if (!o->directory)
		return file;
	pario_facts_add(file, PARIO_FACT_LEAF | PARIO_FACT_PRESENT);
	if (o->flags & O_DIRECTORY)
		pario_know_text(file, name->text, name->length - (name->length == 1));
	return file;
}

void pario_fd_opened(struct pario_call *call, int fd, struct pario_opening *o)
{
	bool by_name = o->path && o->flags != PARIO_FLAGS_UNKNOWN && !pario_trace_mute;
	struct pario_fd *f = pario_fd_entry(fd);

	call->file = by_name ? identify(o, fd) : file_of_fd(fd);
	if (!by_name && !call->file)
		call->file = pario_file_of_call(call, o->dir, o->path);
	if (o->path)
		call->fd = pario_looked_up_in(o->dir, o->path);
	if (o->stated)
		pario_state_after(o, call->file, fd);
	if (f && call->file) {
		learn(f, fd, call->file, true, o->flags);
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
