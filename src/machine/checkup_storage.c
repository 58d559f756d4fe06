/*
 * checkup_storage: the directory that would be measured: can it be written to, on what does it lie, what is free. Each
 * kind of file system has its own way to mislead; those that have none are good.
 */
#include "machine/checkup_private.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/room.h"
#include "machine/machine_private.h"

#define MEMORY	  "It lives in memory: no storage device is measured."
#define ELSEWHERE "Name a directory on the storage you want to know about."
#define HOST	  "Files live on the host, whose cache cannot be emptied from here."
#define ON_HOST	  "Measure on the host, or on a disk of this machine."
#define READ_ONLY "It can only be read: pario cannot make its files."
#define SERVERS \
	"Data go to servers whose caches cannot be emptied from here: a read that is proved cold on this client may come from their memory."
#define MORE_DATA "Use more data than the servers' memory, and clients on several nodes."
#define PROCESS \
	"Every call passes through a process: its processor time and its own caches are part of the number."
#define WATCH "Watch that process (top) while measuring."
#define OBJECTS \
	"Files are objects of a web store: metadata are emulated, writes may reach it only at close, small transfers cost a request each."

static const struct {
	const char *type; /* a star at its end: whatever follows */
	enum pario_finding_level level;
	const char *consequence, *remedy;
} kinds[] = {
	{ "tmpfs", PARIO_FINDING_LOOK, MEMORY, ELSEWHERE },
	{ "ramfs", PARIO_FINDING_LOOK, MEMORY, ELSEWHERE },
	{ "devtmpfs", PARIO_FINDING_LOOK, MEMORY, ELSEWHERE },
	{ "hugetlbfs", PARIO_FINDING_LOOK, MEMORY, ELSEWHERE },
	{ "rootfs", PARIO_FINDING_LOOK, MEMORY, ELSEWHERE },
	{ "overlay", PARIO_FINDING_LOOK,
	  "A container's layered file system: the first write to a file copies it, metadata take longer.",
	  "Measure a mounted volume instead." },
	{ "aufs", PARIO_FINDING_LOOK,
	  "A layered file system: the first write to a file copies it, metadata take longer.",
	  "Measure a mounted volume instead." },
	{ "ecryptfs", PARIO_FINDING_KNOW,
	  "Everything is encrypted on the way: the processor is part of the number, and data are cached twice.",
	  "Say so with the numbers, or measure the file system below." },
	{ "nfs*", PARIO_FINDING_KNOW,
	  "Attributes are cached for seconds and data go out at close: times of close and fsync count, and other clients see changes late. The server's cache cannot be emptied from here.",
	  "Use more data than the server's memory; look at the mount options (sync, actimeo, nconnect)." },
	{ "lustre", PARIO_FINDING_KNOW,
	  "Striping of the directory decides about shared files: one stripe uses one server.",
	  "lfs setstripe -c -1 DIR for large shared files; note it with --label." },
	{ "gpfs", PARIO_FINDING_KNOW,
	  "It caches in a pool of its own (pagepool), not in the page cache, so cold reads cannot be proved; tokens pass between nodes that write to one file.",
	  "Use more data than the pagepool (mmlsconfig pagepool), and blocks aligned to its block size." },
	{ "beegfs", PARIO_FINDING_KNOW,
	  "Striping of the directory decides about shared files, and the client's cache mode about small transfers.",
	  "beegfs-ctl --getentryinfo DIR; note pattern and tuneFileCacheType with --label." },
	{ "ceph", PARIO_FINDING_KNOW,
	  "Clients lose their caches as soon as several of them have a file open for writing; data are replicated before a write is done.",
	  "Compare --layout per_client and shared; use more data than the servers' memory." },
	{ "pvfs2", PARIO_FINDING_KNOW,
	  "Clients cache no data: small transfers go to the servers one by one.",
	  "Use large transfers or --collective 1, and more data than the servers' memory." },
	{ "orangefs", PARIO_FINDING_KNOW,
	  "Clients cache few data: small transfers go to the servers one by one.",
	  "Use large transfers or --collective 1, and more data than the servers' memory." },
	{ "wekafs", PARIO_FINDING_KNOW, SERVERS, MORE_DATA },
	{ "panfs", PARIO_FINDING_KNOW, SERVERS, MORE_DATA },
	{ "afs", PARIO_FINDING_KNOW,
	  "Files are copied to a cache on this machine's disk and go back at close: reads after the first measure that disk.",
	  "Look at times of open and close, or measure another file system." },
	{ "cifs", PARIO_FINDING_KNOW, SERVERS,
	  "Check the mount options (cache=, vers=); use more data than the server's memory." },
	{ "smb3", PARIO_FINDING_KNOW, SERVERS,
	  "Check the mount options (cache=, vers=); use more data than the server's memory." },
	{ "zfs", PARIO_FINDING_KNOW,
	  "It caches outside the page cache (ARC), so cold reads cannot be proved, and it may compress.",
	  "Use more data than the ARC holds, or primarycache=metadata on a test data set." },
	{ "btrfs", PARIO_FINDING_KNOW,
	  "Every rewrite goes to a new place, with checksums: rewriting is no faster than writing.",
	  "Say so with the numbers, or chattr +C on an empty directory." },
	{ "bcachefs", PARIO_FINDING_KNOW,
	  "Every rewrite goes to a new place, with checksums, and data may lie on a faster device first.",
	  "Say so with the numbers, and use more data than the faster device holds." },
	{ "f2fs", PARIO_FINDING_KNOW,
	  "It writes a log: random writes look sequential until it has to clean up.",
	  "Measure longer than the free space lasts (--time_limit), or on a file system half full." },
	{ "nilfs2", PARIO_FINDING_KNOW,
	  "It writes a log: random writes look sequential until it has to clean up.",
	  "Measure longer than the free space lasts (--time_limit), or on a file system half full." },
	{ "vfat", PARIO_FINDING_LOOK,
	  "Files end at 4 GiB, are allocated block by block, and many of them in one directory are searched one by one.",
	  "Use another file system unless this one is the subject." },
	{ "exfat", PARIO_FINDING_KNOW,
	  "It has no journal and no sparse files: preallocation writes zeros.",
	  "Drop --preallocate, and say so with the numbers." },
	{ "fuseblk", PARIO_FINDING_KNOW, PROCESS, WATCH },
	{ "iso9660", PARIO_FINDING_BAD, READ_ONLY, ELSEWHERE },
	{ "squashfs", PARIO_FINDING_BAD, READ_ONLY, ELSEWHERE },
	{ "erofs", PARIO_FINDING_BAD, READ_ONLY, ELSEWHERE },
	{ "9p", PARIO_FINDING_KNOW, HOST, ON_HOST },
	{ "virtiofs", PARIO_FINDING_KNOW, HOST, ON_HOST },
	{ "vboxsf", PARIO_FINDING_KNOW, HOST, ON_HOST },
	{ "drvfs", PARIO_FINDING_KNOW, HOST, ON_HOST },
	{ "fuse.glusterfs", PARIO_FINDING_KNOW, SERVERS, MORE_DATA },
	{ "fuse.ceph-fuse", PARIO_FINDING_KNOW, SERVERS, MORE_DATA },
	{ "fuse.dfuse", PARIO_FINDING_KNOW, SERVERS, MORE_DATA },
	{ "fuse.s3fs", PARIO_FINDING_LOOK, OBJECTS,
	  "Use large transfers, and look at the time of close." },
	{ "fuse.gcsfuse", PARIO_FINDING_LOOK, OBJECTS,
	  "Use large transfers, and look at the time of close." },
	{ "fuse.goofys", PARIO_FINDING_LOOK, OBJECTS,
	  "Use large transfers, and look at the time of close." },
	{ "fuse.*", PARIO_FINDING_KNOW, PROCESS, WATCH },
	{ "fuse", PARIO_FINDING_KNOW, PROCESS, WATCH },
};

