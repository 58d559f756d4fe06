/*
 * faultfs: what does a program do when the file system below it misbehaves?
 *
 * A FUSE file system that shows SOURCE at MOUNTPOINT, numbers the calls that reach it, per operation, and spoils chosen
 * ones. Unlike a preloaded library it sees every way into the kernel: io_uring, mmap, stdio, Open MPI's and HDF5's
 * calls.
 *
 *	faultfs [-o RULE,...] [-l LOG] [-c COUNTS] [-d] [-s] [-t TYPE] SOURCE MOUNTPOINT
 *
 * It stays in the foreground; it is ready when MOUNTPOINT is a mount point (test/hostile/lib.bash: `faulty`). SIGTERM
 * unmounts and ends it; then whoever waits for an answer gets ENOTCONN, also where a call hangs.
 *
 *	fail=OP@N:ERRNO    the operation fails and nothing is done (a failed flush is a close that reports an error)
 *	short=OP@N         a read or write moves half of its bytes
 *	corrupt=OP@N:BYTE  byte number BYTE (0) is inverted in what a read returns or a write stores
 *	skip=OP@N          nothing is done and success is reported: a lost write, an fsync that lies, a read of zeros
 *	delay=OP@N:TIME    the operation takes longer by TIME (us, ms or s)
 *	hang=OP@N          no answer until SIGTERM, for ten minutes at most; the caller cannot be killed before that
 *	stale=TIME         the kernel may keep names and attributes for TIME, and pages for ever, as on another node
 *	lag=N              a block that was read is given out N times more as it was, whatever lies there now
 *	path=TEXT          only calls on paths that contain TEXT are counted and spoiled
 *	rank=R             only calls of the process with that MPI rank
 *	byte=N             only those reads and writes that hold byte N of their file, however the kernel joins them
 *	when=FILE          counting begins when FILE exists: the test says from where on
 *
 * OP is getattr open create read write flush fsync truncate fallocate unlink rmdir mkdir rename readdir statfs link
 * symlink; `flush` is close(2). N counts from 1; N+ means from there on, N/K every Kth from there on. The words are
 * those of test/fault/inject.c. -l LOG gets a line "operation number path" for each spoiled call, -c COUNTS lines
 * "operation count" at the end. -d passes every read to SOURCE (no page cache; no shared mappings either). -s does as
 * sshfs: every mount numbers inodes in its own way, and what is removed while open stays under another name. -t: the
 * file system is called fuse.TYPE.
 *
 * The kernel cuts transfers (at 1 MiB, at pages when cached) and reads ahead: counts are those of its requests, not of
 * the program's. Run by root, files belong to who makes them.
 */
#define FUSE_USE_VERSION 32

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum op {
	GETATTR,
	OPEN,
	CREATE,
	READ,
	WRITE,
	FLUSH,
	FSYNC,
	TRUNCATE,
	FALLOCATE,
	UNLINK,
	RMDIR,
	MKDIR,
	RENAME,
	READDIR,
	STATFS,
	LINK,
	SYMLINK,
	OPS
};

enum action { FAIL, SHORT, CORRUPT, SKIP, DELAY, HANG, ACTIONS };

enum { RULES = 16, HANG_S = 600, PATH_CAPACITY = 4096 };

struct rule {
	enum action action;
	enum op op;
	uint64_t first, last, every;
	int64_t argument; /* error number, nanoseconds or byte */
};

static const char *const op_names[OPS] = { "getattr", "open",	"create",   "read",	 "write",
					   "flush",   "fsync",	"truncate", "fallocate", "unlink",
					   "rmdir",   "mkdir",	"rename",   "readdir",	 "statfs",
					   "link",    "symlink" };
static const char *const action_names[ACTIONS] = { "fail", "short", "corrupt",
						   "skip", "delay", "hang" };

