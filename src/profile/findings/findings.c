/*
 * findings: asks every rule, ranks the answers, and fills in their sentences.
 */
#include "profile/findings/findings.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/show/show.h"

/* Less than this share of the time on storage, or of the run, is not worth a word. */
static const double OF_STORAGE = 0.01, OF_RUN = 0.001;

void pario_profile_findings_release(struct pario_profile_findings *f)
{
	free(f->items);
	*f = (struct pario_profile_findings){ 0 };
}

void pario_profile_findings_add(struct pario_profile_findings *f,
				const struct pario_profile_finding *finding)
{
	struct pario_profile_finding *items =
		pario_map_grow(f->items, &f->capacity, f->count, sizeof(*items));

	if (!items) {
		f->no_memory = true;
		return;
	}
	f->items = items;
	items[f->count++] = *finding;
}

void pario_rule_shared_files(const struct pario_rule *rule, const struct pario_profile *p,
			     struct pario_profile_findings *f, pario_rule_of_file *measure)
{
	const struct pario_evidence_place *places = p->evidence->places;
	uint32_t count, first = 0, *list = pario_evidence_by_file(p->evidence, &count);

	f->no_memory |= !list;
	for (uint32_t i = 1; list && i <= count; i++) {
		if (i < count && places[list[i]].file == places[list[first]].file)
			continue;
		if (i - first > 1)
			measure(rule, p, list + first, i - first, f);
		first = i;
	}
	free(list);
}

/* ---- rules about streams and places: those of one call site together ---- */

static void merge(struct pario_profile_finding *x, uint32_t file, uint32_t process,
		  const struct pario_profile_finding *part)
{
	/* those of one process follow each other, mostly; one counted twice makes gains smaller, not larger */
	x->processes += process != x->last_process;
	x->last_process = process;
	x->ns += part->ns;
	x->calls += part->calls;
	x->all += part->all;
	x->bytes += part->bytes;
	x->moves += part->moves;
	x->range += part->range;
	x->names += part->names;
	x->advice = part->advice;
	if (file && file != x->file) /* those of one file that follow each other are one */
		x->files++;
	if (file && part->ns >= x->file_ns) {
		x->file_ns = part->ns;
		x->file = file;
	}
}

static void merge_streams(struct pario_profile_finding *sites, const struct pario_rule *rule,
			  const struct pario_profile *p)
{
	const struct pario_evidence *e = p->evidence;

	for (uint32_t i = 1; rule->stream && i <= e->stream_of.count; i++) {
		const struct pario_stream *s = &e->streams[i];
		struct pario_profile_finding part = { .all = s->sum.calls };

		if (rule->stream(rule, p, s, &part))
			merge(&sites[s->site], s->file, s->process, &part);
	}
}

static void merge_places(struct pario_profile_finding *sites, const struct pario_rule *rule,
			 const struct pario_profile *p)
{
	const struct pario_evidence *e = p->evidence;

	for (uint32_t i = 1; rule->place && i <= e->place_count; i++) {
		struct pario_profile_finding part = { 0 };

		if (rule->place(rule, &e->places[i], &part))
			merge(&sites[part.site], e->places[i].file, e->places[i].process, &part);
	}
}

static void ask_by_site(struct pario_profile_findings *f, const struct pario_rule *rule,
			const struct pario_profile *p)
{
	struct pario_profile_finding *sites =
		calloc(p->site_of.count + 1ul, sizeof(*sites)); /* by number */

	f->no_memory |= !sites;
	if (!sites)
		return;
	merge_streams(sites, rule, p);
	merge_places(sites, rule, p);
	for (uint32_t i = 1; i <= p->site_of.count; i++) {
		struct pario_profile_finding *x = &sites[i];

		if (x->calls < rule->least)
			continue;
		x->rule = rule;
		x->site = i;
		x->ratio = x->range   ? (double)x->bytes / (double)x->range
			   : x->names ? (double)x->calls / (double)x->names
				      : 0;
		pario_profile_findings_add(f, x);
	}
	free(sites);
}

/* ---- ranking ---- */

static bool matters(const struct pario_profile *p, const struct pario_profile_finding *x)
{
	return x->rule->data || (x->ns >= OF_STORAGE * p->on[PARIO_MEDIUM_STORAGE].ns &&
				 x->ns >= OF_RUN * p->timeline.end_ns);
}

