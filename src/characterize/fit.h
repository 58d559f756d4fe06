/*
 * fit: the journal of a characterization in, a SYSTEM out. Needs neither MPI nor the measured system.
 */
#ifndef PARIO_CHARACTERIZE_FIT_H
#define PARIO_CHARACTERIZE_FIT_H

#include "journal/history.h"
#include "predict/system/system.h"

/* The same of several of one place: measured at several times, its costs are those of no single hour. */
int pario_characterize_fit_all(struct pario_system *system, const char *const *paths, size_t count,
			       struct pario_err *err);

#endif
