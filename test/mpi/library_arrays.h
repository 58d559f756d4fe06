/*
 * The array half of the test of the library backends: regions of arrays in 1 to 4 dimensions, whole, in rows,
 * in columns and scattered, written by one client and read by another.
 */
#ifndef PARIO_TEST_LIBRARY_ARRAYS_H
#define PARIO_TEST_LIBRARY_ARRAYS_H

#include "library_backends.h"

struct shape {
	const char *name;
	struct pario_array array;
	unsigned split;	      /* the dimension that the clients share, block by block */
	uint64_t block, skip; /* skip: only every skip-th index of dimension 0 is touched */
};

/* Client `who`'s part; with `none` nothing at all. */
static struct pario_slab slab_of(const struct shape *shape, int who, bool none)
{
	struct pario_slab s;

	for (unsigned d = 0; d < PARIO_ARRAY_DIMS; d++) {
		s.start[d] = 0;
		s.stride[d] = d == 0 && shape->skip ? shape->skip : 1;
		s.block[d] = 1;
		s.count[d] = d < shape->array.dims ? shape->array.extent[d] / s.stride[d] : 1;
		if (d == shape->split) {
			s.start[d] = (uint64_t)who * shape->block;
			s.stride[d] = (uint64_t)clients * shape->block;
			s.block[d] = shape->block;
			s.count[d] = shape->array.extent[d] / s.stride[d];
		}
		if (none)
			s.count[d] = 0;
	}
	return s;
}

/* Where element number `i` of a slab, counted in memory, lies in the array. */
static uint64_t place(const struct pario_array *array, const struct pario_slab *s, uint64_t i)
{
	uint64_t index = 0, unit = 1;

	for (unsigned d = array->dims; d-- > 0;) {
		uint64_t n = s->count[d] * s->block[d], k = i % n;

		i /= n;
		index += (s->start[d] + k / s->block[d] * s->stride[d] + k % s->block[d]) * unit;
		unit *= array->extent[d];
	}
	return index;
}

static void move_slab(struct pario_file *file, const struct shape *shape, bool write, int who,
		      bool none)
{
	struct pario_slab slab = slab_of(shape, who, none);
	uint64_t size = shape->array.element_size, elements = 1;
	struct pario_err err = { 0 };
	uint8_t *buffer;

	for (unsigned d = 0; d < shape->array.dims; d++)
		elements *= slab.count[d] * slab.block[d];
	buffer = calloc(elements + 1, size);
	for (uint64_t i = 0; i < elements && write; i++)
		fill(buffer + i * size, size, place(&shape->array, &slab, i) * size);
	expect(!(write ? file->backend->array->write(file, buffer, &slab, &err)
		       : file->backend->array->read(file, buffer, &slab, &err)),
	       "%s", err.text);
	for (uint64_t i = 0; i < elements && !write; i++)
		if (!holds(buffer + i * size, size, place(&shape->array, &slab, i) * size))
			break;
	free(buffer);
}

static bool open_array(struct pario_file *file, const struct pario_open *how,
		       const struct pario_array *array)
{
	struct pario_err err = { 0 };

	return expect(!file->backend->array->open(file, how, array, &err), "%s", err.text);
}

static void close_array(struct pario_file *file, bool sync)
{
	struct pario_err err = { 0 };

	if (sync)
		expect(!file->backend->array->sync(file, &err), "%s", err.text);
	expect(!file->backend->array->close(file, &err), "%s", err.text);
}

/* Written by one client, read by the next; with `none` client 0 has nothing to write. */
static void test_shape(const struct pario_backend *backend, const struct shape *shape,
		       bool collective, bool none)
{
	struct pario_file file = { .backend = backend };
	struct pario_open how = how_of("array", true);
	int other = (rank + 1) % clients;

	how.collective = collective;
	if (open_array(&file, &how, &shape->array)) {
		move_slab(&file, shape, true, rank, none && rank == 0);
		close_array(&file, true);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	how = how_of("array", false);
	how.collective = collective;
	if (open_array(&file, &how, &shape->array)) {
		move_slab(&file, shape, false, other, none && other == 0);
		close_array(&file, false);
	}
	remove_file("array");
}

static void test_shapes(const struct pario_backend *backend, const char *chunk)
{
	uint64_t n = (uint64_t)clients;
	const struct shape shapes[] = {
		{ "line", { 1, { n * 400 }, 1 }, 0, 100, 0 },
		{ "elements apart", { 1, { n * 40 }, 8 }, 0, 1, 0 },
		{ "one block each", { 1, { n * 100 }, 8 }, 0, 100, 0 },
		{ "rows", { 2, { n * 4, 30 }, 8 }, 0, 2, 0 },
		{ "columns", { 2, { 11, n * 12 }, 3 }, 1, 4, 0 },
		{ "columns of every third row", { 2, { 12, n * 12 }, 8 }, 1, 3, 3 },
		{ "planes", { 3, { 4, 6 * n, 5 }, 4 }, 1, 2, 2 },
		{ "cubes", { 4, { 3, 4, 5, n * 4 }, 2 }, 3, 2, 0 },
	};

	parse(backend, chunk);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		/* In pieces the even case says nothing that the uneven one does not, and takes long. */
		for (int mode = 0; mode < 3; mode += *chunk ? 2 : 1) {
			begin("%s %s, %s%s", backend->name, chunk, shapes[i].name,
			      mode == 0	  ? ""
			      : mode == 1 ? ", collective"
					  : ", collective, one idle");
			test_shape(backend, &shapes[i], mode > 0, mode == 2);
		}
}

/* Refusals that cost no data: wrong shape, region outside, queue, and a file of each client's own. */
static void test_array_rules(const struct pario_backend *backend)
{
	const struct pario_array array = { 1, { 1000 }, 4 }, other = { 2, { 100, 10 }, 4 };
	struct pario_slab outside = { { 990 }, { 1 }, { 11 }, { 1 } };
	struct pario_file file = { .backend = backend };
	struct pario_open how;
	struct pario_err err = { 0 };
	char name[32];
	uint8_t buffer[44] = { 0 };

	begin("%s rules", backend->name);
	parse(backend, "");
	snprintf(name, sizeof(name), "own%d", rank);
	how = how_of(name, true);
	how.comm = MPI_COMM_SELF;
	if (!open_array(&file, &how, &array))
		return;
	expect(backend->array->write(&file, buffer, &outside, &err) < 0 && err.code == PARIO_USAGE,
	       "a region outside the array was written");
	close_array(&file, true);
	how.create = false;
	expect(backend->array->open(&file, &how, &other, &err) < 0 && strstr(err.text, path),
	       "another shape was accepted");
	unlinkat(dir, name, 0);
	how.queue_depth = 2;
	expect(backend->check(&how, &err) < 0 && err.code == PARIO_USAGE, "a queue was accepted");
}

#endif
