/*
 * interval: draws over classes, by random numbers of its own: no other part of a prediction is random.
 */
#include "predict/estimate/interval.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

enum { DRAWS = 1000 };

static const double LOW = 0.05, HIGH = 0.95;
/* No prediction is better than this, whatever the surfaces say. */
static const double LEAST_SPREAD = 0.03;

/*
 * One run of a program is not like the next, also where it computes. Makespans of programs that nothing was tuned to
 * were off by 4.1 % in the median where their I/O was simulated well; of normal errors that is a deviation of 6 %.
 */
static const double MAKESPAN_SPREAD = 0.06, NORMAL_90 = 1.645;

struct draw {
	double quantities[PARIO_QUANTITIES];
};

static double uniform(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	return ((double)(pario_random_mix(*state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double r = sqrt(-2 * log(uniform(state)));

	return r * cos(2 * M_PI * uniform(state));
}

/* What borrowing adds; measured as asked adds nothing. */
static double borrowed(unsigned rests_on)
{
	double variance = 0;

	variance += rests_on & PARIO_COST_OTHER_PLACE ? 0.2 * 0.2 : 0;
	variance += rests_on & (PARIO_COST_OTHER_PATH | PARIO_COST_OTHER_OP) ? 0.5 * 0.5 : 0;
	variance += rests_on & (PARIO_COST_SIZE | PARIO_COST_CLIENTS) ? 0.3 * 0.3 : 0;
	variance += rests_on & PARIO_COST_UNKNOWN ? 0.7 * 0.7 : 0;
	return sqrt(variance);
}

static double spread_of(const struct pario_prediction *p, const struct pario_class *c,
			enum pario_model model)
{
	uint64_t bytes = c->calls ? c->bytes / c->calls : 0;
	double clients = c->calls ? c->clients / (double)c->calls : 1;
	double there = pario_cost_spread(&p->costs[1], &c->key, bytes, clients);
	double here = model == PARIO_MODEL_HYBRID
			      ? pario_cost_spread(&p->costs[0], &c->key, bytes, clients)
			      : 0;
	double unknown =
		model == PARIO_MODEL_HYBRID ? pario_hybrid_spread(&p->hybrid, c) : p->hybrid.bias;

	return hypot(hypot(hypot(there, here), hypot(unknown, borrowed(c->rests_on))),
		     LEAST_SPREAD);
}

static double floor_of(const struct pario_prediction *p, int system)
{
	double rsd = p->systems[system]->noise_floor_rsd;

	return isnan(rsd) ? 0 : rsd / 100;
}

static void one_draw(const struct pario_prediction *p, enum pario_model model,
		     const double *spreads, uint64_t *state, struct draw *d)
{
	const struct pario_classes *classes = &p->target.classes;
	double paths[PARIO_SYSTEM_OPS][PARIO_SYSTEM_PATHS], parts[PARIO_IO_PARTS], total = 0,
										   io = 0;
	double noise = hypot(floor_of(p, 0), floor_of(p, 1)) * normal(state);

	for (int i = 0; i < PARIO_SYSTEM_OPS * PARIO_SYSTEM_PATHS; i++)
		paths[i / PARIO_SYSTEM_PATHS][i % PARIO_SYSTEM_PATHS] = normal(state);
	for (int k = 0; k < PARIO_IO_PARTS; k++)
		parts[k] = p->target.parts[k].rest_seconds;
	for (uint32_t i = 1; i <= classes->map.count; i++) {
		const struct pario_class *c = &classes->list[i];
		double own = spreads[i] * normal(state) * 0.87 +
			     spreads[i] * paths[c->key.op][c->key.path] * 0.5;

		parts[c->part] += (model == PARIO_MODEL_MODEL ? c->model : c->seconds) * exp(own);
	}
	for (int k = 0; k < PARIO_IO_PARTS; k++) {
		d->quantities[k] = parts[k] * exp(noise);
		total += d->quantities[k];
		io += p->estimates[model][k].seconds;
	}
	d->quantities[PARIO_QUANTITY_TOTAL] = total;
	/* the busiest thread's I/O changes as all of it */
	d->quantities[PARIO_QUANTITY_MAKESPAN] =
		p->estimates[model][PARIO_QUANTITY_MAKESPAN].seconds +
		(io > 0 ? (total / io - 1) * p->target.thread_io[p->target.busiest] : 0);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void take_quantiles(struct pario_seconds *e, const struct draw *draws, int quantity,
			   double *column)
{
	for (int i = 0; i < DRAWS; i++)
		column[i] = draws[i].quantities[quantity];
	qsort(column, DRAWS, sizeof(*column), by_size);
	e->low = fmin(column[(int)(LOW * DRAWS)], e->seconds);
	e->high = fmax(column[(int)(HIGH * DRAWS)], e->seconds);
}

void pario_interval_of_makespan(struct pario_prediction *p, const double bounds[2])
{
	for (int model = PARIO_MODEL_MODEL; model <= PARIO_MODEL_HYBRID; model++) {
		struct pario_seconds *e = &p->estimates[model][PARIO_QUANTITY_MAKESPAN];
		double noise = NORMAL_90 * MAKESPAN_SPREAD * e->seconds;
		double low = isnan(bounds[0]) ? e->low : fmin(e->low, bounds[0]);
		double high = isnan(bounds[1]) ? e->high : fmax(e->high, bounds[1]);

		e->low = e->seconds - hypot(e->seconds - low, noise);
		e->high = e->seconds + hypot(high - e->seconds, noise);
	}
}

int pario_intervals(struct pario_prediction *p, struct pario_err *err)
{
	uint32_t count = p->target.classes.map.count;
	struct draw *draws = calloc(DRAWS, sizeof(*draws));
	double *spreads = calloc(count + 1ul, sizeof(*spreads));
	double *column = calloc(DRAWS, sizeof(*column));
	bool good = draws && spreads && column;

	for (int model = PARIO_MODEL_MODEL; good && model <= PARIO_MODEL_HYBRID; model++) {
		uint64_t state = 1; /* the same input has the same interval */

		for (uint32_t i = 1; i <= count; i++)
			spreads[i] =
				spread_of(p, &p->target.classes.list[i], (enum pario_model)model);
		for (int i = 0; i < DRAWS; i++)
			one_draw(p, (enum pario_model)model, spreads, &state, &draws[i]);
		for (int q = 0; q < PARIO_QUANTITIES; q++)
			take_quantiles(&p->estimates[model][q], draws, q, column);
	}
	free(draws);
	free(spreads);
	free(column);
	return good ? 0 : pario_err_memory(err, "the intervals");
}
