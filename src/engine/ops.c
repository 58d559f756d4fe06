/*
 * ops: for tests that access storage themselves: names, operations and steps instead of transfers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/wipe.h"
#include "engine/cache.h"
#include "engine/engine.h"
#include "engine/ticks.h"
#include "machine/machine.h"

int pario_run_dirfd(const struct pario_run *run)
{
	return run->engine->workspace->dirfd;
}

void pario_run_reach(const struct pario_run *run, const char *name, char *path, size_t capacity)
{
	snprintf(path, capacity, "/proc/self/fd/%d/%s", pario_run_dirfd(run), name);
}

const char *pario_run_id(const struct pario_run *run)
{
	const char *id = strrchr(run->engine->workspace->path, '-');

	return id ? id + 1 : "run";
}

void pario_run_own_name(const struct pario_run *run, const char *name,
			char own[PARIO_NAME_CAPACITY])
{
	int length = (int)strcspn(name, "/");

	if (run->engine->workspace->apart)
		snprintf(own, PARIO_NAME_CAPACITY, "%.*s.%llu%s", length, name,
			 (unsigned long long)run->engine->turn, name + length);
	else
		snprintf(own, PARIO_NAME_CAPACITY, "%s", name);
}

int pario_run_name(struct pario_run *run, const char *name, char *path, size_t capacity,
		   struct pario_err *err)
{
	struct pario_engine *e = run->engine;
	size_t i = 0;

	if (path)
		snprintf(path, capacity, "%s/%s", e->workspace->path, name);
	while (i < e->named_count && strcmp(e->named[i], name) != 0)
		i++;
	if (i < e->named_count)
		return 0;
	if (i == PARIO_ENGINE_NAMES)
		return pario_err_set(err, PARIO_SYSTEM, "the test %s names more than %d files.",
				     run->point->test->name, PARIO_ENGINE_NAMES);
	snprintf(e->named[e->named_count++], sizeof(e->named[0]), "%s", name);
	return run->client == 0 ? pario_workspace_name(e->workspace, name, err) : 0;
}

/* The directory is asked for its path only now, when there is something to say about it. */
void pario_run_path(int dirfd, const char *name, char path[PARIO_PATH_CAPACITY])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
	length = readlink(link, path, 4096);
	if (length < 0)
		length = 0;
	snprintf(path + length, PARIO_PATH_CAPACITY - (size_t)length, "%s%s", length ? "/" : "",
		 name);
}

int pario_run_file_error(int dirfd, const char *name, const char *what, struct pario_err *err)
{
	char path[PARIO_PATH_CAPACITY];
	int sys = errno;
	const char *hint = dirfd == AT_FDCWD ? NULL : pario_backend_hint(false, sys);

	pario_run_path(dirfd, name, path);
	return pario_err_sys(err, sys, hint, "%s %s failed", what, path);
}

int pario_run_directory(struct pario_run *run, const char *name, int *fd, struct pario_err *err)
{
	int above = pario_run_dirfd(run), status = 0;

	if (run->client == 0 && mkdirat(above, name, 0700) < 0 && errno != EEXIST)
		status = pario_run_file_error(above, name, "making the directory", err);
	if (pario_comm_agree(run->comm, status, NULL, err) < 0)
		return -1;
	*fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0)
		status = pario_run_file_error(above, name, "opening the directory", err);
	return pario_comm_agree(run->comm, status, NULL, err);
}

int pario_run_wipe(int dirfd, const char *name, struct pario_err *err)
{
	if (pario_wipe(dirfd, name, NULL) == 0)
		return 0;
	return pario_run_file_error(dirfd, name, "removing", err);
}

static int64_t end_of_one(struct pario_run *run, int64_t start, uint64_t bytes)
{
	struct pario_engine *e = run->engine;
	int64_t end;

	if (run->mode == PARIO_MODE_VERIFY)
		e->meter.bytes += bytes;
	if (run->mode != PARIO_MODE_TIMED)
		return 0;
	end = pario_ticks_ns();
	pario_meter_op(&e->meter, start, end, bytes);
	if (end >= e->pull_ns)
		run->until = 0;
	return end - start;
}

