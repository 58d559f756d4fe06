/*
 * test_overlap: the paper's models and fits (docs/overlap.md), and whether the intervals hold what they promise.
 */
#include "tests/overlap/model/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/overlap/model/answer.h"
#include "tests/overlap/model/revolution.h"
#include "unit.h"

static const double cray[] = { 1, 2, 3, 9, 18, 36, 90, 180 };
static const double cdc[] = { 1, 2, 3, 10, 20, 40, 60, 100, 200 };
static const struct pario_rotating_disk disk = { .turns_per_s = 60, .sector = 512 };

/* What the procedure costs on the simulated machine: nothing, known to 20 ns. */
static const struct pario_overlap_own procedure = { .error_ns = 20 };

static void near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.17g is not within %g of %.17g", value, relative, expected);
}

/* The study's law: N_revs = 1.1 / S + M / B. */
static double rate_of_disk(double s, double m, double b)
{
	return 512 * 60 / (1.1 / s + m / b);
}

static void rates_of_a_disk(void **state)
{
	const struct {
		double s, m, b, rate;
	} golden[] = {
		{ 18, 0, 1, 502690.909 },    { 18, 0, 180, 502690.909 }, { 18, 1, 1, 28950.785 },
		{ 18, 1, 18, 263314.286 },   { 18, 1, 36, 345600 },	 { 18, 1, 180, 460800 },
		{ 18, 3, 18, 134868.293 },   { 20, 1, 20, 292571.429 },	 { 20, 1, 200, 512000 },
		{ 20, 1.4, 20, 245760 },     { 20, 4, 2, 14948.905 },	 { 20, 9, 2, 6744.237 },
		{ 20, 0, 1, 558545.454545 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(golden); i++)
		near(pario_revolutions_of_rate(&disk, golden[i].rate),
		     1.1 / golden[i].s + golden[i].m / golden[i].b,
		     1e-7); /* given with three decimals */
	/* the time of one sector: 925.926 and 833.333 us */
	near(1 / disk.turns_per_s / 18, 925.926e-6, 1e-6);
	near(1 / disk.turns_per_s / 20, 833.333e-6, 1e-6);
}

static void overheads(void **state)
{
	const double golden[2][8] = {
		{ 666, 336, 226, 79.3333, 42.6667, 24.3333, 13.3333, 9.6667 },
		{ 522, 282, 202, 95.3333, 68.6667, 55.3333, 47.3333, 44.6667 },
	};
	const double call[] = { 660, 480 }, trans[] = { 6, 42 };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < 8; i++) {
			/* a pass whose loops leave exactly this overhead */
			struct pario_overlap_pass p = { .size = 4096 * cray[i],
							.channels = 1,
							.part = PARIO_PART_FULL,
							.calls = 100,
							.loops = 12345,
							.idle_ns = 50000 };

			p.elapsed_ns = p.loops * p.idle_ns +
				       p.calls * (call[k] + trans[k] * cray[i]) * 1e3;
			near(pario_overlap_difference(&p, 4096) / 1e3, golden[k][i], 1e-5);
		}
	}
}

static void inverse(const double *b, size_t n, double *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = 1 / b[i];
}

static void fit_of_revolutions(void **state)
{
	struct pario_estimate rates[8];
	struct pario_revolution_fit fit;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		rates[i] = (struct pario_estimate){ rate_of_disk(18, 3, cray[i]), NAN };
	fit = pario_revolution_fit(&disk, cray, NULL, rates, 8, 0, 0);
	near(fit.lines.one.intercept.value, 0.0611111111, 1e-9);
	near(fit.lines.one.slope.value, 3, 1e-12);
	near(fit.lines.one.r2, 1, 1e-12);
	near(fit.all.s.value, 18, 1e-12);
	near(fit.all.m.value, 3, 1e-12);
	assert_false(fit.lines.broken);
}

/*
 * The study's answers from a disk that turns: who asks again within the gap before a sector misses nothing, who
 * comes later a revolution each time, whatever the size; and a cylinder costs one more. Four cylinders, sizes that
 * divide them.
 */
