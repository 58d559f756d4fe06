/*
 * align: finds the meetings in the first pass, then medians of differences and Theil-Sen slopes.
 */
#include "trace/align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/job.h"

enum {
	PAIRED = 256,	    /* points between which slopes are taken: 32 640 pairs */
	KEPT = 4096,	    /* meetings kept of a process; beyond, every second is let go */
	ALL_KEPT = 1 << 20, /* of all processes: 24 MiB */
};

/*
 * Crystals go wrong by less than 100 ppm, and adjtimex(2) corrects a clock by at most 500 ppm. A steeper line is noise
 * of meetings that lie close together.
 */
static const double MOST_DRIFT = 500e-6;

/* A drift is believed from this many of its standard errors on. */
static const double SURE = 4;

/* ---- the line ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), ascending);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Theil and Sen: the median of the slopes between points that lie apart. */
static double slope(const double *at, const double *ahead, size_t count, double *scratch)
{
	size_t used = count < PAIRED ? count : PAIRED, n = 0;

	for (size_t i = 0; i < used; i++) {
		size_t a = i * count / used;

		for (size_t k = i + 1; k < used; k++) {
			size_t b = k * count / used;

			if (at[b] > at[a])
				scratch[n++] = (ahead[b] - ahead[a]) / (at[b] - at[a]);
		}
	}
	return median(scratch, n);
}

/* Offset and spread around a line of this slope; 1.4826 makes the median deviation a standard one. */
static void settle(const double *at, const double *ahead, size_t count, double drift,
		   struct pario_align *align, double *scratch)
{
	align->drift = drift;
	for (size_t i = 0; i < count; i++)
		scratch[i] = ahead[i] - drift * (at[i] - align->origin_ns);
	align->offset_ns = median(scratch, count);
	for (size_t i = 0; i < count; i++)
		scratch[i] = fabs(ahead[i] - pario_align_ahead(align, at[i]));
	align->error_ns = 1.4826 * median(scratch, count);
}

/* The standard error of the slope, from the spread around the line and how far apart the meetings lie. */
static double slope_error(const double *at, size_t count, const struct pario_align *align)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (at[i] - align->origin_ns) * (at[i] - align->origin_ns);
	return sum > 0 ? align->error_ns / sqrt(sum) : INFINITY;
}

double pario_align_ahead(const struct pario_align *align, double at_ns)
{
	double at = fmin(fmax(at_ns, align->from_ns), align->to_ns);

	return align->offset_ns + align->drift * (at - align->origin_ns);
}

/* With a drift where there is one: it explains the spread, is larger than its error, and a clock can have it. */
static void fit_drift(const double *at, const double *ahead, size_t count,
		      struct pario_align *align, double *scratch)
{
	struct pario_align drifting = *align;

	settle(at, ahead, count, slope(at, ahead, count, scratch), &drifting, scratch);
	drifting.drift_error = slope_error(at, count, &drifting);
	align->drift_error = fmin(drifting.drift_error, MOST_DRIFT);
	if (fabs(drifting.drift) < MOST_DRIFT && drifting.error_ns < 0.7 * align->error_ns &&
	    fabs(drifting.drift) > SURE * drifting.drift_error)
		*align = drifting;
}

int pario_align_fit(const double *at, const double *ahead, const double *stay, size_t count,
		    struct pario_align *align)
{
	size_t pairs = (size_t)PAIRED * PAIRED / 2;
	double *scratch = malloc((count > pairs ? count : pairs) * sizeof(*scratch));
	double shortest;

	*align = (struct pario_align){ .meetings = (uint32_t)count, .drift_error = MOST_DRIFT };
	if (!scratch)
		return -1;
	if (count) {
		align->from_ns = align->to_ns = at[0];
		for (size_t i = 1; i < count; i++) {
			align->from_ns = fmin(align->from_ns, at[i]);
			align->to_ns = fmax(align->to_ns, at[i]);
		}
		memcpy(scratch, at, count * sizeof(*scratch));
		align->origin_ns = median(scratch, count);
		settle(at, ahead, count, 0, align, scratch);
		if (count >= PARIO_ALIGN_DRIFT)
			fit_drift(at, ahead, count, align, scratch);
		if (stay) {
			memcpy(scratch, stay, count * sizeof(*scratch));
			shortest = median(scratch, count);
			align->error_ns = fmax(align->error_ns, shortest);
		}
	}
	free(scratch);
	return 0;
}