int64_t pario_run_now(void)
{
	return pario_ticks_ns();
}

void pario_run_clock(struct pario_run_clock *to, const struct pario_run_clock *from)
{
	_Static_assert(sizeof(*to) >= sizeof(pario_ticks), "the state of the clock fits");
	if (to)
		memcpy(to, &pario_ticks, sizeof(pario_ticks));
	if (from)
		memcpy(&pario_ticks, from, sizeof(pario_ticks));
}

int64_t pario_run_count(struct pario_run *run, uint64_t bytes)
{
	return end_of_one(run, run->engine->meter.last_ns, bytes);
}

void pario_run_finish(struct pario_run *run, int64_t begun, uint64_t bytes)
{
	end_of_one(run, begun, bytes);
}

void pario_run_failed(struct pario_run *run, const struct pario_err *why)
{
	struct pario_engine *e = run->engine;

	if (e->meter.failed++ == 0)
		e->failure = *why;
	e->meter.last_ns = pario_ticks_ns();
	if (e->meter.last_ns >= e->pull_ns)
		run->until = 0;
}

void pario_run_skip(struct pario_run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(run->engine->skipped, sizeof(run->engine->skipped), format, args);
	va_end(args);
}

void pario_run_suspect(struct pario_run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(run->engine->doubt, sizeof(run->engine->doubt), format, args);
	va_end(args);
}

struct pario_free_space pario_run_capacity(const struct pario_run *run)
{
	struct pario_free_space capacity = { .node_bytes = pario_machine_memory_node(),
					     .total_bytes = pario_machine_memory_total(),
					     .available_bytes = pario_machine_memory_available(),
					     .clients = run ? run->engine->comm->node_clients : 1,
					     .node = run ? run->engine->comm->node : 0,
					     .nodes = run ? run->engine->comm->nodes : 1,
					     .world_nodes =
						     run ? run->engine->comm->world_nodes : 1 };

	capacity.share_bytes = capacity.total_bytes / capacity.clients;
	return capacity;
}

uint64_t pario_run_partner(const struct pario_run *run)
{
	const struct pario_comm *comm = run->engine->comm;

	return comm->nodes > 1 ? comm->partner : (comm->client + 1) % comm->clients;
}

void pario_run_gather(struct pario_run *run, uint64_t own, uint64_t *all)
{
	MPI_Allgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, run->comm);
}

uint64_t pario_run_number_of(struct pario_run *run, uint64_t own, uint64_t other)
{
	enum { QUESTION = 8, ANSWER = 9 };
	MPI_Request asked, answer;
	MPI_Status who;
	uint64_t number;

	MPI_Irecv(&number, 1, MPI_UINT64_T, (int)other, ANSWER, run->comm, &answer);
	MPI_Isend(NULL, 0, MPI_BYTE, (int)other, QUESTION, run->comm, &asked);
	MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, QUESTION, run->comm, &who);
	MPI_Send(&own, 1, MPI_UINT64_T, who.MPI_SOURCE, ANSWER, run->comm);
	MPI_Wait(&answer, MPI_STATUS_IGNORE);
	MPI_Wait(&asked, MPI_STATUS_IGNORE);
	MPI_Barrier(run->comm); /* a question of the next round must not be taken for one of this */
	return number;
}

void pario_run_merge(struct pario_run *run, struct pario_histogram *histogram)
{
	uint64_t ends[2] = { histogram->count ? UINT64_MAX - histogram->min_ns : 0,
			     histogram->max_ns };

	MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MAX, run->comm);
	MPI_Allreduce(MPI_IN_PLACE, &histogram->count, 1, MPI_UINT64_T, MPI_SUM, run->comm);
	MPI_Allreduce(MPI_IN_PLACE, histogram->bucket, PARIO_HISTOGRAM_BUCKETS, MPI_UINT64_T,
		      MPI_SUM, run->comm);
	histogram->min_ns = histogram->count ? UINT64_MAX - ends[0] : 0;
	histogram->max_ns = ends[1];
}

