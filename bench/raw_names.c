/*
 * raw_names DIRECTORY FILES: what does a preloaded library add to calls with names?
 *
 * The same loops call the C library as the program sees it and as it is, in turns, in one process, with names of equal
 * length in two directories. Each round takes new names. Prints for each kind the median over the rounds of the
 * nanoseconds of processor time per file that the library adds: "make N, again N, stat N, remove N, first N".
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9 };

/* The calls, as they are seen or as they are. */
struct calls {
	int (*open)(const char *, int, ...);
	int (*close)(int);
	int (*stat)(const char *, struct stat *);
	int (*unlink)(const char *);
};

static const char *directory;
static long files;

static int makes(const struct calls *c, const char *name)
{
	return c->close(c->open(name, O_CREAT | O_WRONLY, 0600));
}

static int opens(const struct calls *c, const char *name)
{
	return c->close(c->open(name, O_RDONLY));
}

static int looks(const struct calls *c, const char *name)
{
	struct stat st;

	return c->stat(name, &st);
}

static int removes(const struct calls *c, const char *name)
{
	return c->unlink(name);
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds per file, and what it takes to make the name. */
static double loop(const struct calls *c, int (*call)(const struct calls *, const char *),
		   char kind, char way, int round)
{
	double start = cpu_ns();
	char name[4096];

	for (long i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "%s/%c/%c-%d-%ld", directory, way, kind, round, i);
		if (call(c, name) != 0) {
			perror(name);
			exit(1);
		}
	}
	return (cpu_ns() - start) / (double)files;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*call)(const struct calls *, const char *);
		char kind;
	} kinds[] = { { "make", makes, 'a' },
		      { "again", opens, 'a' },
		      { "stat", looks, 'a' },
		      { "remove", removes, 'a' },
		      { "first", opens, 'b' } };
	enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
	static double added[KINDS][ROUNDS];
	const struct calls seen = { open, close, stat, unlink };
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	struct calls plain;
	char name[4096];

	if (argc != 3 || !libc)
		return 2;
	directory = argv[1];
	files = atol(argv[2]);
	*(void **)&plain.open = dlsym(libc, "open");
	*(void **)&plain.close = dlsym(libc, "close");
	*(void **)&plain.stat = dlsym(libc, "stat");
	*(void **)&plain.unlink = dlsym(libc, "unlink");
	for (int way = 0; way < 2; way++) {
		snprintf(name, sizeof(name), "%s/%c", directory, "ps"[way]);
		if (mkdir(name, 0700) != 0)
			return 3;
	}
	for (int round = 0; round < ROUNDS; round++) {
		/* "first": files that are there before the library has heard of them */
		loop(&plain, makes, 'b', 'p', round);
		loop(&plain, makes, 'b', 's', round);
		for (int k = 0; k < KINDS; k++) {
			added[k][round] = -loop(&plain, kinds[k].call, kinds[k].kind, 'p', round);
			added[k][round] += loop(&seen, kinds[k].call, kinds[k].kind, 's', round);
		}
		loop(&plain, removes, 'b', 'p', round);
		loop(&plain, removes, 'b', 's', round);
	}
	for (int k = 0; k < KINDS; k++) {
		qsort(added[k], ROUNDS, sizeof(added[k][0]), ascending);
		printf("%s%s %.0f", k ? ", " : "", kinds[k].name, added[k][ROUNDS / 2]);
	}
	printf("\n");
	return 0;
}