static const struct {
	const char *name;
	int number;
} errors[] = { { "ENOSPC", ENOSPC }, { "EIO", EIO },	     { "EDQUOT", EDQUOT },
	       { "EACCES", EACCES }, { "EROFS", EROFS },     { "EMFILE", EMFILE },
	       { "EINTR", EINTR },   { "EAGAIN", EAGAIN },   { "ESTALE", ESTALE },
	       { "ENOMEM", ENOMEM }, { "EPERM", EPERM },     { "EFBIG", EFBIG },
	       { "ENOLCK", ENOLCK }, { "ENOTSUP", ENOTSUP }, { "ENXIO", ENXIO } };

static struct rule rules[RULES];
static unsigned rule_count;
static _Atomic uint64_t counts[OPS];
static char wanted_path[1024], wanted_when[PATH_CAPACITY];
static long wanted_rank = -1;
static int64_t wanted_byte = -1;
static int source = -1, log_file = -1;
static const char *counts_path;
static bool direct, like_sshfs;
static const char *type = "faultfs";
static int64_t stale_ns;
static uint64_t lag;

/* ---- what the command line says ---- */

/* A test with a mistyped rule must not pass because nothing was spoiled. */
__attribute__((noreturn)) static void refuse(const char *what)
{
	fprintf(stderr, "faultfs: cannot read \"%s\" in the rules\n", what);
	exit(2);
}

static int index_of(const char *const names[], int count, const char *name)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	refuse(name);
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
}

static int64_t parse_argument(enum action action, const char *text)
{
	if (action == DELAY)
		return parse_time(text);
	if (action != FAIL)
		return strtoll(text, NULL, 10);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (strcmp(errors[i].name, text) == 0)
			return errors[i].number;
	}
	refuse(*text ? text : "the error of a fail");
}

/* OP@N[+|/K][:ARGUMENT] */
static void parse_rule(enum action action, char *text)
{
	struct rule *rule = &rules[rule_count++];
	char *at = strchr(text, '@'), *argument, *end;

	if (rule_count > RULES || !at)
		refuse(text);
	*at++ = '\0';
	argument = strchr(at, ':');
	if (argument)
		*argument++ = '\0';
	*rule = (struct rule){ .action = action, .op = (enum op)index_of(op_names, OPS, text) };
	rule->first = strtoull(at, &end, 10);
	rule->last = *end ? UINT64_MAX : rule->first;
	rule->every = *end == '/' ? strtoull(end + 1, &end, 10) : 1;
	end += *end == '+';
	if (*end || rule->first == 0 || rule->every == 0)
		refuse(at);
	rule->argument = parse_argument(action, argument ? argument : "");
}

static void parse_rules(char *text)
{
	char *save = NULL, *value;

	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		value = strchr(word, '=');
		if (!value)
			refuse(word);
		*value++ = '\0';
		if (strcmp(word, "path") == 0)
			snprintf(wanted_path, sizeof(wanted_path), "%s", value);
		else if (strcmp(word, "when") == 0)
			snprintf(wanted_when, sizeof(wanted_when), "%s", value);
		else if (strcmp(word, "stale") == 0)
			stale_ns = parse_time(value);
		else if (strcmp(word, "lag") == 0)
			lag = strtoull(value, NULL, 10);
		else if (strcmp(word, "rank") == 0)
			wanted_rank = strtol(value, NULL, 10);
		else if (strcmp(word, "byte") == 0)
			wanted_byte = strtoll(value, NULL, 10);
		else
			parse_rule((enum action)index_of(action_names, ACTIONS, word), value);
	}
}

/* ---- which call is spoiled ---- */

/* The MPI rank of the process that calls, -1 when it has none. */
static long caller_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK=", "PMI_RANK=" };
	char path[64], text[65536];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)fuse_get_context()->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return -1;
	text[length] = '\0';
	for (char *word = text; word < text + length; word += strlen(word) + 1) {
		for (size_t i = 0; i < 2; i++)
			if (strncmp(word, names[i], strlen(names[i])) == 0)
				return strtol(word + strlen(names[i]), NULL, 10);
	}
	return -1;
}

static void hang(void)
{
	const struct timespec second = { 1, 0 };

	for (int i = 0; i < HANG_S; i++)
		nanosleep(&second, NULL);
}