void pario_run_metric(struct pario_run *run, const char *name, const char *unit, double value)
{
	if (run->mode != PARIO_MODE_FILL && run->engine->result)
		pario_result_metric(run->engine->result, name, unit, value);
}

void pario_run_took(struct pario_run *run, double seconds)
{
	struct pario_meter *m = &run->engine->meter;

	if (run->mode != PARIO_MODE_TIMED)
		return;
	m->took_s = seconds;
	m->last_ns = pario_ticks_ns();
	m->excluded_ns = m->last_ns - m->start_ns - (int64_t)(seconds * 1e9);
}

double pario_run_seconds(const struct pario_run *run)
{
	return run->engine->result->seconds.total;
}

bool pario_run_compares(const struct pario_run *run)
{
	return !run->phase->write && run->point->access->verify && !run->engine->borrows;
}

bool pario_run_in_memory(const struct pario_run *run)
{
	return pario_cache_in_memory(run->engine->workspace->dirfd);
}

void pario_run_row(struct pario_run *run, const char *table, const char *columns,
		   const struct pario_datum *cells)
{
	if (run->mode != PARIO_MODE_FILL && run->engine->result && run->client == 0)
		pario_result_tables_row(&run->engine->tables, table, columns, cells);
}

int64_t pario_run_lap(struct pario_run *run)
{
	struct pario_meter *m = &run->engine->meter;
	int64_t from = m->last_ns;

	m->last_ns = pario_ticks_ns();
	return m->last_ns - from;
}

int64_t pario_run_pause(struct pario_run *run)
{
	int64_t ns = pario_run_lap(run);

	run->engine->meter.excluded_ns += ns;
	return ns;
}

void pario_run_step(struct pario_run *run, enum pario_step step)
{
	struct pario_meter *m = &run->engine->meter;
	int64_t now = pario_ticks_ns(), *const parts[] = {
		[PARIO_STEP_OPEN] = &m->open_ns,
		[PARIO_STEP_TRANSFER] = &m->transfer_ns,
		[PARIO_STEP_SYNC] = &m->sync_ns,
		[PARIO_STEP_CLOSE] = &m->close_ns,
	};

	*parts[step] += now - (m->step_ns ? m->step_ns : m->start_ns) -
			(m->excluded_ns - m->step_excluded_ns);
	m->step_ns = m->last_ns = now;
	m->step_excluded_ns = m->excluded_ns;
}

int pario_run_info(const struct pario_run *run, MPI_Info *info, struct pario_err *err)
{
	char key[128], value[512];
	size_t cursor = 0;

	MPI_Info_create(info);
	while (pario_hints_next(&run->point->access->hints, &cursor, key, value)) {
		if (MPI_Info_set(*info, key, value) != MPI_SUCCESS) {
			MPI_Info_free(info);
			return pario_err_set(err, PARIO_USAGE,
					     "the MPI library refuses the hint %s=%s.", key, value);
		}
	}
	return 0;
}

static struct pario_owner owner_of(const struct pario_run *run, uint64_t file, uint64_t client)
{
	const struct pario_engine *e = run->engine;

	return (struct pario_owner){
		.salt = pario_data_salt(&e->data, pario_random_join(e->file_id, file), 0),
		.client = client,
	};
}

void pario_run_poison(void *buffer, uint64_t length)
{
	pario_data_poison(buffer, length);
}

void pario_run_fill(const struct pario_run *run, uint64_t file, uint64_t client, void *buffer,
		    uint64_t offset, uint64_t length)
{
	struct pario_owner owner = owner_of(run, file, client);

	pario_data_fill(&run->engine->data, &owner, buffer, offset, length);
}

int pario_run_check(const struct pario_run *run, uint64_t file, uint64_t client, const void *buffer,
		    uint64_t offset, uint64_t length, const char *path, struct pario_err *err)
{
	struct pario_owner owner = owner_of(run, file, client);

	return pario_data_report(&run->engine->data, &owner, buffer, offset, length, path,
				 run->client, err);
}
