/*
 * fit_coverage: what of the set was not measured, and why, so that a SYSTEM says itself what it cannot tell. Nothing
 * is filled in here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/fit_private.h"

/* Operations that no test of pario measures by itself. */
static const char *const never[] = { "readdir", "truncate", "seek" };

/* Why a part has no number: the first reason that a result gives. */
static const char *reason_of(const struct pario_fit *fit, const struct pario_set_part *part)
{
	for (size_t i = 0; i < fit->history.result_count; i++) {
		const json_t *result = fit->history.results[i];
		const char *reason = pario_history_text(result, "reason");

		if (pario_fit_part(result) == part && *reason)
			return reason;
	}
	return "the time was over before, or the run was ended.";
}

static bool measured(const struct pario_fit *fit, const struct pario_set_part *part)
{
	for (size_t i = 0; i < fit->history.result_count; i++) {
		if (pario_fit_part(fit->history.results[i]) == part &&
		    pario_fit_counts(part, fit->history.results[i]))
			return true;
	}
	return false;
}

/* Fewer repetitions than asked for by default, or less time. */
static int add_shortness(struct pario_fit *fit)
{
	size_t least = PARIO_SET_REPETITIONS;
	char why[200];

	for (size_t i = 0; i < fit->calls.count; i++) {
		if (fit->calls.list[i].count < least)
			least = fit->calls.list[i].count;
	}
	if (fit->minutes < strtod(PARIO_SET_MINUTES, NULL)) {
		snprintf(why, sizeof(why),
			 "--minutes %g was asked for instead of " PARIO_SET_MINUTES ".",
			 fit->minutes);
		if (pario_system_add_gap(fit->system, "the usual time", why) < 0)
			return -1;
	}
	if (least < PARIO_SET_REPETITIONS) {
		snprintf(why, sizeof(why), "some points were measured only %zu time%s, not %d.",
			 least, least == 1 ? "" : "s", PARIO_SET_REPETITIONS);
		return pario_system_add_gap(fit->system, "repetitions", why);
	}
	return 0;
}

static int add_memory(struct pario_fit *fit)
{
	struct pario_system *s = fit->system;
	int status = 0;

	if (isnan(s->read_ahead_bytes))
		status = pario_system_add_gap(
			s, "read-ahead", "the kernel does not say how far it reads ahead there.");
	if (status == 0 && s->barrier_count)
		status = pario_system_add_gap(
			s, "barriers",
			"they are worked out from the latency of messages, one for each doubling.");
	if (status == 0 && isnan(s->dirty_limit_bytes))
		status = pario_system_add_gap(
			s, "write-back",
			"the file system keeps its data in memory, so nothing is stored.");
	return status;
}

int pario_fit_coverage(struct pario_fit *fit)
{
	if (add_shortness(fit) < 0)
		return -1;
	for (size_t i = 0; i < pario_set_count; i++) {
		const struct pario_set_part *part = &pario_set[i];

		if (!measured(fit, part) &&
		    pario_system_add_gap(fit->system, part->what, reason_of(fit, part)) < 0)
			return -1;
	}
	if (add_memory(fit) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		if (pario_system_add_gap(fit->system, never[i],
					 "no test of pario measures it by itself.") < 0)
			return -1;
	}
	return 0;
}
