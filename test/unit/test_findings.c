/*
 * test_findings: the table of rules, and rules about times, which no planted program can make sure of.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "profile/findings/findings.h"

enum { RANKS = 4 };

/* Ranks that moved 100 MiB each in a second. */
struct job {
	struct pario_job_process processes[RANKS + 1];
	struct pario_profile_process sums[RANKS + 1];
	struct pario_profile profile;
};

static void begin(struct job *j)
{
	memset(j, 0, sizeof(*j));
	j->profile.job.process_of.count = RANKS;
	j->profile.job.processes = j->processes;
	j->profile.processes = j->sums;
	j->profile.timeline.end_ns = 10e9;
	j->profile.on[PARIO_MEDIUM_STORAGE].ns = RANKS * 1e9;
	j->profile.evidence = pario_evidence_new(&j->profile.job);
	assert_non_null(j->profile.evidence);
	for (uint32_t i = 1; i <= RANKS; i++) {
		j->processes[i].rank = i - 1;
		j->sums[i].meet.calls = 1;
		j->sums[i].write =
			(struct pario_profile_sum){ .calls = 100, .bytes = 100 << 20, .ns = 1e9 };
	}
}

static void end(struct job *j)
{
	pario_evidence_free(j->profile.evidence);
}

/* The one finding, or none. */
static void finds(struct job *j, const char *rule, const char *says)
{
	struct pario_profile_findings f;
	struct pario_text text = { 0 };

	pario_profile_findings_judge(&f, &j->profile);
	assert_int_equal(f.count, rule != NULL);
	if (rule) {
		assert_string_equal(f.items[0].rule->name, rule);
		pario_profile_finding_says(&j->profile, &f.items[0], &text);
		assert_string_equal(pario_text_string(&text), says);
	}
	pario_text_release(&text);
	pario_profile_findings_release(&f);
}

static void stragglers(void **state)
{
	struct job j;

	(void)state;
	begin(&j);
	finds(&j, NULL, NULL);
	j.sums[3].write.ns = 2.5e9; /* not three times the median */
	finds(&j, NULL, NULL);
	j.sums[3].write.ns = 5e9;
	finds(&j, "straggler",
	      "Rank 2 spent 5 s in reads and writes, 5 times the median of 4 ranks, for no more calls and bytes.");
	j.profile.timeline.end_ns = 100e9; /* less than a tenth of the run */
	finds(&j, NULL, NULL);
	end(&j);
}

static void shares(void **state)
{
	struct job j;

	(void)state;
	begin(&j);
	j.sums[1].write.bytes = 900 << 20;
	j.sums[1].write.ns = 9e9;
	finds(&j, "imbalance",
	      "Rank 0 moved 900 MiB, 3 times the mean of 4 ranks; its calls on storage took 9 s, theirs 3 s "
	      "on average.");
	for (uint32_t i = 2; i <= RANKS; i++)
		j.sums[i].write.bytes = 1 << 20;
	finds(&j, "one_rank", "Rank 0 of 4 moved 900 MiB, 100 % of what all ranks moved.");
	end(&j);
}

/* ---- who waited for whom ---- */

static struct pario_profile_call call_of(uint32_t process, double from_ms, double to_ms)
{
	return (struct pario_profile_call){ .process = process,
					    .start_ns = from_ms * 1e6,
					    .ns = (to_ms - from_ms) * 1e6 };
}

static void adds_io(struct pario_waits *w, uint32_t process, double from_ms, double to_ms)
{
	struct pario_profile_call call = call_of(process, from_ms, to_ms);

	assert_true(pario_waits_add_io(w, &call));
}

static void meets(struct pario_waits *w, uint64_t comm, uint32_t process, double from_ms,
		  double to_ms)
{
	struct pario_profile_call call = call_of(process, from_ms, to_ms);

	assert_true(pario_waits_add_meeting(w, &call, 7, comm));
}

