/*
 * archive_scan: a result line straight from its text, several times faster than through a tree. Whatever is not an
 * ordinary result goes back to be read as an object, so that there is one place that judges what is odd.
 */
#include "report/page/archive.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "journal/scan.h"

enum { NAME_CAPACITY = 64, TEXT_CAPACITY = 2048 };

/* Of very many results only the first are drawn with their rate over time. */
#define DETAILS_MAX ((size_t)64 << 20)
enum { DETAILS_OF_A_KIND = 100 };

struct taking {
	struct pario_archive *archive;
	struct pario_scan scan;
	struct pario_reading r;
	struct pario_latency latency;
	uint64_t repetition;
	struct pario_kind *kind;
	const char *detail; /* in the line; NULL = there is none */
	size_t detail_length;
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
	struct pario_latency *l = &t->latency;
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
	struct pario_amount *m = &t->kind->amount[t->kind->amount_count++];
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
		if (t->kind->amount_count < PARIO_RESULT_METRICS)
			take_amount(t, name);
		else
			pario_scan_skip(&t->scan);
	}
}

static void take_detail(struct taking *t)
{
	t->detail = t->scan.at;
	pario_scan_skip(&t->scan);
	t->detail_length = (size_t)(t->scan.at - t->detail);
}

static void take_member(struct taking *t, const char *name)
{
	struct pario_reading *r = &t->r;
	struct pario_kind *k = t->kind;
	const struct {
		const char *name;
		const char **text;
		uint64_t *count;
	} plain[] = {
		{ "test", &k->test, NULL },	    { "point", &k->point, NULL },
		{ "phase", &k->phase, NULL },	    { "reason", &r->reason, NULL },
		{ "headline", &k->headline, NULL }, { "point_index", NULL, &k->point_index },
		{ "clients", NULL, &k->clients },   { "repetition", NULL, &t->repetition },
		{ "bytes", NULL, &r->bytes },	    { "ops", NULL, &r->ops },
	};

	if (t->scan.at < t->scan.end && *t->scan.at == 'n') {
		r->bytes_untold |= strcmp(name, "bytes") == 0;
		r->ops_untold |= strcmp(name, "ops") == 0;
	}
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
		k->better = pario_better_of(keep(t) ? t->text : "");
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

static void keep_detail(struct taking *t, struct pario_reading *r)
{
	struct pario_archive *a = t->archive;
	struct pario_carried *c;

	if (r->of->details >= DETAILS_OF_A_KIND ||
	    a->detail_bytes + t->detail_length > DETAILS_MAX ||
	    (c = pario_reading_carry(a, r)) == NULL ||
	    (c->detail = malloc(t->detail_length + 1)) == NULL)
		return;
	memcpy(c->detail, t->detail, t->detail_length);
	c->detail_length = t->detail_length;
	a->detail_bytes += t->detail_length;
	r->of->details++;
}

int pario_archive_scan(struct pario_archive *archive, size_t volume, const char *text,
		       size_t length)
{
	static const char head[] = "{\"kind\":\"result\",";
	union {
		max_align_t align;
		char room[sizeof(struct pario_kind) +
			  PARIO_RESULT_METRICS * sizeof(struct pario_amount)];
	} kind = { .room = { 0 } };
	struct taking t = { .archive = archive,
			    .kind = (struct pario_kind *)(void *)&kind,
			    .latency = { 0, NAN, NAN, NAN, NAN, NAN, NAN },
			    .memory = true };
	struct pario_reading *r;
	char name[NAME_CAPACITY];

	if (length < sizeof(head) - 1 || memcmp(text, head, sizeof(head) - 1) != 0)
		return 0;
	pario_scan_init(&t.scan, text, length);
	t.kind->volume = volume;
	t.kind->headline = pario_strings_keep(&archive->strings, "");
	t.kind->better = 1;
	t.r.seconds = t.r.rate_mib_s = NAN;
	pario_scan_object(&t.scan);
	while (pario_scan_member(&t.scan, name, sizeof(name)) && !t.odd) {
		if (strcmp(name, "sheets") == 0 && !archive->numbers_only)
			return 0;
		take_member(&t, name);
	}
	if (!t.memory)
		return -1;
	if (t.odd || !pario_scan_done(&t.scan) || !t.kind->test || !t.kind->point ||
	    !t.kind->phase || !t.r.reason)
		return 0;
	t.r.repetition = t.repetition & PARIO_REPETITION_MOST;
	r = pario_archive_reading(archive, t.kind, &t.r, &t.latency);
	if (!r)
		return -1;
	if (t.detail && !archive->numbers_only)
		keep_detail(&t, r);
	return 1;
}
