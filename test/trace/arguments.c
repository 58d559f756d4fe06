/*
 * arguments: calls whose arguments decide what they do, each once. For the trace, which must give them back.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

static void directory(void)
{
	DIR *d = opendir(".");
	long at = d ? telldir(d) : 0;

	while (d && readdir(d))
		;
	if (d)
		seekdir(d, at);
	if (d)
		closedir(d);
}

int main(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = 3, .l_len = 7 };
	char a[2], b[2];
	struct iovec v[2] = { { a, 2 }, { b, 2 } };
	int fd, here, ends[2];
	pthread_t thread;
	FILE *stream;
	void *map;

	closefrom(3); /* what was inherited would change the numbers */
	fd = openat(AT_FDCWD, "new", O_RDWR | O_CREAT | O_TRUNC, 0640);
	if (fd != 3 || write(fd, "hello", 5) != 5)
		return 1;
	lseek(fd, -2, SEEK_END);
	lseek(fd, 0, SEEK_SET);
	if (readv(fd, v, 2) != 4)
		return 1;
	fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 4096);
	posix_fadvise(fd, 0, 10, POSIX_FADV_WILLNEED);
	fcntl(fd, F_SETLK, &lock);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	flock(fd, LOCK_UN);
	map = mmap(NULL, 5, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	msync(map, 5, MS_SYNC);
	munmap(map, 5);
	rename("new", "newer");
	symlink("../somewhere else", "link");
	here = open(".", O_RDONLY | O_DIRECTORY);
	linkat(here, "newer", here, "hard", 0);
	mkdir("sub", 0750);
	directory();
	dup2(fd, 77);
	close(77);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return 1;
	stream = fopen("newer", "a");
	fputs("abc\n", stream);
	fclose(stream);
	openat(AT_FDCWD, "nowhere", O_RDONLY);
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	if (fork() == 0)
		_exit(3);
	wait(NULL);
	return 5;
}
