/*
 * results_csv: common members first, the same for every test, then what varies.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/compare/param.h"
#include "report/export/csv.h"
#include "report/export/results.h"

/* More columns than this are no table any more; the journal has everything. */
enum { COLUMNS = 256 };

struct columns {
	const char *name[COLUMNS];
	size_t count;
};

/* Names are kept once: equal ones are the same pointer. */
static void add_column(struct columns *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->name[i] == name)
			return;
	}
	if (name && c->count < COLUMNS)
		c->name[c->count++] = name;
}

static void add_words(struct pario_archive *a, struct columns *c, const char *point)
{
	while (*point) {
		char name[128];
		size_t length = strcspn(point, "= ");

		length = length < sizeof(name) ? length : sizeof(name) - 1;
		memcpy(name, point, length);
		name[length] = '\0';
		add_column(c, pario_strings_keep(&a->strings, name));
		point += strcspn(point, " ");
		point += *point == ' ';
	}
}

static void collect(struct pario_archive *a, struct columns *params, struct columns *metrics)
{
	const char *last = NULL;

	for (size_t i = 0; i < a->reading_count; i++) {
		const struct pario_reading *r = &a->reading[i];

		if (r->point != last)
			add_words(a, params, r->point);
		last = r->point;
		for (size_t k = 0; k < r->amount_count; k++)
			add_column(metrics, r->amount[k].name);
	}
}

static void add_head(struct pario_csv *csv, const struct columns *params,
		     const struct columns *metrics)
{
	static const char *const names[] = {
		"run",
		"label",
		"time",
		"version",
		"host",
		"test",
		"point",
		"phase",
		"clients",
		"repetition",
		"outcome",
		"reason",
		"bytes",
		"ops",
		"seconds",
		"rate_mib_s",
		"number",
		"unit",
		"headline",
		"better",
		"latency_p50_ns",
		"latency_p90_ns",
		"latency_p99_ns",
		"latency_p999_ns",
		"latency_max_ns",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		pario_csv_text(csv, names[i]);
	for (size_t i = 0; i < params->count; i++) {
		pario_csv_text(csv, "");
		pario_text_add(csv->out, "param.%s", params->name[i]);
	}
	for (size_t i = 0; i < metrics->count; i++) {
		pario_csv_text(csv, "");
		pario_text_add(csv->out, "metric.%s", metrics->name[i]);
	}
	pario_csv_end(csv);
}

static void add_common(struct pario_csv *csv, const struct pario_archive *a,
		       const struct pario_reading *r)
{
	const struct pario_volume *v = &a->volume[r->volume];
	bool number = r->outcome == PARIO_PASS || r->outcome == PARIO_SUSPECT;

	pario_csv_text(csv, v->id);
	pario_csv_text(csv, v->label);
	pario_csv_text(csv, v->time);
	pario_csv_text(csv, v->version);
	pario_csv_text(csv, pario_volume_machine(v, "host"));
	pario_csv_text(csv, r->test);
	pario_csv_text(csv, r->point);
	pario_csv_text(csv, r->phase);
	pario_csv_count(csv, r->clients);
	pario_csv_count(csv, r->repetition);
	pario_csv_text(csv, pario_outcome_name(r->outcome));
	pario_csv_text(csv, r->reason);
	pario_csv_count(csv, r->bytes);
	pario_csv_count(csv, r->ops);
	pario_csv_real(csv, r->seconds);
	pario_csv_real(csv, r->rate_mib_s);
	pario_csv_real(csv, number ? pario_reading_value(r) : (double)NAN);
	pario_csv_text(csv, number ? pario_reading_unit(r) : "");
	pario_csv_text(csv, r->headline);
	pario_csv_text(csv, pario_better_name(r->better));
	pario_csv_real(csv, r->latency_ns.p50);
	pario_csv_real(csv, r->latency_ns.p90);
	pario_csv_real(csv, r->latency_ns.p99);
	pario_csv_real(csv, r->latency_ns.p999);
	pario_csv_real(csv, r->latency_ns.max);
}

static void add_row(struct pario_csv *csv, struct pario_archive *a, const struct pario_reading *r,
		    const struct columns *params, const struct columns *metrics)
{
	char text[512];

	add_common(csv, a, r);
	for (size_t i = 0; i < params->count; i++) {
		/* sizes as bytes: 64k is 65536 */
		pario_param_spell(pario_reading_param(a, r, params->name[i]), text, sizeof(text));
		pario_csv_text(csv, text);
	}
	for (size_t i = 0; i < metrics->count; i++) {
		const struct pario_amount *m = pario_reading_find(r, metrics->name[i]);

		pario_csv_real(csv, m ? m->value : (double)NAN);
	}
	pario_csv_end(csv);
}

void pario_results_csv(struct pario_archive *archive, struct pario_text *out)
{
	struct columns params = { 0 }, metrics = { 0 };
	struct pario_csv csv = { .out = out };

	collect(archive, &params, &metrics);
	add_head(&csv, &params, &metrics);
	for (size_t i = 0; i < archive->reading_count; i++)
		add_row(&csv, archive, &archive->reading[i], &params, &metrics);
}
