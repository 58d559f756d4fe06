/*
 * findings: rules over the at-a-glance regions. What a way to move bytes falls short of is another way to move the same
 * ones, or the storage itself, measured in the same run (limit.h has the table). Different kinds of operations are not
 * compared: that making a file takes longer than looking at one is true everywhere. What more clients lose is held
 * against fewer of the same kind.
 */
#include "report/text/findings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/text/disturbed.h"
#include "report/text/limit.h"

/* Adding clients that loses this share is worth a sentence. */
#define LOSES_SHARE 0.9

/* Pages that are new cost 10 to 15 copies of warm memory everywhere; what falls short by more has another cause. */
#define MEMORY_TIMES 30

/* Intervals that reach no further, from end to end, hide nothing that matters. */
#define CLEAR 1.25

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

static void add_sides(struct pario_finding *finding, const struct pario_region *slower,
		      const struct pario_region *faster)
{
	size_t length = strlen(finding->text);
	struct pario_region_cells cells[2];

	pario_region_cells(slower, &cells[0]);
	pario_region_cells(faster, &cells[1]);
	snprintf(finding->text + length, sizeof(finding->text) - length,
		 ": %s against %s, from %zu and %zu values whose intervals do not touch.",
		 cells[0].number, cells[1].number, slower->numbers[slower->count - 1],
		 faster->numbers[faster->count - 1]);
	pario_text_release(&cells[0].look);
	pario_text_release(&cells[1].look);
}

/* One way to move bytes against a faster one: how far it falls short, if that is far enough and no chance. */
static bool falls_short(const struct pario_region *slower, const struct pario_region *faster,
			double times, struct pario_finding *finding)
{
	const struct pario_way *way = pario_way_of(slower->id), *other;
	char share[PARIO_UNITS_CAPACITY];
	double factor;

	if (!faster || high_of(slower) >= low_of(faster))
		return false;
	factor = pario_region_last(faster) / pario_region_last(slower);
	if (!(factor >= times))
		return false;
	other = pario_way_of(faster->id);
	pario_units_number(share, factor > 10 ? round(1000 / factor) / 10 : round(100 / factor));
	snprintf(finding->text, sizeof(finding->text), "%s reach %s %% of %s", way->name, share,
		 other->name);
	finding->text[0] = (char)toupper((unsigned char)finding->text[0]);
	add_sides(finding, slower, faster);
	finding->factor = factor;
	finding->slower = slower->id;
	finding->faster = faster->id;
	finding->clients = slower->clients[slower->count - 1];
	snprintf(finding->next, sizeof(finding->next), "%s", other->advice);
	return true;
}

/* The best other way says what this system could do; where none is better by much, the storage itself does. */
static bool apply(const struct pario_region *r, const struct pario_region *regions, size_t count,
		  struct pario_finding *finding)
{
	const struct pario_way *way = pario_way_of(r->id);
	const struct pario_region *raw;

	if (!way || !(way->times > 0) || !pario_region_proves(r))
		return false;
	if (falls_short(r, pario_limit_fastest(regions, count, way->others), way->times, finding))
		return true;
	raw = pario_limit_fastest(regions, count, way->raw);
	if (raw)
		return falls_short(r, raw, way->times, finding);
	return r->in_memory &&
	       falls_short(r, pario_limit_fastest(regions, count, "memory"), MEMORY_TIMES, finding);
}

/* More clients, less throughput: from the best count to the largest. */
static bool loses(const struct pario_region *r, struct pario_finding *finding)
{
	uint64_t best_at = 0;
	double best = pario_region_best(r, &best_at), last = pario_region_last(r);
	struct pario_region then = *r;
	char times[PARIO_UNITS_CAPACITY];
	size_t at = 0;

	if (r->count < 2 || !pario_region_proves(r) || r->value == PARIO_REGION_TIME ||
	    best_at == r->clients[r->count - 1] || !(last < LOSES_SHARE * best))
		return false;
	while (r->clients[at] != best_at)
		at++;
	if (high_of(r) >= r->low[at])
		return false;
	then.count = at + 1;
	snprintf(finding->text, sizeof(finding->text),
		 "%s, %s: %llu clients are %s × slower than %llu", r->region, r->what,
		 (unsigned long long)r->clients[r->count - 1],
		 pario_units_number(times, round(best / last * 10) / 10),
		 (unsigned long long)best_at);
	finding->text[0] = (char)toupper((unsigned char)finding->text[0]);
	add_sides(finding, r, &then);
	snprintf(finding->next, sizeof(finding->next), "%llu client%s for this kind of work",
		 (unsigned long long)best_at, best_at == 1 ? "" : "s");
	finding->factor = best / last;
	finding->slower = finding->faster = NULL;
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

	for (size_t i = 0; i < count && n < PARIO_FINDINGS_MAX; i++)
		n += apply(&regions[i], regions, count, &findings[n]);
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

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The factor between the ends of an interval that half of those of the table reach; 1 = there are none. */
static double usual_reach(const struct pario_region *regions, size_t count)
{
	double *reach = malloc((count + 1) * sizeof(*reach)), middle = 1;
	size_t shown = 0;

	for (size_t i = 0; reach && i < count; i++) {
		if (has_interval(&regions[i]) && low_of(&regions[i]) > 0)
			reach[shown++] = high_of(&regions[i]) / low_of(&regions[i]);
	}
	if (shown) {
		qsort(reach, shown, sizeof(*reach), by_size);
		middle = reach[shown / 2];
	}
	free(reach);
	return middle;
}

void pario_findings_verdict(struct pario_text *out, size_t found,
			    const struct pario_region *regions, size_t count)
{
	double reach = usual_reach(regions, count);
	size_t proof = 0;

	for (size_t i = 0; i < count; i++)
		proof += pario_region_proves(&regions[i]);
	if (found == 0 && (proof < 2 || 2 * proof < count)) { /* nothing to compare */
		pario_text_add(out,
			       "Nothing that could be relied on: %zu of %zu numbers are suspect, "
			       "missing or rest on fewer than %d values.",
			       count - proof, count, PARIO_REGION_LEAST);
		reach = 1;
	} else if (found == 0)
		pario_text_add(out, "Nothing: no way to move data falls short of another by more "
				    "than both intervals allow.");
	else
		pario_text_add(out, "%zu weakness%s on this storage%s.", found,
			       found == 1 ? "" : "es", found == 1 ? "" : ", the largest first");
	if (reach > CLEAR)
		pario_text_add(out,
			       " From one end to the other, half of the intervals reach over a "
			       "factor of %.2g or more: smaller differences do not show.",
			       reach);
	add_others(out, regions, count, reach > CLEAR);
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
