/*
 * machine: on what was measured?
 *
 * Everything is read from /proc, /sys, the environment and MPI on the client that asks; only striping is asked of
 * a program, the file system's own. What cannot be found out is null. It misleads where the nodes differ: the
 * description is that of one of them, but for what nodes.c asks of each. Cores are what the kernel schedules on;
 * threads_per_core tells how many of them share a core.
 */
#include "machine/machine_private.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/units.h"
#include "comm/launch.h"
#include "machine/proc.h"

enum { NAME_CAPACITY = 256 };

static void string_or_null(struct pario_json *json, const char *key, const char *value)
{
	pario_json_string(json, key, value && *value ? value : NULL);
}

static void count_or_null(struct pario_json *json, const char *key, uint64_t count)
{
	pario_json_amount(json, key, count ? count : UINT64_MAX);
}

static void text_of_file(struct pario_json *json, const char *key, const char *path)
{
	char text[NAME_CAPACITY];

	pario_json_string(json, key, pario_proc_text(path, text, sizeof(text)) ? text : NULL);
}

static void number_of_file(struct pario_json *json, const char *key, const char *path)
{
	uint64_t value = UINT64_MAX;

	pario_proc_u64(path, &value);
	pario_json_amount(json, key, value);
}

static void write_virtualised(struct pario_json *json, int flag)
{
	/* Only x86 has a flag for it; elsewhere the absence of these files proves nothing. */
	if (flag < 0 && (access("/sys/hypervisor/type", F_OK) == 0 ||
			 access("/proc/device-tree/hypervisor", F_OK) == 0))
		flag = 1;
	if (flag < 0)
		pario_json_null(json, "virtualised");
	else
		pario_json_bool(json, "virtualised", flag > 0);
}

