/*
 * test_align: clocks of several machines with planted differences and drifts, recovered from the ends of barriers.
 */
#include "planted.h"

#include <math.h>

static uint64_t random_state = 7;

/* Between -1 and 1. */
static double noise(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) / (double)(1ull << 52) - 1;
}

enum { MEETINGS = 300 };

static void fit(double offset_ns, double drift, double noise_ns, int outliers, size_t count,
		struct pario_align *align)
{
	double at[MEETINGS], ahead[MEETINGS];

	for (size_t i = 0; i < count; i++) {
		at[i] = 1e9 + 2e7 * (double)i;
		ahead[i] = offset_ns + drift * at[i] + noise_ns * noise();
		if (outliers && i % (size_t)outliers == 0)
			ahead[i] += 2e7;
	}
	assert_int_equal(pario_align_fit(at, ahead, NULL, count, align), 0);
	assert_int_equal(align->meetings, count);
}

static void lines(void **state)
{
	struct pario_align a;

	(void)state;
	fit(1.5e6, 20e-6, 5e3, 10, MEETINGS, &a); /* every tenth meeting is torn by 20 ms */
	assert_true(fabs(a.drift - 20e-6) < 1e-6);
	assert_true(fabs(pario_align_ahead(&a, 2e9) - (1.5e6 + 20e-6 * 2e9)) < 3e3);
	assert_true(a.error_ns > 1e3 && a.error_ns < 1e4);
	fit(-4e5, 0, 5e3, 0, MEETINGS, &a); /* noise is no drift */
	assert_true(a.drift == 0);
	assert_true(fabs(a.offset_ns + 4e5) < 2e3);
	fit(7e6, 1e-4, 0, 0, 3, &a); /* three meetings are too few for a drift */
	assert_true(a.drift == 0);
	assert_true(fabs(a.offset_ns - (7e6 + 1e-4 * 1.02e9)) < 1);
	fit(0, 0, 0, 0, 0, &a);
	assert_int_equal(a.meetings, 0);
}

/* One clock, seen through noise: eight to forty meetings within 30 ms, whose ends are torn apart by up to 300 us. */
static void noise_is_no_drift(void **state)
{
	double at[40], ahead[40];
	struct pario_align a;

	(void)state;
	for (int run = 0; run < 500; run++) {
		size_t count = 8 + (size_t)run % 33;

		for (size_t i = 0; i < count; i++) {
			at[i] = 1e9 + 3e7 * (double)i / (double)count;
			ahead[i] = 3e5 * noise() * noise();
		}
		assert_int_equal(pario_align_fit(at, ahead, NULL, count, &a), 0);
		assert_true(a.drift == 0);
		assert_true(fabs(a.offset_ns) < 3e5);
		assert_true(a.drift_error > 0);
		/* an hour later it is still the same */
		assert_true(pario_align_ahead(&a, 3.6e12) == a.offset_ns);
	}
}

/* A line that no clock can follow is none, however clear; a clock at its limit is one. */
static void most_drift(void **state)
{
	struct pario_align a;

	(void)state;
	fit(0, -9030e-6, 1e3, 0, MEETINGS, &a);
	assert_true(a.drift == 0);
	assert_true(a.error_ns > 1e6); /* what the line would have explained is error now */
	fit(0, 400e-6, 1e3, 0, MEETINGS, &a);
	assert_true(fabs(a.drift - 400e-6) < 4 * a.drift_error);
	assert_true(a.drift_error > 0 && a.drift_error < 1e-6);
}

/* Between the first and the last meeting the line holds; outside nothing is known. */
static void not_beyond(void **state)
{
	double first = 1e9, last = 1e9 + 2e7 * (MEETINGS - 1);
	struct pario_align a;

	(void)state;
	fit(1e6, 100e-6, 1e3, 0, MEETINGS, &a);
	assert_true(fabs(a.drift - 100e-6) < 1e-6);
	assert_true(a.from_ns == first && a.to_ns == last);
	assert_true(pario_align_ahead(&a, 0) == pario_align_ahead(&a, first));
	assert_true(pario_align_ahead(&a, 1e12) == pario_align_ahead(&a, last));
	assert_true(pario_align_ahead(&a, last) > pario_align_ahead(&a, first));
}

static void shortest_stay(void **state)
{
	const double at[] = { 1e9, 2e9, 3e9 }, ahead[] = { 50, 51, 49 }, stay[] = { 9e3, 3e4, 2e4 };
	struct pario_align a;

	(void)state;
	assert_int_equal(pario_align_fit(at, ahead, stay, 3, &a), 0);
	assert_true(a.error_ns == 2e4); /* no finer than the meetings themselves */
}

/* ---- whole traces ---- */

struct machine {
	const char *host;
	double ahead_ns, drift;
};

static const double REAL = 1.7e18;

static uint64_t ticks_of(const struct machine *m, double t)
{
	return 1000000000 + (uint64_t)llround(t * (1 + m->drift));
}

