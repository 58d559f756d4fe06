/*
 * test_survey: is what was planted found, with its factor, and nothing else? On a simulated storage: a law of the size,
 * planted effects, noise, and single points that were disturbed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "report/text/promise.h"
#include "survey/change.h"
#include "survey/choose.h"
#include "survey/record.h"
#include "unit.h"

enum { INTERFACE, PATTERN, ALIGNMENT, LAYOUT, CLIENTS, SIZE, AXES };
enum { WRITE, READ };
enum { POINTS = 130, SEEDS = 2, TRIED = 4, DISTURBED_PERCENT = 10 };

#define EXACT 0.003
#define QUIET 0.03
#define BUSY  0.3

enum plant {
	NOTHING,
	UNALIGNED,	   /* x 4 */
	SMALL,		   /* below 64 KiB, x 4 */
	MANY,		   /* more than 2 clients, x 4 */
	RANDOM_AND_SHARED, /* x 6 */
	A_LITTLE,	   /* random and shared, x 1.8 */
	TWO_THAT_MULTIPLY, /* unaligned, and more than 1 client, x 3 each */
	SHARING,	   /* clients take from each other, which is nobody's fault */
	LIKE_A_DISK,	   /* random reads, unaligned writes, and the calls of one interface */
	LIKE_A_FLASH_DISK, /* effects inside of others: random reads, less so through uring; clients that share */
};

struct world {
	struct pario_space space;
	uint64_t random;
	enum plant plant;
	double noise;
};

static double uniform(struct world *w)
{
	w->random = pario_random_join(w->random, 1);
	return (double)(w->random >> 11) / 9007199254740992.0;
}

static double normal(struct world *w)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += uniform(w);
	return sum;
}

static void add_axis(struct world *w, const char *name, enum pario_axis_kind kind, unsigned count,
		     const char *const *labels, double first)
{
	static const char *const units[] = { "KiB", "MiB" };
	struct pario_axis *axis = &w->space.axes[w->space.axis_count++];

	snprintf(axis->name, sizeof(axis->name), "%s", name);
	axis->kind = kind;
	axis->count = count;
	for (unsigned l = 0; l < count; l++) {
		double value = axis->value[l] = ldexp(first, (int)l);

		if (labels)
			snprintf(axis->label[l], PARIO_AXIS_CAPACITY, "%s", labels[l]);
		else if (kind == PARIO_AXIS_SIZE)
			snprintf(axis->label[l], PARIO_AXIS_CAPACITY, "%.0f %s",
				 value / (value < 1048576 ? 1024 : 1048576),
				 units[value >= 1048576]);
		else
			snprintf(axis->label[l], PARIO_AXIS_CAPACITY, "%.0f", value);
	}
}

static void make_world(struct world *w, enum plant plant, double noise, uint64_t seed)
{
	static const char *const interfaces[] = { "posix", "mpiio", "mpiio collective", "uring" };
	static const char *const patterns[] = { "segmented", "strided", "random" };
	static const char *const alignments[] = { "aligned", "unaligned" };
	static const char *const layouts[] = { "shared", "per_client" };
	struct pario_err err = { 0 };

	*w = (struct world){ .random = seed + 1, .plant = plant, .noise = noise };
	add_axis(w, "interface", PARIO_AXIS_CHOICE, 4, interfaces, 1);
	add_axis(w, "pattern", PARIO_AXIS_CHOICE, 3, patterns, 1);
	add_axis(w, "alignment", PARIO_AXIS_CHOICE, 2, alignments, 1);
	add_axis(w, "layout", PARIO_AXIS_CHOICE, 2, layouts, 1);
	add_axis(w, "clients", PARIO_AXIS_COUNT, 3, NULL, 1);
	add_axis(w, "transfer_size", PARIO_AXIS_SIZE, 11, NULL, 4096);
	w->space.measures = 2;
	strcpy(w->space.measure[WRITE], "write");
	strcpy(w->space.measure[READ], "read");
	w->space.threshold = 1.25;
	assert_int_equal(pario_space_init(&w->space, &err), 0);
	/* a file of one's own is neither collective nor strided */
	for (size_t i = 0; i < w->space.cells; i++)
		w->space.cell[i].exists = pario_space_level(&w->space, i, LAYOUT) == 0 ||
					  (pario_space_level(&w->space, i, INTERFACE) != 2 &&
					   pario_space_level(&w->space, i, PATTERN) != 1);
	pario_space_hold(&w->space, seed);
}

