/*
 * plain: does MPI-IO keep its promises on this storage, without pario? Every client writes its blocks of one file, and
 * client 0 counts those that a plain read finds, for ten seconds if it must.
 *
 * plain ordered FILE        by the shared file pointer, one block per client and call
 * plain independent FILE    all blocks of a client by one call, through a view in which the blocks of clients alternate
 *
 * Prints the count; exit status 1 when blocks are missing.
 */
#include <mpi.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 512 /* doubles */, ROUNDS = 256, LOOKS = 10 };

static double blocks[ROUNDS][BLOCK];

static int write_all(const char *path, int ordered, int rank, int size)
{
	MPI_Datatype every;
	MPI_File file;
	int rc = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			       &file);

	if (rc != MPI_SUCCESS)
		return rc;
	if (ordered) {
		for (int i = 0; i < ROUNDS && rc == MPI_SUCCESS; i++)
			rc = MPI_File_write_ordered(file, blocks[i], BLOCK, MPI_DOUBLE,
						    MPI_STATUS_IGNORE);
	} else {
		MPI_Type_vector(ROUNDS, BLOCK, size * BLOCK, MPI_DOUBLE, &every);
		MPI_Type_commit(&every);
		MPI_File_set_view(file, (MPI_Offset)sizeof(blocks[0]) * rank, MPI_DOUBLE, every,
				  "native", MPI_INFO_NULL);
		rc = MPI_File_write(file, blocks, ROUNDS * BLOCK, MPI_DOUBLE, MPI_STATUS_IGNORE);
		MPI_Type_free(&every);
	}
	MPI_File_sync(file);
	MPI_File_close(&file);
	return rc;
}

/* Blocks that are where they belong, as a file that was just opened shows them. */
static int count(const char *path, int size)
{
	double block[BLOCK];
	int fd = open(path, O_RDONLY), found = 0;

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	for (int i = 0; fd >= 0 && i < ROUNDS * size; i++) {
		if (pread(fd, block, sizeof(block), (off_t)sizeof(block) * i) == sizeof(block))
			found += block[0] == i + 1 && block[BLOCK - 1] == i + 1;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

int main(int argc, char **argv)
{
	int rank, size, rc, found = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < BLOCK; k++)
			blocks[i][k] = i * size + rank + 1;
	}
	rc = write_all(argv[2], strcmp(argv[1], "ordered") == 0, rank, size);
	MPI_Allreduce(MPI_IN_PLACE, &rc, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < LOOKS && found < ROUNDS * size; i++) {
		nanosleep(&(struct timespec){ i ? 1 : 0, 0 }, NULL);
		found = count(argv[2], size);
	}
	if (rank == 0) {
		unlink(argv[2]);
		printf("%s: %d of %d blocks, MPI says %d\n", argv[1], found, ROUNDS * size, rc);
		fflush(stdout);
	}
	MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
	alarm(20); /* MPICH may never return from here on several nodes */
	MPI_Finalize();
	return found != ROUNDS * size;
}
