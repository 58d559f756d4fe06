/*
 * program: follows what the program needs, and what that needs, as the loader would: the paths written into each file,
 * LD_LIBRARY_PATH, the loader's cache, the usual directories. The loader itself could list them, but the file says
 * which loader that is, and what a file names is not started.
 */
#include "tracer/program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tracer/elf_reader.h"
#include "version.h"

enum {
	LIBRARIES = 512,
	WORDS = 256, /* of a launcher */
	TEXTS = 256 * 1024,
	CAPACITY = PARIO_PROGRAM_PATH,
	NAME_CAPACITY = 256,
};

/* A library that is needed; the program itself is the first. Places among the texts. */
struct library {
	uint32_t name, path; /* 0: not found */
};

/* What one file says about where its libraries are. */
struct paths {
	char rpath[CAPACITY], runpath[CAPACITY], origin[CAPACITY];
};

/* Too much for the stack of a thread: mapped, and of it only what is needed is touched. */
struct search {
	unsigned shims;
	const char *library_path;
	struct library libraries[LIBRARIES];
	size_t count, used;
	struct paths program, file; /* the first's rpath is also for what its libraries need */
	char name[NAME_CAPACITY], directory[CAPACITY], path[CAPACITY], module[CAPACITY];
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
	       find_in_list(s, s->library_path, f->origin, name) ||
	       find_in_list(s, f->runpath, f->origin, name) || find_in_cache(s, name) ||
	       find_in_list(s, "/lib64:/usr/lib64:/lib:/usr/lib", "", name);
}

/* ---- what is needed ---- */

struct known {
	const char *begin;
	unsigned shim;
};

static const struct known *recognise(const char *name)
{
	static const struct known known[] = {
		{ "libmpi.so.40", PARIO_SHIM_OPENMPI },
		/* those of Open MPI's launchers, which are no MPI programs themselves */
		{ "libopen-rte.so", PARIO_SHIM_OPENMPI },
		{ "libprrte.so", PARIO_SHIM_OPENMPI },
		{ "libmpich.so", PARIO_SHIM_MPICH },
		{ "libmpi.so.12", PARIO_SHIM_MPICH },
		{ "libhdf5", PARIO_SHIM_HDF5 },
		{ "libpnetcdf", PARIO_SHIM_PNETCDF },
		/* those of the compilers need nothing of that: most programs need no others */
		{ "libc.so.", 0 },
		{ "libm.so.", 0 },
		{ "libdl.so.", 0 },
		{ "librt.so.", 0 },
		{ "libpthread.so.", 0 },
		{ "libgcc_s.so.", 0 },
		{ "libstdc++.so.", 0 },
		{ "libtinfo.so.", 0 },
		{ "ld-linux", 0 },
	};
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strncmp(base, known[i].begin, strlen(known[i].begin)) == 0)
			return &known[i];
	}
	return NULL;
}

static void need(struct search *s, const char *name)
{
	const struct known *known = recognise(name);
	struct library *l = &s->libraries[s->count];

	if (known)
		s->shims |= known->shim;
	if (known && !known->shim)
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
	l->path = find(s, name) ? keep(s, s->path) : 0;
	s->count++;
}

/* The path of an open file without links, or as it was given. */
static void real_path(long fd, const char *path, char to[CAPACITY])
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

	real_path(fd, path, to);
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
	if (names_origin(f->rpath) || names_origin(f->runpath) || names_origin(s->library_path))
		directory_of(elf->from.fd, path, f->origin);
	if (first && !*f->runpath)
		s->program = *f;
	for (uint64_t i = 0; pario_elf_link(elf, &links, i, &entry); i++) {
		if (entry.d_tag == DT_NEEDED &&
		    pario_elf_link_text(elf, &links, &entry, s->name, sizeof(s->name)))
			need(s, s->name);
	}
}

