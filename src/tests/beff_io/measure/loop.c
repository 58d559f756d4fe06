/*
 * loop: batches of calls, between which the clients meet. The meeting is a reduction instead of a barrier, so
 * that errors, full storage and interrupts are known to all where all can stop. Client 0 then decides by its clock and
 * tells the others, when the pattern ends by its time.
 *
 * What a decision costs is told apart from waiting for slower clients: of what the clients spend between their last
 * call and their next one, the least belongs to the client that came last, and those of all meetings add up.
 */
#include "tests/beff_io/measure/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/room.h"

/* Meetings of one pattern that are told apart; batches double, so there are rarely more than 50. */
enum { MEETINGS = 256 };

/* Below this the storage counts as full: file systems keep something for themselves. */
#define SPARE_BYTES ((uint64_t)4 << 20)

uint64_t pario_beff_io_free(const struct pario_beff_io *bench)
{
	struct pario_room room;

	pario_room_of(bench->dirfd, &room);
	return room.free_bytes > SPARE_BYTES ? room.free_bytes - SPARE_BYTES : 0;
}

static bool no_space(int sys)
{
	return sys == ENOSPC || sys == EDQUOT;
}

/* Libraries that call everything an I/O error do not tell full storage apart; a plain write does, quotas too. */
static bool is_full(const struct pario_beff_io *bench)
{
	static const char block[65536];
	char name[64];
	bool full = false;
	int fd;

	if (pario_beff_io_free(bench) == 0)
		return true;
	snprintf(name, sizeof(name), "space.%llu", (unsigned long long)bench->run->client);
	fd = openat(bench->dirfd, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return no_space(errno);
	if (pwrite(fd, block, sizeof(block), 0) < 0 || fsync(fd) < 0)
		full = no_space(errno);
	close(fd);
	unlinkat(bench->dirfd, name, 0);
	return full;
}

void pario_beff_io_fail(struct pario_beff_io *bench, const struct pario_err *err, bool writes)
{
	bool full = writes && (no_space(err->sys) || is_full(bench));
	enum pario_beff_io_stop stop = full ? PARIO_BEFF_IO_FULL : PARIO_BEFF_IO_FAILED;

	if (bench->stop < stop) {
		bench->stop = stop;
		bench->err = *err;
	}
	if (!full)
		pario_run_left(err);
}

void pario_beff_io_meet(struct pario_beff_io *bench, MPI_Comm comm)
{
	int own = (int)bench->stop, worst;

	if (own < PARIO_BEFF_IO_OVER && pario_run_over(bench->run))
		own = PARIO_BEFF_IO_OVER;
	MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, comm);
	if (worst >= PARIO_BEFF_IO_FAILED)
		pario_run_met();
	bench->stop = (enum pario_beff_io_stop)worst;
}

static bool collective(const struct pario_beff_io_job *j)
{
	return j->file->type != PARIO_BEFF_IO_SEPARATED && j->file->type != PARIO_BEFF_IO_SEGMENTED;
}

/* After an error a client stays with the others until they meet, with empty transfers. */
static void batch(struct pario_beff_io_job *j, uint64_t first, uint64_t count,
		  struct pario_beff_io_timing *t)
{
	struct pario_beff_io *b = j->bench;
	const struct pario_beff_io_data data = { .elements = b->buffer,
						 .reference = b->reference,
						 .call = j->bytes,
						 .chunk = j->chunk,
						 .pattern = j->pattern,
						 .client = j->file->client };
	bool reads = j->file->access == PARIO_BEFF_IO_READ, well = b->stop == PARIO_BEFF_IO_GOES_ON;
	struct pario_err err = { 0 };

	for (uint64_t i = first; i < first + count && (well || collective(j)); i++) {
		if (well && !reads)
			pario_beff_io_stamp(&data, i, j->file->access);
		if (pario_beff_io_move(j->file, b->buffer, well ? j->bytes : 0, &err) < 0) {
			pario_beff_io_fail(b, &err, !reads);
			b->wrong++;
			well = false;
		}
		t->last_call_ns = pario_run_count(b->run, well ? j->bytes : 0);
		if (well && reads) {
			b->wrong += pario_beff_io_check(&data, i, j->writer, &j->first);
			t->check_ns += pario_run_pause(b->run);
		}
	}
}

/*
 * The first batch. A known number of calls needs no decision; the clients meet about twice a second of the schedule,
 * so that errors and interrupts end it.
 */
static uint64_t first(const struct pario_beff_io_job *j)
{
	uint64_t parts = 1 + (uint64_t)j->scheduled_ns / 500000000;

	return j->timed ? 1 : (j->calls + parts - 1) / parts;
}

/* Calls of the next batch; client 0 decides for all where time does. */
static uint64_t next(struct pario_beff_io_job *j, const struct pario_beff_io_loop *loop)
{
	struct pario_beff_io *b = j->bench;
	uint64_t left, told[2] = { 0 };

	if (b->stop)
		return 0;
	if (!j->timed) {
		left = j->calls - loop->calls;
		return loop->batch < left ? loop->batch : left;
	}
	if (j->file->client == 0) {
		told[0] = pario_beff_io_next(loop);
		left = j->capacity - loop->calls;
		if (told[0] > 0 && left == 0) {
			told[1] = PARIO_BEFF_IO_FULL;
			snprintf(
				b->reason, sizeof(b->reason),
				"pattern %u had written all that the directory has space for before "
				"its time was over; use another --dir or fewer --minutes",
				j->pattern);
		}
		told[0] = told[0] < left ? told[0] : left;
	}
	MPI_Bcast(told, 2, MPI_UINT64_T, 0, j->file->members);
	b->stop = (enum pario_beff_io_stop)told[1];
	return told[0];
}

