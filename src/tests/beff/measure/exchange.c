/*
 * exchange: the message loop, by MPI_Sendrecv, MPI_Alltoallv or nonblocking calls.
 */
#include "tests/beff/measure/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

MPI_Comm pario_links_line(MPI_Comm comm)
{
	MPI_Comm line;
	int size, periodic = 1;

	MPI_Comm_size(comm, &size);
	MPI_Cart_create(comm, 1, &size, &periodic, 1, &line);
	return line;
}

MPI_Comm pario_links_ordered(MPI_Comm comm, const unsigned *order)
{
	MPI_Comm ordered;
	int rank, key = 0;

	MPI_Comm_rank(comm, &rank);
	while (order[key] != (unsigned)rank)
		key++;
	MPI_Comm_split(comm, 0, key, &ordered);
	return ordered;
}

MPI_Comm pario_links_grid(MPI_Comm comm, int dimensions, const unsigned *extent, bool periodic)
{
	int extents[8], periods[8];
	MPI_Comm grid;

	for (int d = 0; d < dimensions; d++) {
		extents[d] = (int)extent[d];
		periods[d] = periodic;
	}
	MPI_Cart_create(comm, dimensions, extents, periods, 1, &grid);
	return grid;
}

/* ---- buffers ---- */

int pario_exchange_init(struct pario_exchange *x, uint64_t buffer_bytes, unsigned ranks,
			bool untouched, struct pario_err *err)
{
	memset(x, 0, sizeof(*x));
	x->capacity = buffer_bytes;
	x->ranks = ranks;
	x->send = malloc(buffer_bytes);
	x->receive = malloc(buffer_bytes);
	x->counts = calloc((size_t)ranks * 4, sizeof(*x->counts));
	if (!x->send || !x->receive || !x->counts) {
		pario_exchange_release(x);
		return pario_err_memory(err,
					"two message buffers of %llu bytes. Use a smaller "
					"--memory_per_process",
					(unsigned long long)buffer_bytes);
	}
	/* Pages that appear while the clock runs would be measured. */
	if (!untouched) {
		memset(x->send, 0, buffer_bytes);
		memset(x->receive, 0, buffer_bytes);
	}
	return 0;
}

void pario_exchange_release(struct pario_exchange *x)
{
	free(x->send);
	free(x->receive);
	free(x->counts);
	memset(x, 0, sizeof(*x));
}

void pario_exchange_begin(struct pario_exchange *x, unsigned stamp)
{
	x->stamp = x->expected = stamp;
}

void pario_exchange_rewind(struct pario_exchange *x)
{
	x->send_at = x->receive_at = 0;
}

static inline char *slice(char *buffer, uint64_t capacity, uint64_t *at, uint64_t bytes)
{
	uint64_t whole = (bytes + 7) / 8 * 8, place;

	if (*at + whole > capacity)
		*at = 0;
	place = *at;
	*at += whole;
	return buffer + place;
}

static inline char *send_slice(struct pario_exchange *x, uint64_t bytes)
{
	return slice(x->send, x->capacity, &x->send_at, bytes);
}

static inline char *receive_slice(struct pario_exchange *x, uint64_t bytes)
{
	return slice(x->receive, x->capacity, &x->receive_at, bytes);
}

/* ---- what a message carries ---- */

static inline void mark(const struct pario_exchange *x, char *message, uint64_t bytes,
			unsigned pair)
{
	unsigned first = (pair + 1) * x->stamp + 1;

	message[0] = (char)first;
	message[bytes - 1] = (char)(2 * first - 1);
}

static __attribute__((noinline)) void report(struct pario_exchange *x, const char *message,
					     uint64_t bytes, unsigned pair, int src, unsigned first)
{
	if (!x->wrong)
		snprintf(x->finding, sizeof(x->finding),
			 "message %u of %llu bytes from process %d of its group begins with %u and "
			 "ends with %u instead of %u and %u",
			 pair + 1, (unsigned long long)bytes, src, (unsigned char)message[0],
			 (unsigned char)message[bytes - 1], first, 2 * first - 1);
	x->wrong = true;
}

static inline void check(struct pario_exchange *x, char *message, uint64_t bytes, unsigned pair,
			 int src)
{
	unsigned first = (pair + 1) * x->expected + 1;

	if (message[0] != (char)first || message[bytes - 1] != (char)(2 * first - 1))
		report(x, message, bytes, pair, src, first);
	message[0] = message[bytes - 1] = 0;
}

/* ---- methods ---- */

static void sendrecv(struct pario_exchange *x, const struct pario_links *l, uint64_t bytes)
{
	for (unsigned s = 0; s < l->pairs; s++) {
		char *out = send_slice(x, bytes), *in = receive_slice(x, bytes);
		int tag = (int)s, count = (int)bytes;

		if (l->dest[s] >= 0)
			mark(x, out, bytes, s);
		if (l->src[s] < 0)
			MPI_Send(out, count, MPI_BYTE, l->dest[s], tag, l->comm);
		else if (l->dest[s] < 0)
			MPI_Recv(in, count, MPI_BYTE, l->src[s], tag, l->comm, MPI_STATUS_IGNORE);
		else
			MPI_Sendrecv(out, count, MPI_BYTE, l->dest[s], tag, in, count, MPI_BYTE,
				     l->src[s], tag, l->comm, MPI_STATUS_IGNORE);
		if (l->src[s] >= 0)
			check(x, in, bytes, s, l->src[s]);
	}
}

