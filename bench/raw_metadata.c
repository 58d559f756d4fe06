/*
 * raw_metadata: the same calls as pario's metadata test, by the plainest loop one can write: what is the limit here?
 *
 * usage: raw_metadata DIR ITEMS. All clients create ITEMS empty files each in one directory (openat with O_EXCL,
 * close), look at those of the next client (fstatat) and remove them (unlinkat), relative to the directory's
 * descriptor. The rate is all operations over the slowest client's time. The names are made before the clock runs,
 * so that nothing but the calls is timed. Prints "create OPS_S stat OPS_S remove OPS_S".
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum kind { CREATE, STAT, REMOVE };
enum { NAME = 48 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void stop(const char *what)
{
	fprintf(stderr, "raw_metadata: %s: %s\n", what, strerror(errno));
	MPI_Abort(MPI_COMM_WORLD, 3);
}

static void create(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || close(fd) < 0)
		stop(name);
}

static double timed(enum kind kind, int dirfd, char (*names)[NAME], long items)
{
	double start, mine, slowest;
	struct stat st;

	MPI_Barrier(MPI_COMM_WORLD);
	start = now();
	for (long i = 0; i < items; i++) {
		if (kind == CREATE)
			create(dirfd, names[i]);
		else if (kind == STAT && fstatat(dirfd, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
			stop(names[i]);
		else if (kind == REMOVE && unlinkat(dirfd, names[i], 0) < 0)
			stop(names[i]);
	}
	mine = now() - start;
	MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

static void make_names(char (*names)[NAME], int client, long items)
{
	for (long i = 0; i < items; i++)
		snprintf(names[i], NAME, "file.mdtest.%d.%ld", client, i);
}

int main(int argc, char **argv)
{
	double create_s, stat_s, remove_s;
	char path[4096], (*names)[NAME];
	int client, clients, dirfd;
	long items;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &client);
	MPI_Comm_size(MPI_COMM_WORLD, &clients);
	if (argc != 3 || (items = strtol(argv[2], NULL, 10)) <= 0) {
		fprintf(stderr, "usage: raw_metadata DIR ITEMS\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	snprintf(path, sizeof(path), "%s/raw_metadata", argv[1]);
	if (client == 0 && mkdir(path, 0700) < 0)
		stop(path);
	MPI_Barrier(MPI_COMM_WORLD);
	dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	names = malloc((size_t)items * sizeof(*names));
	if (dirfd < 0 || !names)
		stop(path);
	make_names(names, client, items);
	create_s = timed(CREATE, dirfd, names, items);
	make_names(names, (client + 1) % clients, items);
	stat_s = timed(STAT, dirfd, names, items);
	remove_s = timed(REMOVE, dirfd, names, items);
	if (client == 0) {
		double all = (double)items * clients;

		printf("create %.0f stat %.0f remove %.0f\n", all / create_s, all / stat_s,
		       all / remove_s);
		rmdir(path);
	}
	close(dirfd);
	free(names);
	MPI_Finalize();
	return 0;
}
