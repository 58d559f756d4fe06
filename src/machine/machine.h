/*
 * machine: what the numbers were measured on, so that they mean something later and elsewhere.
 */
#ifndef PARIO_MACHINE_MACHINE_H
#define PARIO_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "comm/comm.h"

/* The mount that a directory lies on. */
struct pario_mount {
	char type[64], device[256], point[512], options[512];
	char detail
		[256]; /* what is known beyond it: stripe count, disk model, scheduler; may be "" */
	uint64_t free_bytes, total_bytes, free_inodes; /* PARIO_ROOM_UNKNOWN = not told */
};

/* Memory that this process may still use: what the kernel calls available, less where a cgroup allows less. */
uint64_t pario_machine_memory_available(void);
uint64_t pario_machine_memory_node(void);  /* the node's, whatever a cgroup allows */
uint64_t pario_machine_memory_total(void); /* the node's, or the cgroup's limit where it is lower */

/* The last-level caches of the node: bytes of one, and how many; 64 MiB and 1 where the kernel does not tell. */
struct pario_last_cache {
	uint64_t bytes, count;
};

#define PARIO_CPU_DIR "/sys/devices/system/cpu"

struct pario_last_cache pario_machine_last_cache(const char *cpu_directory);

/*
 * May others change what lies there without this node's kernel knowing? So it is with network file systems, and nobody
 * can tell it of what FUSE programs serve.
 */
bool pario_machine_remote(const char *directory);

/* 0, or -1 when /proc/self/mountinfo does not tell. */
int pario_machine_mount(const char *directory, struct pario_mount *mount);

/* How files of a directory are spread over servers, as the file system's own tool tells; see stripes.c. */
struct pario_stripes {
	const char *tool;
	uint64_t count, size_bytes; /* 0 = not told */
	bool all;		    /* over as many servers as there are */
	char text[96];
};

/* False where there is nothing to tell. Both start a program. */
bool pario_stripes_read(const char *directory, struct pario_stripes *stripes);
/* For what will be made in this directory: count is a number, "all", or "" for no change, size 0 for none. */
int pario_stripes_set(const char *directory, const char *count, uint64_t size,
		      struct pario_err *err);
bool pario_stripes_settable(const char *directory);

/* A node of the run: its first client's words. */
struct pario_node {
	char host[64];
	uint64_t clients, memory_available, memory_total;
	char cores[512]; /* which cores its clients may use: one list for all, or theirs in order */
};

struct pario_nodes {
	struct pario_node *list; /* client 0 only, in order of the nodes */
	size_t count;
};

/* Collective over the world. */
int pario_nodes_gather(struct pario_nodes *nodes, const struct pario_comm *world,
		       struct pario_err *err);
void pario_nodes_release(struct pario_nodes *nodes);

/*
 * Writes the member "machine" for the directory that is measured: host, kernel, architecture, CPU model, sockets,
 * cores, memory, cgroup limits, NUMA nodes, governor, MPI (library version, flavour, clients, clients per node), nodes,
 * filesystem (pario_mount), write-back settings (vm.dirty_*), I/O scheduler and rotational flag of the device, limits
 * (open files, file size, locked memory), libraries (versions of the backends), clock source, job ids of batch systems,
 * then the member "environment" (allow-list: PARIO_*, OMPI_MCA_*, MPICH_*, ROMIO_*, FI_*, UCX_*, SLURM_JOB_ID,
 * PBS_JOBID, OMP_NUM_THREADS ...; names with TOKEN, PASS, KEY, SECRET are written as "(hidden)").
 */
void pario_machine_write(struct pario_json *json, const struct pario_comm *world,
			 const struct pario_nodes *nodes, const char *directory);

/* One line for people: "node17, 16 cores, 64 GiB · /scratch: lustre · Open MPI 4.1.4". */
void pario_machine_line(char *text, size_t capacity, const char *directory);

#endif