/* ---- the meetings of a trace ---- */

struct meeting {
	double end_ns, stay_ns;
	uint16_t op;
};

struct list {
	struct meeting *kept;
	uint32_t count, capacity, stride;
	uint64_t seen;
	bool disordered; /* several threads met: their order cannot be told */
	double last_ns;
};

struct meetings {
	struct list *of; /* by process */
	uint32_t processes, most;
	bool no_memory;
};

static bool holds_everybody(const struct pario_trace_record *r)
{
	/* the result is the communicator, 0 = MPI_COMM_WORLD */
	if (r->flags & PARIO_TRACE_FAILED || r->result != 0)
		return false;
	return r->op == PARIO_OP_MPI_Barrier || r->op == PARIO_OP_MPI_Allreduce ||
	       r->op == PARIO_OP_MPI_Allgather || r->op == PARIO_OP_MPI_Alltoall;
}

static void thin_out(struct list *list)
{
	for (uint32_t i = 0; 2 * i < list->count; i++)
		list->kept[i] = list->kept[2 * i];
	list->count = (list->count + 1) / 2;
	list->stride *= 2;
}

static void add_meeting(struct meetings *all, struct list *list, struct meeting m)
{
	if (!list->stride)
		list->stride = 1;
	list->disordered |= m.end_ns < list->last_ns;
	list->last_ns = m.end_ns;
	if (list->seen++ % list->stride)
		return;
	if (list->count == all->most) {
		thin_out(list);
		if ((list->seen - 1) % list->stride)
			return;
	}
	if (list->count == list->capacity) {
		uint32_t capacity = list->capacity ? 2 * list->capacity : 64;
		struct meeting *kept = realloc(list->kept, capacity * sizeof(*kept));

		if (!kept) {
			all->no_memory = true;
			return;
		}
		list->kept = kept;
		list->capacity = capacity;
	}
	list->kept[list->count++] = m;
}

static void collect(struct meetings *all, const struct pario_job *job, struct pario_unpack *u)
{
	uint32_t process = 0;
	int kind;

	while ((kind = pario_unpack_next(u, false)) > 0) {
		if (kind == PARIO_PACK_SEGMENT)
			process = pario_job_process(job, &u->segment);
		if (kind != PARIO_PACK_CALLS_OF || !process)
			continue;
		for (uint32_t i = 0; i < u->block.count; i++) {
			const struct pario_trace_record *r = &u->calls[i];
			const struct pario_job_process *p = &job->processes[process];
			uint64_t ticks = pario_trace_ticks(r->duration);

			if (!holds_everybody(r))
				continue;
			add_meeting(
				all, &all->of[process],
				(struct meeting){ .end_ns = pario_job_ns(job, p, r->t0 + ticks),
						  .stay_ns = (double)ticks *
							     job->machines[p->machine].ns_per_tick,
						  .op = r->op });
		}
	}
	pario_unpack_rewind(u);
}

/* ---- one machine against another ---- */

static const struct meeting *meeting_at(const struct list *list, uint64_t ordinal)
{
	uint64_t at = list->stride ? ordinal / list->stride : 0;

	return list->stride && ordinal % list->stride == 0 && at < list->count && !list->disordered
		       ? &list->kept[at]
		       : NULL;
}