static void note(enum op op, uint64_t number, const char *path)
{
	if (log_file >= 0)
		dprintf(log_file, "%s %llu %s\n", op_names[op], (unsigned long long)number, path);
}

/* The rule for this call, which is counted here, or NULL. */
static const struct rule *rule_for(enum op op, const char *path)
{
	uint64_t number;

	if ((*wanted_path && !strstr(path, wanted_path)) ||
	    (*wanted_when && access(wanted_when, F_OK) < 0) ||
	    (wanted_rank >= 0 && caller_rank() != wanted_rank))
		return NULL;
	number = atomic_fetch_add(&counts[op], 1) + 1;
	for (unsigned i = 0; i < rule_count; i++) {
		const struct rule *r = &rules[i];

		if (r->op == op && number >= r->first && number <= r->last &&
		    (number - r->first) % r->every == 0) {
			note(op, number, path);
			return r;
		}
	}
	return NULL;
}

static const struct rule *rule_for_bytes(enum op op, const char *path, size_t size, off_t offset)
{
	if (wanted_byte >= 0 && (wanted_byte < offset || wanted_byte - offset >= (int64_t)size))
		return NULL;
	return rule_for(op, path);
}

/* What a rule does before the call: 0 goes on, 1 pretends success, a negative error number fails. */
static int spoil(const struct rule *rule)
{
	struct timespec delay;

	if (!rule)
		return 0;
	switch (rule->action) {
	case FAIL:
		return -(int)rule->argument;
	case SKIP:
		return 1;
	case HANG:
		hang();
		return -EIO;
	case DELAY:
		delay = (struct timespec){ rule->argument / 1000000000,
					   rule->argument % 1000000000 };
		nanosleep(&delay, NULL);
		return 0;
	default:
		return 0;
	}
}

/* ---- the calls: each is spoiled or passed on, in the name of its caller ---- */

static void become(uid_t uid, gid_t gid)
{
	if (geteuid() == 0) {
		setfsgid(gid);
		setfsuid(uid);
	}
}

static const char *below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

/* Begins a call; where it is not to be passed on, `return` its answer. */
#define BEGIN(op, path)                                                   \
	do {                                                              \
		int spoiled = spoil(rule_for(op, path));                  \
		if (spoiled)                                              \
			return spoiled < 0 ? spoiled : 0;                 \
		become(fuse_get_context()->uid, fuse_get_context()->gid); \
	} while (0)

/* Ends a call begun with BEGIN; results of system calls as the kernel wants them. */
static int end(int result)
{
	int sys = errno;

	become(0, 0);
	return result < 0 ? -sys : 0;
}

struct handle {
	int fd;
	char path[];
};

static struct handle *handle_of(const struct fuse_file_info *fi)
{
	return (struct handle *)(uintptr_t)fi->fh;
}

static int keep(int fd, const char *path, struct fuse_file_info *fi)
{
	struct handle *h;

	if (fd < 0)
		return end(-1);
	become(0, 0);
	h = malloc(sizeof(*h) + strlen(path) + 1);
	if (!h) {
		close(fd);
		return -ENOMEM;
	}
	h->fd = fd;
	strcpy(h->path, path);
	fi->fh = (uint64_t)(uintptr_t)h;
	fi->direct_io = direct;
	fi->keep_cache = stale_ns > 0;
	return 0;
}

static int fs_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	int status = spoil(rule_for(GETATTR, fi ? handle_of(fi)->path : path));

	if (status < 0)
		return status;
	become(fuse_get_context()->uid, fuse_get_context()->gid);
	return end(fi ? fstat(handle_of(fi)->fd, st)
		      : fstatat(source, below(path), st, AT_SYMLINK_NOFOLLOW));
}

static int fs_open(const char *path, struct fuse_file_info *fi)
{
	int status = spoil(rule_for(OPEN, path));

	if (status < 0)
		return status;
	become(fuse_get_context()->uid, fuse_get_context()->gid);
	/* What the kernel has already done for the caller, or does not hold for our own buffers. */
	return keep(openat(source, below(path),
			   (fi->flags & ~(O_DIRECT | O_CREAT | O_EXCL)) | O_CLOEXEC | O_NOFOLLOW),
		    path, fi);
}

