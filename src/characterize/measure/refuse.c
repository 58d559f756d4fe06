/*
 * refuse: which parts of the set cannot be measured here, and why.
 */
#include "characterize/measure/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "engine/cache.h"
#include "machine/machine.h"
#include "machine/proc.h"

/* What the part "fill" writes beyond what fits, and the most that it may write. */
#define BEYOND	  1.3
#define FILL_MOST ((uint64_t)2 << 30)

enum { PERCENT = 100, USUAL_RATIO = 20 };

uint64_t pario_refuse_fill_bytes(void)
{
	uint64_t available = pario_machine_memory_available(), dirty = 0, ratio = USUAL_RATIO;

	if (!pario_proc_u64("/proc/sys/vm/dirty_bytes", &dirty) || dirty == 0) {
		pario_proc_u64("/proc/sys/vm/dirty_ratio", &ratio);
		dirty = pario_machine_memory_total() / PERCENT * ratio;
	}
	return (uint64_t)(BEYOND * (double)(dirty < available ? dirty : available)) >> 20 << 20;
}

bool pario_refuse_fill_fits(void)
{
	return pario_refuse_fill_bytes() <= FILL_MOST;
}

/* Files without a name tell it, where the file system has them; elsewhere the measurement itself will. */
static bool lacks_direct(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_DIRECT, 0600);
	bool lacks = fd < 0 && errno == EINVAL;

	if (fd >= 0)
		close(fd);
	return lacks;
}

static bool is_in_memory(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool in_memory = fd >= 0 && pario_cache_in_memory(fd);

	if (fd >= 0)
		close(fd);
	return in_memory;
}

void pario_refuse_part(const struct pario_set_part *part, const char *dir, uint64_t clients,
		       struct pario_err *reason)
{
	bool memory = is_in_memory(dir);
	char size[PARIO_UNITS_CAPACITY];

	if (part->clients == PARIO_SET_SEVERAL && clients < 2)
		pario_err_set(reason, PARIO_SYSTEM,
			      "there is one client, and this needs two (--np 2).");
	else if (strstr(part->settings, "direct=1") && lacks_direct(dir))
		pario_err_set(reason, PARIO_SYSTEM, "%s has no direct I/O (EINVAL).", dir);
	else if (part->phases[0].path == PARIO_SYSTEM_MISS && memory)
		pario_err_set(reason, PARIO_SYSTEM,
			      "the file system keeps its data in memory, so no read misses them.");
	else if (part->role == PARIO_SET_FILL && memory)
		pario_err_set(reason, PARIO_SYSTEM,
			      "the file system keeps its data in memory, so no write waits.");
	else if (part->role == PARIO_SET_FILL && !pario_refuse_fill_fits())
		pario_err_set(
			reason, PARIO_SYSTEM,
			"%s would have to be written, which is more than a characterization does.",
			pario_units_size(size, pario_refuse_fill_bytes()));
}

void pario_refuse_space(const struct pario_bound *bound, struct pario_err *reason)
{
	const struct pario_layout *l = &bound->layout;
	const char *dir = bound->settings.dir;
	uint64_t need = l->file_bytes * (l->per_client ? bound->point.clients : 1);
	char size[PARIO_UNITS_CAPACITY], there[PARIO_UNITS_CAPACITY];
	struct pario_mount mount;

	if (reason->code || pario_machine_mount(dir, &mount) < 0 || need <= mount.free_bytes / 2)
		return;
	pario_err_set(reason, PARIO_SYSTEM, "it needs %s in %s, where %s are free.",
		      pario_units_size(size, need), dir, pario_units_size(there, mount.free_bytes));
}
