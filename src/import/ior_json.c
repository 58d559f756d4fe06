/*
 * ior_json: what IOR writes with `-O summaryFormat=JSON`.
 *
 * One point per test of the file, one result per row of its Results. The number of a row is IOR's own bwMiB: bytes over
 * the time from the first open to the last close. Bytes are worked out from sizes and tasks, unless a stonewall may
 * have ended the phase before all were moved.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/document.h"
#include "import/formats.h"
#include "import/ior.h"
#include "import/lines.h"

static void take_params(struct pario_harvest *h, json_t *params)
{
	char buf[40];

	for (void *at = json_object_iter(params); at; at = json_object_iter_next(params, at)) {
		const char *name = json_object_iter_key(at);

		pario_harvest_param(h, name, pario_document_text(params, name, buf));
	}
}

static int take_row(struct pario_harvest *h, const json_t *test, const json_t *row,
		    struct pario_err *err)
{
	const json_t *params = json_object_get(test, "Parameters");
	const json_t *options = json_object_get(test, "Options");
	const struct pario_ior_sizes sizes = {
		.block = pario_document_whole(params, "blockSize"),
		.transfer = pario_document_whole(params, "transferSize"),
		.segments = pario_document_whole(params, "segmentCount"),
		.tasks = pario_document_whole(options, "tasks"),
		.stonewall = pario_document_number(params, "deadlineForStonewall"),
	};
	struct pario_ior_row r = {
		.bw_mib = pario_document_number(row, "bwMiB"),
		.iops = pario_document_number(row, "iops"),
		.latency_s = pario_document_number(row, "latency"),
		.open_s = pario_document_number(row, "openTime"),
		.transfer_s = pario_document_number(row, "wrRdTime"),
		.close_s = pario_document_number(row, "closeTime"),
		.total_s = pario_document_number(row, "totalTime"),
		.moved = PARIO_UNTOLD,
	};
	char buf[40];

	snprintf(r.access, sizeof(r.access), "%s", pario_document_text(row, "access", buf));
	return *r.access ? pario_ior_take(h, &r, &sizes, err) : 0;
}

/* IOR 3.3 has an array of rows for each repetition, others one of all rows. */
static int take_rows(struct pario_harvest *h, const json_t *test, const json_t *rows,
		     struct pario_err *err)
{
	const json_t *row, *inner;
	size_t i, k;

	json_array_foreach(rows, i, row)
	{
		if (!json_is_array(row) && take_row(h, test, row, err) < 0)
			return -1;
		json_array_foreach(row, k, inner)
		{
			if (take_row(h, test, inner, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int take_test(struct pario_harvest *h, const json_t *test, struct pario_err *err)
{
	h->tables++;
	take_params(h, json_object_get(test, "Options"));
	take_params(h, json_object_get(test, "Parameters"));
	return take_rows(h, test, json_object_get(test, "Results"), err);
}

/* One run of IOR, with a point for each of its tests. */
static int take_run(struct pario_harvest *h, json_t *root, struct pario_err *err)
{
	char version[40], time[40], machine[40], program[64];
	const char *maker = pario_document_text(root, "Version", version);
	bool own = pario_after(maker, "pario ") != NULL;
	json_t *test;
	size_t i;

	snprintf(program, sizeof(program), "%s%s", own || pario_after(maker, "IOR-") ? "" : "IOR-",
		 maker);
	if (pario_harvest_run(h, "ior", program, err) < 0)
		return -1;
	pario_ior_head(h, own, pario_document_text(root, "Began", time),
		       pario_document_text(root, "Machine", machine));
	json_array_foreach(json_object_get(root, "tests"), i, test)
	{
		if ((i > 0 && pario_harvest_point(h, err) < 0) || take_test(h, test, err) < 0)
			return -1;
	}
	return 0;
}

int pario_ior_json_read(struct pario_import_file *source, struct pario_harvest *h,
			struct pario_err *err)
{
	struct pario_documents all;
	json_t *root;
	int status = 0;

	if (pario_documents_begin(&all, source, "tests", err) < 0)
		return -1;
	while (status == 0 && (root = pario_documents_next(&all)))
		status = take_run(h, root, err);
	return pario_documents_end(&all, h, status, err);
}
