/*
 * transfers: how large reads and writes are, and in which order they come.
 */
#include "profile/findings/findings.h"

static const uint64_t LARGE = 1 << 20;

static bool is_data(const struct pario_stream *s)
{
	return !s->nested && (s->class == PARIO_CLASS_READ || s->class == PARIO_CLASS_WRITE);
}

/* stdio collects small pieces itself. */
static bool is_unbuffered(const struct pario_stream *s)
{
	return is_data(s) && s->layer != PARIO_TRACE_STDIO;
}

static uint64_t answered(const struct pario_stream *s)
{
	return s->sum.calls - s->sum.failed;
}

static bool reaches(const struct pario_rule *rule, uint64_t calls, const struct pario_stream *s)
{
	return calls && (double)calls >= rule->limit * (double)s->sum.calls;
}

/* A part of the whole time, for calls that were not timed apart. */
static double share_ns(const struct pario_stream *s, uint64_t calls)
{
	return s->sum.ns * (double)calls / (double)s->sum.calls;
}

bool pario_rule_small(const struct pario_rule *rule, const struct pario_profile *p,
		      const struct pario_stream *s, struct pario_profile_finding *part)
{
	(void)p;
	if (!is_unbuffered(s) || !reaches(rule, s->small.calls, s))
		return false;
	part->calls = s->small.calls;
	part->bytes = s->small.bytes;
	part->ns = s->small.ns;
	return true;
}

bool pario_rule_misaligned(const struct pario_rule *rule, const struct pario_profile *p,
			   const struct pario_stream *s, struct pario_profile_finding *part)
{
	uint64_t calls = pario_evidence_writers(p->evidence, s->file) > 1 ? s->misaligned
									  : s->misaligned_apart;

	if (!is_unbuffered(s) || s->class != PARIO_CLASS_WRITE || !reaches(rule, calls, s))
		return false;
	part->calls = calls;
	part->bytes = s->sum.bytes * calls / s->sum.calls;
	part->ns = s->misaligned_ns;
	return true;
}

/* How often the bytes moved would cover the range they lie in. */
static double cover(const struct pario_stream *s)
{
	return s->to > s->from ? (double)s->sum.bytes / (double)(s->to - s->from) : 0;
}

bool pario_rule_random(const struct pario_rule *rule, const struct pario_profile *p,
		       const struct pario_stream *s, struct pario_profile_finding *part)
{
	(void)p;
	/* backward by one is an order too, and has a rule of its own */
	if (!is_unbuffered(s) || s->random < rule->least || 2 * s->random < s->sum.calls ||
	    2 * s->backward > s->sum.calls || cover(s) < rule->limit || cover(s) > 2 ||
	    s->sum.bytes / s->sum.calls >= LARGE)
		return false;
	part->calls = s->random;
	part->bytes = s->sum.bytes;
	part->moves = s->sum.calls;
	part->range = s->to - s->from;
	part->ns = share_ns(s, s->random);
	return true;
}

bool pario_rule_again(const struct pario_rule *rule, const struct pario_profile *p,
		      const struct pario_stream *s, struct pario_profile_finding *part)
{
	(void)p;
	if (!is_data(s) || s->class != PARIO_CLASS_READ || answered(s) < rule->least ||
	    cover(s) < rule->limit)
		return false;
	part->calls = answered(s);
	part->bytes = s->sum.bytes;
	part->range = s->to - s->from;
	part->ns = s->sum.ns * (1 - 1 / cover(s));
	return true;
}

bool pario_rule_backward(const struct pario_rule *rule, const struct pario_profile *p,
			 const struct pario_stream *s, struct pario_profile_finding *part)
{
	(void)p;
	if (!is_unbuffered(s) || s->class != PARIO_CLASS_READ || !reaches(rule, s->backward, s) ||
	    s->sum.bytes / s->sum.calls >= LARGE)
		return false;
	part->calls = s->backward;
	part->bytes = s->sum.bytes * s->backward / s->sum.calls;
	part->ns = share_ns(s, s->backward);
	return true;
}

bool pario_rule_direct(const struct pario_rule *rule, const struct pario_profile *p,
		       const struct pario_stream *s, struct pario_profile_finding *part)
{
	uint64_t calls = s->direct < s->sequential ? s->direct : s->sequential;

	(void)p;
	/* requests that run beside each other need none */
	if (!is_unbuffered(s) || s->layer != PARIO_TRACE_POSIX || s->class != PARIO_CLASS_READ ||
	    !reaches(rule, calls, s) || s->sum.bytes / s->sum.calls >= LARGE)
		return false;
	part->calls = calls;
	part->bytes = s->sum.bytes * calls / s->sum.calls;
	part->ns = share_ns(s, calls);
	return true;
}

bool pario_rule_advice(const struct pario_rule *rule, const struct pario_evidence_place *q,
		       struct pario_profile_finding *part)
{
	if (!q->unlike.calls || (double)q->unlike.calls < rule->limit * (double)q->reads)
		return false;
	part->site = q->unlike_site;
	part->advice = q->advice;
	part->calls = q->unlike.calls;
	part->all = q->reads;
	part->bytes = q->unlike.bytes;
	part->ns = q->unlike.ns;
	return true;
}
