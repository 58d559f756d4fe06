/*
 * origin: by names of libraries, files and programs, which are rows of tables.
 */
#include "trace/origin.h"

#include <stdlib.h>
#include <string.h>

enum origin { PROGRAM, BENEATH, MPI, PYTHON, IMPORT, LAUNCHER, ANYBODY };

struct row {
	const char *name;
	enum origin origin;
};

/* How names of libraries begin. Those BENEATH never touch a file of the program; MPI does, for MPI-IO. */
static const struct row libraries[] = {
	{ "ld-linux", BENEATH },
	{ "ld-musl", BENEATH },
	{ "libmpi", MPI },
	{ "libopen-", MPI },
	{ "libprrte", BENEATH },
	{ "libpmix", BENEATH },
	{ "mca_", MPI },
	{ "libucp", BENEATH },
	{ "libucs", BENEATH },
	{ "libuct", BENEATH },
	{ "libucm", BENEATH },
	{ "libfabric", BENEATH },
	{ "libpciaccess", BENEATH },
	{ "libpsm", BENEATH },
	{ "libibverbs", BENEATH },
	{ "libhwloc", BENEATH },
	{ "libevent_core", BENEATH },
	{ "libevent-2", BENEATH },
	{ "libpmi", BENEATH },
	{ "<frozen ", IMPORT },
	{ "python3", PYTHON },
	{ "libpython", PYTHON },
	{ "python", PYTHON },
};

/* What paths contain, or begin with. Those of MPI and Python count when these ask, those of ANYBODY always. */
static const struct {
	const char *part;
	enum origin origin;
	bool begins;
} paths[] = {
	{ "/etc/ld.so.", ANYBODY, true },
	{ "/tmp/ompi.", ANYBODY, false },
	{ "/vader_segment", ANYBODY, false },
	{ "/misc/pci.ids", ANYBODY, false },
	{ "/run/udev/", ANYBODY, true },
	{ "/dev/shm/ucx", ANYBODY, true },
	{ "/dev/shm/psm", ANYBODY, true },
	{ "/dev/shm/mpich", ANYBODY, true },
	{ "/__pycache__", PYTHON, false },
	{ "/lib/python3", PYTHON, false },
	{ "/site-packages", PYTHON, false },
	{ "/dist-packages", PYTHON, false },
	{ "/pyvenv.cfg", PYTHON, false },
	{ "/etc/", MPI, true },
	{ "/usr/", MPI, true },
	{ "/run/", MPI, true },
	{ "/.openmpi/", MPI, false },
	{ "/pmix", MPI, false },
	{ "/openmpi/", MPI, false },
	{ "/share/pmix", MPI, false },
};

/* Whole names of programs that start others. */
static const struct row programs[] = {
	{ "mpiexec", LAUNCHER },
	{ "mpirun", LAUNCHER },
	{ "orterun", LAUNCHER },
	{ "orted", LAUNCHER },
	{ "prterun", LAUNCHER },
	{ "prted", LAUNCHER },
	{ "mpiexec.openmpi", LAUNCHER },
	{ "mpirun.openmpi", LAUNCHER },
	{ "mpiexec.mpich", LAUNCHER },
	{ "mpirun.mpich", LAUNCHER },
	{ "mpiexec.hydra", LAUNCHER },
	{ "hydra_pmi_proxy", LAUNCHER },
	{ "srun", LAUNCHER },
};

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint8_t of_library(const char *path)
{
	for (size_t i = 0; path && i < ROWS(libraries); i++) {
		if (strncmp(base_name(path), libraries[i].name, strlen(libraries[i].name)) == 0)
			return (uint8_t)libraries[i].origin;
	}
	return PROGRAM;
}

static uint8_t of_path(const char *path)
{
	for (size_t i = 0; path && *path == '/' && i < ROWS(paths); i++) {
		const char *at = strstr(path, paths[i].part);

		if (at && (at == path || !paths[i].begins))
			return (uint8_t)paths[i].origin;
	}
	return PROGRAM;
}

static uint8_t of_program(const char *program)
{
	const char *end = program ? strchrnul(program, '\n') : NULL, *name = program;

	for (const char *at = program; at && at < end; at++) {
		if (*at == '/')
			name = at + 1;
	}
	for (size_t i = 0; name && i < ROWS(programs); i++) {
		if (strlen(programs[i].name) == (size_t)(end - name) &&
		    memcmp(programs[i].name, name, (size_t)(end - name)) == 0)
			return (uint8_t)programs[i].origin;
	}
	return PROGRAM;
}

bool pario_origins_init(struct pario_origins *o, const struct pario_job *job)
{
	memset(o, 0, sizeof(*o));
	o->modules = calloc(job->module_count + 1ul, 1);
	o->files = calloc(job->file_of.count + 1ul, 1);
	o->processes = calloc(job->process_of.count + 1ul, 1);
	o->started = calloc(job->process_of.count + 1ul, sizeof(*o->started));
	if (!o->modules || !o->files || !o->processes || !o->started)
		return false;
	for (uint32_t i = 0; i < job->module_count; i++)
		o->modules[i] = of_library(job->modules[i].path);
	for (uint32_t i = 1; i <= job->file_of.count; i++)
		o->files[i] = of_path(job->files[i]);
	for (uint32_t i = 1; i <= job->process_of.count; i++)
		o->processes[i] = of_program(job->processes[i].program);
	return true;
}

void pario_origins_release(struct pario_origins *o)
{
	free(o->modules);
	free(o->files);
	free(o->processes);
	free(o->started);
}

static uint8_t of_site(struct pario_origins *o, const struct pario_job *job, uint32_t process,
		       uint64_t site)
{
	size_t slot = (((site ^ (uint64_t)process << 40) * 0x9e3779b97f4a7c15u) >> 32) %
		      ROWS(o->looked_up);

	if (o->looked_up[slot].site != site || o->looked_up[slot].process != process) {
		const struct pario_job_mapping *m = pario_job_mapping(job, process, site - 1);

		o->looked_up[slot].site = site;
		o->looked_up[slot].process = process;
		o->looked_up[slot].module = m ? m->module : job->module_count;
	}
	return o->modules[o->looked_up[slot].module];
}

bool pario_origin_is_runtime(struct pario_origins *o, const struct pario_job *job, uint32_t process,
			     uint32_t file, const struct pario_trace_record *call)
{
	bool nested = call->flags & PARIO_TRACE_DEPTH;
	uint8_t by;

	/* a call is written down when it ends, so what MPI_Init did comes before it */
	o->started[process] |= call->layer == PARIO_TRACE_MPI || call->layer == PARIO_TRACE_MPIIO;
	if (o->processes[process] == LAUNCHER || o->files[file] == ANYBODY)
		return true;
	if (call->layer > PARIO_TRACE_PROCESS)
		return false;
	by = of_site(o, job, process, call->site);
	switch (by) {
	case BENEATH:
	case IMPORT:
		return true;
	case MPI:
		/* without a shim for this MPI its calls are all there is of the program's MPI-IO */
		if (!nested && !job->processes[process].told_by_mpi)
			return !file || o->files[file] == MPI;
		return !nested || !o->started[process];
	case PYTHON:
		return o->files[file] == PYTHON;
	default:
		return false;
	}
}
