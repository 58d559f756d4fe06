/*
 * test_predict: the pieces of the simulator against closed forms: page cache, shared device, surfaces, correction.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/simulate/cache.h"
#include "predict/system/cost.h"
#include "predict/estimate/hybrid.h"
#include "predict/simulate/memory.h"
#include "predict/simulate/station.h"
#include "unit.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

static void near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.17g is not within %g of %.17g", value, relative, expected);
}

/* ---- cache ---- */

/* Reads a file from its beginning to its end; returns the bytes that were missing. */
static uint64_t scan(struct pario_cache *c, uint32_t file, uint64_t bytes, uint64_t step)
{
	uint64_t missing = 0;

	for (uint64_t at = 0; at < bytes; at += step)
		missing += pario_cache_read(c, file, at, step).missing;
	return missing;
}

static void what_fits_is_read_once(void **state)
{
	struct pario_cache *c = pario_cache_new(64 * MIB);

	(void)state;
	assert_int_equal(scan(c, 1, 32 * MIB, 64 * KIB), 32 * MIB);
	assert_int_equal(scan(c, 1, 32 * MIB, 64 * KIB), 0);
	assert_int_equal(scan(c, 1, 32 * MIB, 4 * KIB), 0);
	assert_int_equal(pario_cache_resident(c), 32 * MIB);
	pario_cache_free(c);
}

static void a_loop_over_too_much_never_hits(void **state)
{
	struct pario_cache *c = pario_cache_new(64 * MIB);

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(scan(c, 1, 128 * MIB, MIB), 128 * MIB);
	assert_true(pario_cache_resident(c) <= 64 * MIB);
	pario_cache_free(c);
}

static void what_is_used_twice_survives_a_scan(void **state)
{
	struct pario_cache *c = pario_cache_new(64 * MIB);

	(void)state;
	scan(c, 1, 16 * MIB, MIB);
	scan(c, 1, 16 * MIB, MIB);
	scan(c, 2, 512 * MIB, MIB);
	assert_int_equal(scan(c, 1, 16 * MIB, MIB), 0);
	pario_cache_free(c);
}

static void steps_within_a_page_are_one_use(void **state)
{
	struct pario_cache *c = pario_cache_new(64 * MIB);

	(void)state;
	scan(c, 1, 16 * MIB, 1000);
	scan(c, 2, 512 * MIB, MIB);
	/* asked for once, so gone */
	assert_true(scan(c, 1, 16 * MIB, MIB) >= 15 * MIB);
	pario_cache_free(c);
}

static void read_ahead_is_in_memory_but_not_asked_for(void **state)
{
	struct pario_cache *c = pario_cache_new(64 * MIB);
	struct pario_cache_read r;

	(void)state;
	pario_cache_ahead(c, 1, 0, 128 * KIB);
	r = pario_cache_read(c, 1, 0, 64 * KIB);
	assert_true(r.ahead == 64 * KIB && r.hit == 0 && r.missing == 0);
	r = pario_cache_read(c, 1, 0, 256 * KIB);
	assert_true(r.hit == 64 * KIB && r.ahead == 64 * KIB && r.missing == 128 * KIB);
	pario_cache_free(c);
}

static void dirty_pages_stay_until_they_are_clean(void **state)
{
	struct pario_cache *c = pario_cache_new(64 * MIB);

	(void)state;
	assert_int_equal(pario_cache_write(c, 1, 0, 8 * MIB), 8 * MIB);
	assert_int_equal(pario_cache_write(c, 1, 0, 8 * MIB), 0);
	scan(c, 2, 256 * MIB, MIB);
	assert_int_equal(pario_cache_dirty(c), 8 * MIB);
	assert_int_equal(scan(c, 1, 8 * MIB, MIB), 0);
	assert_int_equal(pario_cache_clean(c, 2 * MIB), 2 * MIB);
	assert_int_equal(pario_cache_clean_file(c, 1), 6 * MIB);
	assert_int_equal(pario_cache_clean_file(c, 1), 0);
	assert_int_equal(pario_cache_dirty(c), 0);
	pario_cache_write(c, 3, 0, MIB);
	pario_cache_forget(c, 3);
	assert_int_equal(pario_cache_dirty(c), 0);
	pario_cache_free(c);
}

static void what_is_not_needed_is_read_again(void **state)
{
	struct pario_cache *c = pario_cache_new(64 * MIB);

	(void)state;
	pario_cache_write(c, 1, 0, 8 * MIB);
	pario_cache_warm(c, 1);
	pario_cache_clean(c, 6 * MIB);
	pario_cache_discard(c, 1);
	/* dirty pages stay */
	assert_int_equal(pario_cache_dirty(c), 2 * MIB);
	assert_int_equal(scan(c, 1, 8 * MIB, MIB), 6 * MIB);
	pario_cache_free(c);
}

static void warm_files_are_there_until_they_are_evicted(void **state)
{
	struct pario_cache *c = pario_cache_new(64 * MIB);

	(void)state;
	pario_cache_warm(c, 1);
	assert_int_equal(scan(c, 1, 16 * MIB, MIB), 0);
	scan(c, 2, 512 * MIB, MIB);
	assert_int_equal(scan(c, 1, 16 * MIB, MIB), 16 * MIB);
	pario_cache_free(c);
}

/* ---- station ---- */

static struct pario_station_job shared_job(uint32_t owner, double alone)
{
	struct pario_station_job job = { .owner = owner, .left = alone };

	for (int k = 0; k < PARIO_STATION_CURVE; k++)
		job.slowdown[k] = (float)(k + 1);
	return job;
}

/*
 * Poisson arrivals at a device of constant rate: with processor sharing the mean time of a job is its size divided by
 * what is free of the device, whatever the distribution of sizes (M/G/1-PS). Half of it is used here.
 */
