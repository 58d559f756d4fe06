/*
 * fio: the output of `fio --output-format=json` or `json+`.
 *
 * One point per job entry, one result per direction that moved bytes. A group of jobs (group_reporting, which fio does
 * not always repeat in its output) is the only entry of its name, with as many clients as numjobs says. Latencies are
 * fio's completion latencies (clat), or the whole ones (lat) where fio was asked for their percentiles.
 *
 * Versions before 3 count bytes in KiB and latencies in microseconds, under other names.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "import/document.h"
#include "import/formats.h"
#include "import/lines.h"

static const char *const directions[] = { "read", "write", "trim", "mixed" };

static const char *option_of(const json_t *root, const json_t *job, const char *name, char buf[40])
{
	const char *own = pario_document_text(json_object_get(job, "job options"), name, buf);

	return *own ? own : pario_document_text(json_object_get(root, "global options"), name, buf);
}

/* Does a member say the same in both, or is it in neither? */
static bool same(const json_t *a, const json_t *b, const char *name)
{
	const json_t *of_a = json_object_get(a, name), *of_b = json_object_get(b, name);

	return of_a == of_b || json_equal(of_a, of_b);
}

/* Entries of the same name: one per process, or a single one for all of them. */
static size_t alike(const json_t *jobs, const json_t *job)
{
	const json_t *other;
	size_t i, count = 0;

	json_array_foreach(jobs, i, other) count +=
		same(other, job, "jobname") && same(other, job, "groupid");
	return count;
}

static uint64_t clients_of(const json_t *root, const json_t *jobs, const json_t *job)
{
	char buf[40];
	const char *processes = option_of(root, job, "numjobs", buf);

	return *processes && alike(jobs, job) == 1 ? pario_whole(processes) : 1;
}

static void take_options(struct pario_harvest *h, json_t *options)
{
	char buf[40];

	for (void *at = json_object_iter(options); at; at = json_object_iter_next(options, at)) {
		const char *name = json_object_iter_key(at);
		const char *value = pario_document_text(options, name, buf);

		pario_harvest_param(h, name, *value ? value : "1");
	}
}

static double percentile(const json_t *latency, const char *name)
{
	return pario_document_number(json_object_get(latency, "percentile"), name);
}

/* json+ tells every bucket by the time that it stands for. */
static void take_bins(struct pario_result *r, json_t *bins)
{
	struct pario_detail *detail = json_object_size(bins) ? calloc(1, sizeof(*detail)) : NULL;
	struct pario_histogram *h = detail ? &detail->latency : NULL;

	for (void *at = detail ? json_object_iter(bins) : NULL; at;
	     at = json_object_iter_next(bins, at)) {
		uint64_t ns = pario_whole(json_object_iter_key(at));
		json_int_t n = json_integer_value(json_object_iter_value(at));

		if (ns == PARIO_UNTOLD || n <= 0 || n > INT64_MAX / 4096)
			continue;
		h->min_ns = !h->count || ns < h->min_ns ? ns : h->min_ns;
		h->max_ns = ns > h->max_ns ? ns : h->max_ns;
		h->count += (uint64_t)n;
		h->bucket[pario_histogram_index(ns)] += (uint64_t)n;
	}
	if (detail) {
		detail->bytes = true;
		r->detail = detail;
	}
}

static void take_latency(struct pario_result *r, const json_t *side)
{
	const json_t *whole = json_object_get(side, "lat_ns"), *old = json_object_get(side, "clat");
	const json_t *l =
		json_object_get(whole, "percentile") ? whole : json_object_get(side, "clat_ns");
	double unit = l || whole ? 1 : 1000;

	l = l ? l : whole ? whole : old;
	r->latency_ns = (struct pario_latency){
		.count = pario_document_whole(l, "N"),
		.min = pario_document_number(l, "min") * unit,
		.p50 = percentile(l, "50.000000") * unit,
		.p90 = percentile(l, "90.000000") * unit,
		.p99 = percentile(l, "99.000000") * unit,
		.p999 = percentile(l, "99.900000") * unit,
		.max = pario_document_number(l, "max") * unit,
	};
	take_bins(r, json_object_get(l, "bins"));
}

