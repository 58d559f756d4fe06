/*
 * darshan_head: the job's part of a dump by darshan-parser: who ran what, when and for how long. Counters are those of
 * other files.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/darshan.h"
#include "import/lines.h"

int pario_darshan_dump(struct pario_import_file *source, struct pario_harvest *h, size_t size,
		       int (*read)(struct pario_darshan_reader *reader, struct pario_err *err),
		       struct pario_err *err)
{
	struct pario_darshan_reader *r = calloc(1, size);
	int status;

	if (!r)
		return pario_err_memory(err, NULL);
	*r = (struct pario_darshan_reader){ source,
					    h,
					    { .nprocs = PARIO_UNTOLD, .run_time = NAN } };
	status = pario_harvest_run(h, "darshan", "darshan", err);
	if (status == 0)
		status = read(r, err);
	free(r);
	return status;
}

void pario_darshan_head(struct pario_harvest *h, struct pario_darshan_job *job, const char *line)
{
	const char *value;

	if ((value = pario_after(line, "# exe:")))
		pario_harvest_param(h, "exe", value);
	else if ((value = pario_after(line, "# jobid:")))
		pario_harvest_param(h, "jobid", value);
	else if (pario_after(line, "# darshan log version"))
		job->dumps++;
	else if ((value = pario_after(line, "# nprocs:")))
		job->nprocs = pario_whole(value);
	else if ((value = pario_after(line, "# run time:")))
		job->run_time = pario_number(value);
	else if ((value = pario_after(line, "# start_time:")))
		pario_time_epoch(pario_number(value), h->time);
	else if ((value = pario_after(line, "# metadata: lib_ver =")))
		snprintf(h->program, sizeof(h->program), "darshan %s", value);
	else if (strstr(line, "incomplete data") || strstr(line, "*ERROR*")) {
		job->incomplete = true;
		pario_harvest_note(h, "The dump says: %s", line + strspn(line, "# "));
	}
}

int pario_darshan_check(struct pario_import_file *source, const struct pario_darshan_job *job,
			struct pario_err *err)
{
	if (job->dumps > 1)
		return pario_import_refuse(source,
					   "it holds several dumps, whose numbers would be added "
					   "up. Put each into a file of its own.",
					   err);
	if (job->nprocs != PARIO_UNTOLD && job->nprocs > 0)
		return 0;
	return pario_import_refuse(
		source,
		"its head does not tell the number of processes, so it was cut off. "
		"Make the dump again from the log.",
		err);
}

int pario_darshan_module(struct pario_harvest *h, size_t number, const char *name,
			 struct pario_err *err)
{
	size_t last = json_array_size(h->points) - 1;
	json_t *copy = number ? json_copy(json_array_get(h->points, last)) : NULL;

	if (number && (!copy || json_array_append_new(h->points, copy) < 0))
		return pario_err_memory(err, NULL);
	pario_harvest_resume(h, h->test, json_array_size(h->points) - 1);
	pario_harvest_param(h, "module", name);
	return 0;
}

void pario_darshan_finish(const struct pario_darshan_job *job, double seconds,
			  struct pario_result *r)
{
	pario_result_metric(r, "time_in_calls", "s", seconds);
	if (isfinite(job->run_time))
		pario_result_metric(r, "run_time", "s", job->run_time);
	pario_result_headline(r, "time_in_calls", -1);
	if (!job->incomplete)
		return;
	r->outcome = PARIO_SUSPECT;
	snprintf(r->reason, sizeof(r->reason), "the Darshan log is not complete");
}
