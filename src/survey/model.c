/*
 * model: its value, its slope and its fit.
 *
 * The fit is Gauss-Newton on the logarithms with Huber's weights: a row further off than 1.5 deviations counts by its
 * distance, not by its square. A number about which the rows say nothing stays where it is.
 */
#include "survey/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/stats.h"

/* Bytes or calls that would take less than this part of the time at any size are not told from none. */
#define UNSEEN 4.0

#define HUBER	      1.5
#define LEAST_SCATTER 0.01
#define STEP_MOST     1.0
#define CONVERGED     1e-6
#define DAMPING	      1e-6
#define RIDGE	      0.05 /* a factor is 1 unless rows say otherwise: this weighs as much as so many */

enum { STEPS = 40, TRIES = 5, LAW = 2 * PARIO_SPACE_MEASURES };

struct pario_spot pario_spot_of(const struct pario_space *space, size_t cell, unsigned measure)
{
	struct pario_spot place = { .measure = measure };

	for (unsigned a = 0; a < space->axis_count; a++)
		place.at[a] = (uint64_t)1 << pario_space_level(space, cell, a);
	place.at[space->axis_count] = (uint64_t)1 << measure;
	place.log_bytes = log(pario_space_value(space, cell, PARIO_AXIS_SIZE));
	place.log_clients = log(pario_space_value(space, cell, PARIO_AXIS_COUNT));
	return place;
}

void pario_rows_release(struct pario_rows *rows)
{
	free(rows->cell);
	free(rows->place);
	free(rows->cost);
	free(rows->weight);
	free(rows->fold);
	memset(rows, 0, sizeof(*rows));
}

static void add_row(struct pario_rows *rows, const struct pario_space *space, size_t cell,
		    unsigned measure, uint64_t seed)
{
	size_t i = rows->count++;

	rows->cell[i] = cell;
	rows->place[i] = pario_spot_of(space, cell, measure);
	rows->cost[i] = space->cell[cell].cost[measure];
	rows->weight[i] = 1;
	/* both directions of a point in one: they were measured together */
	rows->fold[i] = (unsigned)pario_random_below(pario_random_join(seed, cell), PARIO_FOLDS);
}

int pario_rows_of(const struct pario_space *space, uint64_t seed, struct pario_rows *rows,
		  struct pario_err *err)
{
	size_t room = space->sample_count + 1;

	*rows = (struct pario_rows){ .cell = malloc(room * sizeof(*rows->cell)),
				     .place = malloc(room * sizeof(*rows->place)),
				     .cost = malloc(room * sizeof(*rows->cost)),
				     .weight = malloc(room * sizeof(*rows->weight)),
				     .fold = malloc(room * sizeof(*rows->fold)) };
	if (!rows->cell || !rows->place || !rows->cost || !rows->weight || !rows->fold) {
		pario_rows_release(rows);
		return pario_err_memory(err, "the model");
	}
	for (size_t i = 0; i < space->cells; i++) {
		for (unsigned m = 0; m < space->measures && !space->cell[i].held; m++) {
			if (pario_space_known(space, i, m))
				add_row(rows, space, i, m, seed);
		}
	}
	return 0;
}

uint64_t pario_levels_all(const struct pario_space *space, unsigned axis)
{
	return ((uint64_t)1 << (axis == space->axis_count ? space->measures
							  : space->axes[axis].count)) -
	       1;
}

unsigned pario_term_axes(const struct pario_space *space, const struct pario_term *term)
{
	unsigned count = 0;

	for (unsigned a = 0; a < space->axis_count; a++)
		count += term->levels[a] != pario_levels_all(space, a);
	return count;
}

bool pario_term_holds(const struct pario_term *term, const struct pario_spot *place)
{
	/* beyond the axes there are, both are 0 */
	for (unsigned a = 0; a <= PARIO_AXES; a++) {
		if ((place->at[a] & term->levels[a]) != place->at[a])
			return false;
	}
	return true;
}

bool pario_term_same(const struct pario_term *a, const struct pario_term *b)
{
	return memcmp(a->levels, b->levels, sizeof(a->levels)) == 0 && a->part == b->part &&
	       a->sharing == b->sharing;
}

