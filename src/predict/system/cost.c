/*
 * cost: groups of surfaces are chosen once per system, so that a call costs a few comparisons.
 */
#include "predict/system/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 4096, FOUND = 10000 };
enum { NEAR_OPS = 3 }; /* an operation itself, the nearest one, and that one's nearest */
enum { FAR = 4 };      /* times as large as the largest that was measured, or as small */

/* Nearest first; each list ends with itself repeated. */
static const uint8_t near_reads[PARIO_SYSTEM_PATHS][4] = {
	[PARIO_SYSTEM_ANY] = { PARIO_SYSTEM_ANY, PARIO_SYSTEM_HIT, PARIO_SYSTEM_MISS,
			       PARIO_SYSTEM_DIRECT },
	[PARIO_SYSTEM_HIT] = { PARIO_SYSTEM_HIT, PARIO_SYSTEM_HIT, PARIO_SYSTEM_HIT,
			       PARIO_SYSTEM_HIT },
	[PARIO_SYSTEM_MISS] = { PARIO_SYSTEM_MISS, PARIO_SYSTEM_DIRECT, PARIO_SYSTEM_HIT,
				PARIO_SYSTEM_HIT },
	[PARIO_SYSTEM_DIRECT] = { PARIO_SYSTEM_DIRECT, PARIO_SYSTEM_MISS, PARIO_SYSTEM_HIT,
				  PARIO_SYSTEM_HIT },
};
static const uint8_t near_writes[PARIO_SYSTEM_PATHS][4] = {
	[PARIO_SYSTEM_ANY] = { PARIO_SYSTEM_ANY, PARIO_SYSTEM_ABSORBED, PARIO_SYSTEM_SYNC,
			       PARIO_SYSTEM_DIRECT },
	[PARIO_SYSTEM_ABSORBED] = { PARIO_SYSTEM_ABSORBED, PARIO_SYSTEM_THROTTLED,
				    PARIO_SYSTEM_SYNC, PARIO_SYSTEM_DIRECT },
	[PARIO_SYSTEM_REWRITTEN] = { PARIO_SYSTEM_REWRITTEN, PARIO_SYSTEM_ABSORBED,
				     PARIO_SYSTEM_SYNC, PARIO_SYSTEM_DIRECT },
	[PARIO_SYSTEM_THROTTLED] = { PARIO_SYSTEM_THROTTLED, PARIO_SYSTEM_SYNC, PARIO_SYSTEM_DIRECT,
				     PARIO_SYSTEM_ABSORBED },
	[PARIO_SYSTEM_SYNC] = { PARIO_SYSTEM_SYNC, PARIO_SYSTEM_DIRECT, PARIO_SYSTEM_THROTTLED,
				PARIO_SYSTEM_ABSORBED },
	[PARIO_SYSTEM_DIRECT] = { PARIO_SYSTEM_DIRECT, PARIO_SYSTEM_SYNC, PARIO_SYSTEM_THROTTLED,
				  PARIO_SYSTEM_ABSORBED },
};
static const uint8_t near_places[PARIO_SYSTEM_LOCALITIES][PARIO_SYSTEM_LOCALITIES] = {
	{ PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_RANDOM,
	  PARIO_SYSTEM_STRIDED },
	{ PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_STRIDED,
	  PARIO_SYSTEM_RANDOM },
	{ PARIO_SYSTEM_STRIDED, PARIO_SYSTEM_RANDOM, PARIO_SYSTEM_ANYWHERE,
	  PARIO_SYSTEM_SEQUENTIAL },
	{ PARIO_SYSTEM_RANDOM, PARIO_SYSTEM_STRIDED, PARIO_SYSTEM_ANYWHERE,
	  PARIO_SYSTEM_SEQUENTIAL },
};
static const uint8_t near_ops[PARIO_SYSTEM_OPS] = {
	[PARIO_SYSTEM_READ] = PARIO_SYSTEM_READ,
	[PARIO_SYSTEM_WRITE] = PARIO_SYSTEM_WRITE,
	[PARIO_SYSTEM_FSYNC] = PARIO_SYSTEM_FSYNC,
	[PARIO_SYSTEM_FSYNC_AGAIN] = PARIO_SYSTEM_FSYNC,
	[PARIO_SYSTEM_FDATASYNC_AGAIN] = PARIO_SYSTEM_FSYNC_AGAIN,
	[PARIO_SYSTEM_FSYNC_DIRECTORY] = PARIO_SYSTEM_FSYNC,
	[PARIO_SYSTEM_FSYNC_DIRECTORY_AGAIN] = PARIO_SYSTEM_STAT,
	[PARIO_SYSTEM_OPEN] = PARIO_SYSTEM_STAT,
	[PARIO_SYSTEM_CREATE] = PARIO_SYSTEM_OPEN,
	[PARIO_SYSTEM_CLOSE] = PARIO_SYSTEM_STAT,
	[PARIO_SYSTEM_STAT] = PARIO_SYSTEM_OPEN,
	[PARIO_SYSTEM_LOOKUP] = PARIO_SYSTEM_OPEN,
	[PARIO_SYSTEM_LOCK] = PARIO_SYSTEM_OPEN,
	[PARIO_SYSTEM_ABSENT] = PARIO_SYSTEM_OPEN,
	[PARIO_SYSTEM_UNLINK] = PARIO_SYSTEM_CREATE,
	[PARIO_SYSTEM_MKDIR] = PARIO_SYSTEM_CREATE,
	[PARIO_SYSTEM_RMDIR] = PARIO_SYSTEM_UNLINK,
	[PARIO_SYSTEM_LINK] = PARIO_SYSTEM_RENAME,
	[PARIO_SYSTEM_RENAME] = PARIO_SYSTEM_UNLINK,
	[PARIO_SYSTEM_RENAME_DIRECTORY] = PARIO_SYSTEM_RENAME,
	[PARIO_SYSTEM_READDIR] = PARIO_SYSTEM_STAT,
	[PARIO_SYSTEM_TRUNCATE] = PARIO_SYSTEM_UNLINK,
	[PARIO_SYSTEM_SEEK] = PARIO_SYSTEM_SEEK,
};