static void write_system(struct pario_json *json)
{
	char shape[512];
	char cpu[NAME_CAPACITY], kernel[2 * NAME_CAPACITY];
	struct utsname name;
	int virtualised;

	if (uname(&name) < 0)
		memset(&name, 0, sizeof(name));
	snprintf(kernel, sizeof(kernel), "%s %s", name.sysname, name.release);
	pario_cpu_name("/proc/cpuinfo", cpu, sizeof(cpu), &virtualised);
	pario_json_string(json, "host", name.nodename);
	pario_json_string(json, "kernel", kernel);
	pario_json_string(json, "architecture", name.machine);
	pario_json_string(json, "cpu", *cpu ? cpu : name.machine);
	count_or_null(json, "sockets", pario_cpu_sockets(PARIO_CPU_DIR));
	pario_json_u64(json, "cores", pario_cpu_cores());
	pario_json_u64(json, "cores_allowed", pario_launch_cores());
	count_or_null(json, "threads_per_core", pario_cpu_threads_per_core(PARIO_CPU_DIR));
	count_or_null(json, "numa_nodes", pario_cpu_numa_nodes());
	pario_machine_topology(shape, sizeof(shape));
	pario_json_string(json, "topology", shape[0] ? shape : NULL);
	text_of_file(json, "governor", PARIO_CPU_DIR "/cpu0/cpufreq/scaling_governor");
	text_of_file(json, "clocksource",
		     "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	write_virtualised(json, virtualised);
}

static void write_memory(struct pario_json *json)
{
	uint64_t node = pario_machine_memory_node();
	struct pario_bounds bounds = pario_memory_bounds(PARIO_MOUNTINFO, PARIO_CGROUP, node);

	pario_json_amount(json, "memory_bytes", pario_machine_memory_total());
	pario_json_amount(json, "node_memory_bytes", node);
	pario_json_amount(json, "memory_available_bytes", pario_machine_memory_available());
	count_or_null(json, "cgroup_memory_limit_bytes", bounds.limit_bytes);
}

static bool mpi_is_up(void)
{
	int begun = 0, ended = 0;

	MPI_Initialized(&begun);
	MPI_Finalized(&ended);
	return begun && !ended;
}

/* The library's own words up to the first comma or line end, blanks squeezed; of the build when MPI is not up. */
static void mpi_library(char *text, size_t capacity)
{
	char words[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	size_t length = 0;
	int said = 0;

#if defined(OMPI_MAJOR_VERSION)
	snprintf(words, sizeof(words), "Open MPI v%d.%d.%d", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
		 OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
	snprintf(words, sizeof(words), "MPICH Version: %s", MPICH_VERSION);
#endif
	if (mpi_is_up())
		MPI_Get_library_version(words, &said);
	for (const char *c = words; *c && *c != ',' && *c != '\n' && length + 1 < capacity; c++) {
		bool blank = isspace((unsigned char)*c);

		if (!blank)
			text[length++] = *c;
		else if (length && text[length - 1] != ' ')
			text[length++] = ' ';
	}
	while (length && text[length - 1] == ' ')
		length--;
	text[length] = '\0';
}

/* "Open MPI v4.1.4" and "MPICH Version: 4.0.2" without what people would not say. */
static void mpi_spoken(char *text, size_t capacity)
{
	static const char *const fillers[] = { "Version: ", "Version : ", "Library ", "v" };

	mpi_library(text, capacity);
	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
		size_t length = strlen(fillers[i]);
		char *at = strstr(text, fillers[i]);

		if (at && at > text && at[-1] == ' ' && isdigit((unsigned char)at[length]))
			memmove(at, at + length, strlen(at + length) + 1);
	}
}

/* The level in force, which is what the library granted. */
static const char *mpi_threads(void)
{
	int level = MPI_THREAD_SINGLE;

	if (!mpi_is_up())
		return "";
	MPI_Query_thread(&level);
	return level == MPI_THREAD_SINGLE	? "single"
	       : level == MPI_THREAD_FUNNELED	? "funneled"
	       : level == MPI_THREAD_SERIALIZED ? "serialized"
						: "multiple";
}

static void write_mpi(struct pario_json *json, const struct pario_comm *world)
{
	char library[NAME_CAPACITY], standard[32];
	int version = MPI_VERSION, part = MPI_SUBVERSION;

	mpi_library(library, sizeof(library));
	if (mpi_is_up())
		MPI_Get_version(&version, &part);
	snprintf(standard, sizeof(standard), "%d.%d", version, part);
	pario_json_open(json, "mpi", '{');
	string_or_null(json, "library", library);
	pario_json_string(json, "flavour", pario_launch_flavour());
	pario_json_string(json, "standard", standard);
	string_or_null(json, "threads", mpi_threads());
	pario_json_u64(json, "clients", world->clients);
	pario_json_u64(json, "nodes", world->nodes);
	pario_json_u64(json, "clients_per_node_max", world->node_clients_max);
	if (world->nodes > 1)
		pario_json_bool(json, "partners_apart", world->partner_apart);
	pario_json_close(json, '}');
}

/* What the kernel reads ahead there; every mounted device has it, those of network file systems too. */
static void write_read_ahead(struct pario_json *json, const char *directory)
{
	char path[80];
	uint64_t kib, bytes = UINT64_MAX;
	struct stat st;

	if (stat(directory, &st) < 0 ||
	    snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb", major(st.st_dev),
		     minor(st.st_dev)) >= (int)sizeof(path) ||
	    !pario_proc_u64(path, &kib) || !pario_mul(kib, 1024, &bytes))
		bytes = UINT64_MAX;
	pario_json_amount(json, "read_ahead_bytes", bytes);
}

static void write_filesystem(struct pario_json *json, const char *directory)
{
	struct pario_mount mount;
	struct pario_disk disk;
	struct pario_stripes stripes;

	pario_mount_describe(directory, &mount, &disk);
	pario_json_open(json, "filesystem", '{');
	string_or_null(json, "type", mount.type);
	string_or_null(json, "device", mount.device);
	string_or_null(json, "mount", mount.point);
	string_or_null(json, "options", mount.options);
	string_or_null(json, "detail", mount.detail);
	if (pario_stripes_read(directory, &stripes)) {
		pario_json_open(json, "striping", '{');
		pario_json_string(json, "tool", stripes.tool);
		count_or_null(json, "count", stripes.count);
		pario_json_bool(json, "all", stripes.all);
		count_or_null(json, "size_bytes", stripes.size_bytes);
		pario_json_close(json, '}');
	}
	pario_json_amount(json, "free_bytes", mount.free_bytes);
	pario_json_amount(json, "total_bytes", mount.total_bytes);
	pario_json_amount(json, "free_inodes", mount.free_inodes);
	write_read_ahead(json, directory);
	string_or_null(json, "scheduler", disk.scheduler);
	if (disk.rotational < 0)
		pario_json_null(json, "rotational");
	else
		pario_json_bool(json, "rotational", disk.rotational > 0);
	pario_json_close(json, '}');
}

static void write_writeback(struct pario_json *json)
{
	static const char *const names[] = {
		"dirty_ratio",
		"dirty_bytes",
		"dirty_background_ratio",
		"dirty_background_bytes",
		"dirty_expire_centisecs",
		"dirty_writeback_centisecs",
	};

	pario_json_open(json, "writeback", '{');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "/proc/sys/vm/%s", names[i]);
		number_of_file(json, names[i], path);
	}
	pario_json_close(json, '}');
}

