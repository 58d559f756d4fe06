/*
 * files: regions of one or two files, moved piece by piece through the backend.
 */
#include "tests/checkpoint/measure/files.h"

#include <stdio.h>
#include <string.h>

#include "tests/checkpoint/measure/seal.h"
#include "tests/common/linear.h"

enum { NAME_CAPACITY = 64, POISON = 4096 };

static const char *const kinds[PARIO_SHARD_KINDS] = { "model", "optimizer" };

/* A rank's share of one kind, and where it stands. */
struct region {
	uint64_t offset, bytes;
	enum pario_shard_kind kind;
};

static bool stores(const struct pario_checkpoint_files *f)
{
	return !(f->run->point->backend->bits & PARIO_BACKEND_NO_DATA);
}

uint64_t pario_checkpoint_files_bytes(const struct pario_shards *shards, uint64_t rank)
{
	return pario_plus(pario_shards_bytes(shards, rank, PARIO_SHARD_MODEL),
			  pario_shards_bytes(shards, rank, PARIO_SHARD_OPTIMIZER));
}

static unsigned file_count(const struct pario_checkpoint_files *f)
{
	return f->shared ? 1 : PARIO_SHARD_KINDS;
}

/* File i of a rank: its name, its regions, and how long it will be; 0 = it has none. */
static uint64_t file_of(const struct pario_checkpoint_files *f, uint64_t rank, unsigned i,
			char name[NAME_CAPACITY], struct region regions[PARIO_SHARD_KINDS],
			unsigned *count)
{
	uint64_t before = 0, whole = 0;

	*count = 0;
	if (!f->shared) {
		snprintf(name, NAME_CAPACITY, "rank_%05llu.%s", (unsigned long long)rank, kinds[i]);
		whole = pario_shards_bytes(f->shards, rank, (enum pario_shard_kind)i);
		regions[(*count)++] = (struct region){ 0, whole, (enum pario_shard_kind)i };
		return whole;
	}
	snprintf(name, NAME_CAPACITY, "ranks.all");
	for (uint64_t r = 0; r < f->run->clients; r++) {
		uint64_t bytes = pario_checkpoint_files_bytes(f->shards, r);

		before += r < rank ? bytes : 0;
		whole += bytes;
	}
	for (int k = 0; k < PARIO_SHARD_KINDS; k++) {
		uint64_t bytes = pario_shards_bytes(f->shards, rank, (enum pario_shard_kind)k);

		regions[(*count)++] = (struct region){ before, bytes, (enum pario_shard_kind)k };
		before += bytes;
	}
	return whole;
}

static int open_file(struct pario_checkpoint_files *f, struct pario_file *file, const char *name,
		     const char *path, bool write, uint64_t bytes, struct pario_err *err)
{
	const struct pario_point *point = f->run->point;
	struct pario_open how = { .dirfd = f->dirfd,
				  .name = name,
				  .path = path,
				  .comm = f->shared ? f->run->comm : MPI_COMM_SELF,
				  .read = !write,
				  .write = write,
				  .create = write,
				  .handed = f->beside,
				  .synchronous = point->access->sync,
				  .data_only = point->access->fdatasync,
				  .preallocate = write && point->access->preallocate,
				  .clients = f->run->clients,
				  .size = bytes,
				  .queue_depth = 1,
				  .hints = &point->access->hints,
				  .params = point->backend_params };

	return pario_linear_open(point->backend, file, &how, err);
}

static void fill(struct pario_checkpoint_files *f, const struct region *region, uint64_t at,
		 uint64_t length)
{
	int64_t began = pario_run_now();

	if (stores(f))
		pario_run_fill(f->run, region->kind, f->run->client, f->buffer, at, length);
	f->fill_ns += pario_run_now() - began;
}

static int check(struct pario_checkpoint_files *f, const struct region *region, uint64_t rank,
		 uint64_t at, uint64_t length, const char *path, struct pario_err *err)
{
	int status = stores(f) ? pario_run_check(f->run, region->kind, rank, f->buffer, at, length,
						 path, err)
			       : 0;

	f->paused_ns += pario_run_pause(f->run);
	return status;
}

static int move_region(struct pario_checkpoint_files *f, struct pario_file *file, bool write,
		       bool compare, const struct region *region, uint64_t rank,
		       struct pario_err *err)
{
	for (uint64_t at = 0; at < region->bytes; at += f->transfer) {
		uint64_t left = region->bytes - at,
			 length = left < f->transfer ? left : f->transfer;

		if (write)
			fill(f, region, at, length);
		else
			pario_run_poison(f->buffer, length < POISON ? length : POISON);
		if (pario_linear_move(file, write, f->buffer, region->offset + at, length, err) < 0)
			return -1;
		if (!f->beside)
			pario_run_count(f->run, length);
		if (compare && check(f, region, rank, at, length, file->how.path, err) < 0)
			return -1;
	}
	return 0;
}

