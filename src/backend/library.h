/*
 * library: what the backends share that hand a path to a library on top of MPI-IO (mpiio, hdf5, pnetcdf).
 *
 * Such a library opens by path and cannot be told to refuse links, and its idea of "flushed" is its own. So
 * every client keeps a descriptor of its own beside the library's handle: opened below the workspace directory
 * without following links, it proves that the name is a regular file and makes sync a real fsync.
 */
#ifndef PARIO_BACKEND_LIBRARY_H
#define PARIO_BACKEND_LIBRARY_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/units.h"
#include "comm/comm.h"

enum { PARIO_LIBRARY_REACH = 512 };

/*
 * The name to give to a library: through the descriptor of the directory, so that nobody who may rename above it can
 * put another file there. Clients that open together have one number for the directory (see engine/workspace.h):
 * ROMIO sends names it derives from this one to the others.
 */
static inline const char *pario_library_reach(const struct pario_open *how,
					      char reach[PARIO_LIBRARY_REACH])
{
	snprintf(reach, PARIO_LIBRARY_REACH, "/proc/self/fd/%d/%s", how->dirfd, how->name);
	return reach;
}

/*
 * Before a library opens the file: client 0 creates it where that is asked for, every client opens it and keeps the
 * descriptor in *fd, all agree. `status` is what the client has come with, its err set; the library gets a path that
 * is there, whatever how->create says. -1 on all clients or on none; *fd may be open all the same. Collective.
 */
int pario_library_meet(const struct pario_open *how, MPI_Info info, int status, int *fd,
		       struct pario_err *err);

/*
 * A descriptor for fsync and fstat, and the proof that this client may open the file as the library will; refuses
 * everything but a regular file at that very name.
 */
static inline int pario_library_fd(const struct pario_open *how, int *fd, struct pario_err *err)
{
	struct stat st;
	int f = openat(how->dirfd, how->name,
		       (how->write ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (f < 0 && errno == ELOOP)
		return pario_err_sys(err, ELOOP,
				     "pario never follows links; remove it or choose another name.",
				     "cannot open %s, which is a symbolic link", how->path);
	if (f < 0)
		return pario_err_sys(err, errno, pario_backend_hint(false, errno), "cannot open %s",
				     how->path);
	if (fstat(f, &st) < 0) {
		int sys = errno;

		close(f);
		return pario_err_sys(err, sys, pario_backend_hint(false, sys), "cannot inspect %s",
				     how->path);
	}
	if (!S_ISREG(st.st_mode)) {
		close(f);
		return pario_err_set(
			err, PARIO_SYSTEM,
			"cannot use %s: it is not a regular file. Choose another name.", how->path);
	}
	if (how->inode && how->inode != st.st_ino) {
		close(f);
		return pario_err_set(
			err, PARIO_SYSTEM,
			"%s is not the file that this run made any more: somebody has put something else "
			"there. It was not touched.",
			how->path);
	}
	*fd = f;
	return 0;
}

/*
 * Refuses to create what is there, links included. The libraries look too, but PnetCDF looks at where a link
 * leads and creates a missing target, and MPICH prints to standard error when clients ask about that failure.
 */
static inline int pario_library_absent(const struct pario_open *how, struct pario_err *err)
{
	struct stat st;

	if (!fstatat(how->dirfd, how->name, &st, AT_SYMLINK_NOFOLLOW))
		return pario_err_sys(err, EEXIST, pario_backend_hint(false, EEXIST),
				     "cannot create %s", how->path);
	if (errno != ENOENT)
		return pario_err_sys(err, errno, pario_backend_hint(false, errno),
				     "cannot create %s", how->path);
	return 0;
}

static inline int pario_library_fsync(const struct pario_file *file, int fd, struct pario_err *err)
{
	if (fsync(fd) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(false, errno),
				     "cannot fsync %s", file->how.path);
	return 0;
}

/*
 * Closes the client's own descriptor after the library has closed its own. Open MPI's OMPIO ignores what close says,
 * and only then some file systems tell that a write was lost. `status` is what the client has come with, its err set.
 */
static inline int pario_library_close(const struct pario_file *file, int *fd, int status,
				      struct pario_err *err)
{
	int rc = *fd >= 0 ? close(*fd) : 0, sys = errno;

	*fd = -1;
	if (rc == 0 || status < 0 || !file->how.write)
		return status;
	return pario_err_sys(err, sys, pario_backend_hint(false, sys), "cannot close %s",
			     file->how.path);
}

static inline int pario_library_size(const struct pario_file *file, int fd, uint64_t *size,
				     struct pario_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(false, errno),
				     "cannot inspect %s", file->how.path);
	*size = (uint64_t)st.st_size;
	return 0;
}

/*
 * Open MPI's OMPIO loses write errors in collective calls, and PnetCDF those of calls that move less than they were
 * asked for, so what the calls promised is compared with the size of the file. The largest values over the clients
 * count: attributes may be stale where nobody wrote. Collective.
 */
static inline int pario_library_check_size(const struct pario_file *file, int fd, uint64_t end,
					   struct pario_err *err)
{
	uint64_t most[3] = { 0, end, 0 };
	int status = pario_library_size(file, fd, &most[0], err);

	most[2] = status < 0;
	MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_UINT64_T, MPI_MAX, file->how.comm);
	/* Who cannot look speaks, and nobody goes on to a collective call without the others. */
	if (most[0] < most[1] && most[2])
		return pario_comm_agree(file->how.comm, status, NULL, err);
	if (most[0] < most[1])
		return pario_err_set(
			err, PARIO_SYSTEM,
			"%s ends at %llu although MPI-IO reported success for writes up to %llu: the storage is full or failing.",
			file->how.path, (unsigned long long)most[0], (unsigned long long)most[1]);
	return 0;
}

