/*
 * sample: a generated tree of small files for programs to work on: directories d0, d1, ... with files f0, f1, ...
 * dealt out to them in turn. The data of file i are those of number i.
 */
#ifndef PARIO_TESTS_INTERACTIVE_SAMPLE_H
#define PARIO_TESTS_INTERACTIVE_SAMPLE_H

#include <stdint.h>

#include "engine/test.h"

struct pario_sample {
	uint64_t files, directories, bytes;
	int base; /* the client's own directory, where its trees are; -1 while not open */
	char tree[PARIO_NAME_CAPACITY]; /* that holds the directories of all clients */
	char path[4200], reach[160];	/* of it: for sentences, and to open it by */
	char *buffer;			/* one file */
};

/* In setup: names the directory that holds those of the clients, makes nothing. Release is fine after a failure. */
int pario_sample_init(struct pario_sample *sample, struct pario_run *run, const char *name,
		      uint64_t files, uint64_t directories, uint64_t bytes, struct pario_err *err);
void pario_sample_release(struct pario_sample *sample);

/* Makes and opens the client's directory. Collective. */
int pario_sample_enter(struct pario_sample *sample, struct pario_run *run, struct pario_err *err);

/* Makes a directory in it. Makes a tree of this name in it; evicts its files. */
int pario_sample_directory(struct pario_sample *sample, const char *name, struct pario_err *err);
int pario_sample_make(struct pario_sample *sample, struct pario_run *run, const char *tree,
		      struct pario_err *err);
int pario_sample_evict(struct pario_sample *sample, struct pario_run *run, const char *tree,
		       struct pario_err *err);
/* In verify: every file of the tree is there with its data. */
int pario_sample_verify(struct pario_sample *sample, struct pario_run *run, const char *tree,
			struct pario_err *err);

#endif