static double seconds_of(const struct world *w, size_t cell, unsigned measure)
{
	double bytes = pario_space_value(&w->space, cell, PARIO_AXIS_SIZE);
	double clients = pario_space_value(&w->space, cell, PARIO_AXIS_COUNT);
	bool random = pario_space_level(&w->space, cell, PATTERN) == 2;
	bool shared = pario_space_level(&w->space, cell, LAYOUT) == 0;
	bool unaligned = pario_space_level(&w->space, cell, ALIGNMENT) == 1;
	double call = 20e-6, moved = bytes / 1e9, all = 1;

	if (w->plant == UNALIGNED && unaligned)
		all = 4;
	if ((w->plant == SMALL && bytes < 65536) || (w->plant == MANY && clients > 2))
		all = 4;
	if ((w->plant == RANDOM_AND_SHARED || w->plant == A_LITTLE) && random && shared)
		all = w->plant == A_LITTLE ? 1.8 : 6;
	if (w->plant == TWO_THAT_MULTIPLY)
		all = (unaligned ? 3 : 1) * (clients > 1 ? 3 : 1);
	if (w->plant == SHARING)
		all = clients;
	if (w->plant == LIKE_A_DISK) {
		call *= random && measure == READ ? 38 : 1;
		call *= pario_space_level(&w->space, cell, INTERFACE) == 1 ? 5 : 1;
		all = unaligned && measure == WRITE ? 2 : 1;
	}
	if (w->plant == LIKE_A_FLASH_DISK) {
		unsigned interface = pario_space_level(&w->space, cell, INTERFACE);

		call *= random && measure == READ ? interface == 3 ? 6 : 14 : 1;
		call *= random && measure == WRITE && shared ? 2.2 : 1;
		all = pow(clients, 0.7) * (random && measure == READ && interface != 3 ? 1.5 : 1);
		all *= interface == 2 && clients == 4 && measure == READ ? 2.5 : 1;
	}
	return (call + moved) * all;
}

static void measure(struct world *w, size_t cell)
{
	struct pario_err err = { 0 };

	for (unsigned m = 0; m < w->space.measures; m++) {
		double seconds = seconds_of(w, cell, m) * exp(w->noise * normal(w));

		if (w->noise == BUSY && uniform(w) * 100 < DISTURBED_PERCENT)
			seconds *= 1 + 5 * uniform(w);
		assert_int_equal(pario_space_take(&w->space, cell, m, seconds, &err), 0);
	}
}

/* As a survey does: a start, then where the model is least sure, then the points held back. */
static void explore(struct world *w, uint64_t seed)
{
	size_t points = w->plant == LIKE_A_FLASH_DISK ? 2 * POINTS : POINTS;
	size_t *list = malloc(w->space.cells * sizeof(*list)), count;
	struct pario_err err = { 0 };

	assert_non_null(list);
	count = pario_choose_start(&w->space, seed, list, &err);
	for (size_t i = 0; i < count; i++)
		measure(w, list[i]);
	while (pario_space_tried(&w->space) < points) {
		struct pario_rows rows;
		struct pario_survey_model model;

		assert_int_equal(pario_rows_of(&w->space, seed, &rows, &err), 0);
		assert_int_equal(pario_model_search(&model, &w->space, &rows, 12, NULL, 0, &err),
				 0);
		pario_rows_release(&rows);
		count = pario_choose_next(&w->space, &model, seed, 48, list, &err);
		assert_true(count > 0);
		for (size_t i = 0; i < count; i++) {
			assert_false(w->space.cell[list[i]].held);
			measure(w, list[i]);
		}
	}
	for (size_t i = 0; i < w->space.cells; i++) {
		if (w->space.cell[i].held)
			measure(w, i);
	}
	free(list);
}

