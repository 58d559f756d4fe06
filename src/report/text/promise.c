/*
 * promise: the ratio of what a survey predicts for the two ways. A glance has measured both, but the survey knows many
 * points and how far its predictions are off. Misleads where the storage is another one since.
 */
#include "report/text/promise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The points of a survey that stand for the ways of a glance. */
static const struct {
	const char *id, *words;
} points[] = {
	{ "write", "write segmented aligned per_client posix 1m" },
	{ "read", "read segmented aligned per_client posix 1m" },
	{ "mpiio_write", "write segmented aligned shared mpiio 1m" },
	{ "mpiio_read", "read segmented aligned shared mpiio 1m" },
	{ "strided_write", "write strided aligned shared posix 64k" },
};

/* ln of seconds per byte, with its interval. */
static bool predict(const struct pario_guesser *g, const char *id, uint64_t clients,
		    struct pario_guess *guess)
{
	struct pario_err unknown = { 0 };
	struct pario_spot place;
	char question[128];

	for (size_t i = 0; id && i < sizeof(points) / sizeof(points[0]); i++) {
		if (strcmp(points[i].id, id) != 0)
			continue;
		snprintf(question, sizeof(question), "%s %llu", points[i].words,
			 (unsigned long long)clients);
		if (pario_guess_parse(g->space, question, &place, &unknown) < 0)
			return false;
		*guess = pario_guess_at(g, &place);
		guess->cost -= place.log_bytes;
		guess->low -= place.log_bytes;
		guess->high -= place.log_bytes;
		return true;
	}
	return false;
}

static void add_gain(const struct pario_guesser *g, const char *date, struct pario_finding *finding)
{
	size_t length = strlen(finding->next);
	struct pario_guess slow, fast;

	if (!predict(g, finding->slower, finding->clients, &slow) ||
	    !predict(g, finding->faster, finding->clients, &fast))
		return;
	if (fast.cost < slow.cost)
		snprintf(finding->next + length, sizeof(finding->next) - length,
			 " (%.2g [%.2g, %.2g] × as fast by the survey of %.10s)",
			 exp(slow.cost - fast.cost), exp(slow.low - fast.high),
			 exp(slow.high - fast.low), date);
	else
		snprintf(finding->next + length, sizeof(finding->next) - length,
			 " (no faster by the survey of %.10s)", date);
}

void pario_findings_promise(const struct pario_finding_set *survey, const char *date,
			    struct pario_finding *findings, size_t count)
{
	struct pario_err unknown = { 0 };
	struct pario_guesser guesser;

	if (pario_guess_doubted(&survey->test) ||
	    pario_guesser_init(&guesser, &survey->space, &survey->model, &unknown) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		add_gain(&guesser, date, &findings[i]);
	pario_guesser_release(&guesser);
}
