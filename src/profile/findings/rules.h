/*
 * rules: one row each: what is looked for, from which amount on, where that amount comes from, who measures it, what is
 * said and what would help.
 */
#ifndef PARIO_PROFILE_FINDINGS_RULES_H
#define PARIO_PROFILE_FINDINGS_RULES_H

#include "profile/findings/evidence.h"

struct pario_profile_finding;
struct pario_profile_findings;

/* Which measured way of moving the same bytes is the better one (gain.h)? */
enum pario_better {
	PARIO_BETTER_UNKNOWN,
	PARIO_BETTER_LARGE,	 /* in large pieces */
	PARIO_BETTER_COLLECTIVE, /* with collective MPI-IO */
};

struct pario_rule {
	const char *name, *title;
	uint64_t least; /* fewer calls, files or bytes than this say nothing */
	double limit;	/* what else must be reached; of what is in `measures` */
	const char *measures, *source;
	/* Of one of these: does a stream show it? Those of one call site make one finding. */
	bool (*stream)(const struct pario_rule *rule, const struct pario_profile *p,
		       const struct pario_stream *s, struct pario_profile_finding *part);
	/* Or of a file as one process uses it? `part` tells the site. */
	bool (*place)(const struct pario_rule *rule, const struct pario_evidence_place *q,
		      struct pario_profile_finding *part);
	void (*job)(const struct pario_rule *rule, const struct pario_profile *p,
		    struct pario_profile_findings *f);
	const char *says;   /* with {calls} and so on (findings.c) */
	const char *remedy; /* an imperative */
	enum pario_better better;
	bool data; /* about data, so it is said however little time it took */
};

extern const struct pario_rule pario_rules[];
extern const uint32_t pario_rule_count;

/* Has a rule measure each file that several processes wrote to, by the numbers of its places (findings.c). */
typedef void pario_rule_of_file(const struct pario_rule *, const struct pario_profile *,
				const uint32_t *places, uint32_t count,
				struct pario_profile_findings *);
void pario_rule_shared_files(const struct pario_rule *rule, const struct pario_profile *p,
			     struct pario_profile_findings *f, pario_rule_of_file *measure);

/* ---- the measuring: transfers.c ---- */
bool pario_rule_small(const struct pario_rule *, const struct pario_profile *,
		      const struct pario_stream *, struct pario_profile_finding *);
bool pario_rule_misaligned(const struct pario_rule *, const struct pario_profile *,
			   const struct pario_stream *, struct pario_profile_finding *);
bool pario_rule_random(const struct pario_rule *, const struct pario_profile *,
		       const struct pario_stream *, struct pario_profile_finding *);
bool pario_rule_again(const struct pario_rule *, const struct pario_profile *,
		      const struct pario_stream *, struct pario_profile_finding *);
bool pario_rule_backward(const struct pario_rule *, const struct pario_profile *,
			 const struct pario_stream *, struct pario_profile_finding *);
bool pario_rule_direct(const struct pario_rule *, const struct pario_profile *,
		       const struct pario_stream *, struct pario_profile_finding *);
bool pario_rule_advice(const struct pario_rule *, const struct pario_evidence_place *,
		       struct pario_profile_finding *);
/* ---- names.c ---- */
bool pario_rule_opened(const struct pario_rule *, const struct pario_profile *,
		       const struct pario_stream *, struct pario_profile_finding *);
bool pario_rule_stats(const struct pario_rule *, const struct pario_profile *,
		      const struct pario_stream *, struct pario_profile_finding *);
void pario_rule_failed(const struct pario_rule *, const struct pario_profile *,
		       struct pario_profile_findings *);
void pario_rule_searched(const struct pario_rule *, const struct pario_profile *,
			 struct pario_profile_findings *);
/* ---- written.c ---- */
bool pario_rule_synced(const struct pario_rule *, const struct pario_evidence_place *,
		       struct pario_profile_finding *);
bool pario_rule_synced_often(const struct pario_rule *, const struct pario_evidence_place *,
			     struct pario_profile_finding *);
bool pario_rule_write_through(const struct pario_rule *, const struct pario_evidence_place *,
			      struct pario_profile_finding *);
void pario_rule_overlap(const struct pario_rule *, const struct pario_profile *,
			struct pario_profile_findings *);
void pario_rule_rewritten(const struct pario_rule *, const struct pario_profile *,
			  struct pario_profile_findings *);
void pario_rule_unsynced(const struct pario_rule *, const struct pario_profile *,
			 struct pario_profile_findings *);
/* ---- parallel.c ---- */
void pario_rule_independent(const struct pario_rule *, const struct pario_profile *,
			    struct pario_profile_findings *);
void pario_rule_interleaved(const struct pario_rule *, const struct pario_profile *,
			    struct pario_profile_findings *);
void pario_rule_many_files(const struct pario_rule *, const struct pario_profile *,
			   struct pario_profile_findings *);
/* ---- ranks.c ---- */
void pario_rule_one_rank(const struct pario_rule *, const struct pario_profile *,
			 struct pario_profile_findings *);
void pario_rule_imbalance(const struct pario_rule *, const struct pario_profile *,
			  struct pario_profile_findings *);
void pario_rule_straggler(const struct pario_rule *, const struct pario_profile *,
			  struct pario_profile_findings *);
void pario_rule_lock(const struct pario_rule *, const struct pario_profile *,
		     struct pario_profile_findings *);
void pario_rule_meeting(const struct pario_rule *, const struct pario_profile *,
			struct pario_profile_findings *);

#endif
