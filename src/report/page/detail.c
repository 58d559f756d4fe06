/*
 * detail: reads the text of a detail, which may hold anything.
 */
#include "report/page/detail.h"

#include <math.h>

json_t *pario_reading_detail(const struct pario_reading *reading)
{
	json_t *detail = NULL;

	if (reading->more->carried->detail)
		detail = json_loadb(reading->more->carried->detail,
				    reading->more->carried->detail_length, 0, NULL);
	else if (reading->more->carried->line)
		detail = json_incref(json_object_get(reading->more->carried->line, "detail"));
	if (detail && !json_is_object(detail)) {
		json_decref(detail);
		return NULL;
	}
	return detail;
}

const struct pario_reading *pario_group_typical(const struct pario_groups *groups,
						const struct pario_group *group)
{
	const struct pario_reading *best = NULL;
	double nearest = INFINITY;

	for (size_t i = 0; i < group->count; i++) {
		const struct pario_reading *r = groups->member[group->begin + i];
		double away = fabs(pario_reading_value(r) - group->median);

		if ((r->more->carried->detail ||
		     json_object_get(r->more->carried->line, "detail")) &&
		    away < nearest) {
			nearest = away;
			best = r;
		}
	}
	return best;
}

double pario_detail_number(const json_t *array, size_t i)
{
	const json_t *value = json_array_get(array, i);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}
