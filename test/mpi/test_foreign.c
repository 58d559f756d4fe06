/*
 * test_foreign: what does pario make of what others fill in, when that is extreme, absent or nonsense?
 *
 * Here the calls of the C library and of MPI that ask for them answer what a table says, the kernel's files are
 * those of a temporary directory, and hwloc sees machines that are not there. Whatever they say, the first line of
 * a journal must be one that can be read, and what is not known must be null there and no bound anywhere.
 *
 * run:
 * clients: 2
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <jansson.h>
#include <mpi.h>

#include "base/room.h"
#include "machine/load.h"
#include "machine/machine_private.h"
#include "machine/proc.h"

#include "../temporary.h"

#define ALL	UINT64_MAX
#define ALL32	UINT32_MAX
#define UNKNOWN PARIO_ROOM_UNKNOWN
#define GIB	((uint64_t)1 << 30)

static int failures;
static char scratch[TEMPORARY_CAPACITY];

#define CHECK(good, ...)                          \
	do {                                      \
		if (!(good)) {                    \
			failures++;               \
			printf("FAIL foreign: "); \
			printf(__VA_ARGS__);      \
			putchar('\n');            \
		}                                 \
	} while (0)

/* ---- what is planted, and who answers with it ---- */

static struct statvfs planted_space;
static const char *planted_word; /* NULL: as the system has it */

int statvfs(const char *path, struct statvfs *fs)
{
	(void)path;
	*fs = planted_space;
	return 0;
}

int uname(struct utsname *name)
{
	char *const members[] = { name->sysname, name->nodename, name->release, name->version,
				  name->machine };

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		snprintf(members[i], sizeof(name->sysname), "%s",
			 planted_word ? planted_word : "Linux");
	return 0;
}

int MPI_Get_library_version(char *version, int *length)
{
	if (!planted_word)
		return PMPI_Get_library_version(version, length);
	snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "%s", planted_word);
	*length = -1;
	return MPI_SUCCESS;
}

int MPI_Get_version(int *version, int *part)
{
	if (!planted_word)
		return PMPI_Get_version(version, part);
	*version = -1;
	*part = 2147483647;
	return MPI_SUCCESS;
}

/* ---- room on file systems ---- */

static const struct {
	const char *who;
	uint64_t blocks, available, block, fragment, files, free_files;
	struct pario_room expected;
} rooms[] = {
	{ "a disk", 100, 50, 4096, 4096, 10, 5, { 409600, 204800, 5 } },
	{ "a full disk", 100, 0, 4096, 4096, 10, 0, { 409600, 0, 0 } },
	{ "ceph-fuse", 100, 50, 4096, 4096, 10, ALL, { 409600, 204800, UNKNOWN } },
	{ "32 bits of files", 100, 50, 4096, 4096, ALL32, ALL32, { 409600, 204800, UNKNOWN } },
	{ "a negative number of files",
	  100,
	  50,
	  4096,
	  4096,
	  10,
	  ALL - 6,
	  { 409600, 204800, UNKNOWN } },
	{ "btrfs", 100, 50, 4096, 4096, 0, 0, { 409600, 204800, UNKNOWN } },
	{ "FUSE without statfs", 0, 0, 512, 0, 0, 0, { UNKNOWN, UNKNOWN, UNKNOWN } },
	{ "no fragment", 100, 50, 512, 0, 0, 0, { 51200, 25600, UNKNOWN } },
	{ "no block", 100, 50, 0, 0, 10, 5, { UNKNOWN, UNKNOWN, 5 } },
	{ "all bits of blocks", ALL, ALL, 4096, 4096, 10, 5, { UNKNOWN, UNKNOWN, 5 } },
	{ "32 bits of blocks", ALL32, ALL32, 4096, 4096, 10, 5, { UNKNOWN, UNKNOWN, 5 } },
	{ "a debt", 100, ALL - 9, 4096, 4096, 10, 5, { 409600, UNKNOWN, 5 } },
	{ "more than 64 bits", ALL / 2, ALL / 4, 4096, 4096, 10, 5, { UNKNOWN, UNKNOWN, 5 } },
	{ "more than 63 bits", 1ULL << 52, 1ULL << 51, 4096, 4096, 10, 5, { UNKNOWN, UNKNOWN, 5 } },
	{ "an endless block", 100, 50, ALL, ALL, 10, 5, { UNKNOWN, UNKNOWN, 5 } },
	{ "everything", ALL, ALL, ALL, ALL, ALL, ALL, { UNKNOWN, UNKNOWN, UNKNOWN } },
};

