/*
 * run: one run of b_eff read back from its result line, and everything worked out again from its measurements.
 *
 * The numbers come from the tables by the code that made the metrics (src/tests/beff/model), so they agree to the last
 * digit.
 */
#ifndef PARIO_TESTS_BEFF_REPORT_RUN_H
#define PARIO_TESTS_BEFF_REPORT_RUN_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "journal/history.h"
#include "journal/table.h"
#include "tests/beff/model/publish.h"

struct pario_beff_run {
	const json_t *line;
	struct pario_result_table_view head, measurements;
	char mark[16];
	double elapsed_s;
	struct pario_beff_context context;
	uint64_t lengths[PARIO_BEFF_LENGTHS];
	struct pario_beff_pattern *patterns; /* name, kind, n, used and messages only */
	struct pario_beff_table table;
	bool complete; /* it has a b_eff */
	struct pario_beff_figures figures;
	struct pario_beff_number numbers[PARIO_BEFF_METRIC_COUNT];
};

/* Is a result line of the test beff one of b_eff itself, or of what was measured beside it? */
bool pario_beff_run_is(const json_t *line);

/* Reads a result line of the test beff. On failure nothing is held. The line must outlive the run. */
int pario_beff_run_read(struct pario_beff_run *run, const json_t *line, struct pario_err *err);
void pario_beff_run_release(struct pario_beff_run *run);

/* An item of the head as text or number. */
const char *pario_beff_run_text(const struct pario_beff_run *run, const char *item);
double pario_beff_run_number(const struct pario_beff_run *run, const char *item);

#endif
