/*
 * producer: two ranks, of which one makes files and the other uses them. It takes 20 ms to make one. A signal says that
 * it is there, so that a trace shows nothing of it: only what is done to the files tells who waits for whom.
 */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { ITEMS = 3, BYTES = 5000, MAKING_US = 20000 };

static char bytes[BYTES];

static void await(int number)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigwait(&set, &got);
}

static int make(const char *name)
{
	int fd = open("unfinished", O_CREAT | O_WRONLY | O_TRUNC, 0644);
	ssize_t n;

	usleep(MAKING_US);
	n = write(fd, bytes, BYTES);
	close(fd);
	return n == BYTES ? rename("unfinished", name) : -1;
}

static int use(const char *name)
{
	int fd = open(name, O_RDONLY);
	ssize_t n = read(fd, bytes, BYTES);

	close(fd);
	return n == BYTES ? unlink(name) : -1;
}

int main(int argc, char **argv)
{
	int rank, own = (int)getpid(), other, bad = 0;
	sigset_t both;
	char name[32];

	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGUSR2);
	sigprocmask(SIG_BLOCK, &both, NULL); /* threads of MPI have it so, too */
	alarm(60);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Sendrecv(&own, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	for (int i = 0; i < ITEMS; i++) {
		snprintf(name, sizeof(name), "item.%d", i);
		if (rank == 0) {
			bad |= make(name);
			kill(other, SIGUSR1);
			await(SIGUSR2);
		} else {
			await(SIGUSR1);
			bad |= use(name);
			kill(other, SIGUSR2);
		}
	}
	MPI_Finalize();
	return bad != 0;
}
