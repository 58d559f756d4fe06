/*
 * setup: finds program and library, makes the place for the segments, sets the environment.
 */
#include "tracer/setup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/clock.h"
#include "base/random.h"
#include "console/console.h"
#include "trace/pack.h"
#include "trace/segment.h"
#include "tracer/other_users.h"
#include "tracer/preloadable.h"
#include "tracer/program.h"
#include "version.h"

/* ---- the program ---- */

static int runnable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) < 0 ? errno : 0;
}

/* As a shell finds it; 0, or the errno of not finding it. */
static int find_program(const char *name, char *path, size_t capacity)
{
	const char *from = getenv("PATH"), *end;
	int error = ENOENT, this;

	if (!*name)
		return ENOENT;
	if (strchr(name, '/')) {
		snprintf(path, capacity, "%s", name);
		return runnable(path);
	}
	for (from = from ? from : "/bin:/usr/bin"; *from; from = *end ? end + 1 : end) {
		end = strchrnul(from, ':');
		snprintf(path, capacity, "%.*s/%s", (int)(end - from), from == end ? "." : from,
			 name);
		if (from == end)
			snprintf(path, capacity, "./%s", name);
		this = runnable(path);
		if (this == 0)
			return 0;
		/* As in a shell: a directory that may not be looked into says nothing about the program. */
		if (access(path, F_OK) == 0)
			error = this;
	}
	return error;
}

int pario_tracing_find(struct pario_tracing *t)
{
	return find_program(t->argv[0], t->program, sizeof(t->program));
}

/* ---- the library ---- */

/* Beside the program in the build tree, or where `make install` puts it. */
static bool find_library(const char *name, char *path, size_t capacity)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return false;
	self[n] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	snprintf(path, capacity, "%s/%s", self, name);
	if (access(path, R_OK) == 0)
		return true;
	snprintf(path, capacity, "%s/%s/%s", self, PARIO_TRACE_FROM_BIN, name);
	return access(path, R_OK) == 0;
}

static bool started_by(const char *const *names)
{
	for (; *names; names++) {
		if (getenv(*names))
			return true;
	}
	return false;
}

/* The shim of a library stands behind the tracer in LD_PRELOAD; without it the library's own calls are not seen. */
static void add_shim(struct pario_tracing *t, const char *flavour)
{
	char name[64], path[PATH_MAX + 256];
	size_t length = strlen(t->library);

	snprintf(name, sizeof(name), PARIO_SHIM_BEGIN "%s" PARIO_SHIM_END, flavour);
	if (find_library(name, path, sizeof(path)))
		snprintf(t->library + length, sizeof(t->library) - length, ":%s", path);
	else
		pario_console_warn(
			"the program uses %s, for which this pario has no %s: only the calls below it are traced.",
			flavour, name);
}

static void add_shims(struct pario_tracing *t, const char *interpreter)
{
	static const char *const names[] = PARIO_SHIM_NAMES;
	const struct pario_start start = { .dir = AT_FDCWD,
					   .path = t->program,
					   .interpreter = interpreter,
					   .argv = t->argv,
					   .environment = environ };
	unsigned shims = pario_program_shims(&start);

	for (unsigned i = 0; i < PARIO_SHIMS; i++) {
		if (shims & 1u << i)
			add_shim(t, names[i]);
	}
}

/* ---- clocks ---- */

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void pario_tracing_anchor(struct pario_pack_anchor *anchor)
{
#if defined(__x86_64__)
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 16; i++) {
		uint64_t before = ns_of(CLOCK_MONOTONIC), ticks = pario_clock_count();
		uint64_t after = ns_of(CLOCK_MONOTONIC);

		if (after - before < best) {
			best = after - before;
			anchor->ticks = ticks;
			anchor->ns = before + (after - before) / 2;
		}
	}
	anchor->real_ns = ns_of(CLOCK_REALTIME);
#else
	*anchor = (struct pario_pack_anchor){ 0 };
#endif
}

/* ---- the job: all launchers of one mpiexec write to one file ---- */

/* All of a small file of /proc, with a zero behind it; its length. */
static size_t read_proc(long pid, const char *name, char *text, size_t capacity)
{
	char path[64];
	FILE *file;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	file = fopen(path, "re");
	if (file) {
		n = fread(text, 1, capacity - 1, file);
		fclose(file);
	}
	text[n] = '\0';
	return n;
}

static void parent_of(long pid, long *parent, unsigned long long *started)
{
	char text[1024];
	const char *at;

	*parent = 0;
	*started = 0;
	read_proc(pid, "stat", text, sizeof(text));
	at = strrchr(text, ')');
	/* the fourth and the 22nd field; the second ends with the bracket */
	if (at)
		sscanf(at + 1,
		       " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		       parent, started);
}

/*
 * Hydra, the launcher of MPICH and its relatives, has no name for a job in the environment. But it starts one proxy per
 * node and tells all of them where it listens.
 */
static bool hydra_port(char *port, size_t capacity)
{
	static const char word[] = "--control-port";
	long pid = getppid(), parent;
	unsigned long long started;

	for (int above = 0; pid > 1 && above < 16; above++, pid = parent) {
		char text[4096];
		size_t n = read_proc(pid, "cmdline", text, sizeof(text));

		for (const char *at = text; at < text + n; at += strlen(at) + 1) {
			if (strcmp(at, word) == 0 && at + sizeof(word) < text + n) {
				snprintf(port, capacity, "%s", at + sizeof(word));
				return true;
			}
		}
		parent_of(pid, &parent, &started);
	}
	return false;
}

static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL };

