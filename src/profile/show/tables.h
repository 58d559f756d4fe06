/*
 * tables: a profile as tables for the journal, from which the report draws its pictures (report/trace/picture.c). The
 * longest come first, and what is left out at the end is counted, so a journal stays small whatever the trace holds.
 *
 *	timeline   level row what from_s to_s calls bytes busy_s processes
 *	sizes      by what up_to_bytes calls bytes seconds   (by: the program, or a layer within other calls)
 *	seeks      what from_bytes calls            (negative: backwards)
 *	sites      operation layer on function file line module offset calls failed bytes seconds max_s
 *	stacks     operation frames calls bytes seconds
 *	files      file on layer reads read_bytes read_s writes written_bytes write_s others other_s
 *	processes  rank pid program host calls read_bytes written_bytes read_s write_s other_s communication_s
 *	           elsewhere_s mapped_bytes major_faults minor_faults
 *	clocks     host processes ahead_s drift_ppm error_s meetings applied
 *	media      on calls failed bytes seconds max_s       (the program's own calls; on: "storage", "pipes" ...)
 *	layers     layer by calls reads read_bytes writes written_bytes seconds
 *	program    command
 *	verdict    share io_s run_s worth class finding says
 *	           (how much of the run I/O takes, and the class of calls that takes most of that; worth: 1,
 *	           or 0 where that is too little; finding: the row, from 1, that is about it, 0 = none)
 *	findings   rule title seconds function file line module offset about says remedy source gain
 *	           (what should be changed, the most time first; about: the data file it is about most)
 *	classes    class calls failed bytes seconds share      (of the program's own calls on storage)
 *	failures   operation layer by errno file calls seconds
 *	call_classes, call_phases, call_parts, call_job: predict/sheet/sheet.h adds them, for predictions
 *
 * Timeline, sizes, seeks, layers, and what a process read, wrote and did otherwise are of storage; sites and files say
 * on what they are, storage first.
 */
#ifndef PARIO_PROFILE_SHOW_TABLES_H
#define PARIO_PROFILE_SHOW_TABLES_H

#include "journal/table.h"
#include "profile/analyse/profile.h"
#include "trace/symbols.h"

enum {
	PARIO_TRACE_TABLE_SITES = 500,
	PARIO_TRACE_TABLE_FILES = 1000,
	PARIO_TRACE_TABLE_PROCESSES = 1000,
	PARIO_TRACE_TABLE_STACKS = 200,
	PARIO_TRACE_TABLE_FAILURES = 200
};

/* How many rows a table leaves out. */
struct pario_result_tables_omitted {
	uint32_t sites, stacks, files, processes, failures;
};

int pario_profile_tables(const struct pario_profile *p, struct pario_symbols *symbols,
			 struct pario_result_tables *tables,
			 struct pario_result_tables_omitted *omitted, struct pario_err *err);

/* What is known about a place in a module. */
void pario_profile_source(const struct pario_profile *p, struct pario_symbols *symbols,
			  uint32_t module, uint64_t offset, struct pario_source *source);

/* The name of a frame without file and line. */
void pario_profile_function(const struct pario_profile *p, struct pario_symbols *symbols,
			    uint32_t module, uint64_t offset, struct pario_source *source,
			    struct pario_text *text);

#endif