static void a_turning_disk_is_recovered(void **state)
{
	static const double late[] = { 0.1, 0.24, 0.26, 3 }, b[] = { 1, 3, 9, 18, 36, 90, 180 };
	const struct pario_rotating_disk turning = { .turns_per_s = 100, .sector = 4096 };
	struct pario_estimate rates[COUNT_OF(b)];
	struct pario_revolution_fit fit;

	(void)state;
	for (size_t k = 0; k < COUNT_OF(late); k++) {
		for (size_t i = 0; i < COUNT_OF(b); i++) {
			double now = late[k] / 18;

			for (double at = 0; at < 720; at += b[i])
				now = pario_revolution_done(18, now, at, b[i]) + late[k] / 18;
			now -= late[k] / 18;
			rates[i] = (struct pario_estimate){ 720 * 4096 * 100 / now, NAN };
		}
		fit = pario_revolution_fit(&turning, b, NULL, rates, COUNT_OF(b), 0, 0);
		near(fit.all.s.value, 18, 1e-9);
		assert_true(fabs(fit.all.m.value - (k < 2 ? 0 : 1)) < 1e-9);
	}
}

/* One rate is far off and known badly: it must not draw the line, and S and M have intervals that hold the truth. */
static void revolutions_are_weighted(void **state)
{
	struct pario_estimate rates[8];
	struct pario_revolution_fit fit;

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		double rate = rate_of_disk(18, 3, cray[i]);

		rates[i] = (struct pario_estimate){ rate * (i % 2 ? 1.001 : 0.999), rate * 0.002 };
	}
	rates[1].value *= 2;
	rates[1].error = rates[1].value;
	fit = pario_revolution_fit(&disk, cray, NULL, rates, 8, 0, 0);
	assert_true(fabs(fit.all.s.value - 18) < fit.all.s.error && fit.all.s.error < 0.2);
	assert_true(fabs(fit.all.m.value - 3) < fit.all.m.error && fit.all.m.error < 0.03);
	/* an error of the intercept is the same part of S */
	near(fit.all.s.error / fit.all.s.value,
	     fit.lines.one.intercept.error / fit.lines.one.intercept.value, 1e-12);
	rates[1].error = NAN; /* counts as the largest of the others: one of eight */
	fit = pario_revolution_fit(&disk, cray, NULL, rates, 8, 0, 0);
	assert_true(fit.all.m.error > 0.03);
}

/* Where the intercept is below its error, or negative, S has a least value and no other; never a negative number. */
static void revolutions_without_an_upper_bound(void **state)
{
	static const double b[] = { 1, 2, 4 };
	/* revolutions per sector: M = 1 and an intercept of 0.001, then of -0.001 */
	static const double intercepts[] = { 0.001, -0.001 };
	struct pario_estimate rates[3];
	struct pario_revolution_fit fit;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < 3; i++) {
			double rate = pario_revolutions_of_rate(&disk, intercepts[k] + 1 / b[i]);

			rates[i] = (struct pario_estimate){ rate, rate * 0.05 };
		}
		fit = pario_revolution_fit(&disk, b, NULL, rates, 3, 0, 0);
		near(fit.lines.one.intercept.value, intercepts[k], 1e-9);
		assert_true(fit.lines.one.intercept.error > 0.001);
		assert_true(isnan(fit.all.s.value) && isnan(fit.all.s.error));
		near(fit.all.s_least,
		     1.1 / (fmax(intercepts[k], 0) + fit.lines.one.intercept.error), 1e-9);
	}
}

/* BUFFER IN: two revolutions missed below 18 sectors, one from there on, the same intercept. */
static void two_lines(void **state)
{
	struct pario_estimate rates[8];
	struct pario_revolution_fit fit;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		rates[i] = (struct pario_estimate){ rate_of_disk(18, cray[i] < 18 ? 2 : 1, cray[i]),
						    NAN };
	fit = pario_revolution_fit(&disk, cray, NULL, rates, 8, 0, 0);
	assert_true(fit.lines.broken);
	near(fit.small.s.value, 18, 1e-9);
	near(fit.small.m.value, 2, 1e-9);
	near(fit.large.s.value, 18, 1e-9);
	near(fit.large.m.value, 1, 1e-9);
	assert_int_equal(fit.lines.low_count, 4);
	assert_true(fit.lines.at > 1.0 / 18 && fit.lines.at < 1.0 / 9);
}

