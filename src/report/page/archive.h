/*
 * archive: the journals of one or several runs, held compactly for reports and comparisons.
 *
 * Strings are kept once: two that are equal are the same pointer. A result costs about 300 bytes, so that a hundred
 * thousand of them fit easily.
 */
#ifndef PARIO_REPORT_PAGE_ARCHIVE_H
#define PARIO_REPORT_PAGE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "journal/result.h"

struct pario_strings {
	char **slot;
	size_t count, capacity;
};

/* The one copy of this text; NULL only without memory. */
const char *pario_strings_keep(struct pario_strings *strings, const char *text);
void pario_strings_release(struct pario_strings *strings);

/* A metric of a result. */
struct pario_amount {
	const char *name, *unit;
	double value;
};

/* One result line. */
struct pario_reading {
	size_t volume;
	const char *test, *point, *phase, *reason;
	uint64_t point_index, clients, repetition, bytes, ops;
	enum pario_outcome outcome;
	double seconds, rate_mib_s;
	struct pario_latency latency_ns;
	struct pario_amount *amount;
	size_t amount_count;
	const char *headline; /* the metric that is its number; "" = none */
	int better;	      /* of it: +1 higher, -1 lower, 0 neither */
	json_t *line;	      /* whole, only where it carries tables */
	char *detail; /* text of the member of this name, not ended by NUL; NULL = none, or in `line` */
	size_t detail_length;
};

/* One run. */
struct pario_volume {
	const char *label; /* --label, else the journal's label, else the directory's name */
	const char *path;  /* as given */
	const char *test, *time, *version, *id;
	const json_t *begin;
	json_t *lines;	   /* begin, notes and ends, in order */
	const json_t *end; /* NULL: the run was cut short */
	bool torn;
	bool named; /* the label was given for this report */
};

struct pario_archive {
	struct pario_strings strings;
	struct pario_volume *volume;
	size_t volume_count;
	struct pario_reading *reading;
	size_t reading_count, reading_capacity;
	json_t *kept; /* result lines with tables */
	size_t detail_bytes;
	bool anonymous; /* hosts are shown by number */
};

/* Adds the journal at `path`, a file or a run directory; `label` may be NULL. */
int pario_archive_add(struct pario_archive *archive, const char *path, const char *label,
		      struct pario_err *err);
/*
 * Takes a result line from its text: 1; 0 when it must be read as an object (another kind, tables, anything odd);
 * -1 without memory. Part of pario_archive_add, in archive_scan.c.
 */
int pario_archive_scan(struct pario_archive *archive, size_t volume, const char *text,
		       size_t length);

/* A new result, all zero but for its volume; NULL without memory. */
struct pario_reading *pario_archive_reading(struct pario_archive *archive, size_t volume);
enum pario_outcome pario_archive_outcome(const char *name);

void pario_archive_release(struct pario_archive *archive);

/* The amount of this name, NULL when the result has none. */
const struct pario_amount *pario_reading_find(const struct pario_reading *reading,
					      const char *name);

/* The number of a result and its unit: its headline, else MiB/s where bytes were moved, else operations per second. */
double pario_reading_value(const struct pario_reading *reading);
const char *pario_reading_unit(const struct pario_reading *reading);

/*
 * The value of a parameter at a result: what its point says, else what the run was given. "" when neither knows it.
 * The text is valid until the archive is released.
 */
const char *pario_reading_param(struct pario_archive *archive, const struct pario_reading *reading,
				const char *name);

/* A member of a volume's machine by path ("mpi.library"); "" when it is not there or not text. */
const char *pario_volume_machine(const struct pario_volume *volume, const char *path);

#endif
