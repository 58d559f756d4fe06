/*
 * findings: rules over the at-a-glance regions. A rule is a row: two ways to move the same bytes, of which the
 * better one says what this system could do. Different kinds of operations are not compared: that making a file
 * takes longer than looking at one is true everywhere. What more clients lose is held against fewer of the same
 * kind.
 */
#include "report/text/findings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/text/disturbed.h"

/* Adding clients that loses this share is worth a sentence. */
#define LOSES_SHARE 0.9

/* One region expected to be as fast as another; when it is `times` slower or more, `text` is said with the factor. */
struct rule {
	const char *slower, *faster;
	double times;
	const char *text, *next;
};

static const struct rule rules[] = {
	{ "mpiio_write", "write", 1.5,
	  "MPI-IO writes into one shared file are %s × slower than POSIX writes with a file per client",
	  "pario survey --focus shared,write" },
	{ "mpiio_read", "read", 1.5,
	  "MPI-IO reads from one shared file are %s × slower than POSIX reads with a file per client",
	  "pario survey --focus shared,read" },
	{ "write", "mpiio_write", 1.5,
	  "POSIX writes with a file per client are %s × slower than MPI-IO writes into one shared file",
	  "one shared file; pario survey --focus write compares them" },
	{ "read", "mpiio_read", 1.5,
	  "POSIX reads with a file per client are %s × slower than MPI-IO reads from one shared file",
	  "one shared file; pario survey --focus read compares them" },
	{ "strided_write", "write", 1.5,
	  "Strided 64 KiB writes into a shared file are %s × slower than large writes with a file per client",
	  "a file per client, larger pieces, or collective MPI-IO; pario survey --focus shared,write compares "
	  "them" },
	{ "independent_write", "collective_write", 2,
	  "Noncontiguous writes are %s × slower independently than collectively",
	  "collective calls, such as MPI_File_write_all" },
	{ "collective_write", "independent_write", 2,
	  "Noncontiguous writes are %s × slower collectively than independently",
	  "independent calls, or the hint romio_cb_write=disable" },
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

/* Of the number that the table shows, whatever is thought of it. */
static bool has_interval(const struct pario_region *r)
{
	return r->count > 0 && r->numbers[r->count - 1] > 1;
}

static bool is_wide(const struct pario_region *r)
{
	return high_of(r) - low_of(r) > PARIO_WIDE * pario_region_last(r);
}

static bool apply(const struct rule *rule, const struct pario_region *regions, size_t count,
		  struct pario_finding *finding)
{
	const struct pario_region *slower = find(regions, count, rule->slower);
	const struct pario_region *faster = find(regions, count, rule->faster);
	struct pario_region_cells cells[2];
	char times[PARIO_UNITS_CAPACITY];
	double factor;
	int length;

	if (!slower || !faster || high_of(slower) >= low_of(faster))
		return false;
	factor = pario_region_last(faster) / pario_region_last(slower);
	if (!(factor >= rule->times))
		return false;
	pario_units_number(times, factor >= 10 ? round(factor) : round(factor * 10) / 10);
	/* The rules' texts are constants of this file with one %s each. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	length = snprintf(finding->text, sizeof(finding->text), rule->text, times);
#pragma GCC diagnostic pop
	pario_region_cells(slower, &cells[0]);
	pario_region_cells(faster, &cells[1]);
	snprintf(finding->text + length, sizeof(finding->text) - (size_t)length, ": %s against %s.",
		 cells[0].number, cells[1].number);
	pario_text_release(&cells[0].look);
	pario_text_release(&cells[1].look);
	finding->factor = factor;
	snprintf(finding->next, sizeof(finding->next), "%s", rule->next);
	return true;
}

/* More clients, less throughput: from the best count to the largest. */
static bool loses(const struct pario_region *r, struct pario_finding *finding)
{
	uint64_t best_at = 0;
	double best = pario_region_best(r, &best_at), last = pario_region_last(r);
	struct pario_region then = *r;
	struct pario_region_cells cells[2];
	char times[PARIO_UNITS_CAPACITY];
	size_t at = 0;

	if (r->count < 2 || !proves(r) || r->value == PARIO_REGION_TIME ||
	    best_at == r->clients[r->count - 1] || !(last < LOSES_SHARE * best))
		return false;
	while (r->clients[at] != best_at)
		at++;
	if (high_of(r) >= r->low[at])
		return false;
	then.count = at + 1;
	pario_region_cells(r, &cells[0]);
	pario_region_cells(&then, &cells[1]);
	snprintf(finding->text, sizeof(finding->text),
		 "%s, %s: %llu clients are %s × slower than %llu: %s against %s.", r->region,
		 r->what, (unsigned long long)r->clients[r->count - 1],
		 pario_units_number(times, round(best / last * 10) / 10),
		 (unsigned long long)best_at, cells[0].number, cells[1].number);
	finding->text[0] = (char)toupper((unsigned char)finding->text[0]);
	pario_text_release(&cells[0].look);
	pario_text_release(&cells[1].look);
	snprintf(finding->next, sizeof(finding->next), "%llu client%s for this kind of work",
		 (unsigned long long)best_at, best_at == 1 ? "" : "s");
	finding->factor = best / last;
	return true;
}

/* The largest factor first. */
static int by_factor(const void *a, const void *b)
{
	const struct pario_finding *x = a, *y = b;

	return (x->factor < y->factor) - (x->factor > y->factor);
}

size_t pario_findings_of(const struct pario_region *regions, size_t count,
			 struct pario_finding findings[PARIO_FINDINGS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]) && n < PARIO_FINDINGS_MAX; i++)
		n += apply(&rules[i], regions, count, &findings[n]);
	for (size_t i = 0; i < count && n < PARIO_FINDINGS_MAX; i++)
		n += loses(&regions[i], &findings[n]);
	qsort(findings, n, sizeof(*findings), by_factor);
	return n;
}

