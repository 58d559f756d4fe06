/*
 * conformity: what NHT-1 asks of a result, whether it has that, and what shows it: one statement per result, from
 * the journal alone, with a line each for the memory that was moved, the nodes, the origin of T_C, the state of
 * the cache, durability and the path of the transfer.
 */
#ifndef PARIO_TESTS_NHT1_REPORT_CONFORMITY_H
#define PARIO_TESTS_NHT1_REPORT_CONFORMITY_H

#include "report/page/document.h"

/* Of a pair of results of the peak test, of a transfer, of the phase `application`. */
void pario_nht1_conformity_peak(struct pario_text *out, const struct pario_history *history,
				const json_t *write, const json_t *read);
void pario_nht1_conformity_network(struct pario_text *out, const struct pario_history *history,
				   const json_t *result);

/* `t_c` and `origin`: the T_C that zeta is made with, and where it is from ("run", "--t_c"). */
void pario_nht1_conformity_application(struct pario_text *out, const struct pario_history *history,
				       const json_t *result, double t_c, const char *origin);

#endif
