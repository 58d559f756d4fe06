/*
 * settings: the option rows of how a run goes. They stand alone, without MPI: reports ask them which parameters cannot
 * change a number.
 */
#include "engine/run_options.h"

#include <string.h>

#define SETTING(field, ...) PARIO_OPTION(struct pario_settings, field, __VA_ARGS__)

static const char *const spreads[] = { "numbers", "nodes", "cores", NULL };
static const char *const colors[] = { "auto", "always", "never", NULL };

const struct pario_option pario_settings_options[] = {
	SETTING(dir, .def = ".",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE | PARIO_OPTION_HANDED_ON,
		.help = "directory to measure; a workspace of its own is made inside and removed afterwards"),
	SETTING(output, .def = "", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "directory for the results; default pario-results/<time>-<test>-<id>"),
	SETTING(clients, .def = "", .flags = PARIO_OPTION_LIST | PARIO_OPTION_SAMPLE,
		.help = "client counts to measure with, as a list such as 1,2,4; sweep = 1, 2, 4 ... and all; default all that were started"),
	SETTING(np, .def = "0", .unit = "processes",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE, .max = "1048576",
		.help = "processes to start without a launcher; 0 = one per core or the largest of --clients"),
	SETTING(spread, .def = "numbers", .choices = spreads,
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_HANDED_ON,
		.help = "which clients take part when fewer than all do: the first by number, one of each node in"
			" turn, or all cores of a node before the next"),
	SETTING(repetitions, .def = "5", .min = "1", .max = "1000000",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE, .letter = 'i',
		.help = "how often each point is measured"),
	SETTING(until, .def = "",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE | PARIO_OPTION_GOES_ON,
		.help = "go on after --repetitions until the 95 % interval of each median is no wider than this "
			"share of it, such as 5%, or its point has taken --time_limit seconds (60 when that is 0)"),
	SETTING(seed, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE,
		.help = "seed of data, sizes and orders; 0 = a new one for every run, recorded in the journal"),
	SETTING(time_limit, .def = "0", .min = "0", .max = "1e6", .unit = "seconds", .letter = 'D',
		.flags = PARIO_OPTION_NO_SWEEP,
		.help = "end each phase after this time; the rate counts what was moved; 0 = no limit"),
	SETTING(wear_out, .def = "1", .min = "0", .max = "1000",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_HANDED_ON,
		.help = "after the time limit, clients may go on for this many times the limit to reach the "
			"fastest one's amount; 0 = stop at once"),
	SETTING(pause, .def = "0", .min = "0", .max = "1e6", .unit = "seconds",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE | PARIO_OPTION_ONE_TEST,
		.help = "wait so long before every repetition but the first"),
	SETTING(gap, .def = "0", .min = "0", .max = "1e9", .unit = "us",
		.flags = PARIO_OPTION_NO_SWEEP,
		.help = "compute so long before every operation of a timed phase, outside of its time: storage goes on "
			"meanwhile, and the processor's caches hold other things"),
	SETTING(rest, .def = "0", .min = "0", .max = "1e6", .unit = "seconds",
		.flags = PARIO_OPTION_NO_SWEEP,
		.help = "wait so long before every timed phase, when what it needs is there: what clients remember of "
			"files may expire, and free memory goes back to where it came from"),
	SETTING(run_limit, .def = "0", .min = "0", .max = "1e7", .unit = "seconds",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE | PARIO_OPTION_ONE_TEST,
		.help = "begin no repetition later than this after the start, except the first of each point; 0 = no "
			"limit"),
	SETTING(deadline, .def = "3600", .min = "0", .max = "1e7", .unit = "seconds",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE | PARIO_OPTION_HANDED_ON,
		.help = "end the run with a reason when one phase, or a step between phases, takes longer than "
			"this; 0 = never"),
	SETTING(keep_files, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.letter = 'k', .letter_value = "1",
		.help = "keep the data; the journal's end line lists the paths"),
	SETTING(drop_caches, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_HANDED_ON,
		.help = "before cold phases drop the caches of the whole machine too (root)"),
	SETTING(stripe_count, .def = "", .flags = PARIO_OPTION_NO_SWEEP,
		.help = "spread the data over so many servers, or all: by the file system's own tool (Lustre, "
			"BeeGFS), else as MPI-IO hint; default as the directory has it"),
	SETTING(stripe_size, .def = "0", .unit = "bytes", .flags = PARIO_OPTION_NO_SWEEP,
		.help = "in pieces of this size; 0 = as the directory has it"),
	SETTING(plan, .def = "", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "file with option values (INI); environment and command line win over it"),
	SETTING(resume, .def = "", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "result directory of an interrupted run to go on with; its options are taken over"),
	SETTING(label, .def = "", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "name of this run in reports"),
	SETTING(dry_run, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "print the points and what they need, measure nothing"),
	SETTING(show_config, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "print every option with its value and where it came from, measure nothing"),
	SETTING(json, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "print the journal instead of tables"),
	SETTING(quiet, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "print nothing but what --json or --print_path asks for"),
	SETTING(verbose, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "print all that is known of each number; else a line for it and one for its proof"),
	SETTING(print_sbatch, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "print a script for Slurm that does the same, and measure nothing"),
	SETTING(csv, .def = "", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "also write the results as comma-separated values, a row each; - is standard output"),
	SETTING(sign, .def = "", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "SSH key with which ssh-keygen signs the journal when the run ends; pario report checks it"),
	SETTING(print_path, .def = "0", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "with --quiet, print the result directory on a line of its own when the run ends; not "
			"with --json"),
	SETTING(progress, .def = "10", .min = "0", .max = "86400", .unit = "seconds",
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "without a terminal, a progress line at most this often; 0 = none"),
	SETTING(color, .def = "auto", .choices = colors,
		.flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
		.help = "colour in tables; auto = on a terminal unless NO_COLOR is set"),
	{ 0 },
};

/* Of single tests and commands, and (the last five) as other programs call where they measured. */
static const struct {
	const char *name;
	unsigned role;
} others[] = {
	{ "minutes", PARIO_OPTION_SAMPLE },	 { "ask", PARIO_OPTION_ASIDE },
	{ "filename", PARIO_OPTION_SAMPLE },	 { "test_filename", PARIO_OPTION_SAMPLE },
	{ "testFileName", PARIO_OPTION_SAMPLE }, { "directory", PARIO_OPTION_SAMPLE },
	{ "platform", PARIO_OPTION_SAMPLE },	 { "jobid", PARIO_OPTION_SAMPLE },
};

unsigned pario_option_role(const char *name)
{
	for (const struct pario_option *row = pario_settings_options; row->name; row++) {
		if (strcmp(row->name, name) == 0)
			return row->flags & PARIO_OPTION_ROLES;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(others[i].name, name) == 0)
			return others[i].role;
	}
	return 0;
}
