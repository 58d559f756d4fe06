/*
 * parallel: how several processes use files together.
 */
#include <stdlib.h>

#include "profile/findings/findings.h"

static const uint64_t LARGE = 1 << 20;

/* ---- independent MPI-IO ---- */

/* What ranks did with one file through MPI-IO. */
struct mpiio {
	uint64_t independent, collective, bytes;
	double ns, site_ns;
	uint32_t site, ranks, last_rank;
};

static void add_mpiio(struct mpiio *m, const struct pario_stream *s, uint32_t rank)
{
	if (!m->ranks || m->last_rank != rank)
		m->ranks++;
	m->last_rank = rank;
	if (s->collective) {
		m->collective += s->sum.calls;
		return;
	}
	m->independent += s->sum.calls;
	m->bytes += s->sum.bytes;
	m->ns += s->sum.ns;
	if (s->sum.ns >= m->site_ns) {
		m->site_ns = s->sum.ns;
		m->site = s->site;
	}
}

void pario_rule_independent(const struct pario_rule *rule, const struct pario_profile *p,
			    struct pario_profile_findings *f)
{
	const struct pario_evidence *e = p->evidence;
	struct mpiio *files = calloc(p->job.file_of.count + 1ul, sizeof(*files));

	f->no_memory |= !files;
	/* streams come process by process, so a rank is counted once where it is another than the last */
	for (uint32_t i = 1; files && i <= e->stream_of.count; i++) {
		const struct pario_stream *s = &e->streams[i];

		if (s->layer == PARIO_TRACE_MPIIO && s->file &&
		    (s->class == PARIO_CLASS_READ || s->class == PARIO_CLASS_WRITE))
			add_mpiio(&files[s->file], s, s->process);
	}
	for (uint32_t i = 1; files && i <= p->job.file_of.count; i++) {
		const struct mpiio *m = &files[i];

		if (m->ranks < 2 || m->independent < rule->least ||
		    m->bytes / m->independent >= LARGE ||
		    (double)m->independent < rule->limit * (double)(m->independent + m->collective))
			continue;
		pario_profile_findings_add(f,
					   &(struct pario_profile_finding){ .rule = rule,
									    .site = m->site,
									    .file = i,
									    .files = 1,
									    .calls = m->independent,
									    .names = m->collective,
									    .bytes = m->bytes,
									    .processes = m->ranks,
									    .ns = m->ns });
	}
	free(files);
}

/* ---- one shared file, or one per process ---- */

static bool into_each_other(const struct pario_evidence_place *a,
			    const struct pario_evidence_place *b)
{
	/* the same bytes are another matter */
	return a->process != b->process && !pario_evidence_common(a, b) && a->from < b->to &&
	       b->from < a->to && a->first_ns < b->last_ns && b->first_ns < a->last_ns;
}

static void interleaved(const struct pario_rule *rule, const struct pario_profile *p,
			const uint32_t *places, uint32_t count, struct pario_profile_findings *f)
{
	const struct pario_evidence_place *all = p->evidence->places;
	struct pario_profile_finding x = { .rule = rule, .files = 1, .file = all[places[0]].file };

	for (uint32_t i = 0; i < count; i++) {
		const struct pario_evidence_place *q = &all[places[i]];
		/* ranges of neighbours are enough: who lies in nobody's is left out */
		bool within = (i && into_each_other(q, &all[places[i - 1]])) ||
			      (i + 1 < count && into_each_other(q, &all[places[i + 1]]));

		if (!within || q->by_mpiio)
			continue;
		x.processes++;
		x.calls += q->writes;
		x.bytes += q->written_bytes;
		x.ns += q->write_ns;
		x.site = q->write_site;
	}
	if (x.processes > 1 && x.calls >= rule->least &&
	    (double)x.bytes < rule->limit * (double)x.calls)
		pario_profile_findings_add(f, &x);
}

void pario_rule_interleaved(const struct pario_rule *rule, const struct pario_profile *p,
			    struct pario_profile_findings *f)
{
	pario_rule_shared_files(rule, p, f, interleaved);
}

void pario_rule_many_files(const struct pario_rule *rule, const struct pario_profile *p,
			   struct pario_profile_findings *f)
{
	const struct pario_evidence_place *places = p->evidence->places;
	uint32_t count, *list = pario_evidence_by_file(p->evidence, &count);
	bool *wrote = calloc(p->job.process_of.count + 1ul, sizeof(*wrote));
	struct pario_profile_finding x = { .rule = rule };

	f->no_memory |= !list || !wrote;
	for (uint32_t i = 0; list && wrote && i < count; i++) {
		const struct pario_evidence_place *q = &places[list[i]];
		bool shared = (i && places[list[i - 1]].file == q->file) ||
			      (i + 1 < count && places[list[i + 1]].file == q->file);

		if (shared || p->job.processes[q->process].rank == UINT32_MAX)
			continue;
		x.calls++;
		x.bytes += q->written_bytes;
		x.ns += q->write_ns + q->open_close_ns;
		x.other_ns += q->open_close_ns;
		x.processes += !wrote[q->process];
		x.site = q->write_site;
		wrote[q->process] = true;
	}
	free(list);
	free(wrote);
	if (x.processes > 1 && x.calls >= rule->least &&
	    (double)x.bytes < rule->limit * (double)x.calls)
		pario_profile_findings_add(f, &x);
}
