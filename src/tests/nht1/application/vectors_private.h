/*
 * vectors_private: what the two ways of moving vectors share. Only vectors*.c include it.
 */
#ifndef PARIO_TESTS_NHT1_APPLICATION_VECTORS_PRIVATE_H
#define PARIO_TESTS_NHT1_APPLICATION_VECTORS_PRIVATE_H

#include "tests/nht1/application/vectors.h"

enum { PARIO_VECTORS_SLOTS = 2 };

/* A way to move vectors; vector i uses slot i % slots. Each call is made by the computing thread. */
struct pario_vectors_way {
	int (*open)(struct pario_vectors *v, struct pario_err *err);
	int (*put)(struct pario_vectors *v, uint64_t vector, struct pario_err *err);
	int (*wait)(struct pario_vectors *v, uint64_t vector,
		    struct pario_err *err);	/* until it is over */
	void (*nudge)(struct pario_vectors *v); /* may be NULL */
	int (*finish)(struct pario_vectors *v, int status, struct pario_err *err);
	void (*free)(struct pario_vectors *v);
};

struct pario_vectors {
	struct pario_vectors_shape shape;
	const struct pario_vectors_way *way;
	void *state; /* the way's own */
	char *slot[PARIO_VECTORS_SLOTS];
	unsigned slots; /* 2 when asynchronous */
	uint64_t put;	/* vectors handed over so far */
	bool open;
	struct pario_err held; /* the first failure; later ones add nothing */
	struct pario_vectors_time *times;
};

extern const struct pario_vectors_way pario_vectors_by_backend, pario_vectors_by_mpi;

/* How many pieces one vector of this client is cut into, and how long each is. */
uint64_t pario_vectors_pieces(const struct pario_vectors_shape *shape, uint64_t *bytes);

#endif
