/*
 * rate_history: the detail of a phase (journal/detail.h) from the meters of all clients, after the phase.
 */
#ifndef PARIO_ENGINE_RATE_HISTORY_H
#define PARIO_ENGINE_RATE_HISTORY_H

#include "engine/meter.h"
#include "journal/detail.h"

/* Collective; the detail is complete on client 0. Returns whether there is one, the same on all clients. */
bool pario_rate_history_reduce(const struct pario_meter *meter, const struct pario_comm *comm,
			       struct pario_detail *detail);

#endif
