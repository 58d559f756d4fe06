/*
 * roll_words: what client 0 says of a roll call. Who does not answer comes first, then who is behind.
 */
#include <stdio.h>

#include "base/text.h"
#include "comm/roll.h"

enum { NAMED = 4 }; /* clients that are named; of the others the number is told */

/* Is this client one of those that are to be named? */
typedef bool is_one(const struct pario_roll_client *client, const struct pario_roll_node *nodes,
		    uint32_t furthest);

static bool is_silent(const struct pario_roll_client *c, const struct pario_roll_node *nodes,
		      uint32_t furthest)
{
	(void)furthest;
	return !c->answered && nodes[c->node].heard && !c->deaf;
}

static bool is_unknown(const struct pario_roll_client *c, const struct pario_roll_node *nodes,
		       uint32_t furthest)
{
	(void)furthest;
	return !c->answered && (!nodes[c->node].heard || c->deaf);
}

static bool is_behind(const struct pario_roll_client *c, const struct pario_roll_node *nodes,
		      uint32_t furthest)
{
	(void)nodes;
	return c->answered && !c->out && c->place < furthest;
}

static bool is_ahead(const struct pario_roll_client *c, const struct pario_roll_node *nodes,
		     uint32_t furthest)
{
	(void)nodes;
	return c->answered && !c->out && c->place == furthest;
}

struct roll {
	const struct pario_roll_client *clients;
	uint64_t count;
	const struct pario_roll_node *nodes;
	uint32_t furthest;
};

static uint64_t number(const struct roll *r, is_one *is)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < r->count; i++)
		n += is(&r->clients[i], r->nodes, r->furthest);
	return n;
}

/* "client 2 on n2, client 5 on n3 and 12 more" */
static void name(const struct roll *r, is_one *is, struct pario_text *out)
{
	uint64_t all = number(r, is), told = 0;

	for (uint64_t i = 0; i < r->count && told < NAMED; i++) {
		if (!is(&r->clients[i], r->nodes, r->furthest))
			continue;
		told++;
		pario_text_add(out, "%sclient %llu on %s",
			       told == 1     ? ""
			       : told == all ? " and "
					     : ", ",
			       (unsigned long long)i, r->nodes[r->clients[i].node].host);
	}
	if (all > told)
		pario_text_add(out, " and %llu more", (unsigned long long)(all - told));
}

static void tell(const struct roll *r, struct pario_text *out)
{
	uint64_t silent = number(r, is_silent), behind = number(r, is_behind),
		 ahead = number(r, is_ahead);

	if (silent) {
		name(r, is_silent, out);
		pario_text_add(out, silent == 1 ? " does not answer: it is stopped or dead, or its "
						  "node cannot be reached"
						: " do not answer: they are stopped or dead, or "
						  "their nodes cannot be reached");
	} else if (behind && behind <= ahead) {
		name(r, is_behind, out);
		pario_text_add(out,
			       " %s not done, and the others wait: the storage does not "
			       "answer there, or a library (MPI-IO, HDF5) waits for somebody",
			       behind == 1 ? "is" : "are");
	} else if (behind) {
		name(r, is_ahead, out);
		pario_text_add(out,
			       " %s for the others, which are not done: the storage does not "
			       "answer them, or a library (MPI-IO, HDF5) waits for a call that "
			       "failed there",
			       ahead == 1 ? "waits" : "wait");
	}
	if (out->length == 0 && number(r, is_unknown) == 0 && r->count > 1)
		pario_text_add(
			out,
			"all %llu clients answer and have come equally far, so the storage or a "
			"library (MPI-IO, HDF5) does not return, or it takes that long",
			(unsigned long long)r->count);
	if (number(r, is_unknown)) {
		pario_text_add(out, "%s", out->length ? "; " : "");
		name(r, is_unknown, out);
		pario_text_add(out, " could not be asked, as no UDP comes from there");
	}
}

void pario_roll_tell(const struct pario_roll_client *clients, uint64_t count,
		     const struct pario_roll_node *nodes, char *text, size_t capacity)
{
	struct roll roll = { clients, count, nodes, 0 };
	struct pario_text out = { 0 };

	for (uint64_t i = 0; i < count; i++) {
		if (clients[i].answered && !clients[i].out && clients[i].place > roll.furthest)
			roll.furthest = clients[i].place;
	}
	tell(&roll, &out);
	snprintf(text, capacity, "%s", pario_text_string(&out));
	pario_text_release(&out);
}
