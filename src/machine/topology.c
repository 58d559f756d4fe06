/*
 * topology: the shape of this node in one line, from packages and caches down to hardware threads, as hwloc sees
 * it ("Package:1 L3Cache:1(size=...) Core:2 PU:1"). Without hwloc it is "" and the counts of cpu.c have to do.
 */
#include "machine/machine_private.h"

#ifdef PARIO_HAVE_HWLOC

#include <hwloc.h>

void pario_machine_topology(char *text, size_t capacity)
{
	hwloc_topology_t topology;
	int length = -1;

	text[0] = '\0';
	if (hwloc_topology_init(&topology) < 0)
		return;
	if (hwloc_topology_load(topology) == 0)
		length = hwloc_topology_export_synthetic(
			topology, text, capacity,
			HWLOC_TOPOLOGY_EXPORT_SYNTHETIC_FLAG_IGNORE_MEMORY);
	/* Half a shape is none. */
	if (length < 0 || (size_t)length >= capacity)
		text[0] = '\0';
	hwloc_topology_destroy(topology);
}

#else

void pario_machine_topology(char *text, size_t capacity)
{
	(void)capacity;
	text[0] = '\0';
}

#endif
