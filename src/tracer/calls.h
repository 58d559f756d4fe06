/*
 * calls: system calls that are I/O: what they count as, and what their arguments are. For syscall(), by which programs
 * make them without a function of their own, and for the ptrace tracer.
 */
#ifndef PARIO_TRACER_CALLS_H
#define PARIO_TRACER_CALLS_H

#include <stddef.h>
#include <sys/syscall.h>

#include "tracer/format.h"

/* How the arguments are to be read. */
enum pario_shape {
	PARIO_SHAPE_NONE,
	PARIO_SHAPE_FD,		 /* fd */
	PARIO_SHAPE_BYTES,	 /* fd, -, bytes; at the descriptor's place */
	PARIO_SHAPE_AT,		 /* fd, -, bytes, offset */
	PARIO_SHAPE_IOV,	 /* fd, iovec, count */
	PARIO_SHAPE_IOV_AT,	 /* fd, iovec, count, offset */
	PARIO_SHAPE_IOV_AT2,	 /* the same; -1 is the descriptor's place */
	PARIO_SHAPE_SENDFILE,	 /* fd to, fd from, its offset or NULL, bytes */
	PARIO_SHAPE_COPY,	 /* fd from, its offset or NULL, fd to, its offset or NULL, bytes */
	PARIO_SHAPE_TEE,	 /* fd from, fd to, bytes */
	PARIO_SHAPE_SEEK,	 /* fd, offset, whence */
	PARIO_SHAPE_RANGE,	 /* fd, offset, bytes */
	PARIO_SHAPE_RESIZE,	 /* fd, bytes */
	PARIO_SHAPE_ALLOCATE,	 /* fd, -, offset, bytes */
	PARIO_SHAPE_PATH,	 /* path */
	PARIO_SHAPE_AT_PATH,	 /* directory, path */
	PARIO_SHAPE_OPEN,	 /* path, flags */
	PARIO_SHAPE_OPENAT,	 /* directory, path, flags */
	PARIO_SHAPE_NEW,	 /* gives a descriptor */
	PARIO_SHAPE_CLOSE,	 /* fd */
	PARIO_SHAPE_CLOSE_RANGE, /* first fd, last fd, flags */
	PARIO_SHAPE_DUP,	 /* fd; gives another one for the same */
	PARIO_SHAPE_FCNTL,	 /* fd, command */
	PARIO_SHAPE_LENGTH,	 /* -, bytes */
	PARIO_SHAPE_MMAP,	 /* -, bytes, -, flags, fd, offset */
	PARIO_SHAPE_EXEC,
};

struct pario_system_call {
	uint16_t op; /* 0: not I/O */
	uint8_t layer;
	uint8_t shape; /* enum pario_shape */
};

enum { PARIO_SYSTEM_CALLS = 512 };