static bool is_kind(const char *type, const char *pattern)
{
	size_t n = strlen(pattern) - 1;

	return pattern[n] == '*' ? strncmp(type, pattern, n) == 0 : strcmp(type, pattern) == 0;
}

static void check_kind(struct pario_doctor *d, const struct pario_mount *m)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (is_kind(m->type, kinds[i].type)) {
			pario_doctor_advise(pario_doctor_find(d, kinds[i].level, "file system",
							      "%.80s, mounted at %.120s", m->type,
							      m->point),
					    kinds[i].consequence, kinds[i].remedy);
			return;
		}
	}
	pario_doctor_find(d, PARIO_FINDING_GOOD, "file system", "%.80s, mounted at %.100s%s%.60s",
			  m->type, m->point, *m->detail ? ": " : "", m->detail);
}

static const char *because(char why[96], int number)
{
	snprintf(why, 96, ": %s (%s)", strerror(number), pario_err_name(number));
	return why;
}

/* Can a directory be made in it? Asked, not tried. */
static bool check_directory(struct pario_doctor *d)
{
	const char *directory = d->checkup->directory;
	struct stat s;
	char why[96];

	if (stat(directory, &s) < 0) {
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_BAD, "directory",
						      errno == ENOENT ? "%.160s is not there%s"
								      : "%.160s cannot be seen%s",
						      directory, because(why, errno)),
				    "Nothing can be measured in it.",
				    "Make it, or name another directory.");
		return false;
	}
	if (!S_ISDIR(s.st_mode)) {
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_BAD, "directory",
						      "%.160s is not a directory", directory),
				    "Nothing can be measured in it.",
				    "Name the directory that holds it.");
		return false;
	}
	if (access(directory, W_OK | X_OK) < 0)
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_BAD, "directory",
						      "%.160s cannot be written to%s", directory,
						      because(why, errno)),
				    "pario makes its files in a directory of its own inside it.",
				    "Name another directory, or get the right to write there.");
	return true;
}

