/*
 * work: what the phases are made of. Time is told by the engine: whatever is not I/O is taken out of the phase's time
 * and kept under its kind, so that the rate of a phase is that of its I/O, as its callers saw it. Making and comparing
 * data is nobody's time; all wait for each other before and after it, so that it is not in the others' either.
 */
#include "tests/madbench2/measure/work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/madbench2/model/sky.h"

enum { TURNS = 1024 }; /* of busy-work, between two looks for an interrupt */

static uint64_t steps_of(const struct pario_mad_shape *shape)
{
	return shape->no_bin / shape->no_gang;
}

struct pario_mad_shape pario_mad_shape_of(const struct pario_mad_params *params, uint64_t clients,
					  uint64_t memory_bytes)
{
	struct pario_mad_shape shape = params->shape;

	shape.clients = clients;
	if (shape.no_pix == 0)
		shape.no_pix = pario_mad_exceeding(memory_bytes, shape.no_bin);
	return shape;
}

uint64_t pario_mad_work_bytes(const struct pario_mad_params *params,
			      const struct pario_mad_shape *shape)
{
	bool full = params->mode == PARIO_MAD_FULL;
	uint64_t matrices = full ? 5 : 4, capacity = pario_mad_capacity(shape);

	/* A remap packs what it sends and receives. */
	if (full && shape->no_gang > 1)
		matrices += 2;
	return matrices * capacity * sizeof(double) +
	       (full ? shape->no_pix * 4 * sizeof(double) +
				shape->no_bin * (2 * shape->no_bin + 4) * sizeof(double)
		     : 0);
}

/* Matrices begin on a page, as they would in an array of their own. */
static double *matrix_of(uint64_t capacity)
{
	double *m = aligned_alloc(4096, (capacity * sizeof(double) + 4095) / 4096 * 4096);

	if (m)
		memset(m, 0, capacity * sizeof(double));
	return m;
}

static bool allocate_full(struct pario_mad_work *w, uint64_t capacity)
{
	uint64_t bins = w->shape.no_bin;

	w->kept = matrix_of(capacity);
	w->pixels = calloc(w->shape.no_pix, sizeof(*w->pixels));
	w->z = calloc(w->shape.no_pix, sizeof(*w->z));
	w->dl = calloc(bins, sizeof(*w->dl));
	w->d2l = calloc(bins * bins, sizeof(*w->d2l));
	w->dc = calloc(bins, sizeof(*w->dc));
	w->digests = calloc(bins + steps_of(&w->shape), sizeof(*w->digests));
	return w->kept && w->pixels && w->z && w->dl && w->d2l && w->dc && w->digests;
}

static int allocate(struct pario_mad_work *w, struct pario_err *err)
{
	uint64_t capacity = pario_mad_capacity(&w->shape);

	w->next = matrix_of(capacity);
	w->current = matrix_of(capacity);
	w->out[0] = matrix_of(capacity);
	w->out[1] = matrix_of(capacity);
	w->reads = calloc(w->shape.no_gang, sizeof(*w->reads));
	if (w->next && w->current && w->out[0] && w->out[1] && w->reads &&
	    (!pario_mad_full(w) || allocate_full(w, capacity)))
		return 0;
	return pario_err_memory(err,
				"matrices of %llu bytes. Use fewer pixels (--no_pix) or "
				"more clients",
				(unsigned long long)(capacity * sizeof(double)));
}

static int describe(struct pario_mad_work *w, struct pario_err *err)
{
	if (pario_mad_algebra()->describe(&w->all_matrix, &w->all, err) < 0)
		return -1;
	return pario_mad_algebra()->describe(&w->gang_matrix, &w->gang, err);
}

static uint64_t memory_of_all(const struct pario_run *run)
{
	uint64_t sum = pario_run_capacity(run).share_bytes;

	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, run->comm);
	return sum;
}

