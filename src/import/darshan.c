/*
 * darshan: the text of darshan-parser, of logs of versions 2 and 3: one line per file record and counter.
 *
 * A record of POSIX, MPI-IO and STDIO ends with a known counter: a dump that ends before it was cut off.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/darshan_sums.h"
#include "import/formats.h"
#include "import/lines.h"

static const char *const last_counter[] = { "POSIX_F_VARIANCE_RANK_BYTES",
					    "MPIIO_F_VARIANCE_RANK_BYTES",
					    "STDIO_F_VARIANCE_RANK_BYTES",
					    "CP_F_VARIANCE_RANK_BYTES" };

struct reader {
	struct pario_darshan_reader base; /* first: a pointer to it is one to the whole */
	struct pario_darshan_sums sums;
	char record[128]; /* module, rank and id of the last line's record */
	char counter[64]; /* of the last line */
};

bool pario_darshan_sign(const char *line, uint64_t number)
{
	(void)number;
	return pario_after(line, "# darshan log version") != NULL;
}

static int cut_off(const struct reader *r, const struct pario_lines *lines, struct pario_err *err)
{
	char why[512];

	snprintf(
		why, sizeof(why),
		"it ends within a record (line %llu%s%s), so the dump was cut off. Make it again from "
		"the log with darshan-parser.",
		(unsigned long long)lines->number, *r->counter ? ", counter " : "", r->counter);
	return pario_import_refuse(r->base.source, why, err);
}

/* Version 2 had no modules: which counters are of which one since, and how they are called there. */
static const struct {
	const char *old, *module, *now;
} moved[] = {
	{ "CP_INDEP_OPENS", "MPI-IO", "MPIIO_INDEP_OPENS" },
	{ "CP_COLL_OPENS", "MPI-IO", "MPIIO_COLL_OPENS" },
	{ "CP_INDEP_READS", "MPI-IO", "MPIIO_INDEP_READS" },
	{ "CP_INDEP_WRITES", "MPI-IO", "MPIIO_INDEP_WRITES" },
	{ "CP_COLL_READS", "MPI-IO", "MPIIO_COLL_READS" },
	{ "CP_COLL_WRITES", "MPI-IO", "MPIIO_COLL_WRITES" },
	{ "CP_SPLIT_READS", "MPI-IO", "MPIIO_SPLIT_READS" },
	{ "CP_SPLIT_WRITES", "MPI-IO", "MPIIO_SPLIT_WRITES" },
	{ "CP_NB_READS", "MPI-IO", "MPIIO_NB_READS" },
	{ "CP_NB_WRITES", "MPI-IO", "MPIIO_NB_WRITES" },
	{ "CP_SYNCS", "MPI-IO", "MPIIO_SYNCS" },
	{ "CP_F_MPI_META_TIME", "MPI-IO", "MPIIO_F_META_TIME" },
	{ "CP_F_MPI_READ_TIME", "MPI-IO", "MPIIO_F_READ_TIME" },
	{ "CP_F_MPI_WRITE_TIME", "MPI-IO", "MPIIO_F_WRITE_TIME" },
	{ "CP_POSIX_FREADS", "STDIO", "STDIO_READS" },
	{ "CP_POSIX_FWRITES", "STDIO", "STDIO_WRITES" },
	{ "CP_POSIX_FOPENS", "STDIO", "STDIO_OPENS" },
	{ "CP_POSIX_FSEEKS", "STDIO", "STDIO_SEEKS" },
	{ "CP_F_POSIX_READ_TIME", "POSIX", "POSIX_F_READ_TIME" },
	{ "CP_F_POSIX_WRITE_TIME", "POSIX", "POSIX_F_WRITE_TIME" },
	{ "CP_F_POSIX_META_TIME", "POSIX", "POSIX_F_META_TIME" },
	{ "CP_BYTES_READ", "POSIX", "POSIX_BYTES_READ" },
	{ "CP_BYTES_WRITTEN", "POSIX", "POSIX_BYTES_WRITTEN" },
};

