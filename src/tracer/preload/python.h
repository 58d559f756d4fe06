/*
 * python: the line of Python that a call comes from.
 *
 * The interpreter keeps a chain of frames for each thread. A call that a thread makes leaves this chain alone until it
 * returns, so the thread itself may read it, with or without the interpreter's lock. Only CPython 3.11 is known, whose
 * structures did not change between its releases: it is recognised by its version, and every code object by its type.
 * Elsewhere a call site stays the address in the interpreter.
 *
 * A function becomes a module of the trace: its file, "python:" and its name, at a range of addresses that is reserved
 * and never used, in which an address is a line. So a trace needs nothing else for it.
 */
#ifndef PARIO_TRACER_PRELOAD_PYTHON_H
#define PARIO_TRACER_PRELOAD_PYTHON_H

#include "tracer/preload/trace.h"

/* Is there an interpreter whose frames can be read? */
PARIO_HIDDEN extern bool pario_python_known;

/* Looks for it, when the program begins. */
PARIO_HIDDEN void pario_python_find(void);
/* In children of fork, whose segments know no functions. */
PARIO_HIDDEN void pario_python_begin(void);
/* The line behind a call site, or the site itself. */
PARIO_HIDDEN uint64_t pario_python_line(uint64_t site);

#endif
