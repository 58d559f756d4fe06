/*
 * gang: communicators, and the exchange behind a remap. Both sides go through their elements in the order of the
 * matrix, so what one process sends to another arrives in the order in which it is put away.
 */
#include "tests/madbench2/measure/gang.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_TOKEN = 1 };

static struct pario_mad_gang gang_of(MPI_Comm comm, const struct pario_mad_shape *shape)
{
	struct pario_mad_gang g = { .comm = comm };

	MPI_Comm_rank(comm, &g.rank);
	MPI_Comm_size(comm, &g.size);
	g.part = pario_mad_part(shape, (uint64_t)g.size, (uint64_t)g.rank);
	return g;
}

int pario_mad_gangs_init(struct pario_mad_gang *all, struct pario_mad_gang *own,
			 const struct pario_mad_shape *shape, MPI_Comm comm, struct pario_err *err)
{
	MPI_Comm whole, part;
	int rank, group = (int)(shape->clients / shape->no_gang);

	MPI_Comm_rank(comm, &rank);
	if (MPI_Comm_dup(comm, &whole) != MPI_SUCCESS)
		return pario_err_set(err, PARIO_SYSTEM, "MPI gives no communicator to MADbench2.");
	*all = gang_of(whole, shape);
	if (MPI_Comm_split(comm, rank / group, rank, &part) != MPI_SUCCESS) {
		pario_mad_gang_release(all);
		return pario_err_set(err, PARIO_SYSTEM, "MPI gives no communicator to a gang.");
	}
	*own = gang_of(part, shape);
	own->number = (uint64_t)(rank / group);
	return 0;
}

void pario_mad_gang_release(struct pario_mad_gang *gang)
{
	if (gang->size)
		MPI_Comm_free(&gang->comm);
	gang->size = 0;
}

/* A grid as the others see it. */
struct grid {
	uint64_t side;
	int base; /* rank of its first process; the others follow down the columns */
};

/* The rank in that grid of the process that holds element (i, j) of this part. */
static int holder(const struct grid *grid, const struct pario_mad_part *p, uint64_t i, uint64_t j)
{
	uint64_t row = pario_mad_global(i, p->block, p->side, p->row);
	uint64_t col = pario_mad_global(j, p->block, p->side, p->col);

	return grid->base + (int)(pario_mad_holder(row, p->block, grid->side) +
				  pario_mad_holder(col, p->block, grid->side) * grid->side);
}

/* Elements that this part shares with each process of the grid, and where they begin in an exchange buffer. */
static void count(const struct pario_mad_part *p, const struct grid *grid, int n, int *counts,
		  int *begins)
{
	for (uint64_t j = 0; j < p->cols; j++) {
		for (uint64_t i = 0; i < p->rows; i++)
			counts[holder(grid, p, i, j)]++;
	}
	for (int i = 1; i < n; i++)
		begins[i] = begins[i - 1] + counts[i - 1];
}

static void pack(const struct pario_mad_part *p, const struct grid *grid, int *next,
		 const double *matrix, double *buffer)
{
	for (uint64_t j = 0; j < p->cols; j++) {
		for (uint64_t i = 0; i < p->rows; i++)
			buffer[next[holder(grid, p, i, j)]++] = matrix[j * p->rows + i];
	}
}

static void unpack(const struct pario_mad_part *p, const struct grid *grid, int *next,
		   const double *buffer, double *matrix)
{
	for (uint64_t j = 0; j < p->cols; j++) {
		for (uint64_t i = 0; i < p->rows; i++)
			matrix[j * p->rows + i] = buffer[next[holder(grid, p, i, j)]++];
	}
}

static void exchange(const struct pario_mad_gang *all, const struct pario_mad_gang *own,
		     uint64_t target, const double *from, double *to, int *lists, double *sent,
		     double *got)
{
	int n = all->size, *send = lists, *send_at = send + n, *receive = send_at + n,
	    *receive_at = receive + n, *next = receive_at + n;
	struct grid gang = { own->part.side, (int)target * own->size },
		    whole = { all->part.side, 0 };

	count(&all->part, &gang, n, send, send_at);
	if (own->number == target)
		count(&own->part, &whole, n, receive, receive_at);
	memcpy(next, send_at, (size_t)n * sizeof(*next));
	pack(&all->part, &gang, next, from, sent);
	MPI_Alltoallv(sent, send, send_at, MPI_DOUBLE, got, receive, receive_at, MPI_DOUBLE,
		      all->comm);
	if (own->number == target)
		unpack(&own->part, &whole, receive_at, got, to);
}

int pario_mad_remap(const struct pario_mad_gang *all, const struct pario_mad_gang *own,
		    uint64_t target, const double *from, double *to, struct pario_err *err)
{
	int *lists = calloc((size_t)all->size * 5, sizeof(*lists));
	double *sent = malloc((all->part.elements + 1) * sizeof(*sent));
	double *got =
		own->number == target ? malloc((own->part.elements + 1) * sizeof(*got)) : NULL;
	int there = lists && sent && (got || own->number != target), status = 0;

	/* Whoever has no memory must not leave the others in the exchange. */
	MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, all->comm);
	if (there)
		exchange(all, own, target, from, to, lists, sent, got);
	else
		status = pario_err_memory(err, "remapping a matrix. Use fewer pixels");
	free(lists);
	free(sent);
	free(got);
	return status;
}

void pario_mad_gang_await(const struct pario_mad_gang *gang, uint64_t mod)
{
	if ((uint64_t)gang->rank % mod > 0)
		MPI_Recv(NULL, 0, MPI_BYTE, gang->rank - 1, TAG_TOKEN, gang->comm,
			 MPI_STATUS_IGNORE);
}

void pario_mad_gang_pass(const struct pario_mad_gang *gang, uint64_t mod)
{
	if (((uint64_t)gang->rank + 1) % mod > 0)
		MPI_Send(NULL, 0, MPI_BYTE, gang->rank + 1, TAG_TOKEN, gang->comm);
}
