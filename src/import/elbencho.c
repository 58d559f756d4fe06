/*
 * elbencho: its results files, CSV (--csvfile) and JSON (--jsonfile): a row or an object for each phase, under the
 * same names. Numbers of the last client to be done count ("[last]"); those of the first one are metrics beside
 * them. Threads are counted per host.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/csv.h"
#include "import/document.h"
#include "import/formats.h"
#include "import/lines.h"

#define HEAD "ISO date,label,"

/* Of a row or an object; "" when it is not there. The buffer holds numbers. */
struct phase {
	const char *(*text)(const struct phase *phase, const char *name, char buf[40]);
	const json_t *object;
	char **names, **cells;
	size_t count;
};

static const char *of_object(const struct phase *phase, const char *name, char buf[40])
{
	return pario_document_text(phase->object, name, buf);
}

static const char *of_row(const struct phase *phase, const char *name, char buf[40])
{
	(void)buf;
	for (size_t i = 0; i < phase->count; i++) {
		if (strcmp(phase->names[i], name) == 0)
			return phase->cells[i];
	}
	return "";
}

static double number(const struct phase *phase, const char *name)
{
	char buf[40];

	return pario_number(phase->text(phase, name, buf));
}

/* What a phase was asked to do; what is not told is left out. */
static void take_params(struct pario_harvest *h, const struct phase *phase)
{
	static const char *const told[] = {
		"label",    "path type",    "paths",	  "hosts",     "threads", "dirs",
		"files",    "file size",    "block size", "direct IO", "random",  "random aligned",
		"IO depth", "shared paths", "truncate",	  "version",
	};
	char buf[40];

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		pario_harvest_param(h, told[i], phase->text(phase, told[i], buf));
}

static void add_metrics(const struct phase *phase, struct pario_result *r)
{
	static const struct {
		const char *name, *unit;
	} metrics[] = {
		{ "MiB/s [first]", "MiB/s" },
		{ "MiB/s [last]", "MiB/s" },
		{ "IOPS [first]", "ops/s" },
		{ "IOPS [last]", "ops/s" },
		{ "entries/s [first]", "entries/s" },
		{ "entries/s [last]", "entries/s" },
		{ "CPU% [last]", "%" },
		{ "IO lat us [avg]", "us" },
		{ "Ent lat us [avg]", "us" },
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		double value = number(phase, metrics[i].name);

		if (isfinite(value))
			pario_result_metric(r, metrics[i].name, metrics[i].unit, value);
	}
	r->latency_ns.min = number(phase, "IO lat us [min]") * 1e3;
	r->latency_ns.max = number(phase, "IO lat us [max]") * 1e3;
}

static uint64_t counted(double value)
{
	return value >= 0 && value < 0x1p62 ? (uint64_t)value : PARIO_UNTOLD;
}

/* false: it says nothing about a phase. */
static int take_phase(struct pario_harvest *h, const struct phase *phase, bool *taken,
		      struct pario_err *err)
{
	char buf[40], name[32];
	double hosts = number(phase, "hosts"), threads = number(phase, "threads"),
	       rate = number(phase, "MiB/s [last]"), entries = number(phase, "entries/s [last]"),
	       ms = number(phase, "time ms [last]");
	struct pario_result *r;

	snprintf(name, sizeof(name), "%s", phase->text(phase, "operation", buf));
	*taken = *name && ms >= 0;
	if (!*taken)
		return 0;
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (pario_harvest_point(h, err) < 0)
		return -1;
	take_params(h, phase);
	if (!*h->time)
		pario_time_label(phase->text(phase, "ISO date", buf), "%Y-%m-%dT%H:%M:%S", h->time);
	h->zone_untold = true;
	r = pario_harvest_result(h, name, counted((hosts > 0 ? hosts : 1) * threads), err);
	if (!r)
		return -1;
	r->seconds.total = ms * 1e-3;
	r->bytes = counted(number(phase, "MiB [last]") * 1048576);
	if (!isfinite(rate))
		r->ops = counted(number(phase, "entries [last]"));
	add_metrics(phase, r);
	if (isfinite(rate))
		r->rate_mib_s = rate;
	if (isfinite(rate) || isfinite(entries))
		pario_result_headline(r, isfinite(rate) ? "MiB/s [last]" : "entries/s [last]", 1);
	return 0;
}

bool pario_elbencho_sign(const char *line, uint64_t number_)
{
	return number_ == 1 && pario_after(line, HEAD);
}

int pario_elbencho_read(struct pario_import_file *source, struct pario_harvest *h,
			struct pario_err *err)
{
	struct pario_lines lines;
	char head[PARIO_LINE] = "", row[PARIO_LINE];
	char *names[PARIO_CSV_COLUMNS], *cells[PARIO_CSV_COLUMNS];
	size_t columns = 0;
	int status = pario_harvest_run(h, "elbencho", "elbencho", err);
	bool taken;

	json_array_clear(h->points);
	pario_lines_begin(&lines, source);
	while (status == 0 && pario_lines_next(&lines)) {
		struct phase phase = { of_row, NULL, names, cells, 0 };

		if (pario_after(lines.text, HEAD)) {
			snprintf(head, sizeof(head), "%s", lines.text);
			columns = pario_csv_cells(head, names);
			h->tables++;
			continue;
		}
		snprintf(row, sizeof(row), "%s", lines.text);
		phase.count = pario_csv_cells(row, cells);
		taken = phase.count >= columns;
		phase.count = columns;
		if (taken)
			status = take_phase(h, &phase, &taken, err);
		if (!taken && *lines.text)
			pario_harvest_lost(h, lines.number, lines.text);
	}
	return status;
}

int pario_elbencho_json_read(struct pario_import_file *source, struct pario_harvest *h,
			     struct pario_err *err)
{
	struct pario_documents all;
	const json_t *object;
	int status = pario_documents_begin(&all, source, "ISO date", err);
	bool taken;

	if (status < 0)
		return -1;
	status = pario_harvest_run(h, "elbencho", "elbencho", err);
	json_array_clear(h->points);
	while (status == 0 && (object = pario_documents_next(&all))) {
		const struct phase phase = { of_object, object, NULL, NULL, 0 };

		h->tables++;
		status = take_phase(h, &phase, &taken, err);
	}
	return pario_documents_end(&all, h, status, err);
}
