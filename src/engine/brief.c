/*
 * brief: is the thing measured what took the time?
 *
 * A phase can be over before it says anything about storage: when the clients' starts, or opening and closing the file,
 * are a part of the time that counts, or when all of it is no longer than what the kernel does meanwhile. The number is
 * kept, and is suspect, with the share.
 */
#include <stdio.h>

#include "base/units.h"
#include "engine/engine.h"

/* A tick of the kernel's clock and what it wakes up take as long as all of a phase below this. */
#define LEAST_S 1e-3

/* Shares of the measured time: how uneven the start, and how long opening and closing, may be. */
#define START_SHARE 0.1
#define OPEN_SHARE  0.2

/* "46 % of the time (300 ms of 651 ms)"; what is less than a percent is no share to speak of. */
static const char *share(char text[120], double part, double whole)
{
	char own[PARIO_UNITS_CAPACITY], all[PARIO_UNITS_CAPACITY];

	snprintf(text, 120, "%.0f %% of the time (%s of %s)", 100 * part / whole,
		 pario_units_time(own, part), pario_units_time(all, whole));
	return text;
}

void pario_engine_judge_brief(struct pario_engine *e, struct pario_result *r)
{
	const struct pario_metric *apart = pario_result_find(r, "barrier_exit_spread_s");
	double spread = apart ? apart->value : 0, whole = r->seconds.total;
	double around = r->seconds.open + r->seconds.close;
	char text[300], part[120], time[PARIO_UNITS_CAPACITY];

	if (r->ops == 0 || !(whole > 0))
		return;
	if (spread > START_SHARE * whole)
		snprintf(text, sizeof(text), "too short: the clients started apart for %s",
			 share(part, spread, whole));
	else if (pario_engine_file_data(e) && around > OPEN_SHARE * whole)
		snprintf(text, sizeof(text), "too short: opening and closing the file took %s",
			 share(part, around, whole));
	else if (whole < LEAST_S)
		snprintf(
			text, sizeof(text),
			"too short: %llu operation%s in %s, no longer than what the kernel does in "
			"between",
			(unsigned long long)r->ops, r->ops == 1 ? "" : "s",
			pario_units_time(time, whole));
	else
		return;
	pario_engine_suspect(r, text);
}
