/*
 * test_madbench: do a matrix's elements arrive where the distribution puts them, does ScaLAPACK calculate on it, and
 * does a file give back what was written into it, in all four ways?
 *
 * Grids take the largest square number of the processes; files take all. The directory to work in is the argument.
 */
#include <math.h>
#include <mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/madbench2/measure/algebra.h"
#include "tests/madbench2/measure/gang.h"
#include "tests/madbench2/measure/store.h"

static int failures, rank, size;

static void check(int fine, const char *what)
{
	if (!fine) {
		printf("test_madbench: process %d of %d: %s\n", rank, size, what);
		failures++;
	}
}

static double element(uint64_t row, uint64_t col)
{
	return (double)(row * 1000 + col) + 0.5;
}

/* Symmetric and positive definite. */
static double smooth(uint64_t row, uint64_t col)
{
	double distance = (double)row - (double)col;

	return exp(-distance * distance / 50) + (row == col ? 2 : 0);
}

static double unit(uint64_t row, uint64_t col)
{
	return row == col;
}

static double turned(uint64_t row, uint64_t col)
{
	return element(col, row);
}

static void fill(const struct pario_mad_part *p, double *a, double (*rule)(uint64_t, uint64_t))
{
	for (uint64_t k = 0; k < p->elements; k++)
		a[k] = rule(pario_mad_global(k % p->rows, p->block, p->side, p->row),
			    pario_mad_global(k / p->rows, p->block, p->side, p->col));
}

/* The largest distance of an element from the rule. */
static double away(const struct pario_mad_part *p, const double *a,
		   double (*rule)(uint64_t, uint64_t))
{
	double worst = 0;

	for (uint64_t k = 0; k < p->elements; k++) {
		double must = rule(pario_mad_global(k % p->rows, p->block, p->side, p->row),
				   pario_mad_global(k / p->rows, p->block, p->side, p->col));

		worst = fmax(worst, fabs(a[k] - must));
	}
	return worst;
}

struct hall {
	struct pario_mad_shape shape;
	struct pario_mad_gang all, own;
	struct pario_mad_matrix all_matrix, own_matrix;
	double *a, *b, *c;
};

static void remaps(struct hall *h)
{
	struct pario_err err = { 0 };

	fill(&h->all.part, h->a, element);
	for (uint64_t target = 0; target < h->shape.no_gang; target++) {
		bool in = h->own.number == target;

		memset(h->b, 0, pario_mad_capacity(&h->shape) * sizeof(*h->b));
		check(pario_mad_remap(&h->all, &h->own, target, h->a, h->b, &err) == 0, err.text);
		check(!in || away(&h->own.part, h->b, element) == 0, "remap misplaces elements");
		check(in || away(&h->own.part, h->b, element) > 0, "remap serves another gang");
		if (pario_mad_algebra()->missing)
			continue;
		memset(h->b, 0, pario_mad_capacity(&h->shape) * sizeof(*h->b));
		pario_mad_algebra()->remap(&h->all_matrix, &h->own_matrix, in, h->a, h->b);
		check(!in || away(&h->own.part, h->b, element) == 0,
		      "ScaLAPACK's remap misplaces elements");
	}
}

static void calculations(struct hall *h)
{
	struct pario_err err = { 0 };

	fill(&h->all.part, h->a, element);
	pario_mad_algebra()->transpose(&h->all_matrix, h->a, h->b);
	check(away(&h->all.part, h->b, turned) == 0, "the transpose is wrong");
	fill(&h->all.part, h->a, smooth);
	check(pario_mad_algebra()->invert(&h->all_matrix, &h->all.part, h->a, h->b, &err) == 0,
	      err.text);
	fill(&h->all.part, h->b, smooth);
	pario_mad_algebra()->product(&h->all_matrix, h->a, h->b, h->c);
	check(away(&h->all.part, h->c, unit) < 1e-12, "inverse times matrix is not one");
	fill(&h->all.part, h->a, element); /* not symmetric, and its lower triangle no Cholesky's */
	check(pario_mad_algebra()->invert(&h->all_matrix, &h->all.part, h->a, h->b, &err) < 0 &&
		      err.code == PARIO_VERIFY,
	      "a matrix that is not positive definite was inverted");
}

