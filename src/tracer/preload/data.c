/*
 * data: wrappers of the calls that move bytes.
 *
 * sendfile and its kin count as writes of the file they write to and as reads of the one they read from.
 */
#include "tracer/preload/data.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* clang-format off */

#define HERE(type, name, op, params, args, fd, bytes) \
	PARIO_WRAP(type, name, op, POSIX, params, args, , pario_moved(&c, fd, bytes, r))
#define AT(type, name, op, params, args, fd, bytes, at) \
	PARIO_WRAP(type, name, op, POSIX, params, args, , pario_moved_at(&c, fd, bytes, r, at))
/* Several buffers. */
#define VECTOR(name, params, args) \
	PARIO_WRAP(ssize_t, name, name, POSIX, params, args, , \
		   (pario_moved(&c, fd, pario_iov_bytes(v, n, r), r), c.arg = (uint32_t)n))
#define VECTOR_AT(name, params, args) \
	PARIO_WRAP(ssize_t, name, name, POSIX, params, args, , \
		   (pario_moved_at(&c, fd, pario_iov_bytes(v, n, r), r, at), c.arg = (uint32_t)n))
/* At a place, or with -1 at the descriptor's own. */
#define VECTOR_AT2(name, params, args) \
	PARIO_WRAP(ssize_t, name, name, POSIX, params, args, , \
		   if (at == -1) pario_moved(&c, fd, pario_iov_bytes(v, n, r), r); \
		   else pario_moved_at(&c, fd, pario_iov_bytes(v, n, r), r, at); \
		   c.arg = (uint32_t)n; c.more = (uint64_t)flags)

HERE(ssize_t, read, read, (int fd, void *buf, size_t n), (fd, buf, n), fd, n)
HERE(ssize_t, __read_chk, read, (int fd, void *buf, size_t n, size_t capacity), (fd, buf, n, capacity), fd, n)
HERE(ssize_t, write, write, (int fd, const void *buf, size_t n), (fd, buf, n), fd, n)
VECTOR(readv, (int fd, const struct iovec *v, int n), (fd, v, n))
VECTOR(writev, (int fd, const struct iovec *v, int n), (fd, v, n))

AT(ssize_t, pread, pread, (int fd, void *buf, size_t n, off_t at), (fd, buf, n, at), fd, n, at)
AT(ssize_t, __pread_chk, pread, (int fd, void *buf, size_t n, off_t at, size_t capacity),
   (fd, buf, n, at, capacity), fd, n, at)
AT(ssize_t, pwrite, pwrite, (int fd, const void *buf, size_t n, off_t at), (fd, buf, n, at), fd, n, at)
VECTOR_AT(preadv, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
VECTOR_AT(pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
VECTOR_AT2(preadv2, (int fd, const struct iovec *v, int n, off_t at, int flags), (fd, v, n, at, flags))
VECTOR_AT2(pwritev2, (int fd, const struct iovec *v, int n, off_t at, int flags), (fd, v, n, at, flags))

PARIO_WRAP(ssize_t, sendfile, sendfile, POSIX, (int to, int from, off_t *at, size_t n), (to, from, at, n), ,
	   pario_transferred(&c, from, at, to, NULL, n, r))
PARIO_WRAP(ssize_t, tee, tee, POSIX, (int from, int to, size_t n, unsigned flags), (from, to, n, flags), ,
	   (c.arg = flags, pario_transferred(&c, from, NULL, to, NULL, n, r)))
PARIO_WRAP(ssize_t, vmsplice, vmsplice, POSIX, (int fd, const struct iovec *v, size_t n, unsigned flags),
	   (fd, v, n, flags), , (pario_moved(&c, fd, pario_iov_bytes(v, (long)n, r), r), c.arg = (uint32_t)n))

#define COPY(name) \
	PARIO_WRAP(ssize_t, name, name, POSIX, \
		   (int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags), \
		   (from, from_at, to, to_at, n, flags), , \
		   (c.arg = flags, pario_transferred(&c, from, from_at, to, to_at, n, r)))
COPY(copy_file_range)
COPY(splice)

PARIO_WRAP(off_t, lseek, lseek, POSIX, (int fd, off_t at, int whence), (fd, at, whence), ,
	   pario_sought(&c, fd, at, whence, r))

/* clang-format on */

PARIO_TWIN(__read, read);
PARIO_TWIN(__write, write);
PARIO_TWIN(pread64, pread);
PARIO_TWIN(__pread64, pread);
PARIO_TWIN(__pread64_chk, __pread_chk);
PARIO_TWIN(pwrite64, pwrite);
PARIO_TWIN(__pwrite64, pwrite);
PARIO_TWIN(preadv64, preadv);
PARIO_TWIN(pwritev64, pwritev);
PARIO_TWIN(preadv64v2, preadv2);
PARIO_TWIN(pwritev64v2, pwritev2);
PARIO_TWIN(sendfile64, sendfile);
PARIO_TWIN(lseek64, lseek);
PARIO_TWIN(__lseek, lseek);
PARIO_TWIN(llseek, lseek);
