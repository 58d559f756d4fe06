/*
 * phases: every phase goes through its bins in steps that all processes make together. I/O runs one step ahead of the
 * calculation when it reads and one behind when it writes; synchronous calls are made in the same order.
 */
#include "tests/madbench2/measure/phases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/madbench2/model/sky.h"

static void swap(double **a, double **b)
{
	double *c = *a;

	*a = *b;
	*b = c;
}

/* ---- S ---- */

/* next and current keep the Legendre polynomials of all elements, kept collects S. */
static void build(struct pario_mad_work *w, uint64_t bin, double *out)
{
	const struct pario_mad_part *p = &w->all.part;

	for (uint64_t j = 0; j < p->cols; j++) {
		uint64_t col = pario_mad_global(j, p->block, p->side, p->col);

		for (uint64_t i = 0; i < p->rows; i++) {
			uint64_t row = pario_mad_global(i, p->block, p->side, p->row);
			uint64_t k = j * p->rows + i;
			double x = pario_mad_cosine(w->pixels[row], w->pixels[col]);

			if (bin == 0) {
				w->next[k] = w->kept[k] = 0;
				w->current[k] = 1;
			}
			out[k] = pario_mad_signal(x, bin, &w->next[k], &w->current[k]);
			w->kept[k] += out[k];
		}
	}
}

static void phase_s(struct pario_mad_work *w)
{
	for (uint64_t b = 0; pario_mad_work_more(w, b, w->shape.no_bin); b++) {
		if (pario_mad_full(w))
			build(w, b, w->out[b % 2]);
		else
			pario_mad_work_busy(w, &w->all, 2);
		pario_mad_work_written(w);
		pario_mad_work_write(w, b, w->out[b % 2]);
	}
}

/* ---- D ---- */

static void phase_d(struct pario_mad_work *w)
{
	const struct pario_mad_part *p = &w->all.part;

	for (uint64_t j = 0; j < p->cols; j++) {
		uint64_t col = pario_mad_global(j, p->block, p->side, p->col);

		for (uint64_t i = 0; i < p->rows; i++) {
			if (pario_mad_global(i, p->block, p->side, p->row) == col)
				w->kept[j * p->rows + i] += 1;
		}
	}
	pario_mad_algebra()->invert(&w->all_matrix, p, w->kept, w->next, &w->held);
	w->ns[PARIO_MAD_CC] += pario_run_lap(w->run); /* no I/O: the calculation is the phase */
}

/* ---- W ---- */

/* From the grid of all processes to that of one gang. */
static void remap(struct pario_mad_work *w, uint64_t target, const double *from, double *to)
{
	if (w->params->remap == PARIO_MAD_SCALAPACK)
		pario_mad_algebra()->remap(&w->all_matrix, &w->gang_matrix,
					   w->gang.number == target, from, to);
	else
		pario_mad_remap(&w->all, &w->gang, target, from, to, &w->held);
}

/* D^-1 for every gang in `kept`, and z = D^-1 d for data that are all ones. */
static void hand_out(struct pario_mad_work *w)
{
	const struct pario_mad_part *p = &w->all.part;
	MPI_Comm same;

	for (uint64_t i = 0; i < p->pixels; i++)
		w->z[i] = 0;
	for (uint64_t j = 0; j < p->cols; j++) {
		for (uint64_t i = 0; i < p->rows; i++)
			w->z[pario_mad_global(i, p->block, p->side, p->row)] +=
				w->kept[j * p->rows + i];
	}
	MPI_Allreduce(MPI_IN_PLACE, w->z, (int)p->pixels, MPI_DOUBLE, MPI_SUM, w->all.comm);
	if (w->shape.no_gang > 1) {
		remap(w, 0, w->kept, w->current);
		swap(&w->kept, &w->current);
		MPI_Comm_split(w->all.comm, w->gang.rank, w->all.rank, &same);
		MPI_Bcast(w->kept, (int)w->gang.part.elements, MPI_DOUBLE, 0, same);
		MPI_Comm_free(&same);
	}
	pario_mad_work_spent(w, PARIO_MAD_CC);
}

/* The bins of a step, one for each gang, all read by everyone. */
static void read_bins(struct pario_mad_work *w, uint64_t step)
{
	for (uint64_t i = 0; i < w->shape.no_gang; i++)
		pario_mad_work_read(w, i, step * w->shape.no_gang + i,
				    w->next + i * w->all.part.elements);
}

/* They have come: each gang gets its own into `current`. */
static void share_bins(struct pario_mad_work *w, uint64_t step)
{
	uint64_t gangs = w->shape.no_gang;

	for (uint64_t i = 0; i < gangs; i++)
		pario_mad_work_have_read(w, i, step * gangs + i);
	if (gangs == 1)
		swap(&w->next, &w->current);
	for (uint64_t i = 0; i < gangs && gangs > 1; i++) {
		if (pario_mad_full(w))
			remap(w, i, w->next + i * w->all.part.elements, w->current);
		else
			pario_mad_work_busy(w, &w->all, 2);
	}
}

