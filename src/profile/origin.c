/*
 * origin: by names of libraries, files and programs, which are rows of tables.
 */
#include "profile/origin.h"

#include <stdlib.h>
#include <string.h>

enum origin { PROGRAM, LOADER, MPI, PYTHON, IMPORT, LAUNCHER };

struct row {
	const char *name;
	enum origin origin;
};

/* How names of libraries begin. */
static const struct row libraries[] = {
	{ "ld-linux", LOADER },	  { "ld-musl", LOADER }, { "libmpi", MPI },
	{ "libopen-", MPI },	  { "libprrte", MPI },	 { "libpmix", MPI },
	{ "mca_", MPI },	  { "libucp", MPI },	 { "libucs", MPI },
	{ "libuct", MPI },	  { "libucm", MPI },	 { "libfabric", MPI },
	{ "libpsm", MPI },	  { "libibverbs", MPI }, { "libhwloc", MPI },
	{ "libevent_core", MPI }, { "libevent-2", MPI }, { "libpmi", MPI },
	{ "<frozen ", IMPORT },	  { "python3", PYTHON }, { "libpython", PYTHON },
	{ "python", PYTHON },
};

/* What paths contain; those of Python count when Python itself asks. */
static const struct row paths[] = {
	{ "/etc/ld.so.", LOADER },  { "/tmp/ompi.", MPI },	  { "/etc/openmpi/", MPI },
	{ "/share/openmpi/", MPI }, { "/lib/openmpi", MPI },	  { "/vader_segment", MPI },
	{ "/pmix", MPI },	    { "/.openmpi/", MPI },	  { "/dev/shm/mpich", MPI },
	{ "/__pycache__", PYTHON }, { "/lib/python3", PYTHON },	  { "/site-packages", PYTHON },
	{ "/pyvenv.cfg", PYTHON },  { "/dist-packages", PYTHON },
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
		if (strstr(path, paths[i].name))
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
	if (o->processes[process] == LAUNCHER)
		return true;
	if (call->layer > PARIO_TRACE_PROCESS)
		return false;
	by = of_site(o, job, process, call->site);
	switch (by) {
	case LOADER:
	case IMPORT:
		return true;
	case MPI:
		return !nested || !o->started[process] || o->files[file] == MPI;
	case PYTHON:
		return o->files[file] == PYTHON;
	default:
		return false;
	}
}
