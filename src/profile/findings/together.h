/*
 * together: which writes of two processes went to the same bytes while both were writing? What each process wrote of a
 * file is known once all calls were read; which calls those were is found in a second reading, of traces that have such
 * files.
 *
 * Two processes that write one after the other again and again and never at one moment take turns, by locks that
 * are not seen or by messages, and ranks that meet in between have an order: nothing is said of either.
 */
#ifndef PARIO_PROFILE_FINDINGS_TOGETHER_H
#define PARIO_PROFILE_FINDINGS_TOGETHER_H

#include "profile/findings/evidence.h"

enum { PARIO_TOGETHER_WRITES = 1 << 20, PARIO_TOGETHER_WRITERS = 64 };

struct pario_together_write {
	double from_ns, to_ns;
	uint64_t from, to;
	uint32_t file, process, place, site;
	uint32_t meetings; /* of its process, before it */
};

struct pario_together {
	bool *wanted;	    /* by file number */
	uint32_t *meetings; /* by process, so far */
	struct pario_together_write *writes;
	uint32_t count, capacity;
};

/* What one file's writers did; `bytes`: most that two of them have in common. */
struct pario_together_found {
	uint32_t file, processes, site;
	uint64_t bytes, calls;
	double ns;
};

/* Is a second reading wanted? Then evidence->together is there. false: not, or no memory. */
bool pario_together_begin(struct pario_evidence *e, uint32_t processes, uint32_t files,
			  bool *no_memory);
/* Of every call of the second reading: is it to be added? Then with its numbers in the profile; false: no memory. */
bool pario_together_wants(struct pario_together *t, const struct pario_profile_call *call);
bool pario_together_add(struct pario_together *t, const struct pario_profile_call *call,
			uint32_t place, uint32_t site);
void pario_together_free(struct pario_together *t);

/* File by file, whatever was found. */
typedef void pario_together_see(void *context, const struct pario_together_found *found);
void pario_together_judge(const struct pario_evidence *e, pario_together_see *see, void *context,
			  bool *no_memory);

#endif
