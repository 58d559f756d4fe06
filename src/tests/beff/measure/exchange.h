/*
 * exchange: messages between the processes of a group, by one of three methods, over and over (docs/beff.md).
 *
 * In one iteration every process goes through its pairs: a message to one partner, a message from one. Each message
 * has a slice of its own, one after the other through a buffer that holds six of the longest, so that short messages do
 * not stay in one cache line. First and last byte of each message are set by the sender and checked by the receiver,
 * within the time, as the benchmark asks for; the receiver then clears them, so that a message that did not arrive is
 * seen too. The bytes between are not checked.
 */
#ifndef PARIO_TESTS_BEFF_MEASURE_EXCHANGE_H
#define PARIO_TESTS_BEFF_MEASURE_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "base/err.h"

enum { PARIO_EXCHANGE_PAIRS = 6 };

enum pario_exchange_method {
	PARIO_EXCHANGE_SENDRECV,
	PARIO_EXCHANGE_ALLTOALLV,
	PARIO_EXCHANGE_NONBLOCKING,
};

/* What a process does in one iteration; partners are ranks in comm, -1 is nobody. */
struct pario_links {
	MPI_Comm comm; /* MPI_COMM_NULL: this process takes no part */
	unsigned pairs;
	int dest[PARIO_EXCHANGE_PAIRS], src[PARIO_EXCHANGE_PAIRS];
};

/* Groups for links; all processes of `comm` call these together. Free what they return, unless it is null. */
MPI_Comm pario_links_line(MPI_Comm comm); /* a periodic line, MPI may reorder it */
MPI_Comm pario_links_ordered(MPI_Comm comm, const unsigned *order); /* rank p is process order[p] */
MPI_Comm pario_links_grid(MPI_Comm comm, int dimensions, const unsigned *extent, bool periodic);

/* The buffers of one process. */
struct pario_exchange {
	char *send, *receive;
	uint64_t capacity, send_at, receive_at;
	int *counts; /* of Alltoallv: send counts and places, receive counts and places */
	unsigned ranks;
	unsigned stamp,
		expected; /* what messages of this measurement carry; a test may let them differ */
	bool wrong;
	char finding[200]; /* about the first message that was wrong */
};

/*
 * Each buffer has buffer_bytes; at most `ranks` processes in a group. Untouched: as release 3.6 has them, their pages
 * appear when messages first come by.
 */
int pario_exchange_init(struct pario_exchange *exchange, uint64_t buffer_bytes, unsigned ranks,
			bool untouched, struct pario_err *err);
void pario_exchange_release(struct pario_exchange *exchange);

/*
 * A new measurement begins: messages carry this number. Their slices go on where those of the one before ended, as the
 * benchmark's do: from the buffer's beginning again, every measurement would find its memory in the caches.
 */
void pario_exchange_begin(struct pario_exchange *exchange, unsigned stamp);

/* The next message takes the first slice. */
void pario_exchange_rewind(struct pario_exchange *exchange);

/* `loop` iterations with messages of so many bytes (at least 1, at most a sixth of the buffer). */
void pario_exchange_loop(struct pario_exchange *exchange, const struct pario_links *links,
			 enum pario_exchange_method method, uint64_t bytes, uint64_t loop);

#endif
