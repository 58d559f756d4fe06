/*
 * raw_transfer: the same transfers as pario's, by the plainest loop one can write: what is the limit here?
 *
 * usage: raw_transfer DIR TRANSFER BLOCK. Every client writes, then reads, a file of its own. The rate is bytes over
 * the time from the first open to the last close, fsync included, as pario counts. Prints "write MIB_S read MIB_S".
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void stop(const char *what)
{
	fprintf(stderr, "raw_transfer: %s: %s\n", what, strerror(errno));
	MPI_Abort(MPI_COMM_WORLD, 3);
}

static double timed(const char *path, int writes, char *buffer, size_t transfer, uint64_t block)
{
	int flags = writes ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY, fd;
	double ends[2]; /* earliest start, negative, and latest stop */

	MPI_Barrier(MPI_COMM_WORLD);
	ends[0] = -now();
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		stop(path);
	for (uint64_t at = 0; at < block; at += transfer) {
		ssize_t n = writes ? pwrite(fd, buffer, transfer, (off_t)at)
				   : pread(fd, buffer, transfer, (off_t)at);

		if (n != (ssize_t)transfer)
			stop("short transfer");
	}
	if (writes && fsync(fd) < 0)
		stop("fsync");
	if (close(fd) < 0)
		stop("close");
	ends[1] = now();
	MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return ends[0] + ends[1];
}

int main(int argc, char **argv)
{
	double mib, writing, reading;
	char path[4096], *buffer;
	size_t transfer;
	uint64_t block;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 4) {
		fprintf(stderr, "usage: raw_transfer DIR TRANSFER BLOCK\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	transfer = strtoull(argv[2], NULL, 10);
	block = strtoull(argv[3], NULL, 10);
	snprintf(path, sizeof(path), "%s/raw.%d.%d", argv[1], (int)getpid(), rank);
	buffer = aligned_alloc(4096, (transfer + 4095) / 4096 * 4096);
	if (!buffer) {
		stop("no buffer");
		return 3;
	}
	memset(buffer, 0x5a, transfer);
	mib = (double)size * (double)block / 1048576.0;
	writing = mib / timed(path, 1, buffer, transfer, block);
	/* The first reader of a page pays for moving it between the kernel's lists; pario's is the verification. */
	timed(path, 0, buffer, transfer, block);
	reading = mib / timed(path, 0, buffer, transfer, block);
	unlink(path);
	free(buffer);
	if (rank == 0)
		printf("write %.3f read %.3f\n", writing, reading);
	MPI_Finalize();
	return 0;
}
