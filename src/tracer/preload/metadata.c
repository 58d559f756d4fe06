/*
 * metadata: wrappers of the calls that look at, make, rename and remove names. The calls that list
 * directories are in list.c.
 *
 * A call with two names counts for the first; the second is its argument.
 */
#include "tracer/preload/records.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

/* clang-format off */

/*
 * `with` are the arguments that matter: ARG(flags), MORE(second), SIZE(bytes), PLACE(fd), TO(directory, second name),
 * KEY(text), SEEN(what the kernel said of the name itself).
 */
#define NAMED(type, name, op, params, args, dir, path, with) \
	PARIO_WRAP(type, name, op, POSIX, params, args, , pario_answered(&c, r); pario_of_name(&c, dir, path); with)
#define OF_PATH(name, params, args, path, with) NAMED(int, name, name, params, args, AT_FDCWD, path, with)
#define OF_PATH_AT(name, params, args, dir, path, with) NAMED(int, name, name, params, args, dir, path, with)
#define OF_FD(type, name, op, params, args, fd, with) \
	PARIO_WRAP(type, name, op, POSIX, params, args, , pario_of_fd(&c, fd); pario_answered(&c, r); with)
#define OF_STATED(name, params, args) \
	PARIO_WRAP(int, name, fstat, POSIX, params, args, , if (r == 0) pario_fd_seen(fd, st); pario_of_fd(&c, fd); pario_answered(&c, r))
#define ARG(value) c.arg = (uint32_t)(value);
#define MORE(value) c.more = (uint64_t)(value);
#define SIZE(value) c.size = (uint64_t)(value);
#define TO(dir, path) pario_and_path(&c, dir, path);
#define PLACE(fd) c.offset = pario_fd_where(fd);
#define KEY(text) c.more = pario_trace_taken_text(&c, text);
#define SEEN(st) if (r == 0) pario_state_seen(c.file, st);

OF_PATH(stat, (const char *path, struct stat *st), (path, st), path, )
OF_PATH(lstat, (const char *path, struct stat *st), (path, st), path, SEEN(st))
OF_STATED(fstat, (int fd, struct stat *st), (fd, st))
OF_PATH_AT(fstatat, (int dir, const char *path, struct stat *st, int flags), (dir, path, st, flags), dir, path,
	   ARG(flags) if (flags == AT_SYMLINK_NOFOLLOW) SEEN(st))
OF_PATH_AT(statx, (int dir, const char *path, int flags, unsigned mask, struct statx *st),
	   (dir, path, flags, mask, st), dir, path, ARG(flags) MORE(mask))
/* What programs built before glibc 2.33 call. */
NAMED(int, __xstat, stat, (int v, const char *path, struct stat *st), (v, path, st), AT_FDCWD, path, )
NAMED(int, __lxstat, lstat, (int v, const char *path, struct stat *st), (v, path, st), AT_FDCWD, path, SEEN(st))
OF_STATED(__fxstat, (int v, int fd, struct stat *st), (v, fd, st))
NAMED(int, __fxstatat, fstatat, (int v, int dir, const char *path, struct stat *st, int flags),
      (v, dir, path, st, flags), dir, path, ARG(flags))

OF_PATH(access, (const char *path, int mode), (path, mode), path, ARG(mode))
OF_PATH_AT(faccessat, (int dir, const char *path, int mode, int flags), (dir, path, mode, flags), dir, path, ARG(mode) MORE(flags))
OF_PATH(euidaccess, (const char *path, int mode), (path, mode), path, ARG(mode))
OF_PATH(statfs, (const char *path, struct statfs *st), (path, st), path, )
OF_FD(int, fstatfs, fstatfs, (int fd, struct statfs *st), (fd, st), fd, )
OF_PATH(statvfs, (const char *path, struct statvfs *st), (path, st), path, )
OF_FD(int, fstatvfs, fstatvfs, (int fd, struct statvfs *st), (fd, st), fd, )

OF_PATH(mkdir, (const char *path, mode_t mode), (path, mode), path, ARG(mode))
OF_PATH_AT(mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), dir, path, ARG(mode))
OF_PATH(rmdir, (const char *path), (path), path, )
OF_PATH(unlink, (const char *path), (path), path, )
OF_PATH_AT(unlinkat, (int dir, const char *path, int flags), (dir, path, flags), dir, path, ARG(flags))
OF_PATH(remove, (const char *path), (path), path, )
OF_PATH(rename, (const char *path, const char *to), (path, to), path, TO(AT_FDCWD, to))
OF_PATH_AT(renameat, (int dir, const char *path, int to_dir, const char *to), (dir, path, to_dir, to), dir, path, TO(to_dir, to))
OF_PATH_AT(renameat2, (int dir, const char *path, int to_dir, const char *to, unsigned flags),
	   (dir, path, to_dir, to, flags), dir, path, ARG(flags) TO(to_dir, to))
