/*
 * elf: what kind of program is it, and which libraries does it load?
 */
#ifndef PARIO_CMD_ELF_H
#define PARIO_CMD_ELF_H

#include <stdbool.h>

#include "trace/reach.h"

struct pario_elf {
	enum pario_reach reach;
	bool openmpi, mpich, hdf5, pnetcdf;
};

/* Looks at a program, or at the interpreter of a script. */
void pario_elf_look(struct pario_elf *elf, const char *path);

#endif
