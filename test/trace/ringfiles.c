/*
 * ringfiles: descriptors that a ring of io_uring closes and opens, read and written by plain calls before and after.
 * The numbers are the same, the files are not. Exit code 77 when the kernel has no rings.
 */
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <unistd.h>

static int result(struct io_uring *ring)
{
	struct io_uring_cqe *e;
	int r;

	if (io_uring_submit(ring) != 1 || io_uring_wait_cqe(ring, &e) != 0)
		exit(1);
	r = e->res;
	io_uring_cqe_seen(ring, e);
	return r;
}

/* To the first file that the ring knows by a number of its own. */
static void by_number(struct io_uring *ring, const char *bytes, unsigned n)
{
	struct io_uring_sqe *q = io_uring_get_sqe(ring);

	io_uring_prep_write(q, 0, bytes, n, 0);
	q->flags |= IOSQE_FIXED_FILE;
	if (result(ring) != (int)n)
		exit(1);
}

int main(void)
{
	struct io_uring ring;
	char bytes[400] = "";
	int fd, again, fds[2];

	if (io_uring_queue_init(8, &ring, 0) != 0)
		return 77;
	fd = open("first", O_CREAT | O_RDWR, 0600);
	if (write(fd, bytes, 100) != 100)
		return 1;
	io_uring_prep_close(io_uring_get_sqe(&ring), fd);
	if (result(&ring) != 0)
		return 1;
	io_uring_prep_openat(io_uring_get_sqe(&ring), AT_FDCWD, "second", O_CREAT | O_RDWR, 0600);
	again = result(&ring);
	if (again != fd || write(again, bytes, 400) != 400)
		return 1;
	fds[0] = open("third", O_CREAT | O_RDWR, 0600);
	fds[1] = open("fourth", O_CREAT | O_RDWR, 0600);
	if (io_uring_register_files(&ring, fds, 1) != 0)
		return 1;
	by_number(&ring, bytes, 30);
	if (io_uring_register_files_update(&ring, 0, &fds[1], 1) != 1)
		return 1;
	by_number(&ring, bytes, 40);
	io_uring_queue_exit(&ring);
	return 0;
}
