/*
 * linear: chooses between the two tables of operations that a backend may have, and adds nothing.
 */
#include "tests/common/linear.h"

int pario_linear_open(const struct pario_backend *backend, struct pario_file *file,
		      const struct pario_open *how, struct pario_err *err)
{
	const struct pario_array array = { .dims = 1, .extent = { how->size }, .element_size = 1 };

	*file = (struct pario_file){ .backend = backend };
	return backend->extent ? backend->extent->open(file, how, err)
			       : backend->array->open(file, how, &array, err);
}

int pario_linear_move(struct pario_file *file, bool write, void *buffer, uint64_t offset,
		      uint64_t length, struct pario_err *err)
{
	const struct pario_backend *b = file->backend;
	const struct pario_slab slab = {
		.start = { offset }, .stride = { 1 }, .count = { length }, .block = { 1 }
	};

	if (b->extent)
		return write ? b->extent->write(file, buffer, length, offset, err)
			     : b->extent->read(file, buffer, length, offset, err);
	return write ? b->array->write(file, buffer, &slab, err)
		     : b->array->read(file, buffer, &slab, err);
}

int pario_linear_sync(struct pario_file *file, struct pario_err *err)
{
	return file->backend->extent ? file->backend->extent->sync(file, err)
				     : file->backend->array->sync(file, err);
}

int pario_linear_close(struct pario_file *file, struct pario_err *err)
{
	return file->backend->extent ? file->backend->extent->close(file, err)
				     : file->backend->array->close(file, err);
}
