/*
 * memory_dataset: what a client holds in memory (tests/nht1/peak/memory_reservation.h), and its file, numbered
 * like the client, in a directory that all clients share. The data belong to their place in it, so that no second
 * copy is needed to check them.
 */
#ifndef PARIO_TESTS_NHT1_PEAK_MEMORY_DATASET_H
#define PARIO_TESTS_NHT1_PEAK_MEMORY_DATASET_H

#include "engine/test.h"
#include "tests/nht1/peak/memory_reservation.h"
#include "tests/nht1/peak/peak_io.h"

struct pario_memory_dataset {
	struct pario_memory_reservation reservation;
	struct pario_move move; /* all of it, to and from the file */
	char tree[PARIO_NAME_CAPACITY], name[32];
	struct pario_memory_reservation_amount amount; /* of all clients together */
};

/* While planning: the bytes of a client, as init would take them now. */
uint64_t pario_memory_dataset_expect(const struct pario_point *point, double fraction,
				     unsigned copies);

/*
 * In setup, on all clients: takes `fraction` of memory, less when memory or the free space of the disk end it,
 * which has room for `copies` of the data, and names the directory `tree`. Release is fine after a failure.
 */
int pario_memory_dataset_init(struct pario_memory_dataset *dataset, struct pario_run *run,
			      const char *tree, double fraction, unsigned copies,
			      struct pario_err *err);
void pario_memory_dataset_release(struct pario_memory_dataset *dataset);

/* Fills the memory with the data of this number; makes the directory when it is not there. */
int pario_memory_dataset_fill(struct pario_memory_dataset *dataset, struct pario_run *run,
			      uint64_t number, struct pario_err *err);

/* In verify: is the file as long as the data; does memory hold the data of this number? */
int pario_memory_dataset_check_file(const struct pario_memory_dataset *dataset,
				    struct pario_err *err);
int pario_memory_dataset_check_memory(const struct pario_memory_dataset *dataset,
				      struct pario_run *run, uint64_t number,
				      struct pario_err *err);

#endif
