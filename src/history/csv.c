/*
 * csv: every number of every run as a row, with the level that it belongs to and what changed before it. No sentences.
 */
#include <math.h>
#include <time.h>

#include "history/show.h"
#include "base/csv.h"

static void add_time(struct pario_csv *csv, int64_t time_s)
{
	time_t when = (time_t)time_s;
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&when, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	pario_csv_text(csv, text);
}

/* Which level of the line a run belongs to: 0 before its first change. */
static size_t level_of(const struct pario_chronicle *c, size_t line, size_t moment)
{
	size_t level = 0;

	for (size_t i = 0; i < c->changes; i++)
		level += c->change[i].line == line && c->change[i].at <= moment;
	return level;
}

void pario_chronicle_csv(const struct pario_chronicle *c, struct pario_text *out)
{
	static const char *const names[] = { "test",	    "phase",   "clients", "point", "place",
					     "time",	    "value",   "low",	  "high",  "unit",
					     "repetitions", "suspect", "level" };
	struct pario_csv csv = { .out = out };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		pario_csv_text(&csv, names[i]);
	pario_csv_end(&csv);
	for (size_t i = 0; i < c->lines; i++) {
		const struct pario_line *l = &c->line[i];

		for (size_t k = 0; k < l->count; k++) {
			pario_csv_text(&csv, l->test);
			pario_csv_text(&csv, l->phase);
			pario_csv_real(&csv, l->clients ? (double)l->clients : (double)NAN);
			pario_csv_text(&csv, l->words);
			pario_csv_text(&csv, l->place);
			add_time(&csv, l->moment[k].time_s);
			pario_csv_real(&csv, l->moment[k].value);
			pario_csv_real(&csv, l->moment[k].low);
			pario_csv_real(&csv, l->moment[k].high);
			pario_csv_text(&csv, l->unit);
			pario_csv_count(&csv, l->moment[k].repetitions);
			pario_csv_count(&csv, l->moment[k].suspect);
			pario_csv_count(&csv, l->changes ? level_of(c, i, k) : 0);
			pario_csv_end(&csv);
		}
	}
}
