/*
 * io500: the phases of IO500 in their order, its configuration file, its score and its result files.
 *
 * Reads io500.ini as it is: sections of another program, so unknown ones and unknown keys are errors with a suggestion.
 * An empty value means the default. Whatever makes a run invalid by the rules is collected, sentence by sentence.
 */
#ifndef PARIO_COMPAT_IO500_H
#define PARIO_COMPAT_IO500_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "journal/result.h"

/* In the order in which they run. */
enum pario_io500_phase {
	PARIO_IO500_EASY_WRITE,
	PARIO_IO500_MD_EASY_WRITE,
	PARIO_IO500_HARD_WRITE,
	PARIO_IO500_MD_HARD_WRITE,
	PARIO_IO500_FIND,
	PARIO_IO500_EASY_READ,
	PARIO_IO500_MD_EASY_STAT,
	PARIO_IO500_HARD_READ,
	PARIO_IO500_MD_HARD_STAT,
	PARIO_IO500_MD_EASY_DELETE,
	PARIO_IO500_MD_HARD_READ,
	PARIO_IO500_MD_HARD_DELETE,
	PARIO_IO500_RANDOM, /* counts for no score */
	PARIO_IO500_PHASES,
};

/* The four sets of data, each a point of one test whose phases take turns with the others'; and find. */
enum pario_io500_set {
	PARIO_IO500_EASY,
	PARIO_IO500_HARD,
	PARIO_IO500_MD_EASY,
	PARIO_IO500_MD_HARD,
	PARIO_IO500_SEARCH,
	PARIO_IO500_SETS,
};

struct pario_io500_step {
	const char *name;
	enum pario_io500_set set;
	unsigned phase;	 /* of the set's test */
	bool bandwidth;	 /* GiB/s, else kIOP/s */
	bool stonewalls; /* must take the stonewall's time */
	bool unscored;	 /* may be left out; the stonewall ends it */
};

extern const struct pario_io500_step pario_io500_steps[PARIO_IO500_PHASES];
extern const char *const pario_io500_sets[PARIO_IO500_SETS]; /* "ior-easy" ... */

struct pario_io500 {
	char datadir[1024], resultdir[1024];
	bool dated_results; /* a directory of its own for each run in resultdir */
	double stonewall;
	bool drop_caches;
	bool runs[PARIO_IO500_PHASES];
	struct pario_text options[PARIO_IO500_SETS]; /* "name=value name=value" of the set's test */
	struct pario_text invalid; /* why a run like this is not valid; sentences, one on a line */
};

/* The defaults, or what the file says; `text` may be NULL. `stonewall` replaces the file's unless it is 0. */
int pario_io500_configure(struct pario_io500 *io500, const char *path, const char *text,
			  size_t length, double stonewall, struct pario_err *err);
void pario_io500_release(struct pario_io500 *io500);

/* What the phases gave. A phase without a result has the score 0. */
struct pario_io500_score {
	bool there[PARIO_IO500_PHASES];
	struct pario_result results[PARIO_IO500_PHASES];
	char began[PARIO_IO500_PHASES][32], ended[PARIO_IO500_PHASES][32];
	double score[PARIO_IO500_PHASES]; /* GiB/s or kIOP/s */
	bool invalid[PARIO_IO500_PHASES];
	double bandwidth, metadata,
		total; /* 0 where a phase is missing: a score is whole or none */
	uint64_t procs;
	const char *directory;
};

/* Takes a result, and says what rule it breaks. */
void pario_io500_take(struct pario_io500 *io500, struct pario_io500_score *score, unsigned phase,
		      const struct pario_result *result);
/* When all phases are over: geometric means. */
void pario_io500_total(struct pario_io500 *io500, struct pario_io500_score *score);

/* "[RESULT]       ior-easy-write        0.764612 GiB/s : time 34.035 seconds" */
void pario_io500_line(const struct pario_io500_score *score, unsigned phase,
		      struct pario_text *out);
void pario_io500_score_line(const struct pario_io500 *io500, const struct pario_io500_score *score,
			    struct pario_text *out);
/* result_summary.txt and result.txt, whole. */
void pario_io500_summary(const struct pario_io500 *io500, const struct pario_io500_score *score,
			 struct pario_text *out);
void pario_io500_result(const struct pario_io500 *io500, const struct pario_io500_score *score,
			struct pario_text *out);
/* What IO500 does not tell: how far the clients were apart and what is known about caches. */
void pario_io500_proofs(const struct pario_io500_score *score, struct pario_text *out);

#endif
