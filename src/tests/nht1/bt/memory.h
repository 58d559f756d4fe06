/*
 * memory: memory that the ranks of a node have in common, in large pages where the kernel can make them.
 *
 * A z line of class B passes through three hundred pages of 4 KiB, more than a processor remembers the places of. What
 * MPI shares lies in such pages, at addresses where larger ones cannot take their place.
 */
#ifndef PARIO_TESTS_NHT1_BT_MEMORY_H
#define PARIO_TESTS_NHT1_BT_MEMORY_H

#include <stddef.h>

#include <mpi.h>

#include "base/err.h"

enum { PARIO_BT_LARGE_PAGE = 2 << 20 };

/* The same memory on all ranks of a node's communicator, as zeros; -1 only on ranks that failed. Collective. */
int pario_bt_memory_map(MPI_Comm node, size_t bytes, void **memory, struct pario_err *err);
void pario_bt_memory_unmap(void *memory, size_t bytes); /* NULL is fine */

/* Large pages in place of the small ones that hold from .. from + bytes, where that can be done now. */
void pario_bt_memory_enlarge(void *from, size_t bytes);

#endif