/* Is MPI-IO that of ROMIO? Open MPI has two kinds. */
static inline bool pario_library_romio(void)
{
#ifdef OPEN_MPI
	const char *io = getenv("OMPI_MCA_io");

	return io && strncmp(io, "romio", 5) == 0;
#else
	return true;
#endif
}

/* Open MPI's OMPIO loses errors of collective writes where one client writes for others; its ROMIO tells them. */
static inline const char *pario_library_doubt(bool collective)
{
	if (collective && !pario_library_romio())
		return "Open MPI's OMPIO may lose an error of a collective write";
	return NULL;
}

static inline void pario_library_mpi_version(char *text, size_t capacity)
{
	char words[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length;

	MPI_Get_library_version(words, &length);
	words[strcspn(words, "\n")] = '\0';
	for (char *c = strchr(words, '\t'); c; c = strchr(c, '\t'))
		*c = ' ';
	snprintf(text, capacity, "%s", words);
}

/* Error classes have different numbers in every MPI: people need the name, the program an errno. */
static inline const char *pario_library_class(int class, int *sys)
{
	static const struct {
		int class, sys;
		const char *name;
	} names[] = {
		{ MPI_ERR_ACCESS, EACCES, "MPI_ERR_ACCESS" },
		{ MPI_ERR_AMODE, 0, "MPI_ERR_AMODE" },
		{ MPI_ERR_ARG, 0, "MPI_ERR_ARG" },
		{ MPI_ERR_BAD_FILE, 0, "MPI_ERR_BAD_FILE" },
		{ MPI_ERR_FILE, 0, "MPI_ERR_FILE" },
		{ MPI_ERR_FILE_EXISTS, EEXIST, "MPI_ERR_FILE_EXISTS" },
		{ MPI_ERR_FILE_IN_USE, EBUSY, "MPI_ERR_FILE_IN_USE" },
		{ MPI_ERR_INTERN, 0, "MPI_ERR_INTERN" },
		{ MPI_ERR_IO, EIO, "MPI_ERR_IO" },
		{ MPI_ERR_NO_MEM, ENOMEM, "MPI_ERR_NO_MEM" },
		{ MPI_ERR_NO_SPACE, ENOSPC, "MPI_ERR_NO_SPACE" },
		{ MPI_ERR_NO_SUCH_FILE, ENOENT, "MPI_ERR_NO_SUCH_FILE" },
		{ MPI_ERR_OTHER, 0, "MPI_ERR_OTHER" },
		{ MPI_ERR_QUOTA, EDQUOT, "MPI_ERR_QUOTA" },
		{ MPI_ERR_READ_ONLY, EROFS, "MPI_ERR_READ_ONLY" },
		{ MPI_ERR_TRUNCATE, 0, "MPI_ERR_TRUNCATE" },
		{ MPI_ERR_UNSUPPORTED_OPERATION, EOPNOTSUPP, "MPI_ERR_UNSUPPORTED_OPERATION" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].class == class) {
			*sys = names[i].sys;
			return names[i].name;
		}
	*sys = 0;
	return "an unnamed MPI error class";
}

/*
 * What to do about it. pario makes its files before a library opens them: a library that finds a file there that
 * it wanted to make means a hidden one of its own, and one that finds none looks through another node's cache.
 */
static inline const char *pario_library_hint(int sys)
{
	if (sys == EEXIST)
		return "It is a hidden file that the library keeps beside the data, for shared file pointers: this "
		       "node still knows an earlier one. Use a file system without such caches for them.";
	return sys ? pario_backend_hint(false, sys) : "";
}

/*
 * What the system said is what a library keeps to itself, or says in words. errno is set to 0 before a library is
 * called: what it is afterwards is the best witness there is, where it is an error that storage has. 0 where nobody
 * knows.
 */
static inline int pario_library_system(const char *words, int last)
{
	static const int of_storage[] = { EIO,	  ENOSPC,   EDQUOT,    EFBIG,	  EROFS,
					  EACCES, ESTALE,   EMFILE,    ENFILE,	  ENOMEM,
					  EBUSY,  ENOTCONN, ETIMEDOUT, EREMOTEIO, ESHUTDOWN };
	int found = 0;

	for (size_t i = 0; i < sizeof(of_storage) / sizeof(of_storage[0]); i++) {
		if (strstr(words, strerror(of_storage[i])))
			return of_storage[i];
		if (of_storage[i] == last)
			found = last;
	}
	return found;
}

/* Adds that to a sentence that does without it; `last` is errno as the library left it. Returns -1. */
static inline int pario_library_add_system(struct pario_err *err, int last)
{
	struct pario_err system = { 0 };
	int sys = pario_library_system("", last);

	if (!err || !sys)
		return -1;
	pario_err_sys(&system, sys, NULL, " The last system call that failed said");
	pario_err_add(err, "%s", system.text);
	err->sys = sys;
	return -1;
}

/*
 * HDF5 reads and writes by calls of single clients in the middle of what all do together, and a client whose call fails
 * goes on to another collective one than those who wait for it: nobody ever returns. Between these two such a call
 * succeeds as HDF5 sees it, and the second one tells what became of it.
 */
void pario_library_hold(void);
int pario_library_held(const char *path, struct pario_err *err);

/*
 * Opens or creates by MPI-IO, with errors that return; `reach` is how the library gets there, `path` is for sentences.
 * MPI_FILE_NULL on failure.
 */
int pario_library_open(MPI_Comm comm, const char *reach, int mode, MPI_Info info, const char *path,
		       MPI_File *file, struct pario_err *err);

/* "<what>: <class>, <the library's words>. <advice>"; returns -1. */
__attribute__((format(printf, 3, 4))) static inline int pario_library_mpi_fail(
	struct pario_err *err, int rc, const char *format, ...)
{
	char what[512], words[MPI_MAX_ERROR_STRING + 1] = "";
	int class = MPI_ERR_OTHER, length = 0, last = errno, sys;
	const char *name;
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	MPI_Error_class(rc, &class);
	MPI_Error_string(rc, words, &length);
	for (char *c = words; *c; c++)
		if (*c == '\n' || *c == '\r' || *c == '\t')
			*c = ' ';
	name = pario_library_class(class, &sys);
	last = pario_library_system(words, last);
	if (last)
		return pario_err_sys(err, last, NULL, "%s: %s, %s", what, name, words);
	pario_err_set(err, PARIO_SYSTEM, "%s: %s, %s. %s", what, name, words,
		      pario_library_hint(sys));
	if (err)
		err->sys = sys;
	return -1;
}

/*
 * Makes durable what this client wrote through the library's handle. Open MPI's OMPIO keeps nothing back, so its
 * MPI_File_sync is an fsync and a barrier; but after a collective write that failed it returns from it at once on the
 * client that saw the failure, and the others wait for ever. There the fsync alone is made.
 */
static inline int pario_library_sync(const struct pario_file *file, MPI_File handle, int fd,
				     struct pario_err *err)
{
#ifdef OPEN_MPI
	(void)handle;
#else
	int rc = MPI_File_sync(handle);

	if (rc != MPI_SUCCESS)
		return pario_library_mpi_fail(err, rc, "cannot sync %s by MPI-IO", file->how.path);
#endif
	return fd < 0 ? 0 : pario_library_fsync(file, fd, err);
}

/* Hints as an info object, MPI_INFO_NULL when there are none. Lengths are checked here because MPI aborts. */
static inline int pario_library_info(const struct pario_hints *hints, MPI_Info *info,
				     struct pario_err *err)
{
	char key[128], value[512];
	MPI_Info made = MPI_INFO_NULL;
	size_t cursor = 0;

	while (hints && pario_hints_next(hints, &cursor, key, value)) {
		if (!*key || !*value || strlen(key) >= MPI_MAX_INFO_KEY ||
		    strlen(value) >= MPI_MAX_INFO_VAL) {
			if (made != MPI_INFO_NULL)
				MPI_Info_free(&made);
			return pario_err_set(
				err, PARIO_USAGE,
				"the hint %s=%s cannot be passed on: this MPI takes keys of 1 to %d and values of 1 to %d characters.",
				key, value, MPI_MAX_INFO_KEY - 1, MPI_MAX_INFO_VAL - 1);
		}
		if (made == MPI_INFO_NULL)
			MPI_Info_create(&made);
		MPI_Info_set(made, key, value);
	}
	*info = made;
	return 0;
}

static inline void pario_library_info_free(MPI_Info *info)
{
	if (*info != MPI_INFO_NULL)
		MPI_Info_free(info);
}

/* An info object as hints. MPICH reports what is in effect, Open MPI repeats what was set. */
static inline void pario_library_hints(MPI_Info info, struct pario_hints *effective,
				       bool *confirmed)
{
	char key[MPI_MAX_INFO_KEY + 1], value[512];
	int count = 0, found;

	*effective = (struct pario_hints){ 0 };
#ifdef MPICH_VERSION
	*confirmed = true;
#else
	*confirmed = false;
#endif
	if (info == MPI_INFO_NULL)
		return;
	MPI_Info_get_nkeys(info, &count);
	for (int i = 0; i < count; i++) {
		MPI_Info_get_nthkey(info, i, key);
		MPI_Info_get(info, key, (int)sizeof(value) - 1, value, &found);
		if (found && *value)
			pario_hints_set(effective, key, value, NULL);
	}
}

/*
 * A region cut along its slowest dimensions into pieces of at most `limit` bytes (one element at least), in the
 * order of the bytes in memory. Without `piece` the pieces are only counted.
 */
struct pario_library_cut {
	const struct pario_array *array;
	uint64_t limit;
	int (*piece)(void *context, const struct pario_slab *slab, uint64_t done, uint64_t bytes,
		     struct pario_err *err);
	void *context;
	uint64_t done, pieces;
};

static inline int pario_library_piece(struct pario_library_cut *cut, const struct pario_slab *slab,
				      uint64_t bytes, struct pario_err *err)
{
	int status = 0;

	if (cut->piece)
		status = cut->piece(cut->context, slab, cut->done, bytes, err);
	cut->done += bytes;
	cut->pieces++;
	return status;
}

/* `bytes` is the size of `slab`, whose dimensions before `d` have one index each. */
static inline int pario_library_cut_from(struct pario_library_cut *cut, struct pario_slab slab,
					 unsigned d, uint64_t bytes, struct pario_err *err)
{
	uint64_t unit, group, count;
	int status = 0;

	if (bytes <= cut->limit || d == cut->array->dims)
		return pario_library_piece(cut, &slab, bytes, err);
	if (slab.count[d] == 1 || slab.stride[d] == slab.block[d]) {
		slab.count[d] *= slab.block[d];
		slab.block[d] = 1;
		slab.stride[d] = 1;
	}
	count = slab.count[d];
	unit = bytes / count;
	group = unit <= cut->limit ? cut->limit / unit : 1;
	for (uint64_t k = 0; k < count && !status; k += group) {
		struct pario_slab part = slab;

		part.start[d] += k * slab.stride[d];
		part.count[d] = count - k < group ? count - k : group;
		status = pario_library_cut_from(cut, part, slab.block[d] == 1 ? d + 1 : d,
						part.count[d] * unit, err);
	}
	return status;
}

/* Bytes of a region, which must lie inside the array with blocks that do not overlap. */
static inline int pario_library_slab(const struct pario_array *array, struct pario_slab *slab,
				     uint64_t *bytes, const char *path, struct pario_err *err)
{
	uint64_t total = array->element_size, last;

	for (unsigned d = 0; d < array->dims; d++) {
		uint64_t count = slab->count[d], block = slab->block[d];

		if (count == 1)
			slab->stride[d] = block ? block : 1;
		if (!pario_mul(total, count, &total) || !pario_mul(total, block, &total))
			goto outside;
		if (!count || !block)
			continue;
		if (slab->stride[d] < block)
			goto outside;
		if (!pario_mul(count - 1, slab->stride[d], &last) ||
		    !pario_add(last, block, &last) || !pario_add(last, slab->start[d], &last) ||
		    last > array->extent[d])
			goto outside;
		continue;
	outside:
		return pario_err_set(
			err, PARIO_USAGE,
			"dimension %u of a region of %s reaches outside the array or overlaps itself: start %llu, stride %llu, count %llu, block %llu, extent %llu.",
			d, path, (unsigned long long)slab->start[d],
			(unsigned long long)slab->stride[d], (unsigned long long)count,
			(unsigned long long)block, (unsigned long long)array->extent[d]);
	}
	*bytes = total;
	return 0;
}

/* Where a region ends in the array's bytes; 0 when it is empty. */
static inline uint64_t pario_library_slab_end(const struct pario_array *array,
					      const struct pario_slab *slab)
{
	uint64_t index = 0;

	for (unsigned d = 0; d < array->dims; d++) {
		if (!slab->count[d] || !slab->block[d])
			return 0;
		index = index * array->extent[d] + slab->start[d] +
			(slab->count[d] - 1) * slab->stride[d] + slab->block[d] - 1;
	}
	return (index + 1) * array->element_size;
}

/* Cuts a region; an empty one has no pieces. */
static inline int pario_library_cut(struct pario_library_cut *cut, const struct pario_slab *slab,
				    const char *path, struct pario_err *err)
{
	struct pario_slab copy = *slab;
	uint64_t bytes = 0;

	cut->done = 0;
	cut->pieces = 0;
	if (pario_library_slab(cut->array, &copy, &bytes, path, err) < 0)
		return -1;
	if (!bytes)
		return 0;
	return pario_library_cut_from(cut, copy, 0, bytes, err);
}

/* Bytes of the whole array; fails when it has no size that a file could hold. */
static inline int pario_library_array(const struct pario_array *array, uint64_t *bytes,
				      const char *path, struct pario_err *err)
{
	uint64_t total = array->element_size;
	bool fits = array->dims >= 1 && array->dims <= PARIO_ARRAY_DIMS;

	for (unsigned d = 0; fits && d < array->dims; d++)
		fits = pario_mul(total, array->extent[d], &total);
	if (!fits || !total || total > INT64_MAX)
		return pario_err_set(
			err, PARIO_USAGE,
			"the array for %s needs 1 to %d dimensions, no empty one, and less than 8 EiB in all.",
			path, PARIO_ARRAY_DIMS);
	*bytes = total;
	return 0;
}

/*
 * How many transfers every client makes for this collective call: the largest number of pieces, at least one.
 * The clients talk about it only when the array is large enough for some client to have more than one.
 */
static inline uint64_t pario_library_rounds(MPI_Comm comm, uint64_t array_bytes, uint64_t limit,
					    uint64_t pieces)
{
	uint64_t rounds = pieces > 1 ? pieces : 1;

	if (array_bytes > limit)
		MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_UINT64_T, MPI_MAX, comm);
	return rounds;
}

#endif
