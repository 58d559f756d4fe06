/*
 * narrow: how much of its stack a thread takes for calls of several kinds, "CALL BYTES" in each line. The stack of a
 * thread is full of a pattern before, and what has been written over is counted.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1 << 18, PATTERN = 0xa5 };

static unsigned char *stack;
static size_t *in_child; /* shared with children */
static int data;

static size_t taken(void)
{
	size_t n = 0;

	while (n < SIZE && stack[n] == PATTERN)
		n++;
	return SIZE - n;
}

static void opens(void)
{
	int directory = open(".", O_DIRECTORY);

	close(open("narrow.data", O_RDWR | O_CREAT | O_TRUNC, 0600));
	close(openat(directory, "narrow.link", O_RDWR));
	close(directory);
}

static void names(void)
{
	struct stat st;

	stat("narrow.data", &st);
	rename("narrow.data", "narrow.other");
	rename("narrow.other", "narrow.data");
	unlink("nowhere");
}

static void streams(void)
{
	FILE *file = fopen("narrow.data", "w");

	setvbuf(file, NULL, _IONBF, 0);
	fwrite("x", 1, 1, file);
	fclose(file);
	closedir(opendir("."));
}

/* More than a window of records. */
static void writes(void)
{
	for (int i = 0; i < 5000; i++) {
		if (pwrite(data, "x", 1, 0) != 1)
			abort();
	}
}

static void ends(pid_t pid)
{
	int status = -1;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		abort();
}

static char *const words[] = { "true", NULL };

static void spawns(void)
{
	pid_t pid = -1;

	posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ);
	ends(pid);
	posix_spawnp(&pid, "true", NULL, NULL, words, environ);
	ends(pid);
}

static void vforks(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve("/bin/true", words, environ);
		_exit(1);
	}
	ends(pid);
}

static void forks(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		access("narrow.data", F_OK);
		*in_child = taken();
		_exit(0);
	}
	ends(pid);
}

static void *run(void *call)
{
	(*(void (**)(void))call)();
	return NULL;
}

int main(void)
{
	struct {
		const char *name;
		void (*call)(void);
	} calls[] = { { "opens", opens },   { "names", names },	  { "streams", streams },
		      { "writes", writes }, { "spawns", spawns }, { "vforks", vforks },
		      { "forks", forks } };
	pthread_attr_t attributes;
	pthread_t thread;

	data = open("narrow.file", O_RDWR | O_CREAT, 0600);
	stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	in_child = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (data < 0 || stack == MAP_FAILED || in_child == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		/* the first time the loader looks the functions up, which takes more of it */
		for (int times = 0; times < 2; times++) {
			memset(stack, PATTERN, SIZE);
			*in_child = 0;
			pthread_attr_init(&attributes);
			pthread_attr_setstack(&attributes, stack, SIZE);
			if (pthread_create(&thread, &attributes, run, &calls[i].call) ||
			    pthread_join(thread, NULL))
				return 1;
		}
		printf("%s %zu\n", calls[i].name, *in_child ? *in_child : taken());
	}
	return 0;
}
