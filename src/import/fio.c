/*
 * fio: the output of `fio --output-format=json` or `json+`.
 *
 * One point per job entry, one result per direction that moved bytes. A group of jobs (group_reporting) is one entry
 * with as many clients as numjobs says. Latencies are fio's completion latencies (clat), or the whole ones (lat) where
 * fio was asked for their percentiles.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "import/document.h"
#include "import/formats.h"
#include "import/lines.h"

static const char *const directions[] = { "read", "write", "trim" };

bool pario_fio_recognise(const struct pario_import_file *source)
{
	return pario_document_likely(source, "fio version");
}

static const char *option_of(const json_t *root, const json_t *job, const char *name, char buf[40])
{
	const char *own = pario_document_text(json_object_get(job, "job options"), name, buf);

	return *own ? own : pario_document_text(json_object_get(root, "global options"), name, buf);
}

/* An option without a value, as group_reporting on a line of its own, is written as "" or "1". */
static bool is_on(const json_t *root, const json_t *job, const char *name)
{
	const json_t *value = json_object_get(json_object_get(job, "job options"), name);
	const char *text;

	if (!value)
		value = json_object_get(json_object_get(root, "global options"), name);
	text = json_string_value(value);
	return text && strcmp(text, "0") != 0;
}

static uint64_t clients_of(const json_t *root, const json_t *job)
{
	char buf[40];
	const char *jobs = option_of(root, job, "numjobs", buf);

	return *jobs && is_on(root, job, "group_reporting") ? pario_whole(jobs) : 1;
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
	const json_t *whole = json_object_get(side, "lat_ns");
	const json_t *l =
		json_object_get(whole, "percentile") ? whole : json_object_get(side, "clat_ns");

	r->latency_ns = (struct pario_latency){
		.count = pario_document_whole(l, "N"),
		.min = pario_document_number(l, "min"),
		.p50 = percentile(l, "50.000000"),
		.p90 = percentile(l, "90.000000"),
		.p99 = percentile(l, "99.000000"),
		.p999 = percentile(l, "99.900000"),
		.max = pario_document_number(l, "max"),
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

static int take_side(struct pario_harvest *h, const json_t *job, const char *direction,
		     uint64_t clients, struct pario_err *err)
{
	const json_t *side = json_object_get(job, direction);
	double error = pario_document_number(job, "error");
	uint64_t bytes = pario_document_whole(side, "io_bytes");
	struct pario_result *r;

	if (bytes == PARIO_UNTOLD ||
	    (bytes == 0 && !(pario_document_number(side, "total_ios") > 0)))
		return 0;
	r = pario_harvest_result(h, direction, clients, err);
	if (!r)
		return -1;
	r->bytes = bytes;
	r->ops = pario_document_whole(side, "total_ios");
	r->seconds.total = pario_document_number(side, "runtime") / 1000;
	r->rate_mib_s = pario_document_number(side, "bw_bytes") / PARIO_MIB;
	take_latency(r, side);
	take_metrics(r, side, job);
	if (error > 0 || error < 0) {
		r->outcome = PARIO_SUSPECT;
		snprintf(r->reason, sizeof(r->reason), "fio reports error %g for this job", error);
	}
	return 0;
}

/* The number tells jobs of one name apart. */
static int take_job(struct pario_harvest *h, const json_t *root, const json_t *job, size_t number,
		    struct pario_err *err)
{
	char text[40];
	uint64_t clients = clients_of(root, job);

	if (pario_harvest_point(h, err) < 0)
		return -1;
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
	return 0;
}

/* Client and server mode adds an entry that sums up the others. */
static bool is_sum(const json_t *job)
{
	const char *name = json_string_value(json_object_get(job, "jobname"));

	return name && strcmp(name, "All clients") == 0;
}

static int take_all(struct pario_harvest *h, const json_t *root, struct pario_err *err)
{
	const json_t *jobs = json_object_get(root, "jobs"), *job;
	size_t i;

	if (!json_is_array(jobs))
		jobs = json_object_get(root, "client_stats");
	json_array_foreach(jobs, i, job)
	{
		if (!is_sum(job) && take_job(h, root, job, i, err) < 0)
			return -1;
	}
	return 0;
}

int pario_fio_read(const struct pario_import_file *source, struct pario_harvest *h,
		   struct pario_err *err)
{
	size_t count;
	json_t *root = pario_document(source, "fio version", &count, err);
	char buf[40];
	int status;

	if (!root)
		return -1;
	h->test = "fio";
	snprintf(h->program, sizeof(h->program), "%s",
		 pario_document_text(root, "fio version", buf));
	pario_time_epoch(pario_document_number(root, "timestamp"), h->time);
	if (count > 1)
		pario_harvest_note(h,
				   "The file holds %zu reports of fio, one per status interval; "
				   "the last one was imported.",
				   count);
	status = take_all(h, root, err);
	json_decref(root);
	return status;
}