#define PARIO_CALL(name, op, shape) \
	[SYS_##name] = { PARIO_OP_##op, PARIO_TRACE_POSIX, PARIO_SHAPE_##shape }
#define PARIO_CALL_ASYNC(name, op) \
	[SYS_##name] = { PARIO_OP_##op, PARIO_TRACE_ASYNC, PARIO_SHAPE_NONE }
#define PARIO_CALL_PROCESS(name, op, shape) \
	[SYS_##name] = { PARIO_OP_##op, PARIO_TRACE_PROCESS, PARIO_SHAPE_##shape }

/* clang-format off */
static const struct pario_system_call pario_system_calls[PARIO_SYSTEM_CALLS] = {
	PARIO_CALL(read, read, BYTES), PARIO_CALL(write, write, BYTES),
	PARIO_CALL(pread64, pread, AT), PARIO_CALL(pwrite64, pwrite, AT),
	PARIO_CALL(readv, readv, IOV), PARIO_CALL(writev, writev, IOV),
	PARIO_CALL(preadv, preadv, IOV_AT), PARIO_CALL(pwritev, pwritev, IOV_AT),
	PARIO_CALL(preadv2, preadv2, IOV_AT2), PARIO_CALL(pwritev2, pwritev2, IOV_AT2),
	PARIO_CALL(sendfile, sendfile, SENDFILE), PARIO_CALL(copy_file_range, copy_file_range, COPY),
	PARIO_CALL(splice, splice, COPY), PARIO_CALL(tee, tee, TEE), PARIO_CALL(vmsplice, vmsplice, IOV),
	PARIO_CALL(lseek, lseek, SEEK),
	PARIO_CALL(openat, openat, OPENAT), PARIO_CALL(openat2, openat, OPENAT),
	PARIO_CALL(open_by_handle_at, open_by_handle_at, NEW),
	PARIO_CALL(memfd_create, memfd_create, NEW),
	PARIO_CALL(close, close, CLOSE), PARIO_CALL(close_range, close_range, CLOSE_RANGE),
	PARIO_CALL(dup, dup, DUP), PARIO_CALL(dup3, dup3, DUP), PARIO_CALL(fcntl, fcntl, FCNTL),
	PARIO_CALL(pipe2, pipe, NONE), PARIO_CALL(ioctl, ioctl, FD),
	PARIO_CALL(fsync, fsync, FD), PARIO_CALL(fdatasync, fdatasync, FD), PARIO_CALL(sync, sync, NONE),
	PARIO_CALL(syncfs, syncfs, FD), PARIO_CALL(sync_file_range, sync_file_range, RANGE),
	PARIO_CALL(ftruncate, ftruncate, RESIZE), PARIO_CALL(truncate, truncate, PATH),
	PARIO_CALL(fallocate, fallocate, ALLOCATE), PARIO_CALL(fadvise64, posix_fadvise, RANGE),
	PARIO_CALL(readahead, readahead, RANGE),
	PARIO_CALL(mmap, mmap, MMAP), PARIO_CALL(munmap, munmap, LENGTH), PARIO_CALL(mremap, mremap, LENGTH),
	PARIO_CALL(msync, msync, LENGTH), PARIO_CALL(mincore, mincore, LENGTH),
	PARIO_CALL(madvise, madvise, LENGTH),
	PARIO_CALL(fstat, fstat, FD), PARIO_CALL(newfstatat, fstatat, AT_PATH), PARIO_CALL(statx, statx, AT_PATH),
	PARIO_CALL(faccessat, faccessat, AT_PATH), PARIO_CALL(faccessat2, faccessat, AT_PATH),
	PARIO_CALL(statfs, statfs, PATH), PARIO_CALL(fstatfs, fstatfs, FD),
	PARIO_CALL(mkdirat, mkdirat, AT_PATH), PARIO_CALL(unlinkat, unlinkat, AT_PATH),
	PARIO_CALL(renameat2, renameat2, AT_PATH), PARIO_CALL(linkat, linkat, AT_PATH),
	PARIO_CALL(readlinkat, readlinkat, AT_PATH), PARIO_CALL(symlinkat, symlinkat, NONE),
	PARIO_CALL(fchmod, fchmod, FD), PARIO_CALL(fchmodat, fchmodat, AT_PATH),
	PARIO_CALL(fchown, fchown, FD), PARIO_CALL(fchownat, fchownat, AT_PATH),
	PARIO_CALL(utimensat, utimensat, AT_PATH), PARIO_CALL(mknodat, mknodat, AT_PATH),
	PARIO_CALL(getxattr, getxattr, PATH), PARIO_CALL(lgetxattr, lgetxattr, PATH),
	PARIO_CALL(fgetxattr, fgetxattr, FD), PARIO_CALL(setxattr, setxattr, PATH),
	PARIO_CALL(lsetxattr, lsetxattr, PATH), PARIO_CALL(fsetxattr, fsetxattr, FD),
	PARIO_CALL(listxattr, listxattr, PATH), PARIO_CALL(llistxattr, llistxattr, PATH),
	PARIO_CALL(flistxattr, flistxattr, FD), PARIO_CALL(removexattr, removexattr, PATH),
	PARIO_CALL(lremovexattr, lremovexattr, PATH), PARIO_CALL(fremovexattr, fremovexattr, FD),
	PARIO_CALL(getdents64, getdents, BYTES), PARIO_CALL(chdir, chdir, PATH), PARIO_CALL(fchdir, fchdir, FD),
	PARIO_CALL(chroot, chroot, PATH), PARIO_CALL(getcwd, getcwd, NONE), PARIO_CALL(flock, flock, FD),
	PARIO_CALL(name_to_handle_at, name_to_handle_at, AT_PATH),
	PARIO_CALL_ASYNC(io_setup, io_setup), PARIO_CALL_ASYNC(io_destroy, io_destroy),
	PARIO_CALL_ASYNC(io_submit, io_submit), PARIO_CALL_ASYNC(io_getevents, io_getevents),
	PARIO_CALL_ASYNC(io_pgetevents, io_pgetevents), PARIO_CALL_ASYNC(io_cancel, io_cancel),
	PARIO_CALL_ASYNC(io_uring_setup, uring_init), PARIO_CALL_ASYNC(io_uring_enter, uring_submit),
	PARIO_CALL_ASYNC(io_uring_register, uring_register),
	PARIO_CALL_PROCESS(execve, exec, EXEC), PARIO_CALL_PROCESS(execveat, exec, EXEC),
	PARIO_CALL_PROCESS(exit_group, exit, NONE),
#if defined(__x86_64__)
	PARIO_CALL(open, open, OPEN), PARIO_CALL(creat, creat, OPEN), PARIO_CALL(dup2, dup2, DUP),
	PARIO_CALL(pipe, pipe, NONE), PARIO_CALL(stat, stat, PATH), PARIO_CALL(lstat, lstat, PATH),
	PARIO_CALL(access, access, PATH), PARIO_CALL(mkdir, mkdir, PATH), PARIO_CALL(rmdir, rmdir, PATH),
	PARIO_CALL(unlink, unlink, PATH), PARIO_CALL(rename, rename, PATH), PARIO_CALL(renameat, renameat, AT_PATH),
	PARIO_CALL(link, link, PATH), PARIO_CALL(symlink, symlink, PATH), PARIO_CALL(readlink, readlink, PATH),
	PARIO_CALL(chmod, chmod, PATH), PARIO_CALL(chown, chown, PATH), PARIO_CALL(lchown, lchown, PATH),
	PARIO_CALL(utime, utime, PATH), PARIO_CALL(utimes, utimes, PATH), PARIO_CALL(futimesat, futimesat, AT_PATH),
	PARIO_CALL(mknod, mknod, PATH), PARIO_CALL(getdents, getdents, BYTES),
#endif
};
/* clang-format on */

/* NULL: not I/O. */
static inline const struct pario_system_call *pario_system_call(uint64_t number)
{
	return number < PARIO_SYSTEM_CALLS && pario_system_calls[number].op
		       ? &pario_system_calls[number]
		       : NULL;
}

/* Of a call that moves bytes from one descriptor to another: what its other side counts as. */
static inline uint16_t pario_source_op(uint16_t op)
{
	switch (op) {
	case PARIO_OP_sendfile:
		return PARIO_OP_sendfile_in;
	case PARIO_OP_copy_file_range:
		return PARIO_OP_copy_file_range_in;
	case PARIO_OP_tee:
		return PARIO_OP_tee_in;
	default:
		return PARIO_OP_splice_in;
	}
}

#endif