static void phase_w(struct pario_mad_work *w)
{
	uint64_t steps = w->shape.no_bin / w->shape.no_gang;

	if (pario_mad_full(w))
		hand_out(w);
	read_bins(w, 0);
	for (uint64_t s = 0; pario_mad_work_more(w, s, steps); s++) {
		share_bins(w, s);
		if (s + 1 < steps)
			read_bins(w, s + 1);
		if (pario_mad_full(w))
			pario_mad_algebra()->product(&w->gang_matrix, w->kept, w->current,
						     w->out[s % 2]);
		else
			pario_mad_work_busy(w, &w->gang, 3);
		pario_mad_work_written(w);
		pario_mad_work_write(w, pario_mad_w(w, s), w->out[s % 2]);
	}
}

/* ---- C ---- */

/* dL of the bin whose W is `current`: 0.5 (d^T W z - tr W). */
static void first_derivative(struct pario_mad_work *w, uint64_t bin)
{
	const struct pario_mad_part *p = &w->gang.part;
	double sum = 0;

	for (uint64_t j = 0; j < p->cols; j++) {
		uint64_t col = pario_mad_global(j, p->block, p->side, p->col);

		for (uint64_t i = 0; i < p->rows; i++) {
			double value = w->current[j * p->rows + i];

			sum += value * w->z[col];
			if (pario_mad_global(i, p->block, p->side, p->row) == col)
				sum -= value;
		}
	}
	w->dl[bin] = 0.5 * sum;
}

/* `current` goes round the gangs: each gets what the next one had. */
static void shift(struct pario_mad_work *w)
{
	int n = w->all.size, from = (w->all.rank + w->gang.size) % n,
	    to = (w->all.rank + n - w->gang.size) % n, count = (int)w->gang.part.elements;

	MPI_Sendrecv(w->current, count, MPI_DOUBLE, to, 0, w->out[0], count, MPI_DOUBLE, from, 0,
		     w->all.comm, MPI_STATUS_IGNORE);
	swap(&w->current, &w->out[0]);
}

/* Rows of step t against columns of step s: this gang has one column, whose transpose is in `kept`. */
static void second_derivatives(struct pario_mad_work *w, uint64_t s, uint64_t t)
{
	uint64_t gangs = w->shape.no_gang, col = s * gangs + w->gang.number;

	if (s == t) {
		pario_mad_algebra()->transpose(&w->gang_matrix, w->current, w->kept);
		first_derivative(w, col);
	}
	for (uint64_t i = 0; i < gangs; i++) {
		uint64_t row = t * gangs + (w->gang.number + i) % gangs;
		double sum = 0;

		if (i > 0)
			shift(w);
		for (uint64_t k = 0; row >= col && k < w->gang.part.elements; k++)
			sum += w->current[k] * w->kept[k];
		if (row >= col)
			w->d2l[row * w->shape.no_bin + col] = 0.5 * sum;
	}
}

/* Every step is read as a column and, in full mode, again as rows for all columns before it. */
static bool advance(const struct pario_mad_work *w, uint64_t *s, uint64_t *t)
{
	uint64_t steps = w->shape.no_bin / w->shape.no_gang;

	if (!pario_mad_full(w) || ++*t == steps) {
		++*s;
		*t = *s;
	}
	return *s < steps;
}

/* The shares of all processes together, and what they say about the spectrum. */
static void solve(struct pario_mad_work *w)
{
	uint64_t bins = w->shape.no_bin;
	double *factor = malloc(bins * bins * sizeof(*factor));

	MPI_Allreduce(MPI_IN_PLACE, w->dl, (int)bins, MPI_DOUBLE, MPI_SUM, w->all.comm);
	MPI_Allreduce(MPI_IN_PLACE, w->d2l, (int)(bins * bins), MPI_DOUBLE, MPI_SUM, w->all.comm);
	memcpy(w->dc, w->dl, bins * sizeof(*w->dc));
	if (!factor)
		pario_err_memory(&w->held, "%llu bins", (unsigned long long)bins);
	else if (pario_mad_solve(bins, memcpy(factor, w->d2l, bins * bins * sizeof(*factor)),
				 w->dc) < 0)
		pario_err_set(&w->held, PARIO_VERIFY,
			      "the second derivatives of %llu bins on %llu pixels are not positive "
			      "definite: there are too many bins for the pixels, or what was "
			      "calculated before is wrong. Use fewer bins (--no_bin).",
			      (unsigned long long)bins, (unsigned long long)w->shape.no_pix);
	free(factor);
}

static void phase_c(struct pario_mad_work *w)
{
	uint64_t steps = w->shape.no_bin / w->shape.no_gang, s = 0, t = 0, i,
		 count = pario_mad_full(w) ? steps * (steps + 1) / 2 : steps;

	pario_mad_work_read(w, 0, pario_mad_w(w, 0), w->next);
	for (i = 0; pario_mad_work_more(w, i, count); i++) {
		uint64_t col = s, row = t;

		pario_mad_work_have_read(w, 0, pario_mad_w(w, row));
		swap(&w->next, &w->current);
		if (advance(w, &s, &t))
			pario_mad_work_read(w, 0, pario_mad_w(w, t), w->next);
		if (pario_mad_full(w))
			second_derivatives(w, col, row);
		else
			pario_mad_work_busy(w, &w->all, 2);
	}
	if (pario_mad_full(w) && i == count)
		solve(w);
}

