/*
 * rate_history: the detail of a phase (journal/detail.h) from the meters of all clients, after the phase.
 */
#ifndef PARIO_ENGINE_RATE_HISTORY_H
#define PARIO_ENGINE_RATE_HISTORY_H

#include "engine/meter.h"
#include "journal/detail.h"

/*
 * Collective; `latency` is that of all clients, as the meter has reduced it. The detail is complete on client 0.
 * Returns whether there is one, the same on all clients.
 */
bool pario_rate_history_reduce(const struct pario_meter *meter, const struct pario_comm *comm,
			       const struct pario_histogram *latency, struct pario_detail *detail);

/*
 * Quantiles of the clients' rates (pario_detail_shares) without collecting them: the bounds of each are narrowed until
 * it is known to more digits than are written. Negative for a client that had nothing to do. Collective.
 */
void pario_rate_history_quantiles(const struct pario_comm *comm, double rate,
				  double quantile[PARIO_DETAIL_QUANTILES]);

#endif