static void find(struct world *w, uint64_t seed, struct pario_finding_set *set)
{
	struct pario_err err = { 0 };
	struct pario_guesser guesser;
	struct pario_rows rows;

	memset(set, 0, sizeof(*set));
	assert_int_equal(pario_rows_of(&w->space, seed, &rows, &err), 0);
	assert_int_equal(pario_model_search(&set->model, &w->space, &rows, 12, NULL, 0, &err), 0);
	set->count = (size_t)pario_statements_of(&w->space, &set->model, &rows, seed,
						 set->statement, &err);
	set->space = w->space;
	assert_int_equal(pario_guesser_init(&guesser, &set->space, &set->model, &err), 0);
	set->test = pario_guess_test(&guesser);
	pario_guesser_release(&guesser);
	pario_rows_release(&rows);
}

/* Statements that are not the size law's; the first of them. */
static size_t beyond_law(const struct pario_finding_set *set, const struct pario_statement **first)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (set->statement[i].standing != PARIO_STANDS_LAW && count++ == 0)
			*first = &set->statement[i];
	}
	return count;
}

/* Measures what could show that a statement is wrong. */
static void try_statements(struct world *w, uint64_t seed, struct pario_finding_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct pario_beside pairs[TRIED];
		size_t count = pario_choose_pairs(&w->space, &set->model, &set->statement[i], seed,
						  TRIED, pairs);

		for (size_t k = 0; k < count; k++) {
			measure(w, pairs[k].in);
			measure(w, pairs[k].out);
		}
	}
	find(w, seed, set);
}

static void check_planted(enum plant plant, double noise, double factor, const char *name)
{
	double tolerance = noise == BUSY ? 1.25 : 1.1;
	bool sanitized = getenv("CHECK_SANITIZED") != NULL;

	/* Other plants bring other numbers, and no other code. */
	if (sanitized && (noise == BUSY || (plant != NOTHING && plant != RANDOM_AND_SHARED)))
		return;
	for (uint64_t seed = 0; seed < (sanitized ? 1 : SEEDS); seed++) {
		const struct pario_statement *s = NULL;
		struct pario_text text = { 0 };
		struct pario_finding_set set;
		struct pario_factor worst;
		struct world w;
		unsigned level;

		make_world(&w, plant, noise, seed);
		explore(&w, seed);
		find(&w, seed, &set);
		try_statements(&w, seed, &set);
		assert_int_equal(beyond_law(&set, &s), name ? 1 : 0);
		assert_true(noise == BUSY || set.test.explained > 0.99);
		if (name) {
			pario_statement_name(&set.space, s, &text);
			assert_string_equal(pario_text_string(&text), name);
			worst = pario_statement_worst(&set.space, s, &level);
			assert_true(worst.value < factor * tolerance &&
				    worst.value > factor / tolerance);
			assert_true(worst.low <= worst.value && worst.value <= worst.high);
			assert_true(s->axis >= 0 && s->gain > 1.1);
		}
		pario_text_release(&text);
		pario_space_release(&w.space);
	}
}

static void noise_buys_nothing(void **state)
{
	(void)state;
	check_planted(NOTHING, QUIET, 1, NULL);
	check_planted(NOTHING, BUSY, 1, NULL);
	check_planted(SHARING, QUIET, 1, NULL);
}

