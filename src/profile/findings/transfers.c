/*
 * transfers: how large reads and writes are, and in which order they come.
 */
#include "profile/findings/findings.h"

static bool is_data(const struct pario_stream *s)
{
	return !s->nested && (s->class == PARIO_CLASS_READ || s->class == PARIO_CLASS_WRITE);
}

/* stdio collects small pieces itself. */
static bool is_unbuffered(const struct pario_stream *s)
{
	return is_data(s) && s->layer != PARIO_TRACE_STDIO;
}

/* Several threads: which of their calls came behind which is not known. */
static bool is_ordered(const struct pario_profile *p, const struct pario_stream *s)
{
	return !p->evidence->places[s->place].threads;
}

/* Charges what was counted, where it is enough of the stream's transfers. */
static bool charge(const struct pario_rule *rule, const struct pario_stream *s,
		   const struct pario_profile_power *counted, struct pario_profile_finding *part)
{
	part->calls = counted->calls;
	part->bytes = counted->bytes;
	part->ns = counted->ns;
	return counted->calls && (double)counted->calls >= rule->limit * (double)s->moves;
}

static bool is_large(const struct pario_profile_power *counted)
{
	return counted->bytes >= counted->calls * PARIO_EVIDENCE_LARGE;
}

bool pario_rule_small(const struct pario_rule *rule, const struct pario_profile *p,
		      const struct pario_stream *s, struct pario_profile_finding *part)
{
	return is_unbuffered(s) && is_ordered(p, s) && charge(rule, s, &s->small, part);
}

bool pario_rule_misaligned(const struct pario_rule *rule, const struct pario_profile *p,
			   const struct pario_stream *s, struct pario_profile_finding *part)
{
	bool shared = p->evidence->files[s->file].writers > 1;

	return is_unbuffered(s) && s->class == PARIO_CLASS_WRITE && (shared || is_ordered(p, s)) &&
	       charge(rule, s, shared ? &s->misaligned : &s->misaligned_apart, part);
}

/* How often the bytes moved would cover the range they lie in. */
static double cover(const struct pario_stream *s)
{
	return s->to > s->from ? (double)s->sum.bytes / (double)(s->to - s->from) : 0;
}

bool pario_rule_random(const struct pario_rule *rule, const struct pario_profile *p,
		       const struct pario_stream *s, struct pario_profile_finding *part)
{
	part->calls = s->random.calls;
	part->bytes = s->sum.bytes;
	part->moves = s->moves;
	part->range = s->to - s->from;
	part->ns = s->random.ns;
	/* backward by one is an order too, and has a rule of its own */
	return is_unbuffered(s) && is_ordered(p, s) && s->random.calls >= rule->least &&
	       2 * s->random.calls >= s->moves && 2 * s->backward.calls <= s->moves &&
	       cover(s) >= rule->limit && cover(s) <= 2 && !is_large(&s->random);
}

/* Was it written to once the reading had begun? Then what was read the second time may be new. */
static bool may_have_changed(const struct pario_profile *p, const struct pario_stream *s)
{
	const struct pario_evidence_file *file = &p->evidence->files[s->file];

	return file->writers && file->last_write_ns > s->first_ns;
}

bool pario_rule_again(const struct pario_rule *rule, const struct pario_profile *p,
		      const struct pario_stream *s, struct pario_profile_finding *part)
{
	/* what one process can keep */
	const uint64_t most = 1 << 30;

	part->calls = s->again.calls;
	part->bytes = s->sum.bytes;
	part->moves = s->moves;
	part->range = s->to - s->from;
	part->ns = s->again.ns;
	return is_data(s) && s->class == PARIO_CLASS_READ && s->moves >= rule->least &&
	       cover(s) >= rule->limit && part->range <= most && !may_have_changed(p, s);
}

bool pario_rule_backward(const struct pario_rule *rule, const struct pario_profile *p,
			 const struct pario_stream *s, struct pario_profile_finding *part)
{
	return is_unbuffered(s) && is_ordered(p, s) && s->class == PARIO_CLASS_READ &&
	       !is_large(&s->backward) && charge(rule, s, &s->backward, part);
}

bool pario_rule_direct(const struct pario_rule *rule, const struct pario_profile *p,
		       const struct pario_stream *s, struct pario_profile_finding *part)
{
	/* requests that run beside each other need none */
	return is_unbuffered(s) && is_ordered(p, s) && s->layer == PARIO_TRACE_POSIX &&
	       s->class == PARIO_CLASS_READ && charge(rule, s, &s->direct, part);
}

bool pario_rule_advice(const struct pario_rule *rule, const struct pario_evidence_place *q,
		       struct pario_profile_finding *part)
{
	const struct pario_profile_power *unlike = &q->unlike.sum;

	part->site = q->unlike.site;
	part->advice = q->advice;
	part->calls = unlike->calls;
	part->all = q->reads;
	part->bytes = unlike->bytes;
	part->ns = unlike->ns;
	return !q->threads && unlike->calls &&
	       (double)unlike->calls >= rule->limit * (double)q->reads;
}
