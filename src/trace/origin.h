/*
 * origin: did the program ask for a call, or the runtime beneath it: the loader, the MPI library and its launcher, the
 * interpreter that reads its modules?
 *
 * A call is the runtime's when the code that made it lies in one of its libraries and no call of the program stands
 * around it, when MPI starts, when it is on a file only the runtime knows, and when its process is a launcher. What
 * MPI-IO does with the program's files is the program's.
 */
#ifndef PARIO_TRACE_ORIGIN_H
#define PARIO_TRACE_ORIGIN_H

#include <stdbool.h>

#include "trace/job.h"

struct pario_origins {
	uint8_t *modules, *files, *processes; /* enum, by number: what their names say */
	bool *started;			      /* by process: MPI has started */
	struct {
		uint64_t site;
		uint32_t process, module;
	} looked_up[1024]; /* modules of call sites, by a hash */
};

/* false: no memory. */
bool pario_origins_init(struct pario_origins *o, const struct pario_job *job);
void pario_origins_release(struct pario_origins *o);

/* Calls of a thread are asked for in their order. */
bool pario_origin_is_runtime(struct pario_origins *o, const struct pario_job *job, uint32_t process,
			     uint32_t file, const struct pario_trace_record *call);

#endif
