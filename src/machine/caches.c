/*
 * caches: the table. ceph-fuse and MooseFS were tried (docs/cluster.md); the other rows say how these file systems
 * are built.
 */
#include "machine/caches.h"

#include <string.h>

#include "machine/machine.h"

#define SERVERS "the memory of the servers"
#define HOST	"the memory of the host"
#define DAEMON	"the FUSE daemon's cache"

/* The first row that fits counts. */
static const struct pario_caches table[] = {
	{ "nfs", NULL, NULL, false, SERVERS },
	{ "nfs4", NULL, NULL, false, SERVERS },
	{ "lustre", NULL, NULL, false, SERVERS },
	{ "gpfs", NULL, "the page pool of GPFS", true, SERVERS },
	{ "beegfs", NULL, "the client's own buffers", true, SERVERS },
	{ "ceph", NULL, NULL, false, SERVERS },
	{ "cifs", NULL, NULL, false, SERVERS },
	{ "smb3", NULL, NULL, false, SERVERS },
	{ "pvfs2", NULL, NULL, false, SERVERS },
	{ "orangefs", NULL, NULL, false, SERVERS },
	{ "wekafs", NULL, "the client's own cache", true, SERVERS },
	{ "panfs", NULL, "the client's own cache", true, SERVERS },
	{ "afs", NULL, "the cache on this machine's disk", false, SERVERS },
	{ "gfs2", NULL, NULL, false, "the memory of the shared storage" },
	{ "ocfs2", NULL, NULL, false, "the memory of the shared storage" },
	{ "9p", NULL, NULL, false, HOST },
	{ "virtiofs", NULL, NULL, false, HOST },
	{ "vboxsf", NULL, NULL, false, HOST },
	{ "drvfs", NULL, NULL, false, HOST },
	{ "zfs", NULL, "ZFS's own cache (ARC)", false, NULL },
	{ "fuse.ceph-fuse", NULL, "the cache of ceph-fuse", true, SERVERS },
	{ "fuse.glusterfs", NULL, "the caches of the GlusterFS client", true, SERVERS },
	{ "fuse.mfs", NULL, "the buffers of mfsmount", false, SERVERS },
	{ "fuse", "mfs#", "the buffers of mfsmount", false, SERVERS },
	{ "fuse.dfuse", NULL, "the cache of dfuse", true, SERVERS },
	{ "fuse.sshfs", NULL, NULL, false, SERVERS },
	{ "fuseblk", NULL, DAEMON, false, NULL },
	{ "fuse", NULL, DAEMON, false, "whatever is behind it" },
	{ "fuse.*", NULL, DAEMON, false, "whatever is behind it" },
	{ "*", NULL, NULL, false, NULL },
};

static bool fits(const char *pattern, const char *text)
{
	size_t n = strcspn(pattern, "*");

	return pattern[n] ? strncmp(text, pattern, n) == 0 : strcmp(text, pattern) == 0;
}

const struct pario_caches *pario_caches_of(const char *type, const char *source)
{
	const struct pario_caches *row = table;

	while (!fits(row->type, type) ||
	       (row->source && strncmp(source, row->source, strlen(row->source)) != 0))
		row++;
	return row;
}

const struct pario_caches *pario_machine_caches(const char *directory)
{
	static const struct pario_caches unknown = { .type = "",
						     .beyond = "those of an unknown file system" };
	struct pario_mount mount;

	if (pario_machine_mount(directory, &mount) < 0)
		return &unknown;
	return pario_caches_of(mount.type, mount.device);
}
