/* heap: the memory of the program's own code. */
#ifndef PARIO_BENCH_CLIENTS_HEAP_H
#define PARIO_BENCH_CLIENTS_HEAP_H

#include <stdint.h>

/* The most bytes that were in use at a time. */
uint64_t scale_heap_most(void);

#endif
