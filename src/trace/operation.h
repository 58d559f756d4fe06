/*
 * operation: what every operation of a trace is: its name, its layer and its class.
 */
#ifndef PARIO_TRACE_OPERATION_H
#define PARIO_TRACE_OPERATION_H

#include "trace/format.h"

struct pario_trace_operation {
	const char *name;
	uint8_t layer, class;
};

/* `op`: of a record that was read, so that it is one of the table. */
const struct pario_trace_operation *pario_trace_operation(unsigned op);

const char *pario_trace_layer_name(uint8_t layer);

/* Bytes a call of class read or write moved. */
uint64_t pario_trace_moved(const struct pario_trace_record *r);

/* A size by powers of two: 0, 1, then 2 up to 2 bytes, 3 up to 4, and so on; and the largest size of a power. */
unsigned pario_trace_power(uint64_t bytes);
uint64_t pario_trace_power_bytes(unsigned power);

#endif
