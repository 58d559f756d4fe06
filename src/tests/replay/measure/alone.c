/*
 * alone: the first process of a trace without ranks, as a program of its own.
 *
 * A client of MPI is a large process, and what it forks begins and ends with the page tables of all that memory: to
 * children of a shell that live for two milliseconds, a third one. So pario starts itself anew and leaves MPI alone;
 * what was found out about the trace goes along in a file in memory.
 */
#include "tests/replay/measure/alone.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

enum { LOOK_NS = 50000000 };

/* The scan's lists stand behind it, in the order of `lay_out`. */
struct parcel {
	char trace[sizeof(((struct pario_trace *)0)->path)];
	char tree_path[PARIO_PATH_CAPACITY];
	struct pario_run_clock clock;
	struct pario_replay_settings settings;
	struct pario_replay_scan scan;
	uint64_t shared_bytes, data_bytes, seed;
	uint32_t process;
	int32_t client;
	int tree, shared;
	pid_t parent;
};

enum list { FILES, CLIENTS, THREADS, ALL_EDGES, LISTS };

/* Where the lists begin; returns where they end. */
static uint64_t lay_out(const struct pario_replay_scan *scan, uint64_t at[LISTS])
{
	const uint64_t bytes[LISTS] = {
		[FILES] = (scan->file_count + 1ul) * sizeof(*scan->files),
		[CLIENTS] = (scan->ranks + 1ul) * sizeof(*scan->clients),
		[THREADS] = (scan->thread_count + 1ul) * sizeof(*scan->threads),
		[ALL_EDGES] = scan->edges * sizeof(struct pario_replay_edge),
	};
	uint64_t end = sizeof(struct parcel);

	for (int i = 0; i < LISTS; i++) {
		at[i] = end;
		end += bytes[i];
	}
	return end;
}

/* ---- the client ---- */

static void fill(struct parcel *p, const struct pario_replay *r, uint32_t number,
		 const uint64_t at[LISTS])
{
	const struct pario_replay_scan *scan = r->scan;
	char *base = (char *)p;
	struct pario_replay_edge *edges =
		(struct pario_replay_edge *)(void *)(base + at[ALL_EDGES]);

	*p = (struct parcel){ .settings = r->settings,
			      .scan = *scan,
			      .shared_bytes = r->shared_bytes,
			      .data_bytes = r->data_bytes,
			      .seed = r->run->seed,
			      .process = number,
			      .client = r->client,
			      .tree = r->tree,
			      .shared = r->shared,
			      .parent = getpid() };
	pario_run_clock(&p->clock, NULL);
	memcpy(p->trace, r->trace->path, sizeof(p->trace));
	memcpy(p->tree_path, r->tree_path, sizeof(p->tree_path));
	memcpy(base + at[FILES], scan->files, at[CLIENTS] - at[FILES]);
	memcpy(base + at[CLIENTS], scan->clients, at[THREADS] - at[CLIENTS]);
	memcpy(base + at[THREADS], scan->threads, at[ALL_EDGES] - at[THREADS]);
	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		const struct pario_replay_thread *thread = &scan->threads[t];

		if (thread->edge_count)
			memcpy(edges, thread->edges, thread->edge_count * sizeof(*edges));
		edges += thread->edge_count;
	}
}

/* Its descriptor, -1 when there is no memory. */
static int make_parcel(const struct pario_replay *r, uint32_t number)
{
	uint64_t at[LISTS], bytes = lay_out(r->scan, at);
	int fd = memfd_create("pario-replay-process", MFD_CLOEXEC);
	struct parcel *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	fill(p, r, number, at);
	munmap(p, bytes);
	return fd;
}

pid_t pario_replay_alone_start(const struct pario_replay *r, uint32_t number, int *error)
{
	char text[16], *words[] = { (char *)"pario", (char *)PARIO_REPLAY_ALONE, text, NULL };
	posix_spawn_file_actions_t actions;
	int parcel = make_parcel(r, number);
	const int kept[] = { parcel, r->tree, r->shared, pario_run_dirfd(r->run) };
	pid_t pid = -1;

	*error = parcel < 0 ? errno : posix_spawn_file_actions_init(&actions);
	if (*error)
		return -1;
	/* the same number on both sides: kept open */
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]) && *error == 0; i++)
		*error = posix_spawn_file_actions_adddup2(&actions, kept[i], kept[i]);
	snprintf(text, sizeof(text), "%d", parcel);
	if (*error == 0)
		*error = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(parcel);
	return *error ? -1 : pid;
}

/* ---- the process ---- */

static struct parcel *open_parcel(const char *descriptor)
{
	int fd = atoi(descriptor);
	struct parcel *p = MAP_FAILED;
	struct stat st;

	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size >= sizeof(*p))
		p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static void take_scan(struct parcel *p)
{
	struct pario_replay_scan *scan = &p->scan;
	struct pario_replay_edge *edges;
	char *base = (char *)p;
	uint64_t at[LISTS];

	lay_out(scan, at);
	scan->files = (struct pario_replay_file *)(void *)(base + at[FILES]);
	scan->clients = (struct pario_replay_client *)(void *)(base + at[CLIENTS]);
	scan->threads = (struct pario_replay_thread *)(void *)(base + at[THREADS]);
	edges = (struct pario_replay_edge *)(void *)(base + at[ALL_EDGES]);
	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		scan->threads[t].edges = edges;
		edges += scan->threads[t].edge_count;
	}
}

/* Processes that nothing of the trace starts begin together, when all of them have read it. */
static void wait_for_start(const struct pario_replay *r)
{
	const struct timespec patience = { 0, LOOK_NS };

	__atomic_add_fetch(r->ready, 1, __ATOMIC_ACQ_REL);
	while (!__atomic_load_n(r->go, __ATOMIC_ACQUIRE) && !*r->stop)
		syscall(SYS_futex, r->go, FUTEX_WAIT, 0, &patience, NULL, 0);
}

int pario_replay_alone(const char *descriptor)
{
	static struct pario_trace trace;
	static struct pario_replay r;
	struct parcel *p = open_parcel(descriptor);
	struct pario_err err = { 0 };
	char *shared;

	if (!p)
		return PARIO_SYSTEM;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NAME, "pario");
	if (getppid() != p->parent)
		return PARIO_SYSTEM;
	pario_run_clock(NULL, &p->clock);
	take_scan(p);
	shared = mmap(NULL, p->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->shared, 0);
	close(p->shared);
	if (shared == MAP_FAILED || pario_trace_load(&trace, p->trace, &err) < 0)
		return PARIO_SYSTEM;
	r = (struct pario_replay){ .trace = &trace,
				   .scan = &p->scan,
				   .settings = p->settings,
				   .tree = p->tree,
				   .client = p->client,
				   .near = calloc(p->scan.ranks + 1ul, sizeof(*r.near)) };
	r.data = pario_replay_make_data(p->data_bytes, p->seed);
	memcpy(r.tree_path, p->tree_path, sizeof(r.tree_path));
	pario_replay_take_shared(&r, shared);
	if (!r.near || !r.data)
		return PARIO_SYSTEM;
	r.near[p->client] = true;
	signal(SIGINT, SIG_IGN); /* the client tells its processes when it is over */
	pario_replay_unpack(&trace, &p->scan, p->client);
	wait_for_start(&r);
	return pario_replay_root(&r, p->process) ? 0 : PARIO_SYSTEM;
}
