/* Do loops, averages and the order of measuring of b_eff follow docs/beff.md? */
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/beff/model/average.h"
#include "tests/beff/model/lengths.h"
#include "tests/beff/model/omitted.h"
#include "tests/beff/model/publish.h"
#include "tests/beff/model/schedule.h"

static const uint64_t mib = 1 << 20;

/* cmocka compares as float, which is too coarse. */
static void near(double is, double should, double within)
{
	if (!(fabs(is - should) <= within))
		fail_msg("%.15g should be %.15g", is, should);
}

/* A network whose iterations cost alpha + beta × length, whatever the pattern. */
struct network {
	double alpha_s, beta_s, around_s;
	unsigned held_from; /* from this step on ... */
	double held_s;	    /* ... every iteration waits so much longer */
};

struct walk {
	struct pario_beff_schedule schedule;
	struct pario_beff_pattern patterns[PARIO_BEFF_RINGS + 30 + PARIO_BEFF_EXTRAS];
	unsigned count, steps;
	double longest_step_s;
	double shortest_s, longest_s;	    /* loops of more than one iteration, after the first */
	uint64_t loops[PARIO_BEFF_LENGTHS]; /* of pattern 0, method 0, repetition 0 */
	uint64_t most;			    /* loop36[0].most */
};

static void take(struct walk *w, const struct pario_beff_step *step, const struct network *net)
{
	struct pario_beff_outcome o = { .record = { .loop = step->loop, .mark = ' ' } };
	double iteration = net->alpha_s + net->beta_s * (double)w->schedule.lengths[step->length] +
			   (net->held_s > 0 && w->steps >= net->held_from ? net->held_s : 0);
	double s = iteration * (double)step->loop;

	o.own_ns = o.record.max_ns = o.record.min_ns = o.record.mean_ns = s * 1e9;
	o.spent_ns = (s + net->around_s + (step->warm ? iteration : 0)) * 1e9;
	o.record.bandwidth = (double)w->schedule.lengths[step->length] *
			     (double)w->patterns[step->pattern].messages / iteration;
	if (step->loop > 1 && w->steps > w->count * PARIO_BEFF_METHODS) {
		w->shortest_s = fmin(w->shortest_s, s);
		w->longest_s = fmax(w->longest_s, s);
	}
	if (!step->look && step->pattern + step->method + step->repetition == 0)
		w->loops[step->length] = step->loop;
	w->longest_step_s = fmax(w->longest_step_s, o.spent_ns * 1e-9);
	pario_beff_schedule_take(&w->schedule, step, &o);
	w->steps++;
}

static void walk(struct walk *w, enum pario_beff_release release, enum pario_beff_extent extent,
		 double budget_s, uint64_t lmax, const struct network *net)
{
	const struct pario_beff_scale *scale = &pario_beff_scales[extent];
	struct pario_beff_step step;
	struct pario_err err = { 0 };

	memset(w, 0, sizeof(*w));
	w->shortest_s = INFINITY;
	w->count = (unsigned)pario_beff_patterns(8, scale->randoms, release, w->patterns);
	assert_int_equal(pario_beff_schedule_init(&w->schedule, release, scale, lmax, budget_s,
						  w->patterns, w->count, &err),
			 0);
	for (;;) {
		pario_beff_schedule_next(&w->schedule, &step);
		if (step.end)
			break;
		assert_true(step.loop >= 1 && w->steps < 100000);
		take(w, &step, net);
	}
	w->most = w->schedule.loop36[0].most;
	pario_beff_schedule_next(&w->schedule, &step);
	assert_true(step.end);
}

static const struct network ordinary = { 10e-6, 1e-9, 0, 0, 0 };

/* Each of 48 patterns (the paper has two less) by three methods and ping-pong by one, in 21 lengths, 3 repetitions. */
enum { EACH = 48 * 3 + 1, WHOLE = EACH * 21 * 3, PAPER = (46 * 3 + 1) * 21 * 3 };