static void golden_fits(void **state)
{
	double x[9], y[9];
	struct pario_fitted_line line;

	(void)state;
	inverse(cray, 8, x);
	for (size_t i = 0; i < 8; i++)
		y[i] = 6 + 660 / cray[i] + (i % 2 ? -1 : 1);
	line = pario_fit_line(x, y, NULL, 8);
	near(line.intercept.value, 5.774167930, 1e-9);
	near(line.slope.value, 660.883690708, 1e-11);
	near(line.r2, 0.999980365635, 1e-11);
	assert_false(pario_fit_two_lines(x, y, NULL, 8).broken);
	inverse(cdc, 9, x);
	for (size_t i = 0; i < 9; i++)
		y[i] = 46 + 1050 / cdc[i];
	line = pario_fit_line(x, y, NULL, 9);
	near(line.intercept.value, 46, 1e-11);
	near(line.slope.value, 1050, 1e-12);
	near(line.r2, 1, 1e-12);
}

static void modern_fits(void **state)
{
	double bytes[8], x[8], t[8], per_byte[8];
	struct pario_fitted_line line;

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		bytes[i] = 4096 * cray[i];
		t[i] = 2e-6 + 0.25e-9 * bytes[i];
	}
	line = pario_fit_line(bytes, t, NULL, 8);
	near(line.intercept.value, 2e-6, 1e-9);
	near(line.slope.value, 0.25e-9, 1e-11);
	near(line.r2, 1, 1e-12);
	near(pario_fit_rate(&line), 4e9, 1e-9);
	near(pario_fit_half_size(&line), 8000, 1e-9);
	for (size_t i = 0; i < 8; i++) {
		t[i] *= i % 2 ? 1.02 : 0.98;
		x[i] = 1 / bytes[i];
		per_byte[i] = t[i] / bytes[i];
	}
	line = pario_fit_line(bytes, t, NULL, 8);
	near(line.intercept.value, 1.649407063e-6, 1e-9);
	near(line.slope.value, 2.537160821e-10, 1e-9);
	near(line.r2, 0.999630130, 1e-8);
	line = pario_fit_line(x, per_byte, NULL, 8);
	near(line.intercept.value, 2.521277399e-10, 1e-9);
	near(line.slope.value, 1.951114346e-6, 1e-9);
	near(line.r2, 0.997929991, 1e-8);
}

/* Worked out by hand: the sums of five points, and Student's t with three degrees of freedom. */
static void intervals_of_a_line(void **state)
{
	const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 2.1, 3.9, 6.2, 7.8, 10.1 };
	const double alike[] = { 0.1, 0.1, 0.1, 0.1, 0.1 };
	struct pario_fitted_line line = pario_fit_line(x, y, NULL, 5), same;

	(void)state;
	near(line.intercept.value, 0.05, 1e-9);
	near(line.slope.value, 1.99, 1e-9);
	/* s^2 = SSE / 3 = 0.107 / 3; standard errors s sqrt(1/10) and s sqrt(1.1); t(3) = 3.182446305 */
	near(line.slope.error, 3.182446305 * sqrt(0.107 / 3 / 10), 1e-8);
	near(line.intercept.error, 3.182446305 * sqrt(0.107 / 3 * 1.1), 1e-8);
	same = pario_fit_line(x, y, alike, 5);
	near(same.slope.value, line.slope.value, 1e-12);
	assert_true(same.slope.error >= line.slope.error * 0.999999);
}

static void degenerate(void **state)
{
	const double x[] = { 1, 1, 1 }, y[] = { 1, 2, 3 }, two[] = { 1, 2 };
	struct pario_fitted_line line = pario_fit_line(x, y, NULL, 3);

	(void)state;
	assert_true(isnan(line.slope.value) && isnan(line.intercept.value));
	assert_true(isnan(pario_fit_line(x, y, NULL, 0).slope.value));
	line = pario_fit_line(two, y, NULL, 2);
	near(line.slope.value, 1, 1e-12);
	assert_true(isnan(line.slope.error));
	/* with errors it has: they add up as squares over the distance */
	line = pario_fit_line((const double[]){ 1, 3 }, (const double[]){ 10, 20 },
			      (const double[]){ 3, 4 }, 2);
	near(line.slope.value, 5, 1e-12);
	near(line.slope.error, 2.5, 1e-12);
	near(line.intercept.value, 5, 1e-12);
	near(line.intercept.error, sqrt(4.5 * 4.5 + 2 * 2), 1e-12);
	assert_false(pario_fit_two_lines(two, y, NULL, 2).broken);
}

