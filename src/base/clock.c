/*
 * clock: labels in calendar time, never durations, since that clock can be set; and what the kernel thinks of the
 * processor's counter.
 */
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

char *pario_clock_label(char *buf)
{
	return pario_clock_label_at(buf, pario_clock_unix());
}

char *pario_clock_label_at(char *buf, int64_t unix_s)
{
	struct tm tm;
	time_t moment = (time_t)unix_s;

	if (!gmtime_r(&moment, &tm) ||
	    !strftime(buf, PARIO_CLOCK_CAPACITY, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(buf, PARIO_CLOCK_CAPACITY, "1970-01-01T00:00:00Z");
	return buf;
}

int64_t pario_clock_unix(void)
{
	return (int64_t)time(NULL);
}

static bool local(struct tm *tm, int64_t unix_s)
{
	time_t moment = (time_t)unix_s;

	return localtime_r(&moment, tm) != NULL;
}

char *pario_clock_asctime(char *buf, int64_t unix_s)
{
	struct tm tm;

	if (!local(&tm, unix_s) ||
	    !strftime(buf, PARIO_CLOCK_CAPACITY, "%a %b %e %H:%M:%S %Y", &tm))
		buf[0] = '\0';
	return buf;
}

char *pario_clock_american(char *buf, int64_t unix_s)
{
	struct tm tm;

	if (!local(&tm, unix_s) || !strftime(buf, PARIO_CLOCK_CAPACITY, "%m/%d/%Y %H:%M:%S", &tm))
		buf[0] = '\0';
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
