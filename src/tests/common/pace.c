/*
 * pace: sleeps most of the time and looks at the clock for the rest: sleepers wake late.
 */
#include "tests/common/pace.h"

#include <time.h>

#include "engine/test.h"

/* The kernel wakes a sleeper up to 50 us late; a sleep ends now and then, so that the user can interrupt. */
enum { LATE_NS = 60000, NAP_NS = 100000000 };

const char *const pario_pace_kinds[] = { "wait", "busy", NULL };

void pario_pace_init(struct pario_pace *pace, bool busy)
{
	pace->busy = busy;
	if (busy)
		pario_busy_init(&pace->memory, PARIO_BUSY_BYTES);
}

void pario_pace_release(struct pario_pace *pace)
{
	pario_busy_release(&pace->memory);
}

void pario_pace_until(struct pario_pace *pace, const struct pario_run *run, int64_t until_ns)
{
	int64_t left;

	while ((left = until_ns - pario_run_now()) > 0) {
		if (pace->busy) {
			pario_busy_some(&pace->memory);
		} else if (left > LATE_NS) {
			left -= LATE_NS;
			nanosleep(&(struct timespec){ 0, left < NAP_NS ? left : NAP_NS }, NULL);
			if (pario_run_over(run))
				return;
		}
	}
}