static unsigned group_of(enum pario_system_op op, unsigned path, unsigned locality, bool shared)
{
	return ((unsigned)op * PARIO_SYSTEM_PATHS + path) * PARIO_SYSTEM_LOCALITIES * 2 +
	       locality * 2 + shared;
}

/* A file that several use one after the other costs what one's own does. */
static const struct pario_cost_group *group_for(const struct pario_costs *c,
						const struct pario_cost_key *key, double clients)
{
	return &c->groups[group_of(key->op, key->path, key->locality, key->shared && clients > 1)];
}

static unsigned group_of_surface(const struct pario_system_surface *s)
{
	return group_of(s->op, s->path, s->locality, s->shared);
}

static int in_order(const void *a, const void *b)
{
	const struct pario_system_surface *x = *(const struct pario_system_surface *const *)a;
	const struct pario_system_surface *y = *(const struct pario_system_surface *const *)b;
	unsigned gx = group_of_surface(x), gy = group_of_surface(y);

	if (gx != gy)
		return gx < gy ? -1 : 1;
	if (x->clients != y->clients)
		return x->clients < y->clients ? -1 : 1;
	return (x->distance_bytes > y->distance_bytes) - (x->distance_bytes < y->distance_bytes);
}

/* Fills in the groups that have surfaces of their own; the lists point into `sorted`. */
static int sort(struct pario_costs *c)
{
	const struct pario_system *s = c->system;

	c->sorted = calloc(s->surface_count + 1, sizeof(*c->sorted));
	if (!c->sorted)
		return -1;
	for (size_t i = 0; i < s->surface_count; i++)
		c->sorted[i] = &s->surfaces[i];
	qsort(c->sorted, s->surface_count, sizeof(*c->sorted), in_order);
	for (size_t i = 0; i < s->surface_count; i++) {
		struct pario_cost_group *g = &c->groups[group_of_surface(c->sorted[i])];

		if (!g->count++)
			g->surfaces = &c->sorted[i];
	}
	return 0;
}