static void plant_room(size_t i)
{
	planted_space = (struct statvfs){ .f_blocks = rooms[i].blocks,
					  .f_bavail = rooms[i].available,
					  .f_bsize = rooms[i].block,
					  .f_frsize = rooms[i].fragment,
					  .f_files = rooms[i].files,
					  .f_favail = rooms[i].free_files };
}

/* ---- the journal's first line ---- */

static json_t *describe(const char *who, const struct pario_comm *world,
			const struct pario_nodes *nodes)
{
	struct pario_json json = { 0 };
	json_error_t error;
	json_t *tree;

	pario_json_open(&json, NULL, '{');
	pario_machine_write(&json, world, nodes, scratch);
	pario_json_close(&json, '}');
	tree = json_loads(pario_text_string(&json.text), JSON_REJECT_DUPLICATES, &error);
	CHECK(tree, "%s: the journal's first line cannot be read: %s", who, error.text);
	pario_json_release(&json);
	return tree;
}

static bool is_number(const json_t *of, const char *key, uint64_t expected)
{
	const json_t *value = json_object_get(of, key);

	return expected == UNKNOWN
		       ? json_is_null(value)
		       : json_is_integer(value) && (uint64_t)json_integer_value(value) == expected;
}

static void rooms_are_understood(const struct pario_comm *world, const struct pario_nodes *nodes)
{
	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
		const struct pario_room *e = &rooms[i].expected;
		struct pario_room space;
		json_t *tree, *fs;

		plant_room(i);
		pario_room_at("/", &space);
		CHECK(memcmp(&space, e, sizeof(space)) == 0,
		      "%s: %llu of %llu bytes, %llu files are free", rooms[i].who,
		      (unsigned long long)space.free_bytes, (unsigned long long)space.total_bytes,
		      (unsigned long long)space.free_files);
		tree = describe(rooms[i].who, world, nodes);
		fs = json_object_get(json_object_get(tree, "machine"), "filesystem");
		CHECK(is_number(fs, "free_bytes", e->free_bytes) &&
			      is_number(fs, "total_bytes", e->total_bytes) &&
			      is_number(fs, "free_inodes", e->free_files),
		      "%s: the journal says otherwise", rooms[i].who);
		json_decref(tree);
	}
}

/* ---- words of the kernel, MPI and hwloc ---- */

static void words_are_understood(const struct pario_comm *world, const struct pario_nodes *nodes)
{
	static char endless[MPI_MAX_LIBRARY_VERSION_STRING];
	static const char *const words[] = {
		"", "\xff\xfe\xff", "\"}\n{\"kind\":\"end\"}", "\001\033[2J", "-1", endless
	};
	static const char *const shapes[] = { "", "nonsense:1 pu:-1", "pack:1024 pu:1",
					      "core:18446744073709551615 pu:1" };

	memset(endless, 'x', sizeof(endless) - 1);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		planted_word = words[i];
		json_decref(describe("a word", world, nodes));
	}
	planted_word = NULL;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		char text[16] = "as before";

		setenv("HWLOC_SYNTHETIC", shapes[i], 1);
		json_decref(describe(shapes[i], world, nodes));
		pario_machine_topology(text, sizeof(text));
		CHECK(strlen(text) < sizeof(text) - 1, "half a shape is told: '%s'", text);
	}
	unsetenv("HWLOC_SYNTHETIC");
}

static void other_nodes_are_understood(const struct pario_comm *world)
{
	struct pario_node node = { .clients = 1, .memory_available = ALL, .memory_total = ALL };
	json_t *tree = describe("a node without memory", world, &(struct pario_nodes){ &node, 1 });
	json_t *list = json_object_get(json_object_get(tree, "machine"), "nodes");

	CHECK(is_number(json_array_get(list, 0), "memory_bytes", UNKNOWN),
	      "a node's memory is known that it does not tell");
	json_decref(tree);
}

