/*
 * nodes: which nodes the clients are on, what memory each of them has left, and which cores each client may use.
 *
 * Asked once, when the clients have started. The first client of a node speaks for it.
 */
#include "machine/machine_private.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORES = 96 }; /* bytes of one client's list */

/* "0-3,8": the cores this process may use, as the kernel writes such lists; cut with "..." where it is too long. */
static void list_cores(char text[CORES])
{
	cpu_set_t set;
	size_t used = 0;

	text[0] = '\0';
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return;
	for (unsigned i = 0; i < CPU_SETSIZE; i++) {
		unsigned last = i;

		if (!CPU_ISSET(i, &set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
			last++;
		if (used > CORES - 24) {
			snprintf(text + used, CORES - used, ",...");
			return;
		}
		used += (size_t)snprintf(text + used, CORES - used, last > i ? "%s%u-%u" : "%s%u",
					 used ? "," : "", i, last);
		i = last;
	}
}

/* One list where all clients of the node have the same, else theirs in order, with blanks between. */
static void join_cores(struct pario_node *node, const char (*lists)[CORES])
{
	uint64_t i = 1;
	size_t used;

	snprintf(node->cores, sizeof(node->cores), "%s", lists[0]);
	while (i < node->clients && strcmp(lists[i], lists[0]) == 0)
		i++;
	for (uint64_t k = 1; i < node->clients && k < node->clients; k++) {
		used = strlen(node->cores);
		if (used + CORES + 8 > sizeof(node->cores)) {
			snprintf(node->cores + used, sizeof(node->cores) - used, " ...");
			return;
		}
		snprintf(node->cores + used, sizeof(node->cores) - used, " %s", lists[k]);
	}
}

/* What the first client of the node knows; the others only tell it their cores. Collective over the node. */
static int describe(MPI_Comm here, struct pario_node *node, struct pario_err *err)
{
	char own[CORES], (*lists)[CORES] = NULL;
	int rank, size, status = 0;

	MPI_Comm_rank(here, &rank);
	MPI_Comm_size(here, &size);
	*node = (struct pario_node){ .clients = (uint64_t)size };
	if (rank == 0 && !(lists = calloc((size_t)size, sizeof(*lists))))
		status = pario_err_memory(err, "the cores of %d clients", size);
	if (pario_comm_agree(here, status, NULL, err) < 0) {
		free(lists);
		return -1;
	}
	list_cores(own);
	MPI_Gather(own, CORES, MPI_CHAR, lists, CORES, MPI_CHAR, 0, here);
	if (lists) {
		gethostname(node->host, sizeof(node->host) - 1);
		node->memory_available = pario_machine_memory_available();
		node->memory_total = pario_machine_memory_total();
		join_cores(node, (const char(*)[CORES])lists);
	}
	free(lists);
	return 0;
}

int pario_nodes_gather(struct pario_nodes *nodes, const struct pario_comm *world,
		       struct pario_err *err)
{
	MPI_Comm here, firsts;
	struct pario_node own;
	int status;

	*nodes = (struct pario_nodes){ 0 };
	MPI_Comm_split(world->mpi, (int)world->node, (int)world->client, &here);
	status = describe(here, &own, err);
	MPI_Comm_free(&here);
	if (status == 0 && world->client == 0 &&
	    !(nodes->list = calloc(world->nodes, sizeof(*nodes->list))))
		status = pario_err_memory(err, "%llu nodes", (unsigned long long)world->nodes);
	if (pario_comm_agree(world->mpi, status, NULL, err) < 0)
		return -1;
	MPI_Comm_split(world->mpi, world->node_client == 0 ? 0 : MPI_UNDEFINED, (int)world->node,
		       &firsts);
	if (firsts != MPI_COMM_NULL) {
		MPI_Gather(&own, sizeof(own), MPI_BYTE, nodes->list, sizeof(own), MPI_BYTE, 0,
			   firsts);
		MPI_Comm_free(&firsts);
	}
	nodes->count = nodes->list ? world->nodes : 0;
	return 0;
}

void pario_nodes_release(struct pario_nodes *nodes)
{
	free(nodes->list);
	*nodes = (struct pario_nodes){ 0 };
}

void pario_nodes_write(struct pario_json *json, const struct pario_nodes *nodes)
{
	pario_json_open(json, "nodes", '[');
	for (size_t i = 0; i < nodes->count; i++) {
		const struct pario_node *n = &nodes->list[i];

		pario_json_open(json, NULL, '{');
		pario_json_string(json, "host", n->host);
		pario_json_u64(json, "clients", n->clients);
		pario_json_amount(json, "memory_bytes", n->memory_total);
		pario_json_amount(json, "memory_available_bytes", n->memory_available);
		pario_json_string(json, "cores_of_clients", *n->cores ? n->cores : NULL);
		pario_json_close(json, '}');
	}
	pario_json_close(json, ']');
}
