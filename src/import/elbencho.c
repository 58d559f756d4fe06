/*
 * elbencho: its results files, CSV (--csvfile) and JSON (--jsonfile): a row or an object for each phase. Numbers have
 * the names of the CSV file in both, so that they can be compared; JSON tells bytes, where the CSV file has whole MiB.
 * Those of the last client to be done count ("[last]"); those of the first one are metrics beside them. Threads are
 * counted per host.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "import/csv.h"
#include "import/document.h"
#include "import/formats.h"
#include "import/lines.h"

#define HEAD "ISO date,label,"

/* A phase is a row, whose columns have names, or an object of JSON, where the same stands in members of members. */
struct phase {
	const json_t *object; /* NULL: a row */
	char **names, **cells;
	size_t count;
};

/* A number, as the CSV file calls it; in JSON a member of an object in an object. */
struct number {
	const char *column, *part, *below, *member;
	double unit;	  /* of the member, in that of the column */
	const char *name; /* of the unit; NULL: no metric of its own */
	bool both;	  /* told of the reads of a mix, too */
};

static const struct number elapsed = {
	"time ms [last]", "last_done", NULL, "elapsed_time_ms", 1, NULL, false
};
static const struct number numbers[] = {
	{ "time ms [first]", "first_done", NULL, "elapsed_time_ms", 1, "ms", false },
	{ "MiB/s [first]", "first_done", NULL, "bytes/s", 0x1p-20, "MiB/s", true },
	{ "MiB/s [last]", "last_done", NULL, "bytes/s", 0x1p-20, "MiB/s", true },
	{ "IOPS [first]", "first_done", NULL, "iops", 1, "ops/s", true },
	{ "IOPS [last]", "last_done", NULL, "iops", 1, "ops/s", true },
	{ "entries/s [first]", "first_done", NULL, "entries/s", 1, "entries/s", true },
	{ "entries/s [last]", "last_done", NULL, "entries/s", 1, "entries/s", true },
	{ "MiB [first]", "first_done", NULL, "bytes", 0x1p-20, "MiB", true },
	{ "MiB [last]", "last_done", NULL, "bytes", 0x1p-20, "MiB", true },
	{ "entries [first]", "first_done", NULL, "entries", 1, "entries", true },
	{ "entries [last]", "last_done", NULL, "entries", 1, "entries", true },
	{ "CPU% [first]", "first_done", NULL, "cpu%", 1, "%", false },
	{ "CPU% [last]", "last_done", NULL, "cpu%", 1, "%", false },
	{ "IO lat us [min]", "last_done", "IO", "min_us", 1, "us", true },
	{ "IO lat us [avg]", "last_done", "IO", "avg_us", 1, "us", true },
	{ "IO lat us [max]", "last_done", "IO", "max_us", 1, "us", true },
	{ "Ent lat us [min]", "last_done", "entries", "min_us", 1, "us", true },
	{ "Ent lat us [avg]", "last_done", "entries", "avg_us", 1, "us", true },
	{ "Ent lat us [max]", "last_done", "entries", "max_us", 1, "us", true },
};

/* What a phase was asked to do, as the CSV file and as JSON call it. */
static const struct {
	const char *column, *member;
} params[] = {
	{ "label", NULL },
	{ "path type", "path_type" },
	{ "paths", "paths" },
	{ "hosts", "hosts" },
	{ "threads", "threads" },
	{ "dirs", "dirs" },
	{ "files", "files" },
	{ "custom tree dirs", "custom_tree_dirs" },
	{ "custom tree files shared", "custom_tree_files_shared" },
	{ "custom tree files not shared", "files_not_shared" },
	{ "file size", "file_size" },
	{ "block size", "block_size" },
	{ "direct IO", "direct_io" },
	{ "random", "random_offsets" },
	{ "random aligned", "random_aligned" },
	{ "IO depth", "io_depth" },
	{ "shared paths", "shared_service_paths" },
	{ "truncate", "truncate_files" },
	{ "version", "version" },
};

