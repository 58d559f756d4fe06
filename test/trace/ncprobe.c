/*
 * ncprobe DIR: a known number of PnetCDF's calls of each shape on a variable of 8 x 10 ints per rank. What a trace must
 * hold is in trace_libraries.bats.
 */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

static int memory[800], one = 7;

static void check(int r, int line)
{
	if (r != NC_NOERR) {
		printf("line %d: %s\n", line, ncmpi_strerror(r));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}
#define DO(call) check(call, __LINE__)

int main(int argc, char **argv)
{
	MPI_Offset start[2] = { 0, 0 }, count[2] = { 2, 5 }, stride[2] = { 2, 2 },
		   map[2] = { 5, 1 };
	MPI_Offset other[2] = { 4, 0 }, *starts[2] = { start, other },
		   *counts[2] = { count, count };
	int file, dimensions[2], variable, short_variable, requests[3], statuses[3];
	char name[4096], text[5] = "text";

	MPI_Init(&argc, &argv);
	snprintf(name, sizeof(name), "%s/probe.nc", argv[1]);
	DO(ncmpi_create(MPI_COMM_SELF, name, NC_CLOBBER, MPI_INFO_NULL, &file));
	DO(ncmpi_def_dim(file, "y", 8, &dimensions[0]));
	DO(ncmpi_def_dim(file, "x", 10, &dimensions[1]));
	DO(ncmpi_def_var(file, "v", NC_INT, 2, dimensions, &variable));
	DO(ncmpi_def_var(file, "s", NC_SHORT, 2, dimensions, &short_variable));
	DO(ncmpi_put_att_text(file, variable, "a", 4, "abcd"));
	DO(ncmpi_put_att_int(file, variable, "b", NC_SHORT, 1, &one));
	DO(ncmpi_enddef(file));
	DO(ncmpi_put_var_int_all(file, variable, memory));			/* 320 */
	DO(ncmpi_put_var1_int_all(file, variable, start, memory));		/* 4 */
	DO(ncmpi_put_vara_int_all(file, variable, start, count, memory));	/* 40 */
	DO(ncmpi_put_vara_int_all(file, short_variable, start, count, memory)); /* 20 */
	DO(ncmpi_put_vara_all(file, variable, start, count, memory, 10, MPI_INT));
	DO(ncmpi_put_vars_int_all(file, variable, start, count, stride, memory));
	DO(ncmpi_put_varm_int_all(file, variable, start, count, stride, map, memory));
	DO(ncmpi_put_varn_int_all(file, variable, 2, starts, counts, memory)); /* 80 */
	DO(ncmpi_get_var_int_all(file, variable, memory));
	DO(ncmpi_get_vara_int_all(file, variable, start, count, memory));
	DO(ncmpi_iput_vara_int(file, variable, start, count, memory, &requests[0]));
	DO(ncmpi_iput_vara(file, variable, other, count, memory, 10, MPI_INT, &requests[1]));
	DO(ncmpi_iget_var_int(file, variable, memory + 400, &requests[2]));
	DO(ncmpi_wait_all(file, 3, requests, statuses));
	DO(ncmpi_iput_varn_int(file, variable, 2, starts, counts, memory, &requests[0]));
	DO(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
	DO(ncmpi_get_att_text(file, variable, "a", text));
	DO(ncmpi_close(file));
	MPI_Finalize();
	return 0;
}