static void planted_is_found_quiet(void **state)
{
	(void)state;
	check_planted(UNALIGNED, QUIET, 4, "Unaligned access");
	check_planted(SMALL, QUIET, 4, "Transfers up to 32 KiB");
	check_planted(MANY, QUIET, 4, "Access by 4 clients");
	check_planted(RANDOM_AND_SHARED, QUIET, 6, "Random access of shared files");
	check_planted(A_LITTLE, QUIET, 1.8, "Random access of shared files");
	/* that four clients take three times as long is sharing; together the two look like one effect of both axes */
	check_planted(TWO_THAT_MULTIPLY, QUIET, 3, "Unaligned access");
	check_planted(TWO_THAT_MULTIPLY, EXACT, 3, "Unaligned access");
}

static void planted_is_found_busy(void **state)
{
	(void)state;
	check_planted(UNALIGNED, BUSY, 4, "Unaligned access");
	check_planted(MANY, BUSY, 4, "Access by 4 clients");
	check_planted(RANDOM_AND_SHARED, BUSY, 6, "Random access of shared files");
}

static size_t columns(const char *line, const char *end)
{
	size_t count = 0;

	for (; line < end; line++)
		count += ((unsigned char)*line & 0xC0) != 0x80;
	return count;
}

static void a_disk_in_few_lines(void **state)
{
	struct pario_text text = { 0 };
	struct pario_finding_set set;
	struct world w;

	(void)state;
	make_world(&w, LIKE_A_DISK, QUIET, 3);
	explore(&w, 3);
	find(&w, 3, &set);
	assert_int_equal(set.count, 4);
	pario_statements_add(&set.space, set.statement, set.count, &text);
	print_message("%s", pario_text_string(&text));
	assert_non_null(strstr(pario_text_string(&text), "Random reads "));
	assert_non_null(strstr(pario_text_string(&text), "Unaligned writes "));
	assert_non_null(strstr(pario_text_string(&text), " through mpiio "));
	assert_non_null(strstr(pario_text_string(&text), "Small transfers"));
	for (const char *line = pario_text_string(&text); *line; line = strchr(line, '\n') + 1)
		assert_true(columns(line, strchr(line, '\n')) <= PARIO_STATEMENT_COLUMNS);
	pario_text_release(&text);
	pario_space_release(&w.space);
}

/* How many statements of one are made by the other, with intervals that meet. */
static size_t shared_by(const struct pario_finding_set *a, const struct pario_finding_set *b)
{
	struct pario_survey_change list[PARIO_CHANGES];
	size_t count = pario_changes_of(a, b, list), shared = 0;

	for (size_t i = 0; i < count; i++)
		shared += strcmp(list[i].verdict, "the same") == 0 &&
			  isfinite(list[i].side[0].low) && isfinite(list[i].side[1].low);
	return shared;
}

static void surveys_of_one_disk_agree(void **state)
{
	enum { SURVEYS = 3 };
	struct pario_finding_set set[SURVEYS];
	struct world w[SURVEYS];
	size_t stated = 0, shared = 0;

	(void)state;
	if (getenv("CHECK_SANITIZED"))
		return;
	for (uint64_t i = 0; i < SURVEYS; i++) {
		struct pario_text text = { 0 };

		make_world(&w[i], LIKE_A_FLASH_DISK, 0.14, i + 1);
		explore(&w[i], i + 1);
		find(&w[i], i + 1, &set[i]);
		pario_statements_add(&set[i].space, set[i].statement, set[i].count, &text);
		print_message("%s\n", pario_text_string(&text));
		pario_text_release(&text);
		assert_true(set[i].test.explained > 0.9);
	}
	for (size_t i = 0; i < SURVEYS; i++) {
		const struct pario_finding_set *other = &set[(i + 1) % SURVEYS];

		stated += set[i].count + other->count;
		shared += 2 * shared_by(&set[i], other);
	}
	assert_true(stated > 2 * 3 * SURVEYS);
	assert_true(shared * 10 >= stated * 8);
	for (size_t i = 0; i < SURVEYS; i++)
		pario_space_release(&w[i].space);
}

