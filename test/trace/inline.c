/*
 * inline: a hundred writes of ten bytes through a ring of eight entries that is entered by an instruction of the
 * program's own. `inline poll` waits by poll() in between, `inline fork` has a child that does so alone, `inline quiet`
 * makes no call of the C library. Exit code 77: no rings here.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WRITES = 100, BYTES = 10, ENTRIES = 8 };

static long enter(int ring)
{
	long result;
	register long r10 __asm__("r10") = IORING_ENTER_GETEVENTS;
	register long r8 __asm__("r8") = 0;
	register long r9 __asm__("r9") = 0;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_io_uring_enter), "D"(ring), "S"(1), "d"(1), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

int main(int argc, char **argv)
{
	int polls = argc > 1 && strcmp(argv[1], "poll") == 0, fd;
	struct pollfd nobody = { .fd = -1 };
	volatile nfds_t count = 1; /* which the compiler does not know: fortified, it is checked */
	static char bytes[BYTES];
	struct io_uring_params p = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, ENTRIES, &p);
	struct io_uring_sqe *sqes;
	unsigned *tail, *array, *head;
	char *map;

	if (ring < 0)
		return 77;
	map = mmap(NULL, p.sq_off.array + p.sq_entries * 4 + p.cq_off.cqes + p.cq_entries * 16,
		   PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		    IORING_OFF_SQES);
	tail = (unsigned *)(map + p.sq_off.tail);
	array = (unsigned *)(map + p.sq_off.array);
	head = (unsigned *)(map + p.cq_off.head);
	if (argc > 1 && strcmp(argv[1], "fork") == 0 && fork() == 0) {
		while (__atomic_load_n(tail, __ATOMIC_ACQUIRE) < WRITES)
			poll(NULL, 0, 0);
		_exit(0);
	}
	fd = open("inline.data", O_CREAT | O_RDWR, 0600);
	for (unsigned i = 0; i < WRITES; i++) {
		struct io_uring_sqe *q = &sqes[i % ENTRIES];

		memset(q, 0, sizeof(*q));
		q->opcode = IORING_OP_WRITE;
		q->fd = fd;
		q->addr = (unsigned long)bytes;
		q->len = BYTES;
		q->off = i * BYTES;
		q->user_data = i + 1;
		array[i % ENTRIES] = i % ENTRIES;
		__atomic_store_n(tail, i + 1, __ATOMIC_RELEASE);
		if (enter(ring) != 1)
			return 1;
		if (polls)
			poll(&nobody, count, 0);
		__atomic_store_n(head, i + 1, __ATOMIC_RELEASE);
	}
	return 0;
}
