/*
 * darshan: the text of darshan-parser: one line per file record and counter.
 *
 * For each module the counters are summed over its records, and reading, writing and metadata become a result each. The
 * number is the time that all processes together spent in such calls, which is what Darshan records; a rate would need
 * to know how they overlapped. The span from the first to the last call is the result's total time.
 *
 * A record of POSIX, MPI-IO and STDIO ends with a known counter: a dump that ends before it was cut off.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/darshan.h"
#include "import/formats.h"
#include "import/lines.h"

enum { MODULES = 32, NAME = 32 };

/* What a phase is made of: the ends of counter names, after the module's. */
struct sum {
	double bytes, ops, seconds;
	double begin, end; /* seconds since the job's start; NaN while none is told */
};

enum { READ, WRITE, META, PHASES };
static const char *const phases[PHASES] = { "read", "write", "metadata" };

struct module {
	char name[NAME];
	struct sum sum[PHASES];
	double records;
};

enum field { BYTES, OPS, SECONDS, BEGIN, END };

static const struct {
	const char *name;
	int phase;
	enum field field;
} counters[] = {
	{ "BYTES_READ", READ, BYTES },
	{ "BYTES_WRITTEN", WRITE, BYTES },
	{ "READS", READ, OPS },
	{ "INDEP_READS", READ, OPS },
	{ "COLL_READS", READ, OPS },
	{ "SPLIT_READS", READ, OPS },
	{ "NB_READS", READ, OPS },
	{ "WRITES", WRITE, OPS },
	{ "INDEP_WRITES", WRITE, OPS },
	{ "COLL_WRITES", WRITE, OPS },
	{ "SPLIT_WRITES", WRITE, OPS },
	{ "NB_WRITES", WRITE, OPS },
	{ "OPENS", META, OPS },
	{ "INDEP_OPENS", META, OPS },
	{ "COLL_OPENS", META, OPS },
	{ "STATS", META, OPS },
	{ "SEEKS", META, OPS },
	{ "FSYNCS", META, OPS },
	{ "FDSYNCS", META, OPS },
	{ "SYNCS", META, OPS },
	{ "FLUSHES", META, OPS },
	{ "F_READ_TIME", READ, SECONDS },
	{ "F_WRITE_TIME", WRITE, SECONDS },
	{ "F_META_TIME", META, SECONDS },
	{ "F_READ_START_TIMESTAMP", READ, BEGIN },
	{ "F_WRITE_START_TIMESTAMP", WRITE, BEGIN },
	{ "F_OPEN_START_TIMESTAMP", META, BEGIN },
	{ "F_READ_END_TIMESTAMP", READ, END },
	{ "F_WRITE_END_TIMESTAMP", WRITE, END },
	{ "F_CLOSE_END_TIMESTAMP", META, END },
};

static const char *const last_counter[] = { "POSIX_F_VARIANCE_RANK_BYTES",
					    "MPIIO_F_VARIANCE_RANK_BYTES",
					    "STDIO_F_VARIANCE_RANK_BYTES" };

struct reader {
	struct pario_darshan_reader base; /* first: a pointer to it is one to the whole */
	struct module module[MODULES];
	size_t modules;
	char record[128]; /* module, rank and id of the last line's record */
	char counter[64]; /* of the last line */
};

bool pario_darshan_sign(const char *line, uint64_t number)
{
	(void)number;
	return pario_after(line, "# darshan log version") != NULL;
}

static struct module *module_of(struct reader *r, const char *name)
{
	struct module *m;

	for (size_t i = 0; i < r->modules; i++) {
		if (strcmp(r->module[i].name, name) == 0)
			return &r->module[i];
	}
	if (r->modules == MODULES || strlen(name) >= NAME)
		return NULL;
	m = &r->module[r->modules++];
	snprintf(m->name, NAME, "%s", name);
	for (size_t i = 0; i < PHASES; i++)
		m->sum[i].begin = m->sum[i].end = NAN;
	return m;
}

/* Timestamps of 0 mean that there was no such call; counters of -1 that they are not kept. */
static void add(struct sum *sum, enum field field, double value)
{
	if (!(value > 0))
		return;
	switch (field) {
	case BYTES:
		sum->bytes += value;
		break;
	case OPS:
		sum->ops += value;
		break;
	case SECONDS:
		sum->seconds += value;
		break;
	case BEGIN:
		sum->begin = fmin(sum->begin, value);
		break;
	case END:
		sum->end = fmax(sum->end, value);
		break;
	}
}

static void take_counter(struct module *m, const char *counter, double value)
{
	size_t length = strlen(m->name);

	/* MPI-IO's module and counters are spelled differently */
	if (strcmp(m->name, "MPI-IO") == 0)
		length = strlen("MPIIO");
	if (strlen(counter) <= length + 1)
		return;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (strcmp(counter + length + 1, counters[i].name) == 0)
			add(&m->sum[counters[i].phase], counters[i].field, value);
	}
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

/* <module> <rank> <record id> <counter> <value> <file name> <mount pt> <fs type> */
static int take_record(struct reader *r, struct pario_lines *lines, struct pario_err *err)
{
	char *words[PARIO_WORDS], record[128];
	size_t count = pario_words(lines->text, words);
	struct module *m;

	if (count == 0)
		return 0;
	if (count < 5 || lines->cut)
		return cut_off(r, lines, err);
	m = module_of(r, words[0]);
	snprintf(record, sizeof(record), "%s %s %s", words[0], words[1], words[2]);
	if (m && strcmp(record, r->record) != 0)
		m->records++;
	snprintf(r->record, sizeof(r->record), "%s", record);
	snprintf(r->counter, sizeof(r->counter), "%s", words[3]);
	if (m)
		take_counter(m, words[3], pario_number(words[4]));
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

static uint64_t counted(double value)
{
	return value < 0x1p62 ? (uint64_t)value : PARIO_UNTOLD;
}

static int take_phase(struct reader *r, const struct module *m, int phase, struct pario_err *err)
{
	const struct sum *sum = &m->sum[phase];
	struct pario_result *result;

	if (!(sum->ops > 0) && !(sum->bytes > 0) && !(sum->seconds > 0))
		return 0;
	result = pario_harvest_result(r->base.harvest, phases[phase], r->base.job.nprocs, err);
	if (!result)
		return -1;
	result->bytes = counted(sum->bytes);
	result->ops = counted(sum->ops);
	result->seconds.total = sum->end - sum->begin;
	pario_result_metric(result, "records", "files", m->records);
	pario_darshan_finish(&r->base.job, sum->seconds, result);
	return 0;
}

static int take_modules(struct reader *r, struct pario_err *err)
{
	for (size_t i = 0; i < r->modules; i++) {
		if (pario_darshan_module(r->base.harvest, i, r->module[i].name, err) < 0)
			return -1;
		for (int phase = 0; phase < PHASES; phase++) {
			if (take_phase(r, &r->module[i], phase, err) < 0)
				return -1;
		}
	}
	return 0;
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

	return read_lines(r, err) < 0 ? -1 : take_modules(r, err);
}

int pario_darshan_read(struct pario_import_file *source, struct pario_harvest *h,
		       struct pario_err *err)
{
	return pario_darshan_dump(source, h, sizeof(struct reader), read_dump, err);
}
