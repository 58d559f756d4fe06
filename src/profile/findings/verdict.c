/*
 * verdict: sums of spans for the share, sums of classes for what it is made of.
 */
#include "profile/findings/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/analyse/shares.h"

/* A run that would end this much earlier at best is as good as the same. */
static const double WORTH = 0.02;

/* A class has its finding where findings are about this much of it, and one call is no habit that took this much. */
static const double MOST = 0.5;

/* ---- how much of the run ---- */

static uint32_t count_ranks(const struct pario_job *job)
{
	uint32_t ranks = 0;

	for (uint32_t i = 1; i <= job->process_of.count; i++) {
		if (job->processes[i].rank != UINT32_MAX && job->processes[i].rank >= ranks)
			ranks = job->processes[i].rank + 1;
	}
	/* numbers that make no sense are no ranks */
	return ranks <= PARIO_JOB_PROCESSES ? ranks : 0;
}

/* A rank and its children together. */
static void of_ranks(struct pario_verdict *v, const struct pario_profile *p)
{
	double *ns = calloc(v->ranks, sizeof(*ns));

	for (uint32_t i = 1; ns && i <= p->job.process_of.count; i++) {
		if (p->job.processes[i].rank < v->ranks)
			ns[p->job.processes[i].rank] += p->evidence->waits.of[i].busy;
	}
	for (uint32_t i = 0; ns && i < v->ranks; i++) {
		ns[i] = fmin(ns[i], v->run_ns);
		v->mean_ns += ns[i] / v->ranks;
		if (ns[i] > v->io_ns) {
			v->io_ns = ns[i];
			v->rank = i;
		}
	}
	free(ns);
}

static uint8_t largest_class(const struct pario_profile *p)
{
	uint8_t most = 0;

	for (uint8_t i = 1; i < PARIO_CLASSES; i++) {
		if (p->classes[i].ns > p->classes[most].ns)
			most = i;
	}
	return most;
}

/* The first finding about a class, where those about it take enough of its time. */
static uint32_t finding_about(const struct pario_profile *p, const struct pario_profile_findings *f,
			      uint8_t class)
{
	uint32_t first = 0;
	double ns = 0;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct pario_profile_finding *x = &f->items[i];

		if (!(pario_profile_finding_classes(p, x) >> class & 1))
			continue;
		first = first ? first : i + 1;
		ns += x->ns;
	}
	return ns >= MOST * p->classes[class].ns ? first : 0;
}

struct pario_verdict pario_verdict_of(const struct pario_profile *p,
				      const struct pario_profile_findings *f)
{
	struct pario_verdict v = { .ranks = count_ranks(&p->job), .class = largest_class(p) };
	double from = p->range.limited ? p->range.from_ns : 0;
	bool no_memory = false;

	v.run_ns = fmax(p->timeline.end_ns - from, 0);
	if (v.ranks)
		of_ranks(&v, p);
	else if (p->counted)
		v.io_ns = fmin(p->on[PARIO_MEDIUM_STORAGE].ns, v.run_ns);
	else
		v.io_ns =
			fmin(pario_waits_union_ns(&p->evidence->waits, NULL, &no_memory), v.run_ns);
	v.worth = v.io_ns >= WORTH * v.run_ns;
	v.finding = finding_about(p, f, v.class);
	return v;
}

/* ---- sentences ---- */

static void add_share(struct pario_text *text, double share)
{
	if (share > 0 && share < 0.001)
		pario_text_add(text, "less than 0.1 %%");
	else
		pario_text_add(text, "%.*f %%", share < 0.0995 ? 1 : 0, 100 * share);
}

static void says_share(const struct pario_verdict *v, const struct pario_profile *p,
		       struct pario_text *text)
{
	char io[PARIO_UNITS_CAPACITY], run[PARIO_UNITS_CAPACITY];

	pario_units_ns(io, v->io_ns);
	pario_units_ns(run, v->run_ns);
	pario_text_add(text, "I/O takes ");
	add_share(text, pario_verdict_share(v));
	pario_text_add(text, " of the run");
	if (v->ranks > 1) {
		pario_text_add(text, " on the busiest of %u ranks, rank %u (%s of %s), and ",
			       v->ranks, v->rank, io, run);
		add_share(text, v->run_ns > 0 ? v->mean_ns / v->run_ns : 0);
		pario_text_add(text, " on average.");
	} else if (v->ranks || p->job.process_of.count < 2) {
		pario_text_add(text, ": %s of %s.", io, run);
	} else {
		pario_text_add(text,
			       ": for %s of %s at least one of its %u processes was in a call on "
			       "storage.",
			       io, run, p->job.process_of.count);
	}
	if (!v->worth)
		pario_text_add(text, " That is below %.0f %%: nothing here is worth changing.",
			       100 * WORTH);
}

