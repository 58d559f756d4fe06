/*
 * rings: requests are remembered when they are submitted and recorded when their completion is seen, paired by ring and
 * user_data. Entries stay in the rings until they are overwritten, so that what a program takes from the ring without
 * any call is still found at its next call; the time is that of the call then.
 *
 * A ring with a polling kernel thread (SQPOLL) is seen the same way when liburing submits. Without liburing its
 * requests, and those of rings that a program enters by an instruction of its own, are found at the next call for the
 * ring, when the program waits (epoll, poll, select) and when the ring is closed. Those that were overwritten by then
 * are counted and said.
 */
#include "tracer/preload/rings.h"

#include <linux/io_uring.h>

enum { RINGS = 64, RAW = 16, TABLES = 16, REGISTERED = 1024 };

/* How far a completion queue was read. Wiped in children. */
static struct seen {
	const unsigned *tail; /* whose: NULL = free */
	unsigned at;
	bool busy; /* a thread reads it: others leave it to that one */
} * seen;

static struct seen *seen_of(const unsigned *tail, bool add)
{
	if (!seen)
		seen = pario_trace_wiped(RINGS * sizeof(*seen));
	for (int i = 0; seen && i < RINGS; i++) {
		const unsigned *none = NULL;

		if (__atomic_load_n(&seen[i].tail, __ATOMIC_ACQUIRE) == tail)
			return &seen[i];
		if (add && !seen[i].tail &&
		    __atomic_compare_exchange_n(&seen[i].tail, &none, tail, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			seen[i].at = 0;
			return &seen[i];
		}
	}
	return NULL;
}

/* Files that a ring knows by numbers of its own. Wiped in children. */
static struct registered {
	const unsigned *tail; /* whose: NULL = free */
	uint32_t files[REGISTERED];
} * registered;

static struct registered *registered_of(const unsigned *tail, bool add)
{
	if (!registered && add)
		registered = pario_trace_wiped(TABLES * sizeof(*registered));
	for (int i = 0; registered && i < TABLES; i++) {
		const unsigned *none = NULL;

		if (__atomic_load_n(&registered[i].tail, __ATOMIC_ACQUIRE) == tail)
			return &registered[i];
		if (add && __atomic_compare_exchange_n(&registered[i].tail, &none, tail, false,
						       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return &registered[i];
	}
	return NULL;
}

void pario_ring_registers(const struct pario_ring *ring, unsigned first, const int *fds,
			  unsigned count)
{
	struct registered *g = registered_of(ring->cq_tail, true);

	for (unsigned i = 0; g && i < count && first + i < REGISTERED; i++) {
		struct pario_call c = { 0 };

		pario_of_fd(&c, fds[i]);
		g->files[first + i] = c.file;
	}
}

static uint32_t registered_file(const struct pario_ring *ring, int number)
{
	const struct registered *g = registered_of(ring->cq_tail, false);

	return g && number >= 0 && number < REGISTERED ? g->files[number] : 0;
}

static uint64_t key_of(const struct pario_ring *ring, uint64_t user_data)
{
	return ((uint64_t)(uintptr_t)ring->cq_tail * 0xc2b2ae3d27d4eb4fu) ^ user_data;
}

static void describe(struct pario_call *c, const struct pario_ring *ring,
		     const struct io_uring_sqe *q, bool late)
{
	c->size = q->len;
	c->offset = q->off == UINT64_MAX ? PARIO_TRACE_NOWHERE : q->off;
	switch (q->opcode) {
	case IORING_OP_READV:
	case IORING_OP_WRITEV:
		c->size = late ? 0
			       : pario_iov_bytes((const struct iovec *)(uintptr_t)q->addr,
						 (long)q->len, -1);
		c->op = q->opcode == IORING_OP_READV ? PARIO_OP_uring_read : PARIO_OP_uring_write;
		break;
	case IORING_OP_READ:
	case IORING_OP_READ_FIXED:
		c->op = PARIO_OP_uring_read;
		break;
	case IORING_OP_WRITE:
	case IORING_OP_WRITE_FIXED:
		c->op = PARIO_OP_uring_write;
		break;
	case IORING_OP_FSYNC:
	case IORING_OP_SYNC_FILE_RANGE:
		c->op = PARIO_OP_uring_fsync;
		break;
	case IORING_OP_OPENAT:
	case IORING_OP_OPENAT2:
		c->op = PARIO_OP_uring_open;
		c->offset = PARIO_TRACE_NOWHERE;
		c->size = 0;
		if (q->opcode == IORING_OP_OPENAT) {
			c->arg = q->open_flags;
			c->more = q->open_flags & O_CREAT ? q->len : 0;
		}
		if (!late)
			pario_of_path(c, q->fd, (const char *)(uintptr_t)q->addr);
		return;
	case IORING_OP_CLOSE:
		c->op = PARIO_OP_uring_close;
		c->offset = PARIO_TRACE_NOWHERE;
		c->size = 0;
		if (q->file_index == 0) {
			pario_of_fd(c, q->fd);
			pario_fd_forget(q->fd);
		}
		return;
	default:
		c->offset = PARIO_TRACE_NOWHERE;
		c->size = q->opcode;
		return;
	}
	c->fd = PARIO_TRACE_NO_FD;
	if (q->flags & IOSQE_FIXED_FILE)
		c->file = registered_file(ring, q->fd);
	else
		pario_of_fd(c, q->fd);
}

void pario_ring_submits(const struct pario_ring *ring, const struct pario_call *submit,
			unsigned from, unsigned to, bool late)
{
	unsigned mask = *ring->sq_mask;

	for (unsigned i = from; i != to; i++) {
		unsigned at = ring->sq_array ? ring->sq_array[i & mask] & mask : i & mask;
		const struct io_uring_sqe *q =
			(const struct io_uring_sqe *)(ring->sqes + (size_t)at * ring->sqe_bytes);
		struct pario_call c = pario_request(submit, PARIO_OP_uring_other);

		describe(&c, ring, q, late);
		pario_pending_start(key_of(ring, q->user_data), &c);
	}
}

static void see(const struct pario_ring *ring, struct seen *s)
{
	unsigned tail = __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE), mask = *ring->cq_mask;

	if (tail - s->at > mask + 1)
		s->at = tail - (mask + 1);
	for (; s->at != tail; s->at++) {
		const struct io_uring_cqe *e =
			(const struct io_uring_cqe *)(ring->cqes +
						      (size_t)(s->at & mask) * ring->cqe_bytes);

		if (!(e->flags & IORING_CQE_F_MORE)) /* else the same request goes on */
			pario_pending_complete(key_of(ring, e->user_data), e->res);
	}
}

void pario_ring_look(const struct pario_ring *ring)
{
	struct seen *s = seen_of(ring->cq_tail, true);

	if (!s || __atomic_exchange_n(&s->busy, true, __ATOMIC_ACQUIRE))
		return;
	see(ring, s);
	__atomic_store_n(&s->busy, false, __ATOMIC_RELEASE);
}

void pario_ring_forget(const struct pario_ring *ring)
{
	struct seen *s = seen_of(ring->cq_tail, false);

	struct registered *g = registered_of(ring->cq_tail, false);

	if (s)
		__atomic_store_n(&s->tail, NULL, __ATOMIC_RELEASE);
	if (g)
		__atomic_store_n(&g->tail, NULL, __ATOMIC_RELEASE);
}

/* ---- rings without liburing ---- */

unsigned pario_raw_rings;

/* Not wiped in children: a ring's memory is shared with them, and the parent alone uses it as a rule. */
static struct raw {
	int fd;	      /* 0 = free */
	uint32_t pid; /* who uses it: a forked child has the memory as well */
	struct io_uring_params params;
	char *sq, *cq, *sqes;
	bool busy;	    /* a thread looks at it: others leave it to that one */
	unsigned submitted; /* requests that were remembered, or overwritten before that */
	uint64_t overwritten;
} raw[RAW];

static uint32_t own_pid(void)
{
	return pario_trace_ready() ? pario_trace_self->segment->pid : 0;
}

static struct raw *raw_of(int fd)
{
	for (int i = 0; pario_raw_rings && i < RAW; i++) {
		if (raw[i].fd == fd)
			return &raw[i];
	}
	return NULL;
}

/* False as long as not all parts are mapped. */
static bool view(const struct raw *r, struct pario_ring *ring)
{
	const struct io_uring_params *p = &r->params;
	char *cq = p->features & IORING_FEAT_SINGLE_MMAP ? r->sq : r->cq;

	if (!r->sq || !cq || !r->sqes)
		return false;
	*ring = (struct pario_ring){
		.sq_tail = (const unsigned *)(r->sq + p->sq_off.tail),
		.sq_mask = (const unsigned *)(r->sq + p->sq_off.ring_mask),
		.sq_array = p->sq_off.array ? (const unsigned *)(r->sq + p->sq_off.array) : NULL,
		.sqes = r->sqes,
		.cq_tail = (const unsigned *)(cq + p->cq_off.tail),
		.cq_mask = (const unsigned *)(cq + p->cq_off.ring_mask),
		.cqes = cq + p->cq_off.cqes,
		.sqe_bytes = p->flags & (1u << 10) ? 128 : 64, /* IORING_SETUP_SQE128 */
		.cqe_bytes = p->flags & (1u << 11) ? 32 : 16,  /* IORING_SETUP_CQE32 */
	};
	return true;
}

void pario_raw_ring_made(int fd, const void *params)
{
	struct raw *r = raw_of(fd);

	for (int i = 0; !r && i < RAW; i++) {
		if (!raw[i].fd)
			r = &raw[i];
	}
	if (!r || fd <= 0)
		return;
	*r = (struct raw){ .fd = fd, .params = *(const struct io_uring_params *)params };
	r->pid = own_pid();
	pario_raw_rings++;
}

void pario_raw_ring_mapped(int fd, uint64_t offset, void *at)
{
	struct raw *r = raw_of(fd);
	struct pario_ring ring;

	if (!r)
		return;
	if (offset == IORING_OFF_SQ_RING)
		r->sq = at;
	else if (offset == IORING_OFF_CQ_RING)
		r->cq = at;
	else if (offset == IORING_OFF_SQES)
		r->sqes = at;
	if (view(r, &ring))
		pario_ring_forget(&ring);
}

void pario_raw_ring_registers(int fd, unsigned what, const void *with, unsigned count)
{
	const struct io_uring_files_update *update = with;
	const struct raw *r = raw_of(fd);
	struct pario_ring ring;

	if (!r || !view(r, &ring))
		return;
	if (what == IORING_REGISTER_FILES)
		pario_ring_registers(&ring, 0, with, count);
	else if (what == IORING_REGISTER_FILES_UPDATE)
		pario_ring_registers(&ring, update->offset, (const int *)(uintptr_t)update->fds,
				     count);
}

/* What was put into the submission queue since the last look. */
static void take(struct raw *r, const struct pario_call *submit, bool late)
{
	struct pario_ring ring;
	unsigned tail, entries;

	if (!view(r, &ring) || __atomic_exchange_n(&r->busy, true, __ATOMIC_ACQUIRE))
		return;
	tail = __atomic_load_n(ring.sq_tail, __ATOMIC_ACQUIRE);
	entries = *ring.sq_mask + 1;
	if (tail - r->submitted > entries) {
		r->overwritten += tail - r->submitted - entries;
		r->submitted = tail - entries;
	}
	pario_ring_submits(&ring, submit, r->submitted, tail, late);
	r->submitted = tail;
	pario_ring_look(&ring);
	__atomic_store_n(&r->busy, false, __ATOMIC_RELEASE);
}

void pario_raw_ring_enters(int fd, const struct pario_call *submit)
{
	struct raw *r = raw_of(fd);

	if (r) {
		r->pid = own_pid();
		take(r, submit, false);
	}
}

void pario_raw_ring_entered(int fd)
{
	struct raw *r = raw_of(fd);
	struct pario_ring ring;

	if (r && view(r, &ring))
		pario_ring_look(&ring);
}

/* What a polling kernel thread took and did since the last call, or calls that nobody saw. */
static void last_look(struct raw *r)
{
	struct pario_call c = { .op = PARIO_OP_uring_submit, .start = pario_ticks() };

	if (pario_trace_ready() && r->pid == own_pid())
		take(r, &c, true);
}

void pario_raw_rings_look(void)
{
	for (int i = 0; i < RAW; i++) {
		if (raw[i].fd)
			last_look(&raw[i]);
	}
}

static void tell_overwritten(struct raw *r)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_RING,
					   .file = PARIO_RING_ENTERED,
					   .size = r->overwritten };

	if (r->overwritten && r->pid == own_pid())
		pario_trace_note(&note, NULL, 0);
	r->overwritten = 0;
}

static void end(struct raw *r)
{
	struct pario_ring ring;

	last_look(r);
	tell_overwritten(r);
	if (view(r, &ring))
		pario_ring_forget(&ring);
	r->fd = 0;
	pario_raw_rings--;
}

void pario_raw_ring_closes(int fd)
{
	struct raw *r = raw_of(fd);

	if (r)
		end(r);
}

void pario_raw_ring_unmaps(const void *at)
{
	for (int i = 0; i < RAW; i++) {
		if (raw[i].fd && (raw[i].sq == at || raw[i].cq == at || raw[i].sqes == at))
			end(&raw[i]);
	}
}

void pario_raw_rings_end(void)
{
	for (int i = 0; pario_raw_rings && i < RAW; i++) {
		if (raw[i].fd) {
			last_look(&raw[i]);
			tell_overwritten(&raw[i]);
		}
	}
}
