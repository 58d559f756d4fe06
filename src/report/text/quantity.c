/*
 * quantity: which number of a result is shown, and how it is written.
 */
#include "report/text/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

const char *pario_quantity_scaled(const char *unit, double *value)
{
	if (strcmp(unit, "B/s") != 0)
		return unit;
	*value /= 1e6;
	return "MB/s";
}

double pario_quantity_of(const struct pario_result *r)
{
	const struct pario_metric *m = r->headline[0] ? pario_result_find(r, r->headline) : NULL;
	double value = m ? m->value : (double)NAN;

	if (r->headline[0])
		pario_quantity_scaled(m ? m->unit : "", &value);
	else if (r->bytes == 0 && r->ops > 0 && r->seconds.total > 0)
		value = (double)r->ops / r->seconds.total;
	else
		value = r->rate_mib_s;
	return value;
}

const char *pario_quantity_unit(const struct pario_result *r)
{
	const struct pario_metric *m = r->headline[0] ? pario_result_find(r, r->headline) : NULL;
	double unused = 0;

	if (m)
		return pario_quantity_scaled(m->unit, &unused);
	return r->bytes ? "MiB/s" : "ops/s";
}

double pario_quantity_seconds(const char *unit)
{
	static const struct {
		const char *unit;
		double seconds;
	} times[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (strcmp(unit, times[i].unit) == 0)
			return times[i].seconds;
	}
	return 0;
}

char *pario_quantity_text(char buf[PARIO_QUANTITY_CAPACITY], double value, const char *unit)
{
	double seconds = pario_quantity_seconds(unit);
	char number[PARIO_UNITS_CAPACITY];
	struct pario_text clean = { 0 };

	if (seconds > 0 && value >= 0)
		snprintf(buf, PARIO_QUANTITY_CAPACITY, "%s",
			 pario_units_time(number, value * seconds));
	else if (strcmp(unit, "MiB/s") == 0)
		snprintf(buf, PARIO_QUANTITY_CAPACITY, "%s", pario_units_rate(number, value));
	else if (strcmp(unit, "ops/s") == 0)
		snprintf(buf, PARIO_QUANTITY_CAPACITY, "%s/s", pario_units_count(number, value));
	else {
		/* A journal may call its unit anything. */
		pario_text_clean(&clean, unit);
		snprintf(buf, PARIO_QUANTITY_CAPACITY, "%s%s%.30s",
			 pario_units_number(number, value), *unit ? " " : "",
			 pario_text_string(&clean));
	}
	pario_text_release(&clean);
	return buf;
}

char *pario_quantity_like(char buf[PARIO_QUANTITY_CAPACITY], double value, double other,
			  const char *unit)
{
	double seconds = pario_quantity_seconds(unit), scale = 1;
	char number[PARIO_UNITS_CAPACITY];
	const char *name;

	if (seconds > 0)
		scale = pario_units_time_unit(value * seconds, &name) / seconds;
	else if (strcmp(unit, "ops/s") == 0)
		scale = pario_units_count_unit(value, &name);
	if (scale > 0)
		pario_units_number(number, other / scale);
	else
		pario_units_time(number, other * seconds);
	snprintf(buf, PARIO_QUANTITY_CAPACITY, "%s", number);
	return buf;
}

char *pario_quantity_interval(char buf[PARIO_QUANTITY_CAPACITY], double value, double low,
			      double high, const char *unit)
{
	char from[PARIO_QUANTITY_CAPACITY], to[PARIO_QUANTITY_CAPACITY];

	pario_quantity_like(from, value, low, unit);
	pario_quantity_like(to, value, high, unit);
	snprintf(buf, PARIO_QUANTITY_CAPACITY, "[%.37s, %.37s]", from, to);
	return buf;
}

char *pario_quantity_range(char buf[PARIO_QUANTITY_CAPACITY], double value, double low, double high,
			   const char *unit)
{
	char text[PARIO_QUANTITY_CAPACITY];
	double seconds = pario_quantity_seconds(unit);
	const char *name = "";
	size_t length;

	pario_quantity_interval(buf, value, low, high, unit);
	/* Long times are several numbers with a unit each. */
	if (seconds > 0 && !(pario_units_time_unit(value * seconds, &name) > 0))
		return buf;
	pario_quantity_text(text, value, unit);
	length = strlen(buf);
	name = text + strspn(text, "-0123456789. ");
	snprintf(buf + length, PARIO_QUANTITY_CAPACITY - length, "%s%s",
		 *name && *name != '/' ? " " : "", name);
	return buf;
}
