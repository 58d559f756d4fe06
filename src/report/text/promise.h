/*
 * promise: how much faster would what a finding advises be, by an earlier survey of the same directory?
 */
#ifndef PARIO_REPORT_TEXT_PROMISE_H
#define PARIO_REPORT_TEXT_PROMISE_H

#include <stddef.h>

#include "report/text/findings.h"
#include "survey/record.h"

/* Adds the gain to what the findings advise, where the survey knows both ways and its model held. */
void pario_findings_promise(const struct pario_finding_set *survey, const char *date,
			    struct pario_finding *findings, size_t count);

#endif