static void skewed_values_are_discarded(void **state)
{
	double values[] = { 10.1, 9.9, 10.0, 10.2, 9.8, 55, 10.0 };
	size_t kept;
	struct pario_estimate e = pario_overlap_centre(values, COUNT_OF(values), &kept);

	(void)state;
	assert_int_equal(kept, 6);
	near(e.value, 10, 1e-12);
	assert_true(e.error > 0.1 && e.error < 0.2);
}

/* ---- a machine that is simulated: its clock is an addition, its noise is seeded ---- */

struct machine {
	uint64_t state;
	double fix_ns, byte_ns;	  /* delivered asynchronously */
	double call_ns, trans_ns; /* CPU of a call and of a sector */
	double noise, outliers, loop_ns;
	double stolen;	  /* part of all time that timers and the host take, on average */
	double preempted; /* part of the controls that wait for a processor a third of their time */
};

static double uniform(struct machine *m)
{
	m->state = pario_random_join(m->state, 1);
	return ((double)(m->state >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(struct machine *m)
{
	return sqrt(-2 * log(uniform(m))) * cos(2 * M_PI * uniform(m));
}

/* By how much a long stretch takes longer than it needs, which is not the same each time. */
static double interrupted(struct machine *m)
{
	return 1 + m->stolen * (1 + 0.02 * gauss(m));
}

/* One operation of the simulated machine as the pass sees it. */
static struct pario_overlap_pass simulate(struct machine *m, double size, enum pario_part part)
{
	struct pario_overlap_pass p = {
		.size = size, .channels = 1, .part = part, .calls = 64, .walks = 1
	};
	double busy = m->call_ns + m->trans_ns * size / 4096, wait = m->fix_ns + m->byte_ns * size;
	double loop = part == PARIO_PART_HALF ? m->loop_ns / 2 : m->loop_ns;
	double disturbed = 1 + m->noise * gauss(m);

	if (uniform(m) < m->outliers)
		disturbed += 0.5;
	p.elapsed_ns = p.calls * wait * disturbed;
	p.thread_ns = p.calls * busy;
	if (part != PARIO_PART_SYNC) {
		p.loops = floor(p.calls * (wait - busy) / loop);
		p.loop_ns = loop; /* a short stretch meets nobody */
		p.idle_loops = p.loops;
		p.idle_cpu_ns = p.idle_ns = loop * interrupted(m);
		if (uniform(m) < m->preempted) {
			p.idle_ns *= 1.5;
			p.idle_late_ns = p.idle_loops * p.idle_ns / 3;
		}
		loop *= interrupted(m);
		p.elapsed_ns = p.loops * loop + p.calls * busy * disturbed;
		p.thread_ns = p.loops * loop + p.calls * busy * (1 + m->noise * gauss(m));
	}
	p.first_ns = p.elapsed_ns / p.calls;
	p.process_ns = p.thread_ns;
	return p;
}

enum { SIM_PASSES = 9 };

static void simulate_case(struct machine *m, struct pario_overlap_case *c)
{
	struct pario_overlap_pass passes[8 * SIM_PASSES * PARIO_PARTS];
	size_t n = 0;

	memset(c, 0, sizeof(*c));
	c->sector = 4096;
	for (size_t i = 0; i < 8; i++)
		for (int k = 0; k < SIM_PASSES; k++)
			for (int part = 0; part < PARIO_PARTS; part++)
				passes[n++] = simulate(m, 4096 * cray[i], (enum pario_part)part);
	pario_overlap_case_fit(c, passes, n, &procedure);
}

static bool covers(const struct pario_estimate *e, double truth)
{
	return fabs(e->value - truth) <= e->error;
}

static bool close_to(const struct pario_estimate *e, double truth)
{
	return fabs(e->value - truth) <= 0.02 * truth;
}

static void recover(double preempted)
{
	struct machine m = { .fix_ns = 200e3,
			     .byte_ns = 1,
			     .call_ns = 20e3,
			     .trans_ns = 400,
			     .noise = 0.01,
			     .outliers = 0.02,
			     .loop_ns = 5e3,
			     .stolen = 0.02,
			     .preempted = preempted };
	int held[4] = { 0 }, close[4] = { 0 };
	struct pario_overlap_case c;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		m.state = seed;
		simulate_case(&m, &c);
		held[0] += covers(&c.operation.one.intercept, m.fix_ns);
		held[1] += covers(&c.operation.one.slope, m.byte_ns);
		held[2] += covers(&c.overhead.one.slope, m.call_ns);
		held[3] += covers(&c.overhead.one.intercept, m.trans_ns);
		close[0] += close_to(&c.operation.one.intercept, m.fix_ns);
		close[1] += close_to(&c.operation.one.slope, m.byte_ns);
		close[2] += close_to(&c.overhead.one.slope, m.call_ns);
		close[3] += close_to(&c.overhead.one.intercept, m.trans_ns);
	}
	for (int i = 0; i < 4; i++) {
		if (held[i] < 90 || close[i] < 95)
			fail_msg(
				"number %d: %d of 100 intervals hold the truth, %d are within 2 %%",
				i, held[i], close[i]);
	}
	/* intervals that hold the truth because they are endless would be worth nothing */
	assert_true(c.operation.one.intercept.error < 0.02 * m.fix_ns);
	assert_true(c.overhead.one.slope.error < 0.02 * m.call_ns);
}

static void planted_costs_are_recovered(void **state)
{
	(void)state;
	recover(0);
}

/* A control that waited for a processor makes t_loop longer and T_OH smaller: a third of them must change nothing. */
static void late_controls_are_left_out(void **state)
{
	struct pario_overlap_pass p = { .size = 4096,
					.channels = 1,
					.part = PARIO_PART_FULL,
					.calls = 100,
					.elapsed_ns = 3e6,
					.loops = 100,
					.idle_ns = 15e3,
					.idle_cpu_ns = 10e3,
					.idle_loops = 200,
					.idle_late_ns = 1e6,
					.thread_ns = 2.8e6,
					.process_ns = 2.9e6 };

	(void)state;
	assert_false(pario_overlap_quiet(&p));
	assert_false(pario_overlap_control_quiet(&p));
	/* what the scheduler counts is compared with what it counted in the control */
	near(pario_overlap_scheduled(&p, 4096), 18e3, 1e-9);
	near(pario_overlap_cpu(&p, 4096), 19e3, 1e-9);
	p.idle_late_ns = 5e3; /* of 3e6 */
	assert_true(pario_overlap_quiet(&p));
	p.idle_late_ns = (double)NAN;
	assert_true(pario_overlap_quiet(&p));
	recover(0.3);
}

static void a_noisy_machine_gives_a_bound(void **state)
{
	struct machine m = { .state = 7,
			     .fix_ns = 200e3,
			     .byte_ns = 1,
			     .call_ns = 10,
			     .trans_ns = 1,
			     .noise = 3,
			     .loop_ns = 5e3,
			     .stolen = 0.05 };
	struct pario_overlap_case c;
	struct pario_text text = { 0 };

	(void)state;
	simulate_case(&m, &c);
	assert_true(c.noisy > 0);
	assert_true(pario_overlap_bound(&c.point[7].difference_ns) > m.trans_ns);
	pario_overlap_number(&text, &c.point[7].difference_ns, 1, 0);
	assert_true(strncmp(pario_text_string(&text), "< ", 2) == 0);
	pario_text_release(&text);
}

/* A thread that others kept from running for a third of the time: the two ways must not agree. */
static void stolen_time_is_seen(void **state)
{
	struct pario_overlap_pass passes[12];
	struct pario_overlap_point point;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(passes); i++) {
		passes[i] = (struct pario_overlap_pass){ .size = 4096,
							 .channels = 1,
							 .part = PARIO_PART_FULL,
							 .calls = 100,
							 .elapsed_ns = 3e6 + (double)i,
							 .loops = 100,
							 .idle_ns = 10e3,
							 .thread_ns = 2e6 + (double)i,
							 .process_ns = 2e6,
							 .queue_ns = 1e6 };
	}
	point = pario_overlap_point(passes, COUNT_OF(passes), 4096, 4096, &procedure);
	near(point.difference_ns.value, 20000, 1e-3);
	near(point.scheduled_ns.value, 10000, 1e-3);
	assert_true(point.disagree);
	for (size_t i = 0; i < COUNT_OF(passes); i++)
		passes[i].thread_ns += 1e6;
	assert_false(
		pario_overlap_point(passes, COUNT_OF(passes), 4096, 4096, &procedure).disagree);
	/* a routine that sleeps in its calls: the time asleep belongs to its overhead */
	for (size_t i = 0; i < COUNT_OF(passes); i++) {
		passes[i].thread_ns = 1.5e6;
		passes[i].queue_ns = 0;
		passes[i].blocking = true;
	}
	assert_false(
		pario_overlap_point(passes, COUNT_OF(passes), 4096, 4096, &procedure).disagree);
}

/* Three quiet passes outvote any number of disturbed ones; two do not. */
static void disturbed_passes_are_left_out(void **state)
{
	struct pario_overlap_pass passes[8];
	struct pario_overlap_point point;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(passes); i++) {
		bool quiet = i % 3 == 0; /* 0, 3, 6 */

		passes[i] = (struct pario_overlap_pass){ .size = 4096,
							 .channels = 1,
							 .part = PARIO_PART_SYNC,
							 .calls = 10,
							 .elapsed_ns = quiet ? 1e6 : 5e6,
							 .queue_ns = quiet ? 1e3 : 4e6 };
	}
	point = pario_overlap_point(passes, COUNT_OF(passes), 4096, 4096, &procedure);
	assert_int_equal(point.passes, 8);
	assert_int_equal(point.disturbed, 5);
	near(point.sync_op_ns.value, 1e5, 1e-12);
	near(point.rate.value, 40960 / 1e-3, 1e-12);
	point = pario_overlap_point(passes, 6, 4096, 4096, &procedure);
	near(point.sync_op_ns.value, 5e5, 1e-12);
	/* where the kernel does not tell, every pass counts */
	passes[1].queue_ns = (double)NAN;
	assert_true(pario_overlap_quiet(&passes[1]));
}

