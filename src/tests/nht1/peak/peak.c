/*
 * peak: fills memory anew before each phase, so that what is read back cannot be what was there.
 */
#include "tests/nht1/peak/peak.h"

#include <string.h>

#include "tests/nht1/model/formulae.h"

/* Numbers of data: what is written, and what stands in memory before it is read. */
enum { WRITTEN, OVERWRITTEN };

const char *const pario_peak_methods[] = { "auto", "uring", "threads", NULL };
const char *const pario_peak_directs[] = { "auto", "0", "1", NULL };

static bool calibrates(const struct pario_peak_choice *choice)
{
	const struct pario_tuner_choice *c = &choice->tuner;

	return !(c->method && c->direct && c->request && c->depth);
}

int pario_peak_plan(const struct pario_point *point, const struct pario_peak_choice *choice,
		    unsigned copies, struct pario_layout *layout, struct pario_err *err)
{
	if (choice->tuner.request % 4096)
		return pario_err_set(err, PARIO_USAGE,
				     "--request_size %llu is not a multiple of 4096 bytes.",
				     (unsigned long long)choice->tuner.request);
	layout->memory_bytes = pario_memory_dataset_expect(point, choice->fraction, copies);
	layout->extra_files = point->clients + 1;
	layout->extra_bytes = copies * layout->memory_bytes * point->clients;
	layout->moved_bytes = 2 * layout->memory_bytes * point->clients;
	layout->seconds = calibrates(choice) ? 2 * choice->calibration : 0;
	return 0;
}

unsigned pario_peak_phases(const struct pario_peak_choice *choice, struct pario_phase *list)
{
	unsigned n = 0;

	if (calibrates(choice))
		list[n++] = (struct pario_phase){ .name = "calibrate", .whole = true };
	list[n++] = (struct pario_phase){ .name = "write", .write = true, .whole = true };
	list[n++] = (struct pario_phase){ .name = "read", .whole = true };
	return n;
}

int pario_peak_init(struct pario_peak *peak, struct pario_run *run,
		    const struct pario_peak_choice *choice, unsigned copies, struct pario_err *err)
{
	peak->choice = choice;
	/* Every client takes its part, also when another has no way: that is agreed on afterwards. */
	if (pario_memory_dataset_init(&peak->dataset, run, "peak", choice->fraction, copies, err) <
	    0)
		return -1;
	return pario_tuner_init(&peak->tuner, &choice->tuner, err);
}

void pario_peak_release(struct pario_peak *peak)
{
	if (peak->choice)
		pario_memory_dataset_release(&peak->dataset);
}

/* Fills the memory anew, and makes sure that nothing of what is to be read is left in the page cache. */
int pario_peak_before(struct pario_peak *peak, struct pario_run *run, struct pario_err *err)
{
	bool reads = strcmp(run->phase->name, "read") == 0;

	if (pario_memory_dataset_fill(&peak->dataset, run, reads ? OVERWRITTEN : WRITTEN, err) < 0)
		return -1;
	if (!reads)
		return 0;
	if (pario_run_drop_caches(run, err) < 0)
		return -1;
	return pario_run_evict(run, peak->dataset.move.dirfd, peak->dataset.name, err);
}

int pario_peak_body(struct pario_peak *peak, struct pario_run *run, struct pario_err *err)
{
	bool writes = run->phase->write;

	if (strcmp(run->phase->name, "calibrate") == 0)
		return pario_tuner_try(&peak->tuner, run, &peak->dataset.move,
				       peak->choice->calibration, err);
	pario_tuner_say(&peak->tuner, run, writes);
	pario_memory_reservation_judge(run, &peak->dataset.amount, PARIO_NHT1_SHARE);
	if (writes)
		pario_run_durable(run, true);
	pario_run_pause(run);
	peak->dataset.move.write = writes;
	return pario_peak_io_move(run, pario_tuner_best(&peak->tuner, writes), &peak->dataset.move,
				  err);
}

int pario_peak_verify(struct pario_peak *peak, struct pario_run *run, struct pario_err *err)
{
	const struct pario_memory_dataset *s = &peak->dataset;
	const struct pario_memory_reservation_amount *all = &s->amount;
	double seconds = pario_run_seconds(run);

	if (strcmp(run->phase->name, "calibrate") == 0)
		return 0;
	pario_memory_reservation_say(run, all);
	pario_run_metric(run, "fraction", "", (double)all->bytes / (double)all->memory);
	if (run->phase->write) {
		peak->write_s = seconds;
		pario_run_metric(run, "T_PWRITE", "s", seconds);
		return pario_memory_dataset_check_file(s, err);
	}
	pario_run_metric(run, "T_PREAD", "s", seconds);
	pario_run_metric(run, "R_PEAK", "B/s",
			 pario_nht1_peak(pario_nht1_counted(all->memory, all->bytes), seconds,
					 peak->write_s));
	return pario_memory_dataset_check_memory(s, run, WRITTEN, err);
}

int pario_peak_check(struct pario_run *run, const void *buffer, uint64_t at, uint64_t length,
		     const char *path, struct pario_err *err)
{
	return pario_run_check(run, WRITTEN, run->client, buffer, at, length, path, err);
}
