/*
 * checkup: the checks, one function each, in the order in which a reader wants them. What a check cannot find out it
 * leaves out: silence is better than a guess.
 */
#include "machine/checkup_private.h"

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
#include "machine/machine_private.h"
#include "version.h"

/* A gap this long between two readings of the clock was spent elsewhere: a reading takes well below 1 us. */
#define GAP_NS 20000

/* Noise above these is worth a look: 1 % of the time, or one pause of 10 ms. */
#define LOST_SHARE 0.01
#define PAUSE_NS   10000000

struct pario_checkup_finding *pario_doctor_find(struct pario_doctor *d,
						enum pario_finding_level level, const char *name,
						const char *format, ...)
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

void pario_doctor_advise(struct pario_checkup_finding *f, const char *consequence,
			 const char *remedy)
{
	snprintf(f->consequence, sizeof(f->consequence), "%s", consequence);
	snprintf(f->remedy, sizeof(f->remedy), "%s", remedy);
}

/* The first line of a file of the kernel; false when it cannot be read. */
static bool read_line(const struct pario_doctor *d, const char *path, char *text, size_t capacity)
{
	char full[2 * PATH_MAX];
	FILE *file;
	bool good;

	snprintf(full, sizeof(full), "%s%s", d->checkup->root, path);
	file = fopen(full, "re");
	good = file && fgets(text, (int)capacity, file);
	if (file)
		fclose(file);
	if (good)
		text[strcspn(text, "\n")] = '\0';
	return good;
}

/* ---- processor ---- */

/* The governor of every core: one that differs is as bad as all. */
static void check_governor(struct pario_doctor *d)
{
	char path[128], text[64], first[64] = "";
	long cores = sysconf(_SC_NPROCESSORS_CONF);
	unsigned others = 0, seen = 0;

	for (long i = 0; i < cores; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%ld/cpufreq/scaling_governor", i);
		if (!read_line(d, path, text, sizeof(text)))
			continue;
		seen++;
		if (strcmp(text, "performance") == 0)
			continue;
		if (others++ == 0)
			snprintf(first, sizeof(first), "%s", text);
	}
	if (!seen)
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_KNOW, "governor",
					  "the kernel shows no frequency control here"),
			"Virtual machines and some processors may change their clock frequency without reporting it: what the processor limits may vary without a sign.",
			"On a virtual machine ask who runs the host; repeat at other times of the day.");
	else if (!others)
		pario_doctor_find(d, PARIO_FINDING_GOOD, "governor",
				  "the frequency governor is performance");
	else
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_LOOK, "governor",
					  others == seen ? "the frequency governor is %s"
							 : "the frequency governor is %s on %u of "
							   "%u cores",
					  first, others, seen),
			"The clock rises only after some load, so short phases and cached transfers look slower than they are.",
			"cpupower frequency-set -g performance");
}

static void check_turbo(struct pario_doctor *d)
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
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_KNOW, "turbo",
					  "the processor may run above its base clock"),
			"What the processor limits (cached transfers, checksums) varies with temperature and with the load of other cores.",
			"For comparisons: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost");
	else
		pario_doctor_find(d, PARIO_FINDING_GOOD, "turbo",
				  "the processor stays at its base clock");
}

static void check_clock(struct pario_doctor *d)
{
	char text[64];

	if (!read_line(d, "/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
		       sizeof(text)))
		return;
	if (strcmp(text, "hpet") == 0 || strcmp(text, "acpi_pm") == 0)
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_LOOK, "clock",
					  "the kernel's clock is %s", text),
			"Reading it takes about a microsecond, which shows in times of small operations.",
			"Boot with tsc=reliable if the processor's counter is sound.");
	else
		pario_doctor_find(d, PARIO_FINDING_GOOD, "clock", "the kernel's clock is %s", text);
}

