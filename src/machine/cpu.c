/*
 * cpu: which processor, and how many of what.
 *
 * Names come from the first processor in /proc/cpuinfo, numbers from /sys. It misleads on machines that mix
 * processors, and in virtual ones, whose sockets and threads are what the hypervisor makes up.
 */
#include "machine/machine_private.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/launch.h"
#include "machine/proc.h"

#define NODE_DIR "/sys/devices/system/node"

enum {
	SOCKETS_MAX = 1024,
	THREADS_MAX = 1024,
	NAME_CAPACITY = 256,
	PATH_CAPACITY = 4096,
	CACHES_MAX = 16
};

#define UNKNOWN_CACHE ((uint64_t)64 << 20)
#define CACHE_MAX     ((uint64_t)1 << 40) /* what says more is no cache */

static const char *implementer(unsigned long code)
{
	static const struct {
		unsigned long code;
		const char *name;
	} names[] = {
		{ 0x41, "ARM" },     { 0x42, "Broadcom" },  { 0x43, "Cavium" },
		{ 0x46, "Fujitsu" }, { 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" },
		{ 0x50, "APM" },     { 0x51, "Qualcomm" },  { 0x53, "Samsung" },
		{ 0x61, "Apple" },   { 0x6d, "Microsoft" }, { 0xc0, "Ampere" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			return names[i].name;
	return NULL;
}

/* The lines of cpuinfo that name a processor on some architecture; the first that is there counts. */
struct cpu_words {
	char model[NAME_CAPACITY], hardware[NAME_CAPACITY], cpu[NAME_CAPACITY];
	char implementer[NAME_CAPACITY], part[NAME_CAPACITY];
};

/* Key and value of a line "key\t: value"; false for other lines. */
static bool key_and_value(char *line, char **value)
{
	char *colon = strchr(line, ':'), *end;

	if (!colon)
		return false;
	for (end = colon; end > line && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	for (*value = colon + 1; isspace((unsigned char)**value); ++*value)
		;
	for (end = *value + strlen(*value); end > *value && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	return true;
}

static bool has_blank_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static void take_cpu_line(char *line, struct cpu_words *words, int *virtualised)
{
	const struct {
		const char *key;
		char *text;
	} fields[] = {
		{ "model name", words->model }, { "Hardware", words->hardware },
		{ "cpu", words->cpu },		{ "CPU implementer", words->implementer },
		{ "CPU part", words->part },
	};
	char *value;

	if (!key_and_value(line, &value))
		return;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strcmp(line, fields[i].key) == 0 && !*fields[i].text)
			pario_proc_copy(fields[i].text, NAME_CAPACITY, value);
	if (*virtualised < 0 && strcmp(line, "flags") == 0)
		*virtualised = has_blank_word(value, "hypervisor");
}

static void choose_cpu_name(const struct cpu_words *words, char *name, size_t capacity)
{
	const char *maker = implementer(strtoul(words->implementer, NULL, 0));

	if (*words->model)
		pario_proc_copy(name, capacity, words->model);
	else if (*words->hardware)
		pario_proc_copy(name, capacity, words->hardware);
	else if (*words->cpu)
		pario_proc_copy(name, capacity, words->cpu);
	else if (*words->implementer)
		snprintf(name, capacity, "%.40s, part %.40s", maker ? maker : words->implementer,
			 *words->part ? words->part : "unknown");
	else
		*name = '\0';
}

void pario_cpu_name(const char *cpuinfo, char *name, size_t capacity, int *virtualised)
{
	FILE *file = fopen(cpuinfo, "re");
	struct cpu_words words = { 0 };
	char *line = NULL;
	size_t line_capacity = 0;

	*virtualised = -1;
	while (file && getline(&line, &line_capacity, file) > 0)
		take_cpu_line(line, &words, virtualised);
	free(line);
	if (file)
		fclose(file);
	choose_cpu_name(&words, name, capacity);
}

/* Whether a name is the prefix and a number: cpu12, but not cpufreq. */
static bool numbered(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 && isdigit((unsigned char)name[length]) &&
	       strspn(name + length, "0123456789") == strlen(name + length);
}

uint64_t pario_cpu_numa_nodes(void)
{
	DIR *directory = opendir(NODE_DIR);
	uint64_t count = 0;

	for (struct dirent *e; directory && (e = readdir(directory));)
		count += numbered(e->d_name, "node");
	if (directory)
		closedir(directory);
	return count;
}

uint64_t pario_cpu_sockets(const char *cpu_directory)
{
	DIR *directory = opendir(cpu_directory);
	bool seen[SOCKETS_MAX] = { false };
	uint64_t count = 0;

	for (struct dirent *e; directory && (e = readdir(directory));) {
		char path[PATH_CAPACITY];
		uint64_t id;

		if (!numbered(e->d_name, "cpu"))
			continue;
		snprintf(path, sizeof(path), "%.3000s/%s/topology/physical_package_id",
			 cpu_directory, e->d_name);
		if (!pario_proc_u64(path, &id) || id >= SOCKETS_MAX || seen[id])
			continue;
		seen[id] = true;
		count++;
	}
	if (directory)
		closedir(directory);
	return count;
}

/* The list has the form "0,32" or "0-1". */
uint64_t pario_cpu_threads_per_core(const char *cpu_directory)
{
	char path[PATH_CAPACITY], list[NAME_CAPACITY], *at = list;
	uint64_t count = 0;

	snprintf(path, sizeof(path), "%.4000s/cpu0/topology/thread_siblings_list", cpu_directory);
	if (!pario_proc_text(path, list, sizeof(list)))
		return 0;
	while (isdigit((unsigned char)*at)) {
		unsigned long first = strtoul(at, &at, 10), last = first;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		if (last < first || last - first >= THREADS_MAX)
			return 0;
		count += last - first + 1;
		at += *at == ',';
	}
	return count;
}

uint64_t pario_cpu_cores(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online > 0 ? (uint64_t)online : pario_launch_cores();
}

/* The size of a cache, "266240K" or "64M"; 0 when it is not told. */
static uint64_t cache_bytes(const char *directory)
{
	char path[PATH_CAPACITY], text[64], *end;
	uint64_t bytes;

	snprintf(path, sizeof(path), "%.4000s/size", directory);
	if (!pario_proc_text(path, text, sizeof(text)))
		return 0;
	bytes = strtoull(text, &end, 10);
	if (bytes > CACHE_MAX)
		return 0;
	bytes = *end == 'K' ? bytes << 10 : *end == 'M' ? bytes << 20 : bytes;
	return bytes > CACHE_MAX ? 0 : bytes;
}

/* The largest level among one processor's caches; its directory goes to `found`. */
static uint64_t last_level(const char *cpu, char found[PATH_CAPACITY])
{
	uint64_t highest = 0, level;

	for (unsigned i = 0; i < CACHES_MAX; i++) {
		char path[PATH_CAPACITY];

		snprintf(path, sizeof(path), "%.4000s/cache/index%u/level", cpu, i);
		if (!pario_proc_u64(path, &level) || level < highest)
			continue;
		highest = level;
		snprintf(found, PATH_CAPACITY, "%.4000s/cache/index%u", cpu, i);
	}
	return highest;
}

/* A cache is counted by the first of the processors that share it. */
struct pario_last_cache pario_machine_last_cache(const char *cpu_directory)
{
	struct pario_last_cache last = { 0, 0 };
	DIR *directory = opendir(cpu_directory);

	for (struct dirent *e; directory && (e = readdir(directory));) {
		char path[PATH_CAPACITY], cache[PATH_CAPACITY], shared[PATH_CAPACITY + 32];
		uint64_t first, bytes;

		snprintf(path, sizeof(path), "%.3000s/%s", cpu_directory, e->d_name);
		if (!numbered(e->d_name, "cpu") || last_level(path, cache) == 0)
			continue;
		snprintf(shared, sizeof(shared), "%s/shared_cpu_list", cache);
		bytes = cache_bytes(cache);
		if (bytes == 0 || !pario_proc_u64(shared, &first) ||
		    first != strtoull(e->d_name + strlen("cpu"), NULL, 10))
			continue;
		last.count++;
		last.bytes = bytes > last.bytes ? bytes : last.bytes;
	}
	if (directory)
		closedir(directory);
	if (last.count == 0)
		last = (struct pario_last_cache){ UNKNOWN_CACHE, 1 };
	return last;
}
