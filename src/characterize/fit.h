/*
 * fit: the journal of a characterization in, a SYSTEM out. Needs neither MPI nor the measured system.
 */
#ifndef PARIO_CHARACTERIZE_FIT_H
#define PARIO_CHARACTERIZE_FIT_H

#include "journal/history.h"
#include "predict/system.h"

/*
 * `paths` are run directories or journals of one place, separated by commas: measured at several times, its costs are
 * those of no single hour. On failure nothing is held.
 */
int pario_characterize_fit(struct pario_system *system, const char *paths, struct pario_err *err);

#endif
