/*
 * stock: see stock.h.
 */
#include "kit/nht1/stock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "run/test.h"

/* Of the free space of the file system, so that it is never filled. */
#define DISK_SHARE 0.95

enum { CHECKED = 64 << 20 };

/* What the disk has room for; on a file system in memory the data are there twice. */
static uint64_t limit(const struct pario_run *run)
{
	struct pario_room room = pario_run_room(run);
	uint64_t bytes = UINT64_MAX, memory;
	struct statvfs fs;

	if (fstatvfs(pario_run_dirfd(run), &fs) == 0)
		bytes = (uint64_t)(DISK_SHARE * (double)fs.f_bavail * (double)fs.f_frsize /
				   (double)run->clients);
	memory = pario_hoard_spare(room.total_bytes, room.available_bytes, room.clients) / 2;
	return pario_run_in_memory(run) && memory < bytes ? memory : bytes;
}

int pario_stock_init(struct pario_stock *stock, struct pario_run *run, const char *tree,
		     double fraction, struct pario_err *err)
{
	char name[sizeof(stock->tree) + 1];
	struct pario_room room = pario_run_room(run);
	uint64_t own[3], sum[3];
	int status;

	*stock = (struct pario_stock){ .move.dirfd = -1 };
	snprintf(stock->tree, sizeof(stock->tree), "%s", tree);
	snprintf(name, sizeof(name), "%s/", tree);
	snprintf(stock->name, sizeof(stock->name), "%llu", (unsigned long long)run->client);
	status = pario_hoard_init(&stock->hoard, run, fraction, limit(run), err);
	stock->move.name = stock->name;
	stock->move.base = stock->hoard.base;
	stock->move.bytes = stock->hoard.bytes;
	/* All get here, whatever happened to one of them. */
	own[0] = stock->hoard.memory;
	own[1] = stock->hoard.bytes;
	own[2] = stock->hoard.wanted;
	MPI_Allreduce(own, sum, 3, MPI_UINT64_T, MPI_SUM, run->comm);
	stock->amount = (struct pario_hoard_amount){ .memory = sum[0],
						     .bytes = sum[1],
						     .wanted = sum[2],
						     .nodes = room.nodes,
						     .world_nodes = room.world_nodes };
	return status < 0 ? -1 : pario_run_name(run, name, NULL, 0, err);
}

void pario_stock_release(struct pario_stock *stock)
{
	pario_hoard_release(&stock->hoard);
	if (stock->move.dirfd >= 0)
		close(stock->move.dirfd);
	stock->move.dirfd = -1;
}

static int enter(struct pario_stock *stock, struct pario_run *run, struct pario_err *err)
{
	int top = pario_run_dirfd(run);

	if (mkdirat(top, stock->tree, 0700) < 0 && errno != EEXIST)
		return pario_run_file_error(top, stock->tree, "making the directory", err);
	stock->move.dirfd =
		openat(top, stock->tree, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (stock->move.dirfd < 0)
		return pario_run_file_error(top, stock->tree, "opening the directory", err);
	return 0;
}

int pario_stock_fill(struct pario_stock *stock, struct pario_run *run, uint64_t number,
		     struct pario_err *err)
{
	if (stock->move.dirfd < 0 && enter(stock, run, err) < 0)
		return -1;
	pario_run_fill(run, number, run->client, stock->hoard.base, 0, stock->hoard.bytes);
	return 0;
}

int pario_stock_check_file(const struct pario_stock *stock, struct pario_err *err)
{
	char path[PARIO_PATH_ROOM];
	struct stat st;

	if (fstatat(stock->move.dirfd, stock->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return pario_run_file_error(stock->move.dirfd, stock->name, "the stat of", err);
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size == stock->hoard.bytes)
		return 0;
	pario_run_path(stock->move.dirfd, stock->name, path);
	return pario_err_set(err, PARIO_VERIFY,
			     "wrong data in %s: the file has %lld bytes, %llu were written.", path,
			     (long long)st.st_size, (unsigned long long)stock->hoard.bytes);
}

int pario_stock_check_memory(const struct pario_stock *stock, struct pario_run *run,
			     uint64_t number, struct pario_err *err)
{
	uint64_t bytes = stock->hoard.bytes, pieces = (bytes + CHECKED - 1) / CHECKED;
	char path[PARIO_PATH_ROOM];

	pario_run_path(stock->move.dirfd, stock->name, path);
	for (uint64_t i = 0; pario_run_more(run, i, pieces); i++) {
		uint64_t at = i * CHECKED, length = bytes - at < CHECKED ? bytes - at : CHECKED;

		if (pario_run_check(run, number, run->client, stock->hoard.base + at, at, length,
				    path, err) < 0)
			return -1;
		pario_run_count(run, length);
	}
	return 0;
}