static void the_same_seed_says_the_same(void **state)
{
	struct pario_text text[2] = { { 0 }, { 0 } };
	struct pario_finding_set set[2];
	struct world w[2];

	(void)state;
	if (getenv("CHECK_SANITIZED"))
		return;
	for (unsigned i = 0; i < 2; i++) {
		make_world(&w[i], LIKE_A_DISK, QUIET, 6);
		explore(&w[i], 6);
		find(&w[i], 6, &set[i]);
		pario_statements_add(&set[i].space, set[i].statement, set[i].count, &text[i]);
	}
	assert_string_equal(pario_text_string(&text[0]), pario_text_string(&text[1]));
	assert_int_equal(w[0].space.sample_count, w[1].space.sample_count);
	for (size_t i = 0; i < w[0].space.sample_count; i++)
		assert_int_equal(w[0].space.sample[i].cell, w[1].space.sample[i].cell);
	for (unsigned i = 0; i < 2; i++) {
		pario_space_release(&w[i].space);
		pario_text_release(&text[i]);
	}
}

/* What the other survey's model says as well is no change, even where the other does not state it. */
static void agreement_is_no_change(void **state)
{
	struct pario_survey_change list[PARIO_CHANGES];
	struct pario_finding_set set[2];
	struct world w;
	size_t count;

	(void)state;
	make_world(&w, RANDOM_AND_SHARED, QUIET, 2);
	explore(&w, 2);
	find(&w, 2, &set[0]);
	set[1] = set[0];
	set[1].count = 0;
	count = pario_changes_of(&set[1], &set[0], list);
	assert_int_equal(count, set[0].count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(list[i].verdict,
				    strcmp(list[i].unit, "bytes") == 0 ? "new" : "the same");
	set[1].model.terms = 0;
	count = pario_changes_of(&set[1], &set[0], list);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(list[i].verdict, "new");
	assert_true(list[0].worse);
	pario_space_release(&w.space);
}

/* ---- choosing ---- */

static void the_start_covers_every_level(void **state)
{
	struct pario_err err = { 0 };
	struct world w;
	size_t *list, count;

	(void)state;
	make_world(&w, NOTHING, QUIET, 1);
	list = malloc(w.space.cells * sizeof(*list));
	assert_non_null(list);
	count = pario_choose_start(&w.space, 1, list, &err);
	assert_true(count > 40);
	for (unsigned a = 0; a < AXES; a++) {
		for (unsigned l = 0; l < w.space.axes[a].count; l++) {
			size_t found = 0;

			for (size_t i = 0; i < 40; i++)
				found += pario_space_level(&w.space, list[i], a) == l;
			assert_true(found > 0);
		}
	}
	free(list);
	pario_space_release(&w.space);
}

static void pairs_lie_across_the_border(void **state)
{
	struct pario_beside pairs[4];
	struct pario_finding_set set;
	const struct pario_statement *s = NULL;
	struct world w;
	size_t count;

	(void)state;
	make_world(&w, RANDOM_AND_SHARED, QUIET, 2);
	explore(&w, 2);
	find(&w, 2, &set);
	assert_int_equal(beyond_law(&set, &s), 1);
	count = pario_choose_pairs(&w.space, &set.model, s, 2, 4, pairs);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++) {
		struct pario_spot in = pario_spot_of(&w.space, pairs[i].in, pairs[i].measure);
		struct pario_spot out = pario_spot_of(&w.space, pairs[i].out, pairs[i].measure);

		assert_true(pario_term_holds(&s->where, &in));
		assert_false(pario_term_holds(&s->where, &out));
		assert_true(fabs(pairs[i].effect - log(6)) < 0.1);
	}
	pario_space_release(&w.space);
}

/* ---- predictions ---- */

static const char *none_text(const struct pario_test_of_model *test)
{
	static char copy[256];
	struct pario_text text = { 0 };

	pario_guess_none_text(test, 1.25, false, &text);
	snprintf(copy, sizeof(copy), "%s", pario_text_string(&text));
	pario_text_release(&text);
	return copy;
}

