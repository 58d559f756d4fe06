/*
 * archive: the journals of one or several runs, held compactly for reports and comparisons.
 *
 * Strings are kept once: two that are equal are the same pointer; and so is what the repetitions of a point share. A
 * result costs about 150 bytes, so that a million of them fit, and half of that where its latencies and metrics are not
 * asked for.
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

/* A metric of a result; without a name there is none. */
struct pario_amount {
	const char *name, *unit;
	double value;
};

/* What results of one kind share: kept once, so that equal ones are the same pointer. */
struct pario_kind {
	size_t volume;
	const char *test, *point, *phase;
	uint64_t point_index, clients;
	const char *headline; /* the metric that is their number; "" = none */
	int better;	      /* of it: +1 higher, -1 lower, 0 neither */
	unsigned details;     /* of its results that have one */
	size_t amount_count;
	struct pario_amount amount[]; /* names and units; values are the results' */
};

/* What only some results carry. */
struct pario_carried {
	json_t *line; /* whole, where it has tables */
	char *detail; /* text of the member of this name, not ended by NUL; NULL = none, or in `line` */
	size_t detail_length;
};

/* What is asked for less often. */
struct pario_measures {
	struct pario_latency latency_ns;
	struct pario_carried *carried; /* never NULL */
	double value[];		       /* of each amount of its kind */
};

/* In a hostile journal there may be more; then they are taken for others. */
#define PARIO_REPETITION_MOST ((UINT64_C(1) << 54) - 1)

/* One result line. */
struct pario_reading {
	struct pario_kind *of;
	const char *reason;
	uint64_t repetition : 54;
	enum pario_outcome outcome : 8;
	bool bytes_untold : 1, ops_untold : 1; /* imported results may lack them: 0 here */
	uint64_t bytes, ops;
	double seconds, rate_mib_s;
	struct pario_measures *more; /* never NULL */
};

/* Small things that go together, at once. */
struct pario_pool {
	char *chunk; /* the first bytes lead to the one before */
	size_t used;
};

/* One run. */
struct pario_volume {
	const char *label; /* --label, else the journal's label, else the directory's name */
	const char *path;  /* as given */
	const char *test, *time, *version, *id;
	const json_t *begin;
	json_t *lines;	       /* begin, notes and ends, in order */
	const json_t *end;     /* NULL: the run was cut short */
	const char *signature; /* what its signature is worth, in words; NULL = it has none */
	bool torn;
	bool named; /* the label was given for this report */
};

struct pario_archive {
	struct pario_strings strings;
	struct pario_volume *volume;
	size_t volume_count;
	struct pario_reading *reading;
	size_t reading_count, reading_capacity;
	struct pario_kind **kind; /* by hash, free places are NULL */
	size_t kind_count, kind_capacity;
	struct pario_pool pool; /* kinds, latencies, values */
	json_t *kept;		/* result lines with tables */
	size_t detail_bytes;
	bool numbers_only; /* no latencies, and no metrics but the headlines: for comparisons */
	bool anonymous;	   /* hosts are shown by number */
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

/*
 * Adds a result of this kind, whose amounts hold its values and may be dropped. `reading` and `latency_ns` are
 * copied. NULL without memory.
 */
struct pario_reading *pario_archive_reading(struct pario_archive *archive, struct pario_kind *kind,
					    const struct pario_reading *reading,
					    const struct pario_latency *latency_ns);
/* Where the result carries something of its own; NULL without memory. */
struct pario_carried *pario_reading_carry(struct pario_archive *archive,
					  struct pario_reading *reading);
enum pario_outcome pario_archive_outcome(const char *name);

void pario_archive_release(struct pario_archive *archive);

/* The amount of this name; without a name, and NaN, when the result has none. */
struct pario_amount pario_reading_find(const struct pario_reading *reading, const char *name);

/* The number of a result and its unit: its headline, else MiB/s where bytes were moved, else operations per second. */
double pario_reading_value(const struct pario_reading *reading);
const char *pario_reading_unit(const struct pario_reading *reading);

/*
 * The value of a parameter at a result: what its point says, else what the run was given. "" when neither knows it.
 * The text is valid until the archive is released.
 */
const char *pario_reading_param(struct pario_archive *archive, const struct pario_reading *reading,
				const char *name);

/* A member of a volume's begin line by path ("machine.mpi.library"); NULL when it is not there. */
const json_t *pario_volume_at(const struct pario_volume *volume, const char *path);

/* A member of a volume's machine by path ("mpi.library"); "" when it is not there or not text. */
const char *pario_volume_machine(const struct pario_volume *volume, const char *path);

/* The program that measured, where it was not pario: "IOR-4.0.0"; else "". */
const char *pario_volume_program(const struct pario_volume *volume);

#endif
