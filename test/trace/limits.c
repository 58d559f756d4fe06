/*
 * limits CALLS [signal]: writes CALLS times within the limit of the file size, then beyond it; prints how often SIGXFSZ
 * came and the errno. With a second word the signal has its default effect.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void handler(int number)
{
	signals++;
}

int main(int argc, char **argv)
{
	int fd = open("limits.data", O_RDWR | O_CREAT, 0600);
	struct rlimit limit;
	long calls = 0;

	getrlimit(RLIMIT_FSIZE, &limit);
	if (argc < 3)
		signal(SIGXFSZ, handler);
	while (calls < atol(argv[1]) && pwrite(fd, "x", 1, 0) == 1)
		calls++;
	printf("%ld calls, %d signals\n", calls, (int)signals);
	fflush(stdout);
	errno = 0;
	if (limit.rlim_cur != RLIM_INFINITY)
		calls = pwrite(fd, "x", 1, (off_t)limit.rlim_cur + 1);
	printf("%ld %s, %d signals\n", calls, strerror(errno), (int)signals);
	return 3;
}
