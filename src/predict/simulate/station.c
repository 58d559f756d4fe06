/*
 * station: the jobs are few, so the next one that is done is looked for among all of them.
 */
#include "predict/simulate/station.h"

#include <math.h>
#include <stdlib.h>

void pario_station_release(struct pario_station *s)
{
	free(s->jobs);
	*s = (struct pario_station){ 0 };
}

/* How many times longer one of `jobs` takes than alone. */
static double station_slowdown(const struct pario_station_job *job, double jobs)
{
	double last = job->slowdown[PARIO_STATION_CURVE - 1], part;
	unsigned k;

	if (jobs <= 1)
		return job->slowdown[0];
	if (jobs >= PARIO_STATION_CURVE)
		return last * jobs / PARIO_STATION_CURVE;
	k = (unsigned)jobs - 1;
	part = jobs - 1 - k;
	return part > 0 ? job->slowdown[k] * (1 - part) + job->slowdown[k + 1] * part
			: job->slowdown[k];
}

static double slowdown(const struct pario_station *s, const struct pario_station_job *job)
{
	return station_slowdown(job, s->count + s->others);
}

static void work(struct pario_station *s, double now)
{
	double time = now - s->now;

	for (uint32_t i = 0; time > 0 && i < s->count; i++)
		s->jobs[i].left -= time / slowdown(s, &s->jobs[i]);
	s->now = now;
}

bool pario_station_add(struct pario_station *s, double now, const struct pario_station_job *job)
{
	struct pario_station_job *grown;

	work(s, now);
	if (s->count == s->capacity) {
		grown = reallocarray(s->jobs, s->capacity ? 2ul * s->capacity : 16, sizeof(*grown));
		if (!grown)
			return false;
		s->jobs = grown;
		s->capacity = s->capacity ? 2 * s->capacity : 16;
	}
	s->jobs[s->count++] = *job;
	return true;
}

static uint32_t first(const struct pario_station *s, double *when)
{
	uint32_t best = 0;

	*when = INFINITY;
	for (uint32_t i = 0; i < s->count; i++) {
		double left = s->jobs[i].left * slowdown(s, &s->jobs[i]);

		if (left < *when) {
			*when = left;
			best = i;
		}
	}
	*when = s->now + fmax(0, *when);
	return best;
}

double pario_station_next(const struct pario_station *s)
{
	double when;

	first(s, &when);
	return when;
}

uint32_t pario_station_done(struct pario_station *s, double now)
{
	double when;
	uint32_t i = first(s, &when), owner = s->jobs[i].owner;

	work(s, now);
	s->jobs[i] = s->jobs[--s->count];
	return owner;
}
