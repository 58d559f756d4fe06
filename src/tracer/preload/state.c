/*
 * state: what a file was before the program first opened it: whether it was there, its size, its file system.
 *
 * What an open that may create or empty the file would hide is asked before it, once per path; anything else is asked
 * of the descriptor afterwards, once per file.
 */
#include "tracer/preload/trace.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "tracer/preload/raw.h"
#include "tracer/preload/readable.h"

enum { PATHS = 16384, FILES = 65536 + 1, DEVICES = 16, PATH_CAPACITY = 4096 };

/* Wiped in children: what is known of this process. */
static struct {
	uint64_t paths[PATHS];		/* hashes of those that were looked at */
	uint32_t files[FILES / 32 + 1]; /* a bit each: its state is written down */
} * seen;

static bool ready(void)
{
	if (!seen && !pario_trace_mute)
		seen = pario_trace_wiped(sizeof(*seen));
	return seen && !pario_trace_mute;
}

static bool is_new_path(int dir, const char *path)
{
	long length = pario_readable_length(path, PATH_CAPACITY);
	uint64_t h = 0xcbf29ce484222325u ^ (uint64_t)(uint32_t)dir;

	if (length <= 0)
		return false;
	for (long i = 0; i < length; i++)
		h = (h ^ (unsigned char)path[i]) * 0x100000001b3u;
	h ^= h >> 31;
	return __atomic_exchange_n(&seen->paths[h % PATHS], h, __ATOMIC_RELAXED) != h;
}

/* Files beyond the table are not remembered, and not asked for. */
static bool is_new_file(uint32_t file)
{
	uint32_t bit = 1u << file % 32;

	return file && file < FILES &&
	       !(__atomic_fetch_or(&seen->files[file / 32], bit, __ATOMIC_RELAXED) & bit);
}

/* The type of the file system of a device, asked once for each. */
static uint32_t type_of(uint64_t device, int fd)
{
	static struct {
		uint64_t device;
		uint32_t type;
	} known[DEVICES];
	size_t at = device % DEVICES;
	struct statfs fs;

	if (known[at].device == device && known[at].type)
		return known[at].type;
	if (fd < 0 || pario_raw3(SYS_fstatfs, fd, (long)&fs, 0) < 0)
		return 0;
	known[at].type = 0;
	known[at].device = device;
	known[at].type = (uint32_t)fs.f_type;
	return (uint32_t)fs.f_type;
}

static void fill(struct pario_state *s, const struct stat *st)
{
	s->exists = 1;
	s->size = (uint64_t)st->st_size;
	s->allocated = (uint64_t)st->st_blocks * 512;
	s->device = st->st_dev;
	s->inode = st->st_ino;
	s->mode = st->st_mode;
}

void pario_state_before(struct pario_state *s, int dir, const char *path, int flags)
{
	int how = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
	struct stat st;
	long r;

	s->asked = false;
	if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_CREAT && flags & O_EXCL) || !path ||
	    !ready() || !is_new_path(dir, path))
		return;
	memset(s, 0, sizeof(*s));
	s->exists = -1;
	r = pario_raw6(SYS_newfstatat, dir, (long)path, (long)&st, how, 0, 0);
	if (r == 0)
		fill(s, &st);
	else if (r == -ENOENT)
		s->exists = 0;
	s->asked = true;
}

static void put(const struct pario_state *s, uint32_t file, int fd)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_STATE,
					   .t0 = pario_ticks(),
					   .file = file,
					   .result = s->exists,
					   .size = s->size,
					   .more = s->allocated,
					   .offset = s->device,
					   .site = s->inode,
					   .fd = (int32_t)s->mode };

	note.arg = type_of(s->device, fd);
	pario_trace_note(&note, NULL, 0);
}

void pario_state_after(const struct pario_state *s, uint32_t file, int fd, int flags)
{
	struct pario_state now = { .exists = -1 };
	struct stat st;

	if (!ready() || !is_new_file(file))
		return;
	if (s && s->asked)
		now = *s;
	else if (fd >= 0 && pario_raw3(SYS_fstat, fd, (long)&st, 0) == 0)
		fill(&now, &st);
	if (fd < 0) {
		now.exists = 0; /* the caller knows that there was none */
	} else if (flags & O_CREAT && flags & O_EXCL) {
		now.exists = 0;
		now.size = now.allocated = now.inode = 0;
	}
	if (!now.device && fd >= 0 && pario_raw3(SYS_fstat, fd, (long)&st, 0) == 0)
		now.device = st.st_dev; /* where it was made */
	put(&now, file, fd);
}
