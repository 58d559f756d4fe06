/*
 * checkup: the checks, one function each, in the order in which a reader wants them. What a check cannot find out it
 * leaves out: silence is better than a guess.
 */
#include "run/checkup.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/clock.h"
#include "base/units.h"
#include "comm/launch.h"
#include "run/machine_private.h"
#include "version.h"

/* A gap this long between two readings of the clock was spent elsewhere: a reading takes well below 1 us. */
#define GAP_NS 20000

/* Noise above these is worth a look: 1 % of the time, or one pause of 10 ms. */
#define LOST_SHARE 0.01
#define PAUSE_NS   10000000

struct doctor {
	const struct pario_checkup *checkup;
	struct pario_checkup_finding *finding;
	size_t count;
};

static struct pario_checkup_finding *find(struct doctor *d, enum pario_finding_level level,
					  const char *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static struct pario_checkup_finding *find(struct doctor *d, enum pario_finding_level level,
					  const char *name, const char *format, ...)
{
	static struct pario_checkup_finding scrap;
	struct pario_checkup_finding *f =
		d->count < PARIO_CHECKUP_MAX ? &d->finding[d->count++] : &scrap;
	va_list args;

	*f = (struct pario_checkup_finding){ .level = level };
	snprintf(f->name, sizeof(f->name), "%s", name);
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
	return f;
}

static void advise(struct pario_checkup_finding *f, const char *consequence, const char *remedy)
{
	snprintf(f->consequence, sizeof(f->consequence), "%s", consequence);
	snprintf(f->remedy, sizeof(f->remedy), "%s", remedy);
}

/* The first line of a file of the kernel; false when it cannot be read. */
static bool read_line(const struct doctor *d, const char *path, char *text, size_t room)
{
	char full[PATH_MAX];
	FILE *file;
	bool good;

	snprintf(full, sizeof(full), "%s%s", d->checkup->root, path);
	file = fopen(full, "re");
	good = file && fgets(text, (int)room, file);
	if (file)
		fclose(file);
	if (good)
		text[strcspn(text, "\n")] = '\0';
	return good;
}

/* ---- processor ---- */

static void check_governor(struct doctor *d)
{
	char text[64];

	if (!read_line(d, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text,
		       sizeof(text)))
		return;
	if (strcmp(text, "performance") == 0)
		find(d, PARIO_FINDING_GOOD, "governor", "the frequency governor is performance");
	else
		advise(find(d, PARIO_FINDING_LOOK, "governor", "the frequency governor is %s",
			    text),
		       "The clock rises only after some load, so short phases and cached transfers look slower than they are.",
		       "cpupower frequency-set -g performance");
}

static void check_turbo(struct doctor *d)
{
	char text[16];
	bool on;

	if (read_line(d, "/sys/devices/system/cpu/intel_pstate/no_turbo", text, sizeof(text)))
		on = strcmp(text, "0") == 0;
	else if (read_line(d, "/sys/devices/system/cpu/cpufreq/boost", text, sizeof(text)))
		on = strcmp(text, "1") == 0;
	else
		return;
	if (on)
		advise(find(d, PARIO_FINDING_KNOW, "turbo",
			    "the processor may run above its base clock"),
		       "What the processor limits (cached transfers, checksums) varies with temperature and with the load of other cores.",
		       "For comparisons: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost");
	else
		find(d, PARIO_FINDING_GOOD, "turbo", "the processor stays at its base clock");
}

static void check_clock(struct doctor *d)
{
	char text[64];

	if (!read_line(d, "/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
		       sizeof(text)))
		return;
	if (strcmp(text, "hpet") == 0 || strcmp(text, "acpi_pm") == 0)
		advise(find(d, PARIO_FINDING_LOOK, "clock", "the kernel's clock is %s", text),
		       "Reading it takes about a microsecond, which shows in times of small operations.",
		       "Boot with tsc=reliable if the processor's counter is sound.");
	else
		find(d, PARIO_FINDING_GOOD, "clock", "the kernel's clock is %s", text);
}

static void check_load(struct doctor *d)
{
	char text[128];
	double load;

	if (!read_line(d, "/proc/loadavg", text, sizeof(text)))
		return;
	load = strtod(text, NULL);
	if (load > 0.5 * (double)pario_launch_cores())
		advise(find(d, PARIO_FINDING_LOOK, "load",
			    "%.1f programs wanted to run in the last minute, on %llu core(s)", load,
			    (unsigned long long)pario_launch_cores()),
		       "They take time from the clients and share caches and disks with them.",
		       "Stop them, or measure at another time and with more --repetitions.");
	else
		find(d, PARIO_FINDING_GOOD, "load", "little else is running (load %.1f)", load);
}

/* Jiffies that the host gave to others, of all; the ninth and all numbers of the first line of /proc/stat. */
static bool steal_of(const struct doctor *d, double *stolen, double *all)
{
	char text[512], *at = text + 4;

	if (!read_line(d, "/proc/stat", text, sizeof(text)) || strncmp(text, "cpu ", 4) != 0)
		return false;
	*all = *stolen = 0;
	for (int i = 0; i < 8; i++) {
		double value = strtod(at, &at);

		*all += value;
		*stolen = i == 7 ? value : 0;
	}
	return true;
}

/* Reads the clock without pause; whatever is missing between two readings went to somebody else. */
static void check_noise(struct doctor *d)
{
	int64_t start, last, lost = 0, longest = 0, end;
	double stolen = 0, all = 0, stolen_after, all_after, took;
	bool steals = steal_of(d, &stolen, &all);
	struct pario_checkup_finding *f;
	bool noisy;

	if (!(d->checkup->seconds > 0))
		return;
	start = last = pario_clock_ns();
	end = start + (int64_t)(d->checkup->seconds * 1e9);
	while (last < end) {
		int64_t now = pario_clock_ns();

		if (now - last > GAP_NS) {
			lost += now - last;
			longest = now - last > longest ? now - last : longest;
		}
		last = now;
	}
	took = (double)(last - start);
	noisy = (double)lost > LOST_SHARE * took || longest > PAUSE_NS;
	f = find(d, noisy ? PARIO_FINDING_LOOK : PARIO_FINDING_GOOD, "noise",
		 "%.2f %% of %.1f s went to others, the longest pause was %.2f ms",
		 100 * (double)lost / took, took * 1e-9, (double)longest * 1e-6);
	if (noisy)
		advise(f,
		       "Rates of short phases scatter, and the slowest operations (p99, max) are those of the machine, not of the storage.",
		       "Stop other programs, leave a core free (--np), measure longer phases and more --repetitions.");
	if (steals && steal_of(d, &stolen_after, &all_after) && all_after > all &&
	    stolen_after - stolen > 0.01 * (all_after - all))
		advise(find(d, PARIO_FINDING_LOOK, "steal",
			    "the host of this virtual machine gave %.1f %% of its time to others",
			    100 * (stolen_after - stolen) / (all_after - all)),
		       "Times include waiting that has nothing to do with storage.",
		       "Use a machine of your own, or repeat at other times of the day.");
}

static void check_virtual(struct doctor *d)
{
	char name[256];
	int virtualised = -1;

	pario_cpu_name("/proc/cpuinfo", name, sizeof(name), &virtualised);
	if (virtualised == 1)
		advise(find(d, PARIO_FINDING_KNOW, "virtual", "this is a virtual machine (%s)",
			    name),
		       "The host may cache its disks: a read that is proved cold here may come from memory there.",
		       "Use files larger than the host's memory, or ask its operators about the cache mode of the disk.");
}

/* ---- memory and limits ---- */

static void check_memory(struct doctor *d)
{
	uint64_t node = pario_memory_node(), total = pario_machine_memory_total();
	uint64_t available = pario_machine_memory_available();
	char a[PARIO_UNITS_ROOM], b[PARIO_UNITS_ROOM];

	if (total < node)
		advise(find(d, PARIO_FINDING_KNOW, "memory",
			    "a cgroup limits memory to %s of the machine's %s",
			    pario_units_size(a, total), pario_units_size(b, node)),
		       "The page cache counts against the limit: cached transfers are smaller and slower than on the bare machine.",
		       "Raise the limit of the job or container where you can.");
	else
		find(d, PARIO_FINDING_GOOD, "memory", "%s of memory, %s available",
		     pario_units_size(a, total), pario_units_size(b, available));
	if (available < total / 4)
		advise(find(d, PARIO_FINDING_LOOK, "memory in use", "only %s of %s are available",
			    pario_units_size(a, available), pario_units_size(b, total)),
		       "The page cache is small and may be pushed out by others.",
		       "End what uses it.");
}

static void check_cpu_quota(struct doctor *d)
{
	char text[64], *rest;
	double quota, period;

	if (!read_line(d, "/sys/fs/cgroup/cpu.max", text, sizeof(text)) ||
	    strncmp(text, "max", 3) == 0)
		return;
	quota = strtod(text, &rest);
	period = strtod(rest, NULL);
	if (quota > 0 && period > 0)
		advise(find(d, PARIO_FINDING_LOOK, "processor quota", "a cgroup allows %.1f cores",
			    quota / period),
		       "When it is used up, all clients stop until the next period: pauses of up to 100 ms.",
		       "Keep --np below the quota, or raise cpu.max.");
}

static void check_limits(struct doctor *d)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < 1024)
		advise(find(d, PARIO_FINDING_LOOK, "open files", "at most %llu files can be open",
			    (unsigned long long)l.rlim_cur),
		       "Tests with many files fail.", "ulimit -n 4096");
	if (getrlimit(RLIMIT_FSIZE, &l) == 0 && l.rlim_cur != RLIM_INFINITY)
		advise(find(d, PARIO_FINDING_LOOK, "file size", "files are limited to %llu bytes",
			    (unsigned long long)l.rlim_cur),
		       "Larger tests fail with EFBIG.", "ulimit -f unlimited");
}

