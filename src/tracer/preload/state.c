/*
 * state: what a file was before the program first opened it: whether it was there, its size, its file system.
 *
 * What an open that may create or empty the file would hide is asked before it, once per path; anything else is asked
 * of the descriptor afterwards, once per file. What the program has asked itself, or must be so, is not asked
 * (known.h).
 */
#include "tracer/preload/known.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "tracer/preload/raw.h"
#include "tracer/preload/readable.h"

enum { DEVICES = 16 };

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

static long ask(const struct pario_opening *o, int how, struct stat *st)
{
	return pario_raw6(SYS_newfstatat, o->dir, (long)o->path, (long)st, how, 0, 0);
}

void pario_state_ask(struct pario_opening *o)
{
	struct pario_state *s = &o->state;
	struct stat st;
	long r = ask(o, AT_SYMLINK_NOFOLLOW, &st);

	*s = (struct pario_state){ .asked = true, .exists = -1 };
	if (r == 0 && S_ISLNK(st.st_mode) && !(o->flags & O_NOFOLLOW)) {
		s->link = true;
		r = ask(o, 0, &st);
	}
	if (r == 0)
		fill(s, &st);
	else if (r == -ENOENT)
		s->exists = 0;
	s->link |= r == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

void pario_state_told(struct pario_opening *o, const void *stat)
{
	const struct stat *st = stat;

	o->state = (struct pario_state){ .asked = true,
					 .link = !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode) };
	fill(&o->state, st);
}

void pario_state_seen(uint32_t file, const void *stat)
{
	const struct stat *st = stat;
	struct pario_state s = { .asked = true };

	if (!file || S_ISLNK(st->st_mode) || pario_facts(file) & PARIO_FACT_STATED)
		return;
	fill(&s, st);
	s.link = !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode);
	pario_know_state(file, &s);
}

/* Can it be known without being asked, by what this process did before? -1 = it is as well known as it need be. */
__attribute__((noinline)) static int recall(struct pario_opening *o)
{
	long length = pario_readable_length(o->path, PARIO_NAME_PATH - 1);
	unsigned facts, directory;
	uint32_t file;
	PARIO_SCRATCH(struct pario_name, name, sizeof(*name));

	if (length < 0)
		return -1; /* the kernel will say so */
	pario_name_spell(name, o->dir, o->path, (size_t)length);
	file = pario_name_find(name);
	facts = pario_facts(file);
	if (facts & PARIO_FACT_LEAF ||
	    (facts & (PARIO_FACT_LINK | PARIO_FACT_REMOVED)) == PARIO_FACT_LINK)
		return -1;
	if (pario_known_state(file, &o->state))
		return 1;
	directory = pario_known_directory(name->directory);
	if (!name->directory || !(directory & PARIO_PLAIN) || facts & PARIO_FACT_PRESENT ||
	    !(directory & PARIO_FRESH || facts & PARIO_FACT_REMOVED))
		return 0;
	o->state = (struct pario_state){ .asked = true };
	return 1;
}

void pario_state_before(struct pario_opening *o)
{
	int flags = o->flags;

	o->state.asked = false;
	if (flags == PARIO_FLAGS_UNKNOWN || !(flags & (O_CREAT | O_TRUNC)) ||
	    (flags & O_CREAT && flags & O_EXCL) || !o->path || pario_trace_mute)
		return;
	if (recall(o) == 0)
		pario_state_ask(o);
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

/* Where a new file was made. */
static uint64_t device_of(const struct pario_opening *o, int fd)
{
	uint64_t device = o->directory ? pario_known_device(o->directory) : 0;
	struct stat st;

	if (device || pario_raw3(SYS_fstat, fd, (long)&st, 0) != 0)
		return device;
	if (o->directory)
		pario_know_device(o->directory, st.st_dev);
	return st.st_dev;
}

/* Is it a regular file for certain? */
static bool is_file(const struct pario_opening *o, bool made)
{
	const struct pario_state *s = &o->state;

	return made || (s->asked && !s->link && (s->exists == 0 || S_ISREG(s->mode)));
}

void pario_state_after(struct pario_opening *o, uint32_t file, int fd)
{
	bool made = o->flags != PARIO_FLAGS_UNKNOWN && o->flags & O_CREAT && o->flags & O_EXCL;
	struct pario_state now = { .exists = -1 };
	unsigned facts = pario_trace_mute ? PARIO_FACT_STATED : pario_facts(file);
	struct stat st;

	if (fd >= 0 && is_file(o, made))
		pario_facts_add(file, PARIO_FACT_FILE);
	/* files beyond the table are not remembered, and not asked for */
	if (facts & PARIO_FACT_STATED || !pario_facts_kept(file))
		return;
	if (fd < 0 || made)
		now.exists = 0;
	else if (o->state.asked || pario_known_state(file, &o->state))
		now = o->state;
	else if (pario_raw3(SYS_fstat, fd, (long)&st, 0) == 0)
		fill(&now, &st);
	if (S_ISREG(now.mode))
		pario_facts_add(file, PARIO_FACT_FILE);
	if (!now.device && fd >= 0)
		now.device = device_of(o, fd);
	put(&now, file, fd);
	pario_facts_add(file, PARIO_FACT_STATED);
}
