/*
 * classes: a table by key, which grows up to a limit; and the sums of each class by the path that its calls took.
 */
#include "predict/simulate/classes.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { DISTANCE_BITS = 4 }; /* distances within a factor of 16 are one */

static unsigned distance_class(uint64_t distance)
{
	return distance ? (64 - (unsigned)__builtin_clzll(distance)) / DISTANCE_BITS : 0;
}

static struct pario_map_key key_of(const struct pario_cost_key *key, enum pario_io_part part,
				   unsigned power)
{
	return (struct pario_map_key){ (uint64_t)key->op << 32 | (uint64_t)key->path << 16 |
					       (uint64_t)key->locality << 8 | key->shared,
				       (uint64_t)power << 8 | part,
				       distance_class(key->distance_bytes) };
}

static bool grow(struct pario_classes *c, uint32_t number)
{
	void *grown = pario_map_grow(c->list, &c->capacity, number, sizeof(*c->list));

	c->no_memory |= !grown;
	if (grown)
		c->list = grown;
	return grown;
}

uint32_t pario_class_of(struct pario_classes *c, const struct pario_cost_key *key,
			enum pario_io_part part, uint64_t bytes)
{
	unsigned power = pario_trace_power(bytes);
	struct pario_map_key k = key_of(key, part, power);
	uint32_t number;
	bool is_new = false;

	if (c->last && memcmp(&k, &c->last_key, sizeof(k)) == 0)
		return c->last;
	c->map.limit = PARIO_CLASSES_MOST;
	number = pario_map_add(&c->map, k, &is_new);
	if (!grow(c, number))
		return 0;
	if (is_new || number == 0) {
		c->list[number].key = *key;
		c->list[number].part = part;
		c->list[number].power = power;
	}
	c->last = number;
	c->last_key = k;
	return number;
}

uint32_t pario_class_find(const struct pario_classes *c, const struct pario_class *like)
{
	return pario_map_find(&c->map, key_of(&like->key, like->part, like->power));
}

/* ---- inferred paths ---- */

static const double NEAR = 2.5;		/* times as long as the path takes, or as short */
static const double LEAST_SHARE = 0.02; /* of the calls */

static bool is_slow(enum pario_system_path path)
{
	return path == PARIO_SYSTEM_MISS || path == PARIO_SYSTEM_THROTTLED;
}

static enum pario_system_path other_path(enum pario_system_path path)
{
	switch (path) {
	case PARIO_SYSTEM_HIT:
		return PARIO_SYSTEM_MISS;
	case PARIO_SYSTEM_MISS:
		return PARIO_SYSTEM_HIT;
	case PARIO_SYSTEM_ABSORBED:
	case PARIO_SYSTEM_REWRITTEN:
		return PARIO_SYSTEM_THROTTLED;
	default:
		return PARIO_SYSTEM_ABSORBED;
	}
}

static void add_judged(struct pario_class *c, const struct pario_judged *j)
{
	c->calls += j->calls;
	c->bytes += j->bytes;
	c->measured += j->measured;
	c->seconds += j->measured;
	c->clients += j->clients;
	c->model += is_slow(c->key.path) ? j->slow : j->fast;
}

static bool went_other_path(const struct pario_judged *j, bool slow, uint64_t calls)
{
	double model = slow ? j->slow : j->fast;

	return (double)j->calls >= LEAST_SHARE * (double)calls && model > 0 &&
	       j->measured < NEAR * model && j->measured > model / NEAR;
}

void pario_classes_settle(struct pario_classes *c)
{
	uint32_t count = c->map.count;

	for (uint32_t i = 1; i <= count; i++) {
		const struct pario_judged *judged = c->list[i].judged;
		bool slow = is_slow(c->list[i].key.path);
		struct pario_judged minority = judged[!slow];
		struct pario_cost_key key = c->list[i].key;
		uint64_t size = pario_trace_power_bytes(c->list[i].power);
		unsigned rests_on = c->list[i].rests_on;
		uint32_t to = i;

		add_judged(&c->list[i], &judged[slow]);
		if (!minority.calls)
			continue;
		if (went_other_path(&minority, !slow, minority.calls + judged[slow].calls)) {
			key.path = other_path(key.path);
			to = pario_class_of(c, &key, c->list[i].part, size);
		}
		add_judged(&c->list[to], &minority);
		c->list[to].rests_on |= rests_on;
	}
}

void pario_classes_release(struct pario_classes *c)
{
	pario_map_release(&c->map);
	free(c->list);
	*c = (struct pario_classes){ 0 };
}

void pario_class_name(const struct pario_class *class, struct pario_text *text)
{
	bool data = class->key.op == PARIO_SYSTEM_READ || class->key.op == PARIO_SYSTEM_WRITE;
	char size[PARIO_UNITS_CAPACITY];
	unsigned far = pario_trace_power(class->key.distance_bytes);

	pario_text_add(text, "%s", pario_system_op_names[class->key.op]);
	if (class->power)
		pario_text_add(text, " up to %s",
			       pario_units_size(size, pario_trace_power_bytes(class->power)));
	if (data)
		pario_text_add(text, ", %s", pario_system_locality_names[class->key.locality]);
	if (data && far)
		pario_text_add(text, " by %s",
			       pario_units_size(size, pario_trace_power_bytes(far)));
	if (class->key.path != PARIO_SYSTEM_ANY)
		pario_text_add(text, ", %s", pario_system_path_names[class->key.path]);
	if (class->key.shared)
		pario_text_add(text, ", shared");
}
