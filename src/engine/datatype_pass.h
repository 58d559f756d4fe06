/*
 * datatype_pass: one MPI-IO pass over a shared file through derived datatypes, for tests about datatypes.
 *
 * A test describes its pass in `before`: what its view of the file is, what lies where in memory, how much one call
 * moves. pario_run_pass opens the file, sets the view, makes the calls, syncs and closes, and tells the meter of
 * each step. Plain reads, for checking the file without the datatypes that wrote it, are here too.
 */
#ifndef PARIO_ENGINE_DATATYPE_PASS_H
#define PARIO_ENGINE_DATATYPE_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "base/err.h"
#include "base/options.h"

struct pario_run;
struct pario_point;
struct pario_layout;
struct pario_phase;

/* Of --filename in every test that has it. */
#define PARIO_FILENAME_HELP                                                                         \
	"the one file of the test: a file of yours that is there is only read, never changed, and " \
	"what it holds cannot be verified; a new one is made where nothing is, and removed at the end"

/* What the parameters of a test with passes begin with, its rows, and the hooks that look at it. */
struct pario_datatype_pass_params {
	uint32_t operations;
	char filename[4096];
};

extern const char *const pario_datatype_pass_operations[];

#define PARIO_DATATYPE_PASS_OPTIONS(type)                                            \
	PARIO_OPTION_NAMED(type, pass.operations, "operations", .def = "write,read", \
			   .choices = pario_datatype_pass_operations,                \
			   .help = "phases of a repetition, in the order write, read")

/* For those that work on one plain file. */
#define PARIO_DATATYPE_PASS_FILENAME(type)                                       \
	PARIO_OPTION_NAMED(type, pass.filename, "filename", .def = "",           \
			   .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE, \
			   .help = PARIO_FILENAME_HELP)

int pario_datatype_pass_plan(const struct pario_point *point, struct pario_layout *layout,
			     struct pario_err *err);
unsigned pario_datatype_pass_phases(const struct pario_point *point, struct pario_phase *phases);

/* Units are what the calls count: one has `unit_elements` elements of the view, of `unit_bytes` together. */
struct pario_datatype_pass {
	MPI_Comm comm; /* opens the file together, whether its transfers are collective or not */
	char name[256], path[4400];
	uint64_t displacement;
	MPI_Datatype element, view; /* of the file */
	MPI_Datatype memory;	    /* of one unit in memory; */
	uint64_t unit_step;	    /* the next one begins this many bytes on */
	uint64_t unit_elements, unit_bytes;
	uint64_t units, per_call; /* in all, and at most in one call; at least 1 */
	uint64_t loops;		  /* all units again and again, so often; 0 = 1 */
	uint64_t end;		  /* of what this client writes, in the file */
	char *buffer;
	uint64_t moved;	      /* units that the calls have moved, each counted once */
	uint64_t moved_bytes; /* by all calls, */
	int64_t moving_ns;    /* which took so long, sync included */
	int plain;	      /* descriptor of pario_datatype_pass_read, -1 = none */
	uint64_t looks;	      /* the verifying pass it was opened for */
};

/*
 * Hooks of tests whose scratch begins with a struct pario_datatype_pass. setup allocates `size` bytes of scratch, names
 * the file and takes all clients of the point as comm; teardown frees everything, comm too when it is another one.
 */
void *pario_datatype_pass_setup(struct pario_run *run, size_t size, struct pario_err *err);
void pario_datatype_pass_teardown(struct pario_run *run);

/* For tests in which not every client has a part: the others get a null comm. All clients of the point call it. */
void pario_datatype_pass_select(struct pario_run *run, bool takes_part);

/* Frees the types, and gives the pass a buffer of this size, marked as not filled. */
int pario_datatype_pass_renew(struct pario_datatype_pass *pass, uint64_t bytes,
			      struct pario_err *err);
void pario_datatype_pass_commit(struct pario_datatype_pass *pass);

/*
 * As the phase and the access options say. With several calls every client of the point must take part, and make as
 * many. `longest_ns` (may be NULL) gets the longest call of this client.
 */
int pario_run_pass(struct pario_run *run, struct pario_datatype_pass *pass, int64_t *longest_ns,
		   struct pario_err *err);

/*
 * A plain read, for checking the file without the datatypes that wrote it. Reads all of it, or data are missing
 * (PARIO_VERIFY).
 */
int pario_datatype_pass_read(struct pario_run *run, void *buffer, uint64_t offset, uint64_t length,
			     struct pario_err *err);

#endif