static void simulate_routine(struct pario_overlap_case *c, const char *name, uint64_t seed,
			     double fix_ns, double call_ns)
{
	struct machine m = { .state = seed,
			     .fix_ns = fix_ns,
			     .byte_ns = 1,
			     .call_ns = call_ns,
			     .trans_ns = call_ns / 50,
			     .noise = 0.005,
			     .loop_ns = 5e3 };

	simulate_case(&m, c);
	strcpy(c->name, name);
	strcpy(c->phase, "read");
}

static void answer(const struct pario_overlap_case *cases, size_t n, const char *expected)
{
	struct pario_text text = { 0 };

	pario_overlap_answer(&text, cases, n);
	if (!strstr(pario_text_string(&text), expected))
		fail_msg("\"%s\" is not in: %s", expected, pario_text_string(&text));
	pario_text_release(&text);
}

/* The best is named where it differs; those that cannot be told from it with it; and nothing where all are alike. */
static void answers_only_where_routines_differ(void **state)
{
	struct pario_overlap_case cases[3];

	(void)state;
	simulate_routine(&cases[0], "fast", 1, 100e3, 50e3);
	simulate_routine(&cases[1], "lean", 2, 900e3, 2e3);
	simulate_routine(&cases[2], "twin", 3, 900e3, 2e3);
	answer(cases, 3, "fastest       fast (");
	answer(cases, 3, "least CPU     lean (");
	answer(cases + 1, 2, "fastest       all 2 alike (");
	answer(cases + 1, 2, "least CPU     all 2 alike (");
	simulate_routine(&cases[2], "twin", 2, 900e3, 2e3);
	answer(cases, 3, "), twin alike");
	/* passes too short to count CPU time say nothing about it */
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(cases[i].brief, 0);
		cases[i].tick_ns = 1e9;
	}
	answer(cases, 3, "least CPU     not known: passes were too short");
	answer(cases, 3, "fastest       fast (");
}

