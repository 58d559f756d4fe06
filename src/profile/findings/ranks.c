/*
 * ranks: how evenly the ranks of a job move data, and how long they wait for one another.
 */
#include <math.h>
#include <stdlib.h>

#include "profile/findings/findings.h"

/* A lock or a meeting that takes less in all is not worth a word. */
static const double WAITED_NS = 50e6;

struct rank {
	uint32_t process, rank;
	uint64_t bytes;
	double ns;
};

static int by_ns(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* The ranks, the least busy first; NULL for fewer than two, or without memory. */
static struct rank *ranks_of(const struct pario_profile *p, uint32_t *count)
{
	struct rank *ranks = calloc(p->job.process_of.count + 1ul, sizeof(*ranks));

	*count = 0;
	for (uint32_t i = 1; ranks && i <= p->job.process_of.count; i++) {
		const struct pario_profile_process *q = &p->processes[i];

		/* processes that MPI knows: children of a rank have its number and no messages */
		if (p->job.processes[i].rank != UINT32_MAX && q->meet.calls)
			ranks[(*count)++] = (struct rank){ i, p->job.processes[i].rank,
							   q->read.bytes + q->write.bytes,
							   pario_profile_busy_ns(q) };
	}
	if (ranks && *count > 1) {
		qsort(ranks, *count, sizeof(*ranks), by_ns);
		return ranks;
	}
	free(ranks);
	return NULL;
}

static const struct rank *largest(const struct rank *ranks, uint32_t count, uint64_t *bytes)
{
	const struct rank *most = &ranks[0];

	*bytes = 0;
	for (uint32_t i = 0; i < count; i++) {
		*bytes += ranks[i].bytes;
		if (ranks[i].bytes > most->bytes)
			most = &ranks[i];
	}
	return most;
}

/* Where a rank spent most of its time on storage. */
static uint32_t site_of(const struct pario_profile *p, uint32_t process)
{
	uint32_t stream = p->evidence->processes[process].busiest;

	return stream ? p->evidence->streams[stream].site : 0;
}

static struct pario_profile_finding about(const struct pario_rule *rule,
					  const struct pario_profile *p, const struct rank *r,
					  uint32_t count)
{
	return (struct pario_profile_finding){ .rule = rule,
					       .site = site_of(p, r->process),
					       .rank = r->rank,
					       .processes = count,
					       .bytes = r->bytes,
					       .other_ns = r->ns,
					       .ns = r->ns };
}

static bool one_does_all(const struct rank *most, uint64_t bytes, double limit)
{
	return (double)most->bytes >= limit * (double)bytes;
}

void pario_rule_one_rank(const struct pario_rule *rule, const struct pario_profile *p,
			 struct pario_profile_findings *f)
{
	uint32_t count;
	uint64_t bytes;
	struct rank *ranks = ranks_of(p, &count);
	const struct rank *most = ranks ? largest(ranks, count, &bytes) : NULL;
	struct pario_profile_finding x;

	if (most && most->bytes >= rule->least && one_does_all(most, bytes, rule->limit)) {
		x = about(rule, p, most, count);
		x.ratio = 100.0 * (double)most->bytes / (double)bytes;
		pario_profile_findings_add(f, &x);
	}
	free(ranks);
}

void pario_rule_imbalance(const struct pario_rule *rule, const struct pario_profile *p,
			  struct pario_profile_findings *f)
{
	uint32_t count;
	uint64_t bytes;
	struct rank *ranks = ranks_of(p, &count);
	const struct rank *most = ranks ? largest(ranks, count, &bytes) : NULL;
	double mean_ns = 0;
	struct pario_profile_finding x;

	for (uint32_t i = 0; ranks && i < count; i++)
		mean_ns += ranks[i].ns / count;
	if (most && most->bytes >= rule->least && !one_does_all(most, bytes, 0.9) &&
	    (double)most->bytes * count >= rule->limit * (double)bytes && most->ns > mean_ns) {
		x = about(rule, p, most, count);
		x.ratio = (double)most->bytes * count / (double)bytes;
		x.mean_ns = mean_ns;
		x.ns = most->ns - mean_ns;
		pario_profile_findings_add(f, &x);
	}
	free(ranks);
}

void pario_rule_straggler(const struct pario_rule *rule, const struct pario_profile *p,
			  struct pario_profile_findings *f)
{
	uint32_t count;
	struct rank *ranks = ranks_of(p, &count);
	const struct rank *last = ranks ? &ranks[count - 1] : NULL, *middle;
	struct pario_profile_finding x;

	if (!last || count < 3) {
		free(ranks);
		return;
	}
	middle = &ranks[count / 2];
	/* a tenth of the run, so that a busy machine is no straggler */
	if (middle->ns > 0 && last->ns >= rule->limit * middle->ns &&
	    (double)last->bytes <= 1.2 * (double)middle->bytes &&
	    last->ns - middle->ns > 0.1 * p->timeline.end_ns) {
		x = about(rule, p, last, count);
		x.ratio = last->ns / middle->ns;
		x.ns = last->ns - middle->ns;
		pario_profile_findings_add(f, &x);
	}
	free(ranks);
}

/* ---- waiting ---- */

static double storage_ns(const struct pario_profile *p)
{
	return p->on[PARIO_MEDIUM_STORAGE].ns;
}

void pario_rule_lock(const struct pario_rule *rule, const struct pario_profile *p,
		     struct pario_profile_findings *f)
{
	const struct pario_evidence *e = p->evidence;

	for (uint32_t i = 1; i <= e->stream_of.count; i++) {
		const struct pario_stream *s = &e->streams[i];
		uint16_t op = s->site ? p->sites[s->site].op : 0;

		/* of fcntl on a file nothing but locking waits */
		if (s->nested || (s->class != PARIO_CLASS_LOCK && op != PARIO_OP_fcntl) ||
		    s->sum.ns < WAITED_NS || s->sum.ns < rule->limit * storage_ns(p))
			continue;
		pario_profile_findings_add(
			f, &(struct pario_profile_finding){ .rule = rule,
							    .site = s->site,
							    .file = s->file,
							    .files = 1,
							    .calls = s->sum.calls,
							    .ns = s->sum.ns,
							    .other_ns = s->sum.ns,
							    .longest_ns = s->sum.max_ns });
	}
}

void pario_rule_meeting(const struct pario_rule *rule, const struct pario_profile *p,
			struct pario_profile_findings *f)
{
	const struct pario_evidence *e = p->evidence;
	struct pario_profile_finding *x =
		calloc(p->site_of.count + 1ul, sizeof(*x)); /* by call site */

	f->no_memory |= !x;
	for (uint32_t i = 1; x && i <= e->stream_of.count; i++) {
		const struct pario_stream *s = &e->streams[i];

		if (s->nested || !(s->after_io_ns > 0))
			continue;
		x[s->site].calls += s->after_io;
		x[s->site].ns += s->after_io_ns;
		x[s->site].processes++;
	}
	for (uint32_t i = 1; x && i <= p->site_of.count; i++) {
		if (x[i].ns < WAITED_NS || x[i].ns < rule->limit * storage_ns(p))
			continue;
		x[i].rule = rule;
		x[i].site = i;
		x[i].other_ns = x[i].ns;
		x[i].mean_ns = storage_ns(p);
		pario_profile_findings_add(f, &x[i]);
	}
	free(x);
}
