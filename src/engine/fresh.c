/*
 * fresh: does every client see what the others wrote?
 *
 * On one node all clients look through the same cache. Where they do not, network file systems show old sizes and old
 * data for a while: what was read before is kept, and attributes are asked for only now and then. That is their
 * semantics and no loss, so before files are read or compared, every client waits until it sees them as long as they
 * are, and what it has of them is evicted. What cannot be cured by that is told apart by looking again (engine.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/engine.h"

/* How long a size may stay old; then whatever comes of it is said by the call that fails. */
enum { SEEN_S = 10, NAP_NS = 10000000 };

int pario_fresh_begin(struct pario_engine *e, struct pario_err *err)
{
	struct stat st = { 0 };
	int status = 0;
	uint64_t ends[2];

	if (!pario_engine_file_data(e) || !pario_engine_stores(e) || pario_engine_borrows(e))
		return 0;
	if (fstat(pario_engine_dirfd(e), &st) < 0)
		status =
			pario_err_sys(err, errno, "", "%s cannot be looked at", e->workspace->path);
	if (pario_comm_agree(e->comm->mpi, status, NULL, err) < 0)
		return -1;
	/* Clients of one node may still have a mount each, as in containers. */
	ends[0] = (uint64_t)st.st_dev;
	ends[1] = UINT64_MAX - (uint64_t)st.st_dev;
	MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MAX, e->comm->mpi);
	e->apart = e->comm->nodes > 1 || ends[0] != UINT64_MAX - ends[1];
	return 0;
}

/* The size that this client sees now; opened, since that is when many file systems ask the server. */
static uint64_t size_of(const struct pario_engine *e, const char *name)
{
	int fd =
		openat(pario_engine_dirfd(e), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	uint64_t size = 0;

	if (fd >= 0 && fstat(fd, &st) == 0)
		size = (uint64_t)st.st_size;
	if (fd >= 0)
		close(fd);
	return size;
}

static void wait_for_size(const struct pario_engine *e)
{
	const struct timespec nap = { 0, NAP_NS };
	int64_t end = pario_clock_ns() + SEEN_S * (int64_t)1000000000;
	uint64_t size = 0;
	char name[256];

	/* Of files of their own clients know only what they should hold, and not even that after a time limit. */
	pario_access_place(e, e->run.target, name);
	if (e->layout.per_client) {
		size = e->uneven || e->meter.limit_ns ? 0 : e->layout.file_bytes;
	} else {
		size = size_of(e, name);
		MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_UINT64_T, MPI_MAX, e->comm->mpi);
	}
	while (size_of(e, name) < size && pario_clock_ns() < end)
		nanosleep(&nap, NULL);
}

int pario_fresh_files(struct pario_engine *e, bool evict, struct pario_err *err)
{
	if (!e->apart)
		return 0;
	if (evict && pario_cache_state_evict(e, err) < 0)
		return -1;
	wait_for_size(e);
	return 0;
}

bool pario_fresh_looked_old(const struct pario_err *err)
{
	return err->code == PARIO_SYSTEM || (err->code == PARIO_VERIFY && err->sys == ESTALE);
}