/* ---- storage ---- */

static const struct {
	const char *type; /* or its beginning, with a dot: "fuse." */
	enum pario_finding_level level;
	const char *consequence, *remedy;
} kinds[] = {
	{ "tmpfs", PARIO_FINDING_LOOK, "It lives in memory: no storage device is measured.",
	  "Name a directory on the storage you want to know about." },
	{ "ramfs", PARIO_FINDING_LOOK, "It lives in memory: no storage device is measured.",
	  "Name a directory on the storage you want to know about." },
	{ "overlay", PARIO_FINDING_LOOK,
	  "A container's layered file system: the first write to a file copies it, metadata take longer.",
	  "Measure a mounted volume instead." },
	{ "nfs", PARIO_FINDING_KNOW,
	  "Attributes are cached for seconds and data go out at close: times of close and fsync count, and other clients see changes late. The server's cache cannot be emptied from here.",
	  "Use more data than the server's memory; look at the mount options (sync, actimeo, nconnect)." },
	{ "lustre", PARIO_FINDING_KNOW,
	  "Striping of the directory decides about shared files: one stripe uses one server.",
	  "lfs setstripe -c -1 DIR for large shared files; note it with --label." },
	{ "zfs", PARIO_FINDING_KNOW,
	  "It caches outside the page cache (ARC), so cold reads cannot be proved, and it may compress.",
	  "Use more data than the ARC holds, or primarycache=metadata on a test data set." },
	{ "btrfs", PARIO_FINDING_KNOW,
	  "Every rewrite goes to a new place, with checksums: rewriting is no faster than writing.",
	  "Say so with the numbers, or chattr +C on an empty directory." },
	{ "9p", PARIO_FINDING_KNOW,
	  "Files live on the host, whose cache cannot be emptied from here.",
	  "Measure on the host, or on a disk of this machine." },
	{ "virtiofs", PARIO_FINDING_KNOW,
	  "Files live on the host, whose cache cannot be emptied from here.",
	  "Measure on the host, or on a disk of this machine." },
	{ "fuse.", PARIO_FINDING_KNOW,
	  "Every call passes through a process: its processor time and its own caches are part of the number.",
	  "Watch that process (top) while measuring." },
};

