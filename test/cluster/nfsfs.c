/*
 * nfsfs: mounts an export of an NFS server without the kernel's NFS client, which many kernels of test machines lack:
 * libnfs below FUSE. It keeps no data and no attributes itself; what is cached is the kernel's, as of any FUSE file
 * system, and locks hold on one node only, as with the mount option nolock.
 *
 *	nfsfs SERVER EXPORT MOUNTPOINT [FUSE OPTIONS]
 */
#define FUSE_USE_VERSION 32

#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <nfsc/libnfs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <time.h>

static struct nfs_context *nfs; /* FUSE calls from one thread: a context is not made for more */

static struct nfsfh *handle_of(const struct fuse_file_info *fi)
{
	return (struct nfsfh *)(uintptr_t)fi->fh;
}

static int fs_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	struct nfs_stat_64 s;
	int rc = fi ? nfs_fstat64(nfs, handle_of(fi), &s) : nfs_lstat64(nfs, path, &s);

	if (rc < 0)
		return rc;
	*st = (struct stat){ .st_ino = s.nfs_ino,
			     .st_mode = (mode_t)s.nfs_mode,
			     .st_nlink = s.nfs_nlink,
			     .st_uid = (uid_t)s.nfs_uid,
			     .st_gid = (gid_t)s.nfs_gid,
			     .st_size = (off_t)s.nfs_size,
			     .st_blksize = (blksize_t)s.nfs_blksize,
			     .st_blocks = (blkcnt_t)((s.nfs_used + 511) / 512),
			     .st_atim = { (time_t)s.nfs_atime, (long)s.nfs_atime_nsec },
			     .st_mtim = { (time_t)s.nfs_mtime, (long)s.nfs_mtime_nsec },
			     .st_ctim = { (time_t)s.nfs_ctime, (long)s.nfs_ctime_nsec } };
	return 0;
}

static int fs_readlink(const char *path, char *target, size_t size)
{
	return nfs_readlink(nfs, path, target, (int)size);
}

static int fs_mkdir(const char *path, mode_t mode)
{
	return nfs_mkdir2(nfs, path, (int)mode);
}

static int fs_unlink(const char *path)
{
	return nfs_unlink(nfs, path);
}

static int fs_rmdir(const char *path)
{
	return nfs_rmdir(nfs, path);
}

static int fs_symlink(const char *target, const char *path)
{
	return nfs_symlink(nfs, target, path);
}

static int fs_rename(const char *from, const char *to, unsigned flags)
{
	return flags ? -EINVAL : nfs_rename(nfs, from, to);
}

static int fs_link(const char *from, const char *to)
{
	return nfs_link(nfs, from, to);
}

static int fs_chmod(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	(void)fi;
	return nfs_lchmod(nfs, path, (int)(mode & 07777));
}

static int fs_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *fi)
{
	(void)fi;
	return nfs_lchown(nfs, path, (int)uid, (int)gid);
}

static int fs_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	return fi ? nfs_ftruncate(nfs, handle_of(fi), (uint64_t)size)
		  : nfs_truncate(nfs, path, (uint64_t)size);
}

static int fs_utimens(const char *path, const struct timespec t[2], struct fuse_file_info *fi)
{
	struct timespec now, was[2];
	struct timeval times[2];
	struct stat st;
	int rc = fs_getattr(path, &st, NULL);

	(void)fi;
	if (rc < 0)
		return rc;
	clock_gettime(CLOCK_REALTIME, &now);
	was[0] = st.st_atim;
	was[1] = st.st_mtim;
	for (int i = 0; i < 2; i++) {
		const struct timespec *from = t[i].tv_nsec == UTIME_NOW	   ? &now
					      : t[i].tv_nsec == UTIME_OMIT ? &was[i]
									   : &t[i];

		times[i] = (struct timeval){ from->tv_sec, from->tv_nsec / 1000 };
	}
	return nfs_lutimes(nfs, path, times);
}

static int fs_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	struct nfsfh *handle;
	int rc = nfs_open2(nfs, path, O_RDWR | O_CREAT | (fi->flags & (O_EXCL | O_TRUNC)),
			   (int)(mode & 07777), &handle);

	if (rc == 0)
		fi->fh = (uint64_t)(uintptr_t)handle;
	return rc;
}

