/*
 * pattern: the list of all patterns and the links of each.
 */
#include "tests/beff/model/pattern.h"

#include <stdio.h>
#include <string.h>

enum { ALL_METHODS = (1 << PARIO_BEFF_METHODS) - 1 };

const char *pario_beff_group(const struct pario_beff_pattern *pattern)
{
	if (pattern->kind == PARIO_BEFF_RING)
		return "ring";
	return pattern->kind == PARIO_BEFF_RANDOM ? "random" : "additional";
}

/* ---- links ---- */

static void pair(struct pario_beff_links *links, int dest, int src)
{
	if (dest < 0 && src < 0)
		return;
	links->dest[links->pairs] = dest;
	links->src[links->pairs++] = src;
}

/* The paper sends left first, the program right; in a ring of two the program leaves out the second message. */
static void ring_links(const struct pario_beff_pattern *p, unsigned position,
		       struct pario_beff_links *links)
{
	unsigned next, prev, size = pario_beff_rings_neighbours(&p->rings, position, &next, &prev);

	if (p->release == PARIO_BEFF_PAPER) {
		pair(links, (int)prev, (int)next);
		pair(links, (int)next, (int)prev);
		return;
	}
	pair(links, (int)next, (int)prev);
	if (size > 2)
		pair(links, (int)prev, (int)next);
	links->weight = (double)links->pairs * p->n;
}

static void duel_links(unsigned position, unsigned partner, bool first,
		       struct pario_beff_links *links)
{
	if (partner == position)
		return;
	pair(links, first ? (int)partner : -1, first ? -1 : (int)partner);
	pair(links, first ? -1 : (int)partner, first ? (int)partner : -1);
}

static void grid_links(const struct pario_beff_pattern *p, unsigned position,
		       struct pario_beff_links *links)
{
	for (unsigned d = 0; d < p->dimensions; d++) {
		int up, down;

		if (p->extent[d] < 2 || (p->direction >= 0 && (unsigned)p->direction != d))
			continue;
		up = pario_beff_grid_neighbour(p->extent, position, d, 1, p->periodic);
		down = pario_beff_grid_neighbour(p->extent, position, d, -1, p->periodic);
		pair(links, up, down);
		if (!p->periodic || p->extent[d] > 2)
			pair(links, down, up);
	}
}

void pario_beff_links(const struct pario_beff_pattern *p, unsigned position,
		      struct pario_beff_links *links)
{
	memset(links, 0, sizeof(*links));
	if (position >= p->used)
		return;
	links->weight = (double)p->messages;
	switch (p->kind) {
	case PARIO_BEFF_RING:
	case PARIO_BEFF_RANDOM:
	case PARIO_BEFF_WORST_CYCLE:
		ring_links(p, position, links);
		break;
	case PARIO_BEFF_BEST_BISECTION:
	case PARIO_BEFF_PING_PONG:
		duel_links(position, position ^ 1u, position % 2 == 0, links);
		break;
	case PARIO_BEFF_WORST_BISECTION:
		duel_links(position, p->used - 1 - position, position < p->used / 2, links);
		break;
	case PARIO_BEFF_GRID:
		grid_links(p, position, links);
		break;
	}
}

/* ---- the list ---- */

struct list {
	struct pario_beff_pattern *at;
	size_t count;
	unsigned n;
	enum pario_beff_release release;
};

static struct pario_beff_pattern *add(struct list *l, enum pario_beff_kind kind, const char *name)
{
	struct pario_beff_pattern *p = &l->at[l->count++];

	*p = (struct pario_beff_pattern){ .kind = kind,
					  .release = l->release,
					  .n = l->n,
					  .used = l->n,
					  .methods = ALL_METHODS,
					  .direction = -1 };
	snprintf(p->name, sizeof(p->name), "%s", name);
	return p;
}

static uint64_t ring_messages(const struct pario_beff_pattern *p)
{
	unsigned firsts = p->rings.first_count * p->rings.first_size, rest = p->n - firsts;
	bool drops = p->release == PARIO_BEFF_3_6;

	return (uint64_t)firsts * (drops && p->rings.first_size == 2 ? 1 : 2) +
	       (uint64_t)rest * (drops && p->rings.rest_size == 2 ? 1 : 2);
}

static void add_ring(struct list *l, enum pario_beff_kind kind, unsigned pattern, const char *name)
{
	struct pario_beff_pattern *p = add(l, kind, name);

	p->rings = pario_beff_rings(l->n, pattern, l->release);
	if (!*name)
		pario_beff_rings_name(&p->rings, p->name, sizeof(p->name));
	p->messages = ring_messages(p);
}

static void add_duel(struct list *l, enum pario_beff_kind kind, unsigned used, unsigned methods,
		     const char *name)
{
	struct pario_beff_pattern *p = add(l, kind, name);

	p->used = used;
	p->messages = used;
	p->methods = methods;
}

static void add_grid(struct list *l, unsigned dimensions, int direction, bool periodic)
{
	static const char *const axes[] = { "all", "x", "y", "z" };
	struct pario_beff_pattern *p = add(l, PARIO_BEFF_GRID, "");

	p->used = pario_beff_grid(l->n, dimensions, p->extent);
	p->dimensions = dimensions;
	p->direction = direction;
	p->periodic = periodic;
	if (direction >= 0 && p->extent[direction] < 2) {
		l->count--;
		return;
	}
	snprintf(p->name, sizeof(p->name), "%s-%uD-%s", periodic ? "cyclic" : "acyclic", dimensions,
		 axes[direction + 1]);
	for (unsigned d = 0; d < dimensions; d++) {
		unsigned senses = periodic && p->extent[d] == 2 ? 1 : 2;

		if (p->extent[d] > 1 && (direction < 0 || (unsigned)direction == d))
			p->messages += (uint64_t)senses * (p->extent[d] - 1 + periodic) * p->used /
				       p->extent[d];
	}
}

size_t pario_beff_patterns(unsigned n, unsigned randoms, enum pario_beff_release release,
			   struct pario_beff_pattern *at)
{
	struct list l = { .at = at, .n = n, .release = release };
	char name[32];

	for (unsigned i = 0; i < PARIO_BEFF_RINGS; i++)
		add_ring(&l, PARIO_BEFF_RING, i, "");
	for (unsigned i = 0; i < randoms; i++) {
		snprintf(name, sizeof(name), "random-%u", i + 1);
		add_ring(&l, PARIO_BEFF_RANDOM, PARIO_BEFF_RINGS - 1, name);
	}
	add_ring(&l, PARIO_BEFF_WORST_CYCLE, PARIO_BEFF_RINGS - 1, "worst-cycle");
	add_duel(&l, PARIO_BEFF_BEST_BISECTION, n / 2 * 2, ALL_METHODS, "best-bisection");
	add_duel(&l, PARIO_BEFF_WORST_BISECTION, n / 2 * 2, ALL_METHODS, "worst-bisection");
	add_duel(&l, PARIO_BEFF_PING_PONG, 2, 1 << PARIO_BEFF_SENDRECV, "ping-pong");
	/* The program's own; the paper's grids are cyclic. */
	for (unsigned dimensions = 2; release == PARIO_BEFF_3_6 && dimensions <= 3; dimensions++)
		add_grid(&l, dimensions, -1, false);
	for (unsigned dimensions = 2; dimensions <= 3; dimensions++) {
		for (int d = 0; d < (int)dimensions; d++)
			add_grid(&l, dimensions, d, true);
		add_grid(&l, dimensions, -1, true);
	}
	return l.count;
}