static void loops_of_the_program(void **state)
{
	static const uint64_t golden[PARIO_BEFF_LENGTHS] = { 510, 500, 510, 510, 509, 509, 508,
							     506, 503, 497, 485, 462, 423, 361,
							     280, 193, 119, 67,	 36,  18,  9 };
	struct walk w;

	(void)state;
	walk(&w, PARIO_BEFF_3_6, PARIO_BEFF_NORMAL, 1e9, mib, &ordinary);
	assert_int_equal(w.most, 1020);
	assert_memory_equal(w.loops, golden, sizeof(golden));
	/* the first look comes on top, once per repetition */
	assert_int_equal(w.steps, WHOLE + EACH * 3);
	assert_false(w.schedule.ever_shortened);
	pario_beff_schedule_release(&w.schedule);
}

static void loops_of_the_paper(void **state)
{
	static const struct network networks[] = { { 10e-6, 1e-9, 0, 0, 0 },
						   { 0.4e-6, 0.1e-9, 0, 0, 0 },
						   { 60e-6, 10e-9, 0, 0, 0 },
						   { 1e-6, 0, 0, 0, 0 } };
	struct walk w;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(networks); i++) {
		walk(&w, PARIO_BEFF_PAPER, PARIO_BEFF_NORMAL, 1e9, 128 * mib, &networks[i]);
		assert_int_equal(w.loops[0], 300);
		assert_int_equal(w.steps, PAPER);
		assert_true(w.shortest_s >= 2.5e-3);
		assert_true(w.longest_s <= 5e-3);
		pario_beff_schedule_release(&w.schedule);
	}
}

static void a_loop_is_never_empty(void **state)
{
	(void)state;
	assert_int_equal(pario_beff_loop_paper(NAN, 3.5e-3), 300);
	assert_int_equal(pario_beff_loop_paper(10, 3.5e-3), 1);
	assert_int_equal(pario_beff_loop_paper(1e-3, 3.5e-3), 3);
	assert_int_equal(pario_beff_loop_paper(0, 3.5e-3), 10000000);
}

/* Where an iteration is as long as expected, its loop takes 2.5 to 5 ms, and one alone what it takes. */
static void a_loop_fits_into_the_window(void **state)
{
	(void)state;
	for (double s = 1e-7; s < 5e-3; s *= 1.003) {
		double loop_s = s * (double)pario_beff_loop_paper(s, 3.5e-3);

		assert_true(loop_s > 2.5e-3 - 1e-9 && loop_s < 5e-3 + 1e-9);
	}
	assert_int_equal(pario_beff_loop_paper(2.4e-3, 3.5e-3), 2);
	assert_int_equal(pario_beff_loop_paper(2.6e-3, 3.5e-3), 1);
	assert_int_equal(pario_beff_loop_paper(6e-3, 3.5e-3), 1);
}

/* 1 s per message of 128 MiB: the program measures its two longest lengths once per pattern. */
static void the_program_shortens(void **state)
{
	static const struct network slow = { 10e-6, 1e-8, 0, 0, 0 };
	struct walk w;
	struct pario_text text = { 0 };

	(void)state;
	walk(&w, PARIO_BEFF_3_6, PARIO_BEFF_NORMAL, 1e9, 128 * mib, &slow);
	assert_true(w.schedule.ever_shortened);
	assert_int_equal(w.loops[19], 0); /* ties go to the later method */
	for (unsigned length = 19; length <= 20; length++)
		for (unsigned r = 0; r < 3; r++) {
			const struct pario_beff_record *first =
				pario_beff_at(&w.schedule.table, 0, length, 0, r);
			const struct pario_beff_record *best =
				pario_beff_at(&w.schedule.table, 0, length, 2, r);

			assert_int_equal(best->loop, 1);
			assert_true(first->bandwidth == best->bandwidth);
			assert_int_equal(first->mark, length == 20 && r == 2 ? 'R' : 'M');
			assert_int_equal(best->mark, length == 20 && r == 2 ? 'R' : ' ');
		}
	pario_beff_schedule_cautions(&w.schedule, &text);
	assert_non_null(strstr(pario_text_string(&text), "comparing methods is meaningless"));
	pario_text_release(&text);
	pario_beff_schedule_release(&w.schedule);
}

