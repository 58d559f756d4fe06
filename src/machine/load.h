/*
 * load: what else a node does, and what a process got of it. Counters since some moment: two readings are compared.
 */
#ifndef PARIO_MACHINE_LOAD_H
#define PARIO_MACHINE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

enum pario_pressure { PARIO_PRESSURE_CPU, PARIO_PRESSURE_IO, PARIO_PRESSURE_MEMORY };
enum { PARIO_PRESSURES = 3 };

/* What the kernel does not tell is NaN. */
struct pario_node_load {
	int64_t ns;	/* when it was read */
	double user_s;	/* of all processors together, in programs */
	double steal_s; /* taken by the hypervisor, likewise */
	double throttled_s; /* how long a quota of a cgroup has stopped its processes, the worst of those above this one */
	double pressure_s[PARIO_PRESSURES]; /* how long somebody waited for it */
	uint64_t running;		    /* processes that run or want to, just now */
	uint64_t processors;
};

/* Of this process and the children it has waited for. */
struct pario_own_load {
	double user_s;
	double waited_s; /* ready to run, without a processor; the thread that started the process */
	uint64_t switches; /* taken from a processor against its will */
};

/* `root` stands before the names of the kernel's files: "", or a directory of a test. */
void pario_load_node(const char *root, struct pario_node_load *load);
void pario_load_own(const char *root, struct pario_own_load *load);

/* The waited_s of it alone, which is one small file. */
double pario_load_waited(const char *root);

#endif