static void add_explained(void *context, const struct pario_meeting *m, double waited_ns,
			  double explained_ns)
{
	double *ms = context;

	assert_int_equal(m->site, 7);
	assert_true(explained_ns <= waited_ns);
	ms[m->process] += explained_ns / 1e6;
}

/* Only what the one that came last did on storage while the others were waiting. */
static void waits(void **state)
{
	double ms[4] = { 0 };
	bool no_memory = false;
	struct pario_waits w;

	(void)state;
	assert_true(pario_waits_init(&w, 3));
	/* process 1 is in I/O from 10 to 30 and computes to 50; process 3, which also waits, is in I/O meanwhile */
	adds_io(&w, 1, 10, 30);
	adds_io(&w, 3, 0, 20);
	meets(&w, 1, 1, 50, 51);
	meets(&w, 1, 2, 5, 51);
	meets(&w, 1, 3, 25, 51);
	/* the same communicator once more: process 2 computes, so nothing explains this */
	adds_io(&w, 1, 55, 60);
	meets(&w, 1, 1, 61, 81);
	meets(&w, 1, 2, 80, 81);
	meets(&w, 1, 3, 61, 81);
	/* another one: who left before the last one came did not wait for it */
	meets(&w, 9, 1, 90, 95);
	adds_io(&w, 2, 90, 99);
	meets(&w, 9, 2, 99, 100);
	pario_waits_settle(&w);
	pario_waits_explain(&w, add_explained, ms);
	assert_true(ms[1] == 0);
	assert_true(fabs(ms[2] - 20) < 1e-6 && fabs(ms[3] - 5) < 1e-6);
	/* 0 to 30, 55 to 60, 90 to 99 */
	assert_true(fabs(pario_waits_union_ns(&w, NULL, &no_memory) / 1e6 - 44) < 1e-6);
	assert_false(no_memory);
	pario_waits_release(&w);
}

static void parts(void **state)
{
	struct pario_extents a = { 0 }, b = { 0 };
	uint64_t all = 0, before;

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		assert_true(pario_extents_add(&a, 2 * i * 100, 2 * i * 100 + 100, &all, &before));
		assert_int_equal(before, 0);
		assert_true(
			pario_extents_add(&b, 2 * i * 100 + 100, 2 * i * 100 + 200, &all, &before));
	}
	assert_int_equal(pario_extents_turns(&a, &b), 19);
	assert_int_equal(pario_extents_common(&a, &b), 0);
	assert_true(pario_extents_add(&a, 50, 350, &all, &before));
	assert_int_equal(before, 150);
	assert_int_equal(a.count, 9);
	assert_int_equal(pario_extents_common(&a, &b), 150);
	assert_int_equal(pario_extents_within(&a, 300, 450), 100);
	assert_int_equal(pario_extents_bytes(&a), 1150);
	pario_extents_release(&a);
	pario_extents_release(&b);
}

/* Every row is whole, and its sentence asks for nothing that is not known. */
static void table(void **state)
{
	static const char *const words[] = { "calls",  "all",  "names", "processes", "rank",
					     "bytes",  "size", "range", "ratio",     "spent",
					     "mean",   "op",   "file",	"error",     "longest",
					     "advice", "ranks" };

	(void)state;
	for (uint32_t i = 0; i < pario_rule_count; i++) {
		const struct pario_rule *r = &pario_rules[i];

		assert_true(r->name && r->title && r->measures && r->source && r->remedy);
		assert_true(r->least > 0);
		assert_int_equal(!!r->stream + !!r->job + !!r->place, 1);
		for (const char *at = strchr(r->says, '{'); at; at = strchr(at + 1, '{')) {
			size_t length = strcspn(at + 1, "}");
			bool known = false;

			for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
				known |= strlen(words[k]) == length &&
					 memcmp(words[k], at + 1, length) == 0;
			assert_true(known);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stragglers), cmocka_unit_test(shares),
					    cmocka_unit_test(waits), cmocka_unit_test(parts),
					    cmocka_unit_test(table) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