static void step(struct pario_checkpoint_files *f, enum pario_step part)
{
	if (!f->beside && f->run->mode == PARIO_MODE_TIMED)
		pario_run_step(f->run, part);
}

/* All regions of a file, and its end. Libraries sync and close together, also when one of the clients has failed. */
static int move_file(struct pario_checkpoint_files *f, const char *name, bool write, bool compare,
		     const struct region *regions, unsigned count, uint64_t whole, uint64_t rank,
		     struct pario_err *err)
{
	struct pario_err later = { 0 };
	char path[PARIO_PATH_CAPACITY];
	struct pario_file file;
	int status = 0, ended;

	pario_run_path(f->dirfd, name, path);
	if (open_file(f, &file, name, path, write, whole, err) < 0)
		return -1;
	step(f, PARIO_STEP_OPEN);
	for (unsigned i = 0; i < count && status == 0; i++)
		status = move_region(f, &file, write, compare, &regions[i], rank, err);
	step(f, PARIO_STEP_TRANSFER);
	if (write) {
		ended = pario_linear_sync(&file, status ? &later : err);
		status = status ? status : ended;
		step(f, PARIO_STEP_SYNC);
	}
	ended = pario_linear_close(&file, status ? &later : err);
	step(f, PARIO_STEP_CLOSE);
	return status ? status : ended;
}

/* A shared file gets its name when all have written their parts. */
static int settle(struct pario_checkpoint_files *f, const char *name, int status,
		  struct pario_err *err)
{
	if (f->shared && pario_run_agree(f->run->comm, status, err) < 0)
		return -1;
	if (status < 0 || !stores(f) || (f->shared && f->run->client != 0))
		return status;
	return pario_seal_settle(f->dirfd, name, err);
}

int pario_checkpoint_files_save(struct pario_checkpoint_files *files, struct pario_err *err)
{
	struct region regions[PARIO_SHARD_KINDS];
	char name[NAME_CAPACITY], part[NAME_CAPACITY + 8];
	unsigned count;
	uint64_t whole;
	int status = 0;

	for (unsigned i = 0; i < file_count(files) && status == 0; i++) {
		whole = file_of(files, files->run->client, i, name, regions, &count);
		if (whole == 0)
			continue;
		snprintf(part, sizeof(part), "%s" PARIO_SEAL_PART, name);
		status = move_file(files, part, true, false, regions, count, whole,
				   files->run->client, err);
		status = settle(files, name, status, err);
	}
	step(files, PARIO_STEP_SYNC);
	return status;
}

int pario_checkpoint_files_seal(struct pario_checkpoint_files *files, struct pario_err *err)
{
	struct region regions[PARIO_SHARD_KINDS];
	struct pario_text list = { 0 };
	char name[NAME_CAPACITY];
	unsigned count;
	int status;

	if (!stores(files))
		return 0;
	for (uint64_t r = 0; r < (files->shared ? 1 : files->run->clients); r++)
		for (unsigned i = 0; i < file_count(files); i++) {
			uint64_t bytes = file_of(files, r, i, name, regions, &count);

			if (bytes)
				pario_text_add(&list, "%llu %s\n", (unsigned long long)bytes, name);
		}
	status = pario_seal_close(files->dirfd, &list, err);
	pario_text_release(&list);
	return status;
}

int pario_checkpoint_files_load(struct pario_checkpoint_files *files, uint64_t rank, bool compare,
				struct pario_err *err)
{
	struct region regions[PARIO_SHARD_KINDS];
	char name[NAME_CAPACITY];
	unsigned count;
	uint64_t whole;
	int status = 0;

	for (unsigned i = 0; i < file_count(files) && status == 0; i++) {
		whole = file_of(files, rank, i, name, regions, &count);
		if (whole)
			status = move_file(files, name, false, compare, regions, count, whole, rank,
					   err);
	}
	return status;
}

int pario_checkpoint_files_evict(struct pario_checkpoint_files *files, uint64_t rank,
				 struct pario_err *err)
{
	struct region regions[PARIO_SHARD_KINDS];
	char name[NAME_CAPACITY];
	unsigned count;

	for (unsigned i = 0; i < file_count(files) && stores(files); i++) {
		if (file_of(files, rank, i, name, regions, &count) &&
		    pario_run_evict(files->run, files->dirfd, name, err) < 0)
			return -1;
	}
	return 0;
}