/* However slow the network or the processors, the time is kept and there is a b_eff. */
static void the_budget_holds(void **state)
{
	static const struct network networks[] = {
		{ 10e-6, 1e-9, 0, 0, 0 },     /* fits */
		{ 100e-6, 2e-8, 0, 0, 0 },    /* 50 MB/s: 2.7 s for the longest message */
		{ 20e-3, 1e-9, 80e-3, 0, 0 }, /* more processes than processors */
		{ 1e-3, 1e-7, 1e-3, 0, 0 },   /* 10 MB/s */
	};
	struct pario_beff_figures figures;
	struct walk w;

	(void)state;
	for (int release = PARIO_BEFF_PAPER; release <= PARIO_BEFF_3_6; release++)
		for (size_t i = 0; i < COUNT_OF(networks); i++) {
			struct pario_text text = { 0 };

			walk(&w, (enum pario_beff_release)release, PARIO_BEFF_NORMAL, 0, 128 * mib,
			     &networks[i]);
			assert_true(pario_beff_average(&w.schedule.table, w.patterns, &figures));
			assert_true(w.schedule.spent_s < 240 + w.longest_step_s);
			pario_beff_schedule_cautions(&w.schedule, &text);
			/* the program shortens by itself, too */
			assert_true((text.length > 0) == (i > 0 || release == PARIO_BEFF_3_6));
			pario_text_release(&text);
			pario_beff_schedule_release(&w.schedule);
		}
}

/*
 * Work on the processors begins in mid-run, or was there before: one measurement more than the budget, not a hundred.
 */
static void the_budget_holds_on_a_machine_that_gets_busy(void **state)
{
	static const struct network networks[] = {
		{ 10e-6, 1e-9, 1e-4, 0, 50e-3 },
		{ 10e-6, 1e-9, 1e-4, 100, 20e-3 },
		{ 10e-6, 1e-9, 1e-4, 1200, 1 },
		{ 1e-7, 1e-10, 1e-6, 3000, 10e-3 },
	};
	struct walk w;

	(void)state;
	for (int release = PARIO_BEFF_PAPER; release <= PARIO_BEFF_3_6; release++)
		for (size_t i = 0; i < COUNT_OF(networks); i++) {
			walk(&w, (enum pario_beff_release)release, PARIO_BEFF_NORMAL, 8, 8192,
			     &networks[i]);
			assert_true(w.schedule.spent_s <= 8 + w.longest_step_s);
			pario_beff_schedule_release(&w.schedule);
		}
}

/* A budget that was over before the first measurement leaves nothing to measure. */
static void the_start_is_part_of_the_budget(void **state)
{
	const struct pario_beff_scale *scale = &pario_beff_scales[PARIO_BEFF_NORMAL];
	struct pario_beff_pattern patterns[PARIO_BEFF_RINGS + 30 + PARIO_BEFF_EXTRAS];
	unsigned count = (unsigned)pario_beff_patterns(8, 30, PARIO_BEFF_PAPER, patterns);
	struct pario_beff_schedule schedule;
	struct pario_beff_step step;
	struct pario_err err = { 0 };

	(void)state;
	assert_int_equal(pario_beff_schedule_init(&schedule, PARIO_BEFF_PAPER, scale, mib, 8,
						  patterns, count, &err),
			 0);
	schedule.spent_s = 8.1;
	pario_beff_schedule_next(&schedule, &step);
	assert_true(step.end);
	pario_beff_schedule_release(&schedule);
}

