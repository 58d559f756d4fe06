/*
 * probe: issues a known number of every wrapped call in a directory of its own and prints what a trace must hold,
 * "operation count" per line, to the file given as second argument. Built in several ways by trace.bats.
 *
 * `probe DIR FILE [syscalls]`: with a third word only calls that are one system call each, for the comparison with
 * strace.
 */
#define _GNU_SOURCE 1
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
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
#include <wchar.h>

enum { OPS = 256, TIMES = 3 };

static struct {
	const char *name;
	unsigned count;
} expected[OPS];
static size_t ops;

static void expect(const char *op, unsigned count)
{
	for (size_t i = 0; i < ops; i++) {
		if (strcmp(expected[i].name, op) == 0) {
			expected[i].count += count;
			return;
		}
	}
	expected[ops].name = op;
	expected[ops++].count = count;
}

static volatile long result; /* nothing is optimised away */

#define ONE(op, call) (result = (long)(call), expect(op, 1))
#define DO(op, call)                               \
	do {                                       \
		for (int i_ = 0; i_ < TIMES; i_++) \
			ONE(op, call);             \
	} while (0)

/* Where bytes moved, the file they came from has a record of its own. */
#define BOTH(op, call)                               \
	do {                                         \
		for (int i_ = 0; i_ < TIMES; i_++) { \
			ONE(op, call);               \
			if (result > 0)              \
				expect(op "_in", 1); \
		}                                    \
	} while (0)

static char buffer[4096];
static struct iovec vector[2];

static void data(int fd)
{
	off_t at = 0;
	int to;

	DO("pwrite", pwrite(fd, buffer, 100, 1000 * at));
	DO("write", write(fd, buffer, 100));
	DO("lseek", lseek(fd, 0, SEEK_SET));
	DO("read", read(fd, buffer, 50));
	DO("pread", pread(fd, buffer, 50, 10));
	DO("pwritev", pwritev(fd, vector, 2, 0));
	DO("preadv", preadv(fd, vector, 2, 0));
	DO("pwritev2", pwritev2(fd, vector, 2, 0, 0));
	DO("preadv2", preadv2(fd, vector, 2, 0, 0));
	DO("writev", writev(fd, vector, 2));
	ONE("lseek", lseek(fd, 0, SEEK_SET));
	DO("readv", readv(fd, vector, 2));
	ONE("openat", to = openat(AT_FDCWD, "copy", O_RDWR | O_CREAT, 0644));
	BOTH("sendfile", sendfile(to, fd, &at, 10));
	BOTH("copy_file_range", copy_file_range(fd, NULL, to, NULL, 1, 0));
	ONE("close", close(to));
}

static void sizes(int fd)
{
	DO("fsync", fsync(fd));
	DO("fdatasync", fdatasync(fd));
	DO("sync_file_range", sync_file_range(fd, 0, 10, 0));
	DO("ftruncate", ftruncate(fd, 20000));
	DO("truncate", truncate("file", 20000));
	DO("fallocate", fallocate(fd, 0, 0, 4096));
	DO("posix_fallocate", posix_fallocate(fd, 0, 4096));
	DO("posix_fadvise", posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL));
	DO("readahead", readahead(fd, 0, 4096));
	for (int i = 0; i < TIMES; i++) {
		void *map;

		ONE("mmap", map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
		ONE("msync", msync(map, 4096, MS_SYNC));
		ONE("madvise", madvise(map, 4096, MADV_NORMAL));
		ONE("mincore", mincore(map, 4096, (unsigned char *)buffer));
		ONE("munmap", munmap(map, 4096));
	}
}