static bool borrow(const struct pario_cost_group *own, struct pario_cost_group *g,
		   const struct pario_cost_key *key, enum pario_system_op op)
{
	const uint8_t *paths = op == PARIO_SYSTEM_READ	  ? near_reads[key->path]
			       : op == PARIO_SYSTEM_WRITE ? near_writes[key->path]
							  : NULL;

	for (unsigned p = 0; p < (paths ? 4u : PARIO_SYSTEM_PATHS); p++) {
		unsigned path = paths ? paths[p] : p;

		for (unsigned i = 0; i < 2 * PARIO_SYSTEM_LOCALITIES; i++) {
			unsigned locality = near_places[key->locality][i / 2];
			bool shared = key->shared ^ (i & 1);
			const struct pario_cost_group *from =
				&own[group_of(op, path, locality, shared)];

			if (!from->count)
				continue;
			*g = *from;
			g->rests_on = (i && paths ? PARIO_COST_OTHER_PLACE : 0) |
				      (paths && path != key->path ? PARIO_COST_OTHER_PATH : 0) |
				      (op != key->op ? PARIO_COST_OTHER_OP : 0);
			return true;
		}
	}
	return false;
}

static void fill_in(struct pario_costs *c, const struct pario_cost_group *own)
{
	struct pario_cost_key key;
	enum pario_system_op op;
	int n;

	for (unsigned i = 0; i < PARIO_COST_GROUPS; i++) {
		unsigned rest = i / (PARIO_SYSTEM_LOCALITIES * 2);

		key = (struct pario_cost_key){
			.op = rest / PARIO_SYSTEM_PATHS,
			.path = rest % PARIO_SYSTEM_PATHS,
			.locality = i / 2 % PARIO_SYSTEM_LOCALITIES,
			.shared = i & 1,
		};
		op = key.op;
		for (n = 0; n < NEAR_OPS && !borrow(own, &c->groups[i], &key, op); n++)
			op = near_ops[op];
		if (n == NEAR_OPS)
			c->groups[i].rests_on = PARIO_COST_UNKNOWN;
	}
}

static bool in_memory(const char *filesystem)
{
	return strcmp(filesystem, "tmpfs") == 0 || strcmp(filesystem, "ramfs") == 0;
}

static double told_or(double told, double otherwise)
{
	return isnan(told) ? otherwise : told;
}

/* Where the cache was not measured, all memory is taken for it, less what programs need. */
static void take_memory(struct pario_costs *c)
{
	const struct pario_system *s = c->system;
	double memory = json_number_value(json_object_get(s->machine, "memory_bytes"));

	c->stays = in_memory(s->filesystem);
	c->cache_bytes =
		c->stays ? INFINITY : told_or(s->cache_bytes, memory > 0 ? memory * 0.8 : INFINITY);
	c->read_ahead_bytes = told_or(s->read_ahead_bytes, 0);
	c->limit_bytes = c->stays ? INFINITY : told_or(s->dirty_limit_bytes, INFINITY);
	c->background_bytes =
		c->stays ? INFINITY : told_or(s->dirty_background_bytes, c->limit_bytes / 2);
	c->write_back = told_or(s->write_back_bytes_per_second,
				s->write_count ? s->write[0].bytes_per_second : NAN);
	if (!(c->write_back > 0))
		c->write_back = INFINITY;
}

static const struct pario_cost_key small_hit = { .op = PARIO_SYSTEM_READ,
						 .path = PARIO_SYSTEM_HIT,
						 .locality = PARIO_SYSTEM_RANDOM,
						 .distance_bytes = SMALL };

/* Is a read that should be answered by memory nearer to the device? NaN is not. */
static bool is_missed(const struct pario_costs *c, double seconds)
{
	struct pario_cost_key key = small_hit;
	unsigned from_memory = 0, from_device = 0;
	double hit = pario_cost(c, &key, SMALL, 1, &from_memory), miss;

	key.path = PARIO_SYSTEM_MISS;
	miss = pario_cost(c, &key, SMALL, 1, &from_device);
	return !c->stays && !((from_memory | from_device) & PARIO_COST_OTHER_PATH) &&
	       seconds > sqrt(hit * miss);
}

