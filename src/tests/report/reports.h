/*
 * reports: what the tests themselves add to a report, for whoever makes a page or ends a run.
 */
#ifndef PARIO_TESTS_REPORT_REPORTS_H
#define PARIO_TESTS_REPORT_REPORTS_H

#include "report/chart/pictures.h"

pario_picture_draw pario_picture_beff, pario_picture_beff_io, pario_picture_nht1,
	pario_picture_overlap, pario_picture_madbench2, pario_picture_replay;

extern const struct pario_test_reports pario_test_reports;

#endif
