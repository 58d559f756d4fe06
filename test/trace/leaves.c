/*
 * leaves HOW CALLS: the way back to the segments is lost (chroot, setuid, emfile), then two threads make CALLS calls
 * each. leaves child CALLS: a child loses it before its first call (no descriptor, files of 100 bytes), then it makes
 * CALLS calls.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static long calls;
static int fd;

static void *work(void *unused)
{
	if (pwrite(fd, "x", 1, 0) != 1)
		exit(1);
	pthread_barrier_wait(&barrier); /* both have made a call */
	pthread_barrier_wait(&barrier); /* and the way is lost */
	for (long i = 0; i < calls; i++) {
		if (pwrite(fd, "x", 1, 0) != 1)
			exit(1);
	}
	return NULL;
}

static int in_child(void)
{
	struct rlimit none = { 3, 3 }, small = { 100, 100 };
	int status;
	pid_t child = fork();

	if (child == 0) {
		setrlimit(RLIMIT_NOFILE, &none);
		setrlimit(RLIMIT_FSIZE, &small);
		for (long i = 0; i < calls; i++) {
			if (pwrite(fd, "x", 1, 0) != 1)
				_exit(1);
		}
		_exit(0);
	}
	return waitpid(child, &status, 0) == child ? status : 1;
}

int main(int argc, char **argv)
{
	struct rlimit few = { 20, 20 };
	pthread_t thread;

	calls = atol(argv[2]);
	fd = open("leaves.data", O_RDWR | O_CREAT, 0600);
	if (strcmp(argv[1], "child") == 0)
		return in_child();
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, work, NULL);
	pthread_barrier_wait(&barrier);
	if (strcmp(argv[1], "chroot") == 0 &&
	    (mkdir("jail", 0755), chroot("jail") != 0 || chdir("/") != 0))
		return 77;
	if (strcmp(argv[1], "setuid") == 0 && setuid(65534) != 0)
		return 77;
	if (strcmp(argv[1], "emfile") == 0) {
		setrlimit(RLIMIT_NOFILE, &few);
		while (dup(0) >= 0)
			;
		if (errno != EMFILE)
			return 77;
	}
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < calls; i++) {
		if (pwrite(fd, "x", 1, 0) != 1)
			return 1;
	}
	pthread_join(thread, NULL);
	return 0;
}