/* Whatever was cut, cautions name it; more cut means more said. */
static void what_was_cut_is_said(void **state)
{
	static const struct network busy = { 5e-3, 0, 5e-3, 0, 0 };
	static const struct {
		double budget_s;
		const char *said[3];
	} cases[] = {
		{ 1e9, { NULL } },
		{ 120, { "measurements of the further repetitions", NULL } },
		{ 8,
		  { "additional patterns at ",
		    "methods but the fastest of ring and random patterns at ",
		    "29 of 30 random patterns" } },
		{ 0.5, { "ring patterns at ", "30 of 30 random patterns", NULL } },
	};
	struct pario_beff_omitted omitted;
	struct walk w;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct pario_text text = { 0 };

		walk(&w, PARIO_BEFF_PAPER, PARIO_BEFF_NORMAL, cases[i].budget_s, 8192, &busy);
		pario_beff_omitted(&w.schedule.table, w.patterns, &omitted);
		assert_int_equal(omitted.planned, PAPER);
		assert_int_equal(omitted.made == omitted.planned, i == 0);
		pario_beff_schedule_cautions(&w.schedule, &text);
		for (size_t k = 0; k < COUNT_OF(cases[i].said) && cases[i].said[k]; k++)
			if (!strstr(pario_text_string(&text), cases[i].said[k]))
				fail_msg("'%s' is not said in '%s'", cases[i].said[k],
					 pario_text_string(&text));
		assert_true((text.length > 0) == (i > 0));
		pario_text_release(&text);
		pario_beff_schedule_release(&w.schedule);
	}
}

static void ranges_of_lengths(void **state)
{
	uint64_t lengths[PARIO_BEFF_LENGTHS];
	struct pario_text text = { 0 };

	(void)state;
	pario_beff_lengths(mib, lengths);
	pario_beff_length_ranges(1u << 0 | 1u << 2 | 1u << 3 | 1u << 20, lengths, &text);
	assert_string_equal(pario_text_string(&text), "1 B, 4 B to 8 B, 1 MiB");
	pario_text_release(&text);
}

/* ---- averages ---- */

static void the_synthetic_table(void **state)
{
	static const double rings[] = { 300, 250, 200, 180, 160, 150 },
			    randoms[] = { 100, 120, 80, 0, 0 }, method[] = { 0.9, 0.5, 1.0 },
			    repetition[] = { 0.97, 1, 0.99, 0, 0 };
	static const double means[] = { 1203905076.549, 1003254230.458, 802603384.366,
					722343045.930,	642082707.493,	601952538.275,
					401301692.183,	481562030.620,	321041353.746 };
	struct pario_beff_pattern patterns[PARIO_BEFF_RINGS + 3 + PARIO_BEFF_EXTRAS];
	uint64_t lengths[PARIO_BEFF_LENGTHS];
	struct pario_beff_context context = { .n = 8, .memory_bytes = 128 * mib, .lmax = mib };
	struct pario_beff_number numbers[PARIO_BEFF_METRIC_COUNT];
	struct pario_beff_figures f;
	struct pario_beff_table table;
	struct pario_err err = { 0 };

	(void)state;
	pario_beff_patterns(8, 3, PARIO_BEFF_PAPER, patterns);
	pario_beff_lengths(mib, lengths);
	assert_int_equal(pario_beff_table_init(&table, 9, 3, &err), 0);
	for (unsigned k = 0; k < 9 * 21 * 3 * 3; k++) {
		unsigned p = k / 189, i = k / 9 % 21, m = k / 3 % 3, r = k % 3;
		double length = (double)lengths[i],
		       peak = (p < 6 ? rings[p] : randoms[p - 6]) * 1e6;

		pario_beff_at(&table, p, i, m, r)->bandwidth =
			8 * peak * length / (length + 1000) * method[m] * repetition[r];
	}
	assert_true(pario_beff_average(&table, patterns, &f));
	for (unsigned p = 0; p < 9; p++)
		near(pario_beff_mean(&table, p), means[p], 6e-4);
	near(f.rings, 804266831.888, 6e-4);
	near(f.random, 395878031.484, 6e-4);
	near(f.b_eff, 564261969.475, 6e-4);
	near(f.lmax_rings, 1601788519.108, 6e-4);
	near(f.lmax_random, 788435952.668, 6e-4);
	near(f.lmax, 1123791643.070, 6e-4);
	assert_int_equal(f.randoms, 3);
	pario_beff_publish(&context, &f, numbers);
	near(numbers[PARIO_BEFF_b_eff_per_process].value, 70.532746184, 1e-9);
	near(numbers[PARIO_BEFF_b_eff_at_lmax_per_process].value, 140.473955384, 1e-9);
	near(numbers[PARIO_BEFF_rings_at_lmax_per_process].value, 200.223564888, 1e-9);
	/* the best method and repetition are the same everywhere, so the order of the steps does not matter */
	near(f.method_after_length, f.b_eff, 1e-3);
	near(f.repetition_after_length, f.b_eff, 1e-3);
	near(f.by_method[0], 0.9 * f.b_eff, 1e-3);
	near(f.by_method[1], 0.5 * f.b_eff, 1e-3);
	/* n over b of one byte */
	near(f.latency_rings_s * f.rings_by_length[0], 8, 1e-12);
	near(f.latency_s * f.by_length[0], 8, 1e-12);
	pario_beff_table_release(&table);
}

