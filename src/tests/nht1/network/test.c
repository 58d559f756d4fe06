/*
 * test: how fast does a file go through the network interface of the system to itself?
 *
 * NHT-1's network benchmark (docs/nht1.md). One file, as large as the data of the peak test on all nodes that
 * have a client, durable and not cached, is transferred by the system's own ftp command, or scp, to another file of the
 * same file system, from and to a real server on the loopback interface of client 0's node, that pario starts for this
 * and ends again (tests/nht1/network/server.h). T_TRANSFER is the time of the command, from its start to its end:
 * connecting, opening, reading, transferring, writing and closing. R_THROUGHPUT = S_FILE / T_TRANSFER. Afterwards the
 * destination is made durable; T_DURABLE has that in it.
 *
 * Evidence is in the table "evidence": addresses, bytes counted by the kernel on lo, the line of the server's log,
 * and XXH3 of both files. Misleads when the destination fits into memory: nothing in ftp waits for the disk.
 */
#include "tests/nht1/network/loopback.h"
#include "base/room.h"
#include "tests/nht1/network/transfer_file.h"

#include <mpi.h>
#include <stdlib.h>

/* Of the free space, for two files, so that the disk is never filled. */
#define DISK_SHARE 0.95

struct params {
	double fraction;
	struct pario_loopback_choice network;
};

static const struct pario_option options[] = {
	PARIO_LOOPBACK_OPTIONS(struct params, network, "method"),
	PARIO_OPTION(struct params, fraction, .def = "0.8", .min = "0.000001", .max = "0.95",
		     .help = "size of the file as a share of the memory that processes may use on "
			     "all nodes; less than 0.8 of all they have does not conform to NHT-1"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	PARIO_LOOPBACK_METRICS,
	PARIO_MEMORY_RESERVATION_METRICS,
	{ NULL, NULL, NULL, 0 },
};

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	(void)point;
	list[0] = (struct pario_phase){ .name = "transfer", .write = true, .whole = true };
	return 1;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	uint64_t nodes = (point->clients + point->per_node - 1) / point->per_node;
	uint64_t memory = pario_run_capacity(NULL).total_bytes * nodes;
	uint64_t bytes = pario_memory_reservation_share(memory, 1, p->fraction);
	uint64_t capacity = (uint64_t)(DISK_SHARE / 2 * (double)point->free_bytes);

	(void)client;
	(void)err;
	if (bytes > capacity)
		bytes = capacity / PARIO_MEMORY_RESERVATION_UNIT * PARIO_MEMORY_RESERVATION_UNIT;
	layout->extra_files = 4; /* source, destination and their directories */
	layout->extra_bytes = 2 * bytes;
	layout->moved_bytes = 2 * bytes;
	return 0;
}

/* As much as the peak test of these clients moves: shares of the memory of every node that has one. */
static void size_up(struct pario_run *run, struct pario_loopback *w)
{
	const struct params *p = run->params;
	const struct pario_free_space node = pario_run_capacity(run);
	uint64_t sum[2] = { node.share_bytes, node.node_bytes / node.clients }, capacity;
	struct pario_room room;

	MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_UINT64_T, MPI_SUM, run->comm);
	w->amount = (struct pario_memory_reservation_amount){
		.allowed = sum[0],
		.memory = sum[1],
		.wanted = pario_memory_reservation_share(sum[0], 1, p->fraction),
		.nodes = node.nodes,
		.world_nodes = node.world_nodes
	};
	w->delivery.bytes = w->amount.wanted;
	if (pario_room_of(pario_run_dirfd(run), &room) < 0)
		return;
	capacity = (uint64_t)(DISK_SHARE / 2 * (double)room.free_bytes);
	if (w->delivery.bytes > capacity)
		w->delivery.bytes =
			capacity / PARIO_MEMORY_RESERVATION_UNIT * PARIO_MEMORY_RESERVATION_UNIT;
	w->amount.bytes = w->delivery.bytes;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct pario_loopback *w = calloc(1, sizeof(*w));
	int failed = !w;

	run->scratch = w;
	MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, run->comm);
	if (failed)
		return pario_err_memory(err, "the test");
	size_up(run, w);
	if (w->delivery.bytes == 0)
		return pario_err_set(err, PARIO_SYSTEM,
				     "there is no space on the disk for two files of 1 MiB.");
	return pario_loopback_init(w, run, &p->network, err);
}

static void teardown(struct pario_run *run)
{
	if (run->scratch)
		pario_loopback_release(run->scratch);
	free(run->scratch);
	run->scratch = NULL;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	struct pario_loopback *w = run->scratch;
	int status = 0;

	if (w->absent)
		return 0;
	if (pario_loopback_enter(w, run, err) < 0)
		return -1;
	if (run->client == 0)
		status = pario_transfer_file_make(run, w->data, "source", w->delivery.bytes,
						  &w->delivery.hash, err);
	return pario_loopback_before(w, run, status, err);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	return pario_loopback_body(run->scratch, run, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	return pario_loopback_verify(run->scratch, run, err);
}

const struct pario_test pario_test_nht1_network = {
	.name = "nht1_network",
	.summary = "NHT-1: a file through ftp or scp and the loopback interface",
	.question =
		"How fast does a file go through the network interface of the system to itself?",
	.misleads =
		"when the destination fits into memory, since the command does not wait for the disk",
	.alone = true,
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.headline = "R_THROUGHPUT",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