static int fs_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	int status = spoil(rule_for(CREATE, path));

	if (status < 0)
		return status;
	become(fuse_get_context()->uid, fuse_get_context()->gid);
	umask(0); /* the kernel has applied the caller's */
	return keep(openat(source, below(path),
			   (fi->flags & ~O_DIRECT) | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode),
		    path, fi);
}

static void invert(char *buffer, size_t size, const struct rule *rule)
{
	if (rule && rule->action == CORRUPT && (size_t)rule->argument < size)
		buffer[rule->argument] = (char)~buffer[rule->argument];
}

static size_t shortened(size_t size, const struct rule *rule)
{
	return rule && rule->action == SHORT && size > 1 ? size / 2 : size;
}

/* ---- what a lagging server gives out ---- */

struct old {
	struct old *next;
	uint64_t left; /* so often more */
	off_t offset;
	ssize_t n;
	char *path, *data;
};

static struct old *olds;
static pthread_mutex_t olds_lock = PTHREAD_MUTEX_INITIALIZER;

/* The block as it was, or -1 when it is to be read; a block that was given out often enough is forgotten. */
static ssize_t read_old(const char *path, char *buffer, size_t size, off_t offset)
{
	ssize_t n = -1;

	pthread_mutex_lock(&olds_lock);
	for (struct old *o = olds; o && n < 0; o = o->next) {
		if (o->left == 0 || o->offset != offset || strcmp(o->path, path) != 0)
			continue;
		o->left--;
		n = o->n < (ssize_t)size ? o->n : (ssize_t)size;
		memcpy(buffer, o->data, (size_t)n);
	}
	pthread_mutex_unlock(&olds_lock);
	return n;
}

static void keep_old(const char *path, const char *buffer, ssize_t n, off_t offset)
{
	struct old *o = calloc(1, sizeof(*o));

	if (!o || !(o->path = strdup(path)) || !(o->data = malloc((size_t)n + 1)))
		exit(3);
	memcpy(o->data, buffer, (size_t)n);
	o->left = lag;
	o->offset = offset;
	o->n = n;
	pthread_mutex_lock(&olds_lock);
	o->next = olds;
	olds = o;
	pthread_mutex_unlock(&olds_lock);
}

static int fs_read(const char *path, char *buffer, size_t size, off_t offset,
		   struct fuse_file_info *fi)
{
	const struct rule *rule = rule_for_bytes(READ, handle_of(fi)->path, size, offset);
	int status = spoil(rule);
	ssize_t n;

	(void)path;
	if (status < 0)
		return status;
	if (status > 0) {
		memset(buffer, 0, size);
		return (int)size;
	}
	n = lag ? read_old(handle_of(fi)->path, buffer, size, offset) : -1;
	if (n >= 0)
		return (int)n;
	n = pread(handle_of(fi)->fd, buffer, shortened(size, rule), offset);
	if (n < 0)
		return -errno;
	if (lag && n > 0)
		keep_old(handle_of(fi)->path, buffer, n, offset);
	invert(buffer, (size_t)n, rule);
	return (int)n;
}

static int fs_write(const char *path, const char *buffer, size_t size, off_t offset,
		    struct fuse_file_info *fi)
{
	const struct rule *rule = rule_for_bytes(WRITE, handle_of(fi)->path, size, offset);
	int status = spoil(rule);
	char *copy;
	ssize_t n;

	(void)path;
	if (status)
		return status < 0 ? status : (int)size;
	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, buffer, size);
	invert(copy, size, rule);
	n = pwrite(handle_of(fi)->fd, copy, shortened(size, rule), offset);
	status = n < 0 ? -errno : (int)n;
	free(copy);
	return status;
}

