/*
 * darshan: what the dumps of darshan-parser and darshan-dxt-parser have in common: the lines that begin with #.
 */
#ifndef PARIO_IMPORT_DARSHAN_H
#define PARIO_IMPORT_DARSHAN_H

#include "import/import.h"

struct pario_darshan_job {
	uint64_t nprocs;
	double run_time;
	unsigned dumps;	 /* that have begun */
	bool incomplete; /* Darshan ran out of memory for a module */
};

/* Takes a line of the head; others are ignored. */
void pario_darshan_head(struct pario_harvest *harvest, struct pario_darshan_job *job,
			const char *line);

/* A head without the number of processes was cut off. */
int pario_darshan_check(struct pario_import_file *source, const struct pario_darshan_job *job,
			struct pario_err *err);

/* Begins the point of a module; the first one has the job's parameters already, the others take them over. */
int pario_darshan_module(struct pario_harvest *harvest, size_t number, const char *name,
			 struct pario_err *err);

/* What a reader of dumps begins with. */
struct pario_darshan_reader {
	struct pario_import_file *source;
	struct pario_harvest *harvest;
	struct pario_darshan_job job;
};

/* Makes a reader of `size` bytes, all 0 but its beginning, and the first point; `read` takes the dump. */
int pario_darshan_dump(struct pario_import_file *source, struct pario_harvest *harvest, size_t size,
		       int (*read)(struct pario_darshan_reader *reader, struct pario_err *err),
		       struct pario_err *err);

/* What all results of a dump end with: the time in their calls, which is their number, and doubts about the log. */
void pario_darshan_finish(const struct pario_darshan_job *job, double seconds,
			  struct pario_result *result);

#endif