static void sharing_is_as_queueing_theory_says(void **state)
{
	struct pario_station s = { 0 };
	double arrived[4096], next = 0, sum = 0, sizes = 0;
	uint64_t word = 7;
	uint32_t done = 0, made = 0;

	(void)state;
	while (done < 200000) {
		double end = s.count ? pario_station_next(&s) : INFINITY;

		if (end <= next) {
			uint32_t owner = pario_station_done(&s, end);

			sum += end - arrived[owner];
			done++;
			continue;
		}
		word = word * 6364136223846793005u + 1442695040888963407u;
		/* sizes of 0.2 and 3.4, mean 1 */
		double size = (word >> 33) % 4 ? 0.2 : 3.4;
		struct pario_station_job job = shared_job(made % 4096, size);

		sizes += size;
		arrived[made % 4096] = next;
		made++;
		assert_true(pario_station_add(&s, next, &job));
		word = word * 6364136223846793005u + 1442695040888963407u;
		next += -2 * log(((double)(word >> 11) + 0.5) * 0x1p-53);
	}
	near(sizes / made, 1, 0.02);
	near(sum / done, 2, 0.05);
	pario_station_release(&s);
}

static void jobs_slow_each_other_by_the_curve(void **state)
{
	struct pario_station s = { 0 };
	struct pario_station_job a = { .owner = 1, .left = 1 }, b = { .owner = 2, .left = 1 };

	(void)state;
	for (int k = 0; k < PARIO_STATION_CURVE; k++)
		a.slowdown[k] = b.slowdown[k] = k ? 1.5f : 1;
	pario_station_add(&s, 0, &a);
	pario_station_add(&s, 0.5, &b);
	/* a has half of itself left and takes 0.75 for it */
	near(pario_station_next(&s), 1.25, 1e-9);
	assert_int_equal(pario_station_done(&s, 1.25), 1);
	/* b had 0.75 with a, which is half of it */
	near(pario_station_next(&s), 1.75, 1e-9);
	pario_station_release(&s);
}

/* ---- surfaces ---- */

static void add_surface(struct pario_system *s, enum pario_system_op op,
			enum pario_system_locality locality, enum pario_system_path path,
			uint32_t clients, double call, double trans)
{
	struct pario_system_surface *surface = pario_system_add_surface(s);

	surface->op = op;
	surface->locality = locality;
	surface->path = path;
	surface->clients = clients;
	*pario_system_add_piece(surface) =
		(struct pario_system_piece){ 4 * KIB, 64 * KIB, call, trans };
	*pario_system_add_piece(surface) =
		(struct pario_system_piece){ 64 * KIB, MIB, 2 * call, trans };
}

/* A system, what calls cost on it, and its memory. */
struct rig {
	struct pario_system s;
	struct pario_costs c;
	struct pario_memory m;
};

static void make_system(struct pario_system *s)
{
	pario_system_init(s);
	snprintf(s->filesystem, sizeof(s->filesystem), "ext4");
	s->cache_bytes = 64 * MIB;
	s->dirty_background_bytes = 8 * MIB;
	s->dirty_limit_bytes = 16 * MIB;
	s->write_back_bytes_per_second = 10 * MIB;
	add_surface(s, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_HIT, 1, 1e-6,
		    1e-10);
	add_surface(s, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_MISS, 1, 1e-4,
		    1e-8);
	add_surface(s, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_MISS, 4, 4e-4,
		    4e-8);
	add_surface(s, PARIO_SYSTEM_READ, PARIO_SYSTEM_RANDOM, PARIO_SYSTEM_MISS, 1, 1e-2, 1e-8);
	add_surface(s, PARIO_SYSTEM_FSYNC, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_SYNC, 1, 1e-3, 1e-8);
	add_surface(s, PARIO_SYSTEM_STAT, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_ANY, 1, 2e-6, 0);
}

/* The system is as it should be: costs and memory follow. */
static void ready(struct rig *r)
{
	assert_int_equal(pario_costs_init(&r->c, &r->s, NULL), 0);
	assert_int_equal(pario_memory_init(&r->m, &r->c, 4, 0, NULL), 0);
}

static void rig_up(struct rig *r)
{
	make_system(&r->s);
	ready(r);
}

static void take_down(struct rig *r)
{
	pario_memory_release(&r->m);
	pario_costs_release(&r->c);
	pario_system_release(&r->s);
}

static double ask(const struct pario_costs *c, enum pario_system_op op,
		  enum pario_system_locality locality, enum pario_system_path path, uint64_t bytes,
		  double clients, unsigned *rests_on)
{
	const struct pario_cost_key key = { .op = op, .path = path, .locality = locality };

	*rests_on = 0;
	return pario_cost(c, &key, bytes, clients, rests_on);
}

static void costs_follow_the_pieces(void **state)
{
	struct rig r;
	unsigned on;

	(void)state;
	rig_up(&r);
	near(ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_MISS, 10000, 1,
		 &on),
	     1e-4 + 1e-4, 1e-12);
	assert_int_equal(on, 0);
	near(ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_MISS, 100000, 1,
		 &on),
	     2e-4 + 1e-3, 1e-12);
	/* half way between one client and four */
	near(ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_MISS, 10000, 2.5,
		 &on),
	     5e-4, 1e-12);
	assert_int_equal(on, 0);
	take_down(&r);
}

