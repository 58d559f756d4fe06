/*
 * seals: one XXH3 per line of a vector, kept in memory; nothing of them is written beside the data.
 */
#include "tests/nht1/application/seals.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/units.h"

int pario_seals_init(struct pario_seals *seals, uint64_t line_bytes, uint64_t lines,
		     uint64_t vectors, struct pario_err *err)
{
	uint64_t all;

	*seals = (struct pario_seals){ .line_bytes = line_bytes, .lines = lines };
	if (pario_mul(lines, vectors, &all))
		seals->seal = calloc(all ? all : 1, sizeof(*seals->seal));
	return seals->seal
		       ? 0
		       : pario_err_memory(err, "the checksums of the solution. Use "
					       "--recompute 1, which needs none, or more clients");
}

void pario_seals_release(struct pario_seals *seals)
{
	free(seals->seal);
	seals->seal = NULL;
}

static uint64_t seal_of(const struct pario_seals *seals, const void *data, uint64_t line)
{
	return XXH3_64bits((const char *)data + line * seals->line_bytes, seals->line_bytes);
}

void pario_seals_put(struct pario_seals *seals, uint64_t vector, const void *data)
{
	for (uint64_t i = 0; i < seals->lines; i++)
		seals->seal[vector * seals->lines + i] = seal_of(seals, data, i);
}

uint64_t pario_seals_broken(const struct pario_seals *seals, uint64_t vector, uint64_t line,
			    uint64_t count, const void *data)
{
	const uint64_t *seal = seals->seal + vector * seals->lines + line;
	uint64_t i = 0;

	while (i < count && seal_of(seals, data, i) == seal[i])
		i++;
	return line + i;
}
