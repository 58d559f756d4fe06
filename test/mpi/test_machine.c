/*
 * test_machine: is the description of the machine complete, plausible and free of secrets?
 *
 * This machine is asked as it is; machines that it is not (cgroups of either version, other processors, stacked
 * mounts, Lustre) are shown to the same code as files in a temporary directory.
 *
 * run:
 * clients: 1 2
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <jansson.h>

#include "machine/load.h"
#include "machine/machine_private.h"

#include "../temporary.h"

#define GIB ((uint64_t)1 << 30)

static int failures;
static char scratch[TEMPORARY_CAPACITY];

static void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void check(bool good, const char *format, ...)
{
	va_list args;

	if (good)
		return;
	failures++;
	fputs("FAIL machine: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* A path below the temporary directory; the names of at most four are valid at a time. */
static const char *in_scratch(const char *name)
{
	static char paths[4][TEMPORARY_CAPACITY + 256];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

static const char *put(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static const char *put(const char *name, const char *format, ...)
{
	const char *path = in_scratch(name);
	FILE *file = fopen(path, "w");
	va_list args;

	if (!file) {
		check(false, "cannot write %s", path);
		return path;
	}
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	fclose(file);
	return path;
}

static void memory_is_plausible(void)
{
	uint64_t total = pario_machine_memory_total();
	uint64_t available = pario_machine_memory_available();

	check(total > 0 && total <= pario_machine_memory_node(),
	      "the memory, %llu bytes, is impossible", (unsigned long long)total);
	check(available > 0 && available <= total, "%llu of %llu bytes cannot be available",
	      (unsigned long long)available, (unsigned long long)total);
}

static void mounts_are_found(void)
{
	struct pario_mount root = { 0 }, lost = { 0 }, untouched = { .type = "as before" };

	check(pario_machine_mount("/", &root) == 0, "the mount of / was not found");
	check(strcmp(root.point, "/") == 0, "/ is said to be mounted on '%s'", root.point);
	check(*root.type && root.total_bytes > 0 && root.free_bytes <= root.total_bytes,
	      "/ has type '%s', %llu of %llu bytes free", root.type,
	      (unsigned long long)root.free_bytes, (unsigned long long)root.total_bytes);
	check(pario_machine_mount("/not/there/yet", &lost) == 0 && strcmp(lost.point, "/") == 0,
	      "a directory not made yet does not lie on the mount of what is above it");
	check(pario_machine_mount("/proc/self/fd", &lost) == 0 && strcmp(lost.type, "proc") == 0,
	      "/proc/self/fd lies on '%s'", lost.type);
	char too_long[8192];

	memset(too_long, 'a', sizeof(too_long) - 1);
	too_long[sizeof(too_long) - 1] = '\0';
	check(pario_machine_mount(too_long, &untouched) < 0 &&
		      strcmp(untouched.type, "as before") == 0,
	      "a path that cannot be has a mount");
}

static void finds(const char *mountinfo, const char *path, unsigned device_minor, const char *type,
		  const char *point)
{
	struct pario_mount mount = { 0 };
	dev_t backing = 0;
	int status = pario_mount_find(mountinfo, path, makedev(8, device_minor), &mount, &backing);

	check(status == 0 && strcmp(mount.type, type) == 0 && strcmp(mount.point, point) == 0,
	      "%s on 8:%u was found on %s (%s), not on %s (%s)", path, device_minor, mount.point,
	      mount.type, point, type);
}

static void mountinfo_is_understood(void)
{
	const char *path = put(
		"mountinfo", "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw,errors=remount-ro\n"
			     "2 1 8:2 / /data rw shared:7 master:1 - xfs /dev/sdb rw\n"
			     "3 1 8:3 / /data ro,nosuid - tmpfs  rw,size=4k\n"
			     "4 1 8:4 / /with\\040blank\\134 rw - nfs4 host:/a\\040b ro,vers=4.2\n"
			     "5 1 8:1 /sub /data/deep rw - ext4 /dev/sda1 rw\n"
			     "a line of another kind\n"
			     "6 1 8:x / /data/deep rw - broken none rw\n");
	struct pario_mount mount = { 0 };
	dev_t backing = 0;

	finds(path, "/etc", 1, "ext4", "/");
	finds(path, "/data/x", 2, "xfs", "/data");
	finds(path, "/data/x", 3, "tmpfs", "/data");
	finds(path, "/data/x", 99, "tmpfs", "/data");
	finds(path, "/database", 99, "ext4", "/");
	finds(path, "/data/deep/x", 1, "ext4", "/data/deep");
	finds(path, "/data/deep/x", 3, "tmpfs", "/data");
	finds(path, "/with blank\\/x", 4, "nfs4", "/with blank\\");
	check(pario_mount_find(path, "/with blank\\", makedev(8, 4), &mount, &backing) == 0 &&
		      strcmp(mount.device, "host:/a b") == 0 &&
		      strcmp(mount.options, "ro,vers=4.2") == 0,
	      "escapes and options read as '%s', '%s'", mount.device, mount.options);
	check(pario_mount_find(in_scratch("none"), "/", 0, &mount, &backing) < 0,
	      "a missing mountinfo has a mount");
}

static void bounds_are(const char *what, const char *groups, uint64_t limit, uint64_t available)
{
	struct pario_bounds b =
		pario_memory_bounds(in_scratch("mountinfo"), put("cgroup", "%s", groups), 8 * GIB);

	check(b.limit_bytes == limit && b.available_bytes == available,
	      "%s: limit %llu, available %llu, not %llu and %llu", what,
	      (unsigned long long)b.limit_bytes, (unsigned long long)b.available_bytes,
	      (unsigned long long)limit, (unsigned long long)available);
}

static void cgroups_are_understood(void)
{
	mkdir(in_scratch("v1"), 0700);
	mkdir(in_scratch("v1/job"), 0700);
	mkdir(in_scratch("v1/job/step"), 0700);
	mkdir(in_scratch("v2"), 0700);
	mkdir(in_scratch("v2/a"), 0700);
	put("mountinfo",
	    "1 0 0:1 / %s/v1 rw - cgroup cgroup rw,memory\n"
	    "2 0 0:2 /box %s/v2 rw - cgroup2 cgroup2 rw\n"
	    "3 0 0:3 / %s/v2 rw - cgroup cgroup rw,cpu\n",
	    scratch, scratch, scratch);
	put("v1/memory.limit_in_bytes", "9223372036854771712\n");
	put("v1/job/memory.limit_in_bytes", "%llu\n", (unsigned long long)(2 * GIB));
	put("v1/job/memory.usage_in_bytes", "%llu\n", (unsigned long long)GIB);
	put("v1/job/memory.stat", "inactive_file 1\ntotal_inactive_file 96\ntotal_active_file 4\n");
	put("v1/job/step/memory.limit_in_bytes", "%llu\n", (unsigned long long)(4 * GIB));
	put("v2/memory.max", "max\n");
	put("v2/a/memory.max", "%llu\n", (unsigned long long)(3 * GIB));
	put("v2/a/memory.current", "100\n");
	bounds_are("no limit", "3:memory:/\n0::/\n", UINT64_MAX, UINT64_MAX);
	bounds_are("version 1, limit above", "4:cpu,memory:/job/step\n", 2 * GIB, GIB + 100);
	bounds_are("another controller", "4:cpu:/job/step\n", UINT64_MAX, UINT64_MAX);
	bounds_are("version 2 below a mount's root", "0::/box/a\n", 3 * GIB, 3 * GIB - 100);
	bounds_are("both", "3:memory:/job\n0::/box/a\n", 2 * GIB, GIB + 100);
	bounds_are("a group out of sight", "0::/../../other\n", UINT64_MAX, UINT64_MAX);
	put("v2/a/memory.high", "%llu\n", (unsigned long long)GIB);
	bounds_are("memory.high", "0::/box/a\n", GIB, GIB - 100);
	put("v1/memory.limit_in_bytes", "1000\n");
	bounds_are("the root of the hierarchy", "3:memory:/job/step\n", 1000, 1000);
	put("v2/a/memory.current", "%llu\n", (unsigned long long)(2 * GIB));
	bounds_are("above the limit", "0::/box/a\n", GIB, 0);
}

/* Counters of a node with two processors, below the scratch directory. */
static void load_is_understood(void)
{
	struct pario_node_load load, here;
	struct pario_own_load own;

	pario_load_node(scratch, &load);
	check(isnan(load.user_s) && isnan(load.pressure_s[0]) && isnan(load.throttled_s),
	      "a load is read where there is none");
	mkdir(in_scratch("proc"), 0700);
	mkdir(in_scratch("proc/pressure"), 0700);
	mkdir(in_scratch("proc/self"), 0700);
	mkdir(in_scratch("sys"), 0700);
	mkdir(in_scratch("sys/fs"), 0700);
	mkdir(in_scratch("sys/fs/cgroup"), 0700);
	mkdir(in_scratch("sys/fs/cgroup/job"), 0700);
	put("proc/stat",
	    "cpu  1000 200 3 4 5 6 7 50 0 0\ncpu0 1 2\ncpu1 1 2\nintr 5\nprocs_running 9\n");
	put("proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n");
	put("proc/self/cgroup", "4:cpuset:/job\n0::/job\n");
	put("proc/self/schedstat", "5 3000000000 7\n");
	put("sys/fs/cgroup/job/cpu.stat", "usage_usec 1\nthrottled_usec 700000\n");
	pario_load_node(scratch, &load);
	check(load.user_s * (double)sysconf(_SC_CLK_TCK) == 1200 &&
		      load.steal_s * (double)sysconf(_SC_CLK_TCK) == 50 && load.processors == 2 &&
		      load.running == 9,
	      "/proc/stat is read as %g s, %g s stolen, %llu processors, %llu running", load.user_s,
	      load.steal_s, (unsigned long long)load.processors, (unsigned long long)load.running);
	check(isnan(load.pressure_s[PARIO_PRESSURE_CPU]) &&
		      load.pressure_s[PARIO_PRESSURE_IO] == 2.5,
	      "pressure of I/O is read as %g s", load.pressure_s[PARIO_PRESSURE_IO]);
	check(load.throttled_s == 0.7, "throttling is read as %g s", load.throttled_s);
	pario_load_own(scratch, &own);
	check(own.waited_s == 3, "schedstat is read as %g s of waiting", own.waited_s);
	pario_load_node("", &here);
	check(here.user_s > 0 && here.processors > 0 && here.running > 0,
	      "this machine has no load");
}

static void processor_is(const char *text, const char *expected, int expected_virtual)
{
	char name[64];
	int virtualised;

	pario_cpu_name(put("cpuinfo", "%s", text), name, sizeof(name), &virtualised);
	check(strcmp(name, expected) == 0 && virtualised == expected_virtual,
	      "the processor is called '%s' (%d), not '%s' (%d)", name, virtualised, expected,
	      expected_virtual);
}

static void processors_are_named(void)
{
	processor_is(
		"processor\t: 0\nmodel\t\t: 1\nmodel name\t: Fast 9000 \nflags\t\t: fpu nohypervisor\n\n"
		"processor\t: 1\nmodel name\t: Slow 1\nflags\t\t: hypervisor\n",
		"Fast 9000", 0);
	processor_is("model name\t: Guest\nflags\t\t: fpu hypervisor sse\n", "Guest", 1);
	processor_is("CPU implementer\t: 0x46\nCPU part\t: 0x001\n", "Fujitsu, part 0x001", -1);
	processor_is("CPU implementer\t: 0x7f\n", "0x7f, part unknown", -1);
	processor_is("cpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported", -1);
	processor_is("", "", -1);
}

static void disks_are_understood(void)
{
	struct pario_disk part = { .rotational = -1 }, bare = { .rotational = -1 };

	mkdir(in_scratch("sda"), 0700);
	mkdir(in_scratch("sda/queue"), 0700);
	mkdir(in_scratch("sda/device"), 0700);
	mkdir(in_scratch("sda/sda1"), 0700);
	put("sda/queue/scheduler", "none [mq-deadline] kyber\n");
	put("sda/queue/rotational", "0\n");
	put("sda/device/model", "  Quick Disk 3   \n");
	put("sda/size", "4096\n");
	put("sda/sda1/size", "2048\n");
	put("sda/sda1/partition", "1\n");
	pario_disk_read(in_scratch("sda/sda1"), &part);
	check(strcmp(part.name, "sda1") == 0 && part.size_bytes == 1048576,
	      "the partition is '%s' of %llu bytes", part.name,
	      (unsigned long long)part.size_bytes);
	check(strcmp(part.scheduler, "mq-deadline") == 0 && part.rotational == 0 &&
		      strcmp(part.model, "Quick Disk 3") == 0,
	      "the disk of the partition is '%s', scheduler '%s', rotational %d", part.model,
	      part.scheduler, part.rotational);
	pario_disk_read(in_scratch("v1"), &bare);
	check(!*bare.scheduler && !*bare.model && bare.rotational < 0 && !bare.size_bytes,
	      "a directory that tells nothing tells '%s'", bare.scheduler);
}

static void layout_is(const unsigned char *layout, size_t length, const char *expected)
{
	struct pario_text text = { 0 };

	pario_mount_layout(&text, layout, length);
	check(strcmp(pario_text_string(&text), expected) == 0, "a layout reads '%s', not '%s'",
	      pario_text_string(&text), expected);
	pario_text_release(&text);
}

static void layouts_are_understood(void)
{
	unsigned char layout[48] = { 0 };
	uint32_t magic = 0x0bd10bd0, size = 1 << 20;
	uint16_t count = 4;

	memcpy(layout, &magic, sizeof(magic));
	memcpy(layout + 24, &size, sizeof(size));
	memcpy(layout + 28, &count, sizeof(count));
	layout_is(layout, 32, "stripe count 4, stripe size 1 MiB");
	layout_is(layout, 31, "");
	magic = 0x0bd30bd0;
	count = UINT16_MAX;
	memcpy(layout, &magic, sizeof(magic));
	memcpy(layout + 28, &count, sizeof(count));
	memcpy(layout + 32, "flash", 5);
	layout_is(layout, 48, "stripe count all, stripe size 1 MiB, pool flash");
	layout[0] = 0;
	layout_is(layout, 48, "");
}

static json_t *describe(const struct pario_comm *world, const struct pario_nodes *nodes)
{
	struct pario_json json = { 0 };
	json_error_t error;
	json_t *tree;

	pario_json_open(&json, NULL, '{');
	pario_machine_write(&json, world, nodes, ".");
	pario_json_close(&json, '}');
	tree = json_loads(pario_text_string(&json.text), JSON_REJECT_DUPLICATES, &error);
	check(tree, "the description is no JSON: %s", error.text);
	if (getenv("PARIO_TEST_SHOW"))
		puts(pario_text_string(&json.text));
	pario_json_release(&json);
	return tree;
}

/* Client 0 knows every node: the clients of all of them are the world's, and each has a name, memory and cores. */
static void nodes_are_described(const json_t *list, const struct pario_comm *world)
{
	uint64_t clients = 0;
	const json_t *node;
	size_t i;

	check(json_array_size(list) == (world->client == 0 ? world->nodes : 0),
	      "%zu nodes are described", json_array_size(list));
	json_array_foreach(list, i, node)
	{
		const char *host = json_string_value(json_object_get(node, "host"));
		const char *cores = json_string_value(json_object_get(node, "cores_of_clients"));

		clients += (uint64_t)json_integer_value(json_object_get(node, "clients"));
		check(host && *host, "a node has no name");
		check(cores && *cores >= '0' && *cores <= '9', "no cores of clients are told");
		check(json_integer_value(json_object_get(node, "memory_available_bytes")) > 0,
		      "%s has no memory", host ? host : "a node");
	}
	check(world->client != 0 || clients == world->clients, "the nodes have %llu clients",
	      (unsigned long long)clients);
}

static void members_are_there(const json_t *machine)
{
	static const char *const strings[] = { "host", "kernel", "architecture", "cpu" };
	static const char *const numbers[] = { "cores", "cores_allowed", "memory_bytes",
					       "node_memory_bytes", "memory_available_bytes" };
	static const char *const objects[] = { "mpi",	 "filesystem", "writeback",
					       "limits", "libraries",  "job" };
	static const char *const others[] = { "sockets",
					      "numa_nodes",
					      "governor",
					      "clocksource",
					      "virtualised",
					      "threads_per_core",
					      "cgroup_memory_limit_bytes" };

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		const char *value = json_string_value(json_object_get(machine, strings[i]));

		check(value && *value, "machine.%s is empty", strings[i]);
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		check(json_integer_value(json_object_get(machine, numbers[i])) > 0,
		      "machine.%s is not positive", numbers[i]);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		check(json_is_object(json_object_get(machine, objects[i])),
		      "machine.%s is no object", objects[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		check(json_object_get(machine, others[i]) != NULL, "machine.%s is missing",
		      others[i]);
}

static void mpi_is_described(const json_t *mpi, const struct pario_comm *world)
{
	const char *library = json_string_value(json_object_get(mpi, "library"));
	const char *threads = json_string_value(json_object_get(mpi, "threads"));

	check(library && *library && !strpbrk(library, "\n\t,") && strpbrk(library, "0123456789"),
	      "the MPI library is called '%s'", library ? library : "(null)");
	check(threads && strcmp(threads, "single") != 0,
	      "MPI is told that there are no threads, or nothing is known of it: %s",
	      threads ? threads : "(null)");
	check((uint64_t)json_integer_value(json_object_get(mpi, "clients")) == world->clients,
	      "machine.mpi.clients is not %llu", (unsigned long long)world->clients);
	check((uint64_t)json_integer_value(json_object_get(mpi, "clients_per_node_max")) ==
		      world->node_clients_max,
	      "machine.mpi.clients_per_node_max is not %llu",
	      (unsigned long long)world->node_clients_max);
}

static void secrets_are_hidden(const json_t *environment)
{
	const struct {
		const char *name, *expected;
	} rows[] = {
		{ "PARIO_TOKEN", "(hidden)" },	       { "FI_user_password", "(hidden)" },
		{ "PARIO_TEST_VALUE", "a\tb\001\"<" }, { "UCX_TEST_EMPTY", "" },
		{ "OMPI_MCA_orte_test_uri", NULL },    { "UNRELATED_TOKEN", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *value = json_string_value(json_object_get(environment, rows[i].name));
		bool same = value && rows[i].expected ? strcmp(value, rows[i].expected) == 0
						      : value == rows[i].expected;

		check(same, "environment.%s is '%s'", rows[i].name, value ? value : "(absent)");
	}
}

static void set_variables(void)
{
	setenv("PARIO_TOKEN", "geheim", 1);
	setenv("FI_user_password", "geheim", 1);
	setenv("PARIO_TEST_VALUE", "a\tb\001\"<", 1);
	setenv("UCX_TEST_EMPTY", "", 1);
	setenv("OMPI_MCA_orte_test_uri", "geheim", 1);
	setenv("UNRELATED_TOKEN", "geheim", 1);
	setenv("SLURM_JOB_ID", "4711", 1);
}

static void description_is_whole(const struct pario_comm *world, const struct pario_nodes *nodes)
{
	json_t *tree, *machine;
	const char *job, *type;

	set_variables();
	tree = describe(world, nodes);
	if (!tree)
		return;
	machine = json_object_get(tree, "machine");
	members_are_there(machine);
	mpi_is_described(json_object_get(machine, "mpi"), world);
	nodes_are_described(json_object_get(machine, "nodes"), world);
	secrets_are_hidden(json_object_get(tree, "environment"));
	job = json_string_value(json_object_get(json_object_get(machine, "job"), "slurm_job_id"));
	check(job && strcmp(job, "4711") == 0, "the job is '%s'", job ? job : "(absent)");
	type = json_string_value(json_object_get(json_object_get(machine, "filesystem"), "type"));
	check(type && *type, "the type of the file system is missing");
	json_decref(tree);
}

/* Also before MPI starts. Cut to any room it stays a whole number of characters. */
static void line_is_whole(const char *when)
{
	char whole[512], part[512];

	pario_machine_line(whole, sizeof(whole), "/");
	check(strstr(whole, " core") && strstr(whole, " · /: ") &&
		      (strstr(whole, "MPI") || strstr(whole, "MPICH")),
	      "%s the line reads '%s'", when, whole);
	for (size_t capacity = 1; capacity < strlen(whole); capacity++) {
		const char *at = part;
		size_t left;

		memset(part, 'x', sizeof(part));
		pario_machine_line(part, capacity, "/");
		left = strnlen(part, sizeof(part));
		check(left < capacity, "the line takes %zu of %zu bytes", left, capacity);
		for (size_t n; left && (n = pario_text_utf8(at, left)) > 0; left -= n)
			at += n;
		check(left == 0, "the line of %zu bytes ends within a character", capacity);
	}
	if (getenv("PARIO_TEST_SHOW"))
		puts(whole);
}

static void remove_scratch(void)
{
	static const char *const names[] = {
		"mountinfo",
		"cgroup",
		"cpuinfo",
		"v1/memory.limit_in_bytes",
		"v1/job/memory.limit_in_bytes",
		"v1/job/memory.usage_in_bytes",
		"v1/job/memory.stat",
		"v1/job/step/memory.limit_in_bytes",
		"v2/memory.max",
		"v2/a/memory.max",
		"v2/a/memory.current",
		"v2/a/memory.high",
		"sda/queue/scheduler",
		"sda/queue/rotational",
		"sda/device/model",
		"sda/size",
		"sda/sda1/size",
		"sda/sda1/partition",
		"sda/sda1",
		"sda/device",
		"sda/queue",
		"sda",
		"proc/stat",
		"proc/pressure/io",
		"proc/self/cgroup",
		"proc/self/schedstat",
		"proc/self",
		"proc/pressure",
		"proc",
		"sys/fs/cgroup/job/cpu.stat",
		"sys/fs/cgroup/job",
		"sys/fs/cgroup",
		"sys/fs",
		"sys",
		"v1/job/step",
		"v1/job",
		"v1",
		"v2/a",
		"v2",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(in_scratch(names[i]));
	check(rmdir(scratch) == 0, "%s is not empty at the end", scratch);
}

static void shown_machines(void)
{
	if (!mkdtemp(temporary(scratch, "machine"))) {
		check(false, "cannot make %s", scratch);
		return;
	}
	mountinfo_is_understood();
	cgroups_are_understood();
	load_is_understood();
	disks_are_understood();
	processors_are_named();
	layouts_are_understood();
	remove_scratch();
}

int main(int argc, char **argv)
{
	struct pario_comm world;
	struct pario_nodes nodes;
	struct pario_err err = { 0 };

	memory_is_plausible();
	mounts_are_found();
	line_is_whole("before MPI");
	if (pario_comm_init(&world, &argc, &argv, &err) < 0 ||
	    pario_nodes_gather(&nodes, &world, &err) < 0) {
		fprintf(stderr, "FAIL machine: %s\n", err.text);
		return 1;
	}
	if (world.client == 0) {
		line_is_whole("under MPI");
		description_is_whole(&world, &nodes);
		shown_machines();
		if (!failures)
			printf("The machine is described with %llu client(s).\n",
			       (unsigned long long)world.clients);
	}
	MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	pario_nodes_release(&nodes);
	pario_comm_release(&world);
	MPI_Finalize();
	return failures ? 1 : 0;
}