/* What is closed without having been written to has a cost of its own, which no line goes through. */
static void nothing_is_not_a_small_size(void **state)
{
	struct pario_cost_key close = { .op = PARIO_SYSTEM_CLOSE };
	struct pario_system_surface *surface;
	struct pario_system s;
	struct pario_costs c;
	unsigned on = 0;

	(void)state;
	make_system(&s);
	add_surface(&s, PARIO_SYSTEM_CLOSE, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_ANY, 1, 2e-3, 0);
	surface = &s.surfaces[s.surface_count - 1];
	*pario_system_add_point(surface) = (struct pario_system_point){ .seconds = 7e-5 };
	*pario_system_add_point(surface) =
		(struct pario_system_point){ .bytes = 4 * KIB, .seconds = 2e-3 };
	/* direct reads, ten times as fast, may have been carried by a burst */
	add_surface(&s, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_DIRECT, 1, 1e-5,
		    1e-9);
	assert_int_equal(pario_costs_init(&c, &s, NULL), 0);
	near(pario_cost(&c, &close, 0, 1, &on), 7e-5, 1e-9);
	near(pario_cost(&c, &close, 4 * KIB, 1, &on), 2e-3, 1e-9);
	/* four clients read 1 MiB each: 4 MiB in 8e-4 s and what the bytes take */
	near(c.read_rate, MIB / (2e-4 + MIB * 1e-8), 1e-9);
	pario_costs_release(&c);
	pario_system_release(&s);
}

static void what_is_missing_is_borrowed_and_said(void **state)
{
	struct rig r;
	unsigned on;

	(void)state;
	rig_up(&r);
	near(ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_STRIDED, PARIO_SYSTEM_MISS, 10000, 1, &on),
	     1e-2 + 1e-4, 1e-12);
	assert_int_equal(on, PARIO_COST_OTHER_PLACE);
	ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_DIRECT, 10000, 1, &on);
	assert_int_equal(on, PARIO_COST_OTHER_PATH);
	ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_MISS, 64 * MIB, 1, &on);
	assert_int_equal(on, PARIO_COST_SIZE);
	ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_MISS, 10000, 64, &on);
	assert_int_equal(on, PARIO_COST_CLIENTS);
	near(ask(&r.c, PARIO_SYSTEM_OPEN, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_ANY, 0, 1, &on), 2e-6,
	     1e-12);
	assert_int_equal(on, PARIO_COST_OTHER_OP);
	assert_true(isnan(
		ask(&r.c, PARIO_SYSTEM_WRITE, PARIO_SYSTEM_RANDOM, PARIO_SYSTEM_ANY, 1, 1, &on)));
	assert_int_equal(on, PARIO_COST_UNKNOWN);
	take_down(&r);
}

/* Random reads were measured up to 1 MiB only, sequential ones up to 16 MiB. */
static void large_calls_cost_what_they_cost_in_sequence(void **state)
{
	struct rig r;
	double sequence, random;
	unsigned on;

	(void)state;
	make_system(&r.s);
	/* the surface of sequential misses of one client is the second one */
	r.s.surfaces[1].pieces[r.s.surfaces[1].piece_count - 1].to_bytes = 16 * MIB;
	ready(&r);
	sequence = ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_MISS, 8 * MIB,
		       1, &on);
	assert_int_equal(on, 0);
	random = ask(&r.c, PARIO_SYSTEM_READ, PARIO_SYSTEM_RANDOM, PARIO_SYSTEM_MISS, 8 * MIB, 1,
		     &on);
	/* what the order costs at 1 MiB: 2 * (1e-2 - 1e-4) */
	near(random - sequence, 2 * (1e-2 - 1e-4), 1e-9);
	assert_int_equal(on, PARIO_COST_OTHER_PLACE);
	take_down(&r);
}

static void writes_beyond_memory_are_as_fast_as_it_is_emptied(void **state)
{
	struct rig r;
	unsigned on;

	(void)state;
	make_system(&r.s);
	add_surface(&r.s, PARIO_SYSTEM_WRITE, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_ABSORBED, 1,
		    1e-6, 1e-10);
	ready(&r);
	near(ask(&r.c, PARIO_SYSTEM_WRITE, PARIO_SYSTEM_SEQUENTIAL, PARIO_SYSTEM_THROTTLED,
		 10 * KIB, 1, &on),
	     1e-6 + 10 * KIB * 1e-10 + 1.0 / 1024, 1e-9);
	assert_int_equal(on, PARIO_COST_OTHER_PATH);
	take_down(&r);
}

/* ---- memory ---- */

static struct pario_sim_step write_of(uint64_t offset, uint64_t bytes)
{
	return (struct pario_sim_step){ .kind = PARIO_STEP_IO,
					.key = { .op = PARIO_SYSTEM_WRITE,
						 .locality = PARIO_SYSTEM_SEQUENTIAL },
					.offset = offset,
					.bytes = bytes,
					.file = 1 };
}

/* Twice as fast as it is stored: half way between the limits (12 MiB) writers begin to wait. */
static void writers_wait_when_too_much_is_dirty(void **state)
{
	struct rig r;
	uint64_t absorbed = 0;

	(void)state;
	rig_up(&r);
	for (int i = 0; i < 1000; i++) {
		struct pario_sim_step step = write_of((uint64_t)i * 128 * KIB, 128 * KIB);

		pario_memory_advance(&r.m, i * (128.0 * KIB / (20 * MIB)));
		pario_memory_meet(&r.m, &step);
		if (step.key.path == PARIO_SYSTEM_THROTTLED)
			break;
		absorbed += step.bytes;
	}
	/* nothing is stored up to 8 MiB; of the rest half, until 12 MiB are dirty: 8 + 2 * 4 */
	near((double)absorbed, 16.0 * MIB, 0.05);
	take_down(&r);
}

