/*
 * archive_scan: a result line straight from its text, several times faster than through a tree. Whatever is not an
 * ordinary result goes back to be read as an object, so that there is one place that judges what is odd.
 */
#include "report/page/archive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "journal/scan.h"

enum { NAME_CAPACITY = 64, TEXT_CAPACITY = 2048 };

/* Of very many results only the first are drawn with their rate over time. */
#define DETAILS_MAX ((size_t)64 << 20)

struct taking {
	struct pario_archive *archive;
	struct pario_scan scan;
	struct pario_reading r;
	struct pario_amount amount[PARIO_RESULT_METRICS];
	const char *detail; /* in the line; NULL = there is none */
	bool memory, odd;
	char text[TEXT_CAPACITY];
};

static const char *keep(struct taking *t)
{
	const char *kept;

	t->odd |= !pario_scan_text(&t->scan, t->text, sizeof(t->text));
	kept = pario_strings_keep(&t->archive->strings, t->text);
	t->memory &= kept != NULL;
	return kept;
}

static void take_latency(struct taking *t)
{
	struct pario_latency *l = &t->r.latency_ns;
	char name[NAME_CAPACITY];

	*l = (struct pario_latency){ 0, NAN, NAN, NAN, NAN, NAN, NAN };
	if (!pario_scan_object(&t->scan))
		return;
	while (pario_scan_member(&t->scan, name, sizeof(name))) {
		double *to = strcmp(name, "min") == 0	 ? &l->min
			     : strcmp(name, "p50") == 0	 ? &l->p50
			     : strcmp(name, "p90") == 0	 ? &l->p90
			     : strcmp(name, "p99") == 0	 ? &l->p99
			     : strcmp(name, "p999") == 0 ? &l->p999
			     : strcmp(name, "max") == 0	 ? &l->max
							 : NULL;

		if (to)
			*to = pario_scan_real(&t->scan);
		else if (strcmp(name, "count") == 0)
			l->count = pario_scan_count(&t->scan);
		else
			pario_scan_skip(&t->scan);
	}
}

static void take_seconds(struct taking *t)
{
	char name[NAME_CAPACITY];

	if (!pario_scan_object(&t->scan))
		return;
	while (pario_scan_member(&t->scan, name, sizeof(name))) {
		if (strcmp(name, "total") == 0)
			t->r.seconds = pario_scan_real(&t->scan);
		else
			pario_scan_skip(&t->scan);
	}
}

static void take_amount(struct taking *t, const char *name)
{
	struct pario_amount *m = &t->amount[t->r.amount_count++];
	char member[NAME_CAPACITY];

	m->name = pario_strings_keep(&t->archive->strings, name);
	m->unit = pario_strings_keep(&t->archive->strings, "");
	m->value = NAN;
	if (pario_scan_object(&t->scan)) {
		while (pario_scan_member(&t->scan, member, sizeof(member))) {
			if (strcmp(member, "value") == 0)
				m->value = pario_scan_real(&t->scan);
			else if (strcmp(member, "unit") == 0)
				m->unit = keep(t);
			else
				pario_scan_skip(&t->scan);
		}
	}
	t->memory &= m->name && m->unit;
}

static void take_amounts(struct taking *t)
{
	char name[NAME_CAPACITY];

	if (!pario_scan_object(&t->scan))
		return;
	while (pario_scan_member(&t->scan, name, sizeof(name))) {
		if (t->r.amount_count < PARIO_RESULT_METRICS)
			take_amount(t, name);
		else
			pario_scan_skip(&t->scan);
	}
}

static void take_detail(struct taking *t)
{
	t->detail = t->scan.at;
	pario_scan_skip(&t->scan);
	t->r.detail_length = (size_t)(t->scan.at - t->detail);
}

static void take_member(struct taking *t, const char *name)
{
	struct pario_reading *r = &t->r;
	const struct {
		const char *name;
		const char **text;
		uint64_t *count;
	} plain[] = {
		{ "test", &r->test, NULL },	    { "point", &r->point, NULL },
		{ "phase", &r->phase, NULL },	    { "reason", &r->reason, NULL },
		{ "headline", &r->headline, NULL }, { "point_index", NULL, &r->point_index },
		{ "clients", NULL, &r->clients },   { "repetition", NULL, &r->repetition },
		{ "bytes", NULL, &r->bytes },	    { "ops", NULL, &r->ops },
	};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (strcmp(name, plain[i].name) != 0)
			continue;
		if (plain[i].text)
			*plain[i].text = keep(t);
		else
			*plain[i].count = pario_scan_count(&t->scan);
		return;
	}
	if (strcmp(name, "outcome") == 0)
		r->outcome = pario_archive_outcome(keep(t) ? t->text : "");
	else if (strcmp(name, "better") == 0)
		r->better = pario_better_of(keep(t) ? t->text : "");
	else if (strcmp(name, "rate_mib_s") == 0)
		r->rate_mib_s = pario_scan_real(&t->scan);
	else if (strcmp(name, "seconds") == 0)
		take_seconds(t);
	else if (strcmp(name, "latency_ns") == 0)
		take_latency(t);
	else if (strcmp(name, "metrics") == 0)
		take_amounts(t);
	else if (strcmp(name, "detail") == 0)
		take_detail(t);
	else
		pario_scan_skip(&t->scan);
}

int pario_archive_scan(struct pario_archive *archive, size_t volume, const char *text,
		       size_t length)
{
	static const char head[] = "{\"kind\":\"result\",";
	struct taking t = { .archive = archive, .memory = true };
	struct pario_reading *r;
	char name[NAME_CAPACITY];

	if (length < sizeof(head) - 1 || memcmp(text, head, sizeof(head) - 1) != 0)
		return 0;
	pario_scan_init(&t.scan, text, length);
	t.r.volume = volume;
	t.r.headline = "";
	t.r.better = 1;
	t.r.seconds = t.r.rate_mib_s = NAN;
	pario_scan_object(&t.scan);
	while (pario_scan_member(&t.scan, name, sizeof(name)) && !t.odd) {
		if (strcmp(name, "sheets") == 0)
			return 0;
		take_member(&t, name);
	}
	if (!t.memory)
		return -1;
	if (t.odd || !pario_scan_done(&t.scan) || !t.r.test || !t.r.point || !t.r.phase ||
	    !t.r.reason)
		return 0;
	r = pario_archive_reading(archive, volume);
	if (!r)
		return -1;
	*r = t.r;
	if (t.detail && archive->detail_bytes + r->detail_length <= DETAILS_MAX &&
	    (r->detail = malloc(r->detail_length + 1)) != NULL) {
		memcpy(r->detail, t.detail, r->detail_length);
		archive->detail_bytes += r->detail_length;
	}
	if (r->amount_count) {
		r->amount = malloc(r->amount_count * sizeof(*r->amount));
		if (!r->amount) {
			r->amount_count = 0;
			return -1;
		}
		memcpy(r->amount, t.amount, r->amount_count * sizeof(*r->amount));
	}
	return 1;
}
