/*
 * torture: calls of MPI with arguments that mean nothing, and what they answer.
 */
#ifndef PARIO_TEST_TRACE_TORTURE_H
#define PARIO_TEST_TRACE_TORTURE_H

#include <mpi.h>
#include <setjmp.h>

/* Makes a call and writes down how it is written, what it returned, and what the handlers of errors were told. */
#define T(call)            \
	(torture_expect(), \
	 sigsetjmp(torture_crashed, 1) ? torture_say(#call, CRASHED) : torture_say(#call, call))

/* Where an MPI looks at what is not there, a call ends so. */
enum { CRASHED = -4711 };
extern sigjmp_buf torture_crashed;

void torture_expect(void);
int torture_say(const char *call, int r);
void torture_note(const char *what, long value);

enum { ABSENT = 77 }; /* no rank, no root, no color */

extern int rank, peer;		/* ranks 0 and 1 are each other's peer */
extern int x[64], y[64], z[64]; /* messages */
extern int ones[3], places[3];
extern MPI_Comm comm, half, inter; /* all; ranks 0 and 2, or 1; between these */
extern MPI_Datatype freed, vector; /* a type that is no more, and one with holes */

void torture_comms(void);
void torture_collectives(void);
void torture_between(void);
void torture_messages(void);
void torture_requests(void);
void torture_files(const char *directory);

#endif
