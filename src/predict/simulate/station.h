/*
 * station: a device that works on all its jobs at the same time and, with more of them, on each more slowly.
 *
 * A job brings the time it would take alone, and by what it is slowed down: curve[k], for k + 1 jobs at once, beyond
 * its end in proportion. With the same flat total rate for all this is processor sharing.
 */
#ifndef PARIO_PREDICT_SIMULATE_STATION_H
#define PARIO_PREDICT_SIMULATE_STATION_H

#include <stdbool.h>
#include <stdint.h>

enum { PARIO_STATION_CURVE = 16 };

struct pario_station_job {
	uint32_t owner;
	double left; /* seconds, as if it were alone */
	float slowdown[PARIO_STATION_CURVE];
};

struct pario_station {
	struct pario_station_job *jobs;
	uint32_t count, capacity;
	double now;
	double others; /* busy clients that are not simulated */
};

void pario_station_release(struct pario_station *s);

/* Nothing may have completed before `now`. False: no memory. */
bool pario_station_add(struct pario_station *s, double now, const struct pario_station_job *job);
/* When the next job is done, if none comes before; infinite when there is none. */
double pario_station_next(const struct pario_station *s);
/* Works until `now`; returns the owner of the job that is done then and removes it. */
uint32_t pario_station_done(struct pario_station *s, double now);

#endif
