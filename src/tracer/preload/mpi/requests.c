/*
 * requests: transfers of MPI-IO between their start and their end, and the calls that end them.
 *
 * A transfer is one record, from the call that started it until the call that saw it done, with the bytes of its
 * status. Calls that wait for messages only pay for one look at a counter.
 */
#include "tracer/preload/mpi/mpi.h"

#include <string.h>

enum { MOST = 1024 }; /* handles that are looked at in one call: they are copied to the stack */

static unsigned under_way;

static uint64_t key_of(MPI_Request request)
{
	return PARIO_HANDLE(request) * 0x9e3779b97f4a7c15u ^ 0x5245515545535421u;
}

static uint64_t key_of_split(MPI_File file)
{
	return PARIO_HANDLE(file) * 0x9e3779b97f4a7c15u ^ 0x53504c4954212121u;
}

void pario_mpi_started(struct pario_call *c, MPI_Request request)
{
	__atomic_fetch_add(&under_way, 1, __ATOMIC_RELAXED);
	pario_pending_start(key_of(request), c);
}

void pario_mpi_split(struct pario_call *c, MPI_File file)
{
	pario_pending_start(key_of_split(file), c);
}

static void done(struct pario_call *c, const MPI_Status *status, int r)
{
	int64_t bytes = r == MPI_SUCCESS ? pario_mpi_status_bytes(status) : -(int64_t)r;

	pario_pending_done(c, r == MPI_SUCCESS && bytes < 0 ? (int64_t)c->size : bytes);
}

void pario_mpi_split_done(MPI_File file, const MPI_Status *status, int r)
{
	struct pario_call c;

	if (pario_pending_take(key_of_split(file), &c))
		done(&c, status, r);
}

/* ---- what the calls that wait need ---- */

/* The handles as they were: MPI takes them away. */
struct before {
	const MPI_Request *was; /* NULL: nothing to do */
	MPI_Status *statuses;
};

static void ended(const struct before *b, int request, int status, int r)
{
	struct pario_call c;

	if (!b->was || request < 0 || !pario_pending_take(key_of(b->was[request]), &c))
		return;
	__atomic_fetch_sub(&under_way, 1, __ATOMIC_RELAXED);
	done(&c, &b->statuses[status], r);
}

static void all_ended(const struct before *b, int n, int r)
{
	for (int i = 0; b->was && i < n; i++) {
		int error = r == MPI_ERR_IN_STATUS ? b->statuses[i].MPI_ERROR : r;

		if (error != MPI_ERR_PENDING)
			ended(b, i, i, error);
	}
}

static void some_ended(const struct before *b, const int *count, const int *index, int r)
{
	for (int i = 0; b->was && *count != MPI_UNDEFINED && i < *count; i++)
		ended(b, index[i], i, r == MPI_ERR_IN_STATUS ? b->statuses[i].MPI_ERROR : r);
}

/* One of them, or none. */
static void any_ended(const struct before *b, const int *index, int r)
{
	if (b->was && *index != MPI_UNDEFINED)
		ended(b, *index, 0, r);
}

static void freed(const struct before *b)
{
	struct pario_call c;

	if (!b->was || !pario_pending_take(key_of(b->was[0]), &c))
		return;
	__atomic_fetch_sub(&under_way, 1, __ATOMIC_RELAXED);
	c.flags |= PARIO_TRACE_STARTED; /* it goes on, and nobody will know how long */
	pario_trace_put(&c);
}

/* clang-format off */

/* In the calling function, whose memory it must be; statuses that nobody wants are ours. */
#define SAVE(n, q, s, ignore) \
	struct before b = { 0 }; \
	if (__atomic_load_n(&under_way, __ATOMIC_RELAXED) && (n) > 0 && (n) <= MOST) { \
		b.was = memcpy(__builtin_alloca((size_t)(n) * sizeof(*q)), q, (size_t)(n) * sizeof(*q)); \
		if (s == ignore) \
			s = __builtin_alloca((size_t)(n) * sizeof(*s)); \
		b.statuses = s; \
	}
#define CALL(name, params, args, before, after) \
	PARIO_MPI(name, name, MPI, params, args, before, after; pario_mpi_answered(&c, r))

CALL(MPI_Wait, (MPI_Request *q, MPI_Status *s), (q, s), SAVE(1, q, s, MPI_STATUS_IGNORE), ended(&b, 0, 0, r))
CALL(MPI_Waitall, (int n, MPI_Request q[], MPI_Status s[]), (n, q, s), SAVE(n, q, s, MPI_STATUSES_IGNORE), all_ended(&b, n, r))
CALL(MPI_Waitany, (int n, MPI_Request q[], int *i, MPI_Status *s), (n, q, i, s), SAVE(n, q, s, MPI_STATUS_IGNORE),
     any_ended(&b, i, r))
CALL(MPI_Waitsome, (int n, MPI_Request q[], int *m, int i[], MPI_Status s[]), (n, q, m, i, s),
     SAVE(n, q, s, MPI_STATUSES_IGNORE), some_ended(&b, m, i, r))
CALL(MPI_Test, (MPI_Request *q, int *done, MPI_Status *s), (q, done, s), SAVE(1, q, s, MPI_STATUS_IGNORE),
     if (*done) ended(&b, 0, 0, r))
CALL(MPI_Testall, (int n, MPI_Request q[], int *done, MPI_Status s[]), (n, q, done, s), SAVE(n, q, s, MPI_STATUSES_IGNORE),
     if (*done) all_ended(&b, n, r))
CALL(MPI_Testany, (int n, MPI_Request q[], int *i, int *done, MPI_Status *s), (n, q, i, done, s),
     SAVE(n, q, s, MPI_STATUS_IGNORE), if (*done) any_ended(&b, i, r))
CALL(MPI_Testsome, (int n, MPI_Request q[], int *m, int i[], MPI_Status s[]), (n, q, m, i, s),
     SAVE(n, q, s, MPI_STATUSES_IGNORE), some_ended(&b, m, i, r))

static MPI_Status nobody;
CALL(MPI_Request_free, (MPI_Request *q), (q), MPI_Status *s = &nobody; SAVE(1, q, s, MPI_STATUS_IGNORE), freed(&b))

/* clang-format on */
