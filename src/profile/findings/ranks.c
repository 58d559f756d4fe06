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
	uint64_t bytes, transfers;
	double ns, transfer_ns; /* on storage; of these, in reads and writes */
};

static int by_ns(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return x->transfer_ns < y->transfer_ns ? -1 : x->transfer_ns > y->transfer_ns;
}

/* The ranks, the least busy with reads and writes first; NULL for fewer than two, or without memory. */
static struct rank *ranks_of(const struct pario_profile *p, uint32_t *count)
{
	struct rank *ranks = calloc(p->job.process_of.count + 1ul, sizeof(*ranks));

	*count = 0;
	for (uint32_t i = 1; ranks && i <= p->job.process_of.count; i++) {
		const struct pario_profile_process *q = &p->processes[i];

		/* processes that MPI knows: children of a rank have its number and no messages */
		if (p->job.processes[i].rank != UINT32_MAX && q->meet.calls)
			ranks[(*count)++] =
				(struct rank){ .process = i,
					       .rank = p->job.processes[i].rank,
					       .bytes = q->read.bytes + q->write.bytes,
					       .transfers = q->read.calls + q->write.calls,
					       .ns = pario_profile_busy_ns(q),
					       .transfer_ns = q->read.ns + q->write.ns };
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
					       .classes = 1u << PARIO_CLASS_READ |
							  1u << PARIO_CLASS_WRITE,
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
		/* others could move the data and sync them, not open the files that it opens */
		x.ns = most->transfer_ns + p->evidence->processes[most->process].sync_ns;
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

/* Is it slow at what the others do as well, and not busy with more? */
static bool lags(const struct pario_rule *rule, const struct rank *last, const struct rank *middle)
{
	return middle->transfer_ns > 0 && last->transfer_ns >= rule->limit * middle->transfer_ns &&
	       (double)last->bytes <= 1.2 * (double)middle->bytes &&
	       (double)last->transfers <= 1.2 * (double)middle->transfers;
}

void pario_rule_straggler(const struct pario_rule *rule, const struct pario_profile *p,
			  struct pario_profile_findings *f)
{
	uint32_t count;
	struct rank *ranks = ranks_of(p, &count);
	const struct rank *last = ranks && count > 2 ? &ranks[count - 1] : NULL,
			  *middle = ranks ? &ranks[count / 2] : NULL;
	struct pario_profile_finding x;

	/* a tenth of the run, so that a busy machine is no straggler */
	if (last && lags(rule, last, middle) &&
	    last->transfer_ns - middle->transfer_ns > 0.1 * p->timeline.end_ns) {
		x = about(rule, p, last, count);
		x.ratio = last->transfer_ns / middle->transfer_ns;
		x.other_ns = last->transfer_ns;
		x.ns = last->transfer_ns - middle->transfer_ns;
		pario_profile_findings_add(f, &x);
	}
	free(ranks);
}

/* ---- waiting ---- */

static double storage_ns(const struct pario_profile *p)
{
	return p->on[PARIO_MEDIUM_STORAGE].ns;
}

/*
 * Did it wait for another process that was traced as well? If it was for one that was not, it waited for long: a
 * call is a millisecond late on a busy machine, but not fifty on average.
 */
static bool had_rivals(const struct pario_evidence *e, const struct pario_stream *s)
{
	return e->files[s->file].lockers > 1 || s->locked.ns >= WAITED_NS * (double)s->locked.calls;
}

void pario_rule_lock(const struct pario_rule *rule, const struct pario_profile *p,
		     struct pario_profile_findings *f)
{
	const struct pario_evidence *e = p->evidence;

	for (uint32_t i = 1; i <= e->stream_of.count; i++) {
		const struct pario_stream *s = &e->streams[i];

		if (s->nested || s->locked.calls < rule->least || !had_rivals(e, s) ||
		    s->locked.ns < WAITED_NS || s->locked.ns < rule->limit * storage_ns(p))
			continue;
		pario_profile_findings_add(
			f, &(struct pario_profile_finding){ .rule = rule,
							    .site = s->site,
							    .file = s->file,
							    .files = 1,
							    .calls = s->locked.calls,
							    .all = s->sum.calls,
							    .ns = s->locked.ns,
							    .other_ns = s->locked.ns,
							    .longest_ns = s->sum.max_ns });
	}
}

/* What each call site waited, in all and because of I/O. */
struct waited {
	struct pario_profile_finding *sites; /* by number */
	struct pario_map counted;	     /* processes of sites */
};

static void add_wait(void *context, const struct pario_meeting *m, double waited_ns,
		     double explained_ns)
{
	struct waited *w = context;
	struct pario_profile_finding *x = &w->sites[m->site];
	bool is_new;

	pario_map_add(&w->counted, (struct pario_map_key){ m->site, m->process, 0 }, &is_new);
	x->calls++;
	x->ns += explained_ns;
	x->other_ns += waited_ns;
	x->processes += is_new;
}

void pario_rule_meeting(const struct pario_rule *rule, const struct pario_profile *p,
			struct pario_profile_findings *f)
{
	struct waited w = { .sites = calloc(p->site_of.count + 1ul, sizeof(*w.sites)),
			    .counted.limit = PARIO_JOB_PROCESSES };

	f->no_memory |= !w.sites;
	if (w.sites)
		pario_waits_explain(&p->evidence->waits, add_wait, &w);
	for (uint32_t i = 1; w.sites && i <= p->site_of.count; i++) {
		struct pario_profile_finding *x = &w.sites[i];

		if (x->calls < rule->least || x->ns < WAITED_NS ||
		    x->ns < rule->limit * storage_ns(p))
			continue;
		x->rule = rule;
		x->site = i;
		x->mean_ns = x->ns;
		pario_profile_findings_add(f, x);
	}
	free(w.sites);
	pario_map_release(&w.counted);
}