/* Everybody behind the token adds one: with mod m the k-th of m sees k. */
static void tokens(const struct pario_mad_gang *gang)
{
	for (uint64_t mod = 1; mod <= (uint64_t)gang->size; mod++) {
		int *turn = NULL, turns;
		MPI_Win window;

		if ((uint64_t)gang->size % mod)
			continue;
		MPI_Win_allocate(gang->rank == 0 ? (MPI_Aint)sizeof(int) * gang->size : 0,
				 sizeof(int), MPI_INFO_NULL, gang->comm, &turn, &window);
		for (int i = 0; gang->rank == 0 && i < gang->size; i++)
			turn[i] = 0;
		MPI_Barrier(gang->comm);
		pario_mad_gang_await(gang, mod);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
		MPI_Fetch_and_op(&(int){ 1 }, &turns, MPI_INT, 0,
				 (MPI_Aint)((uint64_t)gang->rank / mod), MPI_SUM, window);
		MPI_Win_unlock(0, window);
		pario_mad_gang_pass(gang, mod);
		check((uint64_t)turns == (uint64_t)gang->rank % mod, "a turn was not waited for");
		MPI_Win_free(&window);
	}
}

static void grids(uint64_t side, uint64_t gangs, uint64_t pixels, uint64_t block)
{
	struct hall h = { .shape = { .no_pix = pixels,
				     .no_bin = gangs,
				     .no_gang = gangs,
				     .sblocksize = block,
				     .fblocksize = 64,
				     .r_mod = 1,
				     .w_mod = 1,
				     .clients = side * side } };
	struct pario_err err = { 0 };
	MPI_Comm comm;

	MPI_Comm_split(MPI_COMM_WORLD, rank < (int)(side * side) ? 0 : MPI_UNDEFINED, rank, &comm);
	if (comm == MPI_COMM_NULL)
		return;
	check(pario_mad_shape_check(&h.shape, &err) == 0, err.text);
	check(pario_mad_gangs_init(&h.all, &h.own, &h.shape, comm, &err) == 0, err.text);
	h.a = malloc(pario_mad_capacity(&h.shape) * sizeof(*h.a));
	h.b = malloc(pario_mad_capacity(&h.shape) * sizeof(*h.b));
	h.c = malloc(pario_mad_capacity(&h.shape) * sizeof(*h.c));
	if (!pario_mad_algebra()->missing)
		check(pario_mad_algebra()->describe(&h.all_matrix, &h.all, &err) == 0 &&
			      pario_mad_algebra()->describe(&h.own_matrix, &h.own, &err) == 0,
		      err.text);
	remaps(&h);
	tokens(&h.all);
	if (!pario_mad_algebra()->missing) {
		calculations(&h);
		pario_mad_algebra()->release(&h.own_matrix);
		pario_mad_algebra()->release(&h.all_matrix);
	}
	free(h.a);
	free(h.b);
	free(h.c);
	pario_mad_gang_release(&h.own);
	pario_mad_gang_release(&h.all);
	MPI_Comm_free(&comm);
}

enum { WORDS = 3000, SLOTS = 3 };

