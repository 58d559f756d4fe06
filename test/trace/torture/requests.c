/*
 * requests: what waits for them, when they are dead, inactive, null, cut short, or not given at all.
 */
#include "torture.h"

#include <stddef.h>

enum { N = 4 };

static MPI_Request q[N];
static MPI_Status s[N];
static int done, count, index, indices[N];

/* Two to the peer, two from anywhere of it. `short_of`: elements too few in the last. */
static void under_way(int short_of)
{
	MPI_Irecv(y, 2, MPI_INT, MPI_ANY_SOURCE, 5, comm, &q[0]);
	MPI_Irecv(y + 4, 2 - short_of, MPI_INT, peer, MPI_ANY_TAG, comm, &q[1]);
	MPI_Isend(x, 2, MPI_INT, peer, 5, comm, &q[2]);
	MPI_Isend(x + 4, 2, MPI_INT, peer, 6, comm, &q[3]);
}

static void all_null(void)
{
	for (int i = 0; i < N; i++)
		q[i] = MPI_REQUEST_NULL;
}

static void which(int n, const MPI_Status *statuses, int failed)
{
	for (int i = 0; i < n; i++) {
		torture_note("from", statuses[i].MPI_SOURCE);
		torture_note("tag", statuses[i].MPI_TAG);
		if (failed)
			torture_note("error", statuses[i].MPI_ERROR);
	}
	for (int i = 0; i < N; i++)
		torture_note("null", q[i] == MPI_REQUEST_NULL);
}

static void finish(void)
{
	for (int i = 0; i < N; i++)
		MPI_Wait(&q[i], MPI_STATUS_IGNORE);
}

/* Which of several ended first differs from run to run: each way is asked until all have. */
static void in_every_way(int short_of, int ignore)
{
	MPI_Status *all = ignore ? MPI_STATUSES_IGNORE : s, *one = ignore ? MPI_STATUS_IGNORE : s;

	under_way(short_of);
	T(MPI_Waitall(N, q, all));
	if (!ignore)
		which(N, s, short_of);
	finish();
	under_way(short_of);
	for (int i = N; i--;) {
		T(MPI_Wait(&q[i], one));
		torture_note("null", q[i] == MPI_REQUEST_NULL);
	}
	finish();
	/* the same, where it does not matter which: one request among null ones */
	for (int i = 0; i < N; i++) {
		MPI_Request others[N];

		under_way(short_of);
		for (int k = 0; k < N; k++) {
			others[k] = k == i ? MPI_REQUEST_NULL : q[k];
			q[k] = k == i ? q[k] : MPI_REQUEST_NULL;
		}
		if (i % 2)
			T(MPI_Waitany(N, q, &index, one));
		else
			T(MPI_Waitsome(N, q, &count, indices, all));
		torture_note("which", i % 2 ? index : indices[0]);
		which(0, s, 0);
		for (int k = 0; k < N; k++)
			MPI_Wait(&others[k], MPI_STATUS_IGNORE);
		finish();
	}
}

