/*
 * memory: memory that the ranks of a node have in common. Asked for before it is touched: MPI's own ends the program
 * where it does not fit.
 */
#ifndef PARIO_TESTS_NHT1_BT_MEMORY_H
#define PARIO_TESTS_NHT1_BT_MEMORY_H

#include <stddef.h>

#include <mpi.h>

#include "base/err.h"

/* The same memory on all ranks of a node's communicator, as zeros; -1 only on ranks that failed. Collective. */
int pario_bt_memory_map(MPI_Comm node, size_t bytes, void **memory, struct pario_err *err);
void pario_bt_memory_unmap(void *memory, size_t bytes); /* NULL is fine */

#endif