static void names(void)
{
	struct timeval now[2] = { { 1, 0 }, { 2, 0 } };
	struct timespec then[2] = { { 1, 0 }, { 2, 0 } };

	for (int i = 0; i < TIMES; i++) {
		ONE("mkdir", mkdir("d", 0755));
		ONE("rmdir", rmdir("d"));
		ONE("mkdirat", mkdirat(AT_FDCWD, "e", 0755));
		ONE("unlinkat", unlinkat(AT_FDCWD, "e", AT_REMOVEDIR));
		ONE("link", link("file", "l"));
		ONE("unlink", unlink("l"));
		ONE("linkat", linkat(AT_FDCWD, "file", AT_FDCWD, "l", 0));
		ONE("rename", rename("l", "m"));
		ONE("renameat", renameat(AT_FDCWD, "m", AT_FDCWD, "n"));
		ONE("renameat2", renameat2(AT_FDCWD, "n", AT_FDCWD, "o", 0));
		ONE("remove", remove("o"));
		ONE("symlink", symlink("file", "s"));
		ONE("readlink", readlink("s", buffer, 100));
		ONE("readlinkat", readlinkat(AT_FDCWD, "s", buffer, 100));
		ONE("unlink", unlink("s"));
		ONE("symlinkat", symlinkat("file", AT_FDCWD, "s"));
		ONE("unlink", unlink("s"));
		ONE("mkfifo", mkfifo("f", 0600));
		ONE("unlink", unlink("f"));
		ONE("mknod", mknod("f", S_IFIFO | 0600, 0));
		ONE("unlink", unlink("f"));
	}
	DO("chmod", chmod("file", 0600));
	DO("fchmodat", fchmodat(AT_FDCWD, "file", 0600, 0));
	DO("chown", chown("file", (uid_t)-1, (gid_t)-1));
	DO("lchown", lchown("file", (uid_t)-1, (gid_t)-1));
	DO("fchownat", fchownat(AT_FDCWD, "file", (uid_t)-1, (gid_t)-1, 0));
	DO("utime", utime("file", NULL));
	DO("utimes", utimes("file", now));
	DO("lutimes", lutimes("file", now));
	DO("utimensat", utimensat(AT_FDCWD, "file", then, 0));
	DO("setxattr", setxattr("file", "user.a", "1", 1, 0));
	DO("getxattr", getxattr("file", "user.a", buffer, 10));
	DO("listxattr", listxattr("file", buffer, 100));
	DO("removexattr", removexattr("file", "user.a"));
	DO("chdir", chdir("."));
}

static void states(int fd)
{
	struct statvfs v;
	struct statx x;
	struct statfs f;
	struct stat s;

	DO("stat", stat("file", &s));
	DO("lstat", lstat("file", &s));
	DO("fstat", fstat(fd, &s));
	DO("fstatat", fstatat(AT_FDCWD, "file", &s, 0));
	DO("statx", statx(AT_FDCWD, "file", 0, STATX_SIZE, &x));
	DO("access", access("file", R_OK));
	DO("faccessat", faccessat(AT_FDCWD, "file", R_OK, 0));
	DO("euidaccess", euidaccess("file", R_OK));
	DO("statfs", statfs(".", &f));
	DO("fstatfs", fstatfs(fd, &f));
	DO("statvfs", statvfs(".", &v));
	DO("fstatvfs", fstatvfs(fd, &v));
	DO("fchmod", fchmod(fd, 0600));
	DO("fchown", fchown(fd, (uid_t)-1, (gid_t)-1));
	DO("flock", flock(fd, LOCK_EX));
	DO("fsetxattr", fsetxattr(fd, "user.b", "1", 1, 0));
	DO("fgetxattr", fgetxattr(fd, "user.b", buffer, 10));
	DO("flistxattr", flistxattr(fd, buffer, 100));
	DO("fremovexattr", fremovexattr(fd, "user.b"));
}

static int see(const char *path, const struct stat *s, int type)
{
	(void)path, (void)s, (void)type;
	return 0;
}

static void lists(void)
{
	struct dirent **all = NULL;
	glob_t found;
	char *whole = NULL;
	DIR *d;
	int n;

	for (int i = 0; i < TIMES; i++) {
		ONE("opendir", d = opendir("."));
		ONE("readdir", readdir(d));
		ONE("telldir", telldir(d));
		rewinddir(d);
		expect("rewinddir", 1);
		ONE("closedir", closedir(d));
		ONE("scandir", n = scandir(".", &all, NULL, NULL));
		while (n > 0)
			free(all[--n]);
		free(all);
		ONE("ftw", ftw(".", see, 4));
		ONE("glob", glob("*", 0, NULL, &found));
		globfree(&found);
		ONE("realpath", whole = realpath("file", NULL));
		free(whole);
		ONE("getcwd", getcwd(buffer, sizeof(buffer)));
	}
}

static void descriptors(int fd)
{
	char name[32];
	int two[2], other;

	for (int i = 0; i < TIMES; i++) {
		ONE("open", other = open("file", O_RDONLY));
		ONE("close", close(other));
		ONE("creat", other = creat("created", 0644));
		ONE("close", close(other));
		strcpy(name, "tempXXXXXX");
		ONE("mkstemp", other = mkstemp(name));
		ONE("close", close(other));
		ONE("dup", other = dup(fd));
		ONE("dup2", dup2(fd, other));
		ONE("dup3", dup3(fd, other, 0));
		ONE("close", close(other));
		ONE("fcntl", fcntl(fd, F_GETFL));
		ONE("pipe", pipe(two));
		ONE("close", close(two[0]));
		ONE("close", close(two[1]));
		ONE("memfd_create", other = memfd_create("m", 0));
		ONE("close", close(other));
		ONE("open", open("missing/file", O_RDONLY)); /* fails */
		ONE("ioctl", ioctl(fd, 0x541B, &other));
	}
}

