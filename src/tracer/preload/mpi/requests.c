/*
 * requests: what is between its start and its end, and the calls that end it.
 *
 * A transfer of MPI-IO is one record, from the call that started it until the call that saw it done, with the bytes of
 * its status. Every request has a number, which the call that started it and the one that saw it done both say. MPI
 * gives several requests one handle when nothing is left to be done for them; they are taken in their order.
 */
#include "tracer/preload/mpi/mpi.h"

#include <string.h>

enum { MOST = 1024, PLACES = 16384, PROBE = 128 };

/* Requests by handle. */
static struct request {
	uint64_t key; /* 0 = free */
	uint32_t number;
	bool wild;
} requests[PLACES];
static unsigned under_way;
static uint32_t numbers;

static uint64_t key_of(MPI_Request request)
{
	return PARIO_HANDLE(request) * 0x9e3779b97f4a7c15u ^ 0x5245515545535421u;
}

static uint64_t key_of_split(MPI_File file)
{
	return PARIO_HANDLE(file) * 0x9e3779b97f4a7c15u ^ 0x53504c4954212121u;
}

uint32_t pario_mpi_request(MPI_Request request, bool wild)
{
	uint32_t number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	uint64_t key = key_of(request);

	if (request == pario_mpi_names()->no_request)
		return 0;
	for (unsigned i = 0; i < PROBE; i++) {
		struct request *q = &requests[((key >> 40) + i) % PLACES];
		uint64_t none = 0;

		if (__atomic_load_n(&q->key, __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&q->key, &none, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED)) {
			q->number = number;
			q->wild = wild;
			__atomic_fetch_add(&under_way, 1, __ATOMIC_RELAXED);
			__atomic_store_n(&q->key, key, __ATOMIC_RELEASE);
			return number;
		}
	}
	return number;
}

/* The oldest request of a handle; NULL when there is none. */
static struct request *find(MPI_Request request)
{
	struct request *oldest = NULL;
	uint64_t key = key_of(request);

	for (unsigned i = 0; i < PROBE; i++) {
		struct request *q = &requests[((key >> 40) + i) % PLACES];

		if (__atomic_load_n(&q->key, __ATOMIC_ACQUIRE) == key &&
		    (!oldest || q->number < oldest->number))
			oldest = q;
	}
	return oldest;
}

static void forget(struct request *q)
{
	__atomic_store_n(&q->key, 0, __ATOMIC_RELEASE);
	__atomic_fetch_sub(&under_way, 1, __ATOMIC_RELAXED);
}

void pario_mpi_started(struct pario_call *c, MPI_Request request)
{
	c->more = pario_mpi_request(request, false);
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

/* The handles as they were: MPI takes them away, except from requests that can be started again. */
struct before {
	const MPI_Request *was, *now; /* was: NULL = nothing to do */
	MPI_Status *statuses;
	uint32_t *done; /* numbers */
	int count;	/* of them */
	void *memory;
	size_t bytes;
};

/* Room for `n` handles and numbers and, where the program wants none, for its statuses. */
#define BYTES(n) ((size_t)(n) * (sizeof(MPI_Request) + sizeof(MPI_Status) + sizeof(uint32_t)))

static MPI_Status *save(struct before *b, void *memory, int n, const MPI_Request *q, MPI_Status *s,
			bool ignored)
{
	if (!memory)
		return s;
	b->was = memcpy(memory, q, (size_t)n * sizeof(*q));
	b->now = q;
	b->statuses = ignored ? (MPI_Status *)((MPI_Request *)memory + n) : s;
	b->done = (uint32_t *)((char *)memory + (size_t)n * (sizeof(*q) + sizeof(MPI_Status)));
	return b->statuses;
}

/* Who sent it is written down where the receive did not say it. */
static void match(const struct request *q, const MPI_Status *status)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_MATCH,
					   .t0 = pario_ticks(),
					   .file = q->number,
					   .fd = pario_mpi_rank(status->MPI_SOURCE),
					   .arg = (uint32_t)status->MPI_TAG };
	int64_t bytes = pario_mpi_status_bytes(status);

	note.size = bytes > 0 ? (uint64_t)bytes : 0;
	pario_trace_note(&note, NULL, 0);
}

static void ended(struct before *b, int request, int status, int r)
{
	struct request *q;
	struct pario_call c;

	if (!b->was || request < 0)
		return;
	if (pario_pending_take(key_of(b->was[request]), &c))
		done(&c, &b->statuses[status], r);
	q = find(b->was[request]);
	if (!q)
		return;
	b->done[b->count++] = q->number;
	if (q->wild && r == MPI_SUCCESS)
		match(q, &b->statuses[status]);
	if (b->now[request] != b->was[request])
		forget(q);
}

/* The call failed as a whole: what it says of its requests cannot be read, but those that it ended are gone. */
static void failed(struct before *b, int n, int r)
{
	for (int i = 0; b->was && i < n; i++) {
		if (b->now[i] != b->was[i])
			ended(b, i, 0, r);
	}
}

/* Did it end some, or is there a status that says of each how it ended? */
static bool tells(int r)
{
	return r == MPI_SUCCESS || r == MPI_ERR_IN_STATUS;
}

static void all_ended(struct before *b, int n, int r)
{
	if (!tells(r))
		failed(b, n, r);
	for (int i = 0; tells(r) && b->was && i < n; i++) {
		int error = r == MPI_ERR_IN_STATUS ? b->statuses[i].MPI_ERROR : r;

		if (error != MPI_ERR_PENDING)
			ended(b, i, i, error);
	}
}

