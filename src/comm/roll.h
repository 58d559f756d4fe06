/*
 * roll: which clients still answer when a step has not ended in time, and which of them is behind?
 *
 * MPI cannot be asked: the thread that would has no right to call it, and the others may be stuck in it. So every
 * client has a thread that waits at a UDP socket for the question of client 0. It costs nothing until then. An answer
 * says how many agreements the client has come to since the last order of client 0: who has come to fewer is waited
 * for. A number that only the clients know keeps others from asking or answering.
 */
#ifndef PARIO_COMM_ROLL_H
#define PARIO_COMM_ROLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARIO_ROLL_HOST = 64 };

/* One client as client 0 sees it. */
struct pario_roll_client {
	uint32_t node, place;
	bool answered, out; /* out: it sits the point out */
	bool deaf;	    /* it has no socket */
};

struct pario_roll_node {
	char host[PARIO_ROLL_HOST];
	bool heard; /* it was heard of when the run began, so silence means something */
};

struct pario_comm;

/*
 * Collective. What cannot be had is left out: then fewer clients can be asked. `late` is called on client 0 when the
 * deadline of another client has passed.
 */
void pario_roll_open(const struct pario_comm *world, void (*late)(void));
void pario_roll_close(void);

/* The next order of client 0 is carried out, by this client or not; and it has come to the next agreement. */
void pario_roll_order(bool takes_part);
void pario_roll_pass(void);

/*
 * This client has failed with that sentence and waits for the others; NULL: they have come. Where they never do,
 * since a library keeps them, it is the reason that is told.
 */
void pario_roll_failed(const char *sentence);

/*
 * Who is missing or behind, as the middle of a sentence; "" when nothing can be told. Client 0 asks all others, another
 * client tells client 0 that it waits in vain. Any thread; takes some seconds at most. True when client 0 has heard of
 * it and will say so: then nobody else has to.
 */
bool pario_roll_call(char *text, size_t capacity);

/*
 * On client 0 after a call: the sentence of a client that has failed, and who that is, as a sentence; false = none
 * has.
 */
bool pario_roll_failure(char *text, size_t capacity);

/* The words for what client 0 has found. */
void pario_roll_tell(const struct pario_roll_client *clients, uint64_t count,
		     const struct pario_roll_node *nodes, char *text, size_t capacity);

#endif
