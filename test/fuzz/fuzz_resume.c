/*
 * Any journal to go on from: its results are read, and of one in 32 its options are taken or refused with a
 * sentence, the results counted for the first point, and what they show is inert.
 */
#include "session/resume.h"
#include "session/resume_state.h"

#include "journal_bytes.h"
#include "report/text/result_lines.h"
#include "tests/tests.h"

static void use_past(const struct pario_resume_state *past, struct pario_plan *plan)
{
	const struct pario_style style = { .columns = 80 };
	struct pario_err err = { 0 };
	struct pario_text out = { 0 };
	struct pario_bound bound;

	for (size_t i = 0; i < past->count; i++)
		pario_result_lines_add(&out, &style, &past->list[i], 1, true);
	require_inert(&out);
	if (pario_plan_settle(plan, 2, &err) == 0) {
		if (pario_plan_bind(plan, 0, plan->clients[0], &bound, &err) == 0)
			require(pario_resume_state_repetitions(past, &bound, 64) <= 64);
		pario_bound_release(&bound);
	}
	pario_text_release(&out);
}

static void go_on(const char *path, const struct pario_resume_state *past)
{
	struct pario_resume resume = { 0 };
	struct pario_plan plan;
	struct pario_err err = { 0 };

	if (pario_plan_init(&plan, pario_test_by_name("transfer"), &err) == 0) {
		if (pario_resume_begin(&resume, &plan.config, "transfer", path, &err) < 0)
			require(err.text[0] != '\0');
		use_past(past, &plan);
		pario_plan_release(&plan);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pario_resume_state past;
	struct pario_err err = { 0 };
	const char *path = repaired_input(0, data, size);

	if (pario_resume_state_read(&past, path, &err) == 0) {
		if (one_in(32, data, size))
			go_on(path, &past);
		pario_resume_state_release(&past);
	} else {
		require(err.text[0] != '\0');
	}
	return 0;
}
