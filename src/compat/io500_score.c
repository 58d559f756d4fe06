/*
 * io500_score: the scores of the phases, their means, and IO500's two result files.
 *
 * A phase that gave no number has the score 0, and then there is no total: IO500 leaves such a phase out of the mean,
 * which can raise it. IO500's hashes are its own; none is written.
 */
#include "compat/io500.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "version.h"

#define GIB_IN_MIB 1024.0

const struct pario_io500_step pario_io500_steps[PARIO_IO500_PHASES] = {
	{ "ior-easy-write", PARIO_IO500_EASY, 0, true, true, false },
	{ "mdtest-easy-write", PARIO_IO500_MD_EASY, 0, false, true, false },
	{ "ior-hard-write", PARIO_IO500_HARD, 0, true, true, false },
	{ "mdtest-hard-write", PARIO_IO500_MD_HARD, 0, false, true, false },
	{ "find", PARIO_IO500_SEARCH, 0, false, false, false },
	{ "ior-easy-read", PARIO_IO500_EASY, 1, true, false, false },
	{ "mdtest-easy-stat", PARIO_IO500_MD_EASY, 1, false, false, false },
	{ "ior-hard-read", PARIO_IO500_HARD, 1, true, false, false },
	{ "mdtest-hard-stat", PARIO_IO500_MD_HARD, 1, false, false, false },
	{ "mdtest-easy-delete", PARIO_IO500_MD_EASY, 2, false, false, false },
	{ "mdtest-hard-read", PARIO_IO500_MD_HARD, 2, false, false, false },
	{ "mdtest-hard-delete", PARIO_IO500_MD_HARD, 3, false, false, false },
	{ "ior-rnd4K-easy-read", PARIO_IO500_EASY, 2, true, false, true },
};

static bool counts(const struct pario_result *r)
{
	return (r->outcome == PARIO_PASS || r->outcome == PARIO_SUSPECT) && r->seconds.total > 0;
}

void pario_io500_take(struct pario_io500 *io500, struct pario_io500_score *score, unsigned phase,
		      const struct pario_result *r)
{
	const struct pario_io500_step *step = &pario_io500_steps[phase];

	score->there[phase] = true;
	score->results[phase] = *r;
	if (!counts(r)) {
		score->invalid[phase] = true;
		pario_text_add(&io500->invalid, "%s failed: %s\n", step->name, r->reason);
		return;
	}
	score->score[phase] = step->bandwidth ? r->rate_mib_s / GIB_IN_MIB
					      : (double)r->ops / r->seconds.total / 1000;
	if (step->stonewalls && r->seconds.total < io500->stonewall) {
		score->invalid[phase] = true;
		pario_text_add(
			&io500->invalid,
			"%s took %.3f s, less than the stonewall of %g s: there was too little to "
			"write\n",
			step->name, r->seconds.total, io500->stonewall);
	}
}

static double mean(const struct pario_io500_score *s, bool bandwidth)
{
	double logs = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++) {
		if (pario_io500_steps[i].bandwidth != bandwidth || pario_io500_steps[i].unscored)
			continue;
		if (!(s->score[i] > 0))
			return 0;
		logs += log(s->score[i]);
		count++;
	}
	return exp(logs / count);
}

void pario_io500_total(struct pario_io500 *io500, struct pario_io500_score *score)
{
	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++) {
		if (!score->there[i] && !pario_io500_steps[i].unscored) {
			score->invalid[i] = true;
			pario_text_add(&io500->invalid, "%s was not run\n",
				       pario_io500_steps[i].name);
		}
	}
	score->bandwidth = mean(score, true);
	score->metadata = mean(score, false);
	score->total = sqrt(score->bandwidth * score->metadata);
}

void pario_io500_line(const struct pario_io500_score *s, unsigned i, struct pario_text *out)
{
	const struct pario_io500_step *step = &pario_io500_steps[i];

	pario_text_add(out, "[%s] %20s %15.6f %s : time %.3f seconds%s\n",
		       step->unscored ? "      " : "RESULT", step->name, s->score[i],
		       step->bandwidth ? "GiB/s" : "kIOPS",
		       s->there[i] && counts(&s->results[i]) ? s->results[i].seconds.total : 0,
		       s->invalid[i] ? " [INVALID]" : "");
}

void pario_io500_score_line(const struct pario_io500 *io500, const struct pario_io500_score *s,
			    struct pario_text *out)
{
	pario_text_add(out, "[SCORE ] Bandwidth %f GiB/s : IOPS %f kiops : TOTAL %f%s\n",
		       s->bandwidth, s->metadata, s->total,
		       io500->invalid.length ? " [INVALID]" : "");
}

