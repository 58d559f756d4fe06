/*
 * ticks: decides whether the time-stamp counter can be trusted, and measures its rate.
 */
#include "engine/ticks.h"

struct pario_ticks pario_ticks;

int64_t pario_ticks_clock(void)
{
	return pario_clock_ns();
}

/* The least time between the two readings of the scale. */
enum { SETTLE_NS = 20000000 };

static struct pario_ticks first;

/* Both clocks at one moment: the pair read with the least time between. */
static void read_pair(struct pario_ticks *at)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 16; i++) {
		int64_t before = pario_clock_ns();
		uint64_t count = pario_clock_count();
		int64_t after = pario_clock_ns();

		if (after - before < best) {
			best = after - before;
			at->base = count;
			at->base_ns = before + (after - before) / 2;
		}
	}
}

void pario_ticks_start(void)
{
	first.counter = pario_clock_counter();
	if (first.counter)
		read_pair(&first);
}

void pario_ticks_settle(void)
{
	struct pario_ticks now = { .counter = true };

	if (!first.counter)
		return;
	do
		read_pair(&now);
	while (now.base_ns - first.base_ns < SETTLE_NS);
	now.factor = (uint64_t)(((unsigned __int128)(now.base_ns - first.base_ns) << 32) /
				(now.base - first.base));
	pario_ticks = now;
}
