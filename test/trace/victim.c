/*
 * victim: writes a number of bytes one by one and then ends in the way it is told: kill, _exit, abort, exec, return,
 * close (goes on after closing all descriptors), threads (four of them), vfork, signal (a handler writes in the middle
 * of everything).
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd, count;

static void *work(void *arg)
{
	for (int i = 0; i < count; i++) {
		if (pwrite(fd, "x", 1, i) != 1)
			exit(1);
	}
	return arg;
}

static void four_threads(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void handler(int signal)
{
	(void)signal;
	if (pread(fd, &(char){ 0 }, 1, 0) < 0)
		_exit(1);
}

static void with_signals(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { 0 };

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	work(NULL);
	setitimer(ITIMER_REAL, &never, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "return";

	count = atoi(argv[1]);
	fd = open("victim.data", O_RDWR | O_CREAT, 0644);
	if (strcmp(how, "close") == 0) {
		for (int i = 3; i < 1024; i++)
			close(i);
		close_range(3, ~0u, 0);
		fd = open("victim.data", O_RDWR);
	}
	if (strcmp(how, "threads") == 0)
		four_threads();
	else if (strcmp(how, "signal") == 0)
		with_signals();
	else
		work(NULL);
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "_exit") == 0)
		_exit(5);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "exec") == 0)
		execl("/bin/true", "true", (char *)NULL);
	if (strcmp(how, "vfork") == 0) {
		pid_t pid = vfork();

		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}
