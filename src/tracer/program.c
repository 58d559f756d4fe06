/*
 * program: follows what the program needs, and what that needs, as the loader would: the paths written into each file,
 * LD_LIBRARY_PATH, the loader's cache, the usual directories. The loader itself could list them, but the file says
 * which loader that is, and what a file names is not started.
 */
#include "tracer/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "version.h"

enum { LIBRARIES = 512, PATH_CAPACITY = 4096, NAME_CAPACITY = 256 };

/* A library that is needed; the program itself is the first. */
struct library {
	char name[NAME_CAPACITY]; /* as it is asked for */
	char *path;		  /* NULL: not found */
};

struct search {
	struct pario_program *program;
	struct library libraries[LIBRARIES];
	size_t count;
	char rpath[PATH_CAPACITY],
		origin[PATH_CAPACITY]; /* of the program: also for what its libraries need */
	const char *cache;
	size_t cache_bytes;
};

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
	int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *map, *at;

	if (fd < 0)
		return;
	map = fstat(fd, &st) == 0 && st.st_size > 0
		      ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
		      : MAP_FAILED;
	close(fd);
	if (map == MAP_FAILED)
		return;
	at = memmem(map, (size_t)st.st_size, CACHE_MAGIC, sizeof(CACHE_MAGIC) - 1);
	s->cache = malloc((size_t)st.st_size);
	if (at && s->cache) {
		s->cache_bytes = (size_t)(map + st.st_size - at);
		memcpy((char *)(uintptr_t)s->cache, at, s->cache_bytes);
	}
	munmap(map, (size_t)st.st_size);
}

static const char *cache_text(const struct search *s, uint32_t at)
{
	return at < s->cache_bytes && memchr(s->cache + at, 0, s->cache_bytes - at) ? s->cache + at
										    : "";
}

static bool readable(const char *path)
{
	struct pario_elf_bytes from = { .fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) };
	struct pario_elf elf;
	bool own = from.fd >= 0 && pario_elf_open(&elf, &from) == PARIO_ELF_OWN;

	if (from.fd >= 0)
		close(from.fd);
	return own;
}

static bool find_in_cache(const struct search *s, const char *name, char *path)
{
	struct cache_head head;
	struct cache_entry entry;

	if (s->cache_bytes < sizeof(head))
		return false;
	memcpy(&head, s->cache, sizeof(head));
	for (size_t i = 0; i < head.count; i++) {
		size_t at = sizeof(head) + i * sizeof(entry);

		if (at > s->cache_bytes || s->cache_bytes - at < sizeof(entry))
			break;
		memcpy(&entry, s->cache + at, sizeof(entry));
		if (strcmp(cache_text(s, entry.name), name) == 0) {
			snprintf(path, PATH_CAPACITY, "%s", cache_text(s, entry.path));
			if (readable(path))
				return true;
		}
	}
	return false;
}

/* ---- directories ---- */

/* A directory of a list with what stands for the place of the file that names it. */
static bool expand(const char *directory, size_t length, const char *origin, char *to)
{
	static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (length >= n && strncmp(directory, words[i], n) == 0)
			return snprintf(to, PATH_CAPACITY, "%s%.*s", origin, (int)(length - n),
					directory + n) < PATH_CAPACITY;
	}
	return length && !memchr(directory, '$', length) &&
	       snprintf(to, PATH_CAPACITY, "%.*s", (int)length, directory) < PATH_CAPACITY;
}

static bool find_in_list(const char *list, const char *origin, const char *name, char *path)
{
	char directory[PATH_CAPACITY];

	for (const char *end; list && *list; list = *end ? end + 1 : end) {
		end = list + strcspn(list, ":;");
		if (expand(list, (size_t)(end - list), origin, directory) &&
		    snprintf(path, PATH_CAPACITY, "%s/%s", directory, name) < PATH_CAPACITY &&
		    readable(path))
			return true;
	}
	return false;
}

/* Where the file that needs it, or the program, says; then where the loader always looks. */
static char *find(const struct search *s, const char *name, const char *rpath, const char *runpath,
		  const char *origin)
{
	char path[PATH_CAPACITY];

	if (strchr(name, '/'))
		return readable(name) ? strdup(name) : NULL;
	if ((!*runpath && (find_in_list(rpath, origin, name, path) ||
			   find_in_list(s->rpath, s->origin, name, path))) ||
	    find_in_list(getenv("LD_LIBRARY_PATH"), origin, name, path) ||
	    find_in_list(runpath, origin, name, path) || find_in_cache(s, name, path) ||
	    find_in_list("/lib64:/usr/lib64:/lib:/usr/lib", "", name, path))
		return strdup(path);
	return NULL;
}