/* Numbers of a direction under fio's own names and units. */
static const struct {
	const char *object, *name, *metric, *unit;
} metrics[] = {
	{ NULL, "iops", "iops", "ops/s" },	   { NULL, "bw_bytes", "bw_bytes", "B/s" },
	{ NULL, "short_ios", "short_ios", "ops" }, { "slat_ns", "mean", "slat_mean", "ns" },
	{ "clat_ns", "mean", "clat_mean", "ns" },  { "clat_ns", "stddev", "clat_stddev", "ns" },
	{ "lat_ns", "mean", "lat_mean", "ns" },
};

static void take_metrics(struct pario_result *r, const json_t *side, const json_t *job)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		const json_t *from =
			metrics[i].object ? json_object_get(side, metrics[i].object) : side;
		double value = pario_document_number(from, metrics[i].name);

		if (isfinite(value))
			pario_result_metric(r, metrics[i].metric, metrics[i].unit, value);
	}
	if (isfinite(pario_document_number(job, "usr_cpu")))
		pario_result_metric(r, "usr_cpu", "%", pario_document_number(job, "usr_cpu"));
	if (isfinite(pario_document_number(job, "sys_cpu")))
		pario_result_metric(r, "sys_cpu", "%", pario_document_number(job, "sys_cpu"));
}

/* What a direction moved. Where only KiB are told they are exact, since fio moves whole blocks; the rate is not. */
struct moved {
	uint64_t bytes;
	double seconds, bytes_per_s;
};

static struct moved moved_of(const json_t *side)
{
	struct moved m = { pario_document_whole(side, "io_bytes"),
			   pario_document_number(side, "runtime") / 1000,
			   pario_document_number(side, "bw_bytes") };
	double kib_s = pario_document_number(side, "bw");

	/* without io_kbytes, io_bytes may be either; the rate tells which */
	if (!json_object_get(side, "io_kbytes") && m.bytes != PARIO_UNTOLD &&
	    (double)m.bytes < 32 * kib_s * m.seconds && !pario_mul(m.bytes, 1024, &m.bytes))
		m.bytes = PARIO_UNTOLD;
	if (!isfinite(m.bytes_per_s))
		m.bytes_per_s = kib_s * 1024;
	return m;
}

static int take_side(struct pario_harvest *h, const json_t *job, const char *direction,
		     uint64_t clients, struct pario_err *err)
{
	const json_t *side = json_object_get(job, direction);
	double error = pario_document_number(job, "error");
	struct moved moved = moved_of(side);
	struct pario_result *r;

	if (moved.bytes == PARIO_UNTOLD ||
	    (moved.bytes == 0 && !(pario_document_number(side, "total_ios") > 0)))
		return 0;
	r = pario_harvest_result(h, direction, clients, err);
	if (!r)
		return -1;
	r->bytes = moved.bytes;
	r->ops = pario_document_whole(side, "total_ios");
	r->seconds.total = moved.seconds;
	r->rate_mib_s = moved.bytes_per_s / PARIO_MIB;
	take_latency(r, side);
	take_metrics(r, side, job);
	if (error > 0 || error < 0) {
		r->outcome = PARIO_SUSPECT;
		snprintf(r->reason, sizeof(r->reason), "fio reports error %g for this job", error);
	}
	return 0;
}

/* fsync and fdatasync: how many, and how long they took. */
static int take_sync(struct pario_harvest *h, const json_t *job, uint64_t clients,
		     struct pario_err *err)
{
	const json_t *side = json_object_get(job, "sync");
	uint64_t ops = pario_document_whole(side, "total_ios");
	struct pario_result *r;

	if (ops == PARIO_UNTOLD || ops == 0)
		return 0;
	r = pario_harvest_result(h, "sync", clients, err);
	if (!r)
		return -1;
	r->ops = ops;
	take_latency(r, side);
	pario_result_metric(r, "lat_mean", "ns",
			    pario_document_number(json_object_get(side, "lat_ns"), "mean"));
	pario_result_headline(r, "lat_mean", -1);
	return 0;
}

