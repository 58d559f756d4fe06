/*
 * mpiio_impl: which implementation of MPI-IO a run uses. Open MPI has two, OMPIO and ROMIO, and chooses when MPI
 * starts; ROMIO's component is called after its version (romio321, romio341), so the one that is there is looked
 * for.
 *
 * Known defects of these libraries are a table: what triggers one is refused while planning, with the way out.
 */
#ifndef PARIO_BACKEND_MPIIO_IMPL_H
#define PARIO_BACKEND_MPIIO_IMPL_H

#include <stdbool.h>

#include "base/err.h"

enum pario_mpiio_impl { PARIO_MPIIO_DEFAULT, PARIO_MPIIO_OMPIO, PARIO_MPIIO_ROMIO };

extern const char *const pario_mpiio_impls[];

/* Can this program's MPI give it? */
int pario_mpiio_impl_check(int impl, struct pario_err *err);

enum { PARIO_MPIIO_COMPONENT = 64 };

/* What OMPI_MCA_io must be when MPI starts; false where nothing has to be chosen or can be. */
bool pario_mpiio_component(int impl, char name[PARIO_MPIIO_COMPONENT]);

/* Is it the one with which MPI was started? A run that asked for another one would be mislabelled. */
int pario_mpiio_impl_in_force(int impl, struct pario_err *err);

enum pario_defect {
	PARIO_DEFECT_NARROW_TILES, /* collective writes of tiles that overlap and are narrow */
};

/* Tiles of fewer bytes in a row are narrow, and so many of them in a row meet the defect. */
enum { PARIO_DEFECT_NARROW_BYTES = 64, PARIO_DEFECT_NARROW_COUNT = 3 };

/* The caller is about to do what triggers it: fails where the library in force has this defect. */
int pario_defect_check(enum pario_defect defect, int impl, struct pario_err *err);

#endif