void pario_io500_summary(const struct pario_io500 *io500, const struct pario_io500_score *s,
			 struct pario_text *out)
{
	pario_text_add(out, "IO500 phases by pario " PARIO_VERSION " (standard)\n");
	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++)
		pario_io500_line(s, i, out);
	pario_io500_score_line(io500, s, out);
}

static void pair(struct pario_text *out, const char *name, const char *value)
{
	pario_text_add(out, "%-15s = %s\n", name, value);
}

static void metric(struct pario_text *out, const struct pario_result *r, const char *name,
		   const char *key, double divisor, int digits)
{
	const struct pario_metric *m = pario_result_find(r, name);
	char value[40];

	if (!m)
		return;
	snprintf(value, sizeof(value), "%.*f", digits, m->value / divisor);
	pair(out, key, value);
}

static void one_phase(const struct pario_io500 *io500, const struct pario_io500_score *s,
		      unsigned i, struct pario_text *out)
{
	const struct pario_io500_step *step = &pario_io500_steps[i];
	const struct pario_result *r = &s->results[i];
	char value[64];

	pario_text_add(out, "\n[%s]\n", step->name);
	pair(out, "t_start", s->began[i]);
	pario_text_add(out, "%-15s = pario %s %s\n", "exe", r->test,
		       pario_text_string(&io500->options[step->set]));
	if (r->outcome == PARIO_FAIL || r->outcome == PARIO_SUSPECT)
		pario_text_add(out, "; %s: %s\n", pario_outcome_name(r->outcome), r->reason);
	if (step->bandwidth)
		metric(out, r, "rate_at_limit_mib_s", "throughput-stonewall", GIB_IN_MIB, 2);
	else
		metric(out, r, "rate_at_limit_ops_s", "rate-stonewall", 1000, 6);
	metric(out, r, "entries", "total-files", 1, 0);
	metric(out, r, "found", "found", 1, 0);
	snprintf(value, sizeof(value), "%f", s->score[i]);
	pair(out, "score", value);
	snprintf(value, sizeof(value), "%.4f", counts(r) ? r->seconds.total : 0);
	pair(out, "t_delta", value);
	pair(out, "t_end", s->ended[i]);
}

void pario_io500_result(const struct pario_io500 *io500, const struct pario_io500_score *s,
			struct pario_text *out)
{
	const char *valid = io500->invalid.length ? " [INVALID]" : "";
	const char *line = pario_text_string(&io500->invalid), *end;

	pario_text_add(out, "[run]\nprocs           = %llu\n", (unsigned long long)s->procs);
	pair(out, "version", "pario " PARIO_VERSION);
	pair(out, "result-dir", s->directory);
	pair(out, "mode", "standard");
	for (; (end = strchr(line, '\n')); line = end + 1)
		pario_text_add(out, "; ERROR INVALID %.*s\n", (int)(end - line), line);
	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++) {
		if (s->there[i])
			one_phase(io500, s, i, out);
	}
	pario_text_add(out, "\n[SCORE]\n");
	pario_text_add(out, "%-15s = %f\n%-15s = %f\n%-15s = %f%s\n", "MD", s->metadata, "BW",
		       s->bandwidth, "SCORE", s->total, valid);
}

void pario_io500_proofs(const struct pario_io500_score *s, struct pario_text *out)
{
	char slow[PARIO_UNITS_CAPACITY], fast[PARIO_UNITS_CAPACITY];

	pario_text_add(out, " %-20s %12s %12s  %s\n", "phase", "slowest", "fastest",
		       "caches before it");
	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++) {
		const struct pario_result *r = &s->results[i];
		bool proved = r->cache.pages_total || strcmp(r->cache.wanted, "cold") == 0;

		if (!s->there[i] || !counts(r))
			continue;
		pario_text_add(out, " %-20s %12s %12s  ", pario_io500_steps[i].name,
			       pario_units_time(slow, r->between_clients.max_s),
			       pario_units_time(fast, r->between_clients.min_s));
		if (pario_io500_steps[i].bandwidth && pario_io500_steps[i].stonewalls)
			pario_text_add(out, "a new file, fsync within the time\n");
		else if (proved && !r->cache.reason[0])
			pario_text_add(out, "cold: %llu of %llu pages resident, counted with %s\n",
				       (unsigned long long)r->cache.pages_resident,
				       (unsigned long long)r->cache.pages_total, r->cache.method);
		else
			pario_text_add(out, "%s\n",
				       r->cache.reason[0] ? r->cache.reason
							  : "left to work: names may be cached");
	}
}
