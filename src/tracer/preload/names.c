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
static uint32_t introduce(uint64_t h, const char *text, size_t length, bool unproven)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_FILE, .result = unproven };

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

uint32_t pario_name_number(const struct pario_name *name)
{
	return introduce(name->hash, name->text,
			 name->length < PARIO_NAME_PATH ? name->length : PARIO_NAME_PATH, false);
}

/*
 * What a name led to when it was opened is a file of its own beside that of the name, until whoever packs the trace
 * has looked whether it is a link (trace/unproven.h).
 */
static bool some_unproven;

static uint64_t unproven_hash(const struct pario_name *name)
{
	uint64_t h = (name->hash ^ name->hash >> 31) * 0xd6e8feb86659fd93u;

	return h + (h == 0);
}

uint32_t pario_name_unproven(const struct pario_name *name)
{
	uint32_t named;

	some_unproven = true;
	/* so that what comes there by other ways is not taken for new */
	named = pario_number_of(name->hash,
				(pario_known_directory(name->directory) & PARIO_FRESH) != 0);
	if (named)
		pario_facts_add(named, PARIO_FACT_PRESENT);
	return introduce(unproven_hash(name), name->text, name->length, true);
}

/* Another file may be there from now on: the kernel is asked what it is. */
static void unproven_no_more(uint32_t file, const struct pario_name *name)
{
	if (some_unproven && pario_number_of(unproven_hash(name), false))
		pario_facts_add(file, PARIO_FACT_LINK);
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
	return introduce(hashes(text, length, &directory), text, length, false);
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
		unproven_no_more(file, name);
		break;
	case PARIO_OP_rename: /* what becomes of it is seen with the second name */
	case PARIO_OP_renameat:
	case PARIO_OP_renameat2:
		unproven_no_more(file, name);
		break;
	case PARIO_OP_symlink:
	case PARIO_OP_symlinkat:
	case PARIO_OP_mknod:
	case PARIO_OP_mknodat:
	case PARIO_OP_mkfifo:
	case PARIO_OP_mkfifoat:
		pario_facts_change(file, PARIO_FACT_PRESENT);
		unproven_no_more(file, name);
		break;
	default:
		if (!(pario_facts(file) & PARIO_FACT_PRESENT))
			pario_facts_add(file, PARIO_FACT_PRESENT);
	}
}

/* Here and no further up the names of a call are in memory. */
static uint32_t file_of(const struct pario_call *call, int dir, const char *path, size_t length,
			bool second)
{
	PARIO_SCRATCH(struct pario_name, name, sizeof(*name));
	uint32_t file;

	pario_name_spell(name, dir, path, length);
	file = pario_name_number(name);
	if (call && !(call->flags & PARIO_TRACE_FAILED))
		changed(call->op, file, name);
	else if (second)
		unproven_no_more(file, name);
	return file;
}

uint32_t pario_file_of_path(int dir, const char *path)
{
	long length = pario_trace_mute ? -1 : pario_readable_length(path, PARIO_NAME_PATH - 1);

	return length < 0 ? 0 : file_of(NULL, dir, path, (size_t)length, false);
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
	return file_of(call, dir, path, strnlen(path, PARIO_NAME_PATH - 1), false);
}

/* A file is the same under its new name; anything else may be a directory with others in it. */
static void renamed(const struct pario_call *call, uint32_t to)
{
	unsigned facts = pario_facts(call->file);

	if (!(facts & PARIO_FACT_FILE) ||
	    (call->op == PARIO_OP_renameat2 && call->arg & RENAME_EXCHANGE)) {
		pario_forget_names();
		pario_facts_add(call->file, some_unproven ? PARIO_FACT_LINK : 0);
		pario_facts_add(to, some_unproven ? PARIO_FACT_LINK : 0);
		return;
	}
	pario_facts_change(call->file, PARIO_FACT_REMOVED | (facts & PARIO_FACT_LINK));
	facts &= PARIO_FACT_LEAF | PARIO_FACT_FILE;
	pario_facts_change(to, facts | PARIO_FACT_PRESENT | (pario_facts(to) & PARIO_FACT_LINK));
}

uint32_t pario_second_of_call(const struct pario_call *call, int dir, const char *path)
{
	uint32_t file;

	if (!path || pario_trace_mute)
		return 0;
	if (call->flags & PARIO_TRACE_FAILED)
		return pario_file_of_path(dir, path);
	file = file_of(NULL, dir, path, strnlen(path, PARIO_NAME_PATH - 1), true);
	if (call->op == PARIO_OP_link || call->op == PARIO_OP_linkat)
		pario_facts_change(file, PARIO_FACT_PRESENT);
	else
		renamed(call, file);
	return file;
}
