/*
 * elements: how many bytes of a file does a call of PnetCDF concern? Asked of the library itself, by calls that only
 * look into its memory.
 */
#ifndef PARIO_TRACER_PRELOAD_PNETCDF_ELEMENTS_H
#define PARIO_TRACER_PRELOAD_PNETCDF_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* What the arguments behind file and variable are. */
enum pario_elements {
	PARIO_ELEMENTS_OTHER,
	PARIO_ELEMENTS_VAR,	     /* memory: the whole variable */
	PARIO_ELEMENTS_VAR1,	     /* start, memory */
	PARIO_ELEMENTS_VARA,	     /* start, count, memory */
	PARIO_ELEMENTS_VARS,	     /* start, count, stride, memory */
	PARIO_ELEMENTS_VARM,	     /* start, count, stride, map, memory */
	PARIO_ELEMENTS_VARN,	     /* number, starts, counts, memory */
	PARIO_ELEMENTS_VARD,	     /* type in the file, memory */
	PARIO_ELEMENTS_ATT_PUT,	     /* name, type, length */
	PARIO_ELEMENTS_ATT_PUT_TEXT, /* name, length */
	PARIO_ELEMENTS_ATT_GET,	     /* name */
	PARIO_ELEMENTS_ATT_GET_TEXT,
};

/* Place of the memory among the arguments. */
static inline unsigned pario_elements_memory(enum pario_elements shape)
{
	static const unsigned char at[] = {
		[PARIO_ELEMENTS_VAR] = 2,  [PARIO_ELEMENTS_VAR1] = 3, [PARIO_ELEMENTS_VARA] = 4,
		[PARIO_ELEMENTS_VARS] = 5, [PARIO_ELEMENTS_VARM] = 6, [PARIO_ELEMENTS_VARN] = 5,
		[PARIO_ELEMENTS_VARD] = 3
	};

	return shape < sizeof(at) ? at[shape] : 2;
}

/* `many`: a number of variables, an array of them, and arrays of all that follows. */
__attribute__((visibility("hidden"))) uint64_t pario_elements_bytes(enum pario_elements shape,
								    const long *a, bool many);

#endif
