/*
 * messages: from one to one, or to nobody.
 */
#include "torture.h"

#include <stdlib.h>

#define NO_TYPE MPI_DATATYPE_NULL

static MPI_Request q;

/* Rank 0 sends, rank 1 takes it from anywhere, ready before. Rank 2 looks on. */
#define PAIRED(call, ...)                                                                    \
	do {                                                                                 \
		MPI_Request in = MPI_REQUEST_NULL;                                           \
                                                                                             \
		if (rank == 1)                                                               \
			T(MPI_Irecv(y, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &in)); \
		T(MPI_Barrier(comm));                                                        \
		if (rank == 0) {                                                             \
			T(call);                                                             \
			__VA_ARGS__;                                                         \
		}                                                                            \
		if (rank == 1)                                                               \
			T(MPI_Wait(&in, MPI_STATUS_IGNORE));                                 \
	} while (0)

#define WAIT T(MPI_Wait(&q, MPI_STATUS_IGNORE))
#define RUN               \
	T(MPI_Start(&q)); \
	WAIT;             \
	T(MPI_Request_free(&q))

/* A send in all of its forms: at once, begun, and made for later. Wrong ones reach nobody. */
#define SENDS(name)                                                    \
	do {                                                           \
		PAIRED(MPI_##name(x, 4, MPI_INT, 1, 7, comm), );       \
		PAIRED(MPI_##name(x, 0, MPI_INT, 1, 7, comm), );       \
		PAIRED(MPI_##name(MPI_BOTTOM, 1, at_x, 1, 7, comm), ); \
		PAIRED(MPI_##name(x, 1, vector, 1, 7, comm), );        \
		T(MPI_##name(x, 1, MPI_INT, MPI_PROC_NULL, 7, comm));  \
		T(MPI_##name(x, 1, MPI_INT, 1, 7, MPI_COMM_NULL));     \
		T(MPI_##name(x, 1, NO_TYPE, 1, 7, comm));              \
		T(MPI_##name(x, 0, NO_TYPE, MPI_PROC_NULL, 7, comm));  \
		T(MPI_##name(x, -1, MPI_INT, 1, 7, comm));             \
		T(MPI_##name(x, 1, MPI_INT, ABSENT, 7, comm));         \
		T(MPI_##name(x, 1, MPI_INT, 1, -7, comm));             \
	} while (0)
#define BEGUN(name, then)                                                      \
	do {                                                                   \
		PAIRED(MPI_##name(x, 4, MPI_INT, 1, 7, comm, &q), then);       \
		PAIRED(MPI_##name(x, 0, MPI_INT, 1, 7, comm, &q), then);       \
		PAIRED(MPI_##name(MPI_BOTTOM, 1, at_x, 1, 7, comm, &q), then); \
		T(MPI_##name(x, 1, MPI_INT, MPI_PROC_NULL, 7, comm, &q));      \
		then;                                                          \
		q = MPI_REQUEST_NULL;                                          \
		T(MPI_##name(x, 1, MPI_INT, 1, 7, MPI_COMM_NULL, &q));         \
		T(MPI_##name(x, 1, NO_TYPE, 1, 7, comm, &q));                  \
		T(MPI_##name(x, 0, NO_TYPE, MPI_PROC_NULL, 7, comm, &q));      \
		T(MPI_##name(x, -1, MPI_INT, 1, 7, comm, &q));                 \
		T(MPI_##name(x, 1, MPI_INT, ABSENT, 7, comm, &q));             \
		T(MPI_##name(x, 1, MPI_INT, 1, -7, comm, &q));                 \
		T(MPI_##name(x, 1, MPI_INT, 1, 7, comm, NULL));                \
	} while (0)

static void sends(void)
{
	MPI_Datatype at_x;
	MPI_Aint at;
	int bytes = 1 << 20;
	void *room = malloc((size_t)bytes);

	MPI_Get_address(x, &at);
	MPI_Type_create_hindexed(1, &(int){ 2 }, &at, MPI_INT, &at_x);
	MPI_Type_commit(&at_x);
	MPI_Buffer_attach(room, bytes);
	SENDS(Send);
	SENDS(Ssend);
	SENDS(Bsend);
	SENDS(Rsend);
	BEGUN(Isend, WAIT);
	BEGUN(Issend, WAIT);
	BEGUN(Ibsend, WAIT);
	BEGUN(Irsend, WAIT);
	BEGUN(Send_init, RUN);
	BEGUN(Ssend_init, RUN);
	BEGUN(Bsend_init, RUN);
	BEGUN(Rsend_init, RUN);
	MPI_Buffer_detach(&room, &bytes);
	free(room);
	MPI_Type_free(&at_x);
}

static void from_whom(const MPI_Status *s)
{
	torture_note("from", s->MPI_SOURCE);
	torture_note("tag", s->MPI_TAG);
}

/* Rank 0 sends, rank 1 takes. */
static void taken(int count, int from, int tag, MPI_Status *s)
{
	if (rank == 0)
		T(MPI_Send(x, 2, MPI_INT, 1, 7, comm));
	if (rank == 1)
		T(MPI_Recv(y, count, MPI_INT, from, tag, comm, s));
	if (rank == 1 && s != MPI_STATUS_IGNORE)
		from_whom(s);
}

static void receives(void)
{
	MPI_Status s;

	taken(4, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_STATUS_IGNORE);
	taken(4, MPI_ANY_SOURCE, MPI_ANY_TAG, &s);
	taken(2, 0, 7, MPI_STATUS_IGNORE);
	taken(1, MPI_ANY_SOURCE, 7, MPI_STATUS_IGNORE); /* cut short */
	taken(1, 0, 7, &s);
	T(MPI_Recv(y, 1, MPI_INT, MPI_PROC_NULL, 7, comm, MPI_STATUS_IGNORE));
	T(MPI_Recv(y, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, &s));
	from_whom(&s);
	T(MPI_Recv(y, 1, NO_TYPE, 0, 7, comm, MPI_STATUS_IGNORE));
	T(MPI_Recv(y, -1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE));
	T(MPI_Recv(y, 1, MPI_INT, ABSENT, 7, comm, MPI_STATUS_IGNORE));
	T(MPI_Recv(y, 1, MPI_INT, 0, 7, MPI_COMM_NULL, MPI_STATUS_IGNORE));
	T(MPI_Irecv(y, 1, MPI_INT, MPI_PROC_NULL, 7, comm, &q));
	WAIT;
	T(MPI_Recv_init(y, 1, MPI_INT, MPI_PROC_NULL, 7, comm, &q));
	RUN;
	T(MPI_Irecv(y, 1, NO_TYPE, 0, 7, comm, &q));
	T(MPI_Irecv(y, 1, MPI_INT, 0, 7, MPI_COMM_NULL, &q));
	T(MPI_Irecv(y, 1, MPI_INT, ABSENT, 7, comm, NULL));
	T(MPI_Recv_init(y, 1, NO_TYPE, 0, 7, comm, &q));
	T(MPI_Recv_init(y, 1, MPI_INT, 0, 7, MPI_COMM_NULL, &q));
}

static void exchanges(void)
{
	const int next = (rank + 1) % 3, before = (rank + 2) % 3;
	MPI_Status s;

	T(MPI_Sendrecv(x, 1, MPI_INT, next, 7, y, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
		       MPI_STATUS_IGNORE));
	T(MPI_Sendrecv(x, 1, MPI_INT, next, 7, y, 1, vector, before, 7, comm, &s));
	from_whom(&s);
	T(MPI_Sendrecv(x, 0, MPI_INT, MPI_PROC_NULL, 7, y, 0, MPI_INT, MPI_PROC_NULL, 7, comm,
		       MPI_STATUS_IGNORE));
	T(MPI_Sendrecv(x, 2, MPI_INT, next, 7, y, 1, MPI_INT, before, 7, comm,
		       MPI_STATUS_IGNORE)); /* cut short */
	T(MPI_Sendrecv(x, 1, NO_TYPE, next, 7, y, 1, MPI_INT, before, 7, comm, MPI_STATUS_IGNORE));
	T(MPI_Sendrecv(x, 1, MPI_INT, next, 7, y, 1, NO_TYPE, before, 7, comm, MPI_STATUS_IGNORE));
	T(MPI_Sendrecv(x, 1, MPI_INT, next, 7, y, 1, MPI_INT, before, 7, MPI_COMM_NULL,
		       MPI_STATUS_IGNORE));
	T(MPI_Sendrecv_replace(x, 1, MPI_INT, next, 7, before, 7, comm, MPI_STATUS_IGNORE));
	T(MPI_Sendrecv_replace(x, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_PROC_NULL, 7, comm, &s));
	from_whom(&s);
	T(MPI_Sendrecv_replace(x, 1, NO_TYPE, next, 7, before, 7, comm, MPI_STATUS_IGNORE));
	T(MPI_Sendrecv_replace(x, 1, MPI_INT, next, 7, before, 7, MPI_COMM_NULL,
			       MPI_STATUS_IGNORE));
}

void torture_messages(void)
{
	sends();
	receives();
	exchanges();
}
