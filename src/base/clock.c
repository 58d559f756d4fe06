/*
 * clock: labels in calendar time, never durations, since that clock can be set; and what the kernel thinks of the
 * processor's counter.
 */
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

char *pario_clock_label(char *buf)
{
	struct tm tm;
	time_t now = time(NULL);

	if (!gmtime_r(&now, &tm) || !strftime(buf, PARIO_CLOCK_CAPACITY, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(buf, PARIO_CLOCK_CAPACITY, "1970-01-01T00:00:00Z");
	return buf;
}

bool pario_clock_counter(void)
{
#if defined(__x86_64__)
	FILE *file =
		fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	char name[32] = "";
	bool trusted = file && fgets(name, sizeof(name), file) && strcmp(name, "tsc\n") == 0;

	if (file)
		fclose(file);
	return trusted;
#else
	return false;
#endif
}
