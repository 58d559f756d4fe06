/*
 * names: calls on paths, made on the same path below the tree or the directory that they name.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

static int made(const struct pario_replay_actor *a)
{
	return a->answer < 0 ? PARIO_FAILED_HERE : PARIO_MADE;
}

/* For calls that know no directory descriptor. */
static void whole(const struct pario_replay_spot *spot, char out[PARIO_PATH_CAPACITY])
{
	snprintf(out, PARIO_PATH_CAPACITY, "/proc/self/fd/%d/%s", spot->at, spot->name);
}

/* ---- directories ---- */

static int open_directory(struct pario_replay_actor *a, const struct pario_trace_call *call,
			  const struct pario_replay_spot *spot)
{
	struct pario_replay_slot *slot;
	DIR *dir = NULL;
	int fd;

	a->t0 = pario_run_now();
	fd = openat(spot->at, spot->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	a->t1 = pario_run_now();
	a->answer = dir ? 0 : -1;
	if (!dir)
		return PARIO_FAILED_HERE;
	slot = call->failed ? NULL : pario_replay_slot(a, call->result);
	if (!slot) {
		closedir(dir);
		return PARIO_MADE;
	}
	*slot = (struct pario_replay_slot){
		.fd = fd, .directory = dir, .file = call->file, .on_exec = true
	};
	return PARIO_MADE;
}

static int list(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_slot *slot = pario_replay_slot(a, call->fd);
	DIR *dir = slot ? slot->directory : NULL;

	if (call->op == PARIO_OP_fdopendir && slot && slot->fd >= 0 && !dir) {
		PARIO_REPLAY_TIMED(a, (slot->directory = fdopendir(slot->fd)) ? 0 : -1);
		return made(a);
	}
	if (!dir)
		return pario_left(PARIO_LEFT_UNKNOWN);
	switch (call->op) {
	case PARIO_OP_readdir:
	case PARIO_OP_readdir_r:
		PARIO_REPLAY_TIMED(a, readdir(dir) ? 1 : 0);
		break;
	case PARIO_OP_rewinddir:
	case PARIO_OP_seekdir: /* places of the original mean nothing here */
		PARIO_REPLAY_TIMED(a, (rewinddir(dir), 0));
		break;
	case PARIO_OP_telldir:
		PARIO_REPLAY_TIMED(a, telldir(dir));
		break;
	case PARIO_OP_closedir:
		PARIO_REPLAY_TIMED(a, closedir(dir));
		*slot = (struct pario_replay_slot){ .fd = -1 };
		break;
	default:
		return pario_left(PARIO_LEFT_WALK);
	}
	return made(a);
}

/* ---- one name ---- */

static int look(struct pario_replay_actor *a, const struct pario_trace_call *call,
		const struct pario_replay_spot *spot)
{
	char reach[PARIO_PATH_CAPACITY];
	struct statx sx;
	struct statfs fs;
	struct stat st;

	switch (call->op) {
	case PARIO_OP_lstat:
		PARIO_REPLAY_TIMED(a, fstatat(spot->at, spot->name, &st, AT_SYMLINK_NOFOLLOW));
		break;
	case PARIO_OP_fstatat:
		PARIO_REPLAY_TIMED(a,
				   fstatat(spot->at, spot->name, &st,
					   (int)call->arguments.flags.value & AT_SYMLINK_NOFOLLOW));
		break;
	case PARIO_OP_statx:
		PARIO_REPLAY_TIMED(a, statx(spot->at, spot->name,
					    (int)call->arguments.flags.value &
						    (AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC |
						     AT_STATX_FORCE_SYNC),
					    (unsigned)call->arguments.flags.second, &sx));
		break;
	case PARIO_OP_access:
	case PARIO_OP_faccessat:
	case PARIO_OP_euidaccess:
		PARIO_REPLAY_TIMED(a, faccessat(spot->at, spot->name,
						(int)call->arguments.flags.value & 7, 0));
		break;
	case PARIO_OP_statfs:
	case PARIO_OP_statvfs:
		whole(spot, reach);
		PARIO_REPLAY_TIMED(a, statfs(reach, &fs));
		break;
	case PARIO_OP_readlink:
	case PARIO_OP_readlinkat:
		PARIO_REPLAY_TIMED(a, readlinkat(spot->at, spot->name, reach, sizeof(reach)));
		break;
	default:
		PARIO_REPLAY_TIMED(a, fstatat(spot->at, spot->name, &st, 0));
	}
	return made(a);
}

static int change_attributes(struct pario_replay_actor *a, const struct pario_trace_call *call,
			     const struct pario_replay_spot *spot)
{
	const char *attribute = "";
	char reach[PARIO_PATH_CAPACITY];
	uint64_t bytes = pario_replay_bytes(a, call->size < 65536 ? call->size : 65536, false);

	whole(spot, reach);
	if (call->arguments.kind == PARIO_ARGUMENTS_ATTRIBUTE)
		attribute = pario_trace_name_of(a->replay->trace, call->process,
						call->arguments.attribute.name);
	switch (call->op) {
	case PARIO_OP_chmod:
	case PARIO_OP_fchmodat:
		PARIO_REPLAY_TIMED(a, fchmodat(spot->at, spot->name,
					       (call->arguments.flags.value & 0777) | 0700, 0));
		return made(a);
	case PARIO_OP_chown:
	case PARIO_OP_lchown:
	case PARIO_OP_fchownat: /* to whom it belongs already: nobody else's name is used */
		PARIO_REPLAY_TIMED(a, fchownat(spot->at, spot->name, (uid_t)-1, (gid_t)-1,
					       AT_SYMLINK_NOFOLLOW));
		return made(a);
	case PARIO_OP_utime:
	case PARIO_OP_utimes:
	case PARIO_OP_lutimes:
	case PARIO_OP_utimensat:
	case PARIO_OP_futimesat:
		PARIO_REPLAY_TIMED(a, utimensat(spot->at, spot->name, NULL, AT_SYMLINK_NOFOLLOW));
		return made(a);
	case PARIO_OP_listxattr:
	case PARIO_OP_llistxattr:
		PARIO_REPLAY_TIMED(a, llistxattr(reach, pario_replay_memory(a, bytes), bytes));
		return made(a);
	case PARIO_OP_getxattr:
	case PARIO_OP_lgetxattr:
		PARIO_REPLAY_TIMED(
			a, lgetxattr(reach, attribute, pario_replay_memory(a, bytes), bytes));
		return made(a);
	default:
		break;
	}
	if (strncmp(attribute, "user.", 5) != 0)
		return pario_left(PARIO_LEFT_CONTROL);
	if (call->op == PARIO_OP_setxattr || call->op == PARIO_OP_lsetxattr)
		PARIO_REPLAY_TIMED(
			a, lsetxattr(reach, attribute, pario_replay_data(a, bytes), bytes, 0));
	else if (call->op == PARIO_OP_removexattr || call->op == PARIO_OP_lremovexattr)
		PARIO_REPLAY_TIMED(a, lremovexattr(reach, attribute));
	else
		return pario_left(PARIO_LEFT_CONTROL);
	return made(a);
}

/* ---- names that come and go ---- */

static int make_link(struct pario_replay_actor *a, const struct pario_trace_call *call,
		     const struct pario_replay_spot *spot)
{
	const struct pario_trace_file *link = pario_trace_file_of(a->replay->trace, call->file);
	const char *text =
		pario_trace_name_of(a->replay->trace, call->process, call->arguments.names.second);
	char target[PARIO_PLACE_CAPACITY], inside[2 * PARIO_PATH_CAPACITY];

	if (!pario_replay_link_place(link->name, *text ? text : "unknown", target))
		return pario_left(PARIO_LEFT_UNKNOWN);
	snprintf(inside, sizeof(inside), "%s/%s", a->replay->tree_path, target);
	PARIO_REPLAY_TIMED(a, symlinkat(inside, spot->at, spot->name));
	return made(a);
}

static int two_names(struct pario_replay_actor *a, const struct pario_trace_call *call,
		     const struct pario_replay_spot *spot)
{
	struct pario_replay_spot second;
	unsigned flags = call->arguments.names.flags;

	if (!pario_replay_spot(a, call->fd, call->other_file, &second))
		return pario_left(PARIO_LEFT_UNKNOWN);
	if (call->op == PARIO_OP_link || call->op == PARIO_OP_linkat)
		PARIO_REPLAY_TIMED(a, linkat(spot->at, spot->name, second.at, second.name, 0));
	else if (call->op == PARIO_OP_renameat2 && flags)
		PARIO_REPLAY_TIMED(a,
				   renameat2(spot->at, spot->name, second.at, second.name, flags));
	else
		PARIO_REPLAY_TIMED(a, renameat(spot->at, spot->name, second.at, second.name));
	return made(a);
}

static int change_names(struct pario_replay_actor *a, const struct pario_trace_call *call,
			const struct pario_replay_spot *spot)
{
	char reach[PARIO_PATH_CAPACITY];

	switch (call->op) {
	case PARIO_OP_mkdir:
	case PARIO_OP_mkdirat:
	case PARIO_OP_mkdtemp:
		PARIO_REPLAY_TIMED(a, mkdirat(spot->at, spot->name, 0700));
		return made(a);
	case PARIO_OP_rmdir:
		PARIO_REPLAY_TIMED(a, unlinkat(spot->at, spot->name, AT_REMOVEDIR));
		return made(a);
	case PARIO_OP_unlinkat:
		PARIO_REPLAY_TIMED(a, unlinkat(spot->at, spot->name,
					       (int)call->arguments.flags.value & AT_REMOVEDIR));
		return made(a);
	case PARIO_OP_unlink:
	case PARIO_OP_shm_unlink:
		PARIO_REPLAY_TIMED(a, unlinkat(spot->at, spot->name, 0));
		return made(a);
	case PARIO_OP_remove:
		whole(spot, reach);
		PARIO_REPLAY_TIMED(a, remove(reach));
		return made(a);
	case PARIO_OP_symlink:
	case PARIO_OP_symlinkat:
		return make_link(a, call, spot);
	case PARIO_OP_rename:
	case PARIO_OP_renameat:
	case PARIO_OP_renameat2:
	case PARIO_OP_link:
	case PARIO_OP_linkat:
		return two_names(a, call, spot);
	case PARIO_OP_chdir:
	case PARIO_OP_fchdir:
		if (!call->failed)
			pario_replay_go_to(a->process, call->file);
		return PARIO_NEEDLESS;
	default:
		return pario_left(PARIO_LEFT_CONTROL);
	}
}

int pario_replay_names(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	char reach[PARIO_PATH_CAPACITY];
	struct pario_replay_spot spot;

	if (call->class == PARIO_CLASS_LIST && call->op != PARIO_OP_opendir &&
	    call->op != PARIO_OP_getdents)
		return list(a, call);
	if (call->op == PARIO_OP_getcwd || call->op == PARIO_OP_realpath)
		return PARIO_NEEDLESS;
	if (!pario_replay_spot(a, call->fd, call->file, &spot))
		return pario_left(PARIO_LEFT_SOCKET);
	if (call->op == PARIO_OP_opendir)
		return open_directory(a, call, &spot);
	if (call->op == PARIO_OP_truncate) {
		whole(&spot, reach);
		PARIO_REPLAY_TIMED(a, truncate(reach, (off_t)call->size));
		return made(a);
	}
	if (call->class == PARIO_CLASS_STAT)
		return look(a, call, &spot);
	if (call->class == PARIO_CLASS_ATTR)
		return change_attributes(a, call, &spot);
	return change_names(a, call, &spot);
}