int pario_mad_work_new(struct pario_run *run, struct pario_err *err)
{
	struct pario_mad_work *w = calloc(1, sizeof(*w));
	const struct pario_mad_params *p = run->params;
	const char *missing = p->mode == PARIO_MAD_FULL ? pario_mad_algebra()->missing : NULL;
	int there[2] = { w != NULL, !missing };
	char name[PARIO_NAME_CAPACITY];

	run->scratch = w;
	MPI_Allreduce(MPI_IN_PLACE, there, 2, MPI_INT, MPI_MIN, run->comm);
	if (!there[0])
		return pario_err_memory(err, "the test");
	if (!there[1])
		return pario_err_set(err, PARIO_SYSTEM, "--mode full is not available: %s.",
				     missing ? missing : "another client cannot load ScaLAPACK");
	w->run = run;
	w->params = run->params;
	w->shape = pario_mad_shape_of(p, run->clients, memory_of_all(run));
	w->places = pario_mad_places(&w->shape);
	w->store = (struct pario_mad_store){ .method = (enum pario_mad_method)w->params->iomethod,
					     .io = (enum pario_mad_io)w->params->iomode,
					     .fd = -1,
					     .ahead = -1,
					     .file = MPI_FILE_NULL };
	snprintf(name, sizeof(name), "madbench2.%llu.%llu/", (unsigned long long)run->point->index,
		 (unsigned long long)run->clients);
	pario_run_own_name(run, name, w->name);
	/* It was planned with this node's memory alone. */
	if (pario_mad_shape_check(&w->shape, err) < 0 ||
	    pario_mad_gangs_init(&w->all, &w->gang, &w->shape, run->comm, err) < 0 ||
	    (pario_mad_full(w) && describe(w, err) < 0) || allocate(w, err) < 0)
		return -1;
	if (pario_mad_full(w))
		pario_mad_pixels(w->pixels, w->shape.no_pix);
	return pario_run_name(run, w->name, w->directory, sizeof(w->directory), err);
}

void pario_mad_work_free(struct pario_mad_work *w)
{
	struct pario_err unread = { 0 };

	if (!w)
		return;
	if (w->run)
		pario_mad_store_close(&w->store, &unread);
	if (w->all_matrix.n) {
		pario_mad_algebra()->release(&w->gang_matrix);
		pario_mad_algebra()->release(&w->all_matrix);
	}
	pario_mad_gang_release(&w->gang);
	pario_mad_gang_release(&w->all);
	free(w->next);
	free(w->current);
	free(w->out[0]);
	free(w->out[1]);
	free(w->kept);
	free(w->pixels);
	free(w->z);
	free(w->dl);
	free(w->d2l);
	free(w->dc);
	free(w->digests);
	free(w->reads);
	free(w);
}

/* The directory of this point, which other points' files must not meet, and MADbench2's own in it. */
static int make_directory(struct pario_mad_work *w, struct pario_err *err)
{
	int dirfd = pario_run_dirfd(w->run), status = 0;
	char inner[sizeof(w->name) + 8];

	snprintf(inner, sizeof(inner), "%sfiles", w->name);
	if (w->run->client == 0 &&
	    (mkdirat(dirfd, w->name, 0700) < 0 || mkdirat(dirfd, inner, 0700) < 0))
		status = pario_run_file_error(dirfd, inner, "making the directory", err);
	MPI_Bcast(&status, 1, MPI_INT, 0, w->run->comm);
	if (status < 0 && w->run->client != 0)
		pario_err_set(err, PARIO_SYSTEM, "%sfiles is not there.", w->directory);
	return status;
}

int pario_mad_work_open(struct pario_mad_work *w, struct pario_err *err)
{
	bool shared = w->params->filetype;
	MPI_Info info;
	struct pario_mad_store *store = &w->store;
	int status, all;

	if (make_directory(w, err) < 0)
		return -1;
	w->base = shared ? w->run->client * pario_mad_file_bytes(&w->shape) : 0;
	store->dirfd = pario_run_dirfd(w->run);
	snprintf(store->name, sizeof(store->name), "%sfiles/data", w->name);
	if (!shared)
		snprintf(store->name, sizeof(store->name), "%sfiles/data_%llu", w->name,
			 (unsigned long long)w->run->client);
	pario_run_path(store->dirfd, store->name, store->path);
	if (pario_run_info(w->run, &info, err) < 0)
		return -1;
	status = pario_mad_store_open(store, shared ? w->all.comm : MPI_COMM_SELF, info, err);
	MPI_Info_free(&info);
	/* Closing is collective: when only some could open, their handles stay open rather than hang. */
	MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_MIN, w->all.comm);
	if (all < 0)
		store->file = MPI_FILE_NULL;
	return status;
}

