/*
 * comms: communicators made in every way, messages of every kind, a file with hints and views. For the trace.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, size, dims[1], periods[1] = { 0 }, n = 5, x[64] = { 0 }, one = 1;
	MPI_Comm dup, half, inter, merged, cart, node, group_comm, idup;
	MPI_Group world, part;
	MPI_Request q[4], p;
	MPI_Status s;
	MPI_Info info;
	MPI_File f;
	MPI_Datatype vector, sub, dist;
	int ranks[64], sizes[2] = { 8, 8 }, subs[2] = { 4, 2 }, starts[2] = { 2, 3 };
	int dd[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC },
	    da[2] = { MPI_DISTRIBUTE_DFLT_DARG, 2 }, ps[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_idup(dup, &idup, &p);
	MPI_Wait(&p, MPI_STATUS_IGNORE);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, size - rank, &half);
	MPI_Barrier(half);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	if (size > 1) {
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
				     rank % 2 ? (size - 1) / 2 * 2 : (size - 2) / 2 * 2 + 1, 7,
				     &inter);
		MPI_Intercomm_merge(inter, rank % 2, &merged);
		MPI_Barrier(merged);
	}
	dims[0] = size;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart);
	for (int i = 0; i < size; i++)
		ranks[i] = i;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, (size + 1) / 2, ranks, &part);
	if (rank < (size + 1) / 2)
		MPI_Comm_create_group(MPI_COMM_WORLD, part, 3, &group_comm);
	MPI_Bcast(x, n, MPI_INT, size - 1, dup);
	MPI_Reduce(x, x + 32, 1, MPI_INT, MPI_SUM, 0, half);
	if (rank == 0) {
		for (int i = 1; i < size; i++)
			MPI_Recv(x, 64, MPI_INT, MPI_ANY_SOURCE, 10 + i, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
	} else {
		MPI_Send(x, 2, MPI_INT, 0, 10 + rank, MPI_COMM_WORLD);
	}
	MPI_Irecv(x, 4, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(x + 4, 4, MPI_INT, (rank + size - 1) % size, 6, MPI_COMM_WORLD, &q[1]);
	MPI_Isend(x + 8, 4, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &q[2]);
	MPI_Isend(x + 12, 4, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD, &q[3]);
	MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
	MPI_Sendrecv(x, 1, MPI_INT, (rank + 1) % size, 8, x + 4, 1, MPI_INT,
		     (rank + size - 1) % size, 8, dup, &s);
	MPI_Send_init(x, 1, MPI_INT, (rank + 1) % size, 9, dup, &q[0]);
	MPI_Recv_init(x + 9, 1, MPI_INT, (rank + size - 1) % size, 9, dup, &q[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, q);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);

	MPI_Info_create(&info);
	MPI_Info_set(info, "cb_nodes", "1");
	MPI_Info_set(info, "romio_cb_write", "enable");
	MPI_File_open(dup, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f);
	MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
	MPI_Type_commit(&vector);
	MPI_File_set_view(f, 100, MPI_INT, vector, "native", info);
	MPI_File_write_all(f, x, 6, MPI_INT, &s);
	MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_C, MPI_DOUBLE, &sub);
	MPI_Type_commit(&sub);
	MPI_File_set_view(f, 0, MPI_DOUBLE, sub, "native", MPI_INFO_NULL);
	MPI_File_write_at(f, 2, x, 2, MPI_DOUBLE, &s);
	ps[0] = 1;
	ps[1] = size;
	MPI_Type_create_darray(size, rank, 2, sizes, dd, da, ps, MPI_ORDER_FORTRAN, MPI_INT, &dist);
	MPI_Type_commit(&dist);
	MPI_File_set_view(f, 0, MPI_INT, dist, "native", MPI_INFO_NULL);
	MPI_File_seek(f, 1, MPI_SEEK_SET);
	MPI_File_iwrite(f, x, 1, MPI_INT, &p);
	MPI_Wait(&p, &s);
	MPI_File_set_atomicity(f, one);
	MPI_File_close(&f);
	MPI_Type_free(&vector);
	MPI_Type_free(&sub);
	MPI_Type_free(&dist);
	MPI_Info_free(&info);
	MPI_Comm_free(&dup);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Barrier(dup);
	MPI_Finalize();
	return 0;
}