static double amount(const struct pario_term *term, const struct pario_spot *place)
{
	if (!pario_term_holds(term, place))
		return 0;
	return term->sharing ? place->log_clients : 1;
}

/* The logarithms of the two parts, and of what multiplies both. */
static void parts(const struct pario_survey_model *model, const struct pario_spot *place,
		  unsigned without, double part[3])
{
	part[PARIO_PART_ALL] = 0;
	part[PARIO_PART_CALL] = model->call[place->measure];
	part[PARIO_PART_BYTES] = model->byte[place->measure] + place->log_bytes;
	for (unsigned t = 0; t < model->terms; t++) {
		if (!(without >> t & 1))
			part[model->term[t].part] +=
				model->term[t].beta * amount(&model->term[t], place);
	}
}

/* ln(e^a + e^b) */
static double log_sum(double a, double b)
{
	return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

double pario_model_cost(const struct pario_survey_model *model, const struct pario_spot *place,
			unsigned without)
{
	double part[3];

	parts(model, place, without, part);
	return part[PARIO_PART_ALL] + log_sum(part[PARIO_PART_CALL], part[PARIO_PART_BYTES]);
}

void pario_model_slope(const struct pario_survey_model *model, const struct pario_spot *place,
		       double slope[PARIO_MODEL_NUMBERS])
{
	double part[3], share[3];

	parts(model, place, 0, part);
	share[PARIO_PART_ALL] = 1;
	share[PARIO_PART_CALL] = 1 / (1 + exp(part[PARIO_PART_BYTES] - part[PARIO_PART_CALL]));
	share[PARIO_PART_BYTES] = 1 - share[PARIO_PART_CALL];
	memset(slope, 0, PARIO_MODEL_NUMBERS * sizeof(*slope));
	slope[2 * place->measure] = share[PARIO_PART_CALL];
	slope[2 * place->measure + 1] = share[PARIO_PART_BYTES];
	for (unsigned t = 0; t < model->terms; t++)
		slope[LAW + t] = share[model->term[t].part] * amount(&model->term[t], place);
}

/* Solves M x = g in place by Cholesky's factors; M is positive definite for its damping. */
static void solve(double m[PARIO_MODEL_NUMBERS][PARIO_MODEL_NUMBERS], double *g, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j <= i; j++) {
			double sum = m[i][j];

			for (unsigned k = 0; k < j; k++)
				sum -= m[i][k] * m[j][k];
			m[i][j] = i == j ? sqrt(fmax(sum, DBL_MIN)) : sum / m[j][j];
		}
	}
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < i; k++)
			g[i] -= m[i][k] * g[k];
		g[i] /= m[i][i];
	}
	for (unsigned i = n; i-- > 0;) {
		for (unsigned k = i + 1; k < n; k++)
			g[i] -= m[k][i] * g[k];
		g[i] /= m[i][i];
	}
}

/* How far off the rows are, robustly: half of them are nearer than 0.6745 of it. */
static double scatter_of(const struct pario_survey_model *model, const struct pario_rows *rows,
			 unsigned without, double *room)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (rows->fold[i] != without && rows->weight[i] > 0)
			room[count++] =
				fabs(rows->cost[i] - pario_model_cost(model, &rows->place[i], 0));
	}
	return count ? fmax(1.4826 * pario_stats_median(room, count), LEAST_SCATTER)
		     : LEAST_SCATTER;
}

/* What the fit makes small, for the scatter that the model stands at. */
static double objective(const struct pario_survey_model *model, const struct pario_rows *rows,
			unsigned without)
{
	double sum = 0, k = HUBER * model->scatter;

	for (size_t i = 0; i < rows->count; i++) {
		double off;

		if (rows->fold[i] == without || rows->weight[i] <= 0)
			continue;
		off = fabs(rows->cost[i] - pario_model_cost(model, &rows->place[i], 0));
		sum += rows->weight[i] * (off < k ? off * off / 2 : k * (off - k / 2));
	}
	for (unsigned t = 0; t < model->terms; t++)
		sum += RIDGE * model->term[t].beta * model->term[t].beta / 2;
	return sum;
}

struct equations {
	double m[PARIO_MODEL_NUMBERS][PARIO_MODEL_NUMBERS], g[PARIO_MODEL_NUMBERS];
};

