/*
 * ptracer_calls: the system calls that are I/O, and the filter that lets all others run.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "cmd/ptracer.h"

#define CALL(name, op, shape)                                                     \
	{                                                                         \
		SYS_##name, PARIO_OP_##op, PARIO_TRACE_POSIX, PARIO_SHAPE_##shape \
	}
#define ASYNC(name, op, shape)                                                    \
	{                                                                         \
		SYS_##name, PARIO_OP_##op, PARIO_TRACE_ASYNC, PARIO_SHAPE_##shape \
	}

/* clang-format off */
const struct pario_ptracer_call pario_ptracer_calls[] = {
	CALL(read, read, BYTES), CALL(write, write, BYTES), CALL(pread64, pread, AT), CALL(pwrite64, pwrite, AT),
	CALL(readv, readv, IOV), CALL(writev, writev, IOV), CALL(preadv, preadv, IOV_AT), CALL(pwritev, pwritev, IOV_AT),
	CALL(preadv2, preadv2, IOV_AT), CALL(pwritev2, pwritev2, IOV_AT), CALL(lseek, lseek, SEEK),
	CALL(openat, openat, OPENAT), CALL(openat2, openat, OPENAT), CALL(close, close, CLOSE),
	CALL(close_range, close_range, NONE), CALL(dup, dup, DUP), CALL(dup3, dup3, DUP), CALL(fcntl, fcntl, FD),
	CALL(pipe2, pipe, NONE), CALL(ioctl, ioctl, FD), CALL(memfd_create, memfd_create, NONE),
	CALL(sendfile, sendfile, BYTES), CALL(copy_file_range, copy_file_range, NONE), CALL(splice, splice, NONE),
	CALL(tee, tee, NONE), CALL(vmsplice, vmsplice, NONE),
	CALL(fsync, fsync, FD), CALL(fdatasync, fdatasync, FD), CALL(sync, sync, NONE), CALL(syncfs, syncfs, FD),
	CALL(sync_file_range, sync_file_range, RANGE), CALL(ftruncate, ftruncate, FD), CALL(truncate, truncate, PATH),
	CALL(fallocate, fallocate, FD), CALL(fadvise64, posix_fadvise, RANGE), CALL(readahead, readahead, RANGE),
	CALL(mmap, mmap, MMAP), CALL(munmap, munmap, LENGTH), CALL(mremap, mremap, LENGTH), CALL(msync, msync, LENGTH),
	CALL(mincore, mincore, LENGTH),
	CALL(fstat, fstat, FD), CALL(newfstatat, fstatat, AT_PATH), CALL(statx, statx, AT_PATH),
	CALL(faccessat, faccessat, AT_PATH), CALL(faccessat2, faccessat, AT_PATH), CALL(statfs, statfs, PATH),
	CALL(fstatfs, fstatfs, FD), CALL(mkdirat, mkdirat, AT_PATH), CALL(unlinkat, unlinkat, AT_PATH),
	CALL(renameat2, renameat2, AT_PATH), CALL(linkat, linkat, AT_PATH), CALL(readlinkat, readlinkat, AT_PATH),
	CALL(symlinkat, symlinkat, NONE), CALL(madvise, madvise, LENGTH),
	CALL(fchmod, fchmod, FD), CALL(fchmodat, fchmodat, AT_PATH), CALL(fchown, fchown, FD),
	CALL(fchownat, fchownat, AT_PATH), CALL(utimensat, utimensat, AT_PATH), CALL(mknodat, mknodat, AT_PATH),
	CALL(getxattr, getxattr, PATH), CALL(lgetxattr, lgetxattr, PATH), CALL(fgetxattr, fgetxattr, FD),
	CALL(setxattr, setxattr, PATH), CALL(lsetxattr, lsetxattr, PATH), CALL(fsetxattr, fsetxattr, FD),
	CALL(listxattr, listxattr, PATH), CALL(llistxattr, llistxattr, PATH), CALL(flistxattr, flistxattr, FD),
	CALL(removexattr, removexattr, PATH), CALL(lremovexattr, lremovexattr, PATH), CALL(fremovexattr, fremovexattr, FD),
	CALL(getdents64, getdents, BYTES), CALL(chdir, chdir, PATH), CALL(fchdir, fchdir, FD), CALL(getcwd, getcwd, NONE),
	CALL(flock, flock, FD), CALL(open_by_handle_at, open_by_handle_at, NONE),
	CALL(name_to_handle_at, name_to_handle_at, AT_PATH),
	ASYNC(io_setup, io_setup, NONE), ASYNC(io_destroy, io_destroy, NONE), ASYNC(io_submit, io_submit, NONE),
	ASYNC(io_getevents, io_getevents, NONE), ASYNC(io_pgetevents, io_pgetevents, NONE), ASYNC(io_cancel, io_cancel, NONE),
	ASYNC(io_uring_setup, uring_init, NONE), ASYNC(io_uring_enter, uring_submit, NONE),
	ASYNC(io_uring_register, uring_register, NONE),
	{ SYS_execve, PARIO_OP_exec, PARIO_TRACE_PROCESS, PARIO_SHAPE_EXEC },
	{ SYS_execveat, PARIO_OP_exec, PARIO_TRACE_PROCESS, PARIO_SHAPE_EXEC },
	{ SYS_exit_group, PARIO_OP_exit, PARIO_TRACE_PROCESS, PARIO_SHAPE_NONE },
#if defined(__x86_64__)
	CALL(open, open, OPEN), CALL(creat, creat, OPEN), CALL(dup2, dup2, DUP), CALL(pipe, pipe, NONE),
	CALL(stat, stat, PATH), CALL(lstat, lstat, PATH), CALL(access, access, PATH), CALL(mkdir, mkdir, PATH),
	CALL(rmdir, rmdir, PATH), CALL(unlink, unlink, PATH), CALL(rename, rename, PATH), CALL(renameat, renameat, AT_PATH),
	CALL(link, link, PATH), CALL(symlink, symlink, PATH), CALL(readlink, readlink, PATH), CALL(chmod, chmod, PATH),
	CALL(chown, chown, PATH), CALL(lchown, lchown, PATH), CALL(utime, utime, PATH), CALL(utimes, utimes, PATH),
	CALL(futimesat, futimesat, AT_PATH), CALL(mknod, mknod, PATH), CALL(getdents, getdents, BYTES),
#endif
};
/* clang-format on */

const size_t pario_ptracer_call_count =
	sizeof(pario_ptracer_calls) / sizeof(pario_ptracer_calls[0]);

#if defined(__x86_64__)
const uint32_t pario_ptracer_machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
const uint32_t pario_ptracer_machine = AUDIT_ARCH_AARCH64;
#endif

enum { NUMBERS = 512 };

const struct pario_ptracer_call *pario_ptracer_find(uint64_t number)
{
	static const struct pario_ptracer_call *table[NUMBERS];

	if (number >= NUMBERS)
		return NULL;
	if (!table[SYS_read]) {
		for (size_t i = 0; i < pario_ptracer_call_count; i++)
			table[pario_ptracer_calls[i].number] = &pario_ptracer_calls[i];
	}
	return table[number];
}

int pario_ptracer_filter(void)
{
	struct sock_filter
		code[2 * sizeof(pario_ptracer_calls) / sizeof(pario_ptracer_calls[0]) + 5];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;

	/* programs of another word size have other numbers */
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4);
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, pario_ptracer_machine,
						 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0); /* the number */
	for (size_t i = 0; i < pario_ptracer_call_count; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)pario_ptracer_calls[i].number, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
		return 0; /* root may */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return errno;
	return 0;
}
