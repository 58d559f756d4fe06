/*
 * sample_options: two tables with every type of row, for the tests of options and plans and for
 * the fuzzer.
 */
#ifndef PARIO_TEST_SAMPLE_OPTIONS_H
#define PARIO_TEST_SAMPLE_OPTIONS_H

#include "base/options.h"

struct engine {
	char dir[64], clients[32], label[16];
	uint64_t repetitions;
	double time_limit;
	bool keep_files;
};

struct params {
	uint64_t transfer_size;
	int pattern;
	uint32_t operations;
	bool collective;
	struct pario_hints hints;
	uint64_t secret;
};

static const char *const sample_patterns[] = { "segmented", "strided", "random", NULL };
static const char *const sample_operations[] = { "write", "read", "verify", NULL };

static const struct pario_option sample_engine_rows[] = {
	PARIO_OPTION(struct engine, dir, .def = ".", .help = "where data goes",
		     .flags = PARIO_OPTION_NO_SWEEP, .letter = 'o'),
	PARIO_OPTION(struct engine, clients, .min = "1", .max = "1m", .help = "numbers of clients",
		     .flags = PARIO_OPTION_LIST),
	PARIO_OPTION(struct engine, label, .help = "a word of your own"),
	PARIO_OPTION(struct engine, repetitions, .def = "3", .min = "1", .max = "1000",
		     .help = "how often each point is measured", .letter = 'i'),
	PARIO_OPTION(struct engine, time_limit, .def = "0.5", .min = "0", .unit = "seconds",
		     .help = "end a phase after this time"),
	PARIO_OPTION(struct engine, keep_files, .help = "leave the files behind", .letter = 'k'),
	{ 0 },
};

static const struct pario_option sample_params_rows[] = {
	PARIO_OPTION(struct params, transfer_size, .def = "256k", .min = "1", .unit = "bytes",
		     .help = "size of one transfer", .letter = 't'),
	PARIO_OPTION(struct params, pattern, .def = "segmented", .choices = sample_patterns,
		     .help = "order of the transfers", .letter = 'z', .letter_value = "random"),
	PARIO_OPTION(struct params, operations, .def = "write,read", .choices = sample_operations,
		     .help = "what is done"),
	PARIO_OPTION(struct params, collective, .def = "no", .help = "collective calls"),
	PARIO_OPTION_NAMED(struct params, hints, "cb_nodes", .help = "number of aggregators"),
	PARIO_OPTION_NAMED(struct params, hints, "hint", .help = "any hint",
			   .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_REPEAT),
	PARIO_OPTION(struct params, secret, .flags = PARIO_OPTION_HIDDEN),
	{ 0 },
};

static const struct pario_table sample_tables[] = {
	{ .title = "Every run", .rows = sample_engine_rows, .size = sizeof(struct engine) },
	{ .title = "Transfer", .rows = sample_params_rows, .size = sizeof(struct params) },
};

#endif
