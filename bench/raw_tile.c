/*
 * raw_tile: the same tile write as pario's, written by hand with MPI-IO: what is the limit here?
 *
 * usage: raw_tile DIR TILES_X TILES_Y SIDE ELEMENT. Each client writes its tile of SIDE x SIDE elements by one
 * collective call through a subarray view. The rate is bytes over the time from the first open to the last close, with
 * sync and a real fsync, as pario counts. Prints MiB/s.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void stop(const char *what)
{
	fprintf(stderr, "raw_tile: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 3);
}

/* MPI_Wtime of another process need not have begun at the same moment. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double timed(const char *path, MPI_Datatype view, MPI_Datatype row, char *tile, int side)
{
	double ends[2]; /* earliest start, negative, and latest stop */
	MPI_File file;
	int fd;

	MPI_Barrier(MPI_COMM_WORLD);
	ends[0] = -now();
	if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY,
			  MPI_INFO_NULL, &file) != MPI_SUCCESS)
		stop("open failed");
	MPI_File_set_view(file, 0, row, view, "native", MPI_INFO_NULL);
	if (MPI_File_write_all(file, tile, side * side, row, MPI_STATUS_IGNORE) != MPI_SUCCESS)
		stop("write failed");
	MPI_File_sync(file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) < 0)
		stop("fsync failed");
	close(fd);
	MPI_File_close(&file);
	ends[1] = now();
	MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return ends[0] + ends[1];
}

int main(int argc, char **argv)
{
	int rank, size, nx, ny, side, element, sizes[2], parts[2], starts[2];
	MPI_Datatype item, view;
	char path[4096], *tile;
	double seconds;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 6) {
		stop("usage: raw_tile DIR TILES_X TILES_Y SIDE ELEMENT");
		return 2;
	}
	nx = atoi(argv[2]);
	ny = atoi(argv[3]);
	side = atoi(argv[4]);
	element = atoi(argv[5]);
	if (nx * ny != size || side < 1 || element < 1)
		stop("as many tiles as clients, please");
	sizes[0] = ny * side;
	sizes[1] = nx * side;
	parts[0] = parts[1] = side;
	starts[0] = rank / nx * side;
	starts[1] = rank % nx * side;
	MPI_Type_contiguous(element, MPI_BYTE, &item);
	MPI_Type_commit(&item);
	MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, item, &view);
	MPI_Type_commit(&view);
	tile = malloc((size_t)side * (size_t)side * (size_t)element);
	if (!tile) {
		stop("no memory");
		return 3;
	}
	memset(tile, 0x5a + rank, (size_t)side * (size_t)side * (size_t)element);
	snprintf(path, sizeof(path), "%s/raw_tile.%d", argv[1], size);
	seconds = timed(path, view, item, tile, side);
	if (rank == 0) {
		unlink(path);
		printf("%.3f\n", (double)size * side * side * element / 1048576.0 / seconds);
	}
	MPI_Type_free(&view);
	MPI_Type_free(&item);
	free(tile);
	MPI_Finalize();
	return 0;
}
