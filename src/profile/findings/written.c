/*
 * written: what becomes of written data: synced one by one, never, over one another.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/findings/findings.h"
#include "profile/findings/together.h"

static bool is_small(const struct pario_profile_power *counted)
{
	return counted->calls && counted->bytes < counted->calls * PARIO_EVIDENCE_LARGE;
}

static void charge(const struct pario_evidence_place *q, const struct pario_evidence_sum *counted,
		   struct pario_profile_finding *part)
{
	part->site = counted->site;
	part->calls = counted->sum.calls;
	part->all = q->writes;
	part->bytes = counted->sum.bytes;
	part->ns = counted->sum.ns;
}

/* Are most of the writes synced one by one? */
static bool is_each(const struct pario_evidence_place *q, double limit)
{
	return !q->threads && is_small(&q->alone.sum) &&
	       (double)q->alone.sum.calls >= limit * (double)q->writes;
}

bool pario_rule_synced(const struct pario_rule *rule, const struct pario_evidence_place *q,
		       struct pario_profile_finding *part)
{
	charge(q, &q->alone, part);
	return is_each(q, rule->limit);
}

bool pario_rule_synced_often(const struct pario_rule *rule, const struct pario_evidence_place *q,
			     struct pario_profile_finding *part)
{
	/* what each of them brought to the device is not known of threads, what all of them did is */
	struct pario_evidence_sum sum = q->threads ? q->syncs : q->few;

	if (q->threads) {
		sum.sum.bytes = q->written_bytes;
	} else if (!is_each(q, rule->limit)) {
		sum.sum.calls += q->alone.sum.calls;
		sum.sum.bytes += q->alone.sum.bytes;
		sum.sum.ns += q->alone.sum.ns;
		sum.site = sum.site ? sum.site : q->alone.site;
	}
	charge(q, &sum, part);
	return part->bytes && is_small(&sum.sum);
}

bool pario_rule_write_through(const struct pario_rule *rule, const struct pario_evidence_place *q,
			      struct pario_profile_finding *part)
{
	charge(q, &q->through, part);
	part->all = q->through.sum.calls;
	return is_small(&q->through.sum) && q->through.sum.calls >= rule->least;
}

/* ---- over one another ---- */

struct asked {
	const struct pario_rule *rule;
	struct pario_profile_findings *findings;
};

static void add_overlap(void *context, const struct pario_together_found *found)
{
	const struct asked *asked = context;

	if (found->bytes >= asked->rule->least)
		pario_profile_findings_add(asked->findings, &(struct pario_profile_finding){
								    .rule = asked->rule,
								    .file = found->file,
								    .files = 1,
								    .site = found->site,
								    .processes = found->processes,
								    .calls = found->calls,
								    .bytes = found->bytes,
								    .ns = found->ns });
}

void pario_rule_overlap(const struct pario_rule *rule, const struct pario_profile *p,
			struct pario_profile_findings *f)
{
	pario_together_judge(p->evidence, add_overlap, &(struct asked){ rule, f }, &f->no_memory);
}

/* Of one file by one process, over and over, with nobody reading or syncing it in between. */
void pario_rule_rewritten(const struct pario_rule *rule, const struct pario_profile *p,
			  struct pario_profile_findings *f)
{
	for (uint32_t i = 1; i <= p->evidence->place_count; i++) {
		const struct pario_evidence_place *q = &p->evidence->places[i];
		const struct pario_profile_power *again = &q->again.sum;
		uint64_t range = pario_extents_bytes(&q->written);

		if (q->threads || q->writes < rule->least || q->written.inexact || !range ||
		    p->evidence->files[q->file].readers > (q->reads > 0) ||
		    (double)again->bytes < (rule->limit - 1) * (double)range ||
		    2 * again->bytes < q->written_bytes)
			continue;
		pario_profile_findings_add(
			f, &(struct pario_profile_finding){ .rule = rule,
							    .site = q->again.site,
							    .file = q->file,
							    .files = 1,
							    .calls = again->calls,
							    .all = q->writes,
							    .bytes = q->written_bytes,
							    .range = range,
							    .ratio = (double)q->written_bytes /
								     (double)range,
							    .ns = again->ns });
	}
}

/* ---- never synced ---- */

/* A scratch file need not outlive the program: it removed it itself, or made it without a name. */
static bool is_scratch(const struct pario_profile *p, uint32_t file)
{
	static const char gone[] = " (deleted)";
	const char *name = file && p->job.files[file] ? p->job.files[file] : "";
	size_t length = strlen(name);

	return p->evidence->files[file].removed ||
	       (length >= sizeof(gone) && strcmp(name + length - (sizeof(gone) - 1), gone) == 0);
}

static bool may_be_lost(const struct pario_profile *p, const struct pario_evidence_place *q)
{
	return p->job.processes[q->process].rank != UINT32_MAX &&
	       !p->evidence->files[q->file].synced && !q->through.sum.calls &&
	       p->evidence->all_synced_ns < q->last_ns && !is_scratch(p, q->file);
}

void pario_rule_unsynced(const struct pario_rule *rule, const struct pario_profile *p,
			 struct pario_profile_findings *f)
{
	const struct pario_evidence_place *places = p->evidence->places;
	uint32_t count, last = 0, *list = pario_evidence_by_file(p->evidence, &count);
	struct pario_profile_finding x = { .rule = rule };
	bool *wrote = calloc(p->job.process_of.count + 1ul, sizeof(*wrote));

	f->no_memory |= !list || !wrote;
	for (uint32_t i = 0; list && wrote && i < count; i++) {
		const struct pario_evidence_place *q = &places[list[i]];

		if (!may_be_lost(p, q))
			continue;
		x.bytes += q->written_bytes;
		x.processes += !wrote[q->process];
		wrote[q->process] = true;
		x.files += q->file != last;
		last = q->file;
		if ((double)q->written_bytes >= x.file_ns) {
			x.file_ns = (double)q->written_bytes;
			x.file = q->file;
			x.site = q->write_site;
		}
	}
	free(list);
	free(wrote);
	if (x.bytes >= rule->least)
		pario_profile_findings_add(f, &x);
}