/* Two matrices on their way at a time, each with a place of its own. */
static void files(const char *directory, enum pario_mad_method method, enum pario_mad_io io,
		  bool shared)
{
	static double out[SLOTS][WORDS], in[SLOTS][WORDS];
	struct pario_mad_store store = { .method = method, .io = io };
	struct pario_mad_request requests[SLOTS] = { { 0 } };
	struct pario_err err = { 0 };

	store.dirfd = open(directory, O_RDONLY | O_DIRECTORY);
	snprintf(store.name, sizeof(store.name), "%d.%d.%d", (int)method, (int)io,
		 shared ? -1 : rank);
	snprintf(store.path, sizeof(store.path), "%s/%s", directory, store.name);
	check(pario_mad_store_open(&store, shared ? MPI_COMM_WORLD : MPI_COMM_SELF, MPI_INFO_NULL,
				   &err) == 0,
	      err.text);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int write = 1; write >= 0; write--) {
		for (int i = 0; i < SLOTS; i++) {
			for (int k = 0; write && k < WORDS; k++)
				out[i][k] = element((uint64_t)(rank * SLOTS + i), (uint64_t)k);
			requests[i] = (struct pario_mad_request){
				.write = write,
				.buffer = (char *)(write ? out[i] : in[i]),
				.bytes = sizeof(out[i]),
				.offset = (uint64_t)(rank * SLOTS + i) * (sizeof(out[i]) + 512)
			};
			check(pario_mad_store_start(&store, &requests[i], &err) == 0, err.text);
			check(requests[i].busy == (io == PARIO_MAD_ASYNC),
			      "a call is busy that should not be, or done that should not");
		}
		for (int i = 0; i < SLOTS; i++)
			check(pario_mad_store_finish(&store, &requests[i], &err) == 0, err.text);
	}
	check(memcmp(in, out, sizeof(in)) == 0, "the file gives back something else");
	requests[0].offset = (uint64_t)1 << 40; /* behind the end */
	check(pario_mad_store_start(&store, &requests[0], &err) < 0 ||
		      pario_mad_store_finish(&store, &requests[0], &err) < 0,
	      "reading behind the end of the file is no error");
	check(pario_mad_store_close(&store, &err) == 0, "the file cannot be closed");
	close(store.dirfd);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!shared || rank == 0)
		check(unlink(store.path) == 0, "the file is not there");
}

/*
 * A full pipe takes no write until it is emptied, and an empty one gives nothing: whoever gets as far as to do so was
 * not kept waiting by the call. The read has begun first, and does not keep the write waiting either.
 */
static void goes_on_behind(void)
{
	static char out[1 << 20], in[1 << 20];
	struct pario_mad_store store = { .io = PARIO_MAD_ASYNC, .file = MPI_FILE_NULL };
	struct pario_mad_request read_one = { .buffer = in, .bytes = 8 },
				 write_one = { .write = true, .buffer = out, .bytes = sizeof(out) };
	struct pario_err err = { 0 };
	int to[2], from[2];
	ssize_t n = 0;

	if (pipe(to) < 0 || pipe(from) < 0) {
		check(0, "no pipes");
		return;
	}
	memset(out, rank + 1, sizeof(out));
	store.fd = to[1];
	store.ahead = from[0];
	check(pario_mad_store_start(&store, &read_one, &err) == 0 && read_one.busy, err.text);
	check(pario_mad_store_start(&store, &write_one, &err) == 0 && write_one.busy, err.text);
	for (size_t got = 0; got < sizeof(in) && n >= 0; got += (size_t)n)
		n = read(to[0], in + got, sizeof(in) - got);
	check(pario_mad_store_finish(&store, &write_one, &err) == 0, err.text);
	check(memcmp(in, out, sizeof(in)) == 0, "the pipe gives back something else");
	check(write(from[1], "12345678", 8) == 8, "the pipe is full");
	check(pario_mad_store_finish(&store, &read_one, &err) == 0, err.text);
	check(memcmp(in, "12345678", 8) == 0, "the read brought something else");
	close(to[0]);
	close(from[1]);
	check(pario_mad_store_close(&store, &err) == 0, "the pipes cannot be closed");
}

int main(int argc, char **argv)
{
	uint64_t side = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	while ((side + 1) * (side + 1) <= (uint64_t)size)
		side++;
	for (uint64_t block = 1; block <= 7; block += 3) {
		grids(side, 1, 29, block);
		grids(side, side * side, 29, block);
	}
	for (int i = 0; i < 8 && argc > 1; i++)
		files(argv[1], i & 1 ? PARIO_MAD_MPI : PARIO_MAD_POSIX,
		      i & 2 ? PARIO_MAD_ASYNC : PARIO_MAD_SYNC, i & 4);
	for (int i = 0; i < 2 && argc > 1; i++)
		files(argv[1], PARIO_MAD_STDIO, PARIO_MAD_SYNC, i);
	goes_on_behind();
	MPI_Finalize();
	return failures ? 1 : 0;
}
