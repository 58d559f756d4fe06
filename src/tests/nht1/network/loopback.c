/*
 * loopback: T_TRANSFER is the time of the command, from its start to its end; afterwards the destination is made
 * durable, which is T_DURABLE.
 */
#include "tests/nht1/network/loopback.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "tests/nht1/model/formulae.h"

const char *const pario_loopback_methods[] = { "ftp", "scp", NULL };
const char *const pario_loopback_directions[] = { "put", "get", NULL };

int pario_loopback_init(struct pario_loopback *n, struct pario_run *run,
			const struct pario_loopback_choice *choice, struct pario_err *err)
{
	char name[PARIO_NAME_CAPACITY];

	n->choice = choice;
	n->top = n->data = -1;
	n->missing =
		pario_server_missing(&n->server, (enum pario_protocol)choice->method, &n->package);
	n->absent = n->missing != NULL;
	MPI_Bcast(&n->absent, 1, MPI_C_BOOL, 0, run->comm);
	pario_run_own_name(run, "network/", name);
	return pario_run_name(run, name, NULL, 0, err);
}

void pario_loopback_release(struct pario_loopback *n)
{
	if (!n->choice)
		return;
	pario_server_stop(&n->server);
	if (n->data >= 0)
		close(n->data);
	if (n->top >= 0)
		close(n->top);
}

int pario_loopback_enter(struct pario_loopback *n, struct pario_run *run, struct pario_err *err)
{
	char name[PARIO_NAME_CAPACITY];

	pario_run_own_name(run, "network", name);
	if (pario_run_directory(run, name, &n->top, err) < 0)
		return -1;
	pario_run_own_name(run, "network/data", name);
	return pario_run_directory(run, name, &n->data, err);
}

static int by_first(struct pario_loopback *n, struct pario_run *run, int status,
		    int (*work)(struct pario_loopback *, struct pario_run *, struct pario_err *),
		    struct pario_err *err)
{
	if (run->client == 0 && status == 0)
		status = work(n, run, err);
	pario_run_wait(run);
	return status;
}

static int prepare(struct pario_loopback *n, struct pario_run *run, struct pario_err *err)
{
	if (n->absent)
		return 0;
	if (pario_server_start(&n->server, n->top, n->data, n->choice->port, err) < 0 ||
	    pario_run_drop_caches(run, err) < 0)
		return -1;
	return pario_run_evict(run, n->data, "source", err);
}

int pario_loopback_before(struct pario_loopback *n, struct pario_run *run, int status,
			  struct pario_err *err)
{
	return by_first(n, run, status, prepare, err);
}

static int transfer(struct pario_loopback *n, struct pario_run *run, struct pario_err *err)
{
	uint64_t loopback;
	int fd, status;

	if (n->absent) {
		pario_run_skip(run, "the command %s is not installed (package %s)", n->missing,
			       n->package);
		return 0;
	}
	if (pario_file_transfer_loopback(&loopback, err) < 0)
		return -1;
	pario_run_pause(run);
	if (pario_file_transfer_run(run, &n->server, n->choice->direction == 1, err) < 0)
		return -1;
	n->transfer_ns = pario_run_count(run, n->delivery.bytes);
	pario_run_step(run, PARIO_STEP_TRANSFER);
	fd = openat(n->data, "destination", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	status = fd >= 0 && fsync(fd) == 0 ? 0 : errno;
	pario_run_step(run, PARIO_STEP_SYNC);
	if (fd >= 0)
		close(fd);
	if (status && status != ENOENT)
		return pario_err_sys(err, status, NULL, "the destination cannot be made durable");
	if (pario_file_transfer_loopback(&n->delivery.loopback, err) < 0)
		return -1;
	n->delivery.loopback -= loopback;
	pario_memory_reservation_judge(run, &n->amount, PARIO_NHT1_SHARE);
	if (strcmp(pario_loopback_methods[n->choice->method], "ftp") != 0)
		pario_run_suspect(run,
				  "not conforming to NHT-1: the file went by %s, and NHT-1 asks "
				  "for ftp or rcp",
				  pario_loopback_methods[n->choice->method]);
	return 0;
}

int pario_loopback_body(struct pario_loopback *n, struct pario_run *run, struct pario_err *err)
{
	int status = by_first(n, run, 0, transfer, err);

	pario_run_pause(run); /* the time until all are awake */
	return status;
}

static int prove(struct pario_loopback *n, struct pario_run *run, struct pario_err *err)
{
	double bytes = (double)n->delivery.bytes, seconds = (double)n->transfer_ns * 1e-9;

	if (pario_file_transfer_prove(run, &n->server, &n->delivery, err) < 0)
		return -1;
	pario_run_metric(run, "S_FILE", "B", bytes);
	pario_memory_reservation_say(run, &n->amount);
	pario_run_metric(run, "T_TRANSFER", "s", seconds);
	pario_run_metric(run, "T_DURABLE", "s", pario_run_seconds(run));
	pario_run_metric(run, "R_THROUGHPUT", "B/s", bytes / seconds);
	pario_run_metric(run, "loopback_bytes", "B", (double)n->delivery.loopback);
	return 0;
}

int pario_loopback_verify(struct pario_loopback *n, struct pario_run *run, struct pario_err *err)
{
	return by_first(n, run, 0, prove, err);
}
