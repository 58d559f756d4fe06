/*
 * torture DIR [abort]: every wrapped call of MPI with null handles, MPI_IN_PLACE, MPI_PROC_NULL, MPI_BOTTOM,
 * ignored statuses, no elements, dead requests and intercommunicators, right and wrong. What each returned, and
 * what the handlers of errors were told, stands in DIR/said.RANK: the tracer must change none of it. For three
 * ranks. "abort" ends with MPI_Abort instead.
 *
 * As a library (-DLIBRARY) it is for a program that knows nothing of MPI (loads.c).
 */
#include "torture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int rank, peer, x[64], y[64], z[64], ones[3] = { 1, 1, 1 }, places[3] = { 0, 1, 2 };
MPI_Comm comm, half, inter;
MPI_Datatype freed, vector;

static FILE *out;
static int handled, last; /* calls of the handlers, and what the last one was told */

static void of_comm(MPI_Comm *where, int *code, ...)
{
	(void)where;
	handled++;
	last = *code;
}

static void of_file(MPI_File *where, int *code, ...)
{
	(void)where;
	handled++;
	last = *code;
}

sigjmp_buf torture_crashed;
static sig_atomic_t ready;

static void crash(int number)
{
	if (!ready) {
		signal(number, SIG_DFL);
		return;
	}
	ready = 0;
	siglongjmp(torture_crashed, 1);
}

void torture_expect(void)
{
	ready = 1;
	handled = last = 0;
}

int torture_say(const char *call, int r)
{
	int kind = 0, told = 0;

	ready = 0;
	if (r == CRASHED) {
		fprintf(out, "%s: crashed\n", call);
		return r;
	}
	if (r != MPI_SUCCESS)
		MPI_Error_class(r, &kind);
	if (handled)
		MPI_Error_class(last, &told);
	/* some MPIs number their errors anew in every run */
	fprintf(out, "%s: class %d; %d handled, class %d, %s\n", call, kind, handled, told,
		handled && last == r ? "the same code" : "another code");
	return r;
}

void torture_note(const char *what, long value)
{
	fprintf(out, "\t%s %ld\n", what, value);
}

static void begin(const char *directory)
{
	MPI_Errhandler comms, files;
	char name[4096];

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	peer = 1 - rank;
	snprintf(name, sizeof(name), "%s/said.%d", directory, rank);
	out = fopen(name, "w");
	if (!out)
		abort();
	setvbuf(out, NULL, _IOLBF, 0);
	signal(SIGSEGV, crash);
	MPI_Comm_create_errhandler(of_comm, &comms);
	MPI_File_create_errhandler(of_file, &files);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, comms);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, comms);
	MPI_File_set_errhandler(MPI_FILE_NULL, files);
	MPI_Errhandler_free(&comms);
	MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
	MPI_Type_commit(&vector);
	MPI_Type_dup(MPI_INT, &freed);
	MPI_Type_commit(&freed);
}

#if MPI_VERSION >= 4
static void sessions(void)
{
	MPI_Session s = MPI_SESSION_NULL;

	T(MPI_Session_finalize(&s));
	T(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	T(MPI_Session_finalize(&s));
}
#endif

int torture(int argc, char **argv)
{
#if defined(LIBRARY)
	int given, r = MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE,
				       &given); /* a crash holds no lock */
#else
	int r = MPI_Init(&argc, &argv);
#endif

	if (argc < 2 || r != MPI_SUCCESS)
		return 1;
	begin(argv[1]);
	torture_comms();
	if (argc > 2) {
		/* all have said what there is to say before they are ended */
		MPI_Barrier(comm);
		if (rank == 0) {
			fprintf(out, "MPI_Abort(comm, 7)\n");
			MPI_Abort(comm, 7);
		}
		MPI_Barrier(comm);
	}
	torture_collectives();
	torture_between();
	torture_messages();
	torture_requests();
	torture_files(argv[1]);
#if MPI_VERSION >= 4
	sessions();
#endif
	MPI_Type_free(&vector);
	MPI_Type_free(&freed);
	torture_expect();
	r = MPI_Finalize();
	fprintf(out, "MPI_Finalize(): class %d; %d handled\n", r, handled);
	fclose(out);
	return 0;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	return torture(argc, argv);
}
#endif
