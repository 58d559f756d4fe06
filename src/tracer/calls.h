/*
 * calls: system calls that are I/O: what they count as, and what their arguments are. For syscall(), by which programs
 * make them without a function of their own, and for the ptrace tracer.
 */
#ifndef PARIO_TRACER_CALLS_H
#define PARIO_TRACER_CALLS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "trace/format.h"

#define PARIO_TMPFILE 020000000u /* what O_TMPFILE adds to O_DIRECTORY */

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
	PARIO_SHAPE_PATH_2,	 /* -, path */
	PARIO_SHAPE_AT_PATH_2,	 /* -, directory, path */
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
	PARIO_CALL(readlinkat, readlinkat, AT_PATH), PARIO_CALL(symlinkat, symlinkat, AT_PATH_2),
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
	PARIO_CALL(link, link, PATH), PARIO_CALL(symlink, symlink, PATH_2), PARIO_CALL(readlink, readlink, PATH),
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

/* Which arguments a record keeps as `arg` and `more`, counted from 1; 0 = none. */
struct pario_argument_places {
	uint8_t arg, more;
	uint8_t size; /* where the shape does not say it */
	uint8_t dir,
		name; /* of a second name, for `more`; without dir it is of the working directory */
	uint8_t text; /* of a text that is an argument, for `more` */
};

/* clang-format off */
static const struct pario_argument_places pario_argument_places[PARIO_SYSTEM_CALLS] = {
	[SYS_openat] = { .arg = 3, .more = 4 }, [SYS_close_range] = { .arg = 3, .more = 2 },
	[SYS_dup3] = { .arg = 3, .more = 2 }, [SYS_fcntl] = { .arg = 2, .more = 3 },
	[SYS_ioctl] = { .arg = 2, .more = 3, .size = 2 }, [SYS_readv] = { .arg = 3 }, [SYS_writev] = { .arg = 3 },
	[SYS_preadv] = { .arg = 3 }, [SYS_pwritev] = { .arg = 3 }, [SYS_vmsplice] = { .arg = 3 },
	[SYS_preadv2] = { .arg = 3, .more = 6 }, [SYS_pwritev2] = { .arg = 3, .more = 6 },
	[SYS_lseek] = { .arg = 3, .more = 2 }, [SYS_fallocate] = { .arg = 2 }, [SYS_flock] = { .arg = 2 },
	[SYS_fchmod] = { .arg = 2 }, [SYS_fadvise64] = { .arg = 4 }, [SYS_sync_file_range] = { .arg = 4 },
	[SYS_newfstatat] = { .arg = 4 }, [SYS_utimensat] = { .arg = 4 }, [SYS_munmap] = { .more = 1 },
	[SYS_mincore] = { .more = 1 }, [SYS_msync] = { .arg = 3, .more = 1 }, [SYS_madvise] = { .arg = 3, .more = 1 },
	[SYS_mremap] = { .arg = 4, .more = 1, .size = 3 }, [SYS_statx] = { .arg = 3, .more = 4 },
	[SYS_faccessat] = { .arg = 3 }, [SYS_mkdirat] = { .arg = 3 }, [SYS_unlinkat] = { .arg = 3 },
	[SYS_fchmodat] = { .arg = 3 }, [SYS_faccessat2] = { .arg = 3, .more = 4 },
	[SYS_fchownat] = { .arg = 3, .more = 4 }, [SYS_mknodat] = { .arg = 3, .more = 4 },
	[SYS_fchown] = { .arg = 2, .more = 3 }, [SYS_truncate] = { .size = 2 },
	[SYS_renameat2] = { .arg = 5, .dir = 3, .name = 4 }, [SYS_linkat] = { .arg = 5, .dir = 3, .name = 4 },
	[SYS_symlinkat] = { .text = 1 }, [SYS_readlinkat] = { .size = 4 }, [SYS_getxattr] = { .text = 2, .size = 4 },
	[SYS_lgetxattr] = { .text = 2, .size = 4 }, [SYS_fgetxattr] = { .text = 2, .size = 4 },
	[SYS_setxattr] = { .text = 2, .size = 4, .arg = 5 }, [SYS_lsetxattr] = { .text = 2, .size = 4, .arg = 5 },
	[SYS_fsetxattr] = { .text = 2, .size = 4, .arg = 5 }, [SYS_listxattr] = { .size = 3 },
	[SYS_llistxattr] = { .size = 3 }, [SYS_flistxattr] = { .size = 3 }, [SYS_removexattr] = { .text = 2 },
	[SYS_lremovexattr] = { .text = 2 }, [SYS_fremovexattr] = { .text = 2 },
	[SYS_exit_group] = { .arg = 1, .size = 1 },
#if defined(__x86_64__)
	[SYS_open] = { .arg = 2, .more = 3 }, [SYS_creat] = { .more = 2 }, [SYS_dup2] = { .more = 2 },
	[SYS_access] = { .arg = 2 }, [SYS_mkdir] = { .arg = 2 }, [SYS_chmod] = { .arg = 2 },
	[SYS_chown] = { .arg = 2, .more = 3 }, [SYS_lchown] = { .arg = 2, .more = 3 },
	[SYS_mknod] = { .arg = 2, .more = 3 }, [SYS_rename] = { .name = 2 }, [SYS_link] = { .name = 2 },
	[SYS_renameat] = { .dir = 3, .name = 4 }, [SYS_symlink] = { .text = 1 }, [SYS_readlink] = { .size = 3 },
#endif
};
/* clang-format on */

/* The descriptor or directory that a call of this shape is made on. */
static inline int32_t pario_shape_fd(uint8_t shape, const uint64_t *a)
{
	switch (shape) {
	case PARIO_SHAPE_NONE:
	case PARIO_SHAPE_NEW:
	case PARIO_SHAPE_LENGTH:
	case PARIO_SHAPE_EXEC:
		return PARIO_TRACE_NO_FD;
	case PARIO_SHAPE_PATH:
	case PARIO_SHAPE_OPEN:
	case PARIO_SHAPE_PATH_2:
		return AT_FDCWD;
	case PARIO_SHAPE_AT_PATH_2:
	case PARIO_SHAPE_TEE:
		return (int32_t)a[1];
	case PARIO_SHAPE_COPY:
		return (int32_t)a[2];
	case PARIO_SHAPE_MMAP:
		return (int32_t)a[4];
	default:
		return (int32_t)a[0];
	}
}

/* What openat2 reads first: flags and mode, in so many words. */
enum { PARIO_HOW = 2 };

/* What an open was told: flags that the call implies, and no mode where none was given. */
static inline void pario_open_arguments(uint64_t number, uint32_t *flags, uint64_t *mode)
{
#if defined(__x86_64__)
	if (number == SYS_creat)
		*flags = O_WRONLY | O_CREAT | O_TRUNC;
	if (number == SYS_open && !(*flags & (O_CREAT | PARIO_TMPFILE)))
		*mode = 0;
#endif
	if (number == SYS_openat && !(*flags & (O_CREAT | PARIO_TMPFILE)))
		*mode = 0;
}

/* The kind of a lock, as `more` says it. */
static inline uint64_t pario_lock_kind(int type, int whence)
{
	return (uint64_t)(uint16_t)type | (uint64_t)(uint16_t)whence << 16;
}

/* How a part of a file is mapped, as `arg` says it. */
static inline uint32_t pario_map_kind(int protection, int flags)
{
	return ((uint32_t)protection & 15) | (uint32_t)flags << 4;
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
