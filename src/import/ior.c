/*
 * ior: a row becomes a result whose number is IOR's own; a removal has only its time.
 */
#include "import/ior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "import/lines.h"

void pario_ior_head(struct pario_harvest *h, bool own, const char *began, const char *machine)
{
	char system[64], host[256] = "";

	/* "Linux node17", with -vv and more behind it */
	if (sscanf(machine, "%63s %255s", system, host) == 2 && !*h->host)
		snprintf(h->host, sizeof(h->host), "%s", host);
	if (!*began || *h->time || (own && pario_time_own(began, h->time)))
		return;
	pario_time_label(began, "%a %b %d %H:%M:%S %Y", h->time);
	h->zone_untold = *h->time != '\0';
}

/* Bytes of the whole phase; not told where a stonewall may have ended it. */
static uint64_t bytes_of(const struct pario_ior_sizes *s)
{
	uint64_t bytes;

	if (s->block == PARIO_UNTOLD || s->segments == PARIO_UNTOLD || s->tasks == PARIO_UNTOLD ||
	    !(s->stonewall == 0))
		return PARIO_UNTOLD;
	if (!pario_mul(s->block, s->segments, &bytes) || !pario_mul(bytes, s->tasks, &bytes) ||
	    bytes > INT64_MAX)
		return PARIO_UNTOLD;
	return bytes;
}

static void add(struct pario_harvest *h, struct pario_result *r, const char *name, const char *unit,
		double value)
{
	char word[32];

	snprintf(word, sizeof(word), "%g", value);
	if (isfinite(value) && isfinite(pario_harvest_cell(h, word)))
		pario_result_metric(r, name, unit, value);
}

int pario_ior_take(struct pario_harvest *h, const struct pario_ior_row *row,
		   const struct pario_ior_sizes *sizes, struct pario_err *err)
{
	struct pario_result *r;

	if (row->bw_mib < 0) {
		pario_harvest_lost(h, 0, row->access);
		return 0;
	}
	r = pario_harvest_result(h, row->access, sizes->tasks, err);
	if (!r)
		return -1;
	r->seconds.open = row->open_s;
	r->seconds.transfer = row->transfer_s;
	r->seconds.close = row->close_s;
	r->seconds.total = row->total_s;
	r->rate_mib_s = row->bw_mib;
	add(h, r, "bwMiB", "MiB/s", row->bw_mib);
	add(h, r, "iops", "ops/s", row->iops);
	add(h, r, "latency", "s", row->latency_s);
	if (!isfinite(row->bw_mib)) {
		add(h, r, "totalTime", "s", row->total_s);
		if (isfinite(row->total_s))
			pario_result_headline(r, "totalTime", -1);
		return 0;
	}
	pario_result_headline(r, "bwMiB", 1);
	r->bytes = row->moved != PARIO_UNTOLD ? row->moved : bytes_of(sizes);
	if (r->bytes != PARIO_UNTOLD && sizes->transfer != PARIO_UNTOLD && sizes->transfer > 0)
		r->ops = r->bytes / sizes->transfer;
	return 0;
}
