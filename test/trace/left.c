/*
 * left HOW CALLS: reads that wait in a pipe for nothing, each until a signal comes, in threads whose handlers have a
 * stack of their own above that of the thread. The handler jumps out of the read ("jump"), or writes the byte that it
 * waits for and returns ("return"); with "cancel" the thread is cancelled. Prints how many reads did not return.
 */
#define _GNU_SOURCE 1
#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK = 1 << 20 };

static int ends[2], jumps;
static sigjmp_buf back;
static pid_t reader;

static void handler(int number)
{
	(void)number;
	if (access("/nowhere", F_OK) == 0)
		_exit(3);
	if (jumps)
		siglongjmp(back, 1);
	if (write(ends[1], "x", 1) != 1)
		_exit(4);
}

static void *reads(void *above)
{
	stack_t stack = { .ss_sp = above, .ss_size = STACK };
	char byte;

	sigaltstack(&stack, NULL);
	__atomic_store_n(&reader, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	if (sigsetjmp(back, 1) == 0 && read(ends[0], &byte, 1) != 1)
		_exit(5);
	if (access("/nowhere", F_OK) == 0)
		_exit(3);
	return NULL;
}

/* Until it is in the kernel, and in that call. */
static void wait_for_read(void)
{
	char name[64], call[16] = "";

	while (strncmp(call, "0 ", 2) != 0) {
		pid_t tid = __atomic_load_n(&reader, __ATOMIC_ACQUIRE);
		FILE *f;

		usleep(200);
		snprintf(name, sizeof(name), "/proc/self/task/%d/syscall", (int)tid);
		f = tid ? fopen(name, "r") : NULL;
		if (f && !fgets(call, sizeof(call), f))
			call[0] = '\0';
		if (f)
			fclose(f);
	}
}

int main(int argc, char **argv)
{
	char *stacks =
		mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK };
	long calls = argc == 3 ? atol(argv[2]) : 0;
	pthread_attr_t low;
	pthread_t thread;

	if (!calls || stacks == MAP_FAILED || pipe(ends) != 0)
		return 2;
	jumps = strcmp(argv[1], "jump") == 0;
	sigaction(SIGUSR1, &action, NULL);
	pthread_attr_init(&low);
	pthread_attr_setstack(&low, stacks, STACK);
	for (long i = 0; i < calls; i++) {
		reader = 0;
		if (pthread_create(&thread, &low, reads, stacks + STACK) != 0)
			errx(1, "a thread");
		wait_for_read();
		if (strcmp(argv[1], "cancel") == 0)
			pthread_cancel(thread);
		else
			pthread_kill(thread, SIGUSR1);
		pthread_join(thread, NULL);
	}
	printf("%ld\n", strcmp(argv[1], "return") == 0 ? 0 : calls);
	return 0;
}
