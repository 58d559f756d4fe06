/*
 * list: wrappers of the calls that read directories and walk trees.
 */
#include "tracer/preload/records.h"

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>

static void listed(struct pario_call *c, const void *r)
{
	if (!r && errno)
		pario_failed(c, errno);
}

static void opened(struct pario_call *c, DIR *r, const char *path)
{
	struct pario_opening o = { .dir = AT_FDCWD,
				   .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				   .path = path,
				   .stated = true };

	if (r) {
		pario_fd_opened(c, dirfd(r), &o);
		pario_result(c, dirfd(r));
	} else {
		pario_failed(c, errno);
		pario_of_name(c, AT_FDCWD, path);
	}
}

/*
 * The offset is where the directory goes on. A null pointer also ends it: only an errno that was not there before is a
 * failure.
 */
static void stepped(struct pario_call *c, DIR *d, const struct dirent *r)
{
	pario_of_fd(c, dirfd(d));
	pario_result(c, r != NULL);
	if (r)
		c->offset = (uint64_t)r->d_off;
}

/* The library refuses a null pointer, though its header says that it never gets one. */
static void closing(struct pario_call *c, DIR *d)
{
	__asm__("" : "+r"(d));
	if (!d)
		return;
	pario_of_fd(c, dirfd(d));
	pario_fd_forget(dirfd(d));
}

/* clang-format off */

#define LIST(type, name, op, params, args, before, after) PARIO_WRAP(type, name, op, POSIX, params, args, before, after)

LIST(DIR *, opendir, opendir, (const char *path), (path), , opened(&c, r, path))
LIST(DIR *, fdopendir, fdopendir, (int fd), (fd), , (pario_of_fd(&c, fd), listed(&c, r)))
LIST(struct dirent *, readdir, readdir, (DIR *d), (d), , stepped(&c, d, r))
LIST(int, closedir, closedir, (DIR *d), (d), closing(&c, d), pario_answered(&c, r))
LIST(long, telldir, telldir, (DIR *d), (d), , (pario_of_fd(&c, dirfd(d)), pario_answered(&c, r), c.offset = (uint64_t)r))
LIST(int, scandir, scandir, (const char *path, struct dirent ***to, int (*want)(const struct dirent *),
     int (*order)(const struct dirent **, const struct dirent **)), (path, to, want, order), ,
     (pario_answered(&c, r), pario_of_name(&c, AT_FDCWD, path)))
LIST(int, scandirat, scandirat, (int dir, const char *path, struct dirent ***to, int (*want)(const struct dirent *),
     int (*order)(const struct dirent **, const struct dirent **)), (dir, path, to, want, order), ,
     (pario_answered(&c, r), pario_of_name(&c, dir, path)))
LIST(ssize_t, getdents64, getdents, (int fd, void *to, size_t n), (fd, to, n), ,
     (pario_of_fd(&c, fd), c.size = n, pario_answered(&c, r)))
LIST(ssize_t, getdirentries, getdirentries, (int fd, char *to, size_t n, off_t *base), (fd, to, n, base), ,
     (pario_of_fd(&c, fd), c.size = n, pario_answered(&c, r)))
LIST(int, ftw, ftw, (const char *path, __ftw_func_t see, int n), (path, see, n), ,
     (pario_answered(&c, r), pario_of_name(&c, AT_FDCWD, path)))
LIST(int, nftw, nftw, (const char *path, __nftw_func_t see, int n, int flags), (path, see, n, flags), ,
     (pario_answered(&c, r), pario_of_name(&c, AT_FDCWD, path), c.arg = (uint32_t)flags))
LIST(FTS *, fts_open, fts_open, (char *const *paths, int flags, int (*order)(const FTSENT **, const FTSENT **)),
     (paths, flags, order), , listed(&c, r))
LIST(FTSENT *, fts_read, fts_read, (FTS *f), (f), , pario_result(&c, r != NULL))
LIST(FTSENT *, fts_children, fts_children, (FTS *f, int flags), (f, flags), , pario_result(&c, r != NULL))
LIST(int, fts_set, fts_set, (FTS *f, FTSENT *e, int flags), (f, e, flags), , pario_answered(&c, r))
LIST(int, fts_close, fts_close, (FTS *f), (f), , pario_answered(&c, r))
LIST(int, glob, glob, (const char *pattern, int flags, int (*failed)(const char *, int), glob_t *to),
     (pattern, flags, failed, to), , (c.more = pario_trace_text(pattern), c.arg = (uint32_t)flags, pario_result(&c, r)))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
LIST(int, readdir_r, readdir_r, (DIR *d, struct dirent *e, struct dirent **to), (d, e, to), , stepped(&c, d, *to))
#pragma GCC diagnostic pop

#define NOTHING(name, params, args, at) \
	PARIO_EXPORT void name params; \
	PARIO_SYMBOL(name); \
	PARIO_EXPORT void name params \
	{ \
		void (*next) params = (void (*) params)pario_next(&pario_symbol_##name); \
		struct pario_call c; \
		\
		if (!pario_trace_begin(&c, PARIO_OP_##name, PARIO_TRACE_POSIX, __builtin_return_address(0), \
				       __builtin_frame_address(0))) { \
			next args; \
			return; \
		} \
		next args; \
		pario_trace_stop(&c); \
		pario_of_fd(&c, dirfd(d)); \
		c.offset = (uint64_t)(at); \
		pario_trace_put(&c); \
	}

NOTHING(rewinddir, (DIR *d), (d), 0)
NOTHING(seekdir, (DIR *d, long at), (d, at), at)

/* clang-format on */

PARIO_TWIN(readdir64, readdir);
PARIO_TWIN(readdir64_r, readdir_r);
PARIO_TWIN(scandir64, scandir);
PARIO_TWIN(scandirat64, scandirat);
PARIO_TWIN(getdirentries64, getdirentries);
PARIO_TWIN(ftw64, ftw);
PARIO_TWIN(nftw64, nftw);
PARIO_TWIN(fts64_open, fts_open);
PARIO_TWIN(fts64_read, fts_read);
PARIO_TWIN(fts64_children, fts_children);
PARIO_TWIN(fts64_set, fts_set);
PARIO_TWIN(fts64_close, fts_close);
PARIO_TWIN(glob64, glob);
