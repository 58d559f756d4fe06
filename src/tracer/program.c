/*
 * program: a program needs the shims of the libraries that it needs (libraries.h).
 */
#include "tracer/program.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tracer/libraries.h"
#include "tracer/preload/raw.h"
#include "version.h"

enum {
	WORDS = 256, /* of a launcher */
	CAPACITY = PARIO_PROGRAM_PATH,
};

static long open_file(int dir, const char *path)
{
	return pario_raw6(SYS_openat, dir, (long)path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
}

static void close_file(long fd)
{
	pario_raw3(SYS_close, fd, 0, 0);
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

struct shims {
	struct pario_libraries libraries;
	unsigned needed;
};

static bool take_shim(struct pario_libraries *libraries, const char *name)
{
	struct shims *s = (struct shims *)libraries; /* its first member */
	const struct known *known = recognise(name);

	if (known)
		s->needed |= known->shim;
	return !known || known->shim;
}

static unsigned follow(long fd, const char *path, const char *library_path)
{
	struct shims s = { .libraries = { .library_path = library_path, .wanted = take_shim } };

	return pario_libraries_follow(&s.libraries, fd, path) ? s.needed : 0;
}

/* pario itself loads modules when it needs them: they lie beside it, or where they are installed. */
__attribute__((noinline)) static unsigned look_at_modules(long program, const char *path,
							  const char *library_path)
{
	static const char *const modules[] = { "/libpario-hdf5.so",
					       "/" PARIO_TRACE_FROM_BIN "/libpario-hdf5.so",
					       "/libpario-pnetcdf.so",
					       "/" PARIO_TRACE_FROM_BIN "/libpario-pnetcdf.so" };
	char module[CAPACITY];
	unsigned shims = 0;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		char *slash;
		long fd;

		pario_real_path(program, path, module);
		slash = strrchr(module, '/');
		if (!slash || (size_t)(module + CAPACITY - slash) <= strlen(modules[i]))
			continue;
		strcpy(slash, modules[i]);
		fd = open_file(AT_FDCWD, module);
		if (fd < 0)
			continue;
		shims |= follow(fd, module, library_path);
		close_file(fd);
	}
	return shims;
}

/* The shims for what one open file needs. */
static unsigned look_at(long fd, const char *path, const char *library_path)
{
	const char *slash = strrchr(path, '/');
	unsigned shims = follow(fd, path, library_path);

	if (strcmp(slash ? slash + 1 : path, "pario") == 0)
		shims |= look_at_modules(fd, path, library_path);
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

	pario_real_path(fd, start->path, real);
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
