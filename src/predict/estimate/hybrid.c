/*
 * hybrid: ratios per class, pooled ratios per operation and path, and the power by leave-one-out.
 */
#include "predict/estimate/hybrid.h"

#include <math.h>

enum { STEPS = 10 }; /* of the power */

/* A factor beyond this says that something else was measured. */
static const double MOST_FACTOR = 1000;
/* Beyond this only the root of a factor is taken over: calls that took so much longer met what surfaces do not show. */
static const double PLAIN_FACTOR = 3;
/* Beyond this they met something else, and the more so the further. */
static const double ODD_FACTOR = 10;
/* Where a call costs so many times as much on one of the systems, other things take its time: half is taken over. */
static const double ALIKE = 8;
/*
 * How much of a ratio is taken over. What a program does to memory and processor it does everywhere; what a device or
 * a journal did to it is mostly a matter of that system.
 */
static const double COPY_POWER = 0.9, MEMORY_POWER = 0.5, DEVICE_POWER = 0.3;
/* Variance of the logarithm of a single call. */
static const double ONE_CALL = 0.25;
/* Of the median of the repetitions, as a share of that of one. */
static const double OF_MEDIAN = 0.3;

static bool usable(const struct pario_class *c)
{
	return c->calls && c->measured > 0 && c->model > 0 && isfinite(c->model) &&
	       !(c->rests_on & PARIO_COST_UNKNOWN);
}

static double bounded(double factor)
{
	return fmin(fmax(factor, 1 / MOST_FACTOR), MOST_FACTOR);
}

/* What is taken over of a factor above 1. */
static double believed(double factor)
{
	double root = sqrt(fmin(factor, ODD_FACTOR) * PLAIN_FACTOR);

	if (factor <= PLAIN_FACTOR)
		return factor;
	return factor <= ODD_FACTOR ? root : fmax(1, root * ODD_FACTOR / factor);
}

static double carried(double factor)
{
	return factor >= 1 ? believed(factor) : 1 / believed(1 / factor);
}

static bool same_path(const struct pario_class *a, const struct pario_class *b)
{
	return a->key.op == b->key.op && a->key.path == b->key.path;
}

/* The ratio of all others on the path of class `i`; NaN when there are none. */
static double ratio_without(const struct pario_classes *list, uint32_t i)
{
	double measured = 0, model = 0;

	for (uint32_t k = 1; k <= list->map.count; k++) {
		if (k == i || !usable(&list->list[k]) || !same_path(&list->list[k], &list->list[i]))
			continue;
		measured += list->list[k].measured;
		model += list->list[k].model;
	}
	return model > 0 ? bounded(measured / model) : (double)NAN;
}

/* How far the classes lie from what the others predict with power a: mean of squares, weighted by time. */
static double miss(const struct pario_classes *list, double a, double *weight)
{
	double sum = 0;

	*weight = 0;
	for (uint32_t i = 1; i <= list->map.count; i++) {
		const struct pario_class *c = &list->list[i];
		double others = usable(c) ? ratio_without(list, i) : (double)NAN;
		double off;

		if (isnan(others))
			continue;
		off = log(bounded(c->measured / c->model)) - a * log(others);
		sum += c->measured * off * off;
		*weight += c->measured;
	}
	return *weight > 0 ? sum / *weight : 0;
}

static void pool(struct pario_hybrid *h)
{
	const struct pario_classes *list = h->reference;
	double measured[PARIO_SYSTEM_OPS][PARIO_SYSTEM_PATHS] = { 0 };
	double model[PARIO_SYSTEM_OPS][PARIO_SYSTEM_PATHS] = { 0 };

	for (uint32_t i = 1; i <= list->map.count; i++) {
		const struct pario_class *c = &list->list[i];

		if (!usable(c))
			continue;
		measured[c->key.op][c->key.path] += c->measured;
		model[c->key.op][c->key.path] += c->model;
	}
	for (int op = 0; op < PARIO_SYSTEM_OPS; op++) {
		for (int path = 0; path < PARIO_SYSTEM_PATHS; path++)
			h->pooled[op][path] =
				model[op][path] > 0 ? bounded(measured[op][path] / model[op][path])
						    : (double)NAN;
	}
}

static double bias(const struct pario_classes *list)
{
	double sum = 0, weight = 0;

	for (uint32_t i = 1; i <= list->map.count; i++) {
		const struct pario_class *c = &list->list[i];
		double off = usable(c) ? log(bounded(c->measured / c->model)) : 0;

		sum += usable(c) ? c->measured * off * off : 0;
		weight += usable(c) ? c->measured : 0;
	}
	return weight > 0 ? sqrt(sum / weight) : 0;
}