/* Unlimited is null. */
static void write_limit(struct pario_json *json, const char *key, const struct rlimit *limit)
{
	pario_json_amount(json, key, limit ? limit->rlim_cur : RLIM_INFINITY);
}

static void write_limits(struct pario_json *json)
{
	struct rlimit l;

	pario_json_open(json, "limits", '{');
	write_limit(json, "open_files", getrlimit(RLIMIT_NOFILE, &l) == 0 ? &l : NULL);
	write_limit(json, "file_size", getrlimit(RLIMIT_FSIZE, &l) == 0 ? &l : NULL);
	write_limit(json, "locked_memory", getrlimit(RLIMIT_MEMLOCK, &l) == 0 ? &l : NULL);
	write_limit(json, "address_space", getrlimit(RLIMIT_AS, &l) == 0 ? &l : NULL);
	pario_json_close(json, '}');
}

static void write_libraries(struct pario_json *json)
{
	pario_json_open(json, "libraries", '{');
	for (const struct pario_backend *const *b = pario_backends; *b; b++) {
		char text[NAME_CAPACITY] = "";

		if ((*b)->version)
			(*b)->version(text, sizeof(text));
		string_or_null(json, (*b)->name, text);
	}
	pario_json_close(json, '}');
}

static void write_job(struct pario_json *json)
{
	static const struct {
		const char *name, *variable;
	} rows[] = {
		{ "slurm_job_id", "SLURM_JOB_ID" },
		{ "slurm_step_id", "SLURM_STEP_ID" },
		{ "slurm_array_job_id", "SLURM_ARRAY_JOB_ID" },
		{ "slurm_array_task_id", "SLURM_ARRAY_TASK_ID" },
		{ "slurm_cluster", "SLURM_CLUSTER_NAME" },
		{ "slurm_partition", "SLURM_JOB_PARTITION" },
		{ "slurm_nodes", "SLURM_JOB_NODELIST" },
		{ "pbs_job_id", "PBS_JOBID" },
		{ "pbs_queue", "PBS_QUEUE" },
		{ "pbs_array_index", "PBS_ARRAY_INDEX" },
		{ "lsf_job_id", "LSB_JOBID" },
		{ "lsf_queue", "LSB_QUEUE" },
		{ "lsf_job_index", "LSB_JOBINDEX" },
		{ "flux_job_id", "FLUX_JOB_ID" },
		{ "cobalt_job_id", "COBALT_JOBID" },
		{ "pjm_job_id", "PJM_JOBID" },
	};

	pario_json_open(json, "job", '{');
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *value = getenv(rows[i].variable);

		if (value && *value)
			pario_json_string(json, rows[i].name, value);
	}
	pario_json_close(json, '}');
}

