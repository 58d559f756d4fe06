/*
 * disturbance: what else the nodes did while a phase was timed. Shares are of the time from the clients' start to their
 * end; NaN (null) where the kernel does not tell, or the phase was too short for its counters.
 *
 * It stands in a result line as
 *
 *	"disturbance":{"host":"n7","others":0.12,"steal":0,"throttled":null,"waited":0.08,
 *	  "pressure":{"cpu":0.1,"io":0.6,"memory":0},"switches":31,"running":2,
 *	  "nodes":{"columns":["host","others",...],"rows":[...]}}
 *
 * with the node that others used most, and `nodes` where there are several.
 */
#ifndef PARIO_JOURNAL_DISTURBANCE_H
#define PARIO_JOURNAL_DISTURBANCE_H

#include <stdint.h>

#include <jansson.h>

#include "base/json.h"

enum { PARIO_DISTURBANCE_NODES = 64, PARIO_DISTURBANCE_HOST = 64 };

struct pario_disturbance {
	char host[PARIO_DISTURBANCE_HOST]; /* "" = nothing is known */
	double others; /* of the node's processors, by programs that are none of pario's clients; at least */
	double steal;	  /* of the node's processors, taken by the hypervisor */
	double throttled; /* that a quota of a cgroup stopped its processes */
	double waited;	  /* that a client was ready to run without a processor, the worst one */
	double cpu, io, memory; /* that somebody on the node waited for it */
	uint64_t switches;	/* that clients were taken from a processor against their will */
	uint64_t running; /* that ran or wanted to beside the clients, at the begin or the end */
};

/* Those of the nodes that others used most, in this order. */
struct pario_disturbances {
	unsigned count;
	struct pario_disturbance node[PARIO_DISTURBANCE_NODES];
};

/* What others add to the nodes of `to` is kept where it is more. */
void pario_disturbances_add(struct pario_disturbances *to, const struct pario_disturbances *other);

void pario_disturbances_write(struct pario_json *json, const struct pario_disturbances *all);

/* The first node of a result line; nothing known where the line tells none. */
void pario_disturbance_read(const json_t *line, struct pario_disturbance *first);

/* Shares from here on are worth a sentence. */
#define PARIO_DISTURBANCE_OTHERS    0.05
#define PARIO_DISTURBANCE_STEAL	    0.05
#define PARIO_DISTURBANCE_THROTTLED 0.02

#endif