static void points_not_measured_are_predicted(void **state)
{
	struct pario_err err = { 0 };
	struct pario_finding_set set;
	struct pario_guesser guesser;
	struct world w;
	size_t asked = 0, within = 0;

	(void)state;
	make_world(&w, LIKE_A_DISK, 0.1, 4);
	explore(&w, 4);
	find(&w, 4, &set);
	assert_int_equal(pario_guesser_init(&guesser, &set.space, &set.model, &err), 0);
	for (size_t i = 0; i < w.space.cells; i++) {
		for (unsigned m = 0; m < 2 && w.space.cell[i].exists && !w.space.cell[i].tried;
		     m++) {
			struct pario_spot place = pario_spot_of(&w.space, i, m);
			struct pario_guess guess = pario_guess_at(&guesser, &place);
			double cost = log(seconds_of(&w, i, m)) + w.noise * normal(&w);

			asked++;
			within += guess.low <= cost && cost <= guess.high;
			assert_true(guess.high - guess.low < log(2));
		}
	}
	assert_true(asked > 500);
	assert_true(within * 100 > asked * 80 && within * 100 < asked * 98);
	/* what was held back turns out to be three times as slow: no statement can be relied on */
	assert_false(pario_guess_doubted(&set.test));
	for (size_t i = 0; i < set.space.cells; i++) {
		for (unsigned m = 0; m < 2 && set.space.cell[i].held; m++)
			set.space.cell[i].cost[m] += log(3);
	}
	set.test = pario_guess_test(&guesser);
	assert_true(pario_guess_doubted(&set.test));
	assert_non_null(strstr(none_text(&set.test), "cannot be said: half of the points"));
	set.test.median = 0.2; /* below the threshold */
	assert_string_equal(none_text(&set.test), "Nothing slows access down by 1.25 × or more.");
	set.test.median = (double)NAN;
	assert_non_null(strstr(none_text(&set.test), "cannot be said: too few points"));
	pario_guesser_release(&guesser);
	pario_space_release(&w.space);
}

/* What a finding of a glance advises, by a survey in which a call of 20 us costs as much as 20 KB. */
static void findings_promise_what_a_survey_predicts(void **state)
{
	struct pario_finding f[3] = {
		{ .next = "a", .slower = "strided_write", .faster = "write", .clients = 2 },
		{ .next = "b", .slower = "write", .faster = "strided_write", .clients = 2 },
		{ .next = "c", .slower = "strided_write", .faster = "write", .clients = 99 },
	};
	struct pario_finding_set set;
	struct world w;

	(void)state;
	make_world(&w, LIKE_A_DISK, QUIET, 4);
	explore(&w, 4);
	find(&w, 4, &set);
	set.test.median = 1; /* the model missed its test */
	pario_findings_promise(&set, "2026-11-20T00:07:34Z", f, 3);
	assert_string_equal(f[0].next, "a");
	set.test.median = 0.1;
	pario_findings_promise(&set, "2026-11-20T00:07:34Z", f, 3);
	/* (20 us + 64 KiB) / 64 KiB against (20 us + 1 MiB) / 1 MiB */
	print_message("%s\n", f[0].next);
	assert_true(strncmp(f[0].next, "a (1.3 [1.", 10) == 0);
	assert_non_null(strstr(f[0].next, "] × as fast by the survey of 2026-11-20)"));
	assert_string_equal(f[1].next, "b (no faster by the survey of 2026-11-20)");
	assert_string_equal(f[2].next, "c"); /* nobody measured 99 clients */
	pario_space_release(&w.space);
}