/* ---- what is needed ---- */

static void recognise(struct pario_program *p, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	const struct {
		const char *begin;
		bool *is;
	} known[] = {
		{ "libmpi.so.40", &p->openmpi },
		/* those of Open MPI's launchers, which are no MPI programs themselves */
		{ "libopen-rte.so", &p->openmpi },
		{ "libprrte.so", &p->openmpi },
		{ "libmpich.so", &p->mpich },
		{ "libmpi.so.12", &p->mpich },
		{ "libhdf5", &p->hdf5 },
		{ "libpnetcdf", &p->pnetcdf },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		*known[i].is |= strncmp(base, known[i].begin, strlen(known[i].begin)) == 0;
}

static void need(struct search *s, const char *name, const char *rpath, const char *runpath,
		 const char *origin)
{
	recognise(s->program, name);
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->libraries[i].name, name) == 0)
			return;
	}
	if (s->count == LIBRARIES)
		return;
	snprintf(s->libraries[s->count].name, NAME_CAPACITY, "%s", name);
	s->libraries[s->count++].path = find(s, name, rpath, runpath, origin);
}

static void directory_of(const char *path, char *to)
{
	char *slash;

	if (!realpath(path, to))
		snprintf(to, PATH_CAPACITY, "%s", path);
	slash = strrchr(to, '/');
	if (slash)
		*slash = '\0';
}

/* Everything that one file needs. */
static void follow(struct search *s, const struct pario_elf *elf, const char *path, bool first)
{
	char name[NAME_CAPACITY], rpath[PATH_CAPACITY] = "", runpath[PATH_CAPACITY] = "",
				  origin[PATH_CAPACITY];
	struct pario_elf_links links;
	ElfW(Dyn) entry;

	if (!pario_elf_find_links(elf, &links))
		return;
	directory_of(path, origin);
	for (uint64_t i = 0; pario_elf_link(elf, &links, i, &entry); i++) {
		if (entry.d_tag == DT_RPATH)
			pario_elf_link_text(elf, &links, &entry, rpath, sizeof(rpath));
		if (entry.d_tag == DT_RUNPATH)
			pario_elf_link_text(elf, &links, &entry, runpath, sizeof(runpath));
	}
	if (first && !*runpath) {
		strcpy(s->rpath, rpath);
		strcpy(s->origin, origin);
	}
	for (uint64_t i = 0; pario_elf_link(elf, &links, i, &entry); i++) {
		if (entry.d_tag == DT_NEEDED &&
		    pario_elf_link_text(elf, &links, &entry, name, sizeof(name)))
			need(s, name, rpath, runpath, origin);
	}
}

/* pario itself loads modules when it needs them: they lie beside it, or where they are installed. */
static void need_modules(struct search *s, const char *path)
{
	static const char *const modules[] = { "libpario-hdf5.so",
					       PARIO_TRACE_FROM_BIN "/libpario-hdf5.so",
					       "libpario-pnetcdf.so",
					       PARIO_TRACE_FROM_BIN "/libpario-pnetcdf.so" };
	char directory[PATH_CAPACITY], module[PATH_CAPACITY + 128];
	const char *slash = strrchr(path, '/');

	if (strcmp(slash ? slash + 1 : path, "pario") != 0)
		return;
	directory_of(path, directory);
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		snprintf(module, sizeof(module), "%s/%s", directory, modules[i]);
		need(s, module, "", "", "");
	}
}

static void follow_all(struct search *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct pario_elf_bytes from = { .fd = -1 };
		const char *path = s->libraries[i].path;
		struct pario_elf elf;

		if (path)
			from.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (from.fd < 0)
			continue;
		if (pario_elf_open(&elf, &from) == PARIO_ELF_OWN)
			follow(s, &elf, path, i == 0);
		close(from.fd);
	}
}

void pario_program_look(struct pario_program *program, const char *path)
{
	struct search *s = calloc(1, sizeof(*s));
	char script[256];

	*program = (struct pario_program){ .reach = pario_preloadable_check(AT_FDCWD, path, 0,
									    script) };
	if (s && program->reach == PARIO_PRELOADABLE_YES) {
		s->program = program;
		s->libraries[s->count++].path = strdup(*script ? script : path);
		open_cache(s);
		need_modules(s, path);
		follow_all(s);
	}
	for (size_t i = 0; s && i < s->count; i++)
		free(s->libraries[i].path);
	if (s)
		free((char *)(uintptr_t)s->cache);
	free(s);
}
