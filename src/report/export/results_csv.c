/*
 * results_csv: common members first, the same for every test, then what varies.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/compare/param.h"
#include "base/csv.h"
#include "report/export/results.h"

/* More columns than this are no table any more; the journal has everything. */
enum { COLUMNS = 256, AT_ONCE = 1 << 20 };

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
	const struct pario_kind *last = NULL;

	for (size_t i = 0; i < a->reading_count; i++) {
		const struct pario_reading *r = &a->reading[i];

		if (r->of == last)
			continue;
		last = r->of;
		add_words(a, params, last->point);
		for (size_t k = 0; k < last->amount_count; k++)
			add_column(metrics, last->amount[k].name);
	}
}

/* "metric.NAME": names come from the journal, and hold whatever that holds. */
static void add_names(struct pario_csv *csv, const char *kind, const struct columns *c)
{
	struct pario_text name = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		pario_text_clear(&name);
		pario_text_add(&name, "%s.%s", kind, c->name[i]);
		pario_csv_text(csv, pario_text_string(&name));
	}
	csv->out->failed |= name.failed;
	pario_text_release(&name);
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
	add_names(csv, "param", params);
	add_names(csv, "metric", metrics);
	pario_csv_end(csv);
}

/* What is not told is no number. */
static void add_count(struct pario_csv *csv, uint64_t value, bool told)
{
	if (told)
		pario_csv_count(csv, value);
	else
		pario_csv_text(csv, "");
}

static void add_common(struct pario_csv *csv, const struct pario_archive *a,
		       const struct pario_reading *r)
{
	const struct pario_volume *v = &a->volume[r->of->volume];
	const char *program = pario_volume_program(v);
	bool number = r->outcome == PARIO_PASS || r->outcome == PARIO_SUSPECT;

	pario_csv_text(csv, v->id);
	pario_csv_text(csv, v->label);
	pario_csv_text(csv, v->time);
	pario_csv_text(csv, *program ? program : v->version);
	pario_csv_text(csv, pario_volume_machine(v, "host"));
	pario_csv_text(csv, r->of->test);
	pario_csv_text(csv, r->of->point);
	pario_csv_text(csv, r->of->phase);
	add_count(csv, r->of->clients, r->of->clients > 0);
	pario_csv_count(csv, r->repetition);
	pario_csv_text(csv, pario_outcome_name(r->outcome));
	pario_csv_text(csv, r->reason);
	add_count(csv, r->bytes, !r->bytes_untold);
	add_count(csv, r->ops, !r->ops_untold);
	pario_csv_real(csv, r->seconds);
	pario_csv_real(csv, r->rate_mib_s);
	pario_csv_real(csv, number ? pario_reading_value(r) : (double)NAN);
	pario_csv_text(csv, number ? pario_reading_unit(r) : "");
	pario_csv_text(csv, r->of->headline);
	pario_csv_text(csv, pario_better_name(r->of->better));
	pario_csv_real(csv, r->more->latency_ns.p50);
	pario_csv_real(csv, r->more->latency_ns.p90);
	pario_csv_real(csv, r->more->latency_ns.p99);
	pario_csv_real(csv, r->more->latency_ns.p999);
	pario_csv_real(csv, r->more->latency_ns.max);
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
	for (size_t i = 0; i < metrics->count; i++)
		pario_csv_real(csv, pario_reading_find(r, metrics->name[i]).value);
	pario_csv_end(csv);
}

int pario_results_csv(struct pario_archive *archive, struct pario_text *out,
		      int (*hand_on)(void *self, struct pario_text *out), void *self)
{
	struct columns params = { 0 }, metrics = { 0 };
	struct pario_csv csv = { .out = out };
	int status = 0;

	collect(archive, &params, &metrics);
	add_head(&csv, &params, &metrics);
	for (size_t i = 0; status == 0 && i < archive->reading_count; i++) {
		add_row(&csv, archive, &archive->reading[i], &params, &metrics);
		if (out->length > AT_ONCE)
			status = hand_on(self, out);
	}
	return status < 0 ? -1 : hand_on(self, out);
}
