/*
 * run_options: the option tables of every measuring command, and which options shape a measurement.
 */
#ifndef PARIO_ENGINE_RUN_OPTIONS_H
#define PARIO_ENGINE_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"

struct pario_settings {
	char dir[1024], output[1024], plan[1024], resume[1024], csv[1024], sign[1024];
	char clients[256]; /* list; empty = all that were started */
	char label[128];
	char until[16];	       /* "5%": width of an interval; empty = --repetitions decide */
	char stripe_count[24]; /* a number, "all", or "" */
	uint64_t stripe_size;
	uint64_t np, repetitions, seed;
	/* no options: the repetitions of one visit of a point; `again`: it was visited before in this run */
	uint64_t first_repetition, end_repetition; /* the second 0 = all that are left */
	bool again;
	double ends_s; /* likewise: from the start of this visit until the time of the run is over; 0 = it has no end */
	/* likewise: a visit of the phases from the first to before the end; the point stays in its slot (0 = none) */
	unsigned slot, first_phase, end_phase;
	double time_limit, wear_out, deadline, progress, pause, run_limit, gap, rest;
	bool keep_files, dry_run, show_config, json, quiet, verbose, print_path, print_sbatch,
		drop_caches;
	int color;  /* enum pario_color */
	int spread; /* enum pario_comm_spread (comm/comm.h) */
};

enum pario_color { PARIO_COLOR_AUTO, PARIO_COLOR_ALWAYS, PARIO_COLOR_NEVER };

extern const struct pario_option
	pario_settings_options[]; /* fills struct pario_settings; settings.c */
extern const struct pario_option
	pario_access_options[]; /* fills struct pario_access (engine/test.h) */

/*
 * ASIDE, SAMPLE or 0: may two runs differ in the option of this name and still measure the same? Every row of a
 * measuring command says it too, and a plan refuses one that disagrees (pario_plan_init): journals name options of
 * tests and commands that whoever compares does not know.
 */
unsigned pario_option_role(const char *name);
enum { PARIO_OPTION_ROLES = PARIO_OPTION_ASIDE | PARIO_OPTION_SAMPLE };

/* Those rows of them that are of MPI-IO alone: its implementation and hints. */
const struct pario_option *pario_mpiio_options(void);

#endif
