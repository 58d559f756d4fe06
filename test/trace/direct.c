/*
 * direct: system calls made by syscall(), whose bytes and files are known. Built dynamically and statically: both
 * tracers must see the same. Writes "operation file bytes" of what a trace must hold to the file given as first
 * argument.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static FILE *wanted;

#define MUST(op, file, bytes, call)                                      \
	do {                                                             \
		long got = (call);                                       \
		if (got != (bytes)) {                                    \
			fprintf(stderr, "%s gave %ld\n", op, got);       \
			exit(1);                                         \
		}                                                        \
		fprintf(wanted, "%s %s %ld\n", op, file, (long)(bytes)); \
	} while (0)

int main(int argc, char **argv)
{
	char bytes[4096] = "";
	struct iovec v[2] = { { bytes, 100 }, { bytes + 100, 50 } };
	int ends[2], a, b, c;
	int64_t from = 10, to = 20;

	(void)argc;
	wanted = fopen(argv[1], "w");
	a = (int)syscall(SYS_openat, AT_FDCWD, "first", O_CREAT | O_RDWR, 0600);
	b = (int)syscall(SYS_openat, AT_FDCWD, "second", O_CREAT | O_RDWR, 0600);
	MUST("write", "first", 4096, syscall(SYS_write, a, bytes, 4096));
	MUST("writev", "first", 150, syscall(SYS_writev, a, v, 2));
	MUST("pwritev", "first", 150, syscall(SYS_pwritev, a, v, 2, 0L, 0L));
	MUST("pwritev2", "first", 150, syscall(SYS_pwritev2, a, v, 2, 7L, 0L, 0));
	MUST("preadv", "first", 150, syscall(SYS_preadv, a, v, 2, 0L, 0L));
	MUST("preadv2", "first", 150, syscall(SYS_preadv2, a, v, 2, 0L, 0L, 0));
	MUST("lseek", "first", 0, syscall(SYS_lseek, a, 0L, SEEK_SET));
	MUST("readv", "first", 150, syscall(SYS_readv, a, v, 2));
	MUST("copy_file_range", "second", 1000,
	     syscall(SYS_copy_file_range, a, &from, b, &to, 1000L, 0));
	fprintf(wanted, "copy_file_range_in first 1000\n");
	MUST("sendfile", "second", 300, syscall(SYS_sendfile, b, a, NULL, 300L));
	fprintf(wanted, "sendfile_in first 300\n");
	if (pipe(ends) != 0)
		return 1;
	from = 0;
	MUST("splice", "pipe", 200, syscall(SYS_splice, a, &from, ends[1], NULL, 200L, 0));
	fprintf(wanted, "splice_in first 200\n");
	MUST("splice", "second", 200, syscall(SYS_splice, ends[0], NULL, b, &to, 200L, 0));
	fprintf(wanted, "splice_in pipe 200\n");
	/* the same number, another file: by dup3, then by close_range and open */
	c = (int)syscall(SYS_openat, AT_FDCWD, "third", O_CREAT | O_RDWR, 0600);
	if (syscall(SYS_dup3, b, c, 0) != c)
		return 1;
	MUST("write", "second", 11, syscall(SYS_write, c, bytes, 11));
	if (syscall(SYS_close_range, c, c, 0) != 0 ||
	    syscall(SYS_openat, AT_FDCWD, "fourth", O_CREAT | O_RDWR, 0600) != c)
		return 1;
	MUST("write", "fourth", 13, syscall(SYS_write, c, bytes, 13));
	MUST("close", "fourth", 0, syscall(SYS_close, c));
	MUST("ftruncate", "first", 0, syscall(SYS_ftruncate, a, 5000L));
	MUST("close", "first", 0, syscall(SYS_close, a));
	fclose(wanted);
	return 0;
}