void pario_mad_work_begin(struct pario_mad_work *w)
{
	memset(w->ns, 0, sizeof(w->ns));
	w->checked = 0;
	pario_err_clear(&w->held);
}

/* An interrupt reaches processes at different times, and an error only one of them. */
bool pario_mad_work_more(struct pario_mad_work *w, uint64_t i, uint64_t count)
{
	int more = pario_run_more(w->run, i, count) && !w->held.code;

	MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_MIN, w->all.comm);
	return more;
}

void pario_mad_work_spent(struct pario_mad_work *w, enum pario_mad_spent kind)
{
	w->ns[kind] += pario_run_pause(w->run);
}

static void mad_work_forget(struct pario_mad_work *w)
{
	pario_run_pause(w->run);
}

void pario_mad_work_busy(struct pario_mad_work *w, const struct pario_mad_gang *gang, int power)
{
	uint64_t count = pario_mad_busy(&w->shape, (uint64_t)gang->size, power, w->params->bwexp);
	volatile double kept = 0; /* what nobody uses, compilers leave away */

	pario_mad_work_spent(w, PARIO_MAD_CC);
	MPI_Barrier(gang->comm);
	for (uint64_t i = 0; i < count; i++) {
		double sum = kept, x = (double)i;

		/* It may be made to last for hours; all agree to stop before the next step. */
		if (i % TURNS == 0 && pario_run_over(w->run))
			break;

		for (uint64_t k = 0; k < w->shape.sblocksize; k++)
			sum += x * (double)k;
		kept = sum;
	}
	MPI_Barrier(gang->comm);
	pario_mad_work_spent(w, PARIO_MAD_BW);
}

/* ---- matrices on their way ---- */

/* Full mode's data are what was calculated: a digest of each matrix is kept to know it again. */
static uint64_t digest(const double *buffer, uint64_t count)
{
	uint64_t hash = count, word;

	for (uint64_t i = 0; i < count; i++) {
		memcpy(&word, &buffer[i], sizeof(word));
		hash = (hash ^ word) * 0x9E3779B97F4A7C15u; /* 2^64 over the golden ratio */
		hash ^= hash >> 29;
	}
	return hash;
}

static const struct pario_mad_gang *gang_of(const struct pario_mad_work *w, uint64_t matrix)
{
	return matrix >= w->shape.no_bin ? &w->gang : &w->all;
}

/* The gang that holds a matrix, and the request for it. */
static const struct pario_mad_gang *describe_request(const struct pario_mad_work *w,
						     struct pario_mad_request *r, uint64_t matrix,
						     double *buffer, bool write)
{
	const struct pario_mad_gang *gang = gang_of(w, matrix);
	bool of_gang = gang == &w->gang;
	uint64_t place =
		of_gang ? (matrix - w->shape.no_bin) * w->places.gang : matrix * w->places.one;

	r->busy = false;
	r->write = write;
	r->buffer = (char *)buffer;
	r->bytes = gang->part.elements * sizeof(double);
	r->offset = w->base + place * sizeof(double);
	return gang;
}

static void hold(struct pario_mad_work *w, int status, const struct pario_err *err)
{
	if (status < 0 && !w->held.code)
		w->held = *err;
}

/* What pario does for itself stands between these two. */
static void leave(struct pario_mad_work *w, const struct pario_mad_gang *gang)
{
	MPI_Barrier(gang->comm);
	pario_mad_work_spent(w, PARIO_MAD_CC);
}

static void come_back(struct pario_mad_work *w, const struct pario_mad_gang *gang)
{
	MPI_Barrier(gang->comm);
	mad_work_forget(w);
}

