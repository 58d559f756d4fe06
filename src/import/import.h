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
#include "journal/result.h"

/* A whole file; its text ends with NUL, and may hold others. */
struct pario_import_file {
	const char *path;
	char *text;
	size_t length;
};

struct pario_harvest {
	const char *format; /* name of the row in the table */
	const char *test;   /* "ior", "fio": what the results are called */
	char program[64];   /* as the file spells its maker, with the version */
	char time[32];	    /* start in UTC; "" when it is not told */
	bool zone_untold;   /* the file says a time but not where on earth */
	char host[256];
	json_t *points; /* of each point its parameters by name, as texts */
	struct pario_result *results;
	size_t count, capacity;
	json_t *notes; /* texts: what a reader of the numbers should know */
};

struct pario_import_format {
	const char *name, *summary;
	bool (*recognise)(const struct pario_import_file *source);
	int (*read)(const struct pario_import_file *source, struct pario_harvest *harvest,
		    struct pario_err *err);
};

/* The formats, most special first; ends with a row without a name. */
extern const struct pario_import_format pario_import_formats[];

/* Reads a file whole. */
int pario_import_file_load(struct pario_import_file *source, const char *path,
			   struct pario_err *err);
void pario_import_file_release(struct pario_import_file *source);

/* Finds the format and reads the source. A source without a single result is refused. */
int pario_import_read(const struct pario_import_file *source, struct pario_harvest *harvest,
		      struct pario_err *err);
void pario_harvest_release(struct pario_harvest *harvest);

/*
 * Writes the journal into a directory of its own, which is made: `directory`, or one below pario-results when it is "".
 * Then it becomes what `directory` names. The id of the run is the hash of the source: the same file gives the same id.
 */
int pario_import_write(const struct pario_import_file *source, const struct pario_harvest *harvest,
		       const char *label, char *directory, size_t capacity, struct pario_err *err);

/* ---- for the formats ---- */

/* Begins a point; parameters and results that follow belong to it. */
int pario_harvest_point(struct pario_harvest *harvest, struct pario_err *err);

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