/* ---- files of the kernel ---- */

static char *in_scratch(char path[TEMPORARY_CAPACITY + 128], const char *name)
{
	snprintf(path, TEMPORARY_CAPACITY + 128, "%s/%s", scratch, name);
	return path;
}

/* Makes the directories above it, too. */
static const char *put(const char *name, const char *text)
{
	static char path[TEMPORARY_CAPACITY + 128];
	FILE *file;

	in_scratch(path, name);
	for (char *slash = path + strlen(scratch) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	CHECK(file, "cannot write %s", path);
	if (file) {
		fputs(text, file);
		fclose(file);
	}
	return path;
}

static const struct {
	const char *text;
	bool number;
	uint64_t value;
} numbers[] = {
	{ "7\n", true, 7 },
	{ "0", true, 0 },
	{ "9223372036854775807", true, INT64_MAX },
	{ "", false, 0 },
	{ "max", false, 0 },
	{ "-1", false, 0 },
	{ "9223372036854775808", false, 0 },
	{ "18446744073709551615", false, 0 },
	{ "99999999999999999999999", false, 0 },
	{ "0x10", true, 0 },
	{ "nan", false, 0 },
	{ "\xff", false, 0 },
};

static void numbers_are_understood(void)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		uint64_t value = 0;
		char keyed[128];
		bool told = pario_proc_u64(put("number", numbers[i].text), &value);

		CHECK(told == numbers[i].number && value == numbers[i].value,
		      "'%s' is read as %llu", numbers[i].text, (unsigned long long)value);
		snprintf(keyed, sizeof(keyed), "MemTotal: %s", numbers[i].text);
		value = 0;
		told = pario_proc_keyed(put("number", keyed), "MemTotal", &value);
		CHECK(told == numbers[i].number && value == numbers[i].value,
		      "'%s' is read as %llu", keyed, (unsigned long long)value);
	}
}

static void processors_are_understood(void)
{
	static const struct {
		const char *list;
		uint64_t threads;
	} rows[] = {
		{ "0,32\n", 2 }, { "0-3\n", 4 }, { "", 0 },
		{ "x", 0 },	 { "3-0", 0 },	 { "0-18446744073709551615", 0 },
		{ "-1", 0 },
	};
	static const char *const sizes[] = {
		"-1", "0K", "", "18446744073709551615", "99999999999999M", "1048576M", "max"
	};
	char cpu[TEMPORARY_CAPACITY + 128];

	in_scratch(cpu, "cpu");
	CHECK(pario_cpu_sockets(cpu) == 0 && pario_cpu_threads_per_core(cpu) == 0,
	      "processors are there without their files");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put("cpu/cpu0/topology/thread_siblings_list", rows[i].list);
		CHECK(pario_cpu_threads_per_core(cpu) == rows[i].threads, "'%s' are %llu threads",
		      rows[i].list, (unsigned long long)pario_cpu_threads_per_core(cpu));
	}
	put("cpu/cpu0/topology/physical_package_id", "-1\n");
	CHECK(pario_cpu_sockets(cpu) == 0, "a socket -1 is counted");
	put("cpu/cpu0/cache/index0/level", "3");
	put("cpu/cpu0/cache/index0/shared_cpu_list", "0");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct pario_last_cache last;

		put("cpu/cpu0/cache/index0/size", sizes[i]);
		last = pario_machine_last_cache(cpu);
		CHECK(last.bytes > 0 && last.bytes <= (uint64_t)1 << 40 && last.count == 1,
		      "a cache of '%s' has %llu bytes", sizes[i], (unsigned long long)last.bytes);
	}
}

