/*
 * raw_transfer: the same transfers as pario's, by the plainest loop one can write: what is the limit here?
 *
 * usage: raw_transfer DIR TRANSFER BLOCK [RING]. Every client writes, then reads, a file of its own. The rate is
 * bytes over the time from the first open to the last close, fsync included, as pario counts. With RING, bytes are
 * copied into the next of the buffers of a ring of so many bytes before each write, which no program that sends new
 * data can do without. Prints "write MIB_S read MIB_S".
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

/* The data of every transfer, and where they are copied to before a write; without a ring they are sent as they lie. */
struct memory {
	char *source, *ring;
	size_t transfer, count, next;
};

static char *next_buffer(struct memory *m, int writes)
{
	char *buffer = m->ring + m->next * m->transfer;

	if (!m->count || !writes)
		return m->source;
	m->next = (m->next + 1) % m->count;
	return memcpy(buffer, m->source, m->transfer);
}

static double timed(const char *path, int writes, struct memory *m, uint64_t block)
{
	size_t transfer = m->transfer;
	int flags = writes ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY, fd;
	double ends[2]; /* earliest start, negative, and latest stop */

	MPI_Barrier(MPI_COMM_WORLD);
	ends[0] = -now();
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		stop(path);
	for (uint64_t at = 0; at < block; at += transfer) {
		char *buffer = next_buffer(m, writes);
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
	struct memory m = { 0 };
	char path[4096];
	uint64_t block;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: raw_transfer DIR TRANSFER BLOCK [RING]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	m.transfer = strtoull(argv[2], NULL, 10);
	block = strtoull(argv[3], NULL, 10);
	snprintf(path, sizeof(path), "%s/raw.%d.%d", argv[1], (int)getpid(), rank);
	m.count = argc == 5 ? strtoull(argv[4], NULL, 10) / m.transfer : 0;
	m.source = aligned_alloc(4096, (m.transfer + 4095) / 4096 * 4096);
	m.ring = aligned_alloc(4096, (m.count * m.transfer + 4096) / 4096 * 4096);
	if (!m.source || !m.ring) {
		stop("no buffer");
		free(m.source);
		free(m.ring);
		return 3;
	}
	memset(m.source, 0x5a, m.transfer);
	memset(m.ring, 0, m.count * m.transfer);
	mib = (double)size * (double)block / 1048576.0;
	writing = mib / timed(path, 1, &m, block);
	/* The first reader of a page pays for moving it between the kernel's lists; pario's is the verification. */
	timed(path, 0, &m, block);
	reading = mib / timed(path, 0, &m, block);
	unlink(path);
	free(m.source);
	free(m.ring);
	if (rank == 0)
		printf("write %.3f read %.3f\n", writing, reading);
	MPI_Finalize();
	return 0;
}