static void check_load(struct pario_doctor *d)
{
	char text[128];
	double load;

	if (!read_line(d, "/proc/loadavg", text, sizeof(text)))
		return;
	load = strtod(text, NULL);
	if (load > 0.5 * (double)pario_launch_cores())
		pario_doctor_advise(
			pario_doctor_find(
				d, PARIO_FINDING_LOOK, "load",
				"%.1f programs wanted to run in the last minute, on %llu cores",
				load, (unsigned long long)pario_launch_cores()),
			"They take time from the clients and share caches and disks with them.",
			"Stop them, or measure at another time and with more --repetitions.");
	else
		pario_doctor_find(d, PARIO_FINDING_GOOD, "load",
				  "little else is running (load %.1f)", load);
}

/* Jiffies that the host gave to others, of all; the ninth and all numbers of the first line of /proc/stat. */
static bool steal_of(const struct pario_doctor *d, double *stolen, double *all)
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
static void check_noise(struct pario_doctor *d)
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
	f = pario_doctor_find(d, noisy ? PARIO_FINDING_LOOK : PARIO_FINDING_GOOD, "noise",
			      "%.2f %% of %.1f s went to others, the longest pause was %.2f ms",
			      100 * (double)lost / took, took * 1e-9, (double)longest * 1e-6);
	if (noisy)
		pario_doctor_advise(
			f,
			"Rates of short phases scatter, and the slowest operations (p99, max) are those of the machine, not of the storage.",
			"Stop other programs, leave a core free (--np), measure longer phases and more --repetitions.");
	if (steals && steal_of(d, &stolen_after, &all_after) && all_after > all &&
	    stolen_after - stolen > 0.01 * (all_after - all))
		pario_doctor_advise(
			pario_doctor_find(
				d, PARIO_FINDING_LOOK, "steal",
				"the host of this virtual machine gave %.1f %% of its time to others",
				100 * (stolen_after - stolen) / (all_after - all)),
			"Times include waiting that has nothing to do with storage.",
			"Use a machine of your own, or repeat at other times of the day.");
}

static void check_virtual(struct pario_doctor *d)
{
	char name[256];
	int virtualised = -1;

	pario_cpu_name("/proc/cpuinfo", name, sizeof(name), &virtualised);
	if (virtualised == 1)
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_KNOW, "virtual",
					  "this is a virtual machine (%s)", name),
			"The host may cache its disks: a read that is proved cold here may come from memory there.",
			"Use files larger than the host's memory, or ask its operators about the cache mode of the disk.");
}

/* ---- memory and limits ---- */

/* A made-up machine has its own cgroups and this one's memory. */
static void memory_of(const struct pario_doctor *d, uint64_t *total, uint64_t *available)
{
	char mounts[PATH_MAX], groups[PATH_MAX];
	struct pario_bounds bounds;

	if (!*d->checkup->root) {
		*total = pario_machine_memory_total();
		*available = pario_machine_memory_available();
		return;
	}
	snprintf(mounts, sizeof(mounts), "%s" PARIO_MOUNTINFO, d->checkup->root);
	snprintf(groups, sizeof(groups), "%s" PARIO_CGROUP, d->checkup->root);
	bounds = pario_memory_bounds(mounts, groups, *total);
	*total = bounds.limit_bytes < *total ? bounds.limit_bytes : *total;
	*available = bounds.available_bytes < *available ? bounds.available_bytes : *available;
}

static void check_memory(struct pario_doctor *d)
{
	uint64_t node = pario_machine_memory_node(), total = node, available = node;
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	memory_of(d, &total, &available);
	if (total < node)
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_KNOW, "memory",
					  "a cgroup limits memory to %s of the machine's %s",
					  pario_units_size(a, total), pario_units_size(b, node)),
			"The page cache counts against the limit: cached transfers are smaller and slower than on the bare machine.",
			"Raise the limit of the job or container where you can.");
	else
		pario_doctor_find(d, PARIO_FINDING_GOOD, "memory", "%s of memory, %s available",
				  pario_units_size(a, total), pario_units_size(b, available));
	if (available < total / 4)
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_LOOK, "memory in use",
						      "only %s of %s are available",
						      pario_units_size(a, available),
						      pario_units_size(b, total)),
				    "The page cache is small and may be pushed out by others.",
				    "End what uses it.");
}

