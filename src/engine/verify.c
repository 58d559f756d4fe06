/*
 * verify: is what was written really there? A pass of its own, never timed.
 *
 * The body runs again with transfers that read back and compare, on the client that reads in read phases, so that on
 * several nodes another node checks. Where a shared file pointer chose the places, each client takes every n-th slot
 * of the file and derives from the data where they come from; the clients add up what they found, and the sums
 * agree only if every transfer is there exactly once.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"
#include "engine/engine.h"

static uint64_t ticket(uint64_t client, uint64_t number)
{
	return pario_random_join(client, number);
}

/* Checks this client's share of the slots; adds the tickets found to *sum. */
static int check_slots(struct pario_engine *engine, int fd, uint64_t slots, uint64_t *sum,
		       struct pario_err *err)
{
	uint64_t length = engine->layout.buffer_bytes;
	uint64_t step = (length + PARIO_DATA_BLOCK - 1) / PARIO_DATA_BLOCK;

	uint64_t turn = engine->comm->clients * (engine->sample_step ? engine->sample_step : 1);

	for (uint64_t i = engine->comm->client; i < slots; i += turn) {
		struct pario_owner owner = { .salt = engine->owner.salt };
		uint64_t word, block;

		if (pario_whole_read(fd, engine->buffers, length, i * length) < length)
			return pario_err_sys(err, errno ? errno : ENODATA, "",
					     "%s cannot be read back at offset %llu", engine->path,
					     (unsigned long long)(i * length));
		__builtin_memcpy(&word, engine->buffers, sizeof(word));
		pario_data_decode(&engine->data, owner.salt, word, 0, &owner.client, &block);
		if (owner.client >= engine->comm->clients || block % step != 0 ||
		    pario_data_check(&engine->data, &owner, engine->buffers,
				     block * PARIO_DATA_BLOCK, length) != length)
			return pario_err_set(
				err, PARIO_VERIFY,
				"wrong data in %s: the %llu bytes at offset %llu are not one "
				"whole transfer of any client.",
				engine->path, (unsigned long long)length,
				(unsigned long long)(i * length));
		*sum += ticket(owner.client, block / step);
		engine->meter.bytes += length;
	}
	return 0;
}

static int verify_unordered(struct pario_engine *engine, struct pario_err *err)
{
	uint64_t length = engine->layout.buffer_bytes, own[3] = { 0 }, all[3];
	uint64_t count = engine->layout.data_bytes / engine->comm->clients / length;
	int fd =
		openat(pario_engine_dirfd(engine), engine->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int status;

	if (engine->uneven)
		count = engine->done[engine->comm->client];
	for (uint64_t i = 0; i < count; i++)
		own[0] += ticket(engine->comm->client, i);
	own[1] = count;
	MPI_Allreduce(own, all, 2, MPI_UINT64_T, MPI_SUM, engine->comm->mpi);
	if (fd < 0)
		status = pario_err_sys(err, errno, "", "%s cannot be opened", engine->path);
	else
		status = check_slots(engine, fd, all[1], &own[2], err);
	if (fd >= 0)
		close(fd);
	if (pario_comm_agree(engine->comm->mpi, status, NULL, err) < 0)
		return -1;
	MPI_Allreduce(&own[2], &all[2], 1, MPI_UINT64_T, MPI_SUM, engine->comm->mpi);
	if (all[2] != all[0] && !engine->sample_step)
		return pario_err_set(err, PARIO_VERIFY,
				     "wrong data in %s: some transfer is missing or there twice.",
				     engine->path);
	return 0;
}

int pario_verify_pattern(struct pario_run *run, struct pario_err *err)
{
	struct pario_engine *engine = run->engine;
	struct pario_err later = { 0 };
	int status, closed;

	if (engine->unordered)
		return verify_unordered(engine, err);
	status = pario_access_open(engine, false, err);
	if (status == 0)
		status = run->point->test->body(run, err);
	if (status == 0 && engine->held.code) {
		*err = engine->held;
		status = -1;
	}
	closed = pario_access_close(engine, status == 0 ? err : &later);
	return status == 0 ? closed : status;
}

int pario_verify_size(struct pario_engine *engine, struct pario_err *err)
{
	uint64_t size = engine->layout.file_bytes;
	struct stat st;
	int fd, found;

	/* Opened, not only looked at: on network file systems that brings the size of today. */
	fd = openat(pario_engine_dirfd(engine), engine->name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return pario_err_sys(err, errno, "", "%s cannot be opened", engine->path);
	found = fstat(fd, &st);
	close(fd);
	if (found < 0)
		return pario_err_sys(err, errno, "", "%s cannot be looked at", engine->path);
	if ((uint64_t)st.st_size >= size)
		return 0;
	return pario_err_set(
		err, PARIO_VERIFY,
		"data are missing in %s: it ends at offset %llu, but was written up to "
		"%llu without an error.",
		engine->path, (unsigned long long)st.st_size, (unsigned long long)size);
}