/* pario itself loads modules when it needs them: they lie beside it, or where they are installed. */
static void need_modules(struct search *s, long fd, const char *path)
{
	static const char *const modules[] = { "/libpario-hdf5.so",
					       "/" PARIO_TRACE_FROM_BIN "/libpario-hdf5.so",
					       "/libpario-pnetcdf.so",
					       "/" PARIO_TRACE_FROM_BIN "/libpario-pnetcdf.so" };
	const char *slash = strrchr(path, '/');

	if (strcmp(slash ? slash + 1 : path, "pario") != 0)
		return;
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		directory_of(fd, path, s->module);
		if (join(s->module, s->module, strlen(s->module), modules[i]) &&
		    readable(s->module))
			need(s, s->module);
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

/* The shims for what one open file needs. */
static unsigned look_at(long fd, const char *path, const char *library_path)
{
	long map = pario_raw6(SYS_mmap, 0, sizeof(struct search), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct search *s = (struct search *)map;
	unsigned shims;

	if (is_error(map))
		return 0;
	s->library_path = library_path;
	s->used = 1;
	follow_file(s, fd, path, true);
	need_modules(s, fd, path);
	follow_libraries(s);
	shims = s->shims;
	if (s->map)
		pario_raw3(SYS_munmap, (long)s->map, (long)s->map_bytes, 0);
	pario_raw3(SYS_munmap, map, sizeof(*s), 0);
	return shims;
}

/* ---- programs ---- */

static bool is_runnable(const char *path)
{
	struct stat st;

	return pario_raw3(SYS_faccessat, AT_FDCWD, (long)path, 1) == 0 &&
	       pario_raw6(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, 0, 0, 0) == 0 &&
	       S_ISREG(st.st_mode);
}

bool pario_program_find(const char *name, const char *path, char to[CAPACITY])
{
	size_t length = strlen(name);

	for (const char *from = path ? path : "/bin:/usr/bin";; from++) {
		size_t n = strcspn(from, ":");

		if (n + length + 2 <= CAPACITY) {
			memcpy(to, from, n);
			to[n] = '/';
			strcpy(to + n + (n > 0), name);
			if (is_runnable(to))
				return true;
		}
		from += n;
		if (!*from)
			return false;
	}
}

static bool is_launcher(const char *path)
{
	static const char *const launchers[] = { "mpirun", "mpiexec", "orterun", "prterun",
						 "srun" };
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		if (strncmp(base, launchers[i], strlen(launchers[i])) == 0)
			return true;
	}
	return false;
}

/* What a launcher will start gets its environment, on other nodes as it is. Its memory is not for small stacks. */
__attribute__((noinline)) static unsigned look_at_words(const struct pario_start *start,
							const char *library_path)
{
	const char *path = pario_environment_value(start->environment, "PATH");
	char found[CAPACITY];
	unsigned shims = 0;

	for (int i = 1; start->argv && start->argv[0] && i < WORDS && start->argv[i]; i++) {
		const char *word = start->argv[i];
		long fd;

		if (!*word || *word == '-')
			continue;
		if (!strchr(word, '/'))
			word = pario_program_find(word, path, found) ? found : NULL;
		else if (!is_runnable(word))
			word = NULL;
		fd = word ? open_file(AT_FDCWD, word) : -1;
		if (fd < 0)
			continue;
		shims |= look_at(fd, word, library_path);
		close_file(fd);
	}
	return shims;
}

/* MPICH's launcher loads none of its libraries. */
__attribute__((noinline)) static unsigned look_at_launcher(long fd, const struct pario_start *start,
							   const char *library_path)
{
	unsigned shims = look_at_words(start, library_path);
	char real[CAPACITY];

	real_path(fd, start->path, real);
	return strstr(real, "hydra") ? shims | PARIO_SHIM_MPICH : shims;
}

/* A script or a program that loads MPI later is known by who started it. */
static unsigned choose_mpi(unsigned needed, char *const *environment)
{
	bool openmpi = pario_environment_value(environment, "OMPI_COMM_WORLD_RANK"),
	     mpich = pario_environment_value(environment, "PMI_RANK") ||
		     pario_environment_value(environment, "MPIR_CVAR_CH3_INTERFACE_HOSTNAME");
	unsigned rest = needed & ~(unsigned)(PARIO_SHIM_OPENMPI | PARIO_SHIM_MPICH);

	if ((needed & PARIO_SHIM_OPENMPI) || (!(needed & PARIO_SHIM_MPICH) && openmpi))
		return rest | PARIO_SHIM_OPENMPI;
	if ((needed & PARIO_SHIM_MPICH) ||
	    (mpich && !openmpi && !pario_environment_value(environment, "SLURM_JOB_ID")))
		return rest | PARIO_SHIM_MPICH;
	return rest;
}

unsigned pario_program_shims(const struct pario_start *start)
{
	const char *library_path = pario_environment_value(start->environment, "LD_LIBRARY_PATH");
	bool script = start->interpreter && *start->interpreter,
	     launches = is_launcher(start->path);
	long own = -1, fd = start->dir;
	unsigned shims = 0;

	if (script)
		own = fd = open_file(AT_FDCWD, start->interpreter);
	else if (!((start->flags & AT_EMPTY_PATH) && !*start->path))
		own = fd = open_file(start->dir, start->path);
	if (fd >= 0)
		shims = look_at(fd, script ? start->interpreter : start->path, library_path);
	if (fd >= 0 && launches)
		shims |= look_at_launcher(fd, start, library_path);
	if (own >= 0)
		close_file(own);
	return choose_mpi(shims, start->environment);
}