/* Cores that a group of version 2 (cpu.max) or 1 (cpu.cfs_*) allows; 0 = as many as there are. */
static double quota_of(const struct pario_doctor *d, const char *group)
{
	char path[PATH_MAX + 32], text[64], *rest;
	double quota, period = 0;

	snprintf(path, sizeof(path), "%s/cpu.max", group);
	if (read_line(d, path, text, sizeof(text))) {
		quota = strtod(text, &rest);
		period = strtod(rest, NULL);
		return quota > 0 && period > 0 ? quota / period : 0;
	}
	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", group);
	if (!read_line(d, path, text, sizeof(text)))
		return 0;
	quota = strtod(text, NULL);
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", group);
	if (read_line(d, path, text, sizeof(text)))
		period = strtod(text, NULL);
	return quota > 0 && period > 0 ? quota / period : 0;
}

/* The tightest quota from a group up to the root of its hierarchy. */
static double climb(const struct pario_doctor *d, const char *mount, const char *below)
{
	char group[PATH_MAX];
	double least = 0;

	snprintf(group, sizeof(group), "%s%s", mount, strcmp(below, "/") == 0 ? "" : below);
	while (strlen(group) >= strlen(mount)) {
		double quota = quota_of(d, group);

		if (quota > 0 && (least == 0 || quota < least))
			least = quota;
		*strrchr(group, '/') = '\0';
	}
	return least;
}

/* Lines like "0::/user.slice" (version 2) and "4:cpu,cpuacct:/docker/1f" (version 1). */
static double tightest_quota(const struct pario_doctor *d)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified",
					      "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" };
	char path[PATH_MAX], line[PATH_MAX];
	double least = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s" PARIO_CGROUP, d->checkup->root);
	file = fopen(path, "re");
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		double quota = climb(d, mounts[i], "");

		least = quota > 0 && (least == 0 || quota < least) ? quota : least;
		while (file && fgets(line, sizeof(line), file)) {
			char *below = strchr(line, ':');

			below = below ? strchr(below + 1, ':') : NULL;
			line[strcspn(line, "\n")] = '\0';
			quota = below ? climb(d, mounts[i], below + 1) : 0;
			least = quota > 0 && (least == 0 || quota < least) ? quota : least;
		}
		if (file)
			rewind(file);
	}
	if (file)
		fclose(file);
	return least;
}

static void check_cpu_quota(struct pario_doctor *d)
{
	double cores = tightest_quota(d);

	if (cores > 0)
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_LOOK, "processor quota",
					  "a cgroup allows %.1f cores", cores),
			"When it is used up, all clients stop until the next period: pauses of up to 100 ms.",
			"Keep --np below the quota, or raise it (cpu.max, cpu.cfs_quota_us).");
}

static void check_limits(struct pario_doctor *d)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < 1024)
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_LOOK, "open files",
						      "at most %llu files can be open",
						      (unsigned long long)l.rlim_cur),
				    "Tests with many files fail.", "ulimit -n 4096");
	if (getrlimit(RLIMIT_FSIZE, &l) == 0 && l.rlim_cur != RLIM_INFINITY)
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_LOOK, "file size",
						      "files are limited to %llu bytes",
						      (unsigned long long)l.rlim_cur),
				    "Larger tests fail with EFBIG.", "ulimit -f unlimited");
}

/* ---- rights ---- */

static void check_caches(struct pario_doctor *d)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/sys/vm/drop_caches", d->checkup->root);
	if (access(path, W_OK) == 0)
		pario_doctor_find(d, PARIO_FINDING_GOOD, "cold caches",
				  "the kernel's caches can be emptied (--drop_caches 1)");
	else
		pario_doctor_advise(
			pario_doctor_find(d, PARIO_FINDING_KNOW, "cold caches",
					  "no right to empty the kernel's caches as a whole"),
			"Pages of pario's own files are evicted one by one and counted; names and attributes stay cached, so metadata tests start warm.",
			"Run as root, or give the program CAP_SYS_ADMIN in a test environment.");
}