static void load_is_understood(void)
{
	static const char *const stats[] = {
		"cpu  18446744073709551615 0 0 0 0 0 0 0 0 0\n",
		"cpu  -1 -1 -1 -1 -1 -1 -1 -1\n",
		"cpu \n",
		"cpu  nan inf x 1 1 1 1 nan\n",
		"",
	};
	struct pario_node_load node;
	struct pario_own_load own;

	for (size_t i = 0; i < sizeof(stats) / sizeof(*stats); i++) {
		put("proc/stat", stats[i]);
		pario_load_node(scratch, &node);
		CHECK(isnan(node.user_s) && isnan(node.steal_s), "'%s' is a load of %g s", stats[i],
		      node.user_s);
	}
	put("proc/stat", "cpu  1 1 1 1 1 1 1 1\nprocs_running -1\n");
	put("proc/pressure/io", "some avg10=0 total=-1\n");
	put("proc/self/schedstat", "18446744073709551615 18446744073709551615 1\n");
	pario_load_node(scratch, &node);
	pario_load_own(scratch, &own);
	CHECK(node.running == 0 && isnan(node.pressure_s[PARIO_PRESSURE_IO]) && isnan(own.waited_s),
	      "%llu run, %g s of pressure, %g s waited", (unsigned long long)node.running,
	      node.pressure_s[PARIO_PRESSURE_IO], own.waited_s);
}

static void groups_are_understood(void)
{
	static const char *const limits[] = { "max", "-1", "18446744073709551615",
					      "",    "x",  "9223372036854771712" };
	char mountinfo[TEMPORARY_CAPACITY + 256], where[2][TEMPORARY_CAPACITY + 128];

	snprintf(mountinfo, sizeof(mountinfo), "1 0 0:1 / %s/group rw - cgroup2 cgroup2 rw\n",
		 scratch);
	put("mountinfo", mountinfo);
	put("cgroup", "0::/\n");
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct pario_bounds bounds;

		put("group/memory.max", limits[i]);
		bounds = pario_memory_bounds(in_scratch(where[0], "mountinfo"),
					     in_scratch(where[1], "cgroup"), 8 * GIB);
		CHECK(bounds.limit_bytes == UINT64_MAX && bounds.available_bytes == UINT64_MAX,
		      "a limit of '%s' is %llu bytes", limits[i],
		      (unsigned long long)bounds.limit_bytes);
	}
	put("group/memory.max", "1000");
	put("group/memory.current", "18446744073709551615");
	put("group/memory.stat",
	    "active_file 9223372036854775807\ninactive_file 9223372036854775807\n");
	CHECK(pario_memory_bounds(in_scratch(where[0], "mountinfo"), in_scratch(where[1], "cgroup"),
				  8 * GIB)
			      .available_bytes <= 1000,
	      "more is available than the limit");
}

static void layouts_are_understood(void)
{
	struct pario_text text = { 0 };
	unsigned char layout[48];

	for (size_t length = 0; length <= sizeof(layout); length++) {
		uint32_t magic = 0x0bd30bd0;

		memset(layout, 0xff, sizeof(layout));
		memcpy(layout, &magic, sizeof(magic));
		pario_mount_layout(&text, layout, length);
	}
	CHECK(strstr(pario_text_string(&text), "stripe count all"),
	      "a layout of all ones reads '%s'", pario_text_string(&text));
	pario_text_release(&text);
}

static void files_are_understood(void)
{
	numbers_are_understood();
	processors_are_understood();
	load_is_understood();
	groups_are_understood();
	layouts_are_understood();
}

int main(int argc, char **argv)
{
	struct pario_comm world;
	struct pario_nodes nodes;
	struct pario_err err = { 0 };

	plant_room(0);
	if (!mkdtemp(temporary(scratch, "foreign")))
		return 1;
	if (pario_comm_init(&world, &argc, &argv, &err) < 0 ||
	    pario_nodes_gather(&nodes, &world, &err) < 0) {
		fprintf(stderr, "FAIL foreign: %s\n", err.text);
		return 1;
	}
	if (world.client == 0) {
		rooms_are_understood(&world, &nodes);
		words_are_understood(&world, &nodes);
		other_nodes_are_understood(&world);
		files_are_understood();
	}
	MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (world.client == 0 && failures == 0)
		printf("%zu file systems and all else that others fill in are understood.\n",
		       sizeof(rooms) / sizeof(*rooms));
	pario_nodes_release(&nodes);
	pario_comm_release(&world);
	MPI_Finalize();
	return failures != 0;
}