/* Asked until they say so. Calls that see nothing end are not told: how many there are differs. */
#define UNTIL(call)                                                  \
	do {                                                         \
		int r;                                               \
                                                                     \
		do {                                                 \
			done = count = 0;                            \
			torture_expect();                            \
			r = call;                                    \
		} while (r == MPI_SUCCESS && !done && !(count > 0)); \
		torture_say(#call, r);                               \
		which(0, s, 0);                                      \
	} while (0)

static void looked_at(int short_of, int ignore)
{
	MPI_Status *all = ignore ? MPI_STATUSES_IGNORE : s, *one = ignore ? MPI_STATUS_IGNORE : s;

	under_way(short_of);
	UNTIL(MPI_Testall(N, q, &done, all));
	finish();
	under_way(short_of);
	UNTIL(MPI_Test(&q[1], &done, one));
	finish();
	for (int some = 0; some < 2; some++) {
		MPI_Request others[N];

		under_way(short_of);
		for (int k = 0; k < N; k++) {
			others[k] = k == 1 ? MPI_REQUEST_NULL : q[k];
			q[k] = k == 1 ? q[k] : MPI_REQUEST_NULL;
		}
		if (some)
			UNTIL(MPI_Testsome(N, q, &count, indices, all));
		else
			UNTIL(MPI_Testany(N, q, &index, &done, one));
		for (int k = 0; k < N; k++)
			MPI_Wait(&others[k], MPI_STATUS_IGNORE);
		finish();
	}
}

static void none_there(void)
{
	all_null();
	T(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
	T(MPI_Waitall(N, q, MPI_STATUSES_IGNORE));
	T(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
	T(MPI_Waitany(N, q, &index, MPI_STATUS_IGNORE));
	torture_note("undefined", index == MPI_UNDEFINED);
	T(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE));
	T(MPI_Waitsome(N, q, &count, indices, MPI_STATUSES_IGNORE));
	torture_note("undefined", count == MPI_UNDEFINED);
	T(MPI_Test(&q[0], &done, MPI_STATUS_IGNORE));
	T(MPI_Testall(N, q, &done, MPI_STATUSES_IGNORE));
	T(MPI_Testany(N, q, &index, &done, MPI_STATUS_IGNORE));
	torture_note("undefined", index == MPI_UNDEFINED);
	T(MPI_Testsome(N, q, &count, indices, MPI_STATUSES_IGNORE));
	torture_note("undefined", count == MPI_UNDEFINED);
}

static void wrong(void)
{
	all_null();
	T(MPI_Request_free(&q[0]));
	T(MPI_Start(&q[0]));
	T(MPI_Startall(N, q));
	T(MPI_Request_free(NULL));
	T(MPI_Start(NULL));
	T(MPI_Startall(N, NULL));
	T(MPI_Startall(-1, q));
	T(MPI_Wait(NULL, MPI_STATUS_IGNORE));
	T(MPI_Waitall(N, NULL, MPI_STATUSES_IGNORE));
	T(MPI_Waitall(-1, q, MPI_STATUSES_IGNORE));
	T(MPI_Waitany(N, NULL, &index, MPI_STATUS_IGNORE));
	T(MPI_Waitany(N, q, NULL, MPI_STATUS_IGNORE));
	T(MPI_Waitsome(N, NULL, &count, indices, MPI_STATUSES_IGNORE));
	T(MPI_Waitsome(N, q, NULL, indices, MPI_STATUSES_IGNORE));
	T(MPI_Test(NULL, &done, MPI_STATUS_IGNORE));
	T(MPI_Test(&q[0], NULL, MPI_STATUS_IGNORE));
	T(MPI_Testall(N, NULL, &done, MPI_STATUSES_IGNORE));
	T(MPI_Testall(N, q, NULL, MPI_STATUSES_IGNORE));
	T(MPI_Testany(N, NULL, &index, &done, MPI_STATUS_IGNORE));
	T(MPI_Testsome(N, NULL, &count, indices, MPI_STATUSES_IGNORE));
}

/* Requests that can be started again: inactive, started, and freed while they are under way. */
static void again_and_again(void)
{
	MPI_Recv_init(y, 2, MPI_INT, MPI_ANY_SOURCE, 5, comm, &q[0]);
	MPI_Send_init(x, 2, MPI_INT, peer, 5, comm, &q[1]);
	q[2] = q[3] = MPI_REQUEST_NULL;
	T(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
	T(MPI_Test(&q[1], &done, MPI_STATUS_IGNORE));
	T(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
	T(MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE));
	for (int i = 0; i < 2; i++) {
		T(MPI_Startall(2, q));
		T(MPI_Waitall(2, q, i ? s : MPI_STATUSES_IGNORE));
	}
	T(MPI_Start(&q[0]));
	T(MPI_Start(&q[1]));
	T(MPI_Wait(&q[0], s));
	which(1, s, 0);
	T(MPI_Wait(&q[1], MPI_STATUS_IGNORE));
	T(MPI_Request_free(&q[0]));
	T(MPI_Request_free(&q[1]));
	MPI_Isend(x, 2, MPI_INT, peer, 5, comm, &q[0]);
	T(MPI_Request_free(&q[0]));
	T(MPI_Recv(y, 2, MPI_INT, peer, 5, comm, MPI_STATUS_IGNORE));
	/* one that never comes */
	MPI_Irecv(y, 2, MPI_INT, MPI_ANY_SOURCE, ABSENT, comm, &q[0]);
	MPI_Cancel(&q[0]);
	T(MPI_Wait(&q[0], s));
	MPI_Test_cancelled(s, &done);
	torture_note("cancelled", done);
}

void torture_requests(void)
{
	none_there();
	wrong();
	if (rank == 2)
		return;
	for (int i = 0; i < 4; i++) {
		in_every_way(i / 2, i % 2);
		looked_at(i / 2, i % 2);
	}
	again_and_again();
}
