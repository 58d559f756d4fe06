/*
 * world: what public systems reached in the phases of io500, as quantiles per client node and per client.
 *
 * The figures are those of submissions to the IO500 list: large systems, tuned by their owners for these phases. They
 * say nothing about other work, and a system that is missing there is not bad.
 */
#ifndef PARIO_RANK_WORLD_H
#define PARIO_RANK_WORLD_H

enum {
	PARIO_WORLD_QUANTILES = 21
}; /* from the smallest to the largest, in equal steps of the share */

struct pario_world_row {
	const char *phase, *per; /* "node", "client" */
	const char *kind;	 /* of file system; "" = all */
	unsigned systems;	 /* behind it */
	double quantile
		[PARIO_WORLD_QUANTILES]; /* GiB/s of IOR's phases, 1000 operations per second of the others */
};

extern const struct pario_world_row pario_world[]; /* ends with a row without a phase */
extern const char pario_world_years[];
extern const unsigned pario_world_systems;

#endif