static bool table_has(const struct pario_overlap_case *c, const char *expected)
{
	struct pario_text text = { 0 };
	bool has;

	pario_overlap_table(&text, c, 1);
	has = strstr(pario_text_string(&text), expected);
	pario_text_release(&text);
	return has;
}

/* Table 1 defines its columns, marks what is in doubt, and has the study's S and M where something rotates. */
static void one_table(void **state)
{
	struct pario_overlap_pass passes[8 * SIM_PASSES * PARIO_PARTS];
	struct machine m = { .state = 4, .call_ns = 20e3, .trans_ns = 400, .loop_ns = 5e3 };
	struct pario_overlap_case c = { .sector = 4096, .rpm = 3600, .phase = "read" };
	size_t n = 0;

	(void)state;
	/* 18 sectors per revolution; one is missed when waiting and none when computing, but seen half a loop late */
	for (size_t i = 0; i < 8; i++)
		for (size_t k = 0; k < (size_t)SIM_PASSES * PARIO_PARTS; k++) {
			enum pario_part part = (enum pario_part)(k % PARIO_PARTS);

			m.fix_ns = part == PARIO_PART_SYNC ? 1e9 / 60 : 2.5e3;
			m.byte_ns = 1.1 / 18 / 4096 / 60 * 1e9;
			passes[n++] = simulate(&m, 4096 * cray[i], part);
		}
	pario_overlap_case_fit(&c, passes, n, &procedure);
	assert_true(covers(&c.waiting.all.m, 1) && covers(&c.waiting.all.s, 18));
	assert_true(fabs(c.overlapped.all.m.value) < 0.01 && covers(&c.overlapped.all.m, 0) &&
		    covers(&c.overlapped.all.s, 18));
	assert_true(table_has(&c, "M overlapped") && table_has(&c, "S, M  "));
	assert_false(table_has(&c, "  h\n") || table_has(&c, "cached") || table_has(&c, "--rpm"));
	c.doubt = "a result was";
	assert_true(table_has(&c, "  h\n") && pario_overlap_suspect(&c));
	strcpy(c.phase, "write");
	c.rpm = 0;
	assert_true(table_has(&c, "write, cached") && table_has(&c, "--rpm"));
	assert_false(table_has(&c, "M overlapped"));
}

