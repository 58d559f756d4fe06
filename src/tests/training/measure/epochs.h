/*
 * epochs: an epoch on some of the clients, step by step, and what it shows.
 *
 * A step waits for its batch, computes, and meets the others. Clients that take no part meet them all the same. Before
 * an epoch each node evicts the data set and counts what stays. After it the samples that were consumed are counted,
 * and their marks added up: an epoch had each sample once where both are those of the whole set.
 */
#ifndef PARIO_TESTS_TRAINING_MEASURE_EPOCHS_H
#define PARIO_TESTS_TRAINING_MEASURE_EPOCHS_H

#include "tests/common/pace.h"
#include "tests/training/measure/loader.h"

struct pario_training {
	struct pario_run *run;
	const struct pario_dataset *set;
	struct pario_samples samples;
	struct pario_loader *loader;
	struct pario_pace pace;
	uint64_t batch, step; /* batch per accelerator; steps so far in this phase */
	enum pario_shuffle shuffle;
	double computation_s;
	bool evict;
	uint64_t node_clients, node_client; /* here, and the place of this one among them */
	uint64_t marks;			    /* of the whole set */
	struct pario_histogram latency;	    /* of samples, on this client */
	/* of this client, over the epochs of a phase */
	int64_t waited_ns, longest_ns;
	uint64_t loaded;
};

/* All seconds are the same on all clients. */
struct pario_epoch_result {
	uint64_t number, accelerators, steps, samples, bytes;
	double seconds, compute_s; /* of the steps that were made */
	double first_wait_s;	   /* the longest wait for a first batch */
	double wait_s;		   /* waiting for the others, mean over the accelerators */
	bool whole, proved;	   /* not cut short; each sample that was due was consumed once */
	uint64_t pages, pages_resident;
};

/* The sum over all samples, each client adding a part. */
uint64_t pario_training_marks(const struct pario_training *training);

/*
 * One epoch on the first `accelerators` clients, of at most `most` steps (0 = all). `key` makes its order. -1 on all
 * clients or on none. *stopped: the time is over, or the user interrupted.
 */
int pario_training_epoch(struct pario_training *training, uint64_t key, uint64_t accelerators,
			 uint64_t most, struct pario_epoch_result *result, bool *stopped,
			 struct pario_err *err);

#endif