int pario_mad_phases_run(struct pario_mad_work *w, struct pario_err *err)
{
	pario_mad_work_begin(w);
	switch (w->run->phase->name[0]) {
	case 'S':
		phase_s(w);
		break;
	case 'D':
		phase_d(w);
		break;
	case 'W':
		phase_w(w);
		break;
	default:
		phase_c(w);
	}
	return pario_mad_work_end(w, err);
}

/* ---- numbers ---- */

/* Average and extremes over the processes of each kind of time, and of all together. */
static void tell_times(struct pario_mad_work *w)
{
	static const char *const kinds[] = { "cc", "bw", "r", "w", "total" };
	double own[PARIO_MAD_KINDS + 1] = { 0 }, mean[PARIO_MAD_KINDS + 1],
				     least[PARIO_MAD_KINDS + 1], most[PARIO_MAD_KINDS + 1];
	int n = PARIO_MAD_KINDS + 1;

	for (int i = 0; i < PARIO_MAD_KINDS; i++) {
		own[i] = (double)w->ns[i] * 1e-9;
		own[PARIO_MAD_KINDS] += own[i];
	}
	MPI_Allreduce(own, mean, n, MPI_DOUBLE, MPI_SUM, w->all.comm);
	MPI_Allreduce(own, least, n, MPI_DOUBLE, MPI_MIN, w->all.comm);
	MPI_Allreduce(own, most, n, MPI_DOUBLE, MPI_MAX, w->all.comm);
	for (int i = 0; i < n; i++) {
		char line[32];

		if (!(mean[i] > 0))
			continue;
		mean[i] /= w->all.size;
		snprintf(line, sizeof(line), "%s_%s", w->run->phase->name, kinds[i]);
		pario_run_metric(w->run, line, "s", mean[i]);
		pario_run_row(w->run, "times", "line mean_s min_s max_s",
			      (struct pario_datum[]){ PARIO_TEXT(line), PARIO_NUMBER(mean[i]),
						      PARIO_NUMBER(least[i]),
						      PARIO_NUMBER(most[i]) });
	}
}

/* Trace and sum of `kept`, which all processes hold together. */
static void sum_up(const struct pario_mad_work *w, double *trace, double *sum)
{
	const struct pario_mad_part *p = &w->all.part;
	double sums[2] = { 0, 0 };

	for (uint64_t j = 0; j < p->cols; j++) {
		uint64_t col = pario_mad_global(j, p->block, p->side, p->col);

		for (uint64_t i = 0; i < p->rows; i++) {
			sums[1] += w->kept[j * p->rows + i];
			if (pario_mad_global(i, p->block, p->side, p->row) == col)
				sums[0] += w->kept[j * p->rows + i];
		}
	}
	MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, w->all.comm);
	*trace = sums[0];
	*sum = sums[1];
}

/* S must have the trace that the theory gives it; the sum of so many terms is exact to about this share. */
static int tell_signal(struct pario_mad_work *w, struct pario_err *err)
{
	double trace, sum, must = pario_mad_trace(w->shape.no_pix, w->shape.no_bin);

	sum_up(w, &trace, &sum);
	pario_run_metric(w->run, "trace_S", "", trace);
	pario_run_metric(w->run, "sum_S", "", sum);
	if (fabs(trace - must) <= 1e-9 * must)
		return 0;
	return pario_err_set(err, PARIO_VERIFY, "the trace of S is %.12g and must be %.12g.", trace,
			     must);
}

static void tell_answer(struct pario_mad_work *w)
{
	pario_run_metric(w->run, "dC0", "", w->dc[0]);
	for (uint64_t b = 0; b < w->shape.no_bin; b++)
		pario_run_row(w->run, "answer", "bin dL d2L_0 dC",
			      (struct pario_datum[]){ PARIO_NUMBER(b), PARIO_NUMBER(w->dl[b]),
						      PARIO_NUMBER(w->d2l[b * w->shape.no_bin]),
						      PARIO_NUMBER(w->dc[b]) });
}

int pario_mad_phases_tell(struct pario_mad_work *w, struct pario_err *err)
{
	char phase = w->run->phase->name[0];
	double trace, sum;

	tell_times(w);
	pario_run_metric(w->run, "no_pix", "pixels", (double)w->shape.no_pix);
	pario_run_count(w->run, w->checked);
	if (!pario_mad_full(w))
		return 0;
	if (phase == 'S')
		return tell_signal(w, err);
	if (phase == 'D') {
		sum_up(w, &trace, &sum);
		pario_run_metric(w->run, "trace_D_inverse", "", trace);
	}
	if (phase == 'C')
		tell_answer(w);
	return 0;
}
