/*
 * verdict: what is said of every pair of points, of all of them together, and what would tell more.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/compare.h"
#include "report/text/quantity.h"

/* Of those points that are said to differ, on average at most this share does not. */
#define DISCOVERY_RATE 0.05

/* What is asked for when nothing could be decided: an interval this narrow. */
#define WANTED 1.1

/* ---- the numbers of a point ---- */

/* Room for all values of all runs of one point; one allocation for all points. */
struct bench {
	double *value;
	struct pario_run_values *run;
	size_t used;
};

static size_t values_of(const struct pario_groups *groups, const struct pario_group *g,
			const struct pario_group *like, double *values)
{
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct pario_reading *r = groups->member[g->begin + i];
		double value = pario_reading_value(r);

		if ((r->outcome == PARIO_PASS || r->outcome == PARIO_SUSPECT) && isfinite(value) &&
		    strcmp(r->of->headline, like->headline) == 0 &&
		    strcmp(pario_reading_unit(r), like->unit) == 0 &&
		    !pario_group_redone(groups, g, i))
			values[n++] = value;
	}
	return n;
}

static size_t side_of(const struct pario_comparison *c, size_t volume)
{
	return volume < c->sides.a ? 0 : volume < c->sides.a + c->sides.b ? 1 : 2;
}

/* All runs of the pair's point with a number: first those of a, then those of b, then earlier ones. */
static void gather(struct pario_comparison *c, struct pario_pair *pair, struct bench *bench)
{
	const struct pario_group *like = pair->a->numbers ? pair->a : pair->b;
	size_t run = 0, used = 0;

	for (size_t i = pair->place;
	     i < c->places && c->place[i].key == c->place[pair->place].key &&
	     c->place[i].again == c->place[pair->place].again;
	     i++) {
		const struct pario_group *g = &c->groups.group[c->place[i].group];
		size_t side = side_of(c, g->first->of->volume);
		size_t count = values_of(&c->groups, g, like, bench->value + used);

		pair->suspect |= side < 2 && g->suspects;
		if (!count)
			continue;
		bench->run[run++] = (struct pario_run_values){ bench->value + used, count };
		pair->runs[side]++;
		if (side < 2)
			pair->repetitions[side] += count;
		used += count;
	}
}

static struct pario_question question_of(const struct pario_comparison *c,
					 const struct pario_pair *pair, const struct bench *bench)
{
	return (struct pario_question){
		.a = bench->run,
		.a_count = pair->runs[0],
		.b = bench->run + pair->runs[0],
		.b_count = pair->runs[1],
		/* where one side lost a number, nobody knows which pair it was of */
		.paired = c->paired && pair->runs[0] == c->sides.a && pair->runs[1] == c->sides.b,
		.drift = &c->drift,
	};
}

/* ---- one pair ---- */

/* Which way is better: +1 higher, -1 lower. */
static int better_of(const struct pario_group *g)
{
	return g->better < 0 ? -1 : 1;
}

static enum pario_pair_verdict verdict_of(const struct pario_pair *pair, bool itself)
{
	const struct pario_difference *d = &pair->difference;

	if (!pair->runs[0] && !pair->runs[1])
		return PARIO_VERDICT_NEITHER;
	if (!pair->runs[0] || !pair->runs[1])
		return pair->runs[0] ? PARIO_VERDICT_LOST : PARIO_VERDICT_GAINED;
	if (itself)
		return PARIO_VERDICT_ITSELF;
	if (d->source == PARIO_SPREAD_NONE || d->blurred)
		return PARIO_VERDICT_UNDECIDED;
	if (!d->differs)
		return PARIO_VERDICT_SAME;
	return d->grows == (better_of(pair->a) > 0) ? PARIO_VERDICT_FASTER : PARIO_VERDICT_SLOWER;
}

/*
 * Beyond the threshold, and so that the run as a whole may be called worse? Where nothing tells how far runs scatter,
 * the plain facts do: every value of the second side is worse than every one of the first, and the medians are that far
 * apart.
 */
static bool regressed(const struct pario_pair *pair, double threshold)
{
	const struct pario_difference *d = &pair->difference;
	bool higher = better_of(pair->a) > 0;
	double ratio = higher ? d->ratio : 1 / d->ratio;
	bool beyond = isnan(ratio) || ratio < threshold;

	if (isnan(threshold))
		return false;
	if (pair->verdict == PARIO_VERDICT_UNDECIDED && d->source == PARIO_SPREAD_NONE)
		return d->apart && d->grows != higher && beyond;
	return pair->verdict == PARIO_VERDICT_LOST ||
	       (pair->verdict == PARIO_VERDICT_SLOWER && pair->discovered && beyond);
}