/* What is asked for anew costs more than what is known: only where a measurement says so, else nothing. */
static void take_expiry(struct pario_costs *c)
{
	const struct pario_cost_key lookup = { .op = PARIO_SYSTEM_LOOKUP },
				    stat = { .op = PARIO_SYSTEM_STAT };
	unsigned rests_on = 0;
	double more =
		pario_cost(c, &lookup, 0, 1, &rests_on) - pario_cost(c, &stat, 0, 1, &rests_on);

	c->looking = more > 0 && !rests_on ? more : 0;
	rests_on = 0;
	more = c->system->found_read_seconds - pario_cost(c, &small_hit, FOUND, 1, &rests_on);
	c->found = more > 0 && !(rests_on & PARIO_COST_UNKNOWN) ? more : 0;
}

static double fastest_read(const struct pario_system *s);

int pario_costs_init(struct pario_costs *c, const struct pario_system *system,
		     struct pario_err *err)
{
	struct pario_cost_group *own = calloc(PARIO_COST_GROUPS, sizeof(*own));

	*c = (struct pario_costs){ .system = system };
	if (!own || sort(c) < 0) {
		free(own);
		return pario_err_memory(err, "the surfaces of %s", system->name);
	}
	memcpy(own, c->groups, sizeof(c->groups));
	fill_in(c, own);
	free(own);
	take_memory(c);
	c->read_rate = fastest_read(system);
	c->forgets = is_missed(c, system->reopened_read_seconds);
	take_expiry(c);
	return 0;
}

void pario_costs_release(struct pario_costs *c)
{
	free(c->sorted);
	c->sorted = NULL;
}

/* ---- one surface ---- */

static double by_pieces(const struct pario_system_surface *s, uint64_t bytes)
{
	const struct pario_system_piece *p = s->pieces;

	for (size_t i = 1; i < s->piece_count && bytes >= s->pieces[i].from_bytes; i++)
		p = &s->pieces[i];
	return p->t_call + (double)bytes * p->t_trans;
}

/* A line between two points; below the first its time, above the last its rate. */
static double by_points(const struct pario_system_surface *s, uint64_t bytes)
{
	const struct pario_system_point *p = s->points, *last = &p[s->point_count - 1];

	if (bytes <= p->bytes || last->bytes == 0)
		return p->seconds;
	if (bytes >= last->bytes)
		return last->seconds * (double)bytes / (double)last->bytes;
	while (p[1].bytes < bytes)
		p++;
	return p->seconds + (p[1].seconds - p->seconds) * (double)(bytes - p->bytes) /
				    (double)(p[1].bytes - p->bytes);
}

static uint64_t largest(const struct pario_system_surface *s)
{
	return s->point_count ? s->points[s->point_count - 1].bytes
			      : s->pieces[s->piece_count - 1].to_bytes;
}

static double at(const struct pario_system_surface *s, uint64_t bytes, unsigned *rests_on)
{
	uint64_t least = s->point_count ? s->points[0].bytes : s->pieces[0].from_bytes;
	uint64_t most = largest(s);

	/* nothing is not a small size: a file that was not written to is closed in another way */
	if (!bytes && s->point_count && !least)
		return s->points[0].seconds;
	if (most && (bytes / FAR > most || bytes * FAR < least) && bytes)
		*rests_on |= PARIO_COST_SIZE;
	return s->piece_count ? by_pieces(s, bytes) : by_points(s, bytes);
}

/*
 * The most that all clients together were seen to read in large calls, in sequence, since those last: a burst may be
 * faster, and smaller measurements are not always more than that.
 */
static double fastest(const struct pario_system *s, enum pario_system_path path)
{
	double rate = 0;
	unsigned ignored = 0;

	for (size_t i = 0; i < s->surface_count; i++) {
		const struct pario_system_surface *f = &s->surfaces[i];

		if (f->op == PARIO_SYSTEM_READ && f->path == path &&
		    f->locality == PARIO_SYSTEM_SEQUENTIAL)
			rate = fmax(rate,
				    f->clients * (double)largest(f) / at(f, largest(f), &ignored));
	}
	return rate;
}

/* Direct reads are measured up to smaller sizes, which a burst may have carried. */
static double fastest_read(const struct pario_system *s)
{
	double rate = fastest(s, PARIO_SYSTEM_MISS);

	if (!(rate > 0))
		rate = fastest(s, PARIO_SYSTEM_DIRECT);
	return rate > 0 ? rate : INFINITY;
}

/* ---- a group ---- */