/* A pass over disks that turn, one a channel, of whole walks over the file; they are anywhere when one begins. */
static struct pario_overlap_pass turn_round(struct machine *m, double s, double late, double size,
					    double channels, enum pario_part part)
{
	const double turn_ns = 60e9 / 3600, b = size / 4096,
		     calls = fmax(4, floor(6 / (1 + b / s)));
	struct pario_overlap_pass p = {
		.size = size, .channels = channels, .part = part, .loop_ns = 5e3
	};

	for (; p.elapsed_ns < 6 * turn_ns; p.walks++) {
		double begun = s * uniform(m), now = begun;

		for (double k = 0; k < calls; k++) {
			now = pario_revolution_done(s, now, k * b, b) + late;
			p.first_ns += k == 0 ? (now - begun) * turn_ns : 0;
		}
		p.elapsed_ns += (now - begun) * turn_ns;
		p.calls += calls * channels;
	}
	return p;
}

/*
 * Passes of a few calls, as short studies have them: S and M must be in their intervals all the same, of which none may
 * be too wide to tell M from the next number.
 */
static void few_calls_tell_revolutions(void **state)
{
	enum { PLANTS = 300, TIMES = 4 };
	struct machine m = { .state = 7 };
	size_t held[3] = { 0 };

	(void)state;
	for (size_t i = 0; i < PLANTS; i++) {
		double s = 8 + 52 * uniform(&m), missed = (double)(i % 4);
		struct pario_overlap_case c = { .sector = 4096, .rpm = 3600, .phase = "read" };
		struct pario_overlap_pass passes[8 * TIMES];
		size_t n = 0;

		for (size_t k = 0; k < 8 * (size_t)TIMES; k++)
			passes[n++] = turn_round(&m, s, missed > 0 ? missed - 0.5 : 0.1 / s,
						 4096 * cray[k / TIMES], (double)(1 + i % 3),
						 k % 2 ? PARIO_PART_FULL : PARIO_PART_SYNC);
		pario_overlap_case_fit(&c, passes, n, &procedure);
		held[0] += covers(&c.waiting.all.s, s);
		held[1] += covers(&c.waiting.all.m, missed);
		held[2] += covers(&c.overlapped.all.m, missed);
		assert_true(c.waiting.all.m.error < 0.25 && c.overlapped.all.m.error < 0.25);
		assert_true(c.waiting.all.s.error < 0.25 * s);
	}
	for (int i = 0; i < 3; i++)
		if ((double)held[i] < 0.9 * PLANTS)
			fail_msg("number %d: %zu of %d intervals hold the truth", i, held[i],
				 PLANTS);
}

/* Rates that are all too low by a thousandth make M too large by as much: its interval must contain that. */
static void intervals_contain_what_rates_share(void **state)
{
	struct pario_estimate rates[8];
	struct pario_revolution_fit fit;
	double alone;

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		double rate = rate_of_disk(18, 3, cray[i]) * 0.9995;

		rates[i] = (struct pario_estimate){ rate * (i % 2 ? 1.00001 : 0.99999),
						    rate * 0.00002 };
	}
	fit = pario_revolution_fit(&disk, cray, NULL, rates, 8, 0.001, 0);
	assert_true(covers(&fit.all.m, 3) && covers(&fit.all.s, 18));
	fit = pario_revolution_fit(&disk, cray, NULL, rates, 8, 0, 0);
	assert_false(covers(&fit.all.m, 3));
	alone = fit.all.m.error;
	/* ten microseconds of each call, of 16667 in a revolution */
	fit = pario_revolution_fit(&disk, cray, NULL, rates, 8, 0, 1e-5);
	near(fit.all.m.error - alone, 6e-4, 1e-6);
}