static void check_kind(struct doctor *d, const struct pario_mount *m)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i].type);
		bool begins = kinds[i].type[n - 1] == '.' || strcmp(kinds[i].type, "nfs") == 0;

		if (begins ? strncmp(m->type, kinds[i].type, n) == 0
			   : strcmp(m->type, kinds[i].type) == 0) {
			advise(find(d, kinds[i].level, "file system", "%.80s, mounted at %.120s",
				    m->type, m->point),
			       kinds[i].consequence, kinds[i].remedy);
			return;
		}
	}
	find(d, PARIO_FINDING_GOOD, "file system", "%.80s, mounted at %.100s%s%.60s", m->type,
	     m->point, *m->detail ? ": " : "", *m->detail ? m->detail : "");
}

static void check_storage(struct doctor *d)
{
	uint64_t memory = pario_memory_node();
	char a[PARIO_UNITS_ROOM], b[PARIO_UNITS_ROOM];
	struct pario_mount m;

	if (access(d->checkup->directory, F_OK) < 0) {
		advise(find(d, PARIO_FINDING_BAD, "directory", "%.200s is not there",
			    d->checkup->directory),
		       "Nothing can be measured in it.", "Make it, or name another directory.");
		return;
	}
	if (access(d->checkup->directory, W_OK) < 0)
		advise(find(d, PARIO_FINDING_BAD, "directory", "%.200s cannot be written to",
			    d->checkup->directory),
		       "pario makes its files in a directory of its own inside it.",
		       "Name another directory, or get the right to write there.");
	if (pario_machine_mount(d->checkup->directory, &m) < 0)
		return;
	check_kind(d, &m);
	if (pario_mountinfo_has(m.options, "sync"))
		advise(find(d, PARIO_FINDING_LOOK, "mount options",
			    "the file system is mounted sync"),
		       "Every write waits for the device.",
		       "mount -o remount,async, unless that is the subject.");
	if (m.free_bytes < (UINT64_C(1) << 30))
		advise(find(d, PARIO_FINDING_LOOK, "free space", "only %s are free",
			    pario_units_size(a, m.free_bytes)),
		       "Even a glance needs about 1 GiB, and file systems that are nearly full are slow.",
		       "Make room, or name another directory.");
	else if (m.free_bytes < 2 * memory && strcmp(m.type, "tmpfs") != 0)
		advise(find(d, PARIO_FINDING_KNOW, "free space", "%s are free, memory is %s",
			    pario_units_size(a, m.free_bytes), pario_units_size(b, memory)),
		       "Much of what fits here also fits into the page cache: only reads that are proved cold speak of the storage.",
		       "Look at the proof beside every read, or use a larger file system.");
	else
		find(d, PARIO_FINDING_GOOD, "free space", "%s are free",
		     pario_units_size(a, m.free_bytes));
}