/* ---- software ---- */

static void check_uring(struct pario_doctor *d)
{
	for (size_t i = 0; pario_backends[i]; i++) {
		const char *reason;

		if (strcmp(pario_backends[i]->name, "uring") != 0)
			continue;
		reason = pario_backends[i]->unavailable ? pario_backends[i]->unavailable() : NULL;
		if (!reason)
			pario_doctor_find(d, PARIO_FINDING_GOOD, "io_uring",
					  "the kernel allows it");
		else
			pario_doctor_advise(
				pario_doctor_find(d, PARIO_FINDING_KNOW, "io_uring",
						  "cannot be used: %.200s", reason),
				"--api uring is skipped; deep queues need it.",
				strstr(reason, "built")
					? "Install liburing's development files and build pario anew."
				: strstr(reason, "memory")
					? "ulimit -l unlimited"
					: "sysctl kernel.io_uring_disabled=0, or a container profile that allows the calls.");
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

static const char *on_path(const char *name, char program[PATH_MAX])
{
	char list[8192];

	snprintf(list, sizeof(list), "%s", getenv("PATH") ? getenv("PATH") : "");
	for (char *rest = list, *part; (part = pario_text_word(&rest, ":"));) {
		snprintf(program, PATH_MAX, "%s/%s", part, name);
		if (access(program, X_OK) == 0)
			return program;
	}
	return NULL;
}

static void check_launcher(struct pario_doctor *d, const char *name)
{
	char program[PATH_MAX];
	const char *other = on_path(name, program) ? flavour_of(program) : NULL;

	if (other && strcmp(other, pario_launch_flavour()) != 0)
		pario_doctor_advise(
			pario_doctor_find(
				d, PARIO_FINDING_LOOK, "launcher",
				"%s on the PATH is that of %s, this pario is built for %s", name,
				other, pario_launch_flavour()),
			"Started with it, every client believes to be alone; pario notices and refuses.",
			"Start pario without a launcher, or with " PARIO_MPIEXEC_NAME ".");
}

static void check_mpi(struct pario_doctor *d)
{
	if (access(PARIO_MPIEXEC, X_OK) < 0)
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_LOOK, "launcher",
						      "%s is not there any more", PARIO_MPIEXEC),
				    "Without a launcher, pario runs as a single client.",
				    "Install the MPI that pario was built with, or build it anew.");
	else
		pario_doctor_find(d, PARIO_FINDING_GOOD, "MPI", "%s; pario starts itself with %s",
				  pario_launch_flavour(), PARIO_MPIEXEC);
	check_launcher(d, "mpiexec");
	check_launcher(d, "mpirun");
}

static void check_build(struct pario_doctor *d)
{
	if (*PARIO_SANITIZERS || strcmp(PARIO_BUILD_TYPE, "Debug") == 0)
		pario_doctor_advise(pario_doctor_find(d, PARIO_FINDING_LOOK, "build",
						      "this pario is a %s build%s%s",
						      PARIO_BUILD_TYPE,
						      *PARIO_SANITIZERS ? " with sanitizers: " : "",
						      PARIO_SANITIZERS),
				    "It is slower than it need be.", "make clean && make");
}

size_t pario_checkup_run(const struct pario_checkup *checkup,
			 struct pario_checkup_finding findings[PARIO_CHECKUP_MAX])
{
	static void (*const checks[])(struct pario_doctor *) = {
		pario_doctor_storage, check_caches, check_memory,   check_cpu_quota, check_limits,
		check_load,	      check_noise,  check_governor, check_turbo,     check_clock,
		check_virtual,	      check_mpi,    check_uring,    check_build,
	};
	struct pario_doctor doctor = { .checkup = checkup, .finding = findings };

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](&doctor);
	return doctor.count;
}