static void questions_are_understood(void **state)
{
	struct pario_err err = { 0 };
	struct pario_spot place, same;
	struct world w;
	unsigned levels[AXES] = { 1, 2, 0, 0, 2, 4 };
	size_t cell = 0;

	(void)state;
	make_world(&w, NOTHING, QUIET, 1);
	for (unsigned a = 0; a < w.space.axis_count; a++)
		cell += levels[a] * w.space.stride[a];
	same = pario_spot_of(&w.space, cell, READ);
	assert_int_equal(
		pario_guess_parse(&w.space, "read random 64k shared mpiio 4", &place, &err), 0);
	assert_memory_equal(&place, &same, sizeof(place));
	assert_int_equal(
		pario_guess_parse(&w.space, "4 clients mpiio 64k random read", &place, &err), 0);
	assert_memory_equal(&place, &same, sizeof(place));
	assert_int_equal(pario_guess_parse(&w.space, "write 100k own", &place, &err), 0);
	assert_true(fabs(exp(place.log_bytes) - 102400) < 1);
	assert_int_equal(place.at[LAYOUT], 2);
	assert_int_equal(pario_guess_parse(&w.space, "read backwards 64k", &place, &err), -1);
	assert_non_null(strstr(err.text, "backwards"));
	err = (struct pario_err){ 0 };
	assert_int_equal(pario_guess_parse(&w.space, "read 64m", &place, &err), -1);
	err = (struct pario_err){ 0 };
	assert_int_equal(pario_guess_parse(&w.space, "random 64k", &place, &err), -1);
	assert_non_null(strstr(err.text, "read or to write"));
	err = (struct pario_err){ 0 };
	assert_int_equal(pario_guess_parse(&w.space, "read random", &place, &err), -1);
	pario_space_release(&w.space);
}

/* ---- the record ---- */

static void what_is_recorded_is_read(void **state)
{
	struct pario_json json = { 0 };
	struct pario_err err = { 0 };
	struct pario_text before = { 0 }, after = { 0 };
	struct pario_finding_set set, read;
	struct world w;
	json_t *line;

	(void)state;
	make_world(&w, LIKE_A_DISK, QUIET, 5);
	explore(&w, 5);
	find(&w, 5, &set);
	pario_json_open(&json, NULL, '{');
	pario_survey_record_write(&json, &set);
	pario_json_close(&json, '}');
	line = json_loads(pario_text_string(&json.text), 0, NULL);
	assert_non_null(line);
	assert_ptr_equal(pario_record_find(&line, 1), json_object_get(line, "survey"));
	assert_int_equal(pario_record_read(json_object_get(line, "survey"), &read, &err), 0);
	pario_statements_add(&set.space, set.statement, set.count, &before);
	pario_statements_add(&read.space, read.statement, read.count, &after);
	assert_string_equal(pario_text_string(&before), pario_text_string(&after));
	for (size_t i = 0; i < w.space.cells; i++) {
		struct pario_spot place = pario_spot_of(&w.space, i, READ);

		assert_true(fabs(pario_model_cost(&set.model, &place, 0) -
				 pario_model_cost(&read.model, &place, 0)) < 1e-9);
		assert_int_equal(pario_space_known(&w.space, i, READ),
				 pario_space_known(&read.space, i, READ));
	}
	json_object_set_new(json_object_get(line, "survey"), "law", json_array());
	pario_space_release(&read.space);
	assert_int_equal(pario_record_read(json_object_get(line, "survey"), &read, &err), -1);
	json_decref(line);
	pario_json_release(&json);
	pario_text_release(&before);
	pario_text_release(&after);
	pario_space_release(&w.space);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_buys_nothing),
		cmocka_unit_test(planted_is_found_quiet),
		cmocka_unit_test(planted_is_found_busy),
		cmocka_unit_test(a_disk_in_few_lines),
		cmocka_unit_test(surveys_of_one_disk_agree),
		cmocka_unit_test(the_same_seed_says_the_same),
		cmocka_unit_test(agreement_is_no_change),
		cmocka_unit_test(the_start_covers_every_level),
		cmocka_unit_test(pairs_lie_across_the_border),
		cmocka_unit_test(points_not_measured_are_predicted),
		cmocka_unit_test(findings_promise_what_a_survey_predicts),
		cmocka_unit_test(questions_are_understood),
		cmocka_unit_test(what_is_recorded_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