/* The median end of a meeting on one machine; NaN when nobody there took part. */
static double end_on(const struct meetings *all, const struct pario_job *job, uint32_t machine,
		     uint64_t ordinal, uint16_t *op, double *stay, double *scratch)
{
	size_t count = 0;

	for (uint32_t i = 1; i <= all->processes; i++) {
		const struct meeting *m = meeting_at(&all->of[i], ordinal);

		if (!m || job->processes[i].machine != machine)
			continue;
		if (*op && *op != m->op)
			return NAN;
		*op = m->op;
		*stay = fmin(*stay, m->stay_ns);
		scratch[count++] = m->end_ns;
	}
	return count ? median(scratch, count) : (double)NAN;
}

static int compare(const struct meetings *all, struct pario_job *job, uint32_t reference,
		   uint32_t machine, uint64_t stride, uint64_t last)
{
	size_t most = (size_t)(last / stride + 1), count = 0;
	double *at = malloc(most * sizeof(*at)), *ahead = malloc(most * sizeof(*ahead));
	double *stays = malloc(most * sizeof(*stays));
	double *scratch = malloc((all->processes + 1ul) * sizeof(*scratch));
	int status = at && ahead && stays && scratch ? 0 : -1;

	for (uint64_t k = 0; status == 0 && k <= last; k += stride) {
		double stay = INFINITY;
		uint16_t op = 0;
		double there = end_on(all, job, reference, k, &op, &stay, scratch);
		double here = end_on(all, job, machine, k, &op, &stay, scratch);

		if (isnan(there) || isnan(here))
			continue;
		at[count] = here;
		ahead[count] = here - there;
		stays[count++] = stay;
	}
	if (status == 0)
		status = pario_align_fit(at, ahead, stays, count, &job->machines[machine].align);
	free(at);
	free(ahead);
	free(stays);
	free(scratch);
	return status;
}

/* Only what is larger than its error is taken off; the job begins where its first machine now does. */
static void apply(struct pario_job *job)
{
	double first = INFINITY;

	for (uint32_t i = 0; i < job->machine_count; i++) {
		struct pario_job_machine *m = &job->machines[i];
		double from = pario_align_ahead(&m->align, m->start_ns),
		       to = pario_align_ahead(&m->align, m->end_ns);

		m->align.applied = m->align.meetings && !m->align.reference &&
				   fmax(fabs(from), fabs(to)) > m->align.error_ns;
		first = fmin(first, m->start_ns - (m->align.applied ? from : 0));
	}
	if (isfinite(first))
		job->origin_ns = first;
}

static int compare_all(const struct meetings *all, struct pario_job *job, uint32_t reference)
{
	uint64_t stride = 1, last = 0;

	for (uint32_t i = 1; i <= all->processes; i++) {
		const struct list *list = &all->of[i];

		if (list->stride > stride)
			stride = list->stride;
		if (list->seen > last)
			last = list->seen;
	}
	if (!last)
		return 0;
	job->machines[reference].align.reference = true;
	for (uint32_t i = 0; i < job->machine_count; i++) {
		if (i != reference && compare(all, job, reference, i, stride, last - 1) < 0)
			return -1;
	}
	apply(job);
	return 0;
}

int pario_align_job(struct pario_job *job, struct pario_unpack *u, struct pario_err *err)
{
	struct meetings all = { .processes = job->process_of.count, .most = KEPT };
	uint32_t lowest = 0;
	int status = 0;

	for (uint32_t i = 1; i <= all.processes; i++) {
		if (job->processes[i].rank != UINT32_MAX &&
		    (!lowest || job->processes[i].rank < job->processes[lowest].rank))
			lowest = i;
	}
	if (job->machine_count < 2 || !lowest)
		return 0;
	if (all.processes > ALL_KEPT / KEPT)
		all.most = ALL_KEPT / all.processes;
	all.of = calloc(all.processes + 1ul, sizeof(*all.of));
	all.no_memory = !all.of;
	if (all.of)
		collect(&all, job, u);
	if (!all.no_memory)
		status = compare_all(&all, job, job->processes[lowest].machine);
	if (all.no_memory || status < 0)
		status = pario_err_memory(err, "comparing the clocks of %s", u->path);
	for (uint32_t i = 1; all.of && i <= all.processes; i++)
		free(all.of[i].kept);
	free(all.of);
	return status;
}