/* The number tells jobs of one name apart. */
static int take_job(struct pario_harvest *h, const json_t *root, const json_t *jobs, size_t number,
		    struct pario_err *err)
{
	const json_t *job = json_array_get(jobs, number);
	uint64_t clients = clients_of(root, jobs, job);
	char text[40];

	take_options(h, json_object_get(root, "global options"));
	take_options(h, json_object_get(job, "job options"));
	pario_harvest_param(h, "jobname", pario_document_text(job, "jobname", text));
	snprintf(text, sizeof(text), "%zu", number);
	pario_harvest_param(h, "job", text);
	pario_harvest_param(h, "hostname", pario_document_text(job, "hostname", text));
	for (size_t i = 0; i < sizeof(directions) / sizeof(directions[0]); i++) {
		if (take_side(h, job, directions[i], clients, err) < 0)
			return -1;
	}
	return take_sync(h, job, clients, err);
}

/* Client and server mode adds an entry that sums up the others. */
static bool is_sum(const json_t *job)
{
	const char *name = json_string_value(json_object_get(job, "jobname"));

	return name && strcmp(name, "All clients") == 0;
}

static const json_t *jobs_of(const json_t *root)
{
	const json_t *jobs = json_object_get(root, "jobs");

	return json_is_array(jobs) ? jobs : json_object_get(root, "client_stats");
}

static int take_run(struct pario_harvest *h, const json_t *root, struct pario_err *err)
{
	const json_t *jobs = jobs_of(root), *job;
	bool further = false;
	char buf[40];
	size_t i;

	if (pario_harvest_run(h, "fio", pario_document_text(root, "fio version", buf), err) < 0)
		return -1;
	h->tables++;
	if (!*h->time)
		pario_time_epoch(pario_document_number(root, "timestamp"), h->time);
	json_array_foreach(jobs, i, job)
	{
		if (is_sum(job))
			continue;
		if ((further && pario_harvest_point(h, err) < 0) ||
		    take_job(h, root, jobs, i, err) < 0)
			return -1;
		further = true;
	}
	return 0;
}

/* Bytes and calls of all jobs together, as far as they are told. */
static double done_by(const json_t *root)
{
	const json_t *job;
	double sum = 0;
	size_t i;

	json_array_foreach(jobs_of(root), i, job)
	{
		for (size_t k = 0; k < sizeof(directions) / sizeof(directions[0]); k++)
			sum += fmax(0, pario_document_number(json_object_get(job, directions[k]),
							     "total_ios"));
	}
	return sum;
}

/* With a status interval fio reports on the same jobs again and again, each time with more done. */
static bool goes_on(const json_t *before, const json_t *after)
{
	const json_t *a = json_array_get(jobs_of(before), 0),
		     *b = json_array_get(jobs_of(after), 0);

	return same(a, b, "jobname") && same(a, b, "job options") &&
	       same(before, after, "global options") &&
	       pario_document_number(a, "elapsed") <= pario_document_number(b, "elapsed") &&
	       done_by(before) <= done_by(after);
}

/* Of reports on the same jobs the last one counts. */
static int take_all(struct pario_harvest *h, struct pario_documents *all, struct pario_err *err)
{
	json_t *root, *last = NULL;
	size_t passed = 0;
	int status = 0;

	while (status == 0 && (root = pario_documents_next(all))) {
		if (last && !goes_on(last, root))
			status = take_run(h, last, err);
		else if (last)
			passed++;
		json_decref(last);
		last = json_incref(root);
	}
	if (status == 0 && last)
		status = take_run(h, last, err);
	json_decref(last);
	if (passed)
		pario_harvest_note(
			h,
			"fio also reported %zu times while it ran (status interval); the "
			"last report of each run was imported.",
			passed);
	return status;
}

int pario_fio_read(struct pario_import_file *source, struct pario_harvest *h, struct pario_err *err)
{
	struct pario_documents all;

	if (pario_documents_begin(&all, source, "fio version", err) < 0)
		return -1;
	return pario_documents_end(&all, h, take_all(h, &all, err), err);
}
