/*
 * test_survey: are planted regions of poor performance found, all of them and no others, at less than the full grid?
 *
 * The cost of an operation is simulated: latency and bandwidth, saturation by clients, small differences between the
 * choices, noise and outliers in the repetitions, and planted regions that multiply it.
 */
#include "survey/weak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "survey/line.h"
#include "unit.h"

enum { INTERFACE, PATTERN, ALIGNMENT, LAYOUT, CLIENTS, SIZE, AXES };
enum { REPETITIONS = 3, PLANTED_MAX = 2, FULL_SHARE_PERCENT = 60 };

static unsigned failures;

struct world {
	struct pario_space space;
	uint64_t random;
	double latency, per_byte, saturation, choice[AXES][4];
	double noise;
	unsigned planted;
	struct pario_weak plant[PLANTED_MAX];
};

static double uniform(struct world *w)
{
	w->random = pario_random_join(w->random, 1);
	return (double)(w->random >> 11) / 9007199254740992.0;
}

static unsigned below(struct world *w, unsigned count)
{
	return (unsigned)(uniform(w) * count);
}

static void add_axis(struct world *w, const char *name, enum pario_axis_kind kind, unsigned count,
		     double first)
{
	struct pario_axis *axis = &w->space.axes[w->space.axis_count++];

	axis->name = name;
	axis->kind = kind;
	axis->count = count;
	for (unsigned l = 0; l < count; l++) {
		axis->value[l] = ldexp(first, (int)l);
		snprintf(axis->label[l], sizeof(axis->label[l]), "%g",
			 first > 0 ? axis->value[l] : l);
		snprintf(axis->advice[l], sizeof(axis->advice[l]), "use %s %u", name, l);
	}
}

static void make_world(struct world *w, uint64_t seed, unsigned clients, unsigned sizes)
{
	static const char *const measures[] = { "write", "read" };
	struct pario_err err = { 0 };

	memset(w, 0, sizeof(*w));
	w->random = seed;
	add_axis(w, "interface", PARIO_AXIS_CHOICE, 3, 0);
	add_axis(w, "pattern", PARIO_AXIS_CHOICE, 3, 0);
	add_axis(w, "alignment", PARIO_AXIS_CHOICE, 2, 0);
	add_axis(w, "layout", PARIO_AXIS_CHOICE, 2, 0);
	add_axis(w, "clients", PARIO_AXIS_COUNT, clients, 1);
	add_axis(w, "transfer_size", PARIO_AXIS_SIZE, sizes, 4096);
	w->space.measures = 2;
	memcpy(w->space.measure, measures, sizeof(measures));
	w->space.threshold = 1.5;
	assert_int_equal(pario_space_init(&w->space, &err), 0);
	/* Collective access to a file of one's own makes no sense. */
	for (size_t i = 0; i < w->space.cells; i++)
		w->space.cell[i].exists = pario_space_level(&w->space, i, INTERFACE) != 2 ||
					  pario_space_level(&w->space, i, LAYOUT) == 0;
	/* Latency equals transfer somewhere from 1 KiB to 16 MiB. */
	w->latency = 20e-6 * exp(3 * uniform(w));
	w->per_byte = w->latency / ldexp(1024, (int)below(w, 15));
	w->saturation = below(w, 2) ? uniform(w) : 0;
	w->noise = 0.01 + 0.03 * uniform(w);
	for (unsigned a = 0; a < CLIENTS; a++) {
		for (unsigned l = 0; l < 4; l++)
			w->choice[a][l] = 0.15 * uniform(w);
	}
}

static bool inside(const struct world *w, const struct pario_weak *box, size_t cell, unsigned m)
{
	for (unsigned a = 0; a < AXES; a++) {
		if (!(box->levels[a] >> pario_space_level(&w->space, cell, a) & 1))
			return false;
	}
	return box->levels[AXES] >> m & 1;
}

