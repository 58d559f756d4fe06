/*
 * faults: calls with addresses that are not the program's, one line each: name, result, errno. Without a tracer none of
 * them raises a signal: the kernel refuses the address, or libc refuses the null pointer.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#define TRY(call)                                                                                \
	do {                                                                                     \
		long r_;                                                                         \
		errno = 0;                                                                       \
		r_ = (long)(call);                                                               \
		printf("%-60.60s %s %d\n", #call, r_ == -1 ? "-1" : r_ == 0 ? "0" : "+", errno); \
		fflush(stdout);                                                                  \
	} while (0)

extern int lchmod(const char *, mode_t);

/* Two pages, of which only the first is there: names and lists that end in the air. */
static char *edge;

static void with_path(const char *bad, int fd, int dir)
{
	struct stat st;
	struct statx sx;
	struct statfs sf;
	struct statvfs sv;
	char to[64];

	TRY(open(bad, O_RDONLY));
	TRY(open(bad, O_RDWR | O_CREAT, 0600));
	TRY(openat(dir, bad, O_RDONLY));
	TRY(creat(bad, 0600));
	TRY(memfd_create(bad, 0));
	TRY(stat(bad, &st));
	TRY(lstat(bad, &st));
	TRY(fstatat(dir, bad, &st, 0));
	TRY(fstatat(dir, bad, &st, 0x40000000));
	TRY(statx(dir, bad, 0, STATX_ALL, &sx));
	TRY(statx(dir, bad, 0x40000000, STATX_ALL, &sx));
	TRY(access(bad, R_OK));
	TRY(access(bad, 99));
	TRY(faccessat(dir, bad, R_OK, 0));
	TRY(euidaccess(bad, R_OK));
	TRY(statfs(bad, &sf));
	TRY(statvfs(bad, &sv));
	TRY(mkdir(bad, 0700));
	TRY(mkdirat(dir, bad, 0700));
	TRY(rmdir(bad));
	TRY(unlink(bad));
	TRY(unlinkat(dir, bad, 0));
	TRY(remove(bad));
	TRY(rename(bad, "b"));
	TRY(rename("nothing", bad));
	TRY(renameat(dir, bad, dir, "b"));
	TRY(renameat2(dir, bad, dir, "b", 0x4000));
	TRY(link(bad, "b"));
	TRY(linkat(dir, bad, dir, "b", 0x40));
	TRY(symlink(bad, "b"));
	TRY(symlink("b", bad));
	TRY(symlinkat("b", dir, bad));
	TRY(readlink(bad, to, sizeof(to)));
	TRY(readlinkat(dir, bad, to, sizeof(to)));
	TRY(chmod(bad, 0600));
	TRY(fchmodat(dir, bad, 0600, 0));
	TRY(chown(bad, 0, 0));
	TRY(lchown(bad, 0, 0));
	TRY(fchownat(dir, bad, 0, 0, 0));
	TRY(utime(bad, NULL));
	TRY(utimes(bad, NULL));
	TRY(lutimes(bad, NULL));
	TRY(utimensat(dir, bad, NULL, 0));
	TRY(mknod(bad, S_IFREG | 0600, 0));
	TRY(mknodat(dir, bad, S_IFREG | 0600, 0));
	TRY(mkfifo(bad, 0600));
	TRY(mkfifoat(dir, bad, 0600));
	TRY(getxattr(bad, "user.x", to, sizeof(to)));
	TRY(lgetxattr(bad, "user.x", to, sizeof(to)));
	TRY(setxattr(bad, "user.x", "", 0, 0));
	TRY(lsetxattr(bad, "user.x", "", 0, 0));
	TRY(listxattr(bad, to, sizeof(to)));
	TRY(llistxattr(bad, to, sizeof(to)));
	TRY(removexattr(bad, "user.x"));
	TRY(lremovexattr(bad, "user.x"));
	TRY(chdir(bad));
	TRY(truncate(bad, 0));
	TRY(fopen(bad, "r"));
	TRY(syscall(SYS_openat, dir, bad, O_RDONLY, 0));
	TRY(syscall(SYS_openat2, dir, bad, NULL, 0));
	TRY(syscall(SYS_statx, dir, bad, 0, STATX_ALL, &sx));
#ifdef SYS_open
	TRY(syscall(SYS_open, bad, O_RDONLY));
#endif
	TRY(name_to_handle_at(dir, bad, (struct file_handle *)to, (int *)to, 0));
	TRY(fgetxattr(fd, bad, to, sizeof(to)));
	TRY(fsetxattr(fd, bad, "", 0, 0));
	TRY(fremovexattr(fd, bad));
}

