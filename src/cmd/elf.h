/*
 * elf: what kind of program is it, and which libraries does it load?
 */
#ifndef PARIO_CMD_ELF_H
#define PARIO_CMD_ELF_H

#include <stdbool.h>

struct pario_elf {
	bool readable; /* an ELF file of this machine's word size */
	bool dynamic;  /* the loader starts it, and so can preload */
	bool go;       /* makes its system calls itself */
	bool privileged; /* set-uid, set-gid or with capabilities: the loader ignores what is to be preloaded */
	bool openmpi, mpich, hdf5, pnetcdf;
};

/* Looks at a program, or at the interpreter of a script. */
void pario_elf_look(struct pario_elf *elf, const char *path);

#endif