static int fs_open(const char *path, struct fuse_file_info *fi)
{
	struct nfsfh *handle;
	/* The kernel reads the pages around what a writer writes. */
	int how = (fi->flags & O_ACCMODE) == O_RDONLY ? O_RDONLY : O_RDWR;
	int rc = nfs_open(nfs, path, how | (fi->flags & O_TRUNC), &handle);

	if (rc == 0)
		fi->fh = (uint64_t)(uintptr_t)handle;
	return rc;
}

static int fs_release(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	return nfs_close(nfs, handle_of(fi));
}

static int fs_read(const char *path, char *data, size_t size, off_t at, struct fuse_file_info *fi)
{
	size_t done = 0;

	(void)path;
	while (done < size) {
		int n = nfs_pread(nfs, handle_of(fi), (uint64_t)at + done, size - done,
				  data + done);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int)done;
}

static int fs_write(const char *path, const char *data, size_t size, off_t at,
		    struct fuse_file_info *fi)
{
	size_t done = 0;

	(void)path;
	while (done < size) {
		int n = nfs_pwrite(nfs, handle_of(fi), (uint64_t)at + done, size - done,
				   data + done);

		if (n <= 0)
			return n < 0 ? n : -EIO;
		done += (size_t)n;
	}
	return (int)done;
}

static int fs_fsync(const char *path, int datasync, struct fuse_file_info *fi)
{
	(void)path;
	(void)datasync;
	return nfs_fsync(nfs, handle_of(fi));
}

static int fs_readdir(const char *path, void *list, fuse_fill_dir_t fill, off_t at,
		      struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	struct nfsdir *dir;
	struct nfsdirent *entry;
	int rc = nfs_opendir(nfs, path, &dir);

	(void)at;
	(void)fi;
	(void)flags;
	if (rc < 0)
		return rc;
	while ((entry = nfs_readdir(nfs, dir)) != NULL) {
		struct stat st = { .st_ino = entry->inode, .st_mode = entry->mode };

		if (fill(list, entry->name, &st, 0, 0) != 0)
			break;
	}
	nfs_closedir(nfs, dir);
	return 0;
}

static int fs_statfs(const char *path, struct statvfs *st)
{
	return nfs_statvfs(nfs, path, st);
}

static void *fs_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	(void)connection;
	config->use_ino = 1;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = fs_init,
	.getattr = fs_getattr,
	.readlink = fs_readlink,
	.mkdir = fs_mkdir,
	.unlink = fs_unlink,
	.rmdir = fs_rmdir,
	.symlink = fs_symlink,
	.rename = fs_rename,
	.link = fs_link,
	.chmod = fs_chmod,
	.chown = fs_chown,
	.truncate = fs_truncate,
	.utimens = fs_utimens,
	.create = fs_create,
	.open = fs_open,
	.release = fs_release,
	.read = fs_read,
	.write = fs_write,
	.fsync = fs_fsync,
	.readdir = fs_readdir,
	.statfs = fs_statfs,
};

int main(int argc, char **argv)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);

	if (argc < 4) {
		fprintf(stderr, "nfsfs SERVER EXPORT MOUNTPOINT [FUSE OPTIONS]\n");
		return 2;
	}
	/* in the foreground: the connection would not survive a fork that closes descriptors */
	fuse_opt_add_arg(&args, argv[0]);
	fuse_opt_add_arg(&args, "-f");
	fuse_opt_add_arg(&args, "-s");
	for (int i = 3; i < argc; i++)
		fuse_opt_add_arg(&args, argv[i]);
	nfs = nfs_init_context();
	if (!nfs || nfs_mount(nfs, argv[1], argv[2]) < 0) {
		fprintf(stderr, "nfsfs: %s:%s cannot be mounted: %s\n", argv[1], argv[2],
			nfs ? nfs_get_error(nfs) : "no memory");
		return 1;
	}
	nfs_umask(nfs, 0);
	return fuse_main(args.argc, args.argv, &operations, NULL);
}