void pario_hybrid_init(struct pario_hybrid *h, const struct pario_classes *reference,
		       const struct pario_costs *costs)
{
	double best = INFINITY, weight;

	*h = (struct pario_hybrid){ .reference = reference, .costs = costs, .a = 1 };
	pool(h);
	h->bias = bias(reference);
	for (int i = STEPS; i >= 0; i--) {
		double off = miss(reference, (double)i / STEPS, &weight);

		if (weight > 0 && off < best) {
			best = off;
			h->a = (double)i / STEPS;
		}
	}
	h->residual = isfinite(best) ? sqrt(best) : h->bias;
}

/* Variance of the logarithm of what the surfaces of the reference say about a class. */
static double noise(const struct pario_hybrid *h, const struct pario_class *own)
{
	double spread, floor;

	if (!h->costs)
		return 0;
	spread = pario_cost_spread(h->costs, &own->key, own->bytes / own->calls,
				   own->clients / (double)own->calls);
	floor = h->costs->system->noise_floor_rsd;
	floor = isnan(floor) ? 0 : floor / 100;
	return OF_MEDIAN * (spread * spread + floor * floor);
}

/* Does the device have a part in it? */
static bool stores(const struct pario_cost_key *key)
{
	switch (key->op) {
	case PARIO_SYSTEM_READ:
	case PARIO_SYSTEM_WRITE:
		return key->path != PARIO_SYSTEM_HIT && key->path != PARIO_SYSTEM_ABSORBED &&
		       key->path != PARIO_SYSTEM_REWRITTEN;
	case PARIO_SYSTEM_OPEN:
	case PARIO_SYSTEM_CLOSE:
	case PARIO_SYSTEM_STAT:
	case PARIO_SYSTEM_LOOKUP:
	case PARIO_SYSTEM_LOCK:
	case PARIO_SYSTEM_READDIR:
	case PARIO_SYSTEM_SEEK:
		return false;
	default:
		return true;
	}
}

/* Reads from memory only copy: what took longer on one system was the program's own memory. */
static double power(const struct pario_cost_key *key)
{
	if (key->op == PARIO_SYSTEM_READ && key->path == PARIO_SYSTEM_HIT)
		return COPY_POWER;
	return stores(key) ? DEVICE_POWER : MEMORY_POWER;
}

/* Less of a ratio that rests on few calls, or on a surface that is not well known. */
static double own_power(const struct pario_hybrid *h, const struct pario_class *own)
{
	return power(&own->key) / (1 + noise(h, own) + ONE_CALL / (double)own->calls);
}

/* Do calls of a class cost alike on both systems? Then what was off on one is off on the other. */
static double alike(const struct pario_class *own, double seconds)
{
	double apart = log(seconds * (double)own->calls / own->model) / log(ALIKE);

	return isfinite(apart) ? 1 / (1 + apart * apart) : 1;
}

/* What a program costs its calls beyond the model, it costs them in seconds: no more of them than on the reference. */
static double limited(double factor, const struct pario_class *own, double seconds)
{
	double most = fabs(own->measured - own->model) / (double)own->calls;

	if (!(seconds > 0) || fabs(factor - 1) * seconds <= most)
		return factor;
	return factor > 1 ? 1 + most / seconds : 1 - most / seconds;
}

double pario_hybrid_factor(const void *hybrid, const struct pario_class *class, double seconds)
{
	const struct pario_hybrid *h = hybrid;
	uint32_t i = pario_class_find(h->reference, class);
	double others = h->pooled[class->key.op][class->key.path];

	if (i && usable(&h->reference->list[i])) {
		const struct pario_class *own = &h->reference->list[i];
		double ratio = carried(bounded(own->measured / own->model));

		return limited(pow(ratio, own_power(h, own) * alike(own, seconds)), own, seconds);
	}
	return isnan(others) ? 1 : pow(carried(others), h->a * power(&class->key));
}

double pario_hybrid_spread(const struct pario_hybrid *h, const struct pario_class *class)
{
	uint32_t i = pario_class_find(h->reference, class);

	/* how well a ratio holds elsewhere is not known; the larger it is, the less */
	if (i && usable(&h->reference->list[i]))
		return 0.25 * fabs(log(bounded(h->reference->list[i].measured /
					       h->reference->list[i].model)));
	return isnan(h->pooled[class->key.op][class->key.path]) ? fmax(h->bias, h->residual)
								: h->residual;
}
