/*
 * forks HOW COUNT THREADS: threads do HOW (stat, dlopen, malloc) all the time while the main thread makes COUNT
 * children by fork, every eighth by _Fork, clone, vfork or posix_spawn, and waits for each. A child opens, looks,
 * prints and ends. Prints "done COUNT". A child that does not come back within a minute ends the program by SIGALRM.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *how;
static volatile int over;

static void *work(void *number)
{
	char name[64];
	struct stat st;

	for (unsigned i = 0; !over; i++) {
		if (strcmp(how, "stat") == 0) {
			snprintf(name, sizeof(name), "/nowhere/%ld.%u", (long)number, i);
			stat(name, &st);
		} else if (strcmp(how, "dlopen") == 0) {
			void *handle = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);

			if (handle)
				dlclose(handle);
			stat("/nowhere", &st);
		} else {
			for (int k = 0; k < 64; k++)
				free(malloc((size_t)(i * 61 + k * 977) % 70000));
			stat("/nowhere", &st);
		}
	}
	return NULL;
}

/* What a child of a threaded program may do, and printing, which glibc allows. */
static int child(void *argument)
{
	struct stat st;
	int fd = open("/dev/null", O_WRONLY);
	FILE *null;

	stat("/nowhere/child", &st);
	if (write(fd, "x", 1) != 1)
		_exit(2);
	close(fd);
	null = argument ? NULL : fopen("/dev/null", "w");
	if (null) {
		fprintf(null, "%d\n", 1);
		fclose(null);
	}
	_exit(0);
}

static pid_t start(int i)
{
	static char stack[65536] __attribute__((aligned(16)));
	char *argv[] = { "true", NULL };
	pid_t pid = -1;

	switch (i % 8) {
	case 4:
		pid = _Fork();
		if (pid == 0)
			child("no stream: its lock may be held");
		return pid;
	case 5:
		return clone(child, stack + sizeof(stack), SIGCHLD, "as above");
	case 6:
		pid = vfork();
		if (pid == 0)
			_exit(0);
		return pid;
	case 7:
		return posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) ? -1 : pid;
	default:
		pid = fork();
		if (pid == 0)
			child(NULL);
		return pid;
	}
}

int main(int argc, char **argv)
{
	long threads = argc > 3 ? atol(argv[3]) : 0;
	pthread_t thread[16];
	int status, i;

	how = argv[1];
	for (long t = 0; t < threads; t++)
		pthread_create(&thread[t], NULL, work, (void *)t);
	for (i = 0; i < atoi(argv[2]); i++) {
		pid_t pid;

		alarm(60);
		pid = start(i);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			return 1;
	}
	over = 1;
	for (long t = 0; t < threads; t++)
		pthread_join(thread[t], NULL);
	printf("done %d\n", i);
	return 0;
}
