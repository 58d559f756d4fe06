/*
 * memory: how much of it this process may use.
 *
 * The node's memory and what the kernel calls available come from /proc/meminfo. A cgroup may allow less: from
 * the process's own group up to the root of each hierarchy (version 1 and 2) the tightest limit counts, and a
 * group's page cache counts as available, as it does for the node. It misleads where a container hides the
 * groups above its own, and where other processes of the same group grow later.
 */
#include "machine/machine_private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "machine/proc.h"

/* The names that the two versions of cgroups have for the same things. */
struct names {
	const char *type, *limit, *soft, *usage, *active, *inactive;
};

static const struct names version1 = {
	.type = "cgroup",
	.limit = "memory.limit_in_bytes",
	.usage = "memory.usage_in_bytes",
	.active = "total_active_file",
	.inactive = "total_inactive_file",
};

/* Above memory.high the kernel slows the group down and takes its pages away: for I/O that is the limit. */
static const struct names version2 = {
	.type = "cgroup2",
	.limit = "memory.max",
	.soft = "memory.high",
	.usage = "memory.current",
	.active = "active_file",
	.inactive = "inactive_file",
};

static bool group_path(char path[PATH_MAX], const char *group, const char *file)
{
	return snprintf(path, PATH_MAX, "%s/%s", group, file) < PATH_MAX;
}

static uint64_t group_number(const char *group, const char *file, uint64_t missing)
{
	char path[PATH_MAX];
	uint64_t value;

	if (!file || !group_path(path, group, file) || !pario_proc_u64(path, &value))
		return missing;
	return value;
}

static uint64_t group_cache(const char *group, const struct names *names)
{
	char path[PATH_MAX];
	uint64_t active = 0, inactive = 0, sum;

	if (!group_path(path, group, "memory.stat"))
		return 0;
	pario_proc_keyed(path, names->active, &active);
	pario_proc_keyed(path, names->inactive, &inactive);
	return pario_add(active, inactive, &sum) ? sum : 0;
}

static void bound_by(const char *group, const struct names *names, uint64_t node_bytes,
		     struct pario_bounds *bounds)
{
	uint64_t limit = group_number(group, names->limit, UINT64_MAX);
	uint64_t soft = group_number(group, names->soft, UINT64_MAX), used, cache, available;

	if (soft < limit)
		limit = soft;
	if (limit >= node_bytes)
		return;
	used = group_number(group, names->usage, 0);
	cache = group_cache(group, names);
	used = used > cache ? used - cache : 0;
	available = limit > used ? limit - used : 0;
	if (limit < bounds->limit_bytes)
		bounds->limit_bytes = limit;
	if (available < bounds->available_bytes)
		bounds->available_bytes = available;
}

/*
 * Where the group lies below the mount point. A container may see only a part of the hierarchy: then its mount
 * begins below the root, or the group is named from outside ("/.."), and the mount point is as near as it gets.
 */
static const char *below_mount(const char *group, const char *root)
{
	size_t length = strlen(root);

	if (strncmp(group, "/..", 3) == 0)
		return "";
	if (strcmp(root, "/") == 0)
		return group;
	if (strncmp(group, root, length) == 0 && (group[length] == '/' || !group[length]))
		return group + length;
	return "";
}

static void climb(const char *point, const char *below, const struct names *names,
		  uint64_t node_bytes, struct pario_bounds *bounds)
{
	char group[PATH_MAX];
	size_t top = strlen(point);

	if (snprintf(group, sizeof(group), "%s%s", point, below) >= (int)sizeof(group))
		return;
	for (;;) {
		char *slash = strrchr(group, '/');

		bound_by(group, names, node_bytes, bounds);
		if (!slash || (size_t)(slash - group) < top)
			return;
		*slash = '\0';
	}
}

static void search_mounts(const char *mountinfo, const char *group, const struct names *names,
			  uint64_t node_bytes, struct pario_bounds *bounds)
{
	FILE *file = fopen(mountinfo, "re");
	char *line = NULL;
	size_t capacity = 0;

	while (file && getline(&line, &capacity, file) > 0) {
		struct pario_mountinfo mount;

		if (!pario_mountinfo_parse(line, &mount) || strcmp(mount.type, names->type) != 0)
			continue;
		if (names == &version1 && !pario_mountinfo_has(mount.super, "memory"))
			continue;
		climb(mount.point, below_mount(group, mount.root), names, node_bytes, bounds);
	}
	free(line);
	if (file)
		fclose(file);
}

struct pario_bounds pario_memory_bounds(const char *mountinfo, const char *cgroup,
					uint64_t node_bytes)
{
	struct pario_bounds bounds = { UINT64_MAX, UINT64_MAX };
	FILE *file = fopen(cgroup, "re");
	char *line = NULL;
	size_t capacity = 0;

	/* A line is number:controllers:path; version 2 has no controllers there. */
	while (file && getline(&line, &capacity, file) > 0) {
		char *rest = line;

		line[strcspn(line, "\n")] = '\0';
		strsep(&rest, ":");
		const char *controllers = strsep(&rest, ":");

		if (!controllers || !rest)
			continue;
		if (!*controllers)
			search_mounts(mountinfo, rest, &version2, node_bytes, &bounds);
		else if (pario_mountinfo_has(controllers, "memory"))
			search_mounts(mountinfo, rest, &version1, node_bytes, &bounds);
	}
	free(line);
	if (file)
		fclose(file);
	return bounds;
}

/* Both names of `sysconf` count pages. */
static uint64_t meminfo(const char *key, int pages)
{
	long count = sysconf(pages), page = sysconf(_SC_PAGESIZE);
	uint64_t kib, bytes;

	if (pario_proc_keyed("/proc/meminfo", key, &kib) && pario_mul(kib, 1024, &bytes))
		return bytes;
	if (count > 0 && page > 0 && pario_mul((uint64_t)count, (uint64_t)page, &bytes))
		return bytes;
	return 0;
}

uint64_t pario_machine_memory_node(void)
{
	return meminfo("MemTotal", _SC_PHYS_PAGES);
}

uint64_t pario_machine_memory_total(void)
{
	uint64_t node = pario_machine_memory_node();
	struct pario_bounds bounds = pario_memory_bounds(PARIO_MOUNTINFO, PARIO_CGROUP, node);

	return bounds.limit_bytes < node ? bounds.limit_bytes : node;
}

uint64_t pario_machine_memory_available(void)
{
	uint64_t node = meminfo("MemAvailable", _SC_AVPHYS_PAGES);
	struct pario_bounds bounds =
		pario_memory_bounds(PARIO_MOUNTINFO, PARIO_CGROUP, pario_machine_memory_node());

	return bounds.available_bytes < node ? bounds.available_bytes : node;
}