static void some_ended(struct before *b, int n, const int *count, const int *index, int r)
{
	if (!tells(r))
		failed(b, n, r);
	for (int i = 0; tells(r) && b->was && *count != MPI_UNDEFINED && i < *count; i++)
		ended(b, index[i], i, r == MPI_ERR_IN_STATUS ? b->statuses[i].MPI_ERROR : r);
}

/* One of them, or none. */
static void any_ended(struct before *b, int n, const int *index, int r)
{
	if (r != MPI_SUCCESS)
		failed(b, n, r);
	else if (b->was && *index != MPI_UNDEFINED)
		ended(b, *index, 0, r);
}

/* Of those that only look: did it see an end? */
static bool is_over(const int *done, int r)
{
	return r != MPI_SUCCESS || *done;
}

static void freed(struct before *b, int r)
{
	struct request *q;
	struct pario_call c;

	if (!b->was || r != MPI_SUCCESS)
		return;
	if (pario_pending_take(key_of(b->was[0]), &c)) {
		c.flags |= PARIO_TRACE_STARTED; /* it goes on, and nobody will know how long */
		pario_trace_put(&c);
	}
	q = find(b->was[0]);
	if (q) {
		b->done[b->count++] = q->number;
		forget(q);
	}
}

/* Those that can be started again keep their numbers. */
static void started(struct before *b, int n, int r)
{
	for (int i = 0; b->was && r == MPI_SUCCESS && i < n; i++) {
		const struct request *q = find(b->was[i]);

		if (q)
			b->done[b->count++] = q->number;
	}
}

/* What the call says about the requests: how many it was given, how many it saw done, and which. */
static void say(struct pario_call *c, struct before *b, int n)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_REQUESTS };
	enum { MOST_OF_NOTE = PARIO_TRACE_TEXT_MAX / sizeof(uint32_t) };

	c->arg = (uint32_t)n;
	c->more = b->count ? b->done[0] : 0;
	c->result = b->count;
	for (int i = 0; b->count > 1 && i < b->count; i += MOST_OF_NOTE) {
		int part = b->count - i < MOST_OF_NOTE ? b->count - i : MOST_OF_NOTE;

		pario_trace_note(&note, (const char *)(b->done + i),
				 (size_t)part * sizeof(uint32_t));
	}
	pario_mpi_memory_free(b->memory, b->bytes);
}

/* clang-format off */

/* In the calling function, whose memory it is, unless it is much. */
#define SAVE(n, q, s, ignore) \
	struct before b = { 0 }; \
	if (__atomic_load_n(&under_way, __ATOMIC_RELAXED) && (n) > 0 && q) { \
		b.bytes = BYTES(n); \
		if ((n) > MOST) \
			b.memory = pario_mpi_memory(b.bytes); \
		s = save(&b, (n) > MOST ? b.memory : __builtin_alloca(b.bytes), n, q, s, s == ignore); \
	}
#define CALL(name, params, args, before, n, after) \
	PARIO_MPI(name, name, MPI, params, args, before, after; say(&c, &b, n); pario_mpi_answered(&c, r))

static const int first = 0;
CALL(MPI_Wait, (MPI_Request *q, MPI_Status *s), (q, s), SAVE(1, q, s, MPI_STATUS_IGNORE), 1, any_ended(&b, 1, &first, r))
CALL(MPI_Waitall, (int n, MPI_Request q[], MPI_Status s[]), (n, q, s), SAVE(n, q, s, MPI_STATUSES_IGNORE), n,
     all_ended(&b, n, r))
CALL(MPI_Waitany, (int n, MPI_Request q[], int *i, MPI_Status *s), (n, q, i, s), SAVE(n, q, s, MPI_STATUS_IGNORE), n,
     any_ended(&b, n, i, r))
CALL(MPI_Waitsome, (int n, MPI_Request q[], int *m, int i[], MPI_Status s[]), (n, q, m, i, s),
     SAVE(n, q, s, MPI_STATUSES_IGNORE), n, some_ended(&b, n, m, i, r))
CALL(MPI_Test, (MPI_Request *q, int *done, MPI_Status *s), (q, done, s), SAVE(1, q, s, MPI_STATUS_IGNORE), 1,
     if (is_over(done, r)) any_ended(&b, 1, &first, r))
CALL(MPI_Testall, (int n, MPI_Request q[], int *done, MPI_Status s[]), (n, q, done, s), SAVE(n, q, s, MPI_STATUSES_IGNORE), n,
     if (is_over(done, r)) all_ended(&b, n, r))
CALL(MPI_Testany, (int n, MPI_Request q[], int *i, int *done, MPI_Status *s), (n, q, i, done, s),
     SAVE(n, q, s, MPI_STATUS_IGNORE), n, if (is_over(done, r)) any_ended(&b, n, i, r))
CALL(MPI_Testsome, (int n, MPI_Request q[], int *m, int i[], MPI_Status s[]), (n, q, m, i, s),
     SAVE(n, q, s, MPI_STATUSES_IGNORE), n, some_ended(&b, n, m, i, r))

static MPI_Status nobody;
CALL(MPI_Request_free, (MPI_Request *q), (q), MPI_Status *s = &nobody; SAVE(1, q, s, MPI_STATUS_IGNORE), 1, freed(&b, r))
CALL(MPI_Start, (MPI_Request *q), (q), MPI_Status *s = &nobody; SAVE(1, q, s, MPI_STATUS_IGNORE), 1, started(&b, 1, r))
CALL(MPI_Startall, (int n, MPI_Request q[]), (n, q), MPI_Status *s = &nobody; SAVE(n, q, s, MPI_STATUSES_IGNORE), n,
     started(&b, n, r))

/* clang-format on */
