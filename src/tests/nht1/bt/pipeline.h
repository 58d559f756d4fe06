/*
 * pipeline: the z factor and the halo planes across groups of ranks, by messages.
 *
 * A z line runs through all groups. Elimination hands the state of the last point on to the next group, 30 doubles
 * per line; substitution hands back 5. Strips of rows of y follow each other, so that all groups work at once after a
 * short start; even rows are eliminated upwards and odd ones downwards, so that both ends begin immediately.
 */
#ifndef PARIO_TESTS_NHT1_BT_PIPELINE_H
#define PARIO_TESTS_NHT1_BT_PIPELINE_H

#include "base/err.h"
#include "tests/nht1/bt/kernel.h"
#include "tests/nht1/bt/team.h"

struct pario_bt_pipeline;

/* Collective. The team, grid and kernel must outlive it. */
int pario_bt_pipeline_create(struct pario_bt_pipeline **pipeline, struct pario_bt_team *team,
			     const struct pario_bt_grid *grid, const struct pario_bt_kernel *kernel,
			     struct pario_err *err);
void pario_bt_pipeline_free(struct pario_bt_pipeline *pipeline); /* NULL is fine */

/* Bytes all ranks together need for the states of all lines. */
double pario_bt_pipeline_bytes(const struct pario_bt_grid *grid);

/* Two planes of u from each neighbour group, into this group's memory: this rank's strips. */
void pario_bt_pipeline_halo(struct pario_bt_pipeline *pipeline);

/*
 * The z pass of this rank's strips: factor, u += solution, halo planes, and rhs = forcing + L_z(u) of the planes
 * from .. to-1.
 */
void pario_bt_pipeline_run(struct pario_bt_pipeline *pipeline, int from, int to);

#endif