static void start(struct pario_mad_work *w, const struct pario_mad_gang *gang,
		  struct pario_mad_request *r)
{
	uint64_t mod = r->write ? w->shape.w_mod : w->shape.r_mod;
	struct pario_err err = { 0 };

	MPI_Barrier(gang->comm);
	pario_mad_work_spent(w, PARIO_MAD_CC);
	pario_mad_gang_await(gang, mod);
	if (!w->held.code)
		hold(w, pario_mad_store_start(&w->store, r, &err), &err);
	pario_mad_gang_pass(gang, mod);
	MPI_Barrier(gang->comm);
	if (r->busy || w->store.io == PARIO_MAD_NONE || w->held.code)
		w->ns[r->write ? PARIO_MAD_W : PARIO_MAD_R] += pario_run_lap(w->run);
	else
		w->ns[r->write ? PARIO_MAD_W : PARIO_MAD_R] += pario_run_count(w->run, r->bytes);
}

static void finish(struct pario_mad_work *w, struct pario_mad_request *r)
{
	struct pario_err err = { 0 };

	if (!r->busy)
		return;
	pario_mad_work_spent(w, PARIO_MAD_CC);
	hold(w, pario_mad_store_finish(&w->store, r, &err), &err);
	w->ns[r->write ? PARIO_MAD_W : PARIO_MAD_R] +=
		w->held.code ? pario_run_lap(w->run) : pario_run_count(w->run, r->bytes);
}

void pario_mad_work_write(struct pario_mad_work *w, uint64_t matrix, double *buffer)
{
	const struct pario_mad_gang *gang = describe_request(w, &w->write, matrix, buffer, true);

	leave(w, gang);
	if (pario_mad_full(w))
		w->digests[matrix] = digest(buffer, gang->part.elements);
	else
		pario_run_fill(w->run, matrix, w->run->client, buffer, w->write.offset,
			       w->write.bytes);
	come_back(w, gang);
	start(w, gang, &w->write);
}

void pario_mad_work_written(struct pario_mad_work *w)
{
	finish(w, &w->write);
}

void pario_mad_work_read(struct pario_mad_work *w, uint64_t slot, uint64_t matrix, double *buffer)
{
	const struct pario_mad_gang *gang =
		describe_request(w, &w->reads[slot], matrix, buffer, false);

	start(w, gang, &w->reads[slot]);
}

static void compare(struct pario_mad_work *w, const struct pario_mad_request *r, uint64_t matrix)
{
	struct pario_err err = { 0 };
	int status = 0;

	if (w->held.code || w->store.io == PARIO_MAD_NONE)
		return;
	if (!pario_mad_full(w))
		status = pario_run_check(w->run, matrix, w->run->client, r->buffer, r->offset,
					 r->bytes, w->store.path, &err);
	else if (digest((const double *)(void *)r->buffer, r->bytes / sizeof(double)) !=
		 w->digests[matrix])
		status = pario_err_set(
			&err, PARIO_VERIFY,
			"wrong data in %s, seen by client %llu: the %llu bytes at offset %llu are not "
			"the matrix that was written there.",
			w->store.path, (unsigned long long)w->run->client,
			(unsigned long long)r->bytes, (unsigned long long)r->offset);
	hold(w, status, &err);
	w->checked += r->bytes;
}

void pario_mad_work_have_read(struct pario_mad_work *w, uint64_t slot, uint64_t matrix)
{
	const struct pario_mad_gang *gang = gang_of(w, matrix);

	finish(w, &w->reads[slot]);
	leave(w, gang);
	compare(w, &w->reads[slot], matrix);
	come_back(w, gang);
}

int pario_mad_work_end(struct pario_mad_work *w, struct pario_err *err)
{
	finish(w, &w->write);
	for (uint64_t i = 0; i < w->shape.no_gang; i++)
		finish(w, &w->reads[i]);
	pario_mad_work_spent(w, PARIO_MAD_CC);
	if (!w->held.code)
		return 0;
	*err = w->held;
	return -1;
}
