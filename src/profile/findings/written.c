/*
 * written: what becomes of written data: synced one by one, never, over one another.
 */
#include <math.h>
#include <stdlib.h>

#include "profile/findings/findings.h"

static const uint64_t LARGE = 1 << 20;

bool pario_rule_synced(const struct pario_rule *rule, const struct pario_evidence_place *q,
		       struct pario_profile_finding *part)
{
	if (!q->alone || (double)q->alone < rule->limit * (double)q->writes ||
	    q->alone_bytes / q->alone >= LARGE)
		return false;
	part->site = q->sync_site;
	part->calls = q->alone;
	part->all = q->writes;
	part->bytes = q->alone_bytes;
	part->ns = q->sync_ns;
	return true;
}

bool pario_rule_write_through(const struct pario_rule *rule, const struct pario_evidence_place *q,
			      struct pario_profile_finding *part)
{
	if (!q->write_through || q->writes < rule->least || q->written_bytes / q->writes >= LARGE)
		return false;
	part->site = q->write_site;
	part->calls = part->all = q->writes;
	part->bytes = q->written_bytes;
	part->ns = q->write_ns;
	return true;
}

/* ---- over one another ---- */

static uint64_t covered(const struct pario_evidence_place *q)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < q->extent_count; i++)
		bytes += q->extents[i].to - q->extents[i].from;
	return bytes;
}

static bool wrote_together(const struct pario_evidence_place *a,
			   const struct pario_evidence_place *b)
{
	return a->writes && b->writes && a->process != b->process && a->first_ns < b->last_ns &&
	       b->first_ns < a->last_ns;
}

/* One file: each of its writers against those before it, as long as that is not too much work. */
static void overlap(const struct pario_rule *rule, const struct pario_profile *p,
		    const uint32_t *places, uint32_t count, struct pario_profile_findings *f)
{
	const struct pario_evidence_place *all = p->evidence->places;
	struct pario_profile_finding x = { .rule = rule, .files = 1, .file = all[places[0]].file };
	bool hit[64] = { false };

	for (uint32_t i = 0; i < count && i < 64; i++) {
		for (uint32_t k = 0; k < i; k++) {
			const struct pario_evidence_place *a = &all[places[i]],
							  *b = &all[places[k]];
			uint64_t bytes = wrote_together(a, b) ? pario_evidence_common(a, b) : 0;

			if (!bytes)
				continue;
			hit[i] = hit[k] = true;
			x.bytes = bytes > x.bytes ? bytes : x.bytes;
		}
	}
	for (uint32_t i = 0; i < count && i < 64; i++) {
		if (!hit[i])
			continue;
		x.processes++;
		x.ns += all[places[i]].write_ns;
		x.site = all[places[i]].write_site;
	}
	if (x.bytes >= rule->least)
		pario_profile_findings_add(f, &x);
}

void pario_rule_overlap(const struct pario_rule *rule, const struct pario_profile *p,
			struct pario_profile_findings *f)
{
	pario_rule_shared_files(rule, p, f, overlap);
}

void pario_rule_rewritten(const struct pario_rule *rule, const struct pario_profile *p,
			  struct pario_profile_findings *f)
{
	for (uint32_t i = 1; i <= p->evidence->place_count; i++) {
		const struct pario_evidence_place *q = &p->evidence->places[i];
		uint64_t range = covered(q);

		if (q->writes < rule->least || q->inexact || !range ||
		    (double)q->again_bytes < (rule->limit - 1) * (double)range ||
		    2 * q->again_bytes < q->written_bytes)
			continue;
		pario_profile_findings_add(
			f, &(struct pario_profile_finding){
				   .rule = rule,
				   .site = q->write_site,
				   .file = q->file,
				   .files = 1,
				   .all = q->writes,
				   .bytes = q->written_bytes,
				   .range = range,
				   .ratio = (double)q->written_bytes / (double)range,
				   .ns = q->write_ns * (double)q->again_bytes /
					 (double)q->written_bytes });
	}
}

/* ---- never synced ---- */

void pario_rule_unsynced(const struct pario_rule *rule, const struct pario_profile *p,
			 struct pario_profile_findings *f)
{
	const struct pario_evidence_place *places = p->evidence->places;
	uint32_t count, *list = pario_evidence_by_file(p->evidence, &count);
	struct pario_profile_finding x = { .rule = rule };
	bool *wrote = calloc(p->job.process_of.count + 1ul, sizeof(*wrote));
	bool *synced = calloc(p->job.file_of.count + 1ul, sizeof(*synced));

	f->no_memory |= !list || !wrote || !synced;
	for (uint32_t i = 1; synced && i <= p->evidence->place_count; i++)
		synced[places[i].file] |= places[i].syncs > 0;
	for (uint32_t i = 0; list && wrote && synced && i < count; i++) {
		const struct pario_evidence_place *q = &places[list[i]];

		if (synced[q->file] || p->job.processes[q->process].rank == UINT32_MAX)
			continue;
		x.bytes += q->written_bytes;
		x.processes += !wrote[q->process];
		wrote[q->process] = true;
		if (i == 0 || q->file != places[list[i - 1]].file)
			x.files++;
		if ((double)q->written_bytes >= x.file_ns) {
			x.file_ns = (double)q->written_bytes;
			x.file = q->file;
			x.site = q->write_site;
		}
	}
	free(list);
	free(wrote);
	free(synced);
	if (x.bytes >= rule->least)
		pario_profile_findings_add(f, &x);
}
