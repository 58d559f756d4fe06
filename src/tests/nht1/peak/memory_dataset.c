/*
 * memory_dataset: fills the reservation with data that belong to their place, and checks it in memory and on file.
 */
#include "tests/nht1/peak/memory_dataset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/room.h"
#include "engine/test.h"

/* Of the free space of the file system, so that it is never filled. */
#define DISK_SHARE 0.95

enum { CHECKED = 64 << 20 };

/* What the disk has room for; on a file system in memory the data are there twice. */
static uint64_t limit(const struct pario_run *run, unsigned copies)
{
	struct pario_free_space capacity = pario_run_capacity(run);
	uint64_t bytes = UINT64_MAX, memory;
	struct pario_room room;

	if (pario_room_of(pario_run_dirfd(run), &room) == 0)
		bytes = (uint64_t)(DISK_SHARE * (double)room.free_bytes /
				   ((double)run->clients * copies));
	memory = pario_memory_reservation_spare(capacity.total_bytes, capacity.available_bytes,
						capacity.clients) /
		 2;
	return pario_run_in_memory(run) && memory < bytes ? memory : bytes;
}

uint64_t pario_memory_dataset_expect(const struct pario_point *point, double fraction,
				     unsigned copies)
{
	struct pario_free_space node = pario_run_capacity(NULL);
	uint64_t bytes =
		pario_memory_reservation_share(node.total_bytes, point->per_node, fraction);
	uint64_t spare = pario_memory_reservation_spare(node.total_bytes, node.available_bytes,
							point->per_node);
	uint64_t disk = (uint64_t)(DISK_SHARE * (double)point->free_bytes /
				   ((double)point->clients * copies));

	bytes = bytes < spare ? bytes : spare;
	bytes = bytes < disk ? bytes : disk;
	return bytes / PARIO_MEMORY_RESERVATION_UNIT * PARIO_MEMORY_RESERVATION_UNIT;
}

int pario_memory_dataset_init(struct pario_memory_dataset *dataset, struct pario_run *run,
			      const char *tree, double fraction, unsigned copies,
			      struct pario_err *err)
{
	char name[sizeof(dataset->tree) + 1];
	struct pario_free_space capacity = pario_run_capacity(run);
	uint64_t own[4], sum[4];
	int status;

	*dataset = (struct pario_memory_dataset){ .move.dirfd = -1 };
	pario_run_own_name(run, tree, dataset->tree);
	snprintf(name, sizeof(name), "%s/", dataset->tree);
	snprintf(dataset->name, sizeof(dataset->name), "%llu", (unsigned long long)run->client);
	status = pario_memory_reservation_init(&dataset->reservation, run, fraction,
					       limit(run, copies), err);
	dataset->move.name = dataset->name;
	dataset->move.base = dataset->reservation.base;
	dataset->move.bytes = dataset->reservation.bytes;
	/* All get here, whatever happened to one of them. */
	own[0] = dataset->reservation.memory;
	own[1] = dataset->reservation.bytes;
	own[2] = dataset->reservation.wanted;
	own[3] = dataset->reservation.allowed;
	MPI_Allreduce(own, sum, 4, MPI_UINT64_T, MPI_SUM, run->comm);
	dataset->amount =
		(struct pario_memory_reservation_amount){ .memory = sum[0],
							  .bytes = sum[1],
							  .wanted = sum[2],
							  .allowed = sum[3],
							  .nodes = capacity.nodes,
							  .world_nodes = capacity.world_nodes };
	return status < 0 ? -1 : pario_run_name(run, name, NULL, 0, err);
}

void pario_memory_dataset_release(struct pario_memory_dataset *dataset)
{
	pario_memory_reservation_release(&dataset->reservation);
	if (dataset->move.dirfd >= 0)
		close(dataset->move.dirfd);
	dataset->move.dirfd = -1;
}

int pario_memory_dataset_fill(struct pario_memory_dataset *dataset, struct pario_run *run,
			      uint64_t number, struct pario_err *err)
{
	if (dataset->move.dirfd < 0 &&
	    pario_run_directory(run, dataset->tree, &dataset->move.dirfd, err) < 0)
		return -1;
	pario_run_fill(run, number, run->client, dataset->reservation.base, 0,
		       dataset->reservation.bytes);
	return 0;
}

int pario_memory_dataset_check_file(const struct pario_memory_dataset *dataset,
				    struct pario_err *err)
{
	char path[PARIO_PATH_CAPACITY];
	struct stat st;

	if (fstatat(dataset->move.dirfd, dataset->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return pario_run_file_error(dataset->move.dirfd, dataset->name, "the stat of", err);
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size == dataset->reservation.bytes)
		return 0;
	pario_run_path(dataset->move.dirfd, dataset->name, path);
	return pario_err_set(err, PARIO_VERIFY,
			     "wrong data in %s: the file has %lld bytes, %llu were written.", path,
			     (long long)st.st_size, (unsigned long long)dataset->reservation.bytes);
}

int pario_memory_dataset_check_memory(const struct pario_memory_dataset *dataset,
				      struct pario_run *run, uint64_t number, struct pario_err *err)
{
	uint64_t bytes = dataset->reservation.bytes, pieces = (bytes + CHECKED - 1) / CHECKED;
	char path[PARIO_PATH_CAPACITY];

	pario_run_path(dataset->move.dirfd, dataset->name, path);
	for (uint64_t i = 0; pario_run_more(run, i, pieces); i++) {
		uint64_t at = i * CHECKED, length = bytes - at < CHECKED ? bytes - at : CHECKED;

		if (pario_run_check(run, number, run->client, dataset->reservation.base + at, at,
				    length, path, err) < 0)
			return -1;
		pario_run_count(run, length);
	}
	return 0;
}