OF_PATH(link, (const char *path, const char *to), (path, to), path, TO(AT_FDCWD, to))
OF_PATH_AT(linkat, (int dir, const char *path, int to_dir, const char *to, int flags),
	   (dir, path, to_dir, to, flags), dir, path, ARG(flags) TO(to_dir, to))
OF_PATH(symlink, (const char *to, const char *path), (to, path), path, KEY(to))
OF_PATH_AT(symlinkat, (const char *to, int dir, const char *path), (to, dir, path), dir, path, KEY(to))
NAMED(ssize_t, readlink, readlink, (const char *path, char *to, size_t n), (path, to, n), AT_FDCWD, path, SIZE(n))
NAMED(ssize_t, readlinkat, readlinkat, (int dir, const char *path, char *to, size_t n), (dir, path, to, n), dir, path, SIZE(n))
NAMED(ssize_t, __readlink_chk, readlink, (const char *path, char *to, size_t n, size_t capacity), (path, to, n, capacity),
      AT_FDCWD, path, SIZE(n))
NAMED(ssize_t, __readlinkat_chk, readlinkat, (int dir, const char *path, char *to, size_t n, size_t capacity),
      (dir, path, to, n, capacity), dir, path, SIZE(n))

OF_PATH(chmod, (const char *path, mode_t mode), (path, mode), path, ARG(mode))
OF_FD(int, fchmod, fchmod, (int fd, mode_t mode), (fd, mode), fd, ARG(mode))
OF_PATH_AT(fchmodat, (int dir, const char *path, mode_t mode, int flags), (dir, path, mode, flags), dir, path, ARG(mode) MORE(flags))
OF_PATH(lchmod, (const char *path, mode_t mode), (path, mode), path, ARG(mode))
OF_PATH(chown, (const char *path, uid_t u, gid_t g), (path, u, g), path, ARG(u) MORE(g))
OF_FD(int, fchown, fchown, (int fd, uid_t u, gid_t g), (fd, u, g), fd, ARG(u) MORE(g))
OF_PATH(lchown, (const char *path, uid_t u, gid_t g), (path, u, g), path, ARG(u) MORE(g))
OF_PATH_AT(fchownat, (int dir, const char *path, uid_t u, gid_t g, int flags), (dir, path, u, g, flags), dir, path, ARG(u) MORE(g))
OF_PATH(utime, (const char *path, const struct utimbuf *t), (path, t), path, )
OF_PATH(utimes, (const char *path, const struct timeval t[2]), (path, t), path, )
OF_PATH(lutimes, (const char *path, const struct timeval t[2]), (path, t), path, )
OF_FD(int, futimes, futimes, (int fd, const struct timeval t[2]), (fd, t), fd, )
OF_FD(int, futimens, futimens, (int fd, const struct timespec t[2]), (fd, t), fd, )
OF_PATH_AT(utimensat, (int dir, const char *path, const struct timespec t[2], int flags), (dir, path, t, flags), dir, path, ARG(flags))
OF_PATH_AT(futimesat, (int dir, const char *path, const struct timeval t[2]), (dir, path, t), dir, path, )
OF_PATH(mknod, (const char *path, mode_t mode, dev_t dev), (path, mode, dev), path, ARG(mode) MORE(dev))
OF_PATH_AT(mknodat, (int dir, const char *path, mode_t mode, dev_t dev), (dir, path, mode, dev), dir, path, ARG(mode) MORE(dev))
NAMED(int, __xmknod, mknod, (int v, const char *path, mode_t mode, dev_t *dev), (v, path, mode, dev), AT_FDCWD, path, ARG(mode))
NAMED(int, __xmknodat, mknodat, (int v, int dir, const char *path, mode_t mode, dev_t *dev),
      (v, dir, path, mode, dev), dir, path, ARG(mode))
OF_PATH(mkfifo, (const char *path, mode_t mode), (path, mode), path, ARG(mode))
OF_PATH_AT(mkfifoat, (int dir, const char *path, mode_t mode), (dir, path, mode), dir, path, ARG(mode))

