/*
 * test_findings: the table of rules, and rules about times, which no planted program can make sure of.
 */
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
	      "Rank 2 spent 5 s in calls on storage, 5 times the median of 4 ranks, for no more bytes.");
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

/* Every row is whole, and its sentence asks for nothing that is not known. */
static void table(void **state)
{
	static const char *const words[] = { "calls", "all",   "names",	  "processes",
					     "rank",  "bytes", "size",	  "range",
					     "ratio", "spent", "mean",	  "op",
					     "file",  "error", "longest", "advice" };

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
					    cmocka_unit_test(table) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
