/*
 * schedule: computes the times of patterns, the ends of loops, segment sizes, and which processes form a partition.
 */
#include "tests/beff_io/model/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "base/units.h"

#define MB 1048576ull

bool pario_beff_io_official(const struct pario_beff_io_plan *plan)
{
	return plan->seconds / (plan->partitions ? plan->partitions : 1) >=
	       PARIO_BEFF_IO_OFFICIAL_S;
}

double pario_beff_io_seconds(const struct pario_beff_io_plan *plan, unsigned units)
{
	double part;

	if (plan->release == PARIO_BEFF_IO_PAPER)
		return plan->seconds / 3 * units / PARIO_BEFF_IO_UNITS;
	/* Whole seconds, as the program divides; below one of them that would be nothing. */
	part = plan->seconds / plan->partitions;
	part = part < 1 ? part : floor(part + 1e-9);
	return part / (plan->rewrite_all ? 192 : 150) * units;
}

bool pario_beff_io_rewrites(const struct pario_beff_io_plan *plan, enum pario_beff_io_type type)
{
	return plan->release == PARIO_BEFF_IO_PAPER || plan->rewrite_all ||
	       type == PARIO_BEFF_IO_SCATTER;
}

static uint64_t calls_in(double ns, double call_ns)
{
	return ns < call_ns ? 1 : ns / call_ns > 1e18 ? (uint64_t)1e18 : (uint64_t)(ns / call_ns);
}

uint64_t pario_beff_io_next(const struct pario_beff_io_loop *l)
{
	double t = (double)(l->elapsed_ns - l->view_ns), r = (double)l->calls;
	double scheduled = (double)l->scheduled_ns;
	double call_ns, recent;
	uint64_t next, left, share;

	if (t * (r + 1) / r > scheduled)
		return 0;
	call_ns = t / r;
	recent = (double)l->batch_ns / (double)l->batch;
	call_ns = recent > call_ns ? recent : call_ns;
	if (!(call_ns > 0))
		call_ns = 1;
	next = 2 * l->batch;
	left = calls_in(scheduled - t, call_ns);
	share = calls_in(scheduled / 10, call_ns);
	next = left < next ? left : next;
	return share < next ? share : next;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool pario_beff_io_segment(uint64_t mpart, const uint64_t *calls,
			   struct pario_beff_io_segment *segment)
{
	const unsigned *first = pario_beff_io_first;
	uint64_t bytes;

	segment->calls[0] = 1;
	segment->sum = MB;
	for (unsigned p = 1; p < 8; p++) {
		unsigned p0 = p == 1 ? 1 : p + 1; /* type 0 has pattern 2 more */
		uint64_t chunks =
			pario_beff_io_call(p0, mpart, 0) / pario_beff_io_chunk(p0, mpart, 0);
		uint64_t scattered, tenfold;

		if (!pario_mul(calls[p0], chunks, &scattered) ||
		    !pario_mul(calls[first[PARIO_BEFF_IO_SHARED] + p], 10, &tenfold))
			return false;
		segment->calls[p] =
			least(least(scattered, tenfold), calls[first[PARIO_BEFF_IO_SEPARATED] + p]);
		if (!pario_mul(segment->calls[p],
			       pario_beff_io_chunk(first[PARIO_BEFF_IO_SEPARATED] + p, mpart, 0),
			       &bytes) ||
		    !pario_add(segment->sum, bytes, &segment->sum))
			return false;
	}
	if (segment->sum > INT64_MAX - MB)
		return false;
	segment->bytes = (segment->sum + MB - 1) / MB * MB;
	segment->fill = segment->bytes - segment->sum;
	return true;
}

/* Where a process sits: the lowest process of its node, how many of the node are before it, and in all. */
struct seat {
	uint64_t first, place, size;
};

static struct seat *seats_of(const uint64_t *node, uint64_t count)
{
	struct seat *seat = calloc(count, sizeof(*seat));

	for (uint64_t i = 0; seat && i < count; i++) {
		while (node[seat[i].first] != node[i])
			seat[i].first++;
		seat[i].place = seat[seat[i].first].size++;
	}
	return seat;
}

/* Takes the first `each` processes of the first `nodes` nodes that have so many; false when there are too few. */
static bool take_nodes(const struct seat *seat, uint64_t count, uint64_t nodes, uint64_t each,
		       bool *member)
{
	uint64_t taken = 0;

	for (uint64_t i = 0; i < count; i++) {
		const struct seat *s = &seat[i];

		if (s->place == 0) {
			member[i] = s->size >= each && taken < nodes;
			taken += member[i];
		} else {
			member[i] = member[s->first] && s->place < each;
		}
	}
	return taken == nodes && member[0];
}

/* Round after round one process of each node, until there are n. */
static void take_in_turn(const struct seat *seat, uint64_t count, uint64_t n, bool *member)
{
	uint64_t taken = 0;

	for (uint64_t i = 0; i < count; i++)
		member[i] = false;
	for (uint64_t round = 0; taken < n; round++)
		for (uint64_t i = 0; i < count && taken < n; i++)
			if (seat[i].place == round) {
				member[i] = true;
				taken++;
			}
}

static bool choose(const struct seat *seat, uint64_t count, uint64_t n, uint64_t nodes,
		   bool *member)
{
	if (nodes)
		return n % nodes == 0 && take_nodes(seat, count, nodes, n / nodes, member);
	for (uint64_t many = n; many > 0; many--)
		if (n % many == 0 && take_nodes(seat, count, many, n / many, member))
			return true;
	take_in_turn(seat, count, n, member);
	return true;
}

bool pario_beff_io_choose(const uint64_t *node, uint64_t count, uint64_t n, uint64_t nodes,
			  bool *member)
{
	struct seat *seat = n > 0 && n <= count ? seats_of(node, count) : NULL;
	bool well = seat && choose(seat, count, n, nodes, member);

	free(seat);
	return well;
}

static uint64_t power(double share, uint64_t n)
{
	/* The program's own rounding: a half goes up, also when it comes out a little too small. */
	return 1ull << (unsigned)floor(share * log2((double)n) + 0.5000001);
}

unsigned pario_beff_io_partitions(uint64_t n, uint64_t sizes[PARIO_BEFF_IO_PARTITIONS])
{
	if (n <= 2) {
		sizes[0] = 1;
		sizes[1] = 2;
		return (unsigned)n;
	}
	sizes[0] = n == 3 ? 1 : power(0.35, n);
	sizes[1] = n == 4 ? 3 : power(0.70, n);
	sizes[2] = n;
	return 3;
}