static void with_memory(void *bad, int fd, int out)
{
	off64_t at = 0;

	TRY(read(fd, bad, 8));
	TRY(pread(fd, bad, 8, 0));
	TRY(write(out, bad, 8));
	TRY(pwrite(out, bad, 8, 0));
	TRY(readv(fd, bad, 3));
	TRY(writev(out, bad, 3));
	TRY(preadv(fd, bad, 3, 0));
	TRY(pwritev(out, bad, 3, 0));
	TRY(preadv2(fd, bad, 3, 0, 0));
	TRY(pwritev2(out, bad, 3, -1, 0));
	TRY(pwritev2(out, bad, 3, 0, 0x8000));
	TRY(readv(-1, bad, 3));
	TRY(writev(out, bad, 2000));
	TRY(writev(out, bad, -1));
	TRY(vmsplice(out, bad, 2, 0));
	TRY(sendfile(out, fd, bad, 8));
	TRY(copy_file_range(fd, bad, out, NULL, 8, 0));
	TRY(copy_file_range(fd, NULL, out, bad, 8, 0));
	TRY(splice(fd, &at, out, bad, 8, 0));
	TRY(process_madvise(-1, bad, 2, MADV_COLD, 0));
	TRY(fstat(fd, bad));
	TRY(stat(".", bad));
	TRY(pipe(bad));
	TRY(getdents64(fd, bad, 1000));
	TRY(fcntl(fd, F_GETLK, bad));
	TRY(ioctl(fd, 0x5401, bad));
	TRY(mincore((void *)&at, 1, bad));
	TRY(syscall(SYS_read, fd, bad, 8));
	TRY(syscall(SYS_writev, out, bad, 3));
	TRY(syscall(SYS_pwritev2, out, bad, 3, 0, 0, 0));
	TRY(syscall(SYS_sendfile, out, fd, bad, 8));
	TRY(syscall(SYS_copy_file_range, fd, bad, out, bad, 8, 0));
	TRY(syscall(SYS_io_setup, 4, bad));
	TRY(syscall(SYS_io_uring_setup, 4, bad));
	TRY(syscall(SYS_execve, bad, bad, bad));
}

static void with_requests(void *bad)
{
	aio_context_t context = 0;
	struct iocb *list[2] = { bad, bad }, vectors = { .aio_lio_opcode = IOCB_CMD_PREADV,
							 .aio_fildes = 0,
							 .aio_buf = (uint64_t)(uintptr_t)bad,
							 .aio_nbytes = 3 };

	TRY(syscall(SYS_io_setup, 4, &context));
	TRY(syscall(SYS_io_submit, context, 2L, bad));
	TRY(syscall(SYS_io_submit, context, 2L, list));
	list[0] = &vectors;
	TRY(syscall(SYS_io_submit, context, 1L, list));
	TRY(syscall(SYS_io_getevents, context, 0L, 1L, bad, NULL));
	TRY(syscall(SYS_io_destroy, context));
}

static void with_programs(char *bad)
{
	char *argv[] = { "true", NULL }, *env[] = { "A=1", NULL },
	     *bad_env[] = { "A=1", bad, NULL };
	pid_t pid;

	TRY(execve(bad, argv, env));
	TRY(execv(bad, argv));
	TRY(execve("/nothing", argv, (char **)bad));
	TRY(execve("/bin/true", argv, (char **)bad));
	TRY(execve("/bin/true", argv, bad_env));
	TRY(execve("/bin/true", (char **)bad, env));
	TRY(execve("/nothing", argv, (char **)(edge + 4090)));
	TRY(execveat(AT_FDCWD, bad, argv, env, 0));
	TRY(posix_spawn(&pid, bad, NULL, NULL, argv, env));
	TRY(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, (char **)bad));
	TRY(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, bad_env));
}

static void with_null(void)
{
	TRY(closedir(NULL));
	TRY(realpath(NULL, NULL));
	TRY(fdopendir(-1));
	TRY(fflush(NULL));
	TRY(munmap((void *)1, 1));
	TRY(syscall(SYS_openat, AT_FDCWD, NULL, 0));
	TRY(utimensat(1, NULL, NULL, 0));
	TRY(opendir(""));
	TRY(readv(0, NULL, 0));
}

int main(void)
{
	static char *const bads[] = { NULL, (char *)8, (char *)-4096, (char *)0x00007ffffffff000,
				      (char *)0x8000000000000000 };
	int fd = open("/dev/zero", O_RDONLY), out = open("out", O_RDWR | O_CREAT, 0600),
	    dir = open(".", O_RDONLY);

	edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(edge + 4096, 4096, PROT_NONE);
	memset(edge, 'a', 4096);
	for (size_t i = 1; i < sizeof(bads) / sizeof(bads[0]); i++) {
		with_path(bads[i], fd, dir);
		with_memory(bads[i], fd, out);
		with_requests(bads[i]);
		with_programs(bads[i]);
	}
	with_path(edge + 4090, fd, -1);
	with_memory(edge + 4096 - 24, fd, out);
	with_requests(edge + 4096 - 8);
	memset(edge, 'a', 4096); /* reads have ended the string */
	with_programs(edge + 4096 - 8);
	with_path(NULL, fd, dir);
	with_null();
	return 0;
}
