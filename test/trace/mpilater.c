/*
 * mpilater DIR BYTES: transfers of MPI-IO that end later or short, in a file of each rank's own of 4096 bytes. What a
 * trace must hold is in trace_later.bats. BYTES are those of the reads near the end that only begin: Open MPI's own
 * layer never ends one that is short.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static char buffer[4][1000];

int main(int argc, char **argv)
{
	MPI_Request q[4];
	MPI_Status s;
	char name[4096];
	int rank, bytes = atoi(argv[2]), done = 0, index, count, indices[2];
	MPI_File f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof(name), "%s/later.%d", argv[1], rank);
	MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_set_size(f, 4096);
	/* whole and short, each waited for in another way, the status wanted or not */
	MPI_File_iread_at(f, 0, buffer[0], 1000, MPI_BYTE, &q[0]);
	MPI_Wait(&q[0], &s);
	MPI_File_iread_at(f, 3500, buffer[0], bytes, MPI_BYTE, &q[0]);
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	MPI_File_iwrite_at(f, 0, buffer[0], 250, MPI_INT, &q[0]);
	MPI_File_iwrite_at(f, 1000, buffer[1], 500, MPI_BYTE, &q[1]);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	MPI_File_iread_at(f, 3600, buffer[0], bytes, MPI_BYTE, &q[0]);
	while (!done)
		MPI_Test(&q[0], &done, MPI_STATUS_IGNORE);
	MPI_File_iread_at(f, 3700, buffer[0], bytes, MPI_BYTE, &q[0]);
	q[1] = MPI_REQUEST_NULL;
	MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
	MPI_File_iread_at(f, 3800, buffer[0], bytes, MPI_BYTE, &q[0]);
	MPI_Waitsome(2, q, &count, indices, MPI_STATUSES_IGNORE);
	MPI_File_read_at_all_begin(f, 3900, buffer[0], bytes, MPI_BYTE);
	MPI_File_read_at_all_end(f, buffer[0], MPI_STATUS_IGNORE);
	MPI_File_read_at(f, 4000, buffer[0], 1000, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
