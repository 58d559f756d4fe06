/*
 * inject: what does a program do when its storage misbehaves?
 *
 * Preloaded into it, this library numbers the program's file calls, per process and kind of call, and spoils
 * chosen ones. The environment says which:
 *
 *	INJECT=fail=pwrite@17:ENOSPC,delay=fsync@1:200ms,path=.data.,rank=1
 *
 *	fail=CALL@N:ERRNO    the call fails; a close that fails closes all the same, as the kernel does
 *	short=CALL@N         a read or write moves half of its bytes
 *	delay=CALL@N:TIME    the call takes longer by TIME (us, ms or s)
 *	corrupt=CALL@N:BYTE  byte number BYTE (0) is inverted in what a read returns or a write stores
 *	shift=CALL@N:BYTES   a pread or pwrite goes to an offset that is larger by BYTES (4096)
 *	skip=CALL@N          nothing is done and success is reported: a lost write, a stale read, idle advice
 *	old=CALL@N           the file looks as it was when it was made, as a network file system shows it for a
 *	                     while: fstat says 0 bytes, a read finds the end
 *	mount=own            fstat says that the files of this rank are on a device of their own
 *	busy=created         a file does not open (EBUSY) while the descriptor that created it with O_EXCL is open
 *	stop=start           the process of that rank, or each one, stops (SIGSTOP) before its main function begins
 *	stop=end             MPI_Finalize does not return
 *
 * CALL is open close close_read read write pread pwrite fsync fdatasync ftruncate fallocate unlink rmdir mkdir
 * fadvise flock fstat stat rename; vector calls count as pread and pwrite, close_read is the close of what was open for
 * reading only, stat is of a name. N counts from 1; N+ means from there on. Only calls on paths that contain `path`,
 * and in the process of that rank, are counted and spoiled.
 *
 * INJECT_LOG=FILE gets a line "rank call number path" for each spoiled call, where the close of an empty file is
 * close_empty, INJECT_COUNT=FILE lines "rank call count" when the process ends. Blind for system calls that do not go
 * through the C library's functions (io_uring, mmap) and for those the C library makes itself (stdio).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum call {
	OPEN,
	CLOSE,
	CLOSE_READ,
	READ,
	WRITE,
	PREAD,
	PWRITE,
	FSYNC,
	FDATASYNC,
	FTRUNCATE,
	FALLOCATE,
	UNLINK,
	RMDIR,
	MKDIR,
	FADVISE,
	FLOCK,
	FSTAT,
	STAT,
	RENAME,
	CALLS
};

enum action { FAIL, SHORT, DELAY, CORRUPT, SHIFT, SKIP, OLD, ACTIONS };

enum { RULES = 16, PATH_CAPACITY = 8192 };

struct rule {
	enum action action;
	enum call call;
	uint64_t first, last;
	int64_t argument; /* error number, nanoseconds, byte or distance */
};

static const char *const call_names[CALLS] = { "open",	    "close",	 "close_read", "read",
					       "write",	    "pread",	 "pwrite",     "fsync",
					       "fdatasync", "ftruncate", "fallocate",  "unlink",
					       "rmdir",	    "mkdir",	 "fadvise",    "flock",
					       "fstat",	    "stat",	 "rename" };
static const char *const action_names[ACTIONS] = { "fail",  "short", "delay", "corrupt",
						   "shift", "skip",  "old" };

static const struct {
	const char *name;
	int number;
} errors[] = { { "ENOSPC", ENOSPC }, { "EIO", EIO },
	       { "EDQUOT", EDQUOT }, { "EACCES", EACCES },
	       { "EROFS", EROFS },   { "EMFILE", EMFILE },
	       { "EINTR", EINTR },   { "EAGAIN", EAGAIN },
	       { "ESTALE", ESTALE }, { "ENOMEM", ENOMEM },
	       { "EPERM", EPERM },   { "EFBIG", EFBIG },
	       { "ENOSYS", ENOSYS }, { "EOPNOTSUPP", EOPNOTSUPP },
	       { "EEXIST", EEXIST }, { "ENOENT", ENOENT },
	       { "EINVAL", EINVAL }, { "ENODEV", ENODEV },
	       { "EBUSY", EBUSY },   { "ESHUTDOWN", ESHUTDOWN } };

static struct rule rules[RULES];
static unsigned rule_count;
static uint64_t counts[CALLS];
static char wanted_path[1024];
static long rank = -1, wanted_rank = -1;
static bool active, stops, stays, mounts, busy;
static int creator = -1; /* the descriptor that created a file, while it is open */