static double simulate(struct world *w, size_t cell, unsigned measure)
{
	const struct pario_axis *axes = w->space.axes;
	double size = axes[SIZE].value[pario_space_level(&w->space, cell, SIZE)];
	double clients = axes[CLIENTS].value[pario_space_level(&w->space, cell, CLIENTS)];
	double normal = uniform(w) + uniform(w) + uniform(w) + uniform(w) - 2;
	double cost = w->latency + w->per_byte * size;

	cost *= 1 - w->saturation + w->saturation * clients;
	for (unsigned a = 0; a < CLIENTS; a++)
		cost *= 1 + w->choice[a][pario_space_level(&w->space, cell, a)];
	for (unsigned i = 0; i < w->planted; i++)
		cost *= inside(w, &w->plant[i], cell, measure) ? w->plant[i].factor : 1;
	cost *= exp(w->noise * 1.7 * normal);
	return below(w, 20) == 0 ? cost * (1 + 3 * uniform(w)) : cost;
}

static void measure(struct world *w, size_t cell)
{
	double seconds[REPETITIONS];

	for (unsigned m = 0; m < w->space.measures; m++) {
		for (unsigned i = 0; i < REPETITIONS; i++)
			seconds[i] = simulate(w, cell, m);
		pario_space_take(&w->space, cell, m, seconds, REPETITIONS);
	}
}

/* The whole survey; returns the share of the grid that was measured, in percent. */
static unsigned explore(struct world *w)
{
	size_t *list = malloc(w->space.cells * sizeof(*list)), count;
	struct pario_err err = { 0 };

	while ((count = pario_space_wave(&w->space, list, &err)) > 0) {
		for (size_t i = 0; i < count; i++) {
			assert_true(w->space.cell[list[i]].exists);
			assert_false(w->space.cell[list[i]].measured);
			measure(w, list[i]);
		}
	}
	assert_int_equal(err.code, 0);
	free(list);
	return (unsigned)(100 * pario_space_measured(&w->space) / pario_space_existing(&w->space));
}

static void plant(struct world *w, unsigned axis)
{
	struct pario_weak *box = &w->plant[w->planted++];
	unsigned only = below(w, 4);

	for (unsigned a = 0; a <= AXES; a++)
		box->levels[a] =
			((uint64_t)1 << (a < AXES ? w->space.axes[a].count : w->space.measures)) -
			1;
	if (axis == SIZE)
		box->levels[SIZE] =
			((uint64_t)1 << (1 + below(w, w->space.axes[SIZE].count - 2))) - 1;
	else if (axis == CLIENTS)
		box->levels[CLIENTS] &=
			~(((uint64_t)1 << (1 + below(w, w->space.axes[CLIENTS].count - 1))) - 1);
	else
		box->levels[axis] = 2;
	/* Half of them only with one layout or in one direction. */
	if (only == 0)
		box->levels[LAYOUT] = 1;
	else if (only == 1)
		box->levels[AXES] = (uint64_t)1 << below(w, 2);
	box->factor = 3 + 3 * uniform(w);
	box->causes = 1u << axis;
}

static void show(const struct world *w, const struct pario_weak *box, const char *what)
{
	struct pario_text text = { 0 };

	pario_weak_say(&w->space, box, &text);
	print_message("  %s %s: %.1f times, %.1f\n", what, pario_text_string(&text), box->factor,
		      box->best);
	pario_text_release(&text);
}

/* The border of a range of levels at its open end; ranges start or end with the axis. */
static int distance(uint64_t a, uint64_t b)
{
	return abs(__builtin_popcountll(a) - __builtin_popcountll(b));
}

static bool matches(const struct pario_weak *found, const struct pario_weak *planted)
{
	for (unsigned a = 0; a <= AXES; a++) {
		bool ordered = a == SIZE || a == CLIENTS;

		if (ordered && found->levels[a] != planted->levels[a] &&
		    ((found->levels[a] & planted->levels[a]) == 0 ||
		     distance(found->levels[a], planted->levels[a]) > 1))
			return false;
		if (!ordered && found->levels[a] != planted->levels[a])
			return false;
	}
	return (found->causes & planted->causes) != 0;
}

static bool right(const struct world *w, const struct pario_weak *found, size_t count)
{
	if (count != w->planted)
		return false;
	for (unsigned p = 0; p < w->planted; p++) {
		unsigned hits = 0;

		for (size_t i = 0; i < count; i++)
			hits += matches(&found[i], &w->plant[p]);
		if (hits != 1)
			return false;
	}
	return true;
}