/* Who else used the machine; where nobody is known to and the numbers are unsteady, where to look. */
static void add_others(struct pario_text *out, const struct pario_region *regions, size_t count,
		       bool unsteady)
{
	size_t disturbed = 0, numbers = 0;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		const struct pario_region *r = &regions[i];

		numbers += r->count > 0;
		if (r->count == 0 || !(r->others >= PARIO_DISTURBANCE_OTHERS))
			continue;
		disturbed++;
		most = fmax(most, r->others);
	}
	if (disturbed)
		pario_text_add(out,
			       " Others used this machine while %zu of %zu numbers were measured, "
			       "for up to %.0f %% of the processors' time%s.",
			       disturbed, numbers, 100 * most,
			       unsteady ? "; measure again when they are done" : "");
	else if (unsteady)
		pario_text_add(out, " Look for other work on this machine (pario doctor), and "
				    "measure again, longer (--minutes).");
}

void pario_findings_verdict(struct pario_text *out, size_t found,
			    const struct pario_region *regions, size_t count)
{
	size_t proof = 0, wide = 0, shown = 0;

	for (size_t i = 0; i < count; i++) {
		proof += proves(&regions[i]);
		shown += has_interval(&regions[i]);
		wide += has_interval(&regions[i]) && is_wide(&regions[i]);
	}
	if (found == 0 && (proof < 2 || 2 * proof < count)) /* nothing to compare */
		pario_text_add(out,
			       "Nothing that could be relied on: %zu of %zu numbers are suspect, "
			       "missing or rest on fewer than %d values.",
			       count - proof, count, PARIO_FINDINGS_LEAST);
	else if (found == 0)
		pario_text_add(out, "Nothing: no difference between these regions is large and "
				    "larger than its spread.");
	else
		pario_text_add(out, "%zu weakness%s on this storage%s.", found,
			       found == 1 ? "" : "es", found == 1 ? "" : ", the largest first");
	if (2 * wide > shown)
		pario_text_add(
			out,
			" But %zu of %zu intervals are wider than a fifth of their number, so "
			"that smaller differences do not show.",
			wide, shown);
	add_others(out, regions, count, 2 * wide > shown);
}

void pario_findings_add(struct pario_text *out, const struct pario_finding *findings, size_t count,
			const struct pario_region *regions, size_t region_count)
{
	pario_text_add(out, "\n What stands out\n  ");
	pario_findings_verdict(out, count, regions, region_count);
	pario_text_add(out, "\n");
	for (size_t i = 0; i < count; i++) {
		pario_text_add(out, "  %zu. %s\n", i + 1, findings[i].text);
		if (findings[i].next[0])
			pario_text_add(out, "     Try: %s\n", findings[i].next);
	}
}