static void dirty_data_are_stored_after_half_a_minute(void **state)
{
	struct pario_sim_step step = write_of(0, 4 * MIB);
	struct rig r;

	(void)state;
	rig_up(&r);
	pario_memory_meet(&r.m, &step);
	assert_int_equal(step.key.path, PARIO_SYSTEM_ABSORBED);
	pario_memory_advance(&r.m, 29);
	assert_int_equal(pario_cache_dirty(r.m.cache), 4 * MIB);
	pario_memory_advance(&r.m, 31);
	pario_memory_advance(&r.m, 32);
	assert_int_equal(pario_cache_dirty(r.m.cache), 0);
	take_down(&r);
}

static void renamed_files_keep_their_pages(void **state)
{
	struct pario_sim_step step = write_of(0, MIB);
	struct pario_sim_step rename = { .key = { .op = PARIO_SYSTEM_RENAME },
					 .effect = PARIO_EFFECT_RENAME,
					 .file = 1,
					 .other_file = 2 };
	struct pario_sim_step read = { .key = { .op = PARIO_SYSTEM_READ },
				       .bytes = MIB,
				       .file = 2 };
	struct rig r;

	(void)state;
	rig_up(&r);
	pario_memory_meet(&r.m, &step);
	pario_memory_meet(&r.m, &rename);
	assert_int_equal(pario_memory_meet(&r.m, &read), 0);
	assert_int_equal(read.key.path, PARIO_SYSTEM_HIT);
	read.file = 1;
	read.key.path = PARIO_SYSTEM_ANY;
	assert_int_equal(pario_memory_meet(&r.m, &read), MIB);
	assert_int_equal(read.key.path, PARIO_SYSTEM_MISS);
	take_down(&r);
}

/* Syncs cost by what they find: a file that has grown, one that was written over, a changed name, nothing. */
static void syncs_are_told_apart(void **state)
{
	struct pario_sim_step step = write_of(0, MIB);
	struct pario_sim_step sync = { .key = { .op = PARIO_SYSTEM_FSYNC }, .file = 1 };
	struct pario_sim_step made = { .key = { .op = PARIO_SYSTEM_MKDIR }, .file = 2 };
	struct pario_sim_step again;
	struct rig r;

	(void)state;
	rig_up(&r);
	pario_memory_meet(&r.m, &step);
	again = sync;
	assert_int_equal(pario_memory_meet(&r.m, &again), MIB);
	assert_int_equal(again.key.op, PARIO_SYSTEM_FSYNC);
	assert_int_equal(again.key.path, PARIO_SYSTEM_SYNC);
	assert_true(pario_memory_over(&r.m, &again));
	again = sync;
	assert_int_equal(pario_memory_meet(&r.m, &again), 0);
	assert_int_equal(again.key.op, PARIO_SYSTEM_STAT);
	assert_false(pario_memory_over(&r.m, &again));
	step = write_of(4096, 8192);
	pario_memory_meet(&r.m, &step);
	again = sync;
	assert_int_equal(pario_memory_meet(&r.m, &again), 8192);
	assert_int_equal(again.key.op, PARIO_SYSTEM_FSYNC_AGAIN);
	pario_memory_over(&r.m, &again);
	pario_memory_meet(&r.m, &made);
	again = sync;
	assert_int_equal(pario_memory_meet(&r.m, &again), 0);
	assert_int_equal(again.key.op, PARIO_SYSTEM_FSYNC);
	take_down(&r);
}

static enum pario_system_op met(struct rig *r, struct pario_sim_step step)
{
	pario_memory_meet(&r->m, &step);
	pario_memory_over(&r->m, &step);
	return step.key.op;
}

/* Seconds of an fdatasync of a page that was written over. */
static double of_page_written_over(struct rig *r, unsigned *on)
{
	struct pario_sim_step step = write_of(0, 4 * KIB);
	struct pario_sim_step sync = { .key = { .op = PARIO_SYSTEM_FSYNC },
				       .data_only = true,
				       .file = 1 };

	met(r, step);
	assert_int_equal(met(r, sync), PARIO_SYSTEM_FSYNC);
	met(r, step);
	assert_int_equal(pario_memory_meet(&r->m, &sync), 4 * KIB);
	assert_int_equal(sync.key.op, PARIO_SYSTEM_FDATASYNC_AGAIN);
	assert_int_equal(sync.key.path, PARIO_SYSTEM_SYNC);
	assert_true(pario_memory_over(&r->m, &sync));
	*on = 0;
	return pario_cost(&r->c, &sync.key, sync.bytes, 1, on);
}

/* An fdatasync of bytes that were only written over has a cost of its own; older systems lend what is nearest. */
static void fdatasync_costs_as_planted(void **state)
{
	static const struct {
		enum pario_system_op op;
		double call;
		unsigned on;
	} planted[] = {
		{ PARIO_SYSTEM_FDATASYNC_AGAIN, 1e-4, 0 },
		{ PARIO_SYSTEM_FSYNC_AGAIN, 5e-4, PARIO_COST_OTHER_OP },
		{ PARIO_SYSTEM_FSYNC, 1e-3, PARIO_COST_OTHER_OP },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		struct rig r;
		unsigned on;

		make_system(&r.s);
		/* make_system has planted fsync */
		for (size_t k = i; planted[k].op != PARIO_SYSTEM_FSYNC; k++)
			add_surface(&r.s, planted[k].op, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_SYNC,
				    1, planted[k].call, 1e-8);
		ready(&r);
		near(of_page_written_over(&r, &on), planted[i].call + 4 * KIB * 1e-8, 1e-9);
		assert_int_equal(on, planted[i].on);
		take_down(&r);
	}
}