static int more_time(const void *a, const void *b)
{
	const struct pario_profile_finding *x = a, *y = b;

	if (x->ns > y->ns || x->ns < y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

void pario_profile_findings_judge(struct pario_profile_findings *f, const struct pario_profile *p)
{
	uint32_t kept = 0;

	*f = (struct pario_profile_findings){ 0 };
	for (uint32_t i = 0; i < pario_rule_count; i++) {
		if (pario_rules[i].job)
			pario_rules[i].job(&pario_rules[i], p, f);
		else
			ask_by_site(f, &pario_rules[i], p);
	}
	for (uint32_t i = 0; i < f->count; i++) {
		if (matters(p, &f->items[i]))
			f->items[kept++] = f->items[i];
	}
	f->count = kept;
	if (kept)
		qsort(f->items, kept, sizeof(*f->items), more_time);
}

/* ---- sentences ---- */

static void add_count(struct pario_text *text, uint64_t value)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0 && length > 4)
			pario_text_add(text, " ");
		pario_text_bytes(text, &digits[i], 1);
	}
}

static void add_size(struct pario_text *text, uint64_t bytes)
{
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(text, "%s", pario_units_size(buf, bytes));
}

static void add_time(struct pario_text *text, double ns)
{
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(text, "%s", pario_units_ns(buf, ns));
}

static void add_file(struct pario_text *text, const struct pario_profile *p,
		     const struct pario_profile_finding *f)
{
	const char *name = f->file ? p->job.files[f->file] : NULL;

	pario_text_clean(text, name ? name : "files without a name");
	if (f->files > 1)
		pario_text_add(text, " and %u other%s", f->files - 1, f->files == 2 ? "" : "s");
}

uint32_t pario_profile_finding_classes(const struct pario_profile *p,
				       const struct pario_profile_finding *f)
{
	if (f->classes || !f->site)
		return f->classes;
	return 1u << pario_trace_operation(p->sites[f->site].op)->class;
}

static const char *operation(const struct pario_profile *p, const struct pario_profile_finding *f)
{
	return f->site ? pario_trace_operation(p->sites[f->site].op)->name : "I/O";
}

static void add_error(struct pario_text *text, const struct pario_profile *p,
		      const struct pario_profile_finding *f)
{
	uint16_t op = p->sites[f->site].op;
	struct pario_profile_failure failure = { .layer = pario_trace_operation(op)->layer,
						 .error = f->error };
	char buf[PARIO_ERROR_CAPACITY];

	pario_text_add(text, "%s", pario_profile_error(&failure, buf));
}

static void fill_in(struct pario_text *text, const struct pario_profile *p,
		    const struct pario_profile_finding *f, const char *word, size_t length)
{
#define IS(name) (length == strlen(name) && memcmp(word, name, length) == 0)
	uint64_t moves = f->moves ? f->moves : f->calls;

	if (IS("calls"))
		add_count(text, f->calls);
	else if (IS("all"))
		add_count(text, f->all);
	else if (IS("names"))
		add_count(text, f->names);
	else if (IS("processes"))
		add_count(text, f->processes);
	else if (IS("ranks"))
		pario_text_add(text, "%u rank%s", f->processes, f->processes == 1 ? "" : "s");
	else if (IS("rank"))
		pario_text_add(text, "%u", f->rank);
	else if (IS("bytes"))
		add_size(text, f->bytes);
	else if (IS("range"))
		add_size(text, f->range);
	else if (IS("size"))
		add_size(text, moves ? f->bytes / moves : 0);
	else if (IS("ratio") && f->ratio < 99.5)
		pario_text_add(text, "%.2g", f->ratio);
	else if (IS("ratio"))
		add_count(text, (uint64_t)(f->ratio + 0.5));
	else if (IS("spent"))
		add_time(text, f->other_ns);
	else if (IS("mean"))
		add_time(text, f->mean_ns);
	else if (IS("longest"))
		add_time(text, f->longest_ns);
	else if (IS("op"))
		pario_text_add(text, "%s", operation(p, f));
	else if (IS("error"))
		add_error(text, p, f);
	else if (IS("advice"))
		pario_text_add(text, "%s",
			       f->advice == POSIX_FADV_RANDOM
				       ? "in sequence after POSIX_FADV_RANDOM"
				       : "at random after POSIX_FADV_SEQUENTIAL");
	else
		add_file(text, p, f);
#undef IS
}

void pario_profile_finding_says(const struct pario_profile *p,
				const struct pario_profile_finding *f, struct pario_text *text)
{
	const char *at = f->rule->says;

	while (*at) {
		const char *open = strchrnul(at, '{'), *close = strchr(open, '}');

		pario_text_bytes(text, at, (size_t)(open - at));
		if (!close)
			return;
		fill_in(text, p, f, open + 1, (size_t)(close - open - 1));
		at = close + 1;
	}
}

void pario_profile_finding_where(const struct pario_profile *p, struct pario_symbols *symbols,
				 const struct pario_profile_finding *f, struct pario_text *text)
{
	if (f->site && !p->counted)
		pario_profile_site_name(p, symbols, p->sites[f->site].module,
					p->sites[f->site].offset, text);
}