static void judge(struct pario_comparison *c, struct pario_pair *pair, struct bench *bench)
{
	struct pario_question question;
	struct pario_past past;

	gather(c, pair, bench);
	question = question_of(c, pair, bench);
	past = pario_past_of(bench->run + pair->runs[0] + pair->runs[1], pair->runs[2]);
	question.past = &past;
	pair->difference = pario_difference_of(&question);
	pair->verdict = verdict_of(pair, c->sides.itself);
	c->source[pair->difference.source] += pair->runs[0] && pair->runs[1] && !c->sides.itself;
}

static void add_drift(struct pario_comparison *c, struct pario_pair *pair, struct bench *bench)
{
	gather(c, pair, bench);
	for (size_t i = 0; i < pair->runs[0] + pair->runs[1]; i++) {
		if (isfinite(bench->run[i].value[0]) && bench->run[i].value[0] > 0)
			pario_drift_add(&c->drift, &bench->run[i]);
	}
	memset(pair->runs, 0, sizeof(pair->runs));
	memset(pair->repetitions, 0, sizeof(pair->repetitions));
}

/* ---- all pairs ---- */

/* Many points, each at 5 %: what stays of the differences when all are looked at together. */
static int discover(struct pario_comparison *c, struct pario_err *err)
{
	double *p = malloc((c->count + 1) * sizeof(*p));
	bool *marked = calloc(c->count + 1, sizeof(*marked));

	for (size_t i = 0; p && marked && i < c->count; i++) {
		if (c->pair[i].difference.source != PARIO_SPREAD_NONE)
			p[c->tested++] = c->pair[i].difference.p;
	}
	if (p && marked)
		pario_difference_discover(p, c->tested, DISCOVERY_RATE, marked);
	for (size_t i = 0, k = 0; p && marked && i < c->count; i++) {
		struct pario_pair *pair = &c->pair[i];

		if (pair->difference.source != PARIO_SPREAD_NONE)
			pair->discovered = marked[k++] && pair->difference.differs;
		c->discovered += pair->discovered;
	}
	if (!p || !marked)
		pario_err_memory(err, NULL);
	free(p);
	free(marked);
	return err->code ? -1 : 0;
}

int pario_comparison_judge(struct pario_comparison *c, struct pario_err *err)
{
	const struct pario_archive *archive = c->groups.archive;
	struct bench bench = {
		.value = malloc((archive->reading_count + 1) * sizeof(double)),
		.run = calloc(archive->volume_count + 1, sizeof(struct pario_run_values)),
	};
	int status = bench.value && bench.run ? 0 : pario_err_memory(err, NULL);

	for (size_t i = 0; status == 0 && i < c->count; i++)
		add_drift(c, &c->pair[i], &bench);
	for (size_t i = 0; status == 0 && i < c->count; i++)
		judge(c, &c->pair[i], &bench);
	free(bench.value);
	free(bench.run);
	if (status < 0 || discover(c, err) < 0)
		return -1;
	/* What a cut run never reached may have been anything: that is no pass. */
	c->regressions = !isnan(c->sides.threshold) && c->cut_short[1] ? c->only_a : 0;
	for (size_t i = 0; i < c->count; i++) {
		c->pair[i].regression = regressed(&c->pair[i], c->sides.threshold);
		c->verdicts[c->pair[i].verdict]++;
		c->regressions += c->pair[i].regression;
	}
	return 0;
}

/* ---- in words ---- */

const char *pario_verdict_words(enum pario_pair_verdict verdict)
{
	static const char *const words[] = {
		[PARIO_VERDICT_SAME] = "no difference found",
		[PARIO_VERDICT_FASTER] = "faster",
		[PARIO_VERDICT_SLOWER] = "slower",
		[PARIO_VERDICT_ITSELF] = "the same run",
		[PARIO_VERDICT_UNDECIDED] = "cannot be decided",
		[PARIO_VERDICT_LOST] = "no number any more",
		[PARIO_VERDICT_GAINED] = "no number before",
		[PARIO_VERDICT_NEITHER] = "no number in either",
	};

	return words[verdict];
}

void pario_comparison_label(const struct pario_comparison *c, size_t side, struct pario_text *out)
{
	size_t runs = side ? c->sides.b : c->sides.a;
	const struct pario_volume *v = &c->groups.archive->volume[side ? c->sides.a : 0];

	if (runs == 1 || v->named)
		pario_text_add(out, "%s", v->label);
	else
		pario_text_add(out, "%s (%zu runs)", side ? "B" : "A", runs);
}

static void say_threshold(const struct pario_comparison *c, struct pario_text *out)
{
	size_t missing = c->cut_short[1] ? c->only_a : 0;

	if (!c->regressions)
		pario_text_add(out, " None is worse than the threshold %g allows.",
			       c->sides.threshold);
	if (c->regressions > missing)
		pario_text_add(out, " %zu worse than the threshold %g allows.",
			       c->regressions - missing, c->sides.threshold);
	if (missing)
		pario_text_add(out, " The threshold %g cannot hold for %zu that %s not reached.",
			       c->sides.threshold, missing, missing == 1 ? "was" : "were");
}