/* What the program found has its blocks already. */
static void files_that_were_there_are_written_over(void **state)
{
	const struct pario_sim_step sync = { .key = { .op = PARIO_SYSTEM_FSYNC }, .file = 1 };
	struct rig r;

	(void)state;
	rig_up(&r);
	pario_memory_found(&r.m, 1, MIB);
	met(&r, write_of(MIB - 4 * KIB, 4 * KIB));
	assert_int_equal(met(&r, sync), PARIO_SYSTEM_FSYNC_AGAIN);
	met(&r, write_of(MIB, 4 * KIB));
	assert_int_equal(met(&r, sync), PARIO_SYSTEM_FSYNC);
	take_down(&r);
}

/* A directory is synced because names changed; it matters whether the sync of a file has stored them already. */
static void directories_are_synced_for_their_names(void **state)
{
	const struct pario_sim_step made = { .key = { .op = PARIO_SYSTEM_CREATE }, .file = 1 };
	const struct pario_sim_step file = { .key = { .op = PARIO_SYSTEM_FSYNC },
					     .data_only = true,
					     .file = 1 };
	const struct pario_sim_step directory = { .key = { .op = PARIO_SYSTEM_FSYNC_DIRECTORY },
						  .file = 2 };
	const struct pario_cost_key key = { .op = PARIO_SYSTEM_FSYNC_DIRECTORY,
					    .path = PARIO_SYSTEM_SYNC };
	unsigned on = 0;
	struct rig r;

	(void)state;
	make_system(&r.s);
	add_surface(&r.s, PARIO_SYSTEM_FSYNC_DIRECTORY, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_SYNC, 1,
		    6e-4, 0);
	ready(&r);
	assert_int_equal(met(&r, directory), PARIO_SYSTEM_STAT);
	met(&r, made);
	assert_int_equal(met(&r, directory), PARIO_SYSTEM_FSYNC_DIRECTORY);
	assert_int_equal(met(&r, directory), PARIO_SYSTEM_STAT);
	near(pario_cost(&r.c, &key, 0, 1, &on), 6e-4, 1e-9);
	assert_int_equal(on, 0);
	/* made, synced with its bytes: the name went along */
	met(&r, made);
	met(&r, write_of(0, 4 * KIB));
	assert_int_equal(met(&r, file), PARIO_SYSTEM_FSYNC);
	assert_int_equal(met(&r, directory), PARIO_SYSTEM_FSYNC_DIRECTORY_AGAIN);
	assert_int_equal(met(&r, directory), PARIO_SYSTEM_STAT);
	/* bytes alone were stored: no name was */
	met(&r, made);
	met(&r, write_of(0, 4 * KIB));
	assert_int_equal(met(&r, file), PARIO_SYSTEM_FDATASYNC_AGAIN);
	assert_int_equal(met(&r, directory), PARIO_SYSTEM_FSYNC_DIRECTORY);
	take_down(&r);
}

/* While one sync stores a file, another one of it waits for that, unless it has more to store itself. */
static void syncs_of_one_file_end_together(void **state)
{
	struct pario_sim_step step = write_of(0, MIB);
	struct pario_sim_step first = { .key = { .op = PARIO_SYSTEM_FSYNC }, .file = 1 };
	struct pario_sim_step second = first, other = first, large = first;
	struct rig r;

	(void)state;
	rig_up(&r);
	pario_memory_meet(&r.m, &step);
	pario_memory_meet(&r.m, &first);
	step = write_of(MIB, 4 * KIB);
	pario_memory_meet(&r.m, &step);
	assert_int_equal(pario_memory_meet(&r.m, &second), MIB);
	assert_true(second.joins && !first.joins);
	assert_int_equal(second.key.op, first.key.op);
	assert_int_equal(second.key.path, PARIO_SYSTEM_SYNC);
	other.file = 2;
	assert_int_equal(pario_memory_meet(&r.m, &other), 0);
	assert_false(other.joins);
	step = write_of(2 * MIB, 2 * MIB);
	pario_memory_meet(&r.m, &step);
	assert_int_equal(pario_memory_meet(&r.m, &large), 2 * MIB);
	assert_false(large.joins);
	assert_false(pario_memory_over(&r.m, &first));
	assert_true(pario_memory_over(&r.m, &large));
	take_down(&r);
}

/* New pages are filled, those that are there are written over, and only what becomes dirty is too much. */
static void pages_that_are_there_are_written_over(void **state)
{
	static const struct {
		uint64_t offset, bytes;
		enum pario_system_path path;
	} writes[] = {
		{ 0, MIB, PARIO_SYSTEM_ABSORBED },
		{ 0, MIB, PARIO_SYSTEM_REWRITTEN },
		{ 4 * KIB + 1, 100, PARIO_SYSTEM_REWRITTEN },
		{ MIB - KIB, 2 * KIB, PARIO_SYSTEM_ABSORBED }, /* grows */
		{ 4 * MIB, 7 * MIB, PARIO_SYSTEM_ABSORBED },
		{ 2 * MIB, MIB, PARIO_SYSTEM_ABSORBED },       /* a hole */
		{ 11 * MIB, 4 * MIB, PARIO_SYSTEM_THROTTLED }, /* from 12 MiB on */
		{ 4 * MIB, 7 * MIB, PARIO_SYSTEM_REWRITTEN },
	};
	struct pario_sim_step gone = { .key = { .op = PARIO_SYSTEM_UNLINK },
				       .effect = PARIO_EFFECT_FORGET,
				       .file = 1 };
	struct pario_sim_step step;
	struct rig r;

	(void)state;
	rig_up(&r);
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		step = write_of(writes[i].offset, writes[i].bytes);
		pario_memory_meet(&r.m, &step);
		assert_int_equal(step.key.path, writes[i].path);
	}
	pario_memory_meet(&r.m, &gone);
	step = write_of(0, MIB);
	pario_memory_meet(&r.m, &step);
	assert_int_equal(step.key.path, PARIO_SYSTEM_ABSORBED);
	take_down(&r);
}

