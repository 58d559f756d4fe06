/*
 * protocol: what a run of b_eff leaves in its result: every measurement in tables, and the published numbers as
 * metrics.
 *
 *	head           item value                                  release, mark, seed, placement, cautions ...
 *	patterns       pattern name group processes messages order
 *	lengths        length bytes
 *	measurements   repetition length pattern method loop min_ns mean_ns max_ns bandwidth mark
 *
 * Times are over the processes that took part, bandwidth is in byte/s. The metrics follow from the tables alone.
 */
#ifndef PARIO_TESTS_BEFF_MEASURE_PROTOCOL_H
#define PARIO_TESTS_BEFF_MEASURE_PROTOCOL_H

#include "tests/beff/measure/network.h"
#include "tests/beff/model/publish.h"

/* On client 0, at the end of the body. When the run is not complete it has no numbers, and says so. */
void pario_protocol_keep(struct pario_run *run, const struct pario_network *network,
			 const struct pario_beff_schedule *schedule,
			 const struct pario_beff_context *context, uint64_t seed, bool complete);

#endif