/* Of those with the clients of `*i`, that with the nearest distance; *i moves on behind them. */
static const struct pario_system_surface *nearest(const struct pario_cost_group *g, uint32_t *i,
						  uint64_t distance)
{
	const struct pario_system_surface *best = g->surfaces[*i];
	double least = INFINITY;

	for (uint32_t clients = best->clients; *i < g->count && g->surfaces[*i]->clients == clients;
	     ++*i) {
		double ratio =
			log((double)(distance + 1) / (double)(g->surfaces[*i]->distance_bytes + 1));

		if (fabs(ratio) < least) {
			least = fabs(ratio);
			best = g->surfaces[*i];
		}
	}
	return best;
}

/* The surfaces below and above a number of clients; the same one twice at the ends. */
static void around(const struct pario_cost_group *g, uint64_t distance, double clients,
		   const struct pario_system_surface *pair[2])
{
	uint32_t i = 0;

	pair[0] = pair[1] = nearest(g, &i, distance);
	while (i < g->count && pair[1]->clients < clients) {
		pair[0] = pair[1];
		pair[1] = nearest(g, &i, distance);
	}
}

/* Writing beyond what memory takes was not measured: pages are filled as fast as they are stored. */
static double throttled(const struct pario_costs *c, const struct pario_cost_key *key,
			uint64_t bytes, double clients, unsigned *rests_on)
{
	struct pario_cost_key absorbed = *key;

	absorbed.path = PARIO_SYSTEM_ABSORBED;
	*rests_on |= PARIO_COST_OTHER_PATH;
	return pario_cost(c, &absorbed, bytes, clients, rests_on) +
	       (double)bytes * clients / c->write_back;
}

static double within(const struct pario_costs *c, const struct pario_cost_key *key, uint64_t bytes,
		     double clients, unsigned *rests_on);

/* The largest size that was measured of such calls; 0 where sizes do not matter. */
static uint64_t largest_of(const struct pario_cost_group *g)
{
	return g->count ? largest(g->surfaces[0]) : 0;
}

static uint64_t smallest(const struct pario_system_surface *s)
{
	return s->point_count ? s->points[0].bytes : 0;
}

/* Does every surface of the group reach this size? Then it does not matter which one is asked. */
static bool all_reach(const struct pario_cost_group *g, uint64_t bytes)
{
	for (uint32_t i = 0; i < g->count; i++) {
		uint64_t most = largest(g->surfaces[i]);

		if (most && (bytes > most || bytes < smallest(g->surfaces[i])))
			return false;
	}
	return true;
}

/* The nearest size to this one that was measured in this order, at the nearest distance. */
static uint64_t nearest_size(const struct pario_cost_group *g, const struct pario_cost_key *key,
			     uint64_t bytes, double clients)
{
	const struct pario_system_surface *pair[2];
	uint64_t most;

	if (all_reach(g, bytes))
		return bytes;
	around(g, key->distance_bytes, clients, pair);
	most = largest(pair[1]);
	if (!most || bytes > most)
		return most ? most : bytes;
	return bytes < smallest(pair[1]) ? smallest(pair[1]) : bytes;
}

/*
 * Calls that are larger than those measured in this order cost what they cost in sequence, and once more what the
 * order costs the largest of those that were: where a call moves much, its place hardly matters. Of smaller ones the
 * order costs in proportion.
 */
static double known(const struct pario_costs *c, const struct pario_cost_key *key, uint64_t bytes,
		    double clients, unsigned *rests_on)
{
	struct pario_cost_key sequence;
	uint64_t size = bytes;
	double extra;

	if (key->locality > PARIO_SYSTEM_SEQUENTIAL)
		size = nearest_size(group_for(c, key, clients), key, bytes, clients);
	if (size == bytes)
		return within(c, key, bytes, clients, rests_on);
	sequence = *key;
	sequence.locality = PARIO_SYSTEM_SEQUENTIAL;
	sequence.distance_bytes = 0;
	if (bytes > size && largest_of(group_for(c, &sequence, clients)) <= size)
		return within(c, key, bytes, clients, rests_on);
	if (bytes > size || bytes * FAR < size)
		*rests_on |= PARIO_COST_OTHER_PLACE;
	extra = within(c, key, size, clients, rests_on) -
		within(c, &sequence, size, clients, rests_on);
	extra = bytes > size ? fmax(0, extra) : extra * (double)bytes / (double)size;
	return within(c, &sequence, bytes, clients, rests_on) + extra;
}