static void the_first_to_ask_has_a_name_looked_up(void **state)
{
	struct pario_sim_step stat = { .key = { .op = PARIO_SYSTEM_STAT }, .file = 1 };
	struct pario_sim_step open = { .key = { .op = PARIO_SYSTEM_OPEN }, .file = 1 },
			      again = open;
	unsigned on = 0;
	struct rig r;

	(void)state;
	make_system(&r.s);
	add_surface(&r.s, PARIO_SYSTEM_LOOKUP, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_ANY, 1, 5e-4, 0);
	add_surface(&r.s, PARIO_SYSTEM_OPEN, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_ANY, 1, 1e-5, 0);
	ready(&r);
	assert_int_equal(met(&r, stat), PARIO_SYSTEM_LOOKUP);
	assert_int_equal(met(&r, stat), PARIO_SYSTEM_STAT);
	/* after a second it is forgotten; who opens it has it looked up, too */
	pario_memory_advance(&r.m, 1.5);
	assert_int_equal(met(&r, stat), PARIO_SYSTEM_LOOKUP);
	pario_memory_advance(&r.m, 3);
	pario_memory_meet(&r.m, &open);
	near(pario_cost(&r.c, &open.key, 0, 1, &on), 1e-5 + 5e-4 - 2e-6, 1e-9);
	pario_memory_meet(&r.m, &again);
	near(pario_cost(&r.c, &again.key, 0, 1, &on), 1e-5, 1e-9);
	take_down(&r);
}

/* Looking for what is not there has a cost of its own; what older systems lack is lent by open. */
static void names_that_are_not_there_cost_as_planted(void **state)
{
	const struct pario_cost_key key = { .op = PARIO_SYSTEM_ABSENT };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct pario_sim_step step = { .key = key, .file = 1 };
		unsigned on = 0;
		struct rig r;

		make_system(&r.s);
		add_surface(&r.s, PARIO_SYSTEM_OPEN, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_ANY, 1,
			    3e-6, 0);
		if (i)
			add_surface(&r.s, PARIO_SYSTEM_ABSENT, PARIO_SYSTEM_ANYWHERE,
				    PARIO_SYSTEM_ANY, 1, 2e-4, 0);
		ready(&r);
		assert_int_equal(met(&r, step), PARIO_SYSTEM_ABSENT);
		assert_int_equal(met(&r, step), PARIO_SYSTEM_ABSENT);
		near(pario_cost(&r.c, &key, 0, 1, &on), i ? 2e-4 : 3e-6, 1e-9);
		assert_int_equal(on, i ? 0 : PARIO_COST_OTHER_OP);
		take_down(&r);
	}
}

/* A SYSTEM of before knows one kind of rename, or none. */
static void renames_and_links_are_lent(void **state)
{
	const enum pario_system_op ops[] = { PARIO_SYSTEM_RENAME, PARIO_SYSTEM_RENAME_DIRECTORY,
					     PARIO_SYSTEM_LINK };

	(void)state;
	for (int has = 0; has < 2; has++) {
		struct rig r;

		make_system(&r.s);
		add_surface(&r.s, PARIO_SYSTEM_UNLINK, PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_ANY, 1,
			    3e-6, 0);
		if (has)
			add_surface(&r.s, PARIO_SYSTEM_RENAME, PARIO_SYSTEM_ANYWHERE,
				    PARIO_SYSTEM_ANY, 1, 9e-6, 0);
		ready(&r);
		for (size_t i = 0; i < COUNT_OF(ops); i++) {
			unsigned on = 0;

			near(ask(&r.c, ops[i], PARIO_SYSTEM_ANYWHERE, PARIO_SYSTEM_ANY, 0, 1, &on),
			     has ? 9e-6 : 3e-6, 1e-9);
			assert_int_equal(on, has && !i ? 0 : PARIO_COST_OTHER_OP);
		}
		take_down(&r);
	}
}

/* Sizes that were measured at one distance each: what lies between costs what it does in sequence, not once more. */
static void sizes_of_single_distances(void **state)
{
	const uint64_t sizes[] = { 4 * KIB, 64 * KIB };
	const struct pario_cost_key key = { .op = PARIO_SYSTEM_READ,
					    .path = PARIO_SYSTEM_HIT,
					    .locality = PARIO_SYSTEM_STRIDED,
					    .distance_bytes = 128 * KIB };
	unsigned on = 0;
	struct rig r;

	(void)state;
	make_system(&r.s);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct pario_system_surface *s = pario_system_add_surface(&r.s);

		*s = (struct pario_system_surface){ .op = key.op,
						    .path = key.path,
						    .locality = key.locality,
						    .distance_bytes = 2 * sizes[i],
						    .clients = 1 };
		*pario_system_add_point(s) =
			(struct pario_system_point){ .bytes = sizes[i],
						     .seconds = 1e-6 + (double)sizes[i] * 1e-10,
						     .repetitions = 5 };
	}
	ready(&r);
	near(pario_cost(&r.c, &key, 47008, 1, &on), 1e-6 + 47008 * 1e-10, 0.3);
	take_down(&r);
}

