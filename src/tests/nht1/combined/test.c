/*
 * test: how fast can memory go to disk and back, and how fast do the same data go through the network interface?
 *
 * NHT-1's second and third benchmark as the report chains them (docs/nht1.md): the peak disk benchmark
 * (tests/nht1/peak), whose files all clients then combine into one, and the network benchmark (tests/nht1/network)
 * on that very file. Combining is no part of either's time. Each client reads its part of the combined file back
 * and compares it with what it wrote in the peak test, so that source and destination, which must have one
 * checksum, are known to be the peak's data.
 *
 * The memory is given back before files are combined, and each file of the peak test removed when it is: the disk
 * holds the data twice, never three times. Misleads as its parts do: where a cache of the storage that cannot be
 * seen from here is larger than the data, and where the destination fits into memory.
 */
#include "tests/nht1/network/loopback.h"
#include "tests/nht1/network/transfer_file.h"
#include "tests/nht1/peak/peak.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole.h"

enum { PIECE = 4 << 20 };

/* Of the data, on disk at a time: the parts and the combined file, then that and the destination. */
enum { COPIES = 2 };

struct params {
	struct pario_peak_choice peak;
	struct pario_loopback_choice network;
};

static const struct pario_option options[] = {
	PARIO_PEAK_OPTIONS(struct params, peak),
	PARIO_LOOPBACK_OPTIONS(struct params, network, "command"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	PARIO_PEAK_METRICS,
	PARIO_LOOPBACK_METRICS,
	PARIO_MEMORY_RESERVATION_METRICS,
	{ "parts", "files", "files of the peak test that were combined", 0 },
	{ NULL, NULL, NULL, 0 },
};

struct work {
	struct pario_peak peak;
	struct pario_loopback network;
	uint64_t at, bytes; /* this client's part of the combined file */
	int source;
	char *piece;
};

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;

	(void)client;
	if (pario_peak_plan(point, &p->peak, COPIES, layout, err) < 0)
		return -1;
	layout->extra_files += 4; /* source, destination and their directories */
	layout->moved_bytes *= 3; /* written and read; read and written; read and written */
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned n = pario_peak_phases(&p->peak, list);

	list[n++] = (struct pario_phase){ .name = "combine", .write = true, .whole = true };
	list[n++] = (struct pario_phase){ .name = "transfer", .write = true, .whole = true };
	return n;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));
	int there;

	run->scratch = w;
	if (w) {
		w->source = -1;
		w->piece = aligned_alloc(4096, PIECE);
	}
	there = w && w->piece;
	MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, run->comm);
	if (!there)
		return pario_err_memory(err, "the test");
	there = pario_peak_init(&w->peak, run, &p->peak, COPIES, err) == 0;
	/* All get here, whatever happened to one of them. */
	w->bytes = w->peak.dataset.reservation.bytes;
	MPI_Exscan(&w->bytes, &w->at, 1, MPI_UINT64_T, MPI_SUM, run->comm);
	if (run->client == 0)
		w->at = 0;
	if (pario_loopback_init(&w->network, run, &p->network, err) < 0 || !there)
		return -1;
	w->network.amount = w->peak.dataset.amount;
	w->network.delivery.bytes = w->network.amount.bytes;
	return 0;
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (!w)
		return;
	pario_peak_release(&w->peak);
	pario_loopback_release(&w->network);
	if (w->source >= 0)
		close(w->source);
	free(w->piece);
	free(w);
	run->scratch = NULL;
}