static bool one_of_several(void)
{
	/* The script of a batch job has a SLURM_PROCID too, but belongs to no step. */
	return started_by(ranks) || (getenv("SLURM_PROCID") && getenv("SLURM_STEP_ID"));
}

bool pario_tracing_speaks(const struct pario_tracing *t)
{
	const char *rank = NULL;

	for (size_t i = 0; !rank && ranks[i]; i++)
		rank = getenv(ranks[i]);
	if (!rank)
		rank = getenv("SLURM_PROCID");
	return !t->job || !rank || strcmp(rank, "0") == 0;
}

/* 0 when this is not one of several; on all nodes of a job the same. */
static uint64_t job_number(void)
{
	static const char *const jobs[] = { "PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID",
					    "PALS_APID",      "FLUX_JOB_ID",  "JSM_NAMESPACE" };
	enum { JOBS = sizeof(jobs) / sizeof(jobs[0]) };
	char text[2048], port[256];
	unsigned long long started;
	long parent;
	int n = 0;

	if (!one_of_several())
		return 0;
	for (size_t i = 0; i < JOBS; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "%.200s:", getenv(jobs[i]) ? getenv(jobs[i]) : "");
	if (n == JOBS && hydra_port(port, sizeof(port))) {
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s", port);
	} else if (n == JOBS) { /* the launcher has no name for it: they have one parent */
		parent_of(getppid(), &parent, &started);
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%ld:%llu", (long)getppid(),
			      started);
	}
	return XXH64(text, (size_t)n, 1) | 1;
}

/* ---- preparing ---- */

static int check_output(struct pario_tracing *t, struct pario_err *err)
{
	const char *base = strrchr(t->argv[0], '/');

	if (!t->output) {
		snprintf(t->name, sizeof(t->name), "%s.trace", base ? base + 1 : t->argv[0]);
		t->output = t->name;
	}
	return pario_pack_check(t->output, t->force, err);
}

static bool is_empty(int fd)
{
	struct dirent **names = NULL;
	int count = scandirat(fd, ".", &names, NULL, NULL);

	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return count == 2;
}

/*
 * The file that the tracer's library knows the directory by. What lies in it belongs to who made it, also where a
 * server changes owners; and nothing lies in it yet. Otherwise it was exchanged while it was being made.
 */
static bool make_key(struct pario_tracing *t)
{
	struct stat directory, key;
	bool ours = is_empty(t->dirfd);
	int fd;

	snprintf(t->key, sizeof(t->key), "%016llx", (unsigned long long)pario_random_seed());
	fd = openat(t->dirfd, t->key, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ours = ours && fd >= 0 && fstat(t->dirfd, &directory) == 0 && fstat(fd, &key) == 0 &&
	       directory.st_uid == key.st_uid;
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !ours)
		unlinkat(t->dirfd, t->key, 0);
	t->owner = ours ? directory.st_uid : 0;
	return ours;
}

/* Everything here goes by our descriptor: others may be able to exchange what the path names. */
static int open_directory(struct pario_tracing *t, const char *name, struct pario_err *err)
{
	char parent[sizeof(t->directory)] = "";

	snprintf(t->reach, sizeof(t->reach), "/proc/self/fd/%d", t->above);
	if (!realpath(t->reach, parent))
		return pario_err_sys(err, errno, "Mount /proc, or choose another place with -o.",
				     "the whole path of the directory for the trace, %s, cannot be "
				     "found",
				     name);
	if (strlen(parent) > 3000)
		return pario_err_set(err, PARIO_SYSTEM,
				     "the directory for the trace, %s, has too long a path.", name);
	t->dirfd = openat(t->above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (t->dirfd < 0)
		return pario_err_sys(err, errno, "Choose another place with -o.",
				     "the directory for the trace, %s, cannot be opened", name);
	if (!make_key(t))
		return pario_err_set(
			err, PARIO_SYSTEM,
			"the directory for the trace, %s/%s, was exchanged for another "
			"while it was being made. Name a place with -o in which only "
			"you can rename.",
			parent, name);
	snprintf(t->reach, sizeof(t->reach), "/proc/self/fd/%d", t->dirfd);
	snprintf(t->directory, sizeof(t->directory), "%s/%s", parent[1] ? parent : "", name);
	return 0;
}

static int make_directory(struct pario_tracing *t, struct pario_err *err)
{
	const char *slash = strrchr(t->output, '/');
	char parent[4096], name[32];

	snprintf(parent, sizeof(parent), "%.*s.", slash ? (int)(slash + 1 - t->output) : 0,
		 t->output);
	snprintf(name, sizeof(name), "pario-trace-%012llx",
		 (unsigned long long)pario_random_seed() >> 16);
	t->above = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->above < 0 || mkdirat(t->above, name, 0700) < 0)
		return pario_err_sys(err, errno, "Choose another place with -o.",
				     "the directory for the trace, %s, cannot be made in %s", name,
				     parent);
	if (open_directory(t, name, err) == 0)
		return 0;
	unlinkat(t->above, name, AT_REMOVEDIR);
	t->reach[0] = t->directory[0] = '\0';
	return -1;
}

