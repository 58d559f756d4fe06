/*
 * ranks: every rank writes one file of its own in the directory argv[1], and all meet ten times. With a second argument
 * rank 1 leaves then without MPI_Finalize, and the others wait until the launcher kills them.
 */
#include <mpi.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char name[4096];
	int rank, fd;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof(name), "%s/rank.%d", argv[1], rank);
	fd = open(name, O_CREAT | O_WRONLY, 0600);
	if (fd < 0 || write(fd, name, 100) != 100)
		MPI_Abort(MPI_COMM_WORLD, 1);
	close(fd);
	for (int i = 0; i < 10; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	if (argc > 2 && rank == 1)
		_exit(3);
	while (argc > 2)
		pause();
	MPI_Finalize();
	return 0;
}