static void a_close_costs_by_what_was_written(void **state)
{
	struct pario_sim_step step = write_of(0, 3 * KIB);
	struct pario_sim_step close = { .key = { .op = PARIO_SYSTEM_CLOSE }, .file = 1 };
	struct pario_sim_step sync = { .key = { .op = PARIO_SYSTEM_FSYNC }, .file = 1 };
	struct rig r;

	(void)state;
	rig_up(&r);
	pario_memory_meet(&r.m, &step);
	step = write_of(0, KIB);
	pario_memory_meet(&r.m, &step);
	pario_memory_meet(&r.m, &close);
	assert_int_equal(close.bytes, 4 * KIB);
	pario_memory_meet(&r.m, &close);
	assert_int_equal(close.bytes, 0);
	/* what was synced before is not sent once more */
	step = write_of(0, KIB);
	pario_memory_meet(&r.m, &step);
	pario_memory_meet(&r.m, &sync);
	pario_memory_meet(&r.m, &close);
	assert_int_equal(close.bytes, 0);
	take_down(&r);
}

/* Where the first read of an open file is nearer to the device than to memory, opening has dropped its pages. */
static void some_systems_forget_files_that_are_opened(void **state)
{
	const double first[] = { 2e-6, 5e-3 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct pario_sim_step step = write_of(0, MIB);
		struct pario_sim_step sync = { .key = { .op = PARIO_SYSTEM_FSYNC }, .file = 1 };
		struct pario_sim_step open = { .key = { .op = PARIO_SYSTEM_OPEN },
					       .effect = PARIO_EFFECT_OPEN,
					       .file = 1 };
		struct pario_sim_step read = { .key = { .op = PARIO_SYSTEM_READ,
							.locality = PARIO_SYSTEM_SEQUENTIAL },
					       .bytes = 4 * KIB,
					       .first = true,
					       .file = 1 };
		struct rig r;

		make_system(&r.s);
		r.s.reopened_read_seconds = first[i];
		ready(&r);
		assert_int_equal(r.c.forgets, i);
		pario_memory_meet(&r.m, &step);
		pario_memory_meet(&r.m, &sync);
		pario_memory_meet(&r.m, &open);
		pario_memory_meet(&r.m, &read);
		assert_int_equal(read.key.path, i ? PARIO_SYSTEM_MISS : PARIO_SYSTEM_HIT);
		/* nothing was read ahead for it, so it is no part of a sequence */
		assert_int_equal(read.key.locality,
				 i ? PARIO_SYSTEM_RANDOM : PARIO_SYSTEM_SEQUENTIAL);
		take_down(&r);
	}
}

/* The first read of a file that others wrote may need an answer of who stores it; later ones do not. */
static void files_of_others_are_asked_for_once(void **state)
{
	struct pario_sim_step read = { .key = { .op = PARIO_SYSTEM_READ,
						.locality = PARIO_SYSTEM_SEQUENTIAL },
				       .bytes = 4 * KIB,
				       .file = 1 };
	struct pario_sim_step first = read, second = read, own = read;
	unsigned on = 0;
	struct rig r;

	(void)state;
	make_system(&r.s);
	r.s.found_read_seconds = 1e-3 + 1e-6 + 10000 * 1e-10;
	ready(&r);
	pario_memory_warm(&r.m, 1);
	pario_memory_found(&r.m, 1, MIB);
	pario_memory_meet(&r.m, &first);
	pario_memory_meet(&r.m, &second);
	assert_int_equal(first.key.path, PARIO_SYSTEM_HIT);
	near(pario_cost(&r.c, &first.key, 4096, 1, &on) -
		     pario_cost(&r.c, &second.key, 4096, 1, &on),
	     1e-3, 1e-6);
	/* what the program wrote itself is known */
	own.file = 2;
	met(&r, (struct pario_sim_step){ .key = { .op = PARIO_SYSTEM_CREATE }, .file = 2 });
	pario_memory_meet(&r.m, &own);
	assert_false(own.key.anew);
	take_down(&r);
	/* where nothing was measured, nothing is added */
	rig_up(&r);
	assert_true(r.c.found == 0 && r.c.looking == 0);
	take_down(&r);
}

/* ---- correction ---- */

static struct pario_class *class_of(struct pario_classes *c, enum pario_system_path path,
				    uint64_t bytes, double measured, double model)
{
	const struct pario_cost_key key = { .op = PARIO_SYSTEM_READ,
					    .path = path,
					    .locality = PARIO_SYSTEM_SEQUENTIAL };
	uint32_t i = pario_class_of(c, &key, PARIO_IO_READ, bytes);

	c->list[i].calls = 100000000;
	c->list[i].measured = measured;
	c->list[i].model = model;
	return &c->list[i];
}

static void the_reference_corrects_the_model(void **state)
{
	const double each = 1e-8; /* a second for all calls */
	struct pario_classes reference = { 0 }, target = { 0 };
	struct pario_hybrid h;

	(void)state;
	class_of(&reference, PARIO_SYSTEM_HIT, 4096, 2, 1);
	class_of(&reference, PARIO_SYSTEM_HIT, 65536, 2, 1);
	class_of(&reference, PARIO_SYSTEM_MISS, 4096, 3, 1);
	class_of(&reference, PARIO_SYSTEM_MISS, 65536, 48, 1);
	pario_hybrid_init(&h, &reference, NULL);
	/* its own, that of its path, none; where calls cost alike */
	near(pario_hybrid_factor(&h, class_of(&target, PARIO_SYSTEM_HIT, 4096, 0, 0), each),
	     pow(2, 0.9), 1e-6);
	near(pario_hybrid_factor(&h, class_of(&target, PARIO_SYSTEM_MISS, 4096, 0, 0), each),
	     pow(3, 0.3), 1e-6);
	near(pario_hybrid_factor(&h, class_of(&target, PARIO_SYSTEM_MISS, 65536, 0, 0), each),
	     pow(sqrt(30) * 10 / 48, 0.3), 1e-6);
	near(pario_hybrid_factor(&h, class_of(&target, PARIO_SYSTEM_HIT, 1 << 20, 0, 0), each),
	     pow(2, 0.9), 1e-6);
	near(pario_hybrid_factor(&h, class_of(&target, PARIO_SYSTEM_DIRECT, 4096, 0, 0), each), 1,
	     1e-12);
	/* where they cost eight times as much, half is taken over, but no more seconds than there were */
	near(pario_hybrid_factor(&h, class_of(&target, PARIO_SYSTEM_HIT, 4096, 0, 0), 8 * each),
	     1 + 1.0 / 8, 1e-6);
	near(pario_hybrid_factor(&h, class_of(&target, PARIO_SYSTEM_HIT, 4096, 0, 0), each / 8),
	     pow(2, 0.45), 1e-6);
	/* a single call says less */
	reference.list[1].calls = 1;
	near(pario_hybrid_factor(&h, class_of(&target, PARIO_SYSTEM_HIT, 4096, 0, 0), 1),
	     pow(2, 0.9 / 1.25), 1e-6);
	pario_classes_release(&reference);
	pario_classes_release(&target);
}

