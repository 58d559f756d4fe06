/*
 * detail: how a result went within its phase, as the journal keeps it (journal/detail.h), read for pictures.
 *
 * Only few results are ever drawn, so a detail stays text until it is asked for.
 */
#ifndef PARIO_REPORT_PAGE_DETAIL_H
#define PARIO_REPORT_PAGE_DETAIL_H

#include "report/page/group.h"

/* The detail of a result; the caller ends it with json_decref. NULL = it has none. */
json_t *pario_reading_detail(const struct pario_reading *reading);

/* The repetition of a group that has a detail and whose number is nearest to the median; NULL = none has one. */
const struct pario_reading *pario_group_typical(const struct pario_groups *groups,
						const struct pario_group *group);

/* A number of an array or object; NaN when it is none. */
double pario_detail_number(const json_t *array, size_t i);

#endif
