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
#include "engine/test.h"
#include "tests/nht1/model/formulae.h"
#include "tests/nht1/network/file_transfer.h"
#include "tests/nht1/network/transfer_file.h"
#include "tests/nht1/peak/memory_reservation.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Of the free space, for two files, so that the disk is never filled. */
#define DISK_SHARE 0.95

struct params {
	double fraction;
	uint64_t port;
	int method, direction;
};

static const char *const methods[] = { "ftp", "scp", NULL };
static const char *const directions[] = { "put", "get", NULL };

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, method, .def = "ftp", .choices = methods,
		     .help = "command that transfers the file, with vsftpd or sshd behind it"),
	PARIO_OPTION(
		struct params, direction, .def = "put", .choices = directions,
		.help = "put: the command reads and the server writes; get: the other way round"),
	PARIO_OPTION(
		struct params, fraction, .def = "0.8", .min = "0.000001", .max = "0.95",
		.help = "size of the file as a share of the memory of all nodes; below 0.8 does not conform to NHT-1"),
	PARIO_OPTION(struct params, port, .def = "0", .max = "65535", .unit = "port",
		     .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "port of the server on 127.0.0.1; 0 = any that is free"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "R_THROUGHPUT", "B/s", "network I/O rate: S_FILE / T_TRANSFER", 1 },
	{ "T_TRANSFER", "s", "time of the command", -1 },
	{ "T_DURABLE", "s", "the same until the destination is on disk", -1 },
	{ "S_FILE", "B", "size of the file", 0 },
	{ "S_MEM", "B", "memory that processes may use, of all nodes", 0 },
	{ "nodes", "", "nodes whose memory S_MEM is", 0 },
	{ "nodes_left_out", "", "nodes of the run without a client here; NHT-1 wants all", 0 },
	{ "loopback_bytes", "B", "bytes that the kernel counted on lo meanwhile", 0 },
	{ NULL, NULL, NULL, 0 },
};

struct work {
	struct pario_server server;
	const char *missing, *package;
	int top, data; /* directories, -1 while not open */
	struct pario_delivery delivery;
	struct pario_memory_reservation_amount amount;
	int64_t transfer_ns;
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
static void size_up(struct pario_run *run, struct work *w)
{
	const struct params *p = run->params;
	const struct pario_free_space node = pario_run_capacity(run);
	uint64_t sum = node.share_bytes, capacity;
	struct statvfs fs;

	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, run->comm);
	w->amount = (struct pario_memory_reservation_amount){
		.memory = sum,
		.wanted = pario_memory_reservation_share(sum, 1, p->fraction),
		.nodes = node.nodes,
		.world_nodes = node.world_nodes
	};
	w->delivery.bytes = w->amount.wanted;
	if (fstatvfs(pario_run_dirfd(run), &fs) < 0)
		return;
	capacity = (uint64_t)(DISK_SHARE / 2 * (double)fs.f_bavail * (double)fs.f_frsize);
	if (w->delivery.bytes > capacity)
		w->delivery.bytes =
			capacity / PARIO_MEMORY_RESERVATION_UNIT * PARIO_MEMORY_RESERVATION_UNIT;
	w->amount.bytes = w->delivery.bytes;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));

	int failed = !w;

	run->scratch = w;
	MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, run->comm);
	if (failed)
		return pario_err_set(err, PARIO_SYSTEM, "no memory for the test.");
	w->top = w->data = -1;
	w->missing = pario_server_missing(&w->server, (enum pario_protocol)p->method, &w->package);
	size_up(run, w);
	if (w->delivery.bytes == 0)
		return pario_err_set(err, PARIO_SYSTEM,
				     "there is no space on the disk for two files of 1 MiB.");
	return pario_run_name(run, "network/", NULL, 0, err);
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (!w)
		return;
	pario_server_stop(&w->server);
	if (w->data >= 0)
		close(w->data);
	if (w->top >= 0)
		close(w->top);
	free(w);
	run->scratch = NULL;
}

static int enter(int above, const char *name, int *fd, struct pario_err *err)
{
	if (mkdirat(above, name, 0700) < 0)
		return pario_run_file_error(above, name, "making the directory", err);
	*fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *fd < 0 ? pario_run_file_error(above, name, "opening the directory", err) : 0;
}

/* The transfer is client 0's work. The others lend the memory of their nodes and sleep meanwhile. */
static int by_first(struct pario_run *run, int (*work)(struct pario_run *, struct pario_err *),
		    struct pario_err *err)
{
	int status = run->client == 0 ? work(run, err) : 0;

	pario_run_wait(run);
	return status;
}

static int prepare(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;

	if (w->missing)
		return 0;
	if (enter(pario_run_dirfd(run), "network", &w->top, err) < 0 ||
	    enter(w->top, "data", &w->data, err) < 0 ||
	    pario_server_start(&w->server, w->top, w->data, p->port, err) < 0 ||
	    pario_transfer_file_make(run, w->data, "source", w->delivery.bytes, &w->delivery.hash,
				     err) < 0 ||
	    pario_run_drop_caches(run, err) < 0)
		return -1;
	return pario_run_evict(run, w->data, "source", err);
}

static int before(struct pario_run *run, struct pario_err *err)
{
	return by_first(run, prepare, err);
}

static int transfer(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	uint64_t loopback;
	int fd, status;

	if (w->missing) {
		pario_run_skip(run, "the command %s is not installed (package %s)", w->missing,
			       w->package);
		return 0;
	}
	if (pario_file_transfer_loopback(&loopback, err) < 0)
		return -1;
	pario_run_pause(run);
	if (pario_file_transfer_run(run, &w->server, p->direction == 1, err) < 0)
		return -1;
	w->transfer_ns = pario_run_count(run, w->delivery.bytes);
	pario_run_step(run, PARIO_STEP_TRANSFER);
	fd = openat(w->data, "destination", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	status = fd >= 0 && fsync(fd) == 0 ? 0 : errno;
	pario_run_step(run, PARIO_STEP_SYNC);
	if (fd >= 0)
		close(fd);
	if (status && status != ENOENT)
		return pario_err_sys(err, status, NULL, "the destination cannot be made durable");
	if (pario_file_transfer_loopback(&w->delivery.loopback, err) < 0)
		return -1;
	w->delivery.loopback -= loopback;
	pario_memory_reservation_judge(run, &w->amount, PARIO_NHT1_SHARE);
	return 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	int status = by_first(run, transfer, err);

	pario_run_pause(run); /* the time until all are awake */
	return status;
}

static int prove(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	double bytes = (double)w->delivery.bytes, seconds = (double)w->transfer_ns * 1e-9;

	if (pario_file_transfer_prove(run, &w->server, &w->delivery, err) < 0)
		return -1;
	pario_run_metric(run, "S_FILE", "B", bytes);
	pario_memory_reservation_say(run, &w->amount);
	pario_run_metric(run, "T_TRANSFER", "s", seconds);
	pario_run_metric(run, "T_DURABLE", "s", pario_run_seconds(run));
	pario_run_metric(run, "R_THROUGHPUT", "B/s", bytes / seconds);
	pario_run_metric(run, "loopback_bytes", "B", (double)w->delivery.loopback);
	return 0;
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	return by_first(run, prove, err);
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