static void survey(uint64_t seed, unsigned clients, unsigned sizes, unsigned planted)
{
	static const unsigned axes[] = { SIZE, ALIGNMENT, CLIENTS };
	struct pario_weak found[PARIO_WEAK_MAX] = { 0 };
	struct pario_err err = { 0 };
	struct world w;
	unsigned share, first;
	size_t count;

	make_world(&w, seed, clients, sizes);
	first = below(&w, 3);
	for (unsigned i = 0; i < planted; i++)
		plant(&w, axes[(first + i) % 3]);
	share = explore(&w);
	count = pario_weak_find(&w.space, found, &err);
	if (!right(&w, found, count) || share > FULL_SHARE_PERCENT) {
		print_message("seed %llu: %u %% of the points, knee at %.0f bytes\n",
			      (unsigned long long)seed, share, w.latency / w.per_byte);
		for (unsigned i = 0; i < w.planted; i++)
			show(&w, &w.plant[i], "planted");
		for (size_t i = 0; i < count; i++)
			show(&w, &found[i], "found");
		failures++;
	}
	pario_space_release(&w.space);
}

/* Every seed is another world, and what is found in it a matter of numbers: sanitizers see a part of them. */
static uint64_t last_seed(uint64_t first, uint64_t count)
{
	return first + (getenv("CHECK_SANITIZED") ? count / 10 : count) - 1;
}

static void nothing_planted(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= last_seed(1, 20); seed++)
		survey(seed, 3, 11, 0);
	assert_int_equal(failures, 0);
}

static void one_region(void **state)
{
	(void)state;
	for (uint64_t seed = 101; seed <= last_seed(101, 60); seed++)
		survey(seed, 3, 11, 1);
	assert_int_equal(failures, 0);
}

static void two_regions(void **state)
{
	(void)state;
	for (uint64_t seed = 201; seed <= last_seed(201, 60); seed++)
		survey(seed, 3, 11, 2);
	assert_int_equal(failures, 0);
}

static void more_clients_and_fewer_sizes(void **state)
{
	(void)state;
	for (uint64_t seed = 301; seed <= last_seed(301, 20); seed++)
		survey(seed, 5, 9, 1 + (unsigned)(seed % 2));
	assert_int_equal(failures, 0);
}

/* Whenever the time ends, every level of every axis was seen about as often as the others of its axis. */
static void any_beginning_covers_all_axes(void **state)
{
	unsigned seen[AXES][PARIO_AXIS_LEVELS] = { 0 };
	struct pario_err err = { 0 };
	struct world w;
	size_t *list, count;

	(void)state;
	make_world(&w, 1, 3, 11);
	list = malloc(w.space.cells * sizeof(*list));
	count = pario_space_wave(&w.space, list, &err);
	assert_true(count > 40);
	for (size_t i = 0; i < 24; i++) {
		for (unsigned a = 0; a < AXES; a++)
			seen[a][pario_space_level(&w.space, list[i], a)]++;
	}
	for (unsigned a = 0; a < AXES; a++) {
		for (unsigned l = 0; l < w.space.axes[a].count; l++) {
			if (pario_axis_coarse(&w.space.axes[a], l))
				assert_in_range(seen[a][l], 24 / w.space.axes[a].count / 2 + 1, 24);
		}
	}
	free(list);
	pario_space_release(&w.space);
}