static size_t most_past(const struct pario_comparison *c)
{
	size_t most = 0;

	for (size_t i = 0; i < c->count; i++)
		most = c->pair[i].runs[2] > most ? c->pair[i].runs[2] : most;
	return most;
}

/* What was taken for the scatter of runs: the verdicts hold as far as that does. */
static void say_source(const struct pario_comparison *c, struct pario_text *out)
{
	static const char *const words[PARIO_SPREAD_SOURCES] = {
		[PARIO_SPREAD_PAIRS] = "the pairs, which were measured alternately",
		[PARIO_SPREAD_RUNS] = "the runs of both sides",
		[PARIO_SPREAD_DRIFT] = "how far repetitions drifted within the runs",
		[PARIO_SPREAD_USUAL] =
			"what is usual, twice the scatter of repetitions: there are no five "
			"earlier runs of the same point on this host and in this directory",
	};
	bool any = false;

	for (size_t s = PARIO_SPREAD_NONE + 1; s < PARIO_SPREAD_SOURCES; s++) {
		if (!c->source[s])
			continue;
		pario_text_add(out, "%s",
			       any ? ", and from " : " How far runs scatter was taken from ");
		if (s == PARIO_SPREAD_HISTORY)
			pario_text_add(out, "%zu earlier runs", most_past(c));
		else
			pario_text_add(out, "%s", words[s]);
		if (c->source[s] < c->tested)
			pario_text_add(out, " (%zu point%s)", c->source[s],
				       c->source[s] == 1 ? "" : "s");
		any = true;
	}
	pario_text_add(out, "%s", any ? "." : "");
}

/* The widest interval says how much is left to do. */
static void say_remedy(const struct pario_comparison *c, struct pario_text *out)
{
	double scatter = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->pair[i].verdict == PARIO_VERDICT_UNDECIDED &&
		    isfinite(c->pair[i].difference.scatter))
			scatter = fmax(scatter, c->pair[i].difference.scatter);
	}
	if (c->paired && c->sides.a == 1)
		pario_text_add(out, " A single pair does not show how far numbers scatter:");
	else if (c->paired && scatter > 0)
		pario_text_add(out, " To tell a difference of a tenth takes about %zu pairs:",
			       pario_difference_runs(scatter, WANTED));
	if (c->paired) {
		pario_text_add(out, " %s more, with a larger --time_limit.",
			       c->sides.a == 1 || scatter > 0 ? "measure" : "Measure");
		return;
	}
	if (c->source[PARIO_SPREAD_NONE])
		pario_text_add(out, " A single repetition does not show how far numbers scatter: "
				    "measure both with --repetitions 5.");
	if (scatter > 0)
		pario_text_add(out,
			       " To tell a difference of a tenth takes about %zu runs of each "
			       "side (`pario compare A1 A2 ... -- B1 B2 ...`).",
			       pario_difference_runs(scatter, WANTED));
	pario_text_add(out, " Or let both be measured alternately until it is clear: "
			    "`pario compare --run 'A' 'B' --until 10%%`.");
}

static void say_counts(const struct pario_comparison *c, struct pario_text *out)
{
	bool any = false;

	pario_text_add(out, "%zu point%s compared: ", c->count, c->count == 1 ? "" : "s");
	for (size_t v = 0; v < PARIO_VERDICTS; v++) {
		if (!c->verdicts[v])
			continue;
		pario_text_add(out, "%s%zu %s", any ? ", " : "", c->verdicts[v],
			       pario_verdict_words((enum pario_pair_verdict)v));
		any = true;
	}
	pario_text_add(out, ".");
	if (c->only_a || c->only_b)
		pario_text_add(out, " %zu point%s only in the first run, %zu only in the second.",
			       c->only_a, c->only_a == 1 ? " is" : "s are", c->only_b);
	for (size_t i = 0; i < 2; i++) {
		if (c->cut_short[i])
			pario_text_add(out, " %s %s run was cut short.",
				       (i ? c->sides.b : c->sides.a) > 1 ? "A" : "The",
				       i ? "second" : "first");
	}
}

void pario_comparison_say(const struct pario_comparison *c, struct pario_text *out)
{
	size_t differ = c->verdicts[PARIO_VERDICT_FASTER] + c->verdicts[PARIO_VERDICT_SLOWER];

	say_counts(c, out);
	if (c->sides.itself)
		pario_text_add(out, " Both sides are one run: there is nothing to compare.");
	if (differ && c->tested > 1)
		pario_text_add(out,
			       " As one of %zu points, %zu of these %zu stand%s (at most 5 %% of "
			       "such are false)%s.",
			       c->tested, c->discovered, differ, c->discovered == 1 ? "s" : "",
			       c->discovered < differ ? "; the others may be chance" : "");
	if (!isnan(c->sides.threshold))
		say_threshold(c, out);
	say_source(c, out);
	if (c->verdicts[PARIO_VERDICT_UNDECIDED])
		say_remedy(c, out);
}