static void check_space(struct pario_doctor *d, const struct pario_mount *m)
{
	uint64_t memory = pario_machine_memory_node();
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	if (m->free_bytes == PARIO_ROOM_UNKNOWN)
		pario_doctor_find(d, PARIO_FINDING_KNOW, "free space",
				  "the file system does not tell how much is free");
	else if (m->free_bytes < (UINT64_C(1) << 20))
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_BAD, "free space",
						      "the file system is full"),
				    "Nothing can be written.",
				    "Make room, or name another directory.");
	else if (m->free_bytes < (UINT64_C(1) << 30))
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_LOOK, "free space", "only %s are free",
					  pario_units_size(a, m->free_bytes)),
			"Even a glance needs about 1 GiB, and file systems that are nearly full are slow.",
			"Make room, or name another directory.");
	else if (m->free_bytes < 2 * memory && strcmp(m->type, "tmpfs") != 0)
		pario_doctor_advise(
			pario_doctor_find(
				d, PARIO_FINDING_KNOW, "free space", "%s are free, memory is %s",
				pario_units_size(a, m->free_bytes), pario_units_size(b, memory)),
			"Much of what fits here also fits into the page cache: only reads that are proved cold speak of the storage.",
			"Look at the proof beside every read, or use a larger file system.");
	else
		pario_doctor_find(d, PARIO_FINDING_GOOD, "free space", "%s are free",
				  pario_units_size(a, m->free_bytes));
	if (m->total_bytes != PARIO_ROOM_UNKNOWN && m->free_bytes >= (UINT64_C(1) << 30) &&
	    m->free_bytes < m->total_bytes / 10)
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_LOOK, "fill level",
					  "the file system is %.0f %% full",
					  100 - 100 * (double)m->free_bytes /
							  (double)m->total_bytes),
			"Free blocks lie scattered, and many file systems and SSDs get slow when they are nearly full.",
			"Make room, or say so with the numbers.");
}

void pario_doctor_storage(struct pario_doctor *d)
{
	struct pario_mount m;

	if (!check_directory(d) || pario_machine_mount(d->checkup->directory, &m) < 0)
		return;
	if (*d->checkup->kind)
		snprintf(m.type, sizeof(m.type), "%s", d->checkup->kind);
	check_kind(d, &m);
	if (pario_mountinfo_has(m.options, "sync"))
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_LOOK, "mount options",
						      "the file system is mounted sync"),
				    "Every write waits for the device.",
				    "mount -o remount,async, unless that is the subject.");
	check_space(d, &m);
	if (m.free_inodes < 10000)
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_LOOK, "free inodes",
					  "only %llu files can be made",
					  (unsigned long long)m.free_inodes),
			"metadata and smallfiles stop with ENOSPC, whatever space is free.",
			"Remove files, or name another directory.");
}