static const char *cell(const struct phase *phase, const char *name)
{
	for (size_t i = 0; i < phase->count; i++) {
		if (strcmp(phase->names[i], name) == 0)
			return phase->cells[i];
	}
	return "";
}

static double told(const struct phase *phase, const struct number *n, bool mixed)
{
	const json_t *at = json_object_get(phase->object, n->part);
	char column[64];

	if (!phase->object) {
		snprintf(column, sizeof(column), "%s%s", mixed ? "rwmix read " : "", n->column);
		return pario_number(cell(phase, column));
	}
	if (n->below)
		at = json_object_get(json_object_get(at, "latency"), n->below);
	if (mixed)
		at = json_object_get(at, "rwmix_read");
	return pario_document_number(at, n->member) * n->unit;
}

static void take_params(struct pario_harvest *h, const struct phase *phase)
{
	const json_t *config = json_object_get(phase->object, "config");
	char buf[40];

	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		const char *value =
			!phase->object ? cell(phase, params[i].column)
			: params[i].member
				? pario_document_text(config, params[i].member, buf)
				: pario_document_text(phase->object, params[i].column, buf);

		pario_harvest_param(h, params[i].column, value);
	}
}

/* Bytes are told by JSON alone; a whole number of MiB is less. */
static void take_numbers(const struct phase *phase, bool mixed, struct pario_result *r)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number *n = &numbers[i];
		double value = mixed && !n->both ? (double)NAN : told(phase, n, mixed);

		if (!isfinite(value))
			continue;
		pario_result_metric(r, n->column, n->name, value);
		if (strcmp(n->column, "MiB/s [last]") == 0)
			r->rate_mib_s = value;
		else if (strcmp(n->column, "MiB [last]") == 0 && phase->object)
			r->bytes = (uint64_t)fmin(fmax(value, 0) * 0x1p20, 0x1p62);
		else if (strcmp(n->column, "entries [last]") == 0)
			r->ops = (uint64_t)fmin(fmax(value, 0), 0x1p62);
		else if (strcmp(n->column, "IO lat us [min]") == 0)
			r->latency_ns.min = value * 1e3;
		else if (strcmp(n->column, "IO lat us [max]") == 0)
			r->latency_ns.max = value * 1e3;
	}
	if (isfinite(r->rate_mib_s)) {
		r->ops = PARIO_UNTOLD; /* of data they are transfers, which are not counted */
		pario_result_headline(r, "MiB/s [last]", 1);
	} else if (pario_result_find(r, "entries/s [last]")) {
		pario_result_headline(r, "entries/s [last]", 1);
	}
}

static uint64_t clients_of(const struct phase *phase)
{
	const json_t *config = json_object_get(phase->object, "config");
	double hosts = phase->object ? pario_document_number(config, "hosts")
				     : pario_number(cell(phase, "hosts")),
	       threads = phase->object ? pario_document_number(config, "threads")
				       : pario_number(cell(phase, "threads")),
	       clients = (hosts > 0 ? hosts : 1) * threads;

	return clients >= 0 && clients < 0x1p62 ? (uint64_t)clients : PARIO_UNTOLD;
}

/* "2026-02-03T10:00:01", or with "+0100" behind the fraction of a second. */
static void take_date(struct pario_harvest *h, const char *date)
{
	struct tm tm = { 0 };
	const char *rest = strptime(date, "%Y-%m-%dT%H:%M:%S", &tm);
	long seconds;

	if (*h->time || !rest)
		return;
	seconds = timegm(&tm);
	if (*rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	h->zone_untold = !*rest || !strptime(rest, "%z", &tm);
	pario_time_epoch((double)(h->zone_untold ? seconds : seconds - tm.tm_gmtoff), h->time);
}

static int take_result(struct pario_harvest *h, const struct phase *phase, const char *name,
		       bool mixed, struct pario_err *err)
{
	struct pario_result *r = pario_harvest_result(h, name, clients_of(phase), err);

	if (!r)
		return -1;
	r->seconds.total = told(phase, &elapsed, false) * 1e-3;
	take_numbers(phase, mixed, r);
	return 0;
}

/* Reads that a phase mixes with its writes are a result of their own. */
static bool is_mixed(const struct phase *phase)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].both && isfinite(told(phase, &numbers[i], true)))
			return true;
	}
	return false;
}