static void gather(const struct pario_survey_model *model, const struct pario_rows *rows,
		   unsigned without, struct equations *e)
{
	unsigned n = LAW + model->terms;

	memset(e, 0, sizeof(*e));
	for (size_t i = 0; i < rows->count; i++) {
		double slope[PARIO_MODEL_NUMBERS], off, weight;

		if (rows->fold[i] == without || rows->weight[i] <= 0)
			continue;
		pario_model_slope(model, &rows->place[i], slope);
		off = rows->cost[i] - pario_model_cost(model, &rows->place[i], 0);
		weight = rows->weight[i] *
			 fmin(1, HUBER * model->scatter / fmax(fabs(off), DBL_MIN));
		for (unsigned a = 0; a < n; a++) {
			e->g[a] += weight * slope[a] * off;
			for (unsigned b = 0; b <= a; b++)
				e->m[a][b] += weight * slope[a] * slope[b];
		}
	}
	for (unsigned t = 0; t < model->terms; t++) {
		e->m[LAW + t][LAW + t] += RIDGE;
		e->g[LAW + t] -= RIDGE * model->term[t].beta;
	}
}

/* Moves the model; returns how far. */
static double move(struct pario_survey_model *model, const struct equations *equations,
		   double damping)
{
	struct equations e = *equations;
	unsigned n = LAW + model->terms;
	double far = 0;

	for (unsigned a = 0; a < n; a++)
		e.m[a][a] += damping * (1 + e.m[a][a]);
	solve(e.m, e.g, n);
	for (unsigned a = 0; a < n; a++) {
		double *number = a >= LAW ? &model->term[a - LAW].beta
				 : a % 2  ? &model->byte[a / 2]
					  : &model->call[a / 2];
		double by = fmax(-STEP_MOST, fmin(STEP_MOST, e.g[a]));

		*number += by;
		far = fmax(far, fabs(by));
	}
	return far;
}

/* Neither part of the law vanishes for good. */
static void keep_seen(struct pario_survey_model *model, const struct pario_space *space)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_SIZE);
	double least = a < space->axis_count ? log(space->axes[a].value[0]) : 0;
	double most =
		a < space->axis_count ? log(space->axes[a].value[space->axes[a].count - 1]) : 0;

	for (unsigned m = 0; m < space->measures; m++) {
		model->byte[m] = fmax(model->byte[m], model->call[m] - most - UNSEEN);
		model->call[m] = fmax(model->call[m], model->byte[m] + least - UNSEEN);
	}
}

void pario_model_fit(struct pario_survey_model *model, const struct pario_space *space,
		     const struct pario_rows *rows, unsigned without)
{
	double *room = malloc((rows->count + 1) * sizeof(*room)), damping = DAMPING, far = 1;

	for (unsigned i = 0; room && i < STEPS && far >= CONVERGED; i++) {
		struct pario_survey_model moved;
		struct equations e;

		model->scatter = scatter_of(model, rows, without, room);
		gather(model, rows, without, &e);
		for (unsigned k = 0; k < TRIES; k++) {
			moved = *model;
			far = move(&moved, &e, damping);
			keep_seen(&moved, space);
			if (objective(&moved, rows, without) <= objective(model, rows, without))
				break;
			damping = fmin(damping * 30, 1e6);
		}
		if (objective(&moved, rows, without) > objective(model, rows, without))
			break;
		*model = moved;
		damping = fmax(damping / 10, DAMPING);
	}
	if (room)
		model->scatter = scatter_of(model, rows, without, room);
	free(room);
}

void pario_model_begin(struct pario_survey_model *model, const struct pario_space *space,
		       const struct pario_rows *rows)
{
	memset(model, 0, sizeof(*model));
	for (unsigned m = 0; m < space->measures; m++) {
		double call = INFINITY, byte = INFINITY;

		for (size_t i = 0; i < rows->count; i++) {
			if (rows->place[i].measure != m)
				continue;
			call = fmin(call, rows->cost[i]);
			byte = fmin(byte, rows->cost[i] - rows->place[i].log_bytes);
		}
		model->call[m] = isfinite(call) ? call : 0;
		model->byte[m] = isfinite(byte) ? byte : 0;
	}
	keep_seen(model, space);
	pario_model_fit(model, space, rows, PARIO_FOLDS);
}
