/*
 * parallel: how several processes use files together: what the rules about sharing measure from the evidence.
 */
#include <stdlib.h>

#include "profile/findings/findings.h"

/* A rank that makes more than this share of what all of them do has nobody to do it with. */
static const double ALONE = 0.9;

/* ---- independent MPI-IO ---- */

/* What ranks did with one file through MPI-IO, in small pieces on their own or together. */
struct mpiio {
	uint64_t independent, collective, bytes, most, of_rank;
	double ns, site_ns;
	uint32_t file, site, ranks;
};

static int by_file_and_process(const void *a, const void *b)
{
	const struct pario_stream *x = *(const struct pario_stream *const *)a,
				  *y = *(const struct pario_stream *const *)b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x < y ? -1 : 1;
}

static const struct pario_stream **mpiio_streams(const struct pario_evidence *e, uint32_t *count)
{
	const struct pario_stream **list = calloc(e->stream_of.count + 1ul, sizeof(*list));

	*count = 0;
	for (uint32_t i = 1; list && i <= e->stream_of.count; i++) {
		const struct pario_stream *s = &e->streams[i];

		if (s->layer == PARIO_TRACE_MPIIO && s->file && s->moves &&
		    (s->class == PARIO_CLASS_READ || s->class == PARIO_CLASS_WRITE))
			list[(*count)++] = s;
	}
	if (list)
		qsort(list, *count, sizeof(*list), by_file_and_process);
	return list;
}

static void add_mpiio(struct mpiio *m, const struct pario_stream *s, bool new_rank)
{
	m->ranks += new_rank;
	m->of_rank = new_rank ? 0 : m->of_rank;
	if (s->collective) {
		m->collective += s->moves;
		return;
	}
	if (s->sum.bytes >= s->moves * PARIO_EVIDENCE_LARGE)
		return;
	m->independent += s->moves;
	m->of_rank += s->moves;
	m->most = m->of_rank > m->most ? m->of_rank : m->most;
	m->bytes += s->sum.bytes;
	m->ns += s->sum.ns;
	if (s->sum.ns >= m->site_ns) {
		m->site_ns = s->sum.ns;
		m->site = s->site;
	}
}

static void judge_mpiio(const struct pario_rule *rule, const struct mpiio *m,
			struct pario_profile_findings *f)
{
	if (m->ranks < 2 || m->independent < rule->least ||
	    (double)m->independent < rule->limit * (double)(m->independent + m->collective) ||
	    (double)m->most > ALONE * (double)m->independent)
		return;
	pario_profile_findings_add(f, &(struct pario_profile_finding){ .rule = rule,
								       .site = m->site,
								       .file = m->file,
								       .files = 1,
								       .calls = m->independent,
								       .names = m->collective,
								       .bytes = m->bytes,
								       .processes = m->ranks,
								       .ns = m->ns });
}

void pario_rule_independent(const struct pario_rule *rule, const struct pario_profile *p,
			    struct pario_profile_findings *f)
{
	uint32_t count;
	const struct pario_stream **list = mpiio_streams(p->evidence, &count);
	struct mpiio m = { 0 };

	f->no_memory |= !list;
	for (uint32_t i = 0; list && i < count; i++) {
		const struct pario_stream *s = list[i];

		if (s->file != m.file) {
			judge_mpiio(rule, &m, f);
			m = (struct mpiio){ .file = s->file };
		}
		add_mpiio(&m, s, !m.ranks || s->process != list[i - 1]->process);
	}
	judge_mpiio(rule, &m, f);
	free(list);
}

/* ---- one shared file, or one per process ---- */

/*
 * Do the parts that two processes wrote lie in turn, at one time? A header and a trailer around what others write
 * do not, and the same bytes are another matter.
 */
static bool into_each_other(const struct pario_evidence_place *a,
			    const struct pario_evidence_place *b)
{
	enum { TURNS = 16 };

	return a->process != b->process && a->first_ns < b->last_ns && b->first_ns < a->last_ns &&
	       pario_extents_turns(&a->written, &b->written) >= TURNS &&
	       !pario_extents_common(&a->written, &b->written);
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
	struct pario_profile_finding x = { .rule = rule,
					   .classes = 1u << PARIO_CLASS_OPEN |
						      1u << PARIO_CLASS_CLOSE |
						      1u << PARIO_CLASS_WRITE };

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
