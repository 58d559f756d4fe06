/*
 * mpihabits HABIT DIR: the same for rules about ranks; "none" is a well-written program: rank 0 reads a small input,
 * all ranks write large aligned blocks of a shared file with collective calls, and it is synced.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4 << 20 };

static char buffer[BLOCK], path[4096];
static const char *directory;
static int rank, ranks;

static const char *in(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static MPI_File shared(const char *name)
{
	MPI_File f;

	MPI_File_open(MPI_COMM_WORLD, (char *)in(name), MPI_MODE_CREATE | MPI_MODE_RDWR,
		      MPI_INFO_NULL, &f);
	return f;
}

/*
 * Written into the page cache: how long a sync takes depends on what others have written. All of this is much, so
 * that its share of the time is seen where MPI takes seconds to begin.
 */
static void own(size_t bytes)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "out.%d", rank);
	fd = open(in(name), O_RDWR | O_CREAT, 0600);
	for (size_t at = 0; at < bytes; at += sizeof(buffer))
		if (write(fd, buffer, sizeof(buffer)) < 0)
			MPI_Abort(MPI_COMM_WORLD, 1);
	close(fd);
}

static void independent(void)
{
	MPI_File f = shared("out");

	for (int i = 0; i < 8000; i++)
		MPI_File_write_at(f, ((MPI_Offset)(i % 1000) * ranks + rank) * 8192, buffer, 8192,
				  MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
}

static void one_rank(void)
{
	if (rank == 0)
		own(128 << 20);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void imbalance(void)
{
	own(rank ? 32 << 20 : 256 << 20);
}

/* One rank writes for a second or two, the others come to the barrier at once. */
static void barrier_waits(void)
{
	int fd = open(in(rank ? "b" : "a"), O_RDWR | O_CREAT, 0600);
	time_t end = time(NULL) + 2;

	write(fd, buffer, 65536);
	while (rank == 0 && time(NULL) < end)
		pwrite(fd, buffer, 65536, 0);
	fsync(fd);
	MPI_Barrier(MPI_COMM_WORLD);
	close(fd);
}

/* All write alike, and then compute, one of them for longer: it is not the I/O that the others wait for. */
static void compute_waits(void)
{
	time_t end;

	for (int i = 0; i < 3; i++) {
		own(32 << 20);
		end = time(NULL) + 2;
		while (rank == 0 && time(NULL) < end)
			;
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* Files that the program removes when it has read them, and one that MPI removes: nobody needs them after it. */
static void scratch(void)
{
	char name[32];
	MPI_File f;

	own(32 << 20);
	snprintf(name, sizeof(name), "out.%d", rank);
	unlink(in(name));
	MPI_File_open(MPI_COMM_WORLD, (char *)in("shared"),
		      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		      &f);
	for (int i = 0; i < 4; i++)
		MPI_File_write_at_all(f, ((MPI_Offset)i * ranks + rank) * BLOCK, buffer, BLOCK,
				      MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
}

/* Ranks write the same bytes one after the other: a barrier between them gives an order. */
static void ordered(void)
{
	int fd = open(in("out"), O_RDWR | O_CREAT, 0600);

	for (int i = 0; i < 20 * ranks; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (i / 20 == rank)
			pwrite(fd, buffer, BLOCK, 0);
		else
			pwrite(fd, buffer, BLOCK, (off_t)(rank + 1) * BLOCK);
	}
	close(fd);
}

static void many_files(void)
{
	char name[64];

	for (int i = 0; i < 1000; i++) {
		int fd;

		snprintf(name, sizeof(name), "out.%d.%d", rank, i);
		fd = open(in(name), O_RDWR | O_CREAT, 0600);
		if (write(fd, buffer, 8192) < 0)
			MPI_Abort(MPI_COMM_WORLD, 1);
		close(fd);
	}
}

static void never_synced(void)
{
	MPI_File f = shared("out");

	for (int i = 0; i < 4; i++)
		MPI_File_write_at_all(f, ((MPI_Offset)i * ranks + rank) * BLOCK, buffer, BLOCK,
				      MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
}

static void none(void)
{
	int steps = 0;
	MPI_File f;

	if (rank == 0) {
		FILE *input = fopen(in("input"), "w+");

		fputs("4\n", input);
		rewind(input);
		if (fscanf(input, "%d", &steps) != 1)
			MPI_Abort(MPI_COMM_WORLD, 1);
		fclose(input);
	}
	MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
	f = shared("out");
	for (int i = 0; i < steps; i++)
		MPI_File_write_at_all(f, ((MPI_Offset)i * ranks + rank) * BLOCK, buffer, BLOCK,
				      MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_sync(f);
	MPI_File_close(&f);
}

#define HABIT(name)         \
	{                   \
#name, name \
	}
static const struct {
	const char *name;
	void (*practise)(void);
} habits[] = { HABIT(independent), HABIT(one_rank),	HABIT(imbalance),     HABIT(barrier_waits),
	       HABIT(many_files),  HABIT(never_synced), HABIT(compute_waits), HABIT(scratch),
	       HABIT(ordered),	   HABIT(none) };

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	directory = argc > 2 ? argv[2] : ".";
	for (size_t i = 0; argc > 1 && i < sizeof(habits) / sizeof(habits[0]); i++) {
		if (strcmp(habits[i].name, argv[1]) == 0)
			habits[i].practise();
	}
	MPI_Finalize();
	return 0;
}
