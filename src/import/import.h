/*
 * import: results of other programs become journals of pario.
 *
 * A format recognises its files and reads them into a harvest: what the file says about its run, the points with their
 * parameters under the names the program itself uses, and one result per number. What a file does not tell stays
 * absent: NaN, PARIO_UNTOLD, "", or 0 clients. Nothing is guessed from the name or the age of a file.
 */
#ifndef PARIO_IMPORT_IMPORT_H
#define PARIO_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "import/source.h"
#include "journal/result.h"

/*
 * One file may hold several runs, of several programs: every run has points of its own, told apart by the parameter
 * "run" where a program ran more than once.
 */
struct pario_harvest {
	const char *format; /* name of the row in the table */
	const char *test;   /* "ior", "fio": what the results that follow are called */
	char program[256];  /* as the file spells its makers, with their versions */
	char time[32];	    /* start in UTC; "" when it is not told */
	bool zone_untold;   /* the file says a time but not where on earth */
	char host[256];
	size_t point;	     /* the one that is filled */
	json_t *points;	     /* of each point its parameters by name, as texts */
	json_t *repetitions; /* how often a point had a phase */
	json_t *runs;	     /* of each test how many there were */
	struct pario_result *results;
	size_t count, capacity;
	bool named; /* the parameter "file" tells the points apart, whatever else they differ by */
	json_t *notes;	 /* texts: what a reader of the numbers should know */
	uint64_t tables; /* of results that were seen, whether or not they were understood */
	uint64_t lost, lost_line; /* rows of them that were not, and where the first one stands */
	char lost_text[128];	  /* what it says */
	uint64_t cells;		  /* of rows that were, and what the first one says */
	char cell_text[32];
};

struct pario_import_format {
	const char *name, *summary;
	const char *member; /* of a JSON document of this format, among its first ones; or NULL */
	bool (*sign)(const char *line,
		     uint64_t number); /* shows a line that the text is of this format? */
	bool (*begins)(struct pario_import_file *source); /* or its first bytes? */
	bool hides_next; /* its lines look like those of the next row, too */
	int (*read)(struct pario_import_file *source, struct pario_harvest *harvest,
		    struct pario_err *err);
};

/* The formats, most special first; ends with a row without a name. */
extern const struct pario_import_format pario_import_formats[];

/* Is the source of a format that can be read? */
bool pario_import_known(struct pario_import_file *source);

/* Finds the format and reads the source. A source without a single result is refused. */
int pario_import_read(struct pario_import_file *source, struct pario_harvest *harvest,
		      struct pario_err *err);
void pario_harvest_release(struct pario_harvest *harvest);

/* What the user adds; "" where nothing is. */
struct pario_import_about {
	const char *label, *system, *site, *time;
};

/*
 * Writes the journal into a directory of its own, which is made: `directory`, or one below pario-results when it is "".
 * Then it becomes what `directory` names. The id of the run is the hash of the source: the same file gives the same id.
 */
int pario_import_write(const struct pario_import_file *source, struct pario_harvest *harvest,
		       const struct pario_import_about *about, char *directory, size_t capacity,
		       struct pario_err *err);

/* ---- for the formats ---- */

/* Begins a point; parameters and results that follow belong to it. */
int pario_harvest_point(struct pario_harvest *harvest, struct pario_err *err);

/* Begins a run of a test that was measured by `program`; its first point is begun as well. */
int pario_harvest_run(struct pario_harvest *harvest, const char *test, const char *program,
		      struct pario_err *err);

/* A row of a table of results that was not understood. */
void pario_harvest_lost(struct pario_harvest *harvest, uint64_t number, const char *line);

/* A number beside the one of a row; NaN where there is none, which is said unless the cell is empty. */
double pario_harvest_cell(struct pario_harvest *harvest, const char *word);

/* Goes on with a point that was begun before. */
void pario_harvest_resume(struct pario_harvest *harvest, const char *test, size_t point);

/* A parameter of the point; an empty value is not told, and left out. */
void pario_harvest_param(struct pario_harvest *harvest, const char *name, const char *value);

/* A new result of the point, initialised, with its repetition counted by phase; NULL without memory. */
struct pario_result *pario_harvest_result(struct pario_harvest *harvest, const char *phase,
					  uint64_t clients, struct pario_err *err);

void pario_harvest_note(struct pario_harvest *harvest, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The usual refusal: "FILE is no FORMAT: why". */
int pario_import_refuse(const struct pario_import_file *source, const char *what,
			struct pario_err *err);

#endif