static void calls(struct pario_beff_io_job *j, int64_t began, int64_t meetings[MEETINGS],
		  struct pario_beff_io_timing *t)
{
	struct pario_beff_io_loop loop = { .scheduled_ns = j->scheduled_ns };
	const struct pario_run *run = j->bench->run;
	int64_t from, moved, met, decided;
	unsigned meeting = 0;

	loop.view_ns = pario_run_elapsed_ns(run) - began;
	for (uint64_t count = first(j); count > 0;) {
		from = pario_run_elapsed_ns(run);
		batch(j, loop.calls, count, t);
		moved = pario_run_elapsed_ns(run);
		loop.calls += count;
		/* After the last of a known number of calls there is nothing to decide. */
		if (j->timed || loop.calls < j->calls)
			pario_beff_io_meet(j->bench, j->file->members);
		met = pario_run_elapsed_ns(run);
		loop.batch = count;
		loop.batch_ns = met - from;
		loop.elapsed_ns = met - began;
		t->loop_ns = loop.elapsed_ns - loop.view_ns;
		count = next(j, &loop);
		decided = pario_run_elapsed_ns(run);
		t->io_ns += moved - from;
		t->barrier_ns += met - moved;
		t->bcast_ns += decided - met;
		t->last_decide_ns = decided - moved;
		meetings[meeting] += decided - moved;
		meeting += meeting + 1 < MEETINGS;
		pario_run_step(j->bench->run, PARIO_STEP_TRANSFER);
	}
	t->calls = loop.calls;
	t->bytes = loop.calls * j->bytes;
}

static void sync_file(struct pario_beff_io_job *j, struct pario_beff_io_timing *t)
{
	int64_t from = pario_run_elapsed_ns(j->bench->run);
	struct pario_err err = { 0 };

	MPI_Barrier(j->file->members);
	if (pario_beff_io_sync(j->file, &err) < 0)
		pario_beff_io_fail(j->bench, &err, true);
	t->sync_ns = pario_run_elapsed_ns(j->bench->run) - from;
	pario_run_step(j->bench->run, PARIO_STEP_SYNC);
}

/* Untimed: the first wrong element of the lowest client that found one. */
static void tell_first(struct pario_beff_io_job *j)
{
	struct pario_beff_io *b = j->bench;
	MPI_Comm comm = j->file->members;
	int own = j->first.seen ? (int)j->file->client : INT_MAX, lowest;

	if (!b->first.seen)
		b->first = j->first;
	MPI_Allreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, comm);
	if (lowest == INT_MAX)
		return;
	MPI_Bcast(&j->first, sizeof(j->first), MPI_BYTE, lowest, comm);
	j->first_client = (uint64_t)lowest;
}

/* Untimed: what all of them say about the pattern. */
static void sum_up(struct pario_beff_io_job *j, uint64_t wrong_before, int64_t meetings[MEETINGS],
		   struct pario_beff_io_timing *t)
{
	MPI_Comm comm = j->file->members;

	t->errors = j->bench->wrong - wrong_before;
	MPI_Allreduce(MPI_IN_PLACE, &t->errors, 1, MPI_UINT64_T, MPI_SUM, comm);
	MPI_Allreduce(MPI_IN_PLACE, meetings, MEETINGS, MPI_INT64_T, MPI_MIN, comm);
	/* What every client spent with looking; where one took longer the others waited, and that stays in. */
	t->io_ns -= t->check_ns;
	MPI_Allreduce(MPI_IN_PLACE, &t->check_ns, 1, MPI_INT64_T, MPI_MIN, comm);
	t->ns -= t->check_ns;
	t->loop_ns -= t->check_ns;
	for (unsigned i = 0; i < MEETINGS; i++)
		t->decide_ns += meetings[i];
	if (t->errors > 0)
		tell_first(j);
	pario_beff_io_meet(j->bench, comm);
	t->done = j->bench->stop == PARIO_BEFF_IO_GOES_ON;
	pario_run_pause(j->bench->run);
}

void pario_beff_io_loop(struct pario_beff_io_job *j, struct pario_beff_io_timing *t)
{
	struct pario_beff_io *b = j->bench;
	const struct pario_beff_io_data data = { .elements = b->buffer,
						 .call = j->bytes,
						 .chunk = j->chunk,
						 .client = j->file->client };
	struct pario_err err = { 0 };
	uint64_t wrong = b->wrong;
	int64_t began, meetings[MEETINGS] = { 0 };

	memset(t, 0, sizeof(*t));
	if (j->file->access == PARIO_BEFF_IO_READ)
		pario_run_poison(b->buffer, j->bytes);
	else
		pario_beff_io_base(&data);
	pario_run_pause(b->run);
	MPI_Barrier(j->file->members);
	began = pario_run_elapsed_ns(b->run);
	if (j->bytes > 0 && pario_beff_io_view(j->file, j->start, j->chunk, j->info, &err) < 0)
		pario_beff_io_fail(b, &err, false);
	/* So that the first call's time is its own. */
	pario_run_step(b->run, PARIO_STEP_TRANSFER);
	calls(j, began, meetings, t);
	if (j->file->access != PARIO_BEFF_IO_READ)
		sync_file(j, t);
	MPI_Barrier(j->file->members);
	t->ns = pario_run_elapsed_ns(b->run) - began;
	sum_up(j, wrong, meetings, t);
}