/* What the loop's own call costs is no overhead of the routine, however well the passes agree. */
static void the_own_cost_is_taken_off(void **state)
{
	const struct pario_overlap_own own = { .call_ns = 200, .wait_ns = 300, .error_ns = 100 };
	struct pario_overlap_pass passes[12];
	struct pario_overlap_point point;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(passes); i++)
		passes[i] = (struct pario_overlap_pass){ .size = 8192,
							 .channels = 1,
							 .part = (enum pario_part)(i % 3),
							 .calls = 100,
							 .elapsed_ns = 3e6,
							 .loops = 100,
							 .idle_ns = 10e3,
							 .thread_ns = 3e6,
							 .process_ns = 4e6 };
	point = pario_overlap_point(passes, COUNT_OF(passes), 8192, 4096, &own);
	near(point.difference_ns.value, 10e3 - 100, 1e-9);
	near(point.difference_ns.error, 50, 1e-9);
	near(point.scheduled_ns.value, 10e3 - 100, 1e-9);
	near(point.cpu_ns.value, 15e3 - 100, 1e-9);
	near(point.sync_op_ns.value, 30e3 - 300, 1e-9);
}

/* Most passes see nothing of a helper whose time is booked at a tick: the mean is its cost, the median is not. */
static void helpers_booked_at_ticks_are_counted(void **state)
{
	struct pario_overlap_pass passes[12];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(passes); i++)
		passes[i] = (struct pario_overlap_pass){ .size = 4096,
							 .channels = 1,
							 .part = PARIO_PART_FULL,
							 .calls = 100,
							 .elapsed_ns = 1e6,
							 .loops = 100,
							 .idle_ns = 10e3,
							 .thread_ns = 1e6,
							 .process_ns = i % 4 ? 1e6 : 5e6 };
	near(pario_overlap_point(passes, COUNT_OF(passes), 4096, 4096, &procedure).cpu_ns.value,
	     1e4, 1e-9);
}

/* Where others took a tenth of every pass, the numbers are theirs, too: the size says so. */
static void waiting_in_all_passes_is_loud(void **state)
{
	struct pario_overlap_pass passes[6];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(passes); i++)
		passes[i] = (struct pario_overlap_pass){ .size = 4096,
							 .channels = 1,
							 .part = PARIO_PART_SYNC,
							 .calls = 10,
							 .elapsed_ns = 1e6,
							 .queue_ns = i < 3 ? 1e5 : 1e3 };
	/* the three quiet ones outvote the others */
	assert_false(pario_overlap_point(passes, 6, 4096, 4096, &procedure).loud);
	assert_true(pario_overlap_point(passes, 5, 4096, 4096, &procedure).loud);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_of_a_disk),
		cmocka_unit_test(overheads),
		cmocka_unit_test(fit_of_revolutions),
		cmocka_unit_test(a_turning_disk_is_recovered),
		cmocka_unit_test(revolutions_are_weighted),
		cmocka_unit_test(revolutions_without_an_upper_bound),
		cmocka_unit_test(two_lines),
		cmocka_unit_test(golden_fits),
		cmocka_unit_test(modern_fits),
		cmocka_unit_test(intervals_of_a_line),
		cmocka_unit_test(degenerate),
		cmocka_unit_test(skewed_values_are_discarded),
		cmocka_unit_test(planted_costs_are_recovered),
		cmocka_unit_test(late_controls_are_left_out),
		cmocka_unit_test(a_noisy_machine_gives_a_bound),
		cmocka_unit_test(stolen_time_is_seen),
		cmocka_unit_test(disturbed_passes_are_left_out),
		cmocka_unit_test(answers_only_where_routines_differ),
		cmocka_unit_test(one_table),
		cmocka_unit_test(few_calls_tell_revolutions),
		cmocka_unit_test(intervals_contain_what_rates_share),
		cmocka_unit_test(the_own_cost_is_taken_off),
		cmocka_unit_test(helpers_booked_at_ticks_are_counted),
		cmocka_unit_test(waiting_in_all_passes_is_loud),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
