/*
 * medium: by names: what a path or the text of a descriptor says. No file is looked at, which may be another one by
 * now.
 */
#include "trace/medium.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "trace/format.h"

const char *const pario_medium_names[PARIO_MEDIA] = {
	"storage", "pipes",  "sockets",	  "terminals", "/proc and /sys", "devices",
	"memory",  "events", "processes", "messages",  "the runtime",
};

/* The first that a name begins with counts. What is below /dev and not listed is a device, all else is storage. */
static const struct {
	const char *begins;
	enum pario_medium medium;
} rules[] = {
	{ "pipe:[", PARIO_MEDIUM_PIPE },
	{ "socket:[", PARIO_MEDIUM_SOCKET },
	{ "anon_inode:", PARIO_MEDIUM_EVENTS },
	{ "/memfd:", PARIO_MEDIUM_MEMORY },
	{ "/dev/zero (deleted)", PARIO_MEDIUM_MEMORY },
	{ "/SYSV", PARIO_MEDIUM_MEMORY },
	{ "/anon_hugepage", PARIO_MEDIUM_MEMORY },
	{ "/dev/pts/", PARIO_MEDIUM_TERMINAL },
	{ "/dev/tty", PARIO_MEDIUM_TERMINAL },
	{ "/dev/ptmx", PARIO_MEDIUM_TERMINAL },
	{ "/dev/console", PARIO_MEDIUM_TERMINAL },
	{ "/proc/", PARIO_MEDIUM_KERNEL },
	{ "/sys/", PARIO_MEDIUM_KERNEL },
	/* a file system, and block devices and tapes */
	{ "/dev/shm/", PARIO_MEDIUM_STORAGE },
	{ "/dev/hugepages/", PARIO_MEDIUM_MEMORY },
	{ "/dev/mapper/control", PARIO_MEDIUM_DEVICE },
	{ "/dev/mapper/", PARIO_MEDIUM_STORAGE },
	{ "/dev/disk/", PARIO_MEDIUM_STORAGE },
	{ "/dev/loop-control", PARIO_MEDIUM_DEVICE },
	{ "/dev/sd", PARIO_MEDIUM_STORAGE },
	{ "/dev/nvme", PARIO_MEDIUM_STORAGE },
	{ "/dev/vd", PARIO_MEDIUM_STORAGE },
	{ "/dev/xvd", PARIO_MEDIUM_STORAGE },
	{ "/dev/hd", PARIO_MEDIUM_STORAGE },
	{ "/dev/sr", PARIO_MEDIUM_STORAGE },
	{ "/dev/md", PARIO_MEDIUM_STORAGE },
	{ "/dev/dm-", PARIO_MEDIUM_STORAGE },
	{ "/dev/loop", PARIO_MEDIUM_STORAGE },
	{ "/dev/ram", PARIO_MEDIUM_STORAGE },
	{ "/dev/zram", PARIO_MEDIUM_STORAGE },
	{ "/dev/pmem", PARIO_MEDIUM_STORAGE },
	{ "/dev/dax", PARIO_MEDIUM_STORAGE },
	{ "/dev/nbd", PARIO_MEDIUM_STORAGE },
	{ "/dev/rbd", PARIO_MEDIUM_STORAGE },
	{ "/dev/mmcblk", PARIO_MEDIUM_STORAGE },
	{ "/dev/st", PARIO_MEDIUM_STORAGE },
	{ "/dev/nst", PARIO_MEDIUM_STORAGE },
	{ "/dev/", PARIO_MEDIUM_DEVICE },
};

/* The kernel's own names, "mnt:[4026531840]", as in /proc/self/ns. */
static bool has_mark(const char *name)
{
	const char *mark = strstr(name, ":[");

	return mark && !strchr(name, '/') && name[strlen(name) - 1] == ']';
}

enum pario_medium pario_medium_of_name(const char *name)
{
	/* the names of standard streams are no tapes */
	if (strncmp(name, "/dev/std", strlen("/dev/std")) == 0)
		return PARIO_MEDIUM_DEVICE;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (strncmp(name, rules[i].begins, strlen(rules[i].begins)) == 0)
			return rules[i].medium;
	}
	if (strcmp(name, "/proc") == 0 || strcmp(name, "/sys") == 0)
		return PARIO_MEDIUM_KERNEL;
	return has_mark(name) ? PARIO_MEDIUM_KERNEL : PARIO_MEDIUM_STORAGE;
}

enum pario_medium pario_medium_of_call(enum pario_medium of_file, uint32_t file, uint8_t layer)
{
	if (layer == PARIO_TRACE_MPI)
		return PARIO_MEDIUM_MESSAGE;
	if (layer == PARIO_TRACE_PROCESS)
		return PARIO_MEDIUM_PROCESS;
	return file ? of_file : PARIO_MEDIUM_STORAGE;
}