NAMED(ssize_t, getxattr, getxattr, (const char *p, const char *k, void *v, size_t n), (p, k, v, n), AT_FDCWD, p, SIZE(n) KEY(k))
NAMED(ssize_t, lgetxattr, lgetxattr, (const char *p, const char *k, void *v, size_t n), (p, k, v, n), AT_FDCWD, p, SIZE(n) KEY(k))
OF_FD(ssize_t, fgetxattr, fgetxattr, (int fd, const char *k, void *v, size_t n), (fd, k, v, n), fd, SIZE(n) KEY(k))
OF_PATH(setxattr, (const char *p, const char *k, const void *v, size_t n, int flags), (p, k, v, n, flags), p, ARG(flags) SIZE(n) KEY(k))
OF_PATH(lsetxattr, (const char *p, const char *k, const void *v, size_t n, int flags), (p, k, v, n, flags), p, ARG(flags) SIZE(n) KEY(k))
OF_FD(int, fsetxattr, fsetxattr, (int fd, const char *k, const void *v, size_t n, int flags), (fd, k, v, n, flags), fd, ARG(flags) SIZE(n) KEY(k))
NAMED(ssize_t, listxattr, listxattr, (const char *p, char *to, size_t n), (p, to, n), AT_FDCWD, p, SIZE(n))
NAMED(ssize_t, llistxattr, llistxattr, (const char *p, char *to, size_t n), (p, to, n), AT_FDCWD, p, SIZE(n))
OF_FD(ssize_t, flistxattr, flistxattr, (int fd, char *to, size_t n), (fd, to, n), fd, SIZE(n))
OF_PATH(removexattr, (const char *p, const char *k), (p, k), p, KEY(k))
OF_PATH(lremovexattr, (const char *p, const char *k), (p, k), p, KEY(k))
OF_FD(int, fremovexattr, fremovexattr, (int fd, const char *k), (fd, k), fd, KEY(k))

PARIO_WRAP(int, chdir, chdir, POSIX, (const char *path), (path), , (pario_answered(&c, r), pario_went_to(&c, path)))
OF_FD(int, fchdir, fchdir, (int fd), (fd), fd, if (r == 0) pario_went(false))
OF_FD(int, flock, flock, (int fd, int what), (fd, what), fd, ARG(what))
OF_FD(int, lockf, lockf, (int fd, int what, off_t n), (fd, what, n), fd, ARG(what) SIZE(n) PLACE(fd))

/* These return an address or nothing. */
#define POINTER(name, op, params, args, path) \
	PARIO_WRAP(char *, name, op, POSIX, params, args, , \
		   if (!r) pario_failed(&c, errno); c.file = path)
#define OF(path) pario_file_of_call(&c, AT_FDCWD, path)

POINTER(mkdtemp, mkdtemp, (char *path), (path), OF(path))
POINTER(realpath, realpath, (const char *path, char *to), (path, to), OF(path))
POINTER(__realpath_chk, realpath, (const char *path, char *to, size_t capacity), (path, to, capacity), OF(path))
POINTER(getcwd, getcwd, (char *to, size_t n), (to, n), 0)
POINTER(__getcwd_chk, getcwd, (char *to, size_t n, size_t capacity), (to, n, capacity), 0)
POINTER(getwd, getcwd, (char *to), (to), 0)
POINTER(__getwd_chk, getcwd, (char *to, size_t capacity), (to, capacity), 0)
POINTER(get_current_dir_name, getcwd, (void), (), 0)

/* clang-format on */

PARIO_TWIN(stat64, stat);
PARIO_TWIN(lstat64, lstat);
PARIO_TWIN(fstat64, fstat);
PARIO_TWIN(__fstat64, fstat);
PARIO_TWIN(fstatat64, fstatat);
PARIO_TWIN(__xstat64, __xstat);
PARIO_TWIN(__lxstat64, __lxstat);
PARIO_TWIN(__fxstat64, __fxstat);
PARIO_TWIN(__fxstatat64, __fxstatat);
PARIO_TWIN(eaccess, euidaccess);
PARIO_TWIN(statfs64, statfs);
PARIO_TWIN(__statfs, statfs);
PARIO_TWIN(fstatfs64, fstatfs);
PARIO_TWIN(statvfs64, statvfs);
PARIO_TWIN(fstatvfs64, fstatvfs);
PARIO_TWIN(lockf64, lockf);
