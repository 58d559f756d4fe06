/*
 * machine_private: what the parts of machine (cpu.c, memory.c, mount.c) offer to machine.c and to their tests. The
 * files of the kernel are named by the caller, so that a test can show them a machine other than its own.
 */
#ifndef PARIO_MACHINE_MACHINE_PRIVATE_H
#define PARIO_MACHINE_MACHINE_PRIVATE_H

#include <sys/types.h>

#include "base/text.h"
#include "machine/machine.h"

#define PARIO_MOUNTINFO "/proc/self/mountinfo"
#define PARIO_CGROUP	"/proc/self/cgroup"

/* One line of mountinfo; the strings point into the line, decoded. */
struct pario_mountinfo {
	dev_t device;
	char *root, *point, *options, *type, *source, *super;
};

/* False when the line is not of the form that proc(5) describes. Changes the line. */
bool pario_mountinfo_parse(char *line, struct pario_mountinfo *mount);

/* Whether a list like "rw,memory" has the word. */
bool pario_mountinfo_has(const char *list, const char *word);

/* What the kernel knows about the disk below a file system. */
struct pario_disk {
	char name[64], model[128], scheduler[64];
	char parts[128]; /* the disks it is put together from, "" for a disk of its own */
	uint64_t size_bytes;
	int rotational; /* -1 = not known */
};

/* The line of `mountinfo` for a path without links that lies on `device`; -1 when there is none. */
int pario_mount_find(const char *mountinfo, const char *path, dev_t device,
		     struct pario_mount *mount, dev_t *backing);

/* What a directory of /sys says about the disk or partition; leaves alone what it does not tell. */
void pario_disk_read(const char *directory, struct pario_disk *disk);

/* Adds what a Lustre layout says about striping; nothing when it is of a kind not known here. */
void pario_mount_layout(struct pario_text *text, const void *layout, size_t length);

/* As pario_machine_mount(), and tells what is known even when it returns -1. */
int pario_mount_describe(const char *directory, struct pario_mount *mount, struct pario_disk *disk);

/* The member "nodes". */
void pario_nodes_write(struct pario_json *json, const struct pario_nodes *nodes);

/* The tightest of the cgroups' bounds; UINT64_MAX where there is none. */
struct pario_bounds {
	uint64_t limit_bytes, available_bytes;
};

/* Limits of `node_bytes` and more are the kernel's way to say that there is none. */
struct pario_bounds pario_memory_bounds(const char *mountinfo, const char *cgroup,
					uint64_t node_bytes);

/* Name of the processor according to a file like /proc/cpuinfo; "" when it has none. *virtualised: -1 = not told. */
void pario_cpu_name(const char *cpuinfo, char *name, size_t capacity, int *virtualised);

/* 0 where the kernel does not tell, but at least one core. Cores are what the kernel schedules on. */
uint64_t pario_cpu_cores(void);
uint64_t pario_cpu_threads_per_core(const char *cpu_directory);
uint64_t pario_cpu_sockets(const char *cpu_directory);
uint64_t pario_cpu_numa_nodes(void);

/* The node's shape as hwloc's synthetic description, "" when hwloc is not in this build. */
void pario_machine_topology(char *text, size_t capacity);

#endif