static void take_counter(struct reader *r, const char *module, const char *counter, bool is_new,
			 double value)
{
	struct pario_darshan_of *m = pario_darshan_sums_of(&r->sums, module);

	if (!m)
		return;
	m->records += is_new;
	pario_darshan_sums_counter(m, counter, PARIO_DARSHAN_KNOWN, value);
}

/* A counter of version 2. */
static void take_old(struct reader *r, const char *counter, bool is_new, double value)
{
	if (is_new) {
		take_counter(r, "POSIX", "", true, 0);
		take_counter(r, "MPI-IO", "", true, 0);
		take_counter(r, "STDIO", "", true, 0);
	}
	for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		if (strcmp(moved[i].old, counter) == 0) {
			take_counter(r, moved[i].module, moved[i].now, false, value);
			return;
		}
	}
	if (strncmp(counter, "CP_POSIX_", 9) == 0)
		take_counter(r, "POSIX", counter + 3, false, value);
}

/*
 * <module> <rank> <record id> <counter> <value> <file name> <mount pt> <fs type>; in version 2 without the module, and
 * with hash and suffix of the name
 */
static int take_record(struct reader *r, struct pario_lines *lines, struct pario_err *err)
{
	char *words[PARIO_WORDS], record[128];
	size_t count = pario_words(lines->text, words);
	bool old = count > 3 && strncmp(words[2], "CP_", 3) == 0, is_new;
	double value;

	if (count == 0)
		return 0;
	if (count < (old ? 4 : 5) || lines->cut)
		return cut_off(r, lines, err);
	snprintf(record, sizeof(record), "%s %s %s", words[0], words[1], old ? "" : words[2]);
	is_new = strcmp(record, r->record) != 0;
	snprintf(r->record, sizeof(r->record), "%s", record);
	snprintf(r->counter, sizeof(r->counter), "%s", words[old ? 2 : 3]);
	value = pario_number(words[old ? 3 : 4]);
	/* of Lustre some are words */
	if (!isfinite(value) && strcmp(words[0], "LUSTRE") != 0)
		pario_harvest_lost(r->base.harvest, lines->number, r->counter);
	else if (old)
		take_old(r, words[2], is_new, value);
	else
		take_counter(r, words[0], words[3], is_new, value);
	return 0;
}

static bool ends_well(const struct reader *r)
{
	for (size_t i = 0; i < sizeof(last_counter) / sizeof(last_counter[0]); i++) {
		size_t length = strcspn(last_counter[i], "_") + 1;

		if (strncmp(r->counter, last_counter[i], length) == 0)
			return strcmp(r->counter, last_counter[i]) == 0;
	}
	return true;
}

static int read_lines(struct reader *r, struct pario_err *err)
{
	struct pario_lines lines;

	pario_lines_begin(&lines, r->base.source);
	while (pario_lines_next(&lines)) {
		if (*lines.text == '#')
			pario_darshan_head(r->base.harvest, &r->base.job, lines.text);
		else if (take_record(r, &lines, err) < 0)
			return -1;
	}
	if (pario_darshan_check(r->base.source, &r->base.job, err) < 0)
		return -1;
	return ends_well(r) ? 0 : cut_off(r, &lines, err);
}

static int read_dump(struct pario_darshan_reader *base, struct pario_err *err)
{
	struct reader *r = (struct reader *)(void *)base;

	int status = read_lines(r, err);

	if (status == 0)
		status = pario_darshan_sums_harvest(&r->sums, base->harvest, &base->job, err);
	pario_darshan_sums_release(&r->sums);
	return status;
}

int pario_darshan_read(struct pario_import_file *source, struct pario_harvest *h,
		       struct pario_err *err)
{
	return pario_darshan_dump(source, h, sizeof(struct reader), read_dump, err);
}