static void nonblocking(struct pario_exchange *x, const struct pario_links *l, uint64_t bytes)
{
	MPI_Request requests[2 * PARIO_EXCHANGE_PAIRS];
	MPI_Status
		statuses[2 *
			 PARIO_EXCHANGE_PAIRS]; /* compilers take "ignore" for an array of none */
	char *in[PARIO_EXCHANGE_PAIRS], *out;
	int open = 0, count = (int)bytes;

	for (unsigned s = 0; s < l->pairs; s++) {
		in[s] = receive_slice(x, bytes);
		out = send_slice(x, bytes);
		if (l->src[s] >= 0)
			MPI_Irecv(in[s], count, MPI_BYTE, l->src[s], (int)s, l->comm,
				  &requests[open++]);
		if (l->dest[s] >= 0) {
			mark(x, out, bytes, s);
			MPI_Isend(out, count, MPI_BYTE, l->dest[s], (int)s, l->comm,
				  &requests[open++]);
		}
	}
	MPI_Waitall(open, requests, statuses);
	for (unsigned s = 0; s < l->pairs; s++)
		if (l->src[s] >= 0)
			check(x, in[s], bytes, s, l->src[s]);
}

/* How many messages of an iteration go to, or come from, this partner. */
static unsigned times(const int *partners, unsigned pairs, int partner)
{
	unsigned count = 0;

	for (unsigned s = 0; s < pairs; s++)
		count += partners[s] == partner;
	return count;
}

/*
 * A place for each message; several of one partner lie one after the other, as a single count tells of them all. Only
 * the counts of the partners are ever set, and forgotten after the loop: clearing all takes longer the more there are.
 */
static void arrange(struct pario_exchange *x, const int *partners, unsigned pairs, uint64_t bytes,
		    bool sends, char *at[PARIO_EXCHANGE_PAIRS])
{
	int *count = x->counts + (sends ? 0 : 2 * x->ranks), *place = count + x->ranks;
	char *buffer = sends ? x->send : x->receive;

	for (unsigned s = 0; s < pairs; s++)
		if (partners[s] >= 0)
			count[partners[s]] = 0;
	for (unsigned s = 0; s < pairs; s++) {
		int p = partners[s];

		if (p < 0)
			continue;
		if (count[p] == 0) {
			uint64_t capacity = bytes * times(partners, pairs, p);

			place[p] = (int)((sends ? send_slice(x, capacity)
						: receive_slice(x, capacity)) -
					 buffer);
		}
		at[s] = buffer + place[p] + count[p];
		count[p] += (int)bytes;
	}
}

static void alltoallv(struct pario_exchange *x, const struct pario_links *l, uint64_t bytes)
{
	char *in[PARIO_EXCHANGE_PAIRS], *out[PARIO_EXCHANGE_PAIRS];
	int *counts = x->counts;
	unsigned n = x->ranks;

	arrange(x, l->dest, l->pairs, bytes, true, out);
	arrange(x, l->src, l->pairs, bytes, false, in);
	for (unsigned s = 0; s < l->pairs; s++)
		if (l->dest[s] >= 0)
			mark(x, out[s], bytes, s);
	MPI_Alltoallv(x->send, counts, counts + n, MPI_BYTE, x->receive, counts + 2 * n,
		      counts + 3 * n, MPI_BYTE, l->comm);
	for (unsigned s = 0; s < l->pairs; s++)
		if (l->src[s] >= 0)
			check(x, in[s], bytes, s, l->src[s]);
}

static void forget(struct pario_exchange *x, const struct pario_links *l)
{
	for (unsigned s = 0; s < l->pairs; s++) {
		if (l->dest[s] >= 0)
			x->counts[l->dest[s]] = 0;
		if (l->src[s] >= 0)
			x->counts[2 * x->ranks + (unsigned)l->src[s]] = 0;
	}
}

void pario_exchange_loop(struct pario_exchange *x, const struct pario_links *l,
			 enum pario_exchange_method method, uint64_t bytes, uint64_t loop)
{
	if (l->comm == MPI_COMM_NULL)
		return;
	for (uint64_t i = 0; i < loop; i++) {
		switch (method) {
		case PARIO_EXCHANGE_SENDRECV:
			sendrecv(x, l, bytes);
			break;
		case PARIO_EXCHANGE_ALLTOALLV:
			alltoallv(x, l, bytes);
			break;
		case PARIO_EXCHANGE_NONBLOCKING:
			nonblocking(x, l, bytes);
			break;
		}
	}
	if (method == PARIO_EXCHANGE_ALLTOALLV)
		forget(x, l);
}