static int open_source(struct work *w, int flags, struct pario_err *err)
{
	w->source =
		openat(w->network.data, "source", flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (w->source < 0)
		return pario_run_file_error(w->network.data, "source", "opening", err);
	return 0;
}

/* The file into which all write: client 0 makes it, then the others open it. */
static int before_combine(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	int status = 0;

	pario_memory_reservation_release(&w->peak.dataset.reservation);
	if (pario_loopback_enter(&w->network, run, err) < 0)
		return -1;
	if (run->client == 0)
		status = open_source(w, O_CREAT | O_EXCL, err);
	pario_run_wait(run);
	return run->client == 0 ? status : open_source(w, 0, err);
}

/* Client 0's node is that of the transfer; what it reads there is evicted again. */
static int before_transfer(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	uint64_t bytes;
	int status = 0;

	if (run->client == 0 && !w->network.absent)
		status = pario_transfer_file_hash(w->network.data, "source",
						  &w->network.delivery.hash, &bytes, err);
	return pario_loopback_before(&w->network, run, status, err);
}

static int before(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	if (strcmp(run->phase->name, "combine") == 0)
		return before_combine(run, err);
	if (strcmp(run->phase->name, "transfer") == 0)
		return before_transfer(run, err);
	return pario_peak_before(&w->peak, run, err);
}

/* One piece of this client's part, `at` bytes from its beginning. */
static int copy(struct pario_run *run, int from, uint64_t at, uint64_t length,
		struct pario_err *err)
{
	struct work *w = run->scratch;

	if (pario_whole_read(from, w->piece, length, at) < length)
		return pario_run_file_error(w->peak.dataset.move.dirfd, w->peak.dataset.name,
					    "reading", err);
	if (pario_whole_write(w->source, w->piece, length, w->at + at) < length)
		return pario_run_file_error(w->network.data, "source", "writing", err);
	pario_run_count(run, length);
	return 0;
}

static uint64_t length_of(const struct work *w, uint64_t at)
{
	return w->bytes - at < PIECE ? w->bytes - at : PIECE;
}

static int combine(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	const struct pario_move *move = &w->peak.dataset.move;
	int from = openat(move->dirfd, move->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int status = 0;

	if (from < 0)
		return pario_run_file_error(move->dirfd, move->name, "opening", err);
	pario_run_durable(run, true);
	for (uint64_t i = 0; status == 0 && pario_run_more(run, i, (w->bytes + PIECE - 1) / PIECE);
	     i++)
		status = copy(run, from, i * PIECE, length_of(w, i * PIECE), err);
	close(from);
	pario_run_step(run, PARIO_STEP_TRANSFER);
	if (status == 0 && fsync(w->source) < 0)
		status = pario_run_file_error(w->network.data, "source", "the fsync of", err);
	pario_run_step(run, PARIO_STEP_SYNC);
	return status;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	if (strcmp(run->phase->name, "combine") == 0)
		return combine(run, err);
	if (strcmp(run->phase->name, "transfer") == 0)
		return pario_loopback_body(&w->network, run, err);
	return pario_peak_body(&w->peak, run, err);
}

/* What is in the combined file is what this client wrote in the peak test, whose own file is not needed any more. */
static int check(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	char path[PARIO_PATH_CAPACITY];

	pario_run_path(w->network.data, "source", path);
	for (uint64_t at = 0; at < w->bytes; at += PIECE) {
		uint64_t length = length_of(w, at);

		if (pario_whole_read(w->source, w->piece, length, w->at + at) < length)
			return pario_run_file_error(w->network.data, "source", "reading", err);
		if (pario_peak_check(run, w->piece, at, length, path, err) < 0)
			return -1;
		pario_run_count(run, length);
	}
	pario_memory_reservation_say(run, &w->network.amount);
	pario_run_metric(run, "parts", "files", (double)run->clients);
	return pario_run_wipe(w->peak.dataset.move.dirfd, w->peak.dataset.name, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	if (strcmp(run->phase->name, "combine") == 0)
		return check(run, err);
	if (strcmp(run->phase->name, "transfer") == 0)
		return pario_loopback_verify(&w->network, run, err);
	return pario_peak_verify(&w->peak, run, err);
}

const struct pario_test pario_test_nht1 = {
	.name = "nht1",
	.summary = "NHT-1: memory to disk and back, then the same data through ftp or scp",
	.question = "How fast do memory's data go to disk and back, and then through the network "
		    "interface?",
	.misleads = "where a cache of the storage that cannot be seen from here is larger than the "
		    "data, and where the destination fits into memory",
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.headline = "R_THROUGHPUT,R_PEAK,T_PWRITE",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
