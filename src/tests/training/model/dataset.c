/*
 * dataset: sizes by a draw for each sample, places of samples in files, orders of epochs and shares of batches. Who
 * makes and reads the files is in measure/loader.c.
 */
#include "tests/training/model/dataset.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"

/* A normal draw beyond this is taken back to it: buffers have a bound. */
#define WIDEST 3.0

enum { SHORTEST = 16 };

const struct pario_workload pario_workloads[] = {
	{ .name = "unet3d",
	  .sample_size = 146600628,
	  .sample_deviation = 68341808,
	  .samples_per_file = 1,
	  .batch = 7,
	  .read_threads = 4,
	  .format = PARIO_FORMAT_NPZ,
	  .computation_time = { 0.636, 0.323 },
	  .min_au = 90 },
	{ .name = "resnet50",
	  .sample_size = 114660,
	  .samples_per_file = 1251,
	  .batch = 400,
	  .read_threads = 8,
	  .format = PARIO_FORMAT_TFRECORD,
	  .computation_time = { 0.435, 0.224 },
	  .min_au = 90 },
	{ .name = "cosmoflow",
	  .sample_size = 2828486,
	  .sample_deviation = 71311,
	  .samples_per_file = 1,
	  .batch = 1,
	  .read_threads = 4,
	  .format = PARIO_FORMAT_TFRECORD,
	  .computation_time = { 0.00551, 0.00350 },
	  .min_au = 70 },
	{ 0 },
};

static uint64_t draw(const struct pario_dataset *d, double deviations)
{
	double bytes = round(d->sample_size + deviations * d->sample_deviation);

	return bytes < SHORTEST ? SHORTEST : (uint64_t)bytes;
}

static uint64_t size_of(const struct pario_dataset *d, uint64_t sample)
{
	double u, z;

	if (!(d->sample_deviation > 0))
		return draw(d, 0);
	u = ((double)(pario_random_join(d->seed, sample) >> 11) + 0.5) / 9007199254740992.0;
	z = pario_stats_normal(u);
	return draw(d, z > WIDEST ? WIDEST : z < -WIDEST ? -WIDEST : z);
}

static uint64_t frame(const struct pario_dataset *d)
{
	return d->format == PARIO_FORMAT_TFRECORD ? PARIO_RECORD_HEAD + PARIO_RECORD_TAIL : 0;
}

static uint64_t round_up(const struct pario_dataset *d, uint64_t bytes)
{
	return pario_times(bytes / d->align + (bytes % d->align != 0), d->align);
}

uint64_t pario_dataset_samples(const struct pario_dataset *dataset)
{
	return pario_times(dataset->files, dataset->samples_per_file);
}

uint64_t pario_dataset_most(const struct pario_dataset *dataset)
{
	uint64_t bytes = draw(dataset, WIDEST) + frame(dataset);

	return dataset->align > 1 ? round_up(dataset, bytes) + 2 * dataset->align : bytes;
}

/* Samples of a file that has several are of one size. */
struct pario_sample_place pario_dataset_place(const struct pario_dataset *dataset, uint64_t sample)
{
	uint64_t each = dataset->samples_per_file, bytes = size_of(dataset, sample);
	uint64_t from = sample % each * (bytes + frame(dataset)), down = from % dataset->align;
	struct pario_sample_place p = {
		.file = sample / each, .offset = from - down, .data = down, .bytes = bytes
	};

	if (dataset->format == PARIO_FORMAT_TFRECORD)
		p.data += PARIO_RECORD_HEAD;
	p.length = round_up(dataset, down + bytes + frame(dataset));
	return p;
}

uint64_t pario_dataset_file_bytes(const struct pario_dataset *dataset, uint64_t file)
{
	uint64_t each = dataset->samples_per_file;

	return round_up(dataset, pario_times(each, size_of(dataset, file * each) + frame(dataset)));
}

static uint64_t word(uint64_t key, uint64_t at)
{
	return pario_random_mix(key + at);
}

void pario_dataset_fill(const struct pario_dataset *dataset, uint64_t sample, void *to,
			uint64_t bytes)
{
	uint64_t key = pario_random_join(~dataset->seed, sample);

	for (uint64_t at = 0; at < bytes; at += sizeof(key)) {
		uint64_t value = word(key, at), left = bytes - at;

		memcpy((char *)to + at, &value, left < sizeof(value) ? left : sizeof(value));
	}
}

uint64_t pario_dataset_check(const struct pario_dataset *dataset, uint64_t sample, const void *at,
			     uint64_t bytes)
{
	uint64_t key = pario_random_join(~dataset->seed, sample);
	const char *from = at;

	for (uint64_t i = 0; i < bytes; i += sizeof(key)) {
		uint64_t value = word(key, i), left = bytes - i;
		uint64_t length = left < sizeof(value) ? left : sizeof(value), wrong = 0;

		if (memcmp(from + i, &value, length) == 0)
			continue;
		while (from[i + wrong] == ((const char *)&value)[wrong])
			wrong++;
		return i + wrong;
	}
	return bytes;
}

void pario_epoch_init(struct pario_epoch *epoch, const struct pario_dataset *dataset,
		      enum pario_shuffle shuffle, uint64_t seed, uint64_t repetition,
		      uint64_t number)
{
	*epoch = (struct pario_epoch){ .shuffle = shuffle,
				       .samples = pario_dataset_samples(dataset),
				       .samples_per_file = dataset->samples_per_file };
	pario_permutation_init(&epoch->order,
			       shuffle == PARIO_SHUFFLE_FILES ? dataset->files : epoch->samples,
			       pario_random_join(pario_random_join(seed, repetition), number));
}

uint64_t pario_epoch_at(const struct pario_epoch *epoch, uint64_t position)
{
	uint64_t each = epoch->samples_per_file;

	if (epoch->shuffle == PARIO_SHUFFLE_NONE)
		return position;
	if (epoch->shuffle == PARIO_SHUFFLE_SAMPLES)
		return pario_permutation_at(&epoch->order, position);
	return pario_permutation_at(&epoch->order, position / each) * each + position % each;
}

uint64_t pario_epoch_steps(uint64_t samples, uint64_t accelerators, uint64_t batch)
{
	uint64_t each = pario_times(accelerators, batch);

	return samples / each + (samples % each != 0);
}

struct pario_batch_share pario_epoch_share(uint64_t samples, uint64_t accelerators, uint64_t batch,
					   uint64_t step, uint64_t accelerator)
{
	struct pario_batch_share s = { .first = (step * accelerators + accelerator) * batch };

	if (accelerator < accelerators && s.first < samples)
		s.count = samples - s.first < batch ? samples - s.first : batch;
	return s;
}
