/*
 * program: what kind of program is it, and which libraries does it load?
 */
#ifndef PARIO_TRACER_PROGRAM_H
#define PARIO_TRACER_PROGRAM_H

#include <stdbool.h>

#include "tracer/preloadable.h"

struct pario_program {
	enum pario_preloadable reach;
	bool openmpi, mpich, hdf5, pnetcdf;
};

/* Looks at a program, or at the interpreter of a script. Only reads: nothing that the file names is started. */
void pario_program_look(struct pario_program *program, const char *path);

#endif
