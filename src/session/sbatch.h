/*
 * sbatch: the same run as a script for Slurm (--print_sbatch): it is printed, never submitted.
 */
#ifndef PARIO_SESSION_SBATCH_H
#define PARIO_SESSION_SBATCH_H

#include "base/text.h"
#include "engine/plan.h"

/* `argc` and `argv` are the whole command line; what asks for the script is left out of it. */
void pario_sbatch_script(const struct pario_plan *plan, const struct pario_need *need,
			 uint64_t clients, int argc, char *const *argv, struct pario_text *out);

#endif
