/*
 * clock: labels in calendar time. Durations never come from here, since this clock can be set.
 */
#include "base/clock.h"

#include <stdio.h>

char *pario_clock_label(char *buf)
{
	struct tm tm;
	time_t now = time(NULL);

	if (!gmtime_r(&now, &tm) || !strftime(buf, PARIO_CLOCK_ROOM, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(buf, PARIO_CLOCK_ROOM, "1970-01-01T00:00:00Z");
	return buf;
}
