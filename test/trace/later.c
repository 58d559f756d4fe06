/*
 * later: asynchronous requests whose number, sizes and results are known, by the way its first argument says: aio,
 * libaio, uring, sqpoll (both with liburing), raw (a ring without liburing), rawpoll, flight (ends with requests in
 * flight). Each way reads 1000 bytes at 0 (whole), at 3500 of 4096 (short: 596) and from a bad descriptor (fails), and
 * writes 500. Built against libaio and liburing; exit code 77 when the kernel has no such rings.
 */
#define _GNU_SOURCE 1
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* libaio's header and aio.h do not go together */
struct iocb_ {
	uint64_t data;
	uint32_t key, flags;
	uint16_t opcode;
	int16_t priority;
	uint32_t fd;
	uint64_t buffer, bytes;
	int64_t offset;
	uint64_t reserved;
	uint32_t flags2, event;
};
struct event_ {
	uint64_t data, object;
	int64_t result, result2;
};
extern int io_setup(int, void **), io_destroy(void *), io_submit(void *, long, struct iocb_ **),
	io_getevents(void *, long, long, struct event_ *, struct timespec *);

static char buffer[4][1000];
static int fd, bad = 999;

static const struct request {
	int write, bad;
	unsigned bytes;
	long offset, result;
} requests[4] = { { 0, 0, 1000, 0, 1000 },
		  { 0, 0, 1000, 3500, 596 },
		  { 0, 1, 1000, 0, -EBADF },
		  { 1, 0, 500, 100, 500 } };

static void fail(const char *what, long got)
{
	printf("%s: %ld\n", what, got);
	exit(1);
}

static void by_aio(void)
{
	struct aiocb a[4] = { 0 };
	const struct aiocb *list[1];

	for (int i = 0; i < 4; i++) {
		a[i].aio_fildes = requests[i].bad ? bad : fd;
		a[i].aio_buf = buffer[i];
		a[i].aio_nbytes = requests[i].bytes;
		a[i].aio_offset = requests[i].offset;
		if ((requests[i].write ? aio_write(&a[i]) : aio_read(&a[i])) != 0)
			fail("aio", errno);
	}
	for (int i = 0; i < 4; i++) {
		list[0] = &a[i];
		while (aio_error(&a[i]) == EINPROGRESS)
			aio_suspend(list, 1, NULL);
		if (aio_error(&a[i]) != (requests[i].result < 0 ? -requests[i].result : 0) ||
		    aio_return(&a[i]) != (requests[i].result < 0 ? -1 : requests[i].result))
			fail("aio_return", i);
	}
}

static void by_libaio(void)
{
	struct iocb_ b[4] = { 0 }, *list[4];
	struct event_ e[4];
	void *context = NULL;
	int n = 0;

	if (io_setup(8, &context) != 0)
		exit(77);
	for (int i = 0; i < 4; i++) {
		if (requests[i].bad) /* the kernel refuses it at once: nothing is submitted */
			continue;
		b[i].opcode = requests[i].write;
		b[i].fd = (unsigned)fd;
		b[i].buffer = (uintptr_t)buffer[i];
		b[i].bytes = requests[i].bytes;
		b[i].offset = requests[i].offset;
		list[n++] = &b[i];
	}
	if (io_submit(context, n, list) != n || io_getevents(context, n, n, e, NULL) != n)
		fail("libaio", n);
	io_destroy(context);
}

static void fill(struct io_uring_sqe *q, int i)
{
	memset(q, 0, sizeof(*q));
	q->opcode = requests[i].write ? IORING_OP_WRITE : IORING_OP_READ;
	q->fd = requests[i].bad ? bad : fd;
	q->addr = (uintptr_t)buffer[i];
	q->len = requests[i].bytes;
	q->off = (uint64_t)requests[i].offset;
	q->user_data = (unsigned)i / 2; /* two have the same */
}

static void by_uring(unsigned flags)
{
	struct io_uring ring;
	struct io_uring_cqe *e;

	if (io_uring_queue_init(8, &ring, flags) != 0)
		exit(77);
	for (int i = 0; i < 4; i++) {
		fill(io_uring_get_sqe(&ring), i);
		if (io_uring_submit(&ring) != 1 || io_uring_wait_cqe(&ring, &e) != 0 ||
		    e->res != requests[i].result)
			fail("uring", i);
		io_uring_cqe_seen(&ring, e);
	}
	io_uring_queue_exit(&ring);
}

/* Program and kernel share the memory of the rings; nobody else has a part in it. */
static void by_raw_ring(unsigned flags)
{
	struct io_uring_params p = { .flags = flags, .sq_thread_idle = 5000 };
	int r = (int)syscall(SYS_io_uring_setup, 8, &p);
	unsigned *poller, *tail, *array, *cq_head, *cq_tail;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	char *sq, *cq;

	if (r < 0)
		exit(77);
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_POPULATE, r, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*cqes), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_POPULATE, r, IORING_OFF_CQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, r, IORING_OFF_SQES);
	poller = (unsigned *)(sq + p.sq_off.flags);
	tail = (unsigned *)(sq + p.sq_off.tail);
	array = (unsigned *)(sq + p.sq_off.array);
	cq_head = (unsigned *)(cq + p.cq_off.head);
	cq_tail = (unsigned *)(cq + p.cq_off.tail);
	cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
	for (unsigned i = 0; i < 4; i++) {
		fill(&sqes[7 - i], (int)i);
		array[i] = 7 - i;
		__atomic_store_n(tail, i + 1, __ATOMIC_RELEASE);
		if (!(flags & IORING_SETUP_SQPOLL) &&
		    syscall(SYS_io_uring_enter, r, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
			fail("enter", errno);
		while (__atomic_load_n(cq_tail, __ATOMIC_SEQ_CST) == i) {
			if (__atomic_load_n(poller, __ATOMIC_SEQ_CST) & IORING_SQ_NEED_WAKEUP)
				syscall(SYS_io_uring_enter, r, 0, 0, IORING_ENTER_SQ_WAKEUP, NULL,
					0);
			usleep(1000);
		}
		if (cqes[i].res != requests[i].result)
			fail("raw", cqes[i].res);
		__atomic_store_n(cq_head, i + 1, __ATOMIC_RELEASE);
	}
	close(r);
}

/* A pipe nobody writes to: the reads are never done. */
static void in_flight(void)
{
	struct aiocb a = { 0 };
	int ends[2];

	if (pipe(ends) != 0)
		exit(1);
	a.aio_fildes = ends[0];
	a.aio_buf = buffer[0];
	a.aio_nbytes = 321;
	if (aio_read(&a) != 0)
		exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	fd = open("later.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (ftruncate(fd, 4096) != 0)
		return 1;
	if (strcmp(how, "aio") == 0)
		by_aio();
	else if (strcmp(how, "libaio") == 0)
		by_libaio();
	else if (strcmp(how, "uring") == 0)
		by_uring(0);
	else if (strcmp(how, "sqpoll") == 0)
		by_uring(IORING_SETUP_SQPOLL);
	else if (strcmp(how, "raw") == 0)
		by_raw_ring(0);
	else if (strcmp(how, "rawpoll") == 0)
		by_raw_ring(IORING_SETUP_SQPOLL);
	else if (strcmp(how, "flight") == 0)
		in_flight();
	return 0;
}
