/*
 * placement: describes in one line how the processes are placed on the nodes.
 */
#include "tests/beff/model/placement.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Runs of equal neighbours that are listed; beyond, the counts say enough. */
enum { LISTED = 16 };

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* 0 without memory for sorting them. */
static unsigned count_nodes(const uint64_t *node, unsigned n)
{
	uint64_t *sorted = malloc((n ? n : 1) * sizeof(*sorted));
	unsigned nodes = 0;

	if (!sorted)
		return 0;
	memcpy(sorted, node, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	for (unsigned i = 0; i < n; i++)
		nodes += i == 0 || sorted[i] != sorted[i - 1];
	free(sorted);
	return nodes;
}

/* Does each process lie on the node of the one `nodes` before it, and on no neighbour's? */
static bool in_turn(const uint64_t *node, unsigned n, unsigned nodes)
{
	for (unsigned i = 1; i < n; i++)
		if (node[i] == node[i - 1] || (i >= nodes && node[i] != node[i - nodes]))
			return false;
	return true;
}

void pario_beff_placement(const uint64_t *node, unsigned n, struct pario_text *out)
{
	unsigned nodes = count_nodes(node, n), runs = 1;
	const char *how = "mixed";

	for (unsigned i = 1; i < n; i++)
		runs += node[i] != node[i - 1];
	if (nodes < 2) {
		pario_text_add(out, nodes ? "%u processes on 1 node" : "%u processes", n);
		return;
	}
	if (nodes == n)
		how = "one process per node";
	else if (runs == nodes)
		how = "sequential";
	else if (in_turn(node, n, nodes))
		how = "round-robin";
	pario_text_add(out, "%u processes on %u nodes, %s", n, nodes, how);
	if (nodes == n || runs > LISTED)
		return;
	for (unsigned i = 0, start = 0; i < n; i++) {
		if (i + 1 < n && node[i + 1] == node[i])
			continue;
		pario_text_add(out, "%s%u-%u", start ? " | " : ": ", start, i);
		start = i + 1;
	}
}
