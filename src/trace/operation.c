/*
 * operation: the table of trace/ops.h as numbers, for whoever reads a trace.
 */
#include "trace/operation.h"

#define ROW(name_, layer_, class_) { #name_, PARIO_TRACE_##layer_, PARIO_CLASS_##class_ },
static const struct pario_trace_operation operations[] = { PARIO_TRACE_OPS(ROW) };

const struct pario_trace_operation *pario_trace_operation(unsigned op)
{
	return &operations[op - PARIO_TRACE_FIRST];
}

const char *pario_trace_layer_name(uint8_t layer)
{
	static const char *const names[] = { "posix",  "stdio", "async", "process",
					     "mpi-io", "mpi",	"hdf5",	 "pnetcdf" };

	return layer < PARIO_TRACE_LAYERS ? names[layer] : "?";
}

uint64_t pario_trace_moved(const struct pario_trace_record *r)
{
	uint8_t class = pario_trace_operation(r->op)->class;

	if ((class != PARIO_CLASS_READ && class != PARIO_CLASS_WRITE) ||
	    r->flags & PARIO_TRACE_FAILED)
		return 0;
	if (r->flags & (PARIO_TRACE_WHOLE | PARIO_TRACE_STARTED))
		return r->size;
	return r->result > 0 ? (uint64_t)r->result : 0;
}

unsigned pario_trace_power(uint64_t bytes)
{
	return bytes < 2 ? (unsigned)bytes : 65 - (unsigned)__builtin_clzll(bytes - 1);
}

uint64_t pario_trace_power_bytes(unsigned power)
{
	return power == 0 ? 0 : power > 64 ? UINT64_MAX : 1ull << (power - 1);
}