/*
 * Open MPI passes on to other nodes only what it is told to. This list of its own is kept apart from the user's
 * (mca_base_env_list) and, unlike that, goes with `mpirun -x`. Hydra and srun pass on everything.
 */
static void pass_on(const char *names)
{
	static const char list[] = "OMPI_MCA_mca_base_env_list_internal";
	const char *old = getenv(list);
	char value[4096];

	snprintf(value, sizeof(value), "%s%s%s", old ? old : "", old && *old ? ";" : "", names);
	setenv(list, value, 1);
}

static void set_environment(struct pario_tracing *t)
{
	const char *old = getenv("LD_PRELOAD");
	char value[16384];

	snprintf(value, sizeof(value), "%s:%u,%s,%lu:%s:%s", t->counter ? "tsc" : "ns", t->stack,
		 t->key, (unsigned long)t->owner, t->others, t->directory);
	setenv("PARIO_TRACE", value, 1);
	snprintf(value, sizeof(value), "%s%s%s", old ? old : "", old && *old ? ":" : "",
		 t->library);
	setenv("LD_PRELOAD", value, 1);
	pass_on("LD_PRELOAD;PARIO_TRACE");
}

/* Preloading is faster and sees more, but does not reach every program. */
static void choose(struct pario_tracing *t, enum pario_preloadable reach)
{
	const char *why = NULL;

	switch (reach) {
	case PARIO_PRELOADABLE_PRIVILEGED:
		pario_console_warn(
			"%s runs with privileges of its own: NOTHING CAN BE TRACED of it.",
			t->argv[0]);
		t->ptrace = false;
		break;
	case PARIO_PRELOADABLE_WORD:
		pario_console_warn(
			"%s is a program of another word size: NOTHING CAN BE TRACED of it.",
			t->argv[0]);
		break;
	case PARIO_PRELOADABLE_STATIC:
		why = "is statically linked";
		break;
	case PARIO_PRELOADABLE_GO:
		why = "is a Go program";
		break;
	case PARIO_PRELOADABLE_LOADER:
		why = "is made for another C library";
		break;
	default:
		break;
	}
	if (why) {
		t->ptrace = true;
		pario_console_warn(
			"%s %s: its system calls are traced by ptrace, which costs microseconds each.",
			t->argv[0], why);
	}
}

int pario_tracing_prepare(struct pario_tracing *t, struct pario_err *err)
{
	enum pario_preloadable reach;
	char interpreter[256];

	if (check_output(t, err) < 0)
		return (int)err->code;
	if (!find_library("libpario-trace.so", t->library, sizeof(t->library))) {
		pario_err_set(err, PARIO_SYSTEM,
			      "the tracer's library %s is missing; install pario again.",
			      t->library);
		return (int)err->code;
	}
	reach = pario_preloadable_check(AT_FDCWD, t->program, 0, interpreter);
	choose(t, reach);
	if (!t->ptrace)
		add_shims(t, interpreter);
	t->job = job_number();
	t->counter = pario_clock_counter();
	if (make_directory(t, err) < 0)
		return (int)err->code;
	if (!t->ptrace)
		pario_others_make(t);
	pario_tracing_anchor(&t->anchors[0]);
	pario_ptrace_fallback_listen(t);
	if (!t->ptrace && reach != PARIO_PRELOADABLE_WORD)
		set_environment(t);
	return 0;
}

void pario_tracing_regroup(const struct pario_tracing *t)
{
	if (t->group)
		setpgid(0, t->group);
}

bool pario_tracing_was_moved(const struct pario_tracing *t)
{
	struct stat is, there;

	return fstat(t->dirfd, &is) == 0 &&
	       (fstatat(t->above, strrchr(t->directory, '/') + 1, &there, AT_SYMLINK_NOFOLLOW) <
			0 ||
		is.st_dev != there.st_dev || is.st_ino != there.st_ino);
}

void pario_tracing_remove(struct pario_tracing *t)
{
	struct dirent **names = NULL;
	int count = scandirat(t->dirfd, ".", &names, pario_segment_is_name, NULL);

	for (int i = 0; i < count; i++) {
		unlinkat(t->dirfd, names[i]->d_name, 0);
		free(names[i]);
	}
	free(names);
	unlinkat(t->dirfd, t->key, 0);
	if (!pario_tracing_was_moved(t))
		unlinkat(t->above, strrchr(t->directory, '/') + 1, AT_REMOVEDIR);
	close(t->dirfd);
	close(t->above);
	pario_others_remove(t);
}
