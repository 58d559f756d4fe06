/*
 * libraries: the paths written into each file, LD_LIBRARY_PATH, the loader's cache, the usual directories.
 */
#include "tracer/libraries.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tracer/elf_reader.h"

enum {
	LIBRARIES = 512,
	TEXTS = 256 * 1024,
	CAPACITY = PARIO_LIBRARY_PATH,
};

/* A library that is needed. Places among the texts. */
struct library {
	uint32_t name, path; /* 0: not found */
};

/* What one file says about where its libraries are. */
struct paths {
	char rpath[CAPACITY], runpath[CAPACITY], origin[CAPACITY];
};

/* Too much for the stack of a thread: mapped, and of it only what is needed is touched. */
struct search {
	struct pario_libraries *asked;
	struct library libraries[LIBRARIES];
	size_t count, used;
	struct paths program, file; /* the first's rpath is also for what its libraries need */
	char name[PARIO_LIBRARY_NAME], directory[CAPACITY], path[CAPACITY];
	struct pario_elf_window window;
	bool cache_known;
	const char *map, *cache;
	size_t map_bytes, cache_bytes;
	char texts[TEXTS];
};

static bool is_error(long result)
{
	return result < 0 && result > -4096;
}

static long open_file(int dir, const char *path)
{
	return pario_raw6(SYS_openat, dir, (long)path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
}

static void close_file(long fd)
{
	pario_raw3(SYS_close, fd, 0, 0);
}

/* Two texts behind each other, the first with its length. */
static bool join(char to[CAPACITY], const char *one, size_t length, const char *two)
{
	size_t more = strlen(two);

	if (length >= CAPACITY || more >= CAPACITY - length)
		return false;
	memmove(to, one, length);
	memcpy(to + length, two, more + 1);
	return true;
}

/* 0 when there is no more capacity. */
static uint32_t keep(struct search *s, const char *text)
{
	size_t length = strlen(text) + 1;
	uint32_t at = (uint32_t)s->used;

	if (length > TEXTS - s->used)
		return 0;
	memcpy(s->texts + at, text, length);
	s->used += length;
	return at;
}

/* ---- the loader's cache ---- */

#define CACHE_MAGIC "glibc-ld.so.cache1.1"

struct cache_head {
	char magic[20];
	uint32_t count, text_bytes, flags, extension, unused[3];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path; /* places, counted from the head */
	uint32_t version;
	uint64_t hardware;
};

/* An older form of the cache may stand before the one we read. */
static void open_cache(struct search *s)
{
	long fd = open_file(AT_FDCWD, "/etc/ld.so.cache"), map = -1;
	struct stat st;

	s->cache_known = true;
	if (fd < 0)
		return;
	/* struct stat is the kernel's own on these machines */
	if (pario_raw3(SYS_fstat, fd, (long)&st, 0) == 0 && st.st_size > 0)
		map = pario_raw6(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close_file(fd);
	if (is_error(map))
		return;
	s->map = (const char *)map;
	s->map_bytes = (size_t)st.st_size;
	s->cache = memmem(s->map, s->map_bytes, CACHE_MAGIC, sizeof(CACHE_MAGIC) - 1);
	if (s->cache)
		s->cache_bytes = (size_t)(s->map + s->map_bytes - s->cache);
}

static const char *cache_text(const struct search *s, uint32_t at)
{
	return at < s->cache_bytes && memchr(s->cache + at, 0, s->cache_bytes - at) ? s->cache + at
										    : "";
}

static bool readable(const char *path)
{
	struct pario_elf_bytes from = { .fd = (int)open_file(AT_FDCWD, path) };
	struct pario_elf elf;
	bool own = from.fd >= 0 && pario_elf_open(&elf, &from) == PARIO_ELF_OWN;

	if (from.fd >= 0)
		close_file(from.fd);
	return own;
}

static bool find_in_cache(struct search *s, const char *name)
{
	struct cache_head head;
	struct cache_entry entry;

	if (!s->cache_known)
		open_cache(s);
	if (s->cache_bytes < sizeof(head))
		return false;
	memcpy(&head, s->cache, sizeof(head));
	for (size_t i = 0; i < head.count; i++) {
		size_t at = sizeof(head) + i * sizeof(entry);

		if (at > s->cache_bytes || s->cache_bytes - at < sizeof(entry))
			break;
		memcpy(&entry, s->cache + at, sizeof(entry));
		if (strcmp(cache_text(s, entry.name), name) == 0 &&
		    join(s->path, "", 0, cache_text(s, entry.path)) && readable(s->path))
			return true;
	}
	return false;
}

/* ---- directories ---- */

/* A directory of a list with what stands for the place of the file that names it. */
static bool expand(const char *directory, size_t length, const char *origin, char *to)
{
	static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
	size_t before = 0;

	for (size_t i = 0; !before && i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (length < n || strncmp(directory, words[i], n) != 0)
			continue;
		before = strlen(origin);
		if (!before || !join(to, origin, before, ""))
			return false;
		directory += n;
		length -= n;
	}
	if (before + length == 0 || before + length >= CAPACITY || memchr(directory, '$', length))
		return false;
	memcpy(to + before, directory, length);
	to[before + length] = '\0';
	return true;
}

static bool find_in_list(struct search *s, const char *list, const char *origin, const char *name)
{
	for (const char *end; list && *list; list = *end ? end + 1 : end) {
		end = list + strcspn(list, ":;");
		if (expand(list, (size_t)(end - list), origin, s->directory) &&
		    join(s->path, s->directory, strlen(s->directory), "/") &&
		    join(s->path, s->path, strlen(s->path), name) && readable(s->path))
			return true;
	}
	return false;
}

/* Where the file that needs it, or the program, says; then where the loader always looks. */
static bool find(struct search *s, const char *name)
{
	const struct paths *f = &s->file;

	if (strchr(name, '/'))
		return join(s->path, "", 0, name) && readable(name);
	return (!*f->runpath && (find_in_list(s, f->rpath, f->origin, name) ||
				 find_in_list(s, s->program.rpath, s->program.origin, name))) ||
	       find_in_list(s, s->asked->library_path, f->origin, name) ||
	       find_in_list(s, f->runpath, f->origin, name) || find_in_cache(s, name) ||
	       find_in_list(s, "/lib64:/usr/lib64:/lib:/usr/lib", "", name);
}

/* ---- what is needed ---- */

static void need(struct search *s, const char *name)
{
	struct library *l = &s->libraries[s->count];
	bool found;

	if (!s->asked->wanted(s->asked, name))
		return;
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->texts + s->libraries[i].name, name) == 0)
			return;
	}
	if (s->count == LIBRARIES)
		return;
	l->name = keep(s, name);
	if (!l->name)
		return;
	found = find(s, name);
	if (!found && !*s->asked->missing)
		strcpy(s->asked->missing, name);
	l->path = found ? keep(s, s->path) : 0;
	s->count++;
}