double pario_cost(const struct pario_costs *c, const struct pario_cost_key *key, uint64_t bytes,
		  double clients, unsigned *rests_on)
{
	double seconds = known(c, key, bytes, clients, rests_on);

	if (!key->anew)
		return seconds;
	if (key->op == PARIO_SYSTEM_OPEN)
		return seconds + c->looking;
	return key->op == PARIO_SYSTEM_READ && key->path == PARIO_SYSTEM_HIT ? seconds + c->found
									     : seconds;
}

static double within(const struct pario_costs *c, const struct pario_cost_key *key, uint64_t bytes,
		     double clients, unsigned *rests_on)
{
	const struct pario_cost_group *g = group_for(c, key, clients);
	const struct pario_system_surface *pair[2];
	double low, high, part;

	if (key->path == PARIO_SYSTEM_THROTTLED && g->rests_on & PARIO_COST_OTHER_PATH)
		return throttled(c, key, bytes, clients, rests_on);
	*rests_on |= g->rests_on;
	if (!g->count)
		return NAN;
	if (g->count == 1) {
		if (clients > FAR * g->surfaces[0]->clients)
			*rests_on |= PARIO_COST_CLIENTS;
		return at(g->surfaces[0], bytes, rests_on);
	}
	around(g, key->distance_bytes, clients, pair);
	low = at(pair[0], bytes, rests_on);
	if (pair[0] == pair[1])
		return low;
	high = at(pair[1], bytes, rests_on);
	if (clients > FAR * pair[1]->clients)
		*rests_on |= PARIO_COST_CLIENTS;
	/* beyond the last the line goes on, but never down */
	if (clients > pair[1]->clients && high < low)
		return high;
	part = (clients - pair[0]->clients) / (double)(pair[1]->clients - pair[0]->clients);
	return low + (high - low) * (part > 0 ? part : 0);
}

/* The range of so many draws from a normal distribution, in deviations. */
static double range_of(uint32_t draws)
{
	static const double ranges[] = { 1.128, 1.128, 1.128, 1.693, 2.059, 2.326, 2.534, 2.704 };
	uint32_t last = sizeof(ranges) / sizeof(ranges[0]) - 1;

	return ranges[draws < last ? draws : last];
}

double pario_cost_spread(const struct pario_costs *c, const struct pario_cost_key *key,
			 uint64_t bytes, double clients)
{
	const struct pario_cost_group *g = group_for(c, key, clients);
	const struct pario_system_surface *pair[2];
	const struct pario_system_point *p = NULL;
	double repeated = 0, about;

	if (!g->count)
		return 0;
	around(g, key->distance_bytes, clients, pair);
	for (size_t i = 0; i < pair[1]->point_count; i++) {
		if (!p || pair[1]->points[i].bytes <= bytes)
			p = &pair[1]->points[i];
	}
	if (p && p->low > 0 && p->high > p->low)
		repeated = log(p->high / p->low) / range_of(p->repetitions);
	about = isnan(pair[1]->residual_rsd) ? 0 : pair[1]->residual_rsd / 100;
	return hypot(repeated, about);
}

/* ---- messages ---- */

double pario_cost_barrier(const struct pario_costs *c, uint32_t clients)
{
	const struct pario_system_barrier *b = c->system->barriers;
	size_t i = 1, count = c->system->barrier_count;

	if (!count)
		return 0;
	if (count == 1 || clients <= b[0].clients)
		return b[0].seconds;
	while (i + 1 < count && b[i].clients < clients)
		i++;
	/* rounds of messages: a line over the logarithm */
	return fmax(0, b[i - 1].seconds + (b[i].seconds - b[i - 1].seconds) *
						  log((double)clients / b[i - 1].clients) /
						  log((double)b[i].clients / b[i - 1].clients));
}

double pario_cost_message(const struct pario_costs *c, uint64_t bytes)
{
	double rate = c->system->message_bytes_per_second;

	return told_or(c->system->message_latency_seconds, 0) +
	       (rate > 0 ? (double)bytes / rate : 0);
}
