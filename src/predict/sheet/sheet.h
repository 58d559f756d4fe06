/*
 * sheet: the classes of a program's calls on storage, small enough for a journal, and enough for a prediction without
 * the trace.
 *
 * A class is operation x size by powers of two x shared or own file x concurrency x locality x phase of the program x
 * path. Concurrency is how many calls of the job on storage were under way when one began, itself included. A new phase
 * begins where a run of calls goes the other way, reads after writes or writes after reads, and at a meeting of all
 * ranks already with the first such call. The path of reads and writes is inferred from their times (sheet_paths.c): no
 * trace says it.
 *
 *	struct pario_sheet sheet;
 *	pario_sheet_gather(&sheet, "job.trace", &err);	or pario_sheet_load(&sheet, "run directory", &err)
 *	pario_sheet_show(&sheet, 20, &text);
 *	pario_sheet_release(&sheet);
 */
#ifndef PARIO_PREDICT_SHEET_SHEET_H
#define PARIO_PREDICT_SHEET_SHEET_H

#include "journal/table.h"
#include "predict/simulate/steps.h"

enum {
	PARIO_SHEET_ROWS = 4096, /* classes before paths are told apart */
	PARIO_SHEET_PHASES = 64, /* the last one takes all that come later */
	PARIO_SHEET_RUN = 32,	 /* calls the other way that make a new phase */
};

/* `path`: ANY for reads and writes in whose times nothing is to be told apart. */
struct pario_sheet_row {
	struct pario_cost_key key;
	enum pario_io_part part;
	unsigned power;	       /* size, as pario_trace_power() */
	unsigned concurrency;  /* the same of the calls under way */
	uint32_t phase;	       /* from 0 */
	bool inferred;	       /* the path is */
	uint64_t calls, bytes; /* bytes: of fsync those that it had to store */
	double seconds;
	double clients; /* calls under way, the sum over the calls */
};

struct pario_sheet_phase {
	double from, to;	  /* seconds since the job's first moment */
	uint64_t calls, bytes[2]; /* read, written */
	double seconds;
};

/* As in pario_sim_part: what belongs to no class is `rest`. */
struct pario_sheet_part {
	uint64_t calls, bytes;
	double seconds, rest;
};

struct pario_sheet {
	struct pario_sheet_row *rows;
	size_t row_count, row_capacity;
	struct pario_sheet_phase phases[PARIO_SHEET_PHASES];
	uint32_t phase_count;
	struct pario_sheet_part parts[PARIO_IO_PARTS];
	uint64_t calls; /* of the trace, whatever they were on */
	uint32_t ranks;
	double makespan;
	double last_io, busiest_io; /* seconds of I/O of the thread that ended last, and had most */
	double kept;		    /* seconds of calls that no surface describes */
	uint64_t asynchronous, mapped;
	double asynchronous_seconds;
	unsigned version;	 /* of the trace */
	struct pario_text lacks; /* what the trace cannot tell, a line each */
	uint64_t run;		 /* the run's number in a journal */
};

/* From a trace, in one pass over its calls in the order of their times. Memory does not grow with their number. */
int pario_sheet_gather(struct pario_sheet *s, const char *trace, struct pario_err *err);
void pario_sheet_release(struct pario_sheet *s);

/* Room for one more row, zeroed; NULL: no memory. */
struct pario_sheet_row *pario_sheet_add(struct pario_sheet *s);

/* "read", "write", "read and write", "names": of what a phase moves, nine tenths. */
const char *pario_sheet_phase_name(const struct pario_sheet_phase *phase);

/* As text, at most so many rows of each table, the longest time first. */
void pario_sheet_show(const struct pario_sheet *s, unsigned rows, struct pario_text *text);

/* As tables of a result: call_classes, call_phases, call_parts, call_job (docs/trace.md). */
void pario_sheet_tables(const struct pario_sheet *s, struct pario_result_tables *tables);
/* From the journal of `pario profile`, or its run directory. A sentence for what is none, or has no classes. */
int pario_sheet_load(struct pario_sheet *s, const char *path, struct pario_err *err);
/* Is this a journal or a run directory, and no trace? */
bool pario_sheet_is_journal(const char *path);

#endif