static void streams(void)
{
	const char *volatile format = "%d %s\n", *volatile words = "words\n";
	char *line = NULL;
	size_t capacity = 0;
	int number;
	FILE *f;

	ONE("fopen", f = fopen("stream", "w+"));
	DO("fwrite", fwrite(buffer, 10, 5, f));
	DO("fputs", fputs(words, f));
	DO("fputc", fputc('x' + (int)(capacity & 1), f));
	DO("printf", fprintf(f, format, 42, words));
	DO("fflush", fflush(f));
	rewind(f);
	expect("rewind", 1);
	DO("fread", fread(buffer, 10, 5, f));
	DO("fgets", fgets(buffer, 100 + (int)(capacity & 1), f));
	DO("fgetc", fgetc(f));
	ONE("fseek", fseek(f, 150 + 3 * 6 + 3, SEEK_SET));
	ONE("scanf", fscanf(f, "%d", &number));
	DO("getdelim", getline(&line, &capacity, f));
	DO("ftell", ftell(f));
	DO("fseek", fseeko(f, 0, SEEK_END));
	DO("fileno", fileno(f));
	ONE("fclose", fclose(f));
	ONE("fopen", f = fopen("stream", "r"));
	ONE("setvbuf", setvbuf(f, NULL, _IOFBF, 100));
	DO("fread",
	   fread_unlocked(buffer, 1, 7 + (capacity & 1) * 100, f)); /* else it is inlined */
	ONE("ungetc", ungetc('a', f));
	ONE("fclose", fclose(f));
	ONE("fopen", f = fopen("missing/file", "r"));
	ONE("fopen", f = fopen("wide", "w+"));
	DO("fputwc", fputwc(L'x', f));
	DO("fputws", fputws(L"wide\n", f));
	DO("wprintf", fwprintf(f, L"%d\n", 42 + (int)(capacity & 1)));
	ONE("fclose", fclose(f));
	ONE("open", number = open("direct", O_WRONLY | O_CREAT, 0644));
	DO("dprintf", dprintf(number, format, 1, words));
	ONE("close", close(number));
	free(line);
}

static void *thread(void *arg)
{
	return arg;
}

static void processes(void)
{
	char *const argv[] = { "true", NULL };
	pthread_t t;
	pid_t pid;

	for (int i = 0; i < TIMES; i++) {
		ONE("fork", pid = fork());
		if (pid == 0)
			syscall(SYS_exit_group, 0); /* passes by, or it would be recorded here */
		ONE("wait", waitpid(pid, NULL, 0));
		ONE("pthread_create", pthread_create(&t, NULL, thread, NULL));
		ONE("pthread_join", pthread_join(t, NULL));
	}
	(void)argv;
}

static void later(int fd)
{
	struct aiocb a = { .aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 100 };
	const struct aiocb *list[] = { &a };
	struct aiocb *mutable_list[] = { &a };

	for (int i = 0; i < TIMES; i++) {
		ONE("aio_write", aio_write(&a));
		ONE("aio_suspend", aio_suspend(list, 1, NULL));
		ONE("aio_error", aio_error(&a));
		ONE("aio_return", aio_return(&a));
		ONE("aio_read", aio_read(&a));
		ONE("aio_suspend", aio_suspend(list, 1, NULL));
		ONE("aio_return", aio_return(&a));
	}
	a.aio_lio_opcode = LIO_READ;
	ONE("lio_listio", lio_listio(LIO_WAIT, mutable_list, 1, NULL));
	expect("aio_read", 1);
	ONE("aio_return", aio_return(&a));
	DO("read", syscall(SYS_read, fd, buffer, 1));
	DO("syscall", syscall(SYS_getuid));
}

int main(int argc, char **argv)
{
	int fd, out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	bool only_syscalls = argc > 3;

	expect("open", 1);
	if (out < 0 || chdir(argv[1]) < 0)
		return 1;
	expect("chdir", 1);
	vector[0] = (struct iovec){ buffer, 100 };
	vector[1] = (struct iovec){ buffer + 100, 20 };
	ONE("open", fd = open("file", O_RDWR | O_CREAT, 0644));
	data(fd);
	sizes(fd);
	names();
	if (!only_syscalls) {
		states(fd);
		lists();
		descriptors(fd);
		streams();
		processes();
		later(fd);
	}
	ONE("close", close(fd));
	expect("write", 1);
	expect("exit", 1);
	/* one write at the end, by the descriptor: what it costs is known */
	for (size_t i = 0, n = 0; i <= ops; i++) {
		if (i < ops)
			n += (size_t)snprintf(buffer + n, sizeof(buffer) - n, "%s %u\n",
					      expected[i].name, expected[i].count);
		else if (write(out, buffer, n) != (ssize_t)n)
			return 1;
	}
	exit(0);
}
