/*
 * loader: threads that read the batches of one accelerator ahead, or its step itself where there are none.
 *
 * A loader takes the next batch that nobody has begun and reads its samples one after the other: open, read, close, or
 * from a file that it holds open where files have many samples. Data go into a buffer of the loader's own and are
 * looked at there: what the frame of the format proves, and the sample's first word, which becomes part of the sum that
 * shows which samples an epoch had.
 */
#ifndef PARIO_TESTS_TRAINING_MEASURE_LOADER_H
#define PARIO_TESTS_TRAINING_MEASURE_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"
#include "engine/test.h"
#include "tests/training/model/dataset.h"

/* What a loader needs to know of the data, the same for all. */
struct pario_samples {
	const struct pario_run *run;
	const struct pario_dataset *set;
	int dirfd;
	const char *path; /* of it, with a slash, for sentences */
	bool compare;	  /* every byte */
};

/* Of one batch, or of many. */
struct pario_loaded {
	uint64_t samples, bytes;
	uint64_t sum; /* over the samples, of their first words */
};

void pario_samples_name(uint64_t file, char name[32]);
/* What a sample adds to the sum. */
uint64_t pario_samples_mark(const struct pario_samples *samples, uint64_t sample);
/* Makes one file of the set, durably. */
int pario_samples_make(const struct pario_samples *samples, uint64_t file, void *buffer,
		       struct pario_err *err);

struct pario_loader; /* one accelerator's */

/* So many threads, 0 = the step reads; what `samples` points to, buffers and histograms last from epoch to epoch. */
struct pario_loader *pario_loader_new(const struct pario_samples *samples, uint64_t threads,
				      uint64_t prefetch, struct pario_err *err);
void pario_loader_free(struct pario_loader *loader); /* NULL is fine */

/* The steps 0 ... steps-1 of an epoch for accelerator `own` of `accelerators`. Starts the threads. */
struct pario_course {
	const struct pario_epoch *epoch;
	uint64_t steps, batch, accelerators, own;
};
int pario_loader_begin(struct pario_loader *loader, const struct pario_course *course,
		       struct pario_err *err);
/* Waits for the next batch, in their order. -1 when a loader has failed. */
int pario_loader_next(struct pario_loader *loader, struct pario_loaded *batch,
		      struct pario_err *err);
/* Ends the threads, whatever they have under way. */
void pario_loader_end(struct pario_loader *loader);

/* Times of single samples since the last call: adds them to `to`. */
void pario_loader_latency(struct pario_loader *loader, struct pario_histogram *to);

#endif