/* Two sizes, two interfaces: what lies between and beside was never measured and is not named. */
static void only_measured_levels_are_named(void **state)
{
	struct pario_weak found[PARIO_WEAK_MAX] = { 0 };
	struct pario_text text = { 0 }, next = { 0 };
	struct pario_err err = { 0 };
	struct world w;

	(void)state;
	make_world(&w, 1, 1, 11);
	snprintf(w.space.axes[INTERFACE].label[2], sizeof(w.space.axes[INTERFACE].label[2]),
		 "never");
	for (size_t i = 0; i < w.space.cells; i++) {
		unsigned size = pario_space_level(&w.space, i, SIZE);
		double slow = pario_space_level(&w.space, i, INTERFACE) == 1 ? 4.0 : 1.0;
		double seconds[2] = { slow * 1e-3 * (size ? 1000 : 1),
				      slow * 1e-3 * (size ? 1000 : 1) };

		if (!w.space.cell[i].exists || (size != 0 && size != 10) ||
		    pario_space_level(&w.space, i, INTERFACE) == 2)
			continue;
		for (unsigned m = 0; m < 2; m++)
			pario_space_take(&w.space, i, m, seconds, 2);
	}
	assert_int_equal(pario_weak_find(&w.space, found, &err), 1);
	pario_weak_say(&w.space, &found[0], &text);
	pario_weak_remedy(&w.space, &found[0], &next);
	print_message("%s\n%s\n", pario_text_string(&text), pario_text_string(&next));
	assert_non_null(strstr(pario_text_string(&text), "writing and reading interface "));
	assert_non_null(strstr(pario_text_string(&text), "4.0 times slower than beside it"));
	assert_non_null(strstr(pario_text_string(&text), " measured points"));
	assert_null(strstr(pario_text_string(&text), w.space.axes[INTERFACE].label[2]));
	assert_null(strstr(pario_text_string(&next), w.space.axes[INTERFACE].advice[2]));
	pario_text_release(&text);
	pario_text_release(&next);
	pario_space_release(&w.space);
}

/* The smallest operations are cheaper than the law of the others says, but no bytes move faster by them. */
static void fast_small_operations_make_nothing_poor(void **state)
{
	struct pario_weak found[PARIO_WEAK_MAX] = { 0 };
	struct pario_err err = { 0 };
	struct world w;

	(void)state;
	make_world(&w, 1, 1, 11);
	for (size_t i = 0; i < w.space.cells; i++) {
		double size = w.space.axes[SIZE].value[pario_space_level(&w.space, i, SIZE)];
		double cost = size > 4096 ? 20e-6 + 1e-9 * size : 12e-6;
		double seconds[2] = { cost, cost };

		for (unsigned m = 0; m < 2 && w.space.cell[i].exists; m++)
			pario_space_take(&w.space, i, m, seconds, 2);
	}
	assert_int_equal(pario_weak_find(&w.space, found, &err), 0);
	pario_space_release(&w.space);
}

/* Slow at 4 KiB, not at 4 MiB, and nothing measured between. */
static void a_border_is_a_bracket(void **state)
{
	struct pario_weak weak = { .causes = 1u << SIZE, .factor_low = 2, .factor_high = 3 };
	struct pario_text text = { 0 }, next = { 0 };
	struct world w;

	(void)state;
	make_world(&w, 1, 3, 11);
	for (unsigned a = 0; a <= AXES; a++)
		weak.levels[a] = weak.measured[a] =
			((uint64_t)1 << (a < AXES ? w.space.axes[a].count : 2)) - 1;
	for (unsigned a = 0; a < AXES; a++)
		weak.below[a] = weak.above[a] = -1;
	weak.levels[SIZE] = 7;
	weak.measured[SIZE] = 1;
	weak.above[SIZE] = 10;
	weak.out_above[SIZE] = true;
	weak.measured_points = 12;
	pario_weak_say(&w.space, &weak, &text);
	pario_weak_remedy(&w.space, &weak, &next);
	assert_non_null(strstr(pario_text_string(&text), "2.0 to 3.0 times slower than beside it"));
	assert_non_null(strstr(pario_text_string(&text), "on 12 measured points"));
	assert_non_null(strstr(pario_text_string(&text), "with nothing measured between"));
	assert_null(strstr(pario_text_string(&text), w.space.axes[SIZE].label[2]));
	assert_non_null(strstr(pario_text_string(&next), w.space.axes[SIZE].label[10]));
	pario_text_release(&text);
	pario_text_release(&next);
	pario_space_release(&w.space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_planted),
		cmocka_unit_test(one_region),
		cmocka_unit_test(two_regions),
		cmocka_unit_test(more_clients_and_fewer_sizes),
		cmocka_unit_test(any_beginning_covers_all_axes),
		cmocka_unit_test(only_measured_levels_are_named),
		cmocka_unit_test(fast_small_operations_make_nothing_poor),
		cmocka_unit_test(a_border_is_a_bracket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
