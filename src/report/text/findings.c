/*
 * findings: rules over the at-a-glance regions. A rule is a row: two regions that ought to be alike.
 */
#include "report/text/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Adding clients that loses this share is worth a sentence. */
#define LOSES_SHARE 0.9

/* One region expected to be as fast as another; when it is `times` slower or more, `text` is said with the factor. */
struct rule {
	const char *slower, *faster;
	double times;
	const char *text, *next;
};

static const struct rule rules[] = {
	{ "write", "read", 3, "Large writes to disk are %s × slower than reads.", "" },
	{ "read", "write", 3, "Large reads from disk are %s × slower than writes.", "" },
	{ "mpiio_write", "write", 1.5,
	  "MPI-IO writes into one shared file are %s × slower than POSIX writes with a file per client.",
	  "pario survey --focus shared,write" },
	{ "mpiio_read", "read", 1.5,
	  "MPI-IO reads from one shared file are %s × slower than POSIX reads with a file per client.",
	  "pario survey --focus shared,read" },
	{ "strided_write", "write", 1.5,
	  "Strided 64 KiB writes into a shared file are %s × slower than large writes with a file per client.",
	  "pario survey --focus shared,write, or try --layout per_client" },
	{ "independent_write", "collective_write", 2,
	  "Noncontiguous writes are %s × slower independently than collectively.",
	  "use --collective 1" },
	{ "collective_write", "independent_write", 2,
	  "Noncontiguous writes are %s × slower collectively than independently.",
	  "try --romio_cb_write disable, or independent calls" },
	{ "file_create", "file_stat", 20, "Creating a file takes %s × as long as looking at one.",
	  "" },
};

static bool proves(const struct pario_region *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->numbers[i] < PARIO_FINDINGS_LEAST)
			return false;
	}
	return r->count > 0 && !r->suspect;
}

static const struct pario_region *find(const struct pario_region *regions, size_t count,
				       const char *id)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(regions[i].id, id) == 0 && proves(&regions[i]))
			return &regions[i];
	}
	return NULL;
}

static double low_of(const struct pario_region *r)
{
	return r->low[r->count - 1];
}

static double high_of(const struct pario_region *r)
{
	return r->high[r->count - 1];
}

static bool apply(const struct rule *rule, const struct pario_region *regions, size_t count,
		  struct pario_finding *finding)
{
	const struct pario_region *slower = find(regions, count, rule->slower);
	const struct pario_region *faster = find(regions, count, rule->faster);
	char times[PARIO_UNITS_CAPACITY];
	double factor;

	if (!slower || !faster || high_of(slower) >= low_of(faster))
		return false;
	factor = pario_region_last(faster) / pario_region_last(slower);
	if (!(factor >= rule->times))
		return false;
	pario_units_number(times, factor >= 10 ? round(factor) : round(factor * 10) / 10);
	/* The rules' texts are constants of this file with one %s each. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(finding->text, sizeof(finding->text), rule->text, times);
#pragma GCC diagnostic pop
	snprintf(finding->next, sizeof(finding->next), "%s", rule->next);
	return true;
}

/* More clients, less throughput: from the best count to the largest. */
static bool loses(const struct pario_region *r, struct pario_finding *finding)
{
	uint64_t best_at = 0;
	double best = pario_region_best(r, &best_at), last = pario_region_last(r);
	size_t at = 0;

	if (r->count < 2 || !proves(r) || r->value == PARIO_REGION_TIME ||
	    best_at == r->clients[r->count - 1] || !(last < LOSES_SHARE * best))
		return false;
	while (r->clients[at] != best_at)
		at++;
	if (high_of(r) >= r->low[at])
		return false;
	snprintf(finding->text, sizeof(finding->text),
		 "%s, %s: %llu clients reach %.0f %% of what %llu %s.", r->region, r->what,
		 (unsigned long long)r->clients[r->count - 1], 100 * last / best,
		 (unsigned long long)best_at, best_at == 1 ? "does" : "do");
	finding->next[0] = '\0';
	return true;
}

size_t pario_findings_of(const struct pario_region *regions, size_t count,
			 struct pario_finding findings[PARIO_FINDINGS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]) && n < PARIO_FINDINGS_MAX; i++)
		n += apply(&rules[i], regions, count, &findings[n]);
	for (size_t i = 0; i < count && n < PARIO_FINDINGS_MAX; i++)
		n += loses(&regions[i], &findings[n]);
	return n;
}

void pario_findings_add(struct pario_text *out, const struct pario_finding *findings, size_t count,
			const struct pario_region *regions, size_t region_count)
{
	size_t proof = 0;

	for (size_t i = 0; i < region_count; i++)
		proof += proves(&regions[i]);
	pario_text_add(out, "\n What stands out\n");
	if (count == 0 && 2 * proof < region_count)
		pario_text_add(out,
			       "  nothing that could be relied on: %zu of %zu numbers are suspect, "
			       "missing or rest on fewer than %d values\n",
			       region_count - proof, region_count, PARIO_FINDINGS_LEAST);
	else if (count == 0)
		pario_text_add(
			out,
			"  nothing: no difference between these regions is larger than its spread\n");
	for (size_t i = 0; i < count; i++) {
		pario_text_add(out, "  %zu. %s\n", i + 1, findings[i].text);
		if (findings[i].next[0])
			pario_text_add(out, "     Try: %s\n", findings[i].next);
	}
}