static int fs_flush(const char *path, struct fuse_file_info *fi)
{
	int copy;

	(void)path;
	BEGIN(FLUSH, handle_of(fi)->path);
	copy = dup(handle_of(fi)->fd);
	return end(copy < 0 ? -1 : close(copy));
}

static int fs_release(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	close(handle_of(fi)->fd);
	free(handle_of(fi));
	return 0;
}

static int fs_fsync(const char *path, int data, struct fuse_file_info *fi)
{
	(void)path;
	BEGIN(FSYNC, handle_of(fi)->path);
	return end(data ? fdatasync(handle_of(fi)->fd) : fsync(handle_of(fi)->fd));
}

static int fs_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	int fd, result;

	BEGIN(TRUNCATE, fi ? handle_of(fi)->path : path);
	if (fi)
		return end(ftruncate(handle_of(fi)->fd, size));
	fd = openat(source, below(path), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	result = end(fd < 0 ? -1 : ftruncate(fd, size));
	if (fd >= 0)
		close(fd);
	return result;
}

static int fs_fallocate(const char *path, int mode, off_t offset, off_t length,
			struct fuse_file_info *fi)
{
	(void)path;
	BEGIN(FALLOCATE, handle_of(fi)->path);
	return end(fallocate(handle_of(fi)->fd, mode, offset, length));
}

static int fs_unlink(const char *path)
{
	BEGIN(UNLINK, path);
	return end(unlinkat(source, below(path), 0));
}

static int fs_rmdir(const char *path)
{
	BEGIN(RMDIR, path);
	return end(unlinkat(source, below(path), AT_REMOVEDIR));
}

static int fs_mkdir(const char *path, mode_t mode)
{
	BEGIN(MKDIR, path);
	umask(0);
	return end(mkdirat(source, below(path), mode));
}

static int fs_rename(const char *from, const char *to, unsigned flags)
{
	BEGIN(RENAME, from);
	return end(renameat2(source, below(from), source, below(to), flags));
}

static int fs_link(const char *from, const char *to)
{
	BEGIN(LINK, to);
	return end(linkat(source, below(from), source, below(to), 0));
}

static int fs_symlink(const char *target, const char *path)
{
	BEGIN(SYMLINK, path);
	return end(symlinkat(target, source, below(path)));
}