/* A rank that meets the others `count` times and writes right behind each meeting. */
static void plant(struct planted *p, const struct machine *m, uint32_t rank, int count,
		  bool barriers)
{
	planted_process(p, m->host, 100 + rank, rank, ticks_of(m, 0),
			(uint64_t)(REAL + m->ahead_ns));
	for (int i = 0; i < count; i++) {
		double end = 1e6 + 1e7 * i + 2e3 * noise(), come = end - 2e4 - 1e4 * rank;
		uint16_t op = i % 3 == 1 ? PARIO_OP_MPI_Allreduce : PARIO_OP_MPI_Barrier;

		if (p->head.used > 2000) /* the next segment of the same process */
			planted_write(p);
		if (barriers)
			planted_call(p, op, ticks_of(m, come), ticks_of(m, end));
		planted_call(p, PARIO_OP_pwrite, ticks_of(m, 1e6 + 1e7 * i + 5e4),
			     ticks_of(m, 1e6 + 1e7 * i + 6e4));
	}
	planted_write(p);
}

struct starts {
	double first[8], last[8];
};

static int see(void *context, const struct pario_profile *p, const struct pario_profile_call *call,
	       struct pario_err *err)
{
	struct starts *s = context;
	uint32_t rank = p->job.processes[call->process].rank;

	(void)err;
	if (call->record.op != PARIO_OP_pwrite)
		return 0;
	if (s->first[rank] == 0)
		s->first[rank] = call->start_ns;
	s->last[rank] = call->start_ns;
	return 0;
}

/* Ranks 0 and 1 on the first machine, 2 and 3 on the second. */
static void trace(const struct machine machines[2], int count, bool barriers, struct starts *starts,
		  struct pario_align *align)
{
	struct pario_profile profile;
	struct planted p;

	planted_begin(&p);
	for (uint32_t rank = 0; rank < 4; rank++)
		plant(&p, &machines[rank / 2], rank, count, barriers);
	*starts = (struct starts){ 0 };
	planted_read(&p, &profile, see, starts);
	for (uint32_t i = 0; i < profile.job.machine_count; i++) {
		if (!profile.job.machines[i].align.reference)
			*align = profile.job.machines[i].align;
	}
	pario_profile_release(&profile);
}

static double apart(const double starts[8])
{
	double low = INFINITY, high = -INFINITY;

	for (int i = 0; i < 4; i++) {
		low = fmin(low, starts[i]);
		high = fmax(high, starts[i]);
	}
	return high - low;
}

static void two_machines(void **state)
{
	const struct machine machines[] = { { "a", 0, 0 }, { "b", 3.7e6, 50e-6 } };
	const struct machine behind[] = { { "a", 0, 0 }, { "b", -2.5e7, -80e-6 } };
	struct pario_align align;
	struct starts s;

	(void)state;
	trace(machines, 200, true, &s, &align);
	assert_true(align.applied);
	assert_int_equal(align.meetings, 200);
	assert_true(fabs(align.drift - 50e-6) < 1e-6);
	assert_true(fabs(pario_align_ahead(&align, 3.7e6) - 3.7e6) < 5e3);
	assert_true(apart(s.first) < 5e3);
	assert_true(apart(s.last) < 5e3);
	/* the same program without a meeting stays as the wall clocks have it */
	trace(machines, 200, false, &s, &align);
	assert_false(align.applied);
	assert_int_equal(align.meetings, 0);
	assert_true(fabs(apart(s.first) - 3.7e6) < 1e3);
	/* a clock that is behind: nothing begins before the job does */
	trace(behind, 200, true, &s, &align);
	assert_true(align.applied);
	assert_true(apart(s.first) < 5e3 && apart(s.last) < 5e3);
	assert_true(s.first[0] > 0 && s.first[0] < 2e6);
}

static void not_worse(void **state)
{
	const struct machine same[] = { { "a", 0, 0 }, { "a", 0, 0 } };
	const struct machine close[] = { { "a", 0, 0 }, { "b", 3e3, 0 } };
	struct pario_align align = { 0 };
	struct starts s;

	(void)state;
	trace(same, 50, true, &s, &align); /* one machine has one clock */
	assert_false(align.applied);
	assert_true(apart(s.first) < 1);
	trace(close, 50, true, &s, &align); /* less than anybody's shortest stay */
	assert_int_equal(align.meetings, 50);
	assert_false(align.applied);
	assert_true(fabs(apart(s.first) - 3e3) < 300); /* as exact as 1.7e18 can be */
}

/* More meetings than are kept: every second is let go, on both sides alike. */
static void many(void **state)
{
	const struct machine machines[] = { { "a", 0, 0 }, { "b", 1e6, 10e-6 } };
	struct pario_align align;
	struct starts s;

	(void)state;
	trace(machines, 9000, true, &s, &align);
	assert_true(align.applied);
	assert_int_equal(align.meetings, 2250);
	assert_true(apart(s.last) < 5e3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),	 cmocka_unit_test(noise_is_no_drift),
		cmocka_unit_test(most_drift),	 cmocka_unit_test(not_beyond),
		cmocka_unit_test(shortest_stay), cmocka_unit_test(two_machines),
		cmocka_unit_test(not_worse),	 cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