static void check_caches(struct doctor *d)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/sys/vm/drop_caches", d->checkup->root);
	if (access(path, W_OK) == 0)
		find(d, PARIO_FINDING_GOOD, "cold caches",
		     "the kernel's caches can be emptied (--drop_caches 1)");
	else
		advise(find(d, PARIO_FINDING_KNOW, "cold caches",
			    "no right to empty the kernel's caches as a whole"),
		       "Pages of pario's own files are evicted one by one and counted; names and attributes stay cached, so metadata tests start warm.",
		       "Run as root, or give the program CAP_SYS_ADMIN in a test environment.");
}

/* ---- software ---- */

static void check_uring(struct doctor *d)
{
	for (size_t i = 0; pario_backends[i]; i++) {
		const char *reason;

		if (strcmp(pario_backends[i]->name, "uring") != 0)
			continue;
		reason = pario_backends[i]->unavailable ? pario_backends[i]->unavailable() : NULL;
		if (!reason)
			find(d, PARIO_FINDING_GOOD, "io_uring", "the kernel allows it");
		else
			advise(find(d, PARIO_FINDING_KNOW, "io_uring", "cannot be used: %.200s",
				    reason),
			       "--api uring is skipped; deep queues need it.",
			       "sysctl kernel.io_uring_disabled=0, or a container profile that allows the calls.");
	}
}

