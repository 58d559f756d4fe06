/*
 * handlers CALLS [jumps]: a timer interrupts the program every 15 us while it makes CALLS calls of pwrite; the handler
 * calls access. With a second word every hundredth signal is left by siglongjmp, out of the midst of what was
 * interrupted. Prints how many calls of pwrite and of access were begun.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t handled, jumps;
static sigjmp_buf back;

static void handler(int number)
{
	handled++;
	access("/nowhere", F_OK);
	if (jumps && handled % 100 == 0)
		siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	volatile long calls = 0, wanted = atol(argv[1]);
	int fd = open("handlers.data", O_RDWR | O_CREAT, 0600);
	struct itimerval often = { { 0, 15 }, { 0, 15 } }, never = { 0 };

	jumps = argc > 2;
	sigaction(SIGALRM, &action, NULL);
	sigsetjmp(back, 1);
	setitimer(ITIMER_REAL, &often, NULL);
	while (calls < wanted) {
		calls++;
		if (pwrite(fd, "x", 1, 0) != 1)
			return 1;
	}
	jumps = 0;
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld %ld\n", calls, (long)handled);
	return 0;
}
