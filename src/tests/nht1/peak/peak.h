/*
 * peak: NHT-1's peak disk benchmark as phases of a test: most of the memory to files and back (docs/nht1.md).
 *
 * `calibrate` finds the fastest way to write and to read, and is no part of either time; `write` takes T_PWRITE;
 * `read` takes T_PREAD, gives R_PEAK and compares what came back. The hooks of a test call these for the phases
 * that are theirs.
 */
#ifndef PARIO_TESTS_NHT1_PEAK_PEAK_H
#define PARIO_TESTS_NHT1_PEAK_PEAK_H

#include "engine/test.h"
#include "tests/nht1/peak/memory_dataset.h"
#include "tests/nht1/peak/tuner.h"

struct pario_peak_choice {
	double fraction, calibration;
	struct pario_tuner_choice tuner;
};

extern const char *const pario_peak_methods[], *const pario_peak_directs[];

/* Rows for these, for a field of the test's parameters that is one. */
#define PARIO_PEAK_OPTIONS(params, field)                                                         \
	PARIO_OPTION_NAMED(                                                                       \
		params, field.fraction, "fraction", .def = "0.8", .min = "0.000001",              \
		.max = "0.95",                                                                    \
		.help = "share of the memory that a node's processes may use; less than 0.8 of "  \
			"all it has does not conform to NHT-1"),                                  \
		PARIO_OPTION_NAMED(params, field.calibration, "calibration", .def = "10",         \
				   .min = "0.1", .max = "1000", .unit = "seconds",                \
				   .help = "how long to try ways of writing and reading"),        \
		PARIO_OPTION_NAMED(params, field.tuner.method, "method", .def = "auto",           \
				   .choices = pario_peak_methods,                                 \
				   .help = "how requests are made; auto = the faster one"),       \
		PARIO_OPTION_NAMED(params, field.tuner.direct, "direct", .def = "auto",           \
				   .choices = pario_peak_directs,                                 \
				   .help = "bypass the page cache; auto = when that is faster"),  \
		PARIO_OPTION_NAMED(params, field.tuner.request, "request_size", .def = "0",       \
				   .max = "1g", .unit = "bytes",                                  \
				   .help = "bytes of one request, whole pages; 0 = the fastest"), \
		PARIO_OPTION_NAMED(params, field.tuner.depth, "queue_depth", .def = "0",          \
				   .max = "256", .unit = "requests",                              \
				   .help = "requests under way per client; 0 = the fastest")

#define PARIO_PEAK_METRICS                                                                      \
	{ "R_PEAK", "B/s", "peak I/O rate: 2 (0.8 S_MEM) / (T_PREAD + T_PWRITE)", 1 },          \
		{ "T_PWRITE", "s", "time to write the data durably, with open and close", -1 }, \
		{ "T_PREAD", "s", "time to read the data back, with open and close", -1 },      \
		{ "fraction", "", "bytes moved, as a share of S_MEM", 0 },                      \
		{ "request_bytes", "B", "size of a request", 0 },                               \
		{ "queue_depth", "requests", "requests under way per client", 0 },              \
		{ "direct", "", "1 when the page cache was bypassed", 0 },                      \
	{                                                                                       \
		"uring", "", "1 when io_uring made the requests, 0 when threads did", 0         \
	}

struct pario_peak {
	const struct pario_peak_choice *choice;
	struct pario_memory_dataset dataset;
	struct pario_tuner tuner;
	double write_s;
};

/*
 * While planning: the contradictions of a choice; what a point needs when `copies` of the data are on disk at a
 * time.
 */
int pario_peak_plan(const struct pario_point *point, const struct pario_peak_choice *choice,
		    unsigned copies, struct pario_layout *layout, struct pario_err *err);

/* Returns how many phases of `list` it has filled. */
unsigned pario_peak_phases(const struct pario_peak_choice *choice, struct pario_phase *list);

/* In setup, on all clients; release is fine after a failure. */
int pario_peak_init(struct pario_peak *peak, struct pario_run *run,
		    const struct pario_peak_choice *choice, unsigned copies, struct pario_err *err);
void pario_peak_release(struct pario_peak *peak);

/* The hooks of its phases. */
int pario_peak_before(struct pario_peak *peak, struct pario_run *run, struct pario_err *err);
int pario_peak_body(struct pario_peak *peak, struct pario_run *run, struct pario_err *err);
int pario_peak_verify(struct pario_peak *peak, struct pario_run *run, struct pario_err *err);

/* Once it is over: are `length` bytes at `at` those of this client's data? `path` is named where they are not. */
int pario_peak_check(struct pario_run *run, const void *buffer, uint64_t at, uint64_t length,
		     const char *path, struct pario_err *err);

#endif