/* Which MPI a launcher belongs to, by the name behind all links. */
static const char *flavour_of(const char *program)
{
	char path[PATH_MAX];
	const char *name;

	if (!realpath(program, path))
		return NULL;
	name = strrchr(path, '/') + 1;
	if (strstr(name, "orte") || strstr(name, "prte") || strstr(name, "openmpi"))
		return "openmpi";
	return strstr(name, "hydra") || strstr(name, "mpich") ? "mpich" : NULL;
}

static const char *mpiexec_on_path(char program[PATH_MAX])
{
	char list[8192], *save = NULL;

	snprintf(list, sizeof(list), "%s", getenv("PATH") ? getenv("PATH") : "");
	for (char *part = strtok_r(list, ":", &save); part; part = strtok_r(NULL, ":", &save)) {
		snprintf(program, PATH_MAX, "%s/mpiexec", part);
		if (access(program, X_OK) == 0)
			return program;
	}
	return NULL;
}

static void check_mpi(struct doctor *d)
{
	char program[PATH_MAX];
	const char *on_path = mpiexec_on_path(program);
	const char *other = on_path ? flavour_of(on_path) : NULL;

	if (access(PARIO_MPIEXEC, X_OK) < 0)
		advise(find(d, PARIO_FINDING_LOOK, "launcher", "%s is not there any more",
			    PARIO_MPIEXEC),
		       "Started plainly, pario runs as a single client.",
		       "Install the MPI that pario was built with, or build it anew.");
	else
		find(d, PARIO_FINDING_GOOD, "MPI", "%s; pario starts itself with %s",
		     pario_launch_flavour(), PARIO_MPIEXEC);
	if (other && strcmp(other, pario_launch_flavour()) != 0)
		advise(find(d, PARIO_FINDING_LOOK, "launcher",
			    "mpiexec on the PATH is that of %s, this pario is built for %s", other,
			    pario_launch_flavour()),
		       "Started with it, every client believes to be alone; pario notices and refuses.",
		       "Start pario plainly, or with " PARIO_MPIEXEC_NAME ".");
}

static void check_build(struct doctor *d)
{
	if (*PARIO_SANITIZERS || strcmp(PARIO_BUILD_TYPE, "Debug") == 0)
		advise(find(d, PARIO_FINDING_LOOK, "build", "this pario is a %s build%s%s",
			    PARIO_BUILD_TYPE, *PARIO_SANITIZERS ? " with sanitizers: " : "",
			    PARIO_SANITIZERS),
		       "It is slower than it need be.", "make clean && make");
}

size_t pario_checkup_run(const struct pario_checkup *checkup,
			 struct pario_checkup_finding findings[PARIO_CHECKUP_MAX])
{
	static void (*const checks[])(struct doctor *) = {
		check_storage, check_caches, check_memory,   check_cpu_quota, check_limits,
		check_load,    check_noise,  check_governor, check_turbo,     check_clock,
		check_virtual, check_mpi,    check_uring,    check_build,
	};
	struct doctor doctor = { .checkup = checkup, .finding = findings };

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](&doctor);
	return doctor.count;
}
