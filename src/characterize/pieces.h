/*
 * pieces: the law of a surface. As few lines seconds = T_call + bytes T_trans as describe its points: one line, and
 * where points lie further from it than their noise allows, two that meet between the points, each looked at in turn.
 */
#ifndef PARIO_CHARACTERIZE_PIECES_H
#define PARIO_CHARACTERIZE_PIECES_H

#include "predict/system/system.h"

/*
 * From the surface's points, which grow in bytes; below 2 of different size there is no law. `noise` is the share by
 * which repetitions differ on this system: no point is known better. -1: no memory.
 */
int pario_pieces_fit(struct pario_system_surface *surface, double noise);

#endif