/* false: it says nothing about a phase. The point that the run began with is its first one's. */
static int take_phase(struct pario_harvest *h, const struct phase *phase, bool further, bool *taken,
		      struct pario_err *err)
{
	char buf[40], name[32], reads[48];

	snprintf(name, sizeof(name), "%s",
		 phase->object ? pario_document_text(phase->object, "phase_type", buf)
			       : cell(phase, "operation"));
	*taken = *name && told(phase, &elapsed, false) >= 0;
	if (!*taken)
		return 0;
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (further && pario_harvest_point(h, err) < 0)
		return -1;
	take_params(h, phase);
	take_date(h, phase->object ? pario_document_text(phase->object, "iso_start_date", buf)
				   : cell(phase, "ISO date"));
	if (take_result(h, phase, name, false, err) < 0)
		return -1;
	snprintf(reads, sizeof(reads), "%s read", name);
	return is_mixed(phase) ? take_result(h, phase, reads, true, err) : 0;
}

bool pario_elbencho_sign(const char *line, uint64_t number_)
{
	(void)number_;
	return pario_after(line, HEAD) != NULL;
}

int pario_elbencho_read(struct pario_import_file *source, struct pario_harvest *h,
			struct pario_err *err)
{
	struct pario_lines lines;
	char head[PARIO_LINE] = "", row[PARIO_LINE];
	char *names[PARIO_CSV_COLUMNS], *cells[PARIO_CSV_COLUMNS];
	size_t columns = 0, before = h->count;
	int status = pario_harvest_run(h, "elbencho", "elbencho", err);
	bool taken;

	pario_lines_begin(&lines, source);
	while (status == 0 && pario_lines_next(&lines)) {
		struct phase phase = { NULL, names, cells, 0 };

		if (pario_after(lines.text, HEAD)) {
			snprintf(head, sizeof(head), "%s", lines.text);
			columns = pario_csv_cells(head, names);
			h->tables++;
			continue;
		}
		/* of others: what a job printed */
		if (!columns || strchr("{[ \t", *lines.text) ||
		    (!strchr(lines.text, ',') && !lines.cut))
			continue;
		snprintf(row, sizeof(row), "%s", lines.text);
		phase.count = pario_csv_cells(row, cells);
		taken = phase.count == columns && !lines.cut;
		phase.count = columns;
		if (taken)
			status = take_phase(h, &phase, h->count > before, &taken, err);
		if (!taken && *lines.text)
			pario_harvest_lost(h, lines.number, lines.text);
	}
	return status;
}

static bool has_histogram(const json_t *object)
{
	const json_t *latency = json_object_get(json_object_get(object, "last_done"), "latency");

	return json_object_get(json_object_get(latency, "IO"), "histogram") ||
	       json_object_get(json_object_get(latency, "entries"), "histogram");
}

int pario_elbencho_json_read(struct pario_import_file *source, struct pario_harvest *h,
			     struct pario_err *err)
{
	struct pario_documents all;
	const json_t *object;
	size_t before = h->count;
	bool histograms = false;
	int status = pario_documents_begin(&all, source, "phase_type", err);
	bool taken;

	if (status < 0)
		return -1;
	status = pario_harvest_run(h, "elbencho", "elbencho", err);
	while (status == 0 && (object = pario_documents_next(&all))) {
		const struct phase phase = { object, NULL, NULL, 0 };

		h->tables++;
		status = take_phase(h, &phase, h->count > before, &taken, err);
		if (!taken)
			pario_harvest_lost(h, all.count,
					   "a phase of JSON without its name or time");
		histograms |= has_histogram(object);
	}
	if (histograms)
		pario_harvest_note(h,
				   "elbencho's histograms of latencies are left out; their least, "
				   "mean and largest are there.");
	return pario_documents_end(&all, h, status, err);
}
