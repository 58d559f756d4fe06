/*
 * darshan_log: Darshan's logs as they are, with the same results as the dumps of them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "darshan/log.h"
#include "import/darshan_sums.h"
#include "import/formats.h"
#include "import/lines.h"

struct reader {
	struct pario_darshan_reader base; /* first: a pointer to it is one to the whole */
	struct pario_darshan_sums sums;
	struct pario_darshan_of *of; /* the module that is read */
	uint64_t record;	     /* the last one */
	unsigned place;		     /* of the next counter in it */
};

bool pario_darshan_log_begins(struct pario_import_file *source)
{
	char sign[PARIO_DARSHAN_SIGN];

	pario_import_file_rewind(source);
	return pario_darshan_is_log(sign, pario_import_file_read(source, sign, sizeof(sign)));
}

static size_t read_at(void *self, uint64_t offset, void *to, size_t wanted)
{
	struct pario_import_file *source = self;

	return pario_import_file_seek(source, offset) ? pario_import_file_read(source, to, wanted)
						      : 0;
}

static int take_counter(void *self, const struct pario_darshan_record *record,
			const struct pario_darshan_value *value, struct pario_err *err)
{
	struct reader *r = self;
	double number = value->kind == PARIO_DARSHAN_REAL ? value->real : (double)value->whole;

	(void)err;
	if (record->number != r->record) {
		r->of->records++;
		r->record = record->number;
		r->place = 0;
	}
	if (value->kind != PARIO_DARSHAN_WORD)
		pario_darshan_sums_counter(r->of, value->name, r->place, number);
	r->place++;
	return 0;
}

static int take_call(void *self, const struct pario_darshan_record *record,
		     const struct pario_darshan_segment *s, struct pario_err *err)
{
	struct reader *r = self;

	(void)record;
	(void)err;
	pario_darshan_sums_call(&r->sums, r->of->name, s->write, (double)s->bytes, s->start,
				s->end);
	return 0;
}

static int take_module(struct reader *r, const struct pario_darshan_log *log, unsigned module,
		       struct pario_err *err)
{
	const struct pario_darshan_see see = { take_counter, take_call, r };
	const char *name = pario_darshan_module_name(log, module);
	char label[PARIO_DARSHAN_NAME];
	int status;

	/* calls are called as darshan-dxt-parser does */
	snprintf(label, sizeof(label), "%s%s", name && strncmp(name, "DXT_", 4) == 0 ? "X_" : "",
		 !name				 ? ""
		 : strncmp(name, "DXT_", 4) == 0 ? name + 4
						 : name);
	r->of = pario_darshan_sums_of(&r->sums, label);
	r->record = UINT64_MAX;
	status = r->of ? pario_darshan_module_read(log, module, &see, err) : PARIO_DARSHAN_UNKNOWN;
	if (status == PARIO_DARSHAN_UNKNOWN && name)
		pario_harvest_note(r->base.harvest,
				   "The log has records of the module %s, version %u, which pario "
				   "does not know: they were left out.",
				   name, log->versions[module]);
	else if (status == PARIO_DARSHAN_UNKNOWN)
		pario_harvest_note(r->base.harvest,
				   "The log has records of the module number %u, which pario does "
				   "not know: they were left out.",
				   module);
	return status;
}

static void take_partial(struct reader *r, const struct pario_darshan_log *log)
{
	for (unsigned i = 0; i < log->count; i++) {
		const char *name = pario_darshan_module_name(log, i);

		if (!pario_darshan_is_partial(log, i))
			continue;
		r->base.job.incomplete = true;
		pario_harvest_note(r->base.harvest,
				   "The records of the module %s are not complete: it ran out of "
				   "memory within the program.",
				   name ? name : "that pario does not know");
	}
}

static void take_job(struct reader *r, const struct pario_darshan_log *log)
{
	struct pario_harvest *h = r->base.harvest;
	char text[4096];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(log->job, "\n"), log->job);
	pario_harvest_param(h, "exe", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)log->jobid);
	pario_harvest_param(h, "jobid", text);
	snprintf(h->program, sizeof(h->program), "darshan %s", log->library);
	pario_time_epoch(floor(log->start), h->time);
	r->base.job.nprocs = log->nprocs;
	/* times without parts of a second: a run within one second takes one */
	r->base.job.run_time = log->end - log->start + (strcmp(log->version, "3.40") < 0);
}

static int read_log(struct pario_darshan_reader *base, struct pario_err *err)
{
	struct reader *r = (struct reader *)(void *)base;
	const struct pario_darshan_bytes bytes = { read_at, base->source, base->source->path };
	struct pario_darshan_log log;
	int status = pario_darshan_log_open(&log, &bytes, err);

	if (status < 0)
		return -1;
	take_job(r, &log);
	take_partial(r, &log);
	status = pario_darshan_check(base->source, &base->job, err);
	for (unsigned i = 0; status >= 0 && i < log.count; i++)
		status = log.module[i].length ? take_module(r, &log, i, err) : status;
	if (status >= 0)
		status = pario_darshan_sums_harvest(&r->sums, base->harvest, &base->job, err);
	pario_darshan_sums_release(&r->sums);
	pario_darshan_log_release(&log);
	return status < 0 ? -1 : 0;
}

int pario_darshan_log_read(struct pario_import_file *source, struct pario_harvest *h,
			   struct pario_err *err)
{
	return pario_darshan_dump(source, h, sizeof(struct reader), read_log, err);
}
