/*
 * jumps LEDGER CALLS HOW: calls that something comes between at any moment, each with a number of its own. HOW is a
 * letter for each of its threads:
 *
 *   j  two timers interrupt it; their handlers make calls, interrupt each other and themselves, and every twentieth
 *      jumps back. J: faster than they can be handled
 *   c  starts threads and cancels them at any moment
 *   v  starts children of vfork that make calls
 *
 * and k: after CALLS calls the process kills itself. The byte of a call in LEDGER is 1 when it has begun and 2 when it
 * has returned.
 */
#define _GNU_SOURCE 1
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 23, DEEPEST = 12 };

static uint8_t *ledger;
static uint32_t next_call, wanted;
static const char *place;
static int data;

static __thread sigjmp_buf back;
static __thread volatile int may_jump, depth;
static __thread unsigned seed;

static unsigned chance(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 8;
}

static int go_on(void)
{
	return __atomic_load_n(&next_call, __ATOMIC_RELAXED) < wanted;
}

/* Names of many lengths, most of them new. */
static void one(void)
{
	uint32_t n = __atomic_fetch_add(&next_call, 1, __ATOMIC_RELAXED);
	char name[1024];
	int fd;

	if (n >= MOST)
		_exit(9);
	snprintf(name, sizeof(name), "%s/%u-%0*d", place, n, (int)(n % 150) + 1, 1);
	ledger[n] = 1;
	if (n % 4 == 0) {
		access(name, F_OK);
	} else if (n % 64 == 1) {
		fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
		pread(fd, name, 1, n);
		ledger[n] = 2;
		close(fd);
	} else {
		pwrite(data, "", 0, n);
	}
	ledger[n] = 2;
}

static void handler(int number)
{
	(void)number;
	depth++;
	for (unsigned calls = chance() % 3; calls; calls--)
		one();
	if (may_jump && (depth == DEEPEST || chance() % 20 == 0))
		siglongjmp(back, 1);
	depth--;
}

static timer_t timer(int number, long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number };
	struct itimerspec often = { { 0, ns }, { 0, ns } };
	timer_t made;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &made) != 0 ||
	    timer_settime(made, 0, &often, NULL) != 0)
		err(1, "timer");
	return made;
}

static void hold(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void *jumps(void *argument)
{
	const char *how = argument;
	long us = *how == 'J' ? 1000 : 3000;
	timer_t timers[] = { timer(SIGUSR1, 17 * us), timer(SIGUSR2, 29 * us) };

	seed = (unsigned)(uintptr_t)argument;
	sigsetjmp(back, 1);
	depth = 0;
	may_jump = 1;
	while (go_on())
		one();
	hold();
	may_jump = 0;
	timer_delete(timers[0]);
	timer_delete(timers[1]);
	return NULL;
}

static void *is_cancelled(void *argument)
{
	(void)argument;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		one();
	return NULL;
}

static void *cancels(void *argument)
{
	pthread_t thread;

	hold();
	seed = (unsigned)(uintptr_t)argument;
	while (go_on()) {
		if (pthread_create(&thread, NULL, is_cancelled, NULL) != 0)
			errx(1, "a thread");
		usleep(chance() & 511);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	return NULL;
}

static void *forks(void *argument)
{
	volatile pid_t child;

	(void)argument;
	hold();
	while (go_on()) {
		child = vfork();
		if (child == 0) {
			one();
			one();
			_exit(0);
		}
		waitpid(child, NULL, 0);
		one();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_NODEFER };
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600), threads = 0, kills = 0;
	pthread_t thread[16];

	if (argc != 4 || ftruncate(fd, MOST) != 0)
		return 2;
	ledger = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	data = open("jumps.data", O_RDWR | O_CREAT, 0600);
	if (data < 0)
		return 4;
	place = argv[1]; /* a file, so that nothing is below it */
	wanted = (uint32_t)atol(argv[2]);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	for (const char *how = argv[3]; *how; how++) {
		void *(*work)(void *) = strchr("jJ", *how) ? jumps : *how == 'c' ? cancels : forks;

		if (*how == 'k')
			kills = 1;
		else if (pthread_create(&thread[threads++], NULL, work, (void *)(uintptr_t)how))
			return 3;
	}
	while (kills && go_on())
		;
	if (kills)
		kill(getpid(), SIGKILL);
	while (threads)
		pthread_join(thread[--threads], NULL);
	return 0;
}
