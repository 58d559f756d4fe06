/*
 * names: opening, asking and looking for files: what the rules about names measure from the evidence.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/findings/findings.h"

#include <xxhash.h>

static bool again(const struct pario_stream *s, uint8_t class, uint64_t least,
		  struct pario_profile_finding *part)
{
	part->calls = s->sum.calls - s->sum.failed;
	part->ns = s->sum.ns - s->failed_ns;
	part->names = 1;
	return !s->nested && s->class == class && s->file && part->calls >= least;
}

bool pario_rule_opened(const struct pario_rule *rule, const struct pario_profile *p,
		       const struct pario_stream *s, struct pario_profile_finding *part)
{
	const struct pario_evidence_place *q = &p->evidence->places[s->place];

	/* what is removed or renamed each time, as lock files are, is another one each time */
	return 2 * q->removals < q->opens && again(s, PARIO_CLASS_OPEN, rule->least, part);
}

bool pario_rule_stats(const struct pario_rule *rule, const struct pario_profile *p,
		      const struct pario_stream *s, struct pario_profile_finding *part)
{
	(void)p;
	return again(s, PARIO_CLASS_STAT, (uint64_t)rule->limit, part);
}

/* ---- calls that fail ---- */

/* The failed calls of one stream. */
struct failed {
	uint32_t site, stream;
	int32_t error;
	uint64_t name; /* the last part of the path */
};

static int by_name(const void *a, const void *b)
{
	const struct failed *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->error != y->error)
		return x->error < y->error ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static uint64_t name_of(const struct pario_profile *p, uint32_t file)
{
	const char *path = file && p->job.files[file] ? p->job.files[file] : "",
		   *slash = strrchr(path, '/');

	path = slash ? slash + 1 : path;
	return XXH64(path, strlen(path), 0);
}

static struct failed *gather(const struct pario_profile *p, size_t *count)
{
	const struct pario_evidence *e = p->evidence;
	struct failed *list = calloc(e->stream_of.count + 1ul, sizeof(*list));

	*count = 0;
	for (uint32_t i = 1; list && i <= e->stream_of.count; i++) {
		const struct pario_stream *s = &e->streams[i];

		/* who asks until the answer is another one, or what comes and goes, is waiting */
		if (!s->nested && s->same_error && !s->recovered &&
		    !p->evidence->places[s->place].removals && s->error != EINTR &&
		    s->error != EAGAIN)
			list[(*count)++] =
				(struct failed){ s->site, i, s->error, name_of(p, s->file) };
	}
	if (list)
		qsort(list, *count, sizeof(*list), by_name);
	return list;
}

/* One call site and error: list[0..count). */
static void judge(const struct pario_rule *rule, const struct pario_profile *p,
		  const struct failed *list, size_t count, bool searched,
		  struct pario_profile_findings *f)
{
	const struct pario_stream *streams = p->evidence->streams;
	struct pario_profile_finding x = { .rule = rule,
					   .site = list[0].site,
					   .error = list[0].error };

	for (size_t i = 0; i < count; i++) {
		const struct pario_stream *s = &streams[list[i].stream];

		x.calls += s->same_error;
		x.ns += s->failed_ns * (double)s->same_error / (double)s->sum.failed;
		x.names += i == 0 || list[i].name != list[i - 1].name;
		if (s->failed_ns >= x.file_ns) {
			x.file_ns = s->failed_ns;
			x.file = s->file;
		}
	}
	for (uint32_t i = 1; i <= p->evidence->stream_of.count; i++) {
		if (streams[i].site == x.site)
			x.all += streams[i].sum.calls;
	}
	x.files = (uint32_t)count;
	/* the same names elsewhere are a search; else the same paths fail again */
	if (searched != (x.error == ENOENT && count >= 2 * x.names))
		return;
	x.ratio = (double)x.calls / (double)(searched ? x.names : count);
	/* a search asks for many names in the same few places; what is looked for in every directory belongs there */
	if (searched && (double)x.names < x.ratio)
		return;
	if (x.calls >= rule->least && x.ratio >= rule->limit)
		pario_profile_findings_add(f, &x);
}

static void failures(const struct pario_rule *rule, const struct pario_profile *p, bool searched,
		     struct pario_profile_findings *f)
{
	size_t count, first = 0;
	struct failed *list = gather(p, &count);

	f->no_memory |= !list;
	for (size_t i = 1; list && i <= count; i++) {
		if (i < count && list[i].site == list[first].site &&
		    list[i].error == list[first].error)
			continue;
		judge(rule, p, list + first, i - first, searched, f);
		first = i;
	}
	free(list);
}

void pario_rule_searched(const struct pario_rule *rule, const struct pario_profile *p,
			 struct pario_profile_findings *f)
{
	failures(rule, p, true, f);
}

void pario_rule_failed(const struct pario_rule *rule, const struct pario_profile *p,
		       struct pario_profile_findings *f)
{
	failures(rule, p, false, f);
}