static bool begins_with_one(const char *entry, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool is_wanted(const char *entry)
{
	static const char *const wanted[] = {
		"PARIO_",
		"OMPI_MCA_",
		"PMIX_MCA_",
		"MPICH_",
		"MPIR_CVAR_",
		"I_MPI_",
		"MV2_",
		"HYDRA_",
		"ROMIO_",
		"FI_",
		"UCX_",
		"OMP_NUM_THREADS=",
		"OMP_PROC_BIND=",
		"OMP_PLACES=",
		"HDF5_",
		"PNETCDF_",
		"DARSHAN_",
		"GLIBC_TUNABLES=",
		"MALLOC_",
		"LD_PRELOAD=",
		"SLURM_JOB_ID=",
		"SLURM_NTASKS=",
		"SLURM_NNODES=",
		"SLURM_CPU_BIND=",
		"SLURM_MEM_BIND=",
		"PBS_JOBID=",
		"LSB_JOBID=",
		"KMP_AFFINITY=",
	};
	/* What mpirun of Open MPI 4 tells its children: addresses and the key of the session, no settings. */
	static const char *const internal[] = { "OMPI_MCA_orte_", "OMPI_MCA_ess" };

	return begins_with_one(entry, wanted, sizeof(wanted) / sizeof(wanted[0])) &&
	       !begins_with_one(entry, internal, sizeof(internal) / sizeof(internal[0]));
}

static bool is_secret(const char *name)
{
	static const char *const words[] = { "TOKEN", "PASS", "KEY", "SECRET", "CREDENTIAL" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_variable(struct pario_json *json, const char *entry)
{
	size_t length = strcspn(entry, "=");
	char *name = strndup(entry, length);

	if (!name || !entry[length]) {
		free(name);
		return;
	}
	pario_json_string(json, name, is_secret(name) ? "(hidden)" : entry + length + 1);
	free(name);
}

static bool same_variable(const char *a, const char *b)
{
	size_t length = strcspn(a, "=");

	return strncmp(a, b, length) == 0 && b[length] == '=';
}

static void write_environment(struct pario_json *json)
{
	const char **entries;
	size_t count = 0, all = 0;

	while (environ && environ[all])
		all++;
	entries = calloc(all + 1, sizeof(*entries));
	for (size_t i = 0; entries && i < all; i++)
		if (is_wanted(environ[i]))
			entries[count++] = environ[i];
	if (count)
		qsort(entries, count, sizeof(*entries), by_name);
	pario_json_open(json, "environment", '{');
	for (size_t i = 0; i < count; i++)
		if (i == 0 || !same_variable(entries[i - 1], entries[i]))
			write_variable(json, entries[i]);
	pario_json_close(json, '}');
	free(entries);
}

void pario_machine_write(struct pario_json *json, const struct pario_comm *world,
			 const struct pario_nodes *nodes, const char *directory)
{
	pario_json_open(json, "machine", '{');
	write_system(json);
	write_memory(json);
	write_mpi(json, world);
	pario_nodes_write(json, nodes);
	write_filesystem(json, directory);
	write_writeback(json);
	write_limits(json);
	write_libraries(json);
	write_job(json);
	pario_json_close(json, '}');
	write_environment(json);
}

void pario_machine_line(char *text, size_t capacity, const char *directory)
{
	char size[PARIO_UNITS_CAPACITY], mpi[NAME_CAPACITY];
	uint64_t cores = pario_cpu_cores();
	struct pario_text line = { 0 };
	struct pario_mount mount;
	struct utsname name;

	if (!capacity)
		return;
	pario_text_clean(&line, uname(&name) == 0 ? name.nodename : "this machine");
	pario_text_add(&line, ", %llu core%s, %s", (unsigned long long)cores, cores == 1 ? "" : "s",
		       pario_units_size(size, pario_machine_memory_total()));
	if (pario_machine_mount(directory, &mount) == 0) {
		pario_text_add(&line, " · ");
		pario_text_clean(&line, mount.point);
		pario_text_add(&line, ": ");
		pario_text_clean(&line, mount.type);
	}
	mpi_spoken(mpi, sizeof(mpi));
	if (*mpi) {
		pario_text_add(&line, " · ");
		pario_text_clean(&line, mpi);
	}
	pario_proc_copy(text, capacity, pario_text_string(&line));
	pario_text_release(&line);
}