static int fs_readlink(const char *path, char *target, size_t capacity)
{
	ssize_t n = readlinkat(source, below(path), target, capacity - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	return 0;
}

static int fs_mknod(const char *path, mode_t mode, dev_t device)
{
	become(fuse_get_context()->uid, fuse_get_context()->gid);
	umask(0);
	return end(mknodat(source, below(path), mode, device));
}

static int fs_chmod(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	become(fuse_get_context()->uid, fuse_get_context()->gid);
	return end(fi ? fchmod(handle_of(fi)->fd, mode) : fchmodat(source, below(path), mode, 0));
}

static int fs_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *fi)
{
	(void)fi;
	become(fuse_get_context()->uid, fuse_get_context()->gid);
	return end(fchownat(source, below(path), uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int fs_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *fi)
{
	become(fuse_get_context()->uid, fuse_get_context()->gid);
	return end(fi ? futimens(handle_of(fi)->fd, times)
		      : utimensat(source, below(path), times, AT_SYMLINK_NOFOLLOW));
}

static int fs_opendir(const char *path, struct fuse_file_info *fi)
{
	become(fuse_get_context()->uid, fuse_get_context()->gid);
	return keep(openat(source, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW),
		    path, fi);
}

/* All of it at once, from a descriptor of its own: the kernel asks again with other offsets. */
static int fs_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
		      struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	struct dirent *entry;
	DIR *directory;
	int fd;

	(void)path;
	(void)offset;
	(void)flags;
	BEGIN(READDIR, handle_of(fi)->path);
	fd = openat(handle_of(fi)->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	directory = fd < 0 ? NULL : fdopendir(fd);
	if (!directory)
		return end(-1);
	while ((entry = readdir(directory)) && fill(buffer, entry->d_name, NULL, 0, 0) == 0)
		;
	closedir(directory);
	return end(0);
}

static int fs_statfs(const char *path, struct statvfs *st)
{
	(void)path;
	BEGIN(STATFS, path);
	return end(fstatvfs(source, st));
}

/* Nothing is kept unless asked for: what lies below may change behind the kernel's back, and every call is seen. */
static void *fs_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	(void)connection;
	config->use_ino = !like_sshfs;
	config->hard_remove = !like_sshfs;
	config->nullpath_ok = 1;
	config->entry_timeout = config->attr_timeout = config->negative_timeout =
		(double)stale_ns * 1e-9;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = fs_init,
	.getattr = fs_getattr,
	.open = fs_open,
	.create = fs_create,
	.read = fs_read,
	.write = fs_write,
	.flush = fs_flush,
	.release = fs_release,
	.fsync = fs_fsync,
	.truncate = fs_truncate,
	.fallocate = fs_fallocate,
	.unlink = fs_unlink,
	.rmdir = fs_rmdir,
	.mkdir = fs_mkdir,
	.rename = fs_rename,
	.link = fs_link,
	.symlink = fs_symlink,
	.readlink = fs_readlink,
	.mknod = fs_mknod,
	.chmod = fs_chmod,
	.chown = fs_chown,
	.utimens = fs_utimens,
	.opendir = fs_opendir,
	.releasedir = fs_release,
	.readdir = fs_readdir,
	.statfs = fs_statfs,
};

/* ---- the program ---- */

/* Once: after the unmount both threads come to their end, and the first of them ends the other in the middle. */
static void write_counts(void)
{
	static atomic_flag written = ATOMIC_FLAG_INIT;
	FILE *file;

	if (!counts_path || atomic_flag_test_and_set(&written))
		return;
	file = fopen(counts_path, "we");
	for (int i = 0; file && i < OPS; i++)
		fprintf(file, "%s %llu\n", op_names[i], (unsigned long long)counts[i]);
	if (file)
		fclose(file);
}

/* Ends at once, whatever hangs: the kernel then answers everybody. Waits for the signal outside any handler. */
static void *await_end(void *argument)
{
	struct fuse *fuse = argument;
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigwait(&set, &number);
	write_counts();
	fuse_unmount(fuse);
	_exit(0);
}

static int serve(const char *mountpoint)
{
	char name[] = "faultfs", options[128], o[] = "-o";
	char *words[] = { name, o, options, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(geteuid() == 0 ? 3 : 1, words);
	struct fuse *fuse;
	struct fuse_loop_config config = { .clone_fd = 0, .max_idle_threads = 16 };
	pthread_t thread;
	sigset_t set;

	snprintf(options, sizeof(options),
		 "allow_other,default_permissions,fsname=faultfs,subtype=%s", type);
	fuse = fuse_new(&args, &operations, sizeof(operations), NULL);
	if (!fuse || fuse_mount(fuse, mountpoint) != 0)
		return 1;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&thread, NULL, await_end, fuse) != 0)
		return 1;
	fuse_loop_mt(fuse, &config); /* until somebody else unmounts */
	write_counts();
	return 0;
}

static void open_log(const char *path)
{
	log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (log_file < 0) {
		perror(path);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "o:l:c:dst:")) != -1) {
		if (option == 'o')
			parse_rules(optarg);
		else if (option == 's')
			like_sshfs = true;
		else if (option == 't')
			type = optarg;
		else if (option == 'l')
			open_log(optarg);
		else if (option == 'c')
			counts_path = optarg;
		else if (option == 'd')
			direct = true;
		else
			return 2;
	}
	if (argc - optind != 2) {
		fprintf(stderr,
			"usage: faultfs [-o RULE,...] [-l LOG] [-c COUNTS] [-d] [-s] [-t TYPE] SOURCE MOUNTPOINT\n");
		return 2;
	}
	/* Opened before the mount: MOUNTPOINT may be SOURCE itself. */
	source = open(argv[optind], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (source < 0) {
		perror(argv[optind]);
		return 2;
	}
	return serve(argv[optind + 1]);
}
