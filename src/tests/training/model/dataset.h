/*
 * dataset: which samples are there, how long is each, where does it stand, and in which order does an epoch take them?
 *
 * All of it is arithmetic: no table grows with the samples. Sizes are drawn from a normal distribution, three
 * deviations wide at most, by the seed and the sample's number. An epoch's order is a permutation by seed, repetition
 * and epoch.
 */
#ifndef PARIO_TESTS_TRAINING_MODEL_DATASET_H
#define PARIO_TESTS_TRAINING_MODEL_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

enum pario_sample_format {
	PARIO_FORMAT_NPZ,
	PARIO_FORMAT_TFRECORD,
	PARIO_FORMAT_HDF5,
	PARIO_FORMAT_RAW
};

enum pario_shuffle { PARIO_SHUFFLE_NONE, PARIO_SHUFFLE_SAMPLES, PARIO_SHUFFLE_FILES };

/* What is published, docs/training.md. */
struct pario_workload {
	const char *name;
	double sample_size, sample_deviation;
	uint64_t samples_per_file, batch, read_threads;
	enum pario_sample_format format;
	double computation_time[2]; /* of a step: A100, H100 */
	double min_au;		    /* percent */
};

extern const struct pario_workload
	pario_workloads[]; /* unet3d, resnet50, cosmoflow; ends with a NULL name */

struct pario_dataset {
	uint64_t files, samples_per_file, seed;
	double sample_size, sample_deviation;
	enum pario_sample_format format;
	uint64_t align; /* files and what is read of them are multiples of this; 1 = none */
};

/* A tfrecord frames its data: length, its sum, data, their sum. */
enum { PARIO_RECORD_HEAD = 12, PARIO_RECORD_TAIL = 4 };

/* Where a sample stands: `length` bytes of the file at `offset`, of which `bytes` from `data` on are its own. */
struct pario_sample_place {
	uint64_t file, offset, length;
	uint64_t data, bytes;
};

uint64_t pario_dataset_samples(const struct pario_dataset *dataset);
uint64_t pario_dataset_most(
	const struct pario_dataset *dataset); /* bytes that a sample's place may have */
struct pario_sample_place pario_dataset_place(const struct pario_dataset *dataset, uint64_t sample);
uint64_t pario_dataset_file_bytes(const struct pario_dataset *dataset, uint64_t file);

/* A sample's own contents, `bytes` from its beginning; the offset of the first wrong one, or `bytes`. */
void pario_dataset_fill(const struct pario_dataset *dataset, uint64_t sample, void *to,
			uint64_t bytes);
uint64_t pario_dataset_check(const struct pario_dataset *dataset, uint64_t sample, const void *at,
			     uint64_t bytes);

/* An epoch: which sample is at a position. */
struct pario_epoch {
	enum pario_shuffle shuffle;
	uint64_t samples, samples_per_file;
	struct pario_permutation order;
};

void pario_epoch_init(struct pario_epoch *epoch, const struct pario_dataset *dataset,
		      enum pario_shuffle shuffle, uint64_t seed, uint64_t repetition,
		      uint64_t number);
uint64_t pario_epoch_at(const struct pario_epoch *epoch, uint64_t position);

/* Of the steps that an epoch of `samples` has, with so many accelerators and so large a batch. */
uint64_t pario_epoch_steps(uint64_t samples, uint64_t accelerators, uint64_t batch);

/* The samples of one accelerator in one step: the first position, and how many. */
struct pario_batch_share {
	uint64_t first, count;
};

struct pario_batch_share pario_epoch_share(uint64_t samples, uint64_t accelerators, uint64_t batch,
					   uint64_t step, uint64_t accelerator);

/* Accelerator utilization of what took `seconds`, without waiting for the first batches: 0 ... 1. */
static inline double pario_training_au(double compute_s, double seconds, double first_wait_s)
{
	return seconds > first_wait_s ? compute_s / (seconds - first_wait_s) : 0;
}

#endif