/* ---- what the environment says ---- */

/* A test with a mistyped rule must not pass because nothing was spoiled. */
static void refuse(const char *what)
{
	dprintf(STDERR_FILENO, "inject: cannot read %s in INJECT\n", what);
	_exit(99);
}

static int index_of(const char *const names[], int count, const char *name, size_t length)
{
	for (int i = 0; i < count; i++) {
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return i;
	}
	return -1;
}

static int64_t parse_time(const char *text)
{
	char *unit;
	long long value = strtoll(text, &unit, 10);

	if (strcmp(unit, "us") == 0)
		return value * 1000;
	if (strcmp(unit, "ms") == 0)
		return value * 1000000;
	if (strcmp(unit, "s") == 0)
		return value * 1000000000;
	refuse(text);
	return 0;
}

static int64_t parse_argument(enum action action, const char *text)
{
	char *end;
	long long value;

	if (action == FAIL) {
		for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
			if (strcmp(errors[i].name, text) == 0)
				return errors[i].number;
		}
		refuse(*text ? text : "the error of a fail");
	}
	if (action == DELAY)
		return parse_time(text);
	if (!*text)
		return action == SHIFT ? 4096 : 0;
	value = strtoll(text, &end, 10);
	if (*end)
		refuse(text);
	return value;
}

static void parse_rule(const char *name, const char *value)
{
	const char *at = strchr(value, '@'), *colon = strchr(value, ':');
	int action = index_of(action_names, ACTIONS, name, strlen(name));
	int call = at ? index_of(call_names, CALLS, value, (size_t)(at - value)) : -1;
	char *end;
	struct rule *r = &rules[rule_count];

	if (action < 0 || call < 0 || rule_count == RULES)
		refuse(name);
	r->action = (enum action)action;
	r->call = (enum call)call;
	r->first = r->last = strtoull(at + 1, &end, 10);
	if (*end == '+') {
		r->last = UINT64_MAX;
		end++;
	}
	if (r->first == 0 || (*end && *end != ':'))
		refuse(value);
	r->argument = parse_argument(r->action, colon ? colon + 1 : "");
	rule_count++;
}

static long rank_here(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (getenv(names[i]))
			return strtol(getenv(names[i]), NULL, 10);
	}
	return -1;
}

__attribute__((constructor)) static void start(void)
{
	const char *given = getenv("INJECT");
	char *text = strdup(given ? given : ""), *save = NULL;

	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		char *value = strchr(word, '=');

		if (!value)
			refuse(word);
		*value++ = '\0';
		if (strcmp(word, "path") == 0)
			snprintf(wanted_path, sizeof(wanted_path), "%s", value);
		else if (strcmp(word, "stop") == 0)
			*(strcmp(value, "end") == 0 ? &stays : &stops) = true;
		else if (strcmp(word, "mount") == 0)
			mounts = true;
		else if (strcmp(word, "busy") == 0)
			busy = true;
		else if (strcmp(word, "rank") == 0)
			wanted_rank = strtol(value, NULL, 10);
		else
			parse_rule(word, value);
	}
	free(text);
	rank = rank_here();
	if (stops && rank >= 0 && (wanted_rank < 0 || rank == wanted_rank))
		raise(SIGSTOP);
	active = (rule_count || mounts || busy || getenv("INJECT_COUNT")) &&
		 (wanted_rank < 0 || wanted_rank == rank);
}

/* Every MPI has the same function under a second name, for those who take its place. */
extern int PMPI_Finalize(void) __attribute__((weak));
int MPI_Finalize(void);

int MPI_Finalize(void)
{
	while (stays && (wanted_rank < 0 || wanted_rank == rank))
		pause();
	return PMPI_Finalize();
}

static void append(const char *file, const char *text)
{
	long fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			  0600);

	if (fd < 0)
		return;
	if (syscall(SYS_write, fd, text, strlen(text)) < 0)
		refuse(file);
	syscall(SYS_close, fd);
}

__attribute__((destructor)) static void end(void)
{
	const char *file = getenv("INJECT_COUNT");
	char text[1024];
	size_t used = 0;

	if (!active || !file)
		return;
	text[0] = '\0';
	for (int i = 0; i < CALLS; i++) {
		if (counts[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%ld %s %llu\n",
						 rank, call_names[i],
						 (unsigned long long)counts[i]);
	}
	append(file, text);
}

/* ---- choosing the calls ---- */

static void log_call(enum call call, uint64_t number, const char *path)
{
	const char *file = getenv("INJECT_LOG");
	char text[PATH_CAPACITY + 128];
	struct stat st;
	bool empty = call == CLOSE && syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) == 0 &&
		     st.st_size == 0;

	if (!file)
		return;
	snprintf(text, sizeof(text), "%ld %s%s %llu %s\n", rank, call_names[call],
		 empty ? "_empty" : "", (unsigned long long)number, path);
	append(file, text);
}

