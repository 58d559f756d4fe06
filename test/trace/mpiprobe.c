/*
 * mpiprobe DIR FILE: every call of MPI-IO a known number of times on 1 or more ranks; rank 0 writes "operation count"
 * per rank to FILE.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { OPS = 128, TIMES = 2 };

static struct {
	const char *name;
	int count;
} expected[OPS];
static int ops;

static void expect(const char *op)
{
	for (int i = 0; i < ops; i++) {
		if (strcmp(expected[i].name, op) == 0) {
			expected[i].count++;
			return;
		}
	}
	expected[ops].name = op;
	expected[ops++].count = 1;
}

#define ONE(function, ...)    (function(__VA_ARGS__), expect(#function))
#define AS(op, function, ...) (function(__VA_ARGS__), expect(#op))

static char buffer[1024];

static void pointers(MPI_File f, MPI_Status *s)
{
	ONE(MPI_File_write, f, buffer, 100, MPI_BYTE, s);
	ONE(MPI_File_seek, f, 0, MPI_SEEK_SET);
	ONE(MPI_File_read, f, buffer, 100, MPI_BYTE, s);
	ONE(MPI_File_write_at, f, 1000, buffer, 100, MPI_BYTE, s);
	ONE(MPI_File_read_at, f, 1000, buffer, 100, MPI_BYTE, s);
	ONE(MPI_File_write_all, f, buffer, 100, MPI_BYTE, s);
	ONE(MPI_File_read_all, f, buffer, 100, MPI_BYTE, s);
	ONE(MPI_File_write_at_all, f, 2000, buffer, 100, MPI_BYTE, s);
	ONE(MPI_File_read_at_all, f, 2000, buffer, 100, MPI_BYTE, s);
	ONE(MPI_File_write_shared, f, buffer, 10, MPI_BYTE, s);
	ONE(MPI_File_read_shared, f, buffer, 10, MPI_BYTE, s);
	ONE(MPI_File_write_ordered, f, buffer, 10, MPI_BYTE, s);
	ONE(MPI_File_read_ordered, f, buffer, 10, MPI_BYTE, s);
}

static void requests(MPI_File f, MPI_Status *s)
{
	MPI_Request q;

	ONE(MPI_File_iwrite, f, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
	ONE(MPI_File_iread, f, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
	ONE(MPI_File_iwrite_at, f, 0, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Waitall, 1, &q, s);
	ONE(MPI_File_iread_at, f, 0, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
	ONE(MPI_File_iwrite_all, f, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
	ONE(MPI_File_iread_all, f, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
	ONE(MPI_File_iwrite_at_all, f, 0, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
	ONE(MPI_File_iread_at_all, f, 0, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
	ONE(MPI_File_iwrite_shared, f, buffer, 10, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
	ONE(MPI_File_iread_shared, f, buffer, 10, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
}

static void halves(MPI_File f, MPI_Status *s)
{
	ONE(MPI_File_write_all_begin, f, buffer, 100, MPI_BYTE);
	ONE(MPI_File_write_all_end, f, buffer, s);
	ONE(MPI_File_read_all_begin, f, buffer, 100, MPI_BYTE);
	ONE(MPI_File_read_all_end, f, buffer, s);
	ONE(MPI_File_write_at_all_begin, f, 0, buffer, 100, MPI_BYTE);
	ONE(MPI_File_write_at_all_end, f, buffer, s);
	ONE(MPI_File_read_at_all_begin, f, 0, buffer, 100, MPI_BYTE);
	ONE(MPI_File_read_at_all_end, f, buffer, s);
	ONE(MPI_File_write_ordered_begin, f, buffer, 10, MPI_BYTE);
	ONE(MPI_File_write_ordered_end, f, buffer, s);
	ONE(MPI_File_read_ordered_begin, f, buffer, 10, MPI_BYTE);
	ONE(MPI_File_read_ordered_end, f, buffer, s);
}

static void large(MPI_File f, MPI_Status *s)
{
#if MPI_VERSION >= 4
	MPI_Request q;

	AS(MPI_File_write_at, MPI_File_write_at_c, f, 0, buffer, 100, MPI_BYTE, s);
	AS(MPI_File_read_at_all, MPI_File_read_at_all_c, f, 0, buffer, 100, MPI_BYTE, s);
	AS(MPI_File_iwrite_at, MPI_File_iwrite_at_c, f, 0, buffer, 100, MPI_BYTE, &q);
	ONE(MPI_Wait, &q, s);
#else
	(void)f, (void)s;
#endif
}

static void settings(MPI_File f)
{
	MPI_Offset n;
	MPI_Info info;
	int on;

	ONE(MPI_File_set_view, f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	ONE(MPI_File_get_size, f, &n);
	ONE(MPI_File_set_size, f, 100000);
	ONE(MPI_File_preallocate, f, 100000);
	ONE(MPI_File_get_position, f, &n);
	ONE(MPI_File_get_amode, f, &on);
	ONE(MPI_File_get_info, f, &info);
	MPI_Info_free(&info);
	ONE(MPI_File_set_atomicity, f, 0);
	ONE(MPI_File_get_atomicity, f, &on);
	ONE(MPI_File_sync, f);
	ONE(MPI_Barrier, MPI_COMM_WORLD);
	ONE(MPI_Allreduce, MPI_IN_PLACE, &on, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	ONE(MPI_Bcast, &on, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Status s;
	MPI_File f;
	char path[4096];
	FILE *out;
	int rank;

	ONE(MPI_Init, &argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof(path), "%s/mpi.data", argv[1]);
	ONE(MPI_File_open, MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL,
	    &f);
	for (int i = 0; i < TIMES; i++) {
		pointers(f, &s);
		requests(f, &s);
		halves(f, &s);
		large(f, &s);
		settings(f);
	}
	ONE(MPI_File_close, &f);
	expect("MPI_Finalize");
	if (rank == 0 && (out = fopen(argv[2], "w"))) {
		for (int i = 0; i < ops; i++)
			fprintf(out, "%s %d\n", expected[i].name, expected[i].count);
		fclose(out);
	}
	MPI_Finalize();
	return 0;
}