static uint32_t files_of(const struct pario_profile *p, uint8_t class)
{
	const struct pario_evidence *e = p->evidence;
	bool *seen = calloc(p->job.file_of.count + 1ul, sizeof(*seen));
	uint32_t files = 0;

	for (uint32_t i = 1; seen && i <= e->stream_of.count; i++) {
		const struct pario_stream *s = &e->streams[i];

		if (s->nested || s->class != class || seen[s->file])
			continue;
		seen[s->file] = true;
		files++;
	}
	free(seen);
	return files;
}

/* Of transfers: how large, and how fast. */
static void why_transfers(const struct pario_profile_sum *sum, struct pario_text *text)
{
	char size[PARIO_UNITS_CAPACITY], each[PARIO_UNITS_CAPACITY], rate[PARIO_UNITS_CAPACITY];
	double calls = (double)sum->calls;

	pario_text_add(text, "%llu calls of %s on average, ", (unsigned long long)sum->calls,
		       pario_units_size(size, sum->bytes / sum->calls));
	if (sum->bytes / sum->calls >= PARIO_EVIDENCE_LARGE)
		pario_text_add(
			text,
			"at %s. They are large; only fewer bytes or faster storage would "
			"shorten them.",
			pario_units_rate(rate, (double)sum->bytes / 1048576 / (sum->ns * 1e-9)));
	else
		pario_text_add(text,
			       "%s each. None of the habits that pario knows takes up half of "
			       "that; larger calls, or fewer, would shorten it.",
			       pario_units_ns(each, sum->ns / calls));
}

static void why_syncs(const struct pario_profile *p, struct pario_text *text)
{
	const struct pario_profile_sum *sum = &p->classes[PARIO_CLASS_SYNC];
	uint64_t bytes = p->classes[PARIO_CLASS_WRITE].bytes;
	char each[PARIO_UNITS_CAPACITY], size[PARIO_UNITS_CAPACITY];

	pario_text_add(text, "%llu calls, %s each, for %s written between them. ",
		       (unsigned long long)sum->calls,
		       pario_units_ns(each, sum->ns / (double)sum->calls),
		       pario_units_size(size, bytes));
	pario_text_add(text, bytes / sum->calls >= PARIO_EVIDENCE_LARGE
				     ? "That is the time of bringing the data to the device."
				     : "They are few, or had little to sync.");
}

static void why_names(const struct pario_profile *p, uint8_t class, struct pario_text *text)
{
	const struct pario_profile_sum *sum = &p->classes[class];
	uint32_t files = files_of(p, class);
	char each[PARIO_UNITS_CAPACITY];

	pario_text_add(text, "%llu calls on %u name%s, %s each. ", (unsigned long long)sum->calls,
		       files, files == 1 ? "" : "s",
		       pario_units_ns(each, sum->ns / (double)sum->calls));
	pario_text_add(text, sum->calls <= 3ull * files
				     ? "That is one to three for each: only fewer files would "
				       "shorten it."
				     : "None of the habits that pario knows takes up half of that; "
				       "only fewer calls would shorten it.");
}

/* Why there is no finding about the class that takes most. */
static void says_why(const struct pario_profile *p, uint8_t class, struct pario_text *text)
{
	const struct pario_profile_sum *sum = &p->classes[class];
	char longest[PARIO_UNITS_CAPACITY];

	if (sum->calls == 1)
		pario_text_add(text, "a single call, which is no habit that could be changed.");
	else if (sum->max_ns >= MOST * sum->ns)
		pario_text_add(text,
			       "one of %llu calls took %s of that, which is no habit that could "
			       "be changed.",
			       (unsigned long long)sum->calls,
			       pario_units_ns(longest, sum->max_ns));
	else if (class == PARIO_CLASS_READ || class == PARIO_CLASS_WRITE)
		why_transfers(sum, text);
	else if (class == PARIO_CLASS_SYNC)
		why_syncs(p, text);
	else
		why_names(p, class, text);
}

static void says_class(const struct pario_verdict *v, const struct pario_profile *p,
		       struct pario_text *text)
{
	double all = p->on[PARIO_MEDIUM_STORAGE].ns, share;

	if (!(all > 0) || !(p->classes[v->class].ns > 0))
		return;
	share = p->classes[v->class].ns / all;
	pario_text_add(text, share >= MOST ? " Most of the I/O time, "
					   : " The largest part of the I/O time, ");
	add_share(text, share);
	pario_text_add(text, ", is %s: ", pario_class_names[v->class]);
	if (v->finding)
		pario_text_add(text, "see finding %u.", v->finding);
	else
		says_why(p, v->class, text);
}

void pario_verdict_says(const struct pario_verdict *v, const struct pario_profile *p,
			struct pario_text *text)
{
	says_share(v, p, text);
	says_class(v, p, text);
}