static void what_lacks_is_not_averaged(void **state)
{
	struct pario_beff_figures figures;
	struct walk w;

	(void)state;
	walk(&w, PARIO_BEFF_PAPER, PARIO_BEFF_TEST, 1e9, mib, &ordinary);
	assert_true(pario_beff_average(&w.schedule.table, w.patterns, &figures));
	assert_int_equal(figures.randoms, 2);
	for (unsigned m = 0; m < 3; m++)
		for (unsigned r = 0; r < 3; r++)
			pario_beff_at(&w.schedule.table, 7, 20, m, r)->bandwidth = NAN;
	assert_true(pario_beff_average(&w.schedule.table, w.patterns, &figures));
	assert_int_equal(figures.randoms, 1);
	for (unsigned m = 0; m < 3; m++)
		for (unsigned r = 0; r < 3; r++)
			pario_beff_at(&w.schedule.table, 3, 4, m, r)->bandwidth = NAN;
	assert_false(pario_beff_average(&w.schedule.table, w.patterns, &figures));
	pario_beff_schedule_release(&w.schedule);
}

static void the_logarithmic_mean(void **state)
{
	(void)state;
	near(pario_beff_logavg((const double[]){ 1, 100 }, 2), 10, 1e-14);
	near(pario_beff_logavg((const double[]){ 2, 8, 4, 0, 0 }, 3), 4, 1e-14);
	assert_true(isnan(pario_beff_logavg((const double[]){ 1, 0 }, 2)));
	assert_true(isnan(pario_beff_logavg((const double[]){ -1 }, 1)));
	assert_true(isnan(pario_beff_logavg(NULL, 0)));
}

static void balance_and_memory(void **state)
{
	/* the paper's T3E: 512 processes of 128 MB in 3.2 s; R_max 0 = not given */
	struct pario_beff_context t3e = { .n = 512, .memory_bytes = 128000000, .rmax = 447.4 };
	struct pario_beff_number numbers[PARIO_BEFF_METRIC_COUNT];
	struct pario_beff_figures figures = { .b_eff = 19919e6 };

	(void)state;
	pario_beff_publish(&t3e, &figures, numbers);
	near(numbers[PARIO_BEFF_memory_communicated_s].value, 3.29, 0.005);
	near(numbers[PARIO_BEFF_balance_factor].value, 0.04452, 1e-5);
	near(numbers[PARIO_BEFF_b_eff_per_process].value, 38.90, 0.005);
	t3e.rmax = 0;
	pario_beff_publish(&t3e, &figures, numbers);
	assert_true(isnan(numbers[PARIO_BEFF_balance_factor].value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_of_the_program),
		cmocka_unit_test(loops_of_the_paper),
		cmocka_unit_test(a_loop_is_never_empty),
		cmocka_unit_test(a_loop_fits_into_the_window),
		cmocka_unit_test(the_program_shortens),
		cmocka_unit_test(the_budget_holds),
		cmocka_unit_test(the_budget_holds_on_a_machine_that_gets_busy),
		cmocka_unit_test(the_start_is_part_of_the_budget),
		cmocka_unit_test(what_was_cut_is_said),
		cmocka_unit_test(ranges_of_lengths),
		cmocka_unit_test(the_synthetic_table),
		cmocka_unit_test(what_lacks_is_not_averaged),
		cmocka_unit_test(the_logarithmic_mean),
		cmocka_unit_test(balance_and_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
