/*
 * files: one rank's part of a checkpoint, written and read back, in files of its own or in one that all share.
 */
#ifndef PARIO_TESTS_CHECKPOINT_MEASURE_FILES_H
#define PARIO_TESTS_CHECKPOINT_MEASURE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/test.h"
#include "tests/checkpoint/model/shards.h"

struct pario_checkpoint_files {
	struct pario_run *run;
	const struct pario_shards *shards;
	bool shared;
	bool beside;	   /* another thread than the client's writes: it tells the meter nothing */
	uint64_t transfer; /* bytes of one call */
	int dirfd;	   /* where the files are; -1 = not open */
	char *buffer;
	int64_t fill_ns, paused_ns; /* of the phase: making data; comparing them, out of the time */
};

/* A rank's bytes of both kinds. */
uint64_t pario_checkpoint_files_bytes(const struct pario_shards *shards, uint64_t rank);

/*
 * Writes the own part; durable, and under its name, when it returns. A shared file is written by all clients together,
 * and the first one gives it its name when all have theirs.
 */
int pario_checkpoint_files_save(struct pario_checkpoint_files *files, struct pario_err *err);

/* After all have saved, on client 0: the seal. */
int pario_checkpoint_files_seal(struct pario_checkpoint_files *files, struct pario_err *err);

/* Reads the part of a rank, of a checkpoint whose seal was looked at; `compare`: with what it wrote. */
int pario_checkpoint_files_load(struct pario_checkpoint_files *files, uint64_t rank, bool compare,
				struct pario_err *err);

/* Evicts the files of a rank from this node's page cache, and counts what stays. */
int pario_checkpoint_files_evict(struct pario_checkpoint_files *files, uint64_t rank,
				 struct pario_err *err);

#endif
