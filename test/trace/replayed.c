/*
 * replayed: an MPI program to be traced and replayed. Views, collective and nonblocking MPI-IO, communicators, messages
 * that order the files of two ranks, and a log by stdio.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PART = 1024, PARTS = 4, TAG = 7, OWN = 20000 };

static char bytes[65536];

static void shared_file(int rank, int ranks)
{
	MPI_Datatype parts;
	MPI_Request request;
	MPI_Info info;
	MPI_File file;

	MPI_Info_create(&info);
	MPI_Info_set(info, "cb_nodes", "1");
	MPI_File_open(MPI_COMM_WORLD, "shared.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
	MPI_Info_free(&info);
	MPI_Type_vector(PARTS, PART, PART * ranks, MPI_BYTE, &parts);
	MPI_Type_commit(&parts);
	MPI_File_set_view(file, (MPI_Offset)rank * PART, MPI_BYTE, parts, "native", MPI_INFO_NULL);
	for (int i = 0; i < 5; i++)
		MPI_File_write_all(file, bytes, PART * PARTS, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	for (int i = 0; i < 5; i++)
		MPI_File_read_at(file, (MPI_Offset)i * 8192, bytes, 8192, MPI_BYTE,
				 MPI_STATUS_IGNORE);
	MPI_File_iwrite_at(file, 200000 + (MPI_Offset)rank * 4096, bytes, 4096, MPI_BYTE, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	MPI_Type_free(&parts);
}

static void communicators(int rank)
{
	MPI_Comm copy, half;
	int sum;

	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_split(copy, rank % 2, rank, &half);
	MPI_Barrier(half);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
	MPI_Comm_free(&half);
	MPI_Comm_free(&copy);
}

/* Rank 0 makes a file for each other one and tells it so. */
static void own_files(int rank, int ranks)
{
	char name[64];
	int fd, number = rank;

	for (int i = 1; rank == 0 && i < ranks; i++) {
		snprintf(name, sizeof(name), "own.%d", i);
		fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
		usleep(20000);
		if (write(fd, bytes, OWN) != OWN)
			MPI_Abort(MPI_COMM_WORLD, 1);
		close(fd);
		MPI_Send(&i, 1, MPI_INT, i, TAG, MPI_COMM_WORLD);
	}
	if (rank == 0)
		return;
	MPI_Recv(&number, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	snprintf(name, sizeof(name), "own.%d", number);
	fd = open(name, O_RDONLY);
	if (read(fd, bytes, OWN) != OWN)
		MPI_Abort(MPI_COMM_WORLD, 1);
	close(fd);
	unlink(name);
}

static void log_file(int rank)
{
	char name[64];
	FILE *log;

	snprintf(name, sizeof(name), "log.%d", rank);
	log = fopen(name, "w");
	for (int i = 0; i < 1000; i++)
		fprintf(log, "line %d\n", i);
	fclose(log);
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	memset(bytes, rank, sizeof(bytes));
	shared_file(rank, ranks);
	communicators(rank);
	own_files(rank, ranks);
	log_file(rank);
	MPI_Finalize();
	return 0;
}