static void wait_for(int64_t nanoseconds)
{
	struct timespec time = { nanoseconds / 1000000000, nanoseconds % 1000000000 };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		;
}

/* Counts the call; the rule that spoils it, with delays already served, or NULL. */
static const struct rule *take(enum call call, const char *path)
{
	const struct rule *found = NULL;
	int saved = errno;
	uint64_t number;

	if (!strstr(path, wanted_path))
		return NULL;
	number = __atomic_add_fetch(&counts[call], 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < rule_count && !found; i++) {
		if (rules[i].call == call && number >= rules[i].first && number <= rules[i].last)
			found = &rules[i];
	}
	if (found)
		log_call(call, number, path);
	if (found && found->action == DELAY) {
		wait_for(found->argument);
		found = NULL;
	}
	errno = saved;
	return found;
}

static void path_of(int fd, char path[PATH_CAPACITY])
{
	char link[64];
	long length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_CAPACITY - 1);
	path[length > 0 ? length : 0] = '\0';
}

static const struct rule *take_fd(enum call call, int fd)
{
	char path[PATH_CAPACITY];
	int saved = errno;

	if (!active)
		return NULL;
	path_of(fd, path);
	errno = saved;
	return take(call, path);
}

static const struct rule *take_name(enum call call, int dirfd, const char *name)
{
	char path[PATH_CAPACITY] = "";
	size_t used;
	int saved = errno;

	if (!active || !name)
		return NULL;
	if (name[0] != '/' && dirfd != AT_FDCWD)
		path_of(dirfd, path);
	used = strlen(path);
	snprintf(path + used, sizeof(path) - used, "%s%s", used ? "/" : "", name);
	errno = saved;
	return take(call, path);
}

/* For calls without data: true when *result is already known. */
static bool spoiled(const struct rule *rule, int *result)
{
	if (!rule)
		return false;
	*result = rule->action == FAIL ? -1 : 0;
	if (rule->action == FAIL)
		errno = (int)rule->argument;
	return rule->action == FAIL || rule->action == SKIP;
}

/* ---- names ---- */

/* Is this another open of a file whose creating descriptor is open? */
static bool is_busy(const char *name)
{
	const char *slash = strrchr(name, '/');
	char path[PATH_CAPACITY];

	if (creator < 0)
		return false;
	path_of(creator, path);
	return strcmp(strrchr(path, '/') + 1, slash ? slash + 1 : name) == 0;
}

static void note_creator(int fd, int flags)
{
	char path[PATH_CAPACITY];

	if (fd < 0 || !(flags & O_CREAT) || !(flags & O_EXCL))
		return;
	path_of(fd, path);
	if (!strstr(path, wanted_path))
		return;
	creator = fd;
	log_call(OPEN, counts[OPEN], path);
}

static int open_name(int dirfd, const char *name, int flags, mode_t mode)
{
	int result;

	if (spoiled(take_name(OPEN, dirfd, name), &result))
		return result;
	if (active && busy && is_busy(name)) {
		errno = EBUSY;
		return -1;
	}
	result = (int)syscall(SYS_openat, dirfd, name, flags, mode);
	if (active && busy)
		note_creator(result, flags);
	return result;
}

static mode_t mode_from(int flags, va_list arguments)
{
	return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(arguments, unsigned) : 0;
}

#define OPEN_FUNCTION(name)                                    \
	int name(const char *path, int flags, ...);            \
	int name(const char *path, int flags, ...)             \
	{                                                      \
		va_list arguments;                             \
		mode_t mode;                                   \
                                                               \
		va_start(arguments, flags);                    \
		mode = mode_from(flags, arguments);            \
		va_end(arguments);                             \
		return open_name(AT_FDCWD, path, flags, mode); \
	}

#define OPENAT_FUNCTION(name)                                  \
	int name(int dirfd, const char *path, int flags, ...); \
	int name(int dirfd, const char *path, int flags, ...)  \
	{                                                      \
		va_list arguments;                             \
		mode_t mode;                                   \
                                                               \
		va_start(arguments, flags);                    \
		mode = mode_from(flags, arguments);            \
		va_end(arguments);                             \
		return open_name(dirfd, path, flags, mode);    \
	}