static void classes_that_disagree_do_not_speak_for_others(void **state)
{
	struct pario_classes reference = { 0 };
	struct pario_hybrid h;

	(void)state;
	class_of(&reference, PARIO_SYSTEM_HIT, 4096, 3, 1);
	class_of(&reference, PARIO_SYSTEM_HIT, 65536, 1, 3);
	pario_hybrid_init(&h, &reference, NULL);
	assert_true(h.a < 0.05);
	assert_true(h.residual > 1);
	pario_classes_release(&reference);
}

static void paths_are_inferred_from_times(void **state)
{
	struct pario_classes c = { 0 };
	struct pario_class *hit = class_of(&c, PARIO_SYSTEM_HIT, 4096, 0, 0), *miss;
	struct pario_class like;

	(void)state;
	hit->calls = 0;
	hit->judged[0] = (struct pario_judged){ 80, 0, 80e-6, 80e-6, 8e-3, 80 };
	hit->judged[1] = (struct pario_judged){ 20, 0, 2.2e-3, 20e-6, 2e-3, 20 };
	like = *hit;
	like.key.path = PARIO_SYSTEM_MISS;
	pario_classes_settle(&c);
	assert_int_not_equal(pario_class_find(&c, &like), 0);
	miss = &c.list[pario_class_find(&c, &like)];
	assert_int_equal(miss->calls, 20);
	near(miss->model, 2e-3, 1e-12);
	near(c.list[1].measured, 80e-6, 1e-12);
	pario_classes_release(&c);
}

static void an_interruption_is_no_other_path(void **state)
{
	struct pario_classes c = { 0 };
	struct pario_class *hit = class_of(&c, PARIO_SYSTEM_HIT, 4096, 0, 0);

	(void)state;
	hit->calls = 0;
	hit->judged[0] = (struct pario_judged){ 999, 0, 999e-6, 999e-6, 0.0999, 999 };
	hit->judged[1] = (struct pario_judged){ 1, 0, 4e-3, 1e-6, 1e-4, 1 };
	pario_classes_settle(&c);
	assert_int_equal(c.map.count, 1);
	assert_int_equal(c.list[1].calls, 1000);
	near(c.list[1].measured, 999e-6 + 4e-3, 1e-12);
	pario_classes_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_read_once),
		cmocka_unit_test(a_loop_over_too_much_never_hits),
		cmocka_unit_test(what_is_used_twice_survives_a_scan),
		cmocka_unit_test(steps_within_a_page_are_one_use),
		cmocka_unit_test(read_ahead_is_in_memory_but_not_asked_for),
		cmocka_unit_test(dirty_pages_stay_until_they_are_clean),
		cmocka_unit_test(what_is_not_needed_is_read_again),
		cmocka_unit_test(warm_files_are_there_until_they_are_evicted),
		cmocka_unit_test(sharing_is_as_queueing_theory_says),
		cmocka_unit_test(jobs_slow_each_other_by_the_curve),
		cmocka_unit_test(costs_follow_the_pieces),
		cmocka_unit_test(nothing_is_not_a_small_size),
		cmocka_unit_test(what_is_missing_is_borrowed_and_said),
		cmocka_unit_test(large_calls_cost_what_they_cost_in_sequence),
		cmocka_unit_test(writes_beyond_memory_are_as_fast_as_it_is_emptied),
		cmocka_unit_test(writers_wait_when_too_much_is_dirty),
		cmocka_unit_test(dirty_data_are_stored_after_half_a_minute),
		cmocka_unit_test(renamed_files_keep_their_pages),
		cmocka_unit_test(syncs_are_told_apart),
		cmocka_unit_test(fdatasync_costs_as_planted),
		cmocka_unit_test(files_that_were_there_are_written_over),
		cmocka_unit_test(directories_are_synced_for_their_names),
		cmocka_unit_test(syncs_of_one_file_end_together),
		cmocka_unit_test(pages_that_are_there_are_written_over),
		cmocka_unit_test(the_first_to_ask_has_a_name_looked_up),
		cmocka_unit_test(names_that_are_not_there_cost_as_planted),
		cmocka_unit_test(renames_and_links_are_lent),
		cmocka_unit_test(sizes_of_single_distances),
		cmocka_unit_test(a_close_costs_by_what_was_written),
		cmocka_unit_test(some_systems_forget_files_that_are_opened),
		cmocka_unit_test(files_of_others_are_asked_for_once),
		cmocka_unit_test(the_reference_corrects_the_model),
		cmocka_unit_test(classes_that_disagree_do_not_speak_for_others),
		cmocka_unit_test(paths_are_inferred_from_times),
		cmocka_unit_test(an_interruption_is_no_other_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
