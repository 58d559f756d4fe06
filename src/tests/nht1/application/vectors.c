/*
 * vectors: slots and their order; the transfers themselves are in vectors_backend.c and vectors_mpi.c.
 */
#include "tests/nht1/application/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "engine/test.h"
#include "tests/nht1/application/vectors_private.h"

uint64_t pario_vectors_bytes(const struct pario_vectors_shape *shape)
{
	return shape->nz * shape->lines * shape->line_bytes;
}

uint64_t pario_vectors_offset(const struct pario_vectors_shape *shape, uint64_t vector)
{
	uint64_t plane = shape->lines * shape->line_bytes;

	if (shape->layout == PARIO_VECTORS_EPIO)
		return vector * shape->nz * plane;
	return (vector * shape->planes + shape->z0) * plane;
}

uint64_t pario_vectors_pieces(const struct pario_vectors_shape *shape, uint64_t *bytes)
{
	bool simple = shape->layout == PARIO_VECTORS_SIMPLE;

	*bytes = simple ? shape->line_bytes : pario_vectors_bytes(shape);
	return simple ? shape->nz * shape->lines : 1;
}

struct pario_vectors *pario_vectors_new(const struct pario_vectors_shape *shape,
					struct pario_err *err)
{
	struct pario_vectors *v = calloc(1, sizeof(*v));
	size_t bytes = (pario_vectors_bytes(shape) + 4095) / 4096 * 4096;
	bool whole = v != NULL;

	if (v) {
		v->shape = *shape;
		v->way = strcmp(shape->api, "mpiio") == 0 ? &pario_vectors_by_mpi
							  : &pario_vectors_by_backend;
		v->slots = shape->async ? PARIO_VECTORS_SLOTS : 1;
		v->times = calloc(shape->count ? shape->count : 1, sizeof(*v->times));
		whole = v->times != NULL;
		for (unsigned i = 0; i < v->slots && whole; i++) {
			v->slot[i] = aligned_alloc(4096, bytes);
			whole = v->slot[i] != NULL;
			/* Touched now: the first pages of a buffer are not what is measured. */
			if (whole)
				memset(v->slot[i], 0, bytes);
		}
	}
	if (whole)
		return v;
	pario_vectors_free(v);
	pario_err_memory(err,
			 "%u buffers of %zu bytes for the solution. Use more clients or "
			 "a smaller class",
			 shape->async ? PARIO_VECTORS_SLOTS : 1, bytes);
	return NULL;
}

int pario_vectors_open(struct pario_vectors *vectors, struct pario_err *err)
{
	if (vectors->way->open(vectors, err) < 0)
		return -1;
	vectors->open = true;
	return 0;
}

/* Collective calls go on after a failure: the others wait in them. */
static bool goes_on(const struct pario_vectors *v)
{
	return !v->held.code || v->shape.collective;
}

static void hold(struct pario_vectors *v, const struct pario_err *err)
{
	if (!v->held.code)
		v->held = *err;
}

void *pario_vectors_slot(struct pario_vectors *vectors, struct pario_err *err)
{
	struct pario_vectors *v = vectors;

	if (v->put >= v->slots && goes_on(v) && v->way->wait(v, v->put - v->slots, err) < 0)
		hold(v, err);
	if (goes_on(v))
		return v->slot[v->put % v->slots];
	*err = v->held;
	return NULL;
}

int pario_vectors_put(struct pario_vectors *vectors, struct pario_err *err)
{
	uint64_t vector = vectors->put++;

	vectors->times[vector].put_ns = pario_run_now();
	if (vectors->way->put(vectors, vector, err) == 0)
		return 0;
	hold(vectors, err);
	return -1;
}

void pario_vectors_nudge(struct pario_vectors *vectors)
{
	if (vectors->way->nudge)
		vectors->way->nudge(vectors);
}

int pario_vectors_finish(struct pario_vectors *vectors, struct pario_err *err)
{
	struct pario_vectors *v = vectors;
	struct pario_err later = { 0 };
	uint64_t first = v->put > v->slots ? v->put - v->slots : 0;

	if (!v->open)
		return 0;
	for (uint64_t i = first; i < v->put && goes_on(v); i++)
		if (v->way->wait(v, i, &later) < 0)
			hold(v, &later);
	v->open = false;
	if (v->way->finish(v, v->held.code ? -1 : 0, &later) < 0)
		hold(v, &later);
	if (!v->held.code)
		return 0;
	*err = v->held;
	return -1;
}

const struct pario_vectors_time *pario_vectors_times(const struct pario_vectors *vectors)
{
	return vectors->times;
}

void pario_vectors_free(struct pario_vectors *vectors)
{
	if (!vectors)
		return;
	if (vectors->way && vectors->way->free)
		vectors->way->free(vectors);
	for (unsigned i = 0; i < PARIO_VECTORS_SLOTS; i++)
		free(vectors->slot[i]);
	free(vectors->times);
	free(vectors);
}