/* Fortified programs call the names with two underscores. */
OPEN_FUNCTION(open)
OPEN_FUNCTION(open64)
OPEN_FUNCTION(__open_2)
OPEN_FUNCTION(__open64_2)
OPENAT_FUNCTION(openat)
OPENAT_FUNCTION(openat64)
OPENAT_FUNCTION(__openat_2)
OPENAT_FUNCTION(__openat64_2)

int mkdirat(int dirfd, const char *name, mode_t mode)
{
	int result;

	if (spoiled(take_name(MKDIR, dirfd, name), &result))
		return result;
	return (int)syscall(SYS_mkdirat, dirfd, name, mode);
}

int mkdir(const char *name, mode_t mode)
{
	return mkdirat(AT_FDCWD, name, mode);
}

int unlinkat(int dirfd, const char *name, int flags)
{
	int result;

	if (spoiled(take_name(flags & AT_REMOVEDIR ? RMDIR : UNLINK, dirfd, name), &result))
		return result;
	return (int)syscall(SYS_unlinkat, dirfd, name, flags);
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int rmdir(const char *name)
{
	return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	int result;

	if (spoiled(take_name(RENAME, from_fd, from), &result))
		return result;
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return renameat2(from_fd, from, to_fd, to, 0);
}

int rename(const char *from, const char *to)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* With an empty name the descriptor is what is looked at. */
static const struct rule *take_stat(int dirfd, const char *name, int flags)
{
	return flags & AT_EMPTY_PATH && name && !*name ? take_fd(FSTAT, dirfd)
						       : take_name(STAT, dirfd, name);
}

int fstatat(int dirfd, const char *name, struct stat *st, int flags)
{
	int result;

	if (spoiled(take_stat(dirfd, name, flags), &result))
		return result;
	return (int)syscall(SYS_newfstatat, dirfd, name, st, flags);
}

int fstatat64(int dirfd, const char *name, struct stat64 *st, int flags)
	__attribute__((alias("fstatat")));

int stat(const char *name, struct stat *st)
{
	return fstatat(AT_FDCWD, name, st, 0);
}

int stat64(const char *name, struct stat64 *st) __attribute__((alias("stat")));

int lstat(const char *name, struct stat *st)
{
	return fstatat(AT_FDCWD, name, st, AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char *name, struct stat64 *st) __attribute__((alias("lstat")));

int statx(int dirfd, const char *name, int flags, unsigned mask, struct statx *st)
{
	int result;

	if (spoiled(take_stat(dirfd, name, flags), &result))
		return result;
	return (int)syscall(SYS_statx, dirfd, name, flags, mask, st);
}

/* ---- descriptors ---- */

int close(int fd)
{
	int flags, result = 0;
	bool known;

	if (!active)
		return (int)syscall(SYS_close, fd);
	if (fd == creator)
		creator = -1;
	flags = fcntl(fd, F_GETFL);
	known = flags >= 0 &&
		spoiled(take_fd((flags & O_ACCMODE) == O_RDONLY ? CLOSE_READ : CLOSE, fd), &result);
	if (known && result < 0) {
		int sys = errno;

		syscall(SYS_close, fd);
		errno = sys;
		return -1;
	}
	return (int)syscall(SYS_close, fd);
}

int fsync(int fd)
{
	int result;

	return spoiled(take_fd(FSYNC, fd), &result) ? result : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	int result;

	return spoiled(take_fd(FDATASYNC, fd), &result) ? result : (int)syscall(SYS_fdatasync, fd);
}

int flock(int fd, int operation)
{
	int result;

	return spoiled(take_fd(FLOCK, fd), &result) ? result
						    : (int)syscall(SYS_flock, fd, operation);
}

int fstat(int fd, struct stat *st)
{
	const struct rule *rule = take_fd(FSTAT, fd);
	int result;

	if (spoiled(rule, &result))
		return result;
	result = (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
	if (result == 0 && rule && rule->action == OLD)
		st->st_size = 0;
	if (result == 0 && active && mounts)
		st->st_dev += (dev_t)rank + 1;
	return result;
}

int fstat64(int fd, struct stat64 *st) __attribute__((alias("fstat")));

int ftruncate(int fd, off_t length)
{
	int result;

	return spoiled(take_fd(FTRUNCATE, fd), &result) ? result
							: (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate64(int fd, off64_t length) __attribute__((alias("ftruncate")));

int fallocate(int fd, int mode, off_t offset, off_t length)
{
	int result;

	return spoiled(take_fd(FALLOCATE, fd), &result)
		       ? result
		       : (int)syscall(SYS_fallocate, fd, mode, offset, length);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t length)
	__attribute__((alias("fallocate")));

/* Returns the error number and leaves errno alone. */
int posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
	int saved = errno, result;

	if (spoiled(take_fd(FADVISE, fd), &result))
		result = result < 0 ? errno : 0;
	else
		result = syscall(SYS_fadvise64, fd, offset, length, advice) < 0 ? errno : 0;
	errno = saved;
	return result;
}

int posix_fadvise64(int fd, off64_t offset, off64_t length, int advice)
	__attribute__((alias("posix_fadvise")));

/* ---- data ---- */

static size_t length_for(const struct rule *rule, size_t length)
{
	return rule && rule->action == SHORT && length > 1 ? length / 2 : length;
}

static off_t offset_for(const struct rule *rule, off_t offset)
{
	return rule && rule->action == SHIFT ? offset + (off_t)rule->argument : offset;
}

static void invert(const struct rule *rule, unsigned char *bytes, size_t length)
{
	if (rule && rule->action == CORRUPT && length > 0)
		bytes[(size_t)rule->argument % length] ^= 0xff;
}

/* offset < 0: at the file's own position. */
static ssize_t put(const struct rule *rule, int fd, const void *bytes, size_t length, off_t offset)
{
	unsigned char *copy = NULL;
	ssize_t n;
	int result;

	if (spoiled(rule, &result))
		return result < 0 ? -1 : (ssize_t)length;
	if (rule && rule->action == CORRUPT && (copy = malloc(length + 1))) {
		memcpy(copy, bytes, length);
		invert(rule, copy, length);
		bytes = copy;
	}
	n = offset < 0 ? syscall(SYS_write, fd, bytes, length_for(rule, length))
		       : syscall(SYS_pwrite64, fd, bytes, length_for(rule, length),
				 offset_for(rule, offset));
	free(copy);
	return n;
}

static ssize_t get(const struct rule *rule, int fd, void *bytes, size_t length, off_t offset)
{
	ssize_t n;
	int result;

	if (spoiled(rule, &result))
		return result < 0 ? -1 : (ssize_t)length;
	if (rule && rule->action == OLD)
		return 0;
	n = offset < 0 ? syscall(SYS_read, fd, bytes, length_for(rule, length))
		       : syscall(SYS_pread64, fd, bytes, length_for(rule, length),
				 offset_for(rule, offset));
	if (n > 0)
		invert(rule, bytes, (size_t)n);
	return n;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	return put(take_fd(WRITE, fd), fd, bytes, length, -1);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
	return put(take_fd(PWRITE, fd), fd, bytes, length, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
	__attribute__((alias("pwrite")));

ssize_t read(int fd, void *bytes, size_t length)
{
	return get(take_fd(READ, fd), fd, bytes, length, -1);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
	return get(take_fd(PREAD, fd), fd, bytes, length, offset);
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) __attribute__((alias("pread")));

ssize_t __read_chk(int fd, void *bytes, size_t length, size_t capacity);
ssize_t __read_chk(int fd, void *bytes, size_t length, size_t capacity)
{
	return length > capacity ? (abort(), -1) : read(fd, bytes, length);
}

ssize_t __pread_chk(int fd, void *bytes, size_t length, off_t offset, size_t capacity);
ssize_t __pread_chk(int fd, void *bytes, size_t length, off_t offset, size_t capacity)
{
	return length > capacity ? (abort(), -1) : pread(fd, bytes, length, offset);
}

ssize_t __pread64_chk(int fd, void *bytes, size_t length, off64_t offset, size_t capacity)
	__attribute__((alias("__pread_chk")));

/* A spoiled vector call moves its first part only, which is a short transfer and allowed. */
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
	const struct rule *rule = take_fd(PWRITE, fd);

	if (rule && count > 0)
		return put(rule, fd, parts[0].iov_base, parts[0].iov_len, offset);
	return syscall(SYS_pwritev, fd, parts, count, offset, 0);
}

ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
	const struct rule *rule = take_fd(PREAD, fd);

	if (rule && count > 0)
		return get(rule, fd, parts[0].iov_base, parts[0].iov_len, offset);
	return syscall(SYS_preadv, fd, parts, count, offset, 0);
}