void pario_real_path(long fd, const char *path, char to[PARIO_LIBRARY_PATH])
{
	char link[32] = "/proc/self/fd/", digits[20];
	size_t at = strlen(link);
	int n = 0;
	long length;

	do
		digits[n++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (n)
		link[at++] = digits[--n];
	link[at] = '\0';
	length = pario_raw3(SYS_readlink, (long)link, (long)to, CAPACITY - 1);
	to[length > 0 ? length : 0] = '\0';
	if (length <= 0 && !join(to, "", 0, path))
		to[0] = '\0';
}

static void directory_of(long fd, const char *path, char to[CAPACITY])
{
	char *slash;

	pario_real_path(fd, path, to);
	slash = strrchr(to, '/');
	if (slash)
		*slash = '\0';
}

static bool names_origin(const char *list)
{
	return list && strchr(list, '$');
}

/* Everything that one file needs. */
static void follow(struct search *s, const struct pario_elf *elf, const char *path, bool first)
{
	struct paths *f = &s->file;
	struct pario_elf_links links;
	ElfW(Dyn) entry;

	f->rpath[0] = f->runpath[0] = f->origin[0] = '\0';
	if (!pario_elf_find_links(elf, &links))
		return;
	for (uint64_t i = 0; pario_elf_link(elf, &links, i, &entry); i++) {
		if (entry.d_tag == DT_RPATH)
			pario_elf_link_text(elf, &links, &entry, f->rpath, CAPACITY);
		if (entry.d_tag == DT_RUNPATH)
			pario_elf_link_text(elf, &links, &entry, f->runpath, CAPACITY);
	}
	if (names_origin(f->rpath) || names_origin(f->runpath) ||
	    names_origin(s->asked->library_path))
		directory_of(elf->from.fd, path, f->origin);
	if (first && !*f->runpath)
		s->program = *f;
	for (uint64_t i = 0; pario_elf_link(elf, &links, i, &entry); i++) {
		if (entry.d_tag == DT_NEEDED &&
		    pario_elf_link_text(elf, &links, &entry, s->name, sizeof(s->name)))
			need(s, s->name);
	}
}

static void follow_file(struct search *s, long fd, const char *path, bool first)
{
	struct pario_elf_bytes from = { .fd = (int)fd, .window = &s->window };
	struct pario_elf elf;

	s->window.length = 0;
	if (pario_elf_open(&elf, &from) == PARIO_ELF_OWN)
		follow(s, &elf, path, first);
}

static void follow_libraries(struct search *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const char *path = s->texts + s->libraries[i].path;
		long fd = s->libraries[i].path ? open_file(AT_FDCWD, path) : -1;

		if (fd < 0)
			continue;
		follow_file(s, fd, path, false);
		close_file(fd);
	}
}

bool pario_libraries_follow(struct pario_libraries *l, long fd, const char *path)
{
	long map = pario_raw6(SYS_mmap, 0, sizeof(struct search), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct search *s = (struct search *)map;

	if (is_error(map))
		return false;
	s->asked = l;
	s->used = 1;
	l->missing[0] = '\0';
	follow_file(s, fd, path, true);
	follow_libraries(s);
	if (s->map)
		pario_raw3(SYS_munmap, (long)s->map, (long)s->map_bytes, 0);
	pario_raw3(SYS_munmap, map, sizeof(*s), 0);
	return true;
}
