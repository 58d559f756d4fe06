/*
 * compute: a piece of computing of a chosen length: how many rounds make it is tuned before anything is measured.
 */
#include "tests/overlap/measure/compute.h"

#include <stdlib.h>
#include <string.h>

#include "engine/test.h"

enum {
	ELEMENTS = 1 << 20, /* of each array: 24 MiB together, beyond most caches */
	TUNE_NS = 200000,   /* long enough that two readings of the clock do not count */
	TRIES = 5,
};

int pario_compute_init(struct pario_compute *compute, bool vector, struct pario_err *err)
{
	*compute = (struct pario_compute){ .vector = vector, .length = 1, .x = 1 };
	for (size_t i = 0; vector && i < 3; i++) {
		compute->array[i] = malloc(ELEMENTS * sizeof(double));
		if (!compute->array[i])
			return pario_err_memory(err, "the vector compute loop");
		for (size_t k = 0; k < ELEMENTS; k++)
			compute->array[i][k] = (double)k;
	}
	return 0;
}

void pario_compute_release(struct pario_compute *compute)
{
	for (size_t i = 0; i < 3; i++)
		free(compute->array[i]);
	memset(compute, 0, sizeof(*compute));
}

static void scalar(struct pario_compute *c)
{
	uint64_t x = c->x;

	for (uint64_t i = 0; i < c->length; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile(
			""
			: "+r"(x)); /* the compiler must not find the chain's end by itself */
	}
	c->x = x;
}

static void vector(struct pario_compute *c)
{
	uint64_t left = c->length;

	while (left) {
		size_t n = ELEMENTS - c->at < left ? ELEMENTS - c->at : (size_t)left;
		const double *a = c->array[0] + c->at, *b = c->array[1] + c->at;
		double *sum = c->array[2] + c->at;

		for (size_t i = 0; i < n; i++)
			sum[i] = a[i] + 3 * b[i];
		__asm__ volatile("" : : "r"(sum) : "memory");
		c->at = (c->at + n) % ELEMENTS;
		left -= n;
	}
}

void pario_compute_once(struct pario_compute *compute)
{
	if (compute->vector)
		vector(compute);
	else
		scalar(compute);
}

static int64_t time_of(struct pario_compute *c, uint64_t length)
{
	int64_t best = INT64_MAX;

	c->length = length;
	for (int i = 0; i < TRIES; i++) {
		int64_t began = pario_run_now(), took;

		pario_compute_once(c);
		took = pario_run_now() - began;
		best = took < best ? took : best;
	}
	return best;
}

void pario_compute_tune(struct pario_compute *compute, double ns)
{
	uint64_t length = 64;
	int64_t took = time_of(compute, length);
	double wanted;

	while (took < TUNE_NS && length < (uint64_t)1 << 40) {
		length *= 2;
		took = time_of(compute, length);
	}
	wanted = (double)length * ns / (double)took;
	compute->length = wanted < 1 ? 1 : (uint64_t)wanted;
}
